package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"math"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/generation"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/pages/derived"
)

// schemaRun is one run of the schema command.
type schemaRun struct {
	reporting.Reporter
	derived.Options
	definitions generation.DefinitionFlags
}

func newSchemaCommand(stdout, stderr io.Writer) *cobra.Command {
	var r schemaRun
	cmd := &cobra.Command{
		Use:    "schema CRD...",
		Hidden: true, // for readers of the proposals, see docs/proposals.md
		Short:  "Show what the proposals derive from a schema.",
		Long: `Show what the proposals of structural schemas and pruning derive from the schema of a
CRD, or of a field of it such as spec.template, as YAML. Comments give the source of each
part, and what was left out and why.

CRDs are YAML or JSON files, directories with such files, - for standard input, or Go
packages.`,
		Example: `  schemagen schema crd.yaml --skeleton
  schemagen schema crd.yaml --unfold --drop-validations --path spec.template
  schemagen schema ./api/... --published v2`,
		Args: cli.Args(1, math.MaxInt, "a CRD"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := cmp.Or(r.definitions.Configure(cmd, &r.Reporter), r.CheckFormat(), r.Check()); err != nil {
				return err
			}
			r.Dir = r.WorkDir
			return r.run(cmd.Context(), args, cmd.InOrStdin(), stdout, stderr)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&r.Path, "path", "", "show this field, such as spec.template")
	flags.StringVar(&r.Version, "version", "", "show this version (default: the storage version)")
	flags.BoolVar(&r.Skeleton, "skeleton", false, "show the skeleton of the pruning KEP, with the sources of each node")
	flags.BoolVar(&r.Unfold, "unfold", false, "expand the extensions of the structural-schema KEP")
	flags.BoolVar(&r.DropValidations, "drop-validations", false, "leave out value validations, as in the KEP's litmus tests")
	flags.StringVar(&r.Published, "published", "", "show the definition in the documents of OpenAPI: v2, v3")
	r.AddFlags(cmd)
	r.definitions.Add(cmd)
	return cmd
}

func (r *schemaRun) run(ctx context.Context, names []string, stdin io.Reader, stdout, stderr io.Writer) error {
	reader, err := r.definitions.Reader(stdin)
	if err != nil {
		return err
	}
	reader.Lenient = true
	read, findings, err := reader.Read(ctx, names)
	if err != nil {
		return err
	}
	if len(read) == 0 && !findings.HasErrors() {
		findings = append(findings, definitions.NoCRDIn(names, true).As(diag.Error))
	}
	for _, d := range read {
		text, err := derived.YAML(d, r.Options)
		var unserved *derived.WithoutSchema
		if errors.As(err, &unserved) {
			pos, _ := d.Position(unserved.Path)
			findings = append(findings, definitions.UnpublishedSchema.At(pos, "", "%v", unserved).As(diag.Error))
			continue
		}
		if err != nil {
			return err
		}
		if _, err := screen.Documents(r.Text(stdout, stderr)).Write(text); err != nil {
			return err
		}
	}
	return r.Report(stderr, findings)
}
