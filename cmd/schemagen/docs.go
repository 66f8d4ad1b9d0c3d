package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
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
	// template is the file of a template, a directory with templates, or empty.
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
each group.

--template executes Go templates instead: a file, or all *.tmpl in a directory. An
output has the name of its file without .tmpl. Files that begin with an underscore
only define templates for the others. docs/editor.md describes the data.`,
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
	flags.StringVar(&r.template, "template", "", "execute this Go template, OUTPUT.tmpl, or those in a directory, instead of a format")
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
	templates, err := readTemplates(r.template)
	if err != nil {
		return nil, nil, err
	}
	return apidocs.Execute(templates, apidocs.NewDocument(r.title, kinds))
}

// readTemplates reads a template, or those in a directory.
func readTemplates(name string) ([]apidocs.Template, error) {
	names := []string{name}
	if info, err := os.Stat(name); err == nil && info.IsDir() {
		names, err = fs.Glob(os.DirFS(name), "*"+apidocs.TemplateSuffix)
		if err != nil {
			return nil, err
		}
		for i, file := range names {
			names[i] = filepath.Join(name, file)
		}
		if len(names) == 0 {
			return nil, fmt.Errorf("%s has no files *%s", name, apidocs.TemplateSuffix)
		}
	}
	out := make([]apidocs.Template, len(names))
	for i, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return nil, err
		}
		out[i] = apidocs.Template{Name: name, Text: string(text)}
	}
	return out, nil
}
