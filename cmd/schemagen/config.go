package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/generation"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/companions/commandline"
	"github.com/schemagen/schemagen/internal/ground/snapshot"
	"github.com/schemagen/schemagen/internal/project"
)

func configFormats() []string { return []string{"yaml", "json"} }

func newConfigCommand(stdout, stderr io.Writer) *cobra.Command {
	r := reporting.Reporter{Format: "text"}
	var format string
	cmd := &cobra.Command{
		Use:   "config [packages]",
		Short: "Print the settings of a run and the source of each value.",
		Long: `Print the settings of schemagen crd, given the same packages and flags, and of
schemagen unions. The source of each value is a line of ` + project.Name + `, a flag,
or the default.

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
			if err := r.ConfigureIn(cmd, nil, project.OfCRD, cmd.Flags()); err != nil {
				return err
			}
			if err := r.Project.Fill(project.OfUnions, r.WorkDir, functions); err != nil {
				return err
			}
			effective := r.Project.Effective(r.WorkDir, args, given, cmd.Flags(), functions)
			for i, e := range effective {
				if e.Source == project.FromDefault {
					effective[i] = defaultOf(&r, e)
				}
			}
			return r.Project.WriteEffective(stdout, format, effective)
		},
	}
	cmd.Flags().StringVar(&format, "format", "yaml", "output format: "+strings.Join(configFormats(), ", "))
	addSettingFlags(cmd, new(generation.Values))
	return cmd
}

// addSettingFlags adds the flags of crd that are settings.
func addSettingFlags(cmd *cobra.Command, v *generation.Values) {
	cmd.Flags().AddFlagSet(v.Flags(project.OfCRD))
	cli.GroupFlags(cmd, crdFlagGroups()...)
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
