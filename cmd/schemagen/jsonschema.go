package main

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/generation"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/publish"
)

// jsonSchemaRun is one run of the jsonschema command.
type jsonSchemaRun struct {
	reporting.Reporter
	publish.JSONSchemaOptions
	definitions generation.DefinitionFlags
	output      string
	mode        output.Mode
	// modeline prints the comment by which an editor finds each schema.
	modeline bool
}

const defaultJSONSchemaDir = "schemas"

func newJSONSchemaCommand(stdout, stderr io.Writer) *cobra.Command {
	var r jsonSchemaRun
	var check, diff bool
	cmd := &cobra.Command{
		Use:   "jsonschema [files, directories, packages or -]",
		Short: "Generate JSON Schemas of custom resources for editors and validators.",
		Long: `Generate JSON Schemas of custom resources for editors and validators.

Arguments are YAML or JSON files with CRDs, directories with such files, - for
standard input, or Go packages. The default is the project's CRDs, as for verify.

The output is GROUP/KIND_VERSION.json for each served version, in lower case as
kubeconform expects it; all.json, which selects one of them by apiVersion and kind;
and catalog.json for editors. A schema rejects fields that the server would drop,
and lets editors complete only the selected member of a union.`,
		Example: `  schemagen jsonschema config/crd/bases -o schemas
  kubeconform -schema-location 'schemas/{{.Group}}/{{.ResourceKind}}_{{.ResourceAPIVersion}}.json' widget.yaml
  schemagen jsonschema ./api/... -o schemas --modeline`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.definitions.Configure(cmd, &r.Reporter); err != nil {
				return err
			}
			r.mode = cli.ModeOf(r.output, check, diff)
			return r.run(cmd.Context(), args, cmd.InOrStdin(), stdout, stderr)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&r.output, "output", "o", defaultJSONSchemaDir, "write to this directory, - for standard output")
	cli.AddModeFlags(cmd, &check, &diff)
	r.AddFlags(cmd)
	r.definitions.Add(cmd)
	flags.StringVar(&r.Draft, "draft", publish.Drafts()[0], "write this draft of JSON Schema: "+strings.Join(publish.Drafts(), ", "))
	flags.BoolVar(&r.Open, "open", false, "accept fields that the server would drop")
	flags.StringVar(&r.BaseURL, "base-url", "", "use this `URL` of the output directory in the catalog and modelines (default: relative)")
	flags.BoolVar(&r.modeline, "modeline", false, "print the comment by which yaml-language-server finds each schema")
	return cmd
}

func (r *jsonSchemaRun) run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := r.CheckFormat(); err != nil {
		return err
	}
	r.BaseURL = strings.TrimRight(r.BaseURL, "/")
	published, findings, err := r.definitions.Resources(ctx, args, stdin, nil)
	if err != nil {
		return err
	}
	if err := r.Report(stderr, findings); err != nil {
		return err
	}
	files, err := publish.JSONSchemas(definitions.Published(published), r.JSONSchemaOptions)
	if err != nil {
		return err
	}
	if err := r.DeliverQuietly(ctx, reporting.Delivery{Outputs: reporting.OutputsIn(r.output, files), Mode: r.mode},
		stdout, stderr); err != nil {
		return err
	}
	if !r.modeline {
		return nil
	}
	for _, p := range published {
		path := r.URL(p.Resource)
		if r.BaseURL == "" && r.mode != output.Stdout { // relative to the working directory
			path = filepath.ToSlash(filepath.Join(r.output, filepath.FromSlash(path)))
		}
		if _, err := fmt.Fprintf(stdout, "# yaml-language-server: $schema=%s\n", screen.Line(path)); err != nil {
			return err
		}
	}
	return nil
}
