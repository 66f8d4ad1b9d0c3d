package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/generation"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/pages/apidocs"
	"github.com/schemagen/schemagen/internal/pages/explain"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/publish"
)

// docsRun is one run of the docs command.
type docsRun struct {
	definitions generation.DefinitionFlags
	reporter    reporting.Reporter
	output      string
	mode        output.Mode
	// format is one of [apidocs.Formats].
	format string
	title  string
	// template is the file of a template, or empty.
	template string
	examples bool
}

const defaultDocsDir = "docs/api"

func newDocsCommand(stdout, stderr io.Writer) *cobra.Command {
	r := docsRun{reporter: reporting.Reporter{Format: "text"}}
	var check, diff bool
	cmd := &cobra.Command{
		Use:   "docs [files, directories, packages or -]",
		Short: "Generate documentation of custom resources.",
		Long: `Generate documentation of custom resources, as HTML, Markdown or AsciiDoc.

Arguments are YAML or JSON files with CRDs, directories with such files, - for
standard input, or Go packages. The default is the project's CRDs, as for verify.

HTML is a single self-contained file, index.html, with a searchable tree of fields,
unions as choices, defaults, rules, and examples that the API server accepts. Each
field has a link: #GROUP/VERSION/KIND.path. Markdown and AsciiDoc are one file for
each group. With --template FILE, a Go template is executed, whose data are
described in docs/editor.md; its output has the name of the file without .tmpl.`,
		Example: `  schemagen docs config/crd/bases -o site
  schemagen docs ./api/... -o docs/api --format markdown --check`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.definitions.Configure(cmd, &r.reporter); err != nil {
				return err
			}
			r.mode = cli.ModeOf(r.output, check, diff)
			return r.run(cmd.Context(), args, cmd.InOrStdin(), stdout, stderr)
		},
	}
	flags := cmd.Flags()
	flags.StringVarP(&r.output, "output", "o", defaultDocsDir, "write to this directory, - for standard output")
	flags.StringVar(&r.format, "format", "html", "output format: "+strings.Join(apidocs.Formats(), ", "))
	flags.StringVar(&r.template, "template", "", "execute this Go template, OUTPUT.tmpl, instead of a format")
	flags.StringVar(&r.title, "title", apidocs.DefaultTitle, "title of the page")
	flags.BoolVar(&r.examples, "examples", true, "generate examples; slow for large definitions")
	cli.AddModeFlags(cmd, &check, &diff)
	r.definitions.Add(cmd)
	return cmd
}

func (r *docsRun) run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if !slices.Contains(apidocs.Formats(), r.format) {
		return fmt.Errorf("unknown format %q: use one of %s", r.format, strings.Join(apidocs.Formats(), ", "))
	}
	published, findings, err := r.definitions.Resources(ctx, args, stdin, nil)
	if err != nil {
		return err
	}
	if err := r.print(findings, stderr); err != nil {
		return err
	}
	kinds := make([]*explain.Documented, len(published))
	for i, p := range published {
		if !r.examples {
			kinds[i] = p.Documented(r.definitions.Dir)
			continue
		}
		kinds[i], err = p.DocumentedWithExamples(ctx, r.definitions.Dir)
		if err != nil {
			return err
		}
	}
	files, findings, err := r.files(kinds)
	if err := cmp.Or(err, r.print(findings, stderr)); err != nil {
		return err
	}
	return r.reporter.DeliverQuietly(ctx,
		reporting.Delivery{Outputs: reporting.OutputsIn(r.output, files), Mode: r.mode}, stdout, stderr)
}

// print prints findings; --format is the format of the documents, not of diagnostics.
func (r *docsRun) print(findings diag.List, stderr io.Writer) error {
	findings = r.definitions.Project.Judge(findings, map[*project.Waiver]bool{})
	if err := findings.Normalize().RelativeTo(r.definitions.Dir).WriteText(stderr); err != nil {
		return err
	}
	if findings.HasErrors() {
		return reporting.ErrFindings
	}
	return nil
}

// files renders the documentation; findings are in a template.
func (r *docsRun) files(kinds []*explain.Documented) (files []publish.File, findings diag.List, err error) {
	if r.template == "" {
		files, err = apidocs.Files(r.format, r.title, kinds)
		return files, nil, err
	}
	text, err := os.ReadFile(r.template)
	if err != nil {
		return nil, nil, err
	}
	file, findings, err := apidocs.Execute(r.template, string(text), apidocs.NewDocument(r.title, kinds))
	return []publish.File{file}, findings, err
}
