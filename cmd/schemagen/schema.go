package main

import (
	"cmp"
	"context"
	"errors"
	"io"

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
	names       []string
}

func newSchemaCommand(stdout, stderr io.Writer) *cobra.Command {
	var r schemaRun
	cmd := &cobra.Command{
		Use:    "schema -f CRD [path]",
		Hidden: true, // for readers of the proposals, see docs/proposals.md
		Short:  "Show what the proposals derive from a schema.",
		Long: `Show what the proposals of structural schemas and pruning derive from the schema of a
CRD, or of a field of it such as spec.template, as YAML. Comments give the source of each
part, and what was left out and why.

CRDs are YAML or JSON files, directories with such files, - for standard input, or Go
packages.`,
		Example: `  schemagen schema -f crd.yaml --skeleton
  schemagen schema -f crd.yaml --unfold --drop-validations spec.template
  schemagen schema -f ./api/... --published v2`,
		Args: cli.Args(0, 1, "one path"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(r.names) == 0 {
				return errors.New("needs a CRD: schemagen schema -f crd.yaml")
			}
			if err := cmp.Or(r.definitions.Configure(cmd, &r.Reporter), r.CheckFormat(), r.Check()); err != nil {
				return err
			}
			if len(args) > 0 {
				r.Path = args[0]
			}
			r.Dir = r.WorkDir
			return r.run(cmd.Context(), cmd.InOrStdin(), stdout, stderr)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVarP(&r.names, "filename", "f", nil, "read CRDs from files, directories, - for standard input, or Go packages")
	flags.StringVar(&r.Version, "version", "", "show this version (default: the storage version)")
	flags.BoolVar(&r.Skeleton, "skeleton", false, "show the skeleton of the pruning KEP, with the sources of each node")
	flags.BoolVar(&r.Unfold, "unfold", false, "expand the extensions of the structural-schema KEP")
	flags.BoolVar(&r.DropValidations, "drop-validations", false, "leave out value validations, as in the KEP's litmus tests")
	flags.StringVar(&r.Published, "published", "", "show the definition in the documents of OpenAPI: v2, v3")
	r.AddFlags(cmd)
	r.definitions.Add(cmd)
	return cmd
}

func (r *schemaRun) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	reader, err := r.definitions.Reader(stdin)
	if err != nil {
		return err
	}
	reader.Lenient = true
	read, findings, err := reader.Read(ctx, r.names)
	if err != nil {
		return err
	}
	if len(read) == 0 && !findings.HasErrors() {
		findings = append(findings, definitions.NoCRDIn(r.names, true).As(diag.Error))
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
