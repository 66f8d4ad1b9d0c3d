package main

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"runtime"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/generation"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/companions/commandline"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/ground/snapshot"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/run/runcache"
)

func configFormats() []string { return []string{"yaml", "json"} }

func newConfigCommand(stdout, stderr io.Writer) *cobra.Command {
	r := reporting.Reporter{Format: "text"}
	var v generation.Values
	var settings *pflag.FlagSet
	var format string
	cmd := &cobra.Command{
		Use:   "config [packages]",
		Short: "Print the settings of a run and the source of each value.",
		Long: `Print the settings of schemagen crd, given the same packages and flags, and of
schemagen unions. The source of each value is a line of ` + project.Name + `, a flag,
or the default. The versions of schemagen and of the API server follow, and how
packages are found.

` + project.Name + ` is optional. It is read from the working directory or the nearest
parent directory, up to the module root; docs/config.md describes it.`,
		Example: `  schemagen config
  schemagen config --kube-version 1.30 --format json`,
		Args: reporting.PackageArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(configFormats(), format) {
				return fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(configFormats(), ", "))
			}
			var err error
			r.WorkDir, err = os.Getwd()
			if err != nil {
				return err
			}
			functions := new(generation.Values).Flags(project.OfUnions)
			given := map[string]bool{}
			cmd.Flags().Visit(func(f *pflag.Flag) { given[f.Name] = true })
			if err := r.ConfigureIn(cmd, nil, project.OfCRD, settings); err != nil {
				return err
			}
			if err := r.Project.Fill(project.OfUnions, r.WorkDir, functions); err != nil {
				return err
			}
			effective := r.Project.Effective(r.WorkDir, args, given, settings, functions)
			for i, e := range effective {
				if e.Source == project.FromDefault {
					effective[i] = defaultOf(&r, e)
				}
			}
			environment, err := environmentOf(cmd, &r, v.Options, args)
			if err != nil {
				return err
			}
			return r.Project.WriteEffective(stdout, format, effective, environment)
		},
	}
	cmd.Flags().StringVar(&format, "format", "yaml", "output format: "+strings.Join(configFormats(), ", "))
	settings = v.AddSettings(cmd, project.OfCRD)
	cli.GroupFlags(cmd, crdFlagGroups()...)
	return cmd
}

// defaultOf sets the defaults that are not those of flags.
func defaultOf(r *reporting.Reporter, e project.Effective) project.Effective {
	switch e.Key {
	case "paths":
		if packages, err := r.Project.Packages(nil, r.WorkDir); err == nil {
			e.Value = packages
		}
	case "outputs.crd":
		e.Value = r.Project.Output(nil, r.WorkDir)
	case "outputs.rbac", "outputs.webhook":
		rule, _ := commandline.RuleFor(strings.TrimPrefix(e.Key, "outputs."), nil)
		e.Value = commandline.Directory(rule)
	case "kubeVersion":
		e.Value = apiserver.DefaultVersion
	case "cacheDir":
		if dir := snapshot.Directory(""); dir != "" {
			e.Value = dir
		}
		if os.Getenv("XDG_CACHE_HOME") != "" {
			e.Source = project.FromEnvironment
			e.Place = "XDG_CACHE_HOME"
		}
	}
	return e
}

// environmentOf returns what a run depends on besides its settings, a line for each: for bug reports, and to find
// out why the go command or controller-gen's own code is used.
func environmentOf(cmd *cobra.Command, r *reporting.Reporter, options define.Options, args []string) ([]string, error) {
	var out []string
	add := func(format string, args ...any) { out = append(out, screen.Line(fmt.Sprintf(format, args...))) }
	add("version: %s", cli.ToolVersion())
	add("go: %s %s/%s", runtime.Version(), runtime.GOOS, runtime.GOARCH)
	add("kube-version: %s", apiserver.DefaultVersion)
	if kept := runcache.Open("", cli.ToolVersion()); kept != nil {
		add("cache: %s", kept.Dir())
	}
	patterns, err := r.Packages(cmd, nil, args)
	if err != nil && len(args) == 0 {
		add("packages: none are found")
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	options.Dir = r.WorkDir
	options.Patterns = patterns
	options.Passes = passes.All()
	listing, findings, err := define.List(cmd.Context(), options)
	if err = cmp.Or(err, r.Report(cmd.ErrOrStderr(), findings)); err != nil {
		return nil, err
	}
	if len(listing.Reasons) == 0 {
		add("lister: without the go command")
	} else {
		add("lister: the go command: %s", strings.Join(listing.Reasons, "; "))
	}
	unsure, err := commandline.Upstream(cmd.Context(), options)
	for _, reason := range unsure {
		add("controller-gen's code: %s", reason)
	}
	add("packages: %d", len(listing.Packages))
	for _, path := range listing.Packages {
		add("  %s", path)
	}
	return out, err
}
