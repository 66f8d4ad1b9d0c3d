package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/generate"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/internal/types/typegen"
)

// typesRun is one run of the types command.
type typesRun struct {
	reporting.Reporter
	typegen.Options
	mode output.Mode
	// prune removes unedited files that the packages no longer have.
	prune bool
}

func newTypesCommand(stdout, stderr io.Writer) *cobra.Command {
	var r typesRun
	var check, diff bool
	cmd := &cobra.Command{
		Use:   "types CRD... -o DIR",
		Short: "Generate Go types from CRDs.",
		Long: `Generate Go packages with markers from CustomResourceDefinitions: files,
directories, or - for standard input.

Before anything is written, the CRDs are generated from the packages again and have
to be equal: the order of lists counts, the style of YAML does not. If Go types and
markers cannot express a schema, +schemagen:schema keeps its smallest part as YAML.
If that is impossible, it is an error.

Edited files are overwritten only with --overwrite. They are kept while the CRDs do
not change the edited parts.

Methods that copy the types come from schemagen object.`,
		Example: `  schemagen types crd.yaml -o api/v1
  kustomize build config/crd | schemagen types - -o api`,
		Args: func(cmd *cobra.Command, args []string) error {
			if len(args) == 0 || r.Output == "" {
				return cli.UsageError(cmd, "types needs CRDs and a directory")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.Configure(cmd, ""); err != nil {
				return err
			}
			r.Dir = r.WorkDir
			r.mode = cli.ModeOf("", check, diff)
			r.Preview = check || diff
			return r.run(cmd.Context(), args, cmd.InOrStdin(), stdout, stderr)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&r.Output, "output", "o", "", "write the package of a version into this directory, or below it")
	flags.StringSliceVar(&r.Kinds, "kinds", nil, "write only these kinds: Kind or Kind.group; names of types do not depend on it")
	flags.BoolVar(&r.AllowDangerousTypes, "allow-dangerous-types", false, "write numbers as float64")
	cli.AddModeFlags(cmd, &check, &diff)
	flags.BoolVar(&r.Overwrite, "overwrite", false, "overwrite files that people have edited")
	flags.BoolVar(&r.prune, "prune", false, "remove files that schemagen wrote for other kinds, unless people have edited them")
	flags.StringSliceVar(&r.Imports, "import", nil, "recognize the structs of these packages by their schemas: import paths or patterns")
	r.AddFlags(cmd)
	return cmd
}

func (r *typesRun) run(ctx context.Context, names []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := r.CheckFormat(); err != nil {
		return err
	}
	sources, packages, err := definitions.FindWithout(names, r.Project.Others(nil, r.WorkDir, r.Project.One(r.WorkDir, "")))
	if err != nil || len(packages) > 0 {
		return cmp.Or(err, fmt.Errorf("%s is not a file or directory with CRDs", strings.Join(packages, ", ")))
	}
	read, findings, err := (&definitions.Reader{Stdin: stdin, Lenient: true, Keep: r.Keep()}).Files(sources)
	if err != nil {
		return err
	}
	if len(read) == 0 && !findings.HasErrors() {
		findings = append(findings, definitions.NoCRDIn(names, true).As(diag.Error))
	}
	made, found, err := typegen.Generate(ctx, read, r.Options)
	if err != nil {
		return err
	}
	var outputs []output.File
	var stale []string
	if made != nil {
		for _, f := range made.Files {
			outputs = append(outputs, output.File{Path: filepath.FromSlash(f.Path), Data: f.Data})
		}
		for _, path := range made.Stale {
			if r.prune {
				stale = append(stale, filepath.FromSlash(path))
				continue
			}
			found = append(found, generate.StaleOutput.At(diag.Position{File: path}, "remove it, or run with --prune", "schemagen types no longer writes this file"))
		}
	}
	verdict := r.Judge(append(findings, found...).Normalize())
	if made == nil {
		return r.Print(stderr, verdict)
	}
	if _, err := r.Deliver(ctx, verdict, reporting.Delivery{Outputs: outputs, Stale: stale, Mode: r.mode}, stdout,
		stderr); err != nil {
		return err
	}
	for _, line := range made.Summary() {
		fmt.Fprintln(stderr, screen.Line(line))
	}
	return nil
}
