package main

import (
	"fmt"
	"io"
	"runtime"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/generation"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/companions/commandline"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/run/runcache"
)

// newEnvCommand prints what a run depends on besides the source: for bug reports, and to
// find out why the go command or controller-gen's own code is used.
func newEnvCommand(stdout, stderr io.Writer) *cobra.Command {
	var r reporting.Reporter
	var v generation.Values
	options := &v.Options
	options.Passes = passes.All()
	cmd := &cobra.Command{
		Use:     "env [packages]",
		Short:   "Print the environment of a run and how packages are found.",
		Example: `  schemagen env ./api/...`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.CheckFormat(); err != nil {
				return err
			}
			if err := r.Configure(cmd, ""); err != nil {
				return err
			}
			var err error
			options.Dir = r.WorkDir
			options.Inputs = r.Reader
			options.Patterns, err = r.Packages(cmd, nil, args)
			if err != nil {
				return err
			}
			listing, findings, err := define.List(cmd.Context(), *options)
			if err != nil {
				return err
			}
			if err := r.Report(stderr, findings); err != nil {
				return err
			}
			unsure, err := commandline.Upstream(cmd.Context(), *options)
			if err != nil {
				return err
			}
			writeEnv(stdout, listing, unsure)
			return nil
		},
	}
	r.AddFlags(cmd)
	cmd.Flags().AddFlagSet(v.Flags(project.OfEnv))
	return cmd
}

func writeEnv(out io.Writer, listing define.Listing, unsure []string) {
	fmt.Fprintf(out, "version: %s\n", cli.ToolVersion())
	fmt.Fprintf(out, "go: %s %s/%s\n", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	fmt.Fprintf(out, "kube-version: %s\n", apiserver.DefaultVersion)
	if kept := runcache.Open("", cli.ToolVersion()); kept != nil {
		fmt.Fprintf(out, "cache: %s\n", screen.Line(kept.Dir()))
	}
	if len(listing.Reasons) == 0 {
		fmt.Fprintln(out, "lister: without the go command")
	} else {
		fmt.Fprintln(out, "lister: the go command")
		for _, reason := range listing.Reasons {
			fmt.Fprintf(out, "  %s\n", screen.Line(reason))
		}
	}
	for _, reason := range unsure {
		fmt.Fprintf(out, "controller-gen's code: %s\n", screen.Line(reason))
	}
	fmt.Fprintf(out, "packages: %d\n", len(listing.Packages))
	for _, path := range listing.Packages {
		fmt.Fprintf(out, "  %s\n", screen.Line(path))
	}
}
