package main

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/verify"
)

// diffRun is one run of the diff command.
type diffRun struct {
	definitions definitionFlags
	kubeVersion string
	format      string
	// failOn says which changes count for the exit code.
	failOn string
	// sources are Go packages with the comments that allow changes, where NEW is files.
	sources []string
	// partial: NEW has some definitions of OLD only.
	partial bool
}

const formatMarkdown = "markdown"

func diffFormats() []string { return append(diag.Formats(), formatMarkdown) }

// failures are the values of --fail-on, with the least category that counts.
func failures() map[string]compare.Category {
	return map[string]compare.Category{"stored": compare.BreaksStored, "clients": compare.BreaksClients, "any": compare.Safe, "none": compare.BreaksStored + 1}
}

func newDiffCommand(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	var r diffRun
	cmd := &cobra.Command{
		Use:   "diff OLD NEW",
		Short: "Say what a change of CRDs breaks: stored objects, clients, or nothing.",
		Long: `Say what a change of CRDs breaks if NEW replaces OLD on a server: stored objects,
clients, or nothing.

Each is a YAML or JSON file, a directory, - for standard input, git:REF:PATH,
git:REF for the path of the other one, or Go packages (./api/...). What a cluster
has is OLD with: kubectl get crds -o yaml | schemagen diff - config/crd/bases

The exit code is 1 if a change counts that nothing allows: in Go a comment
+schemagen:allowChange:kind=KIND,reason="…", in YAML # schemagen:ignore KIND reason.`,
		Example: `  schemagen diff git:main config/crd/bases
  schemagen diff git:v1.4.0 ./api/... --format markdown
  schemagen diff git:main config/crd/bases --source ./api/...`,
		Args: cobra.ExactArgs(2),
		RunE: func(cmd *cobra.Command, args []string) error {
			return r.run(cmd.Context(), args[0], args[1], stdin, stdout, stderr)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&r.format, "format", "text", "format of the changes: "+strings.Join(diffFormats(), ", "))
	flags.StringVar(&r.failOn, "fail-on", "clients", "which changes count: stored, clients (and stored), any, none")
	flags.StringVar(&r.kubeVersion, "kube-version", "", "Kubernetes version of the API server (default "+apiserver.DefaultVersion+")")
	flags.StringSliceVar(&r.sources, "source", nil, "Go packages of NEW, for the comments that allow changes")
	flags.BoolVar(&r.partial, "partial", false, "definitions that only OLD has are not removed")
	r.definitions.add(cmd)
	return cmd
}

func (r *diffRun) run(ctx context.Context, old, new string, stdin io.Reader, stdout, stderr io.Writer) error {
	least, ok := failures()[r.failOn]
	switch {
	case !slices.Contains(diffFormats(), r.format):
		return fmt.Errorf("unknown format %q: use one of %s", r.format, strings.Join(diffFormats(), ", "))
	case !ok:
		return fmt.Errorf("unknown --fail-on %q: use one of stored, clients, any, none", r.failOn)
	case old == "-" && new == "-":
		return errors.New("only one of OLD and NEW can be standard input")
	}
	target, err := apiserver.NewTarget(r.kubeVersion)
	if err != nil {
		return err
	}
	wd, err := os.Getwd()
	if err != nil {
		return err
	}
	in := diffInput{definitionFlags: &r.definitions, dir: wd, stdin: stdin, stderr: stderr}
	defer in.close()
	olds, err := in.read(ctx, old, new)
	if err != nil {
		return err
	}
	news, err := in.read(ctx, new, old)
	if err != nil {
		return err
	}
	if len(olds) == 0 && len(news) == 0 {
		return fmt.Errorf("no CRD found in %s and %s", old, new)
	}
	changes, err := compare.Definitions(ctx, target, olds, news)
	if err != nil {
		return err
	}
	if r.partial {
		changes = slices.DeleteFunc(changes, func(c compare.Change) bool { return c.Kind == compare.DefinitionRemoved })
	}
	findings, err := r.waive(ctx, &in, changes, news)
	if err != nil {
		return err
	}
	out := diffReport{changes: compare.Sorted(compare.Folded(changes)), findings: findings.RelativeTo(wd), least: least, dir: wd}
	buffer := bufio.NewWriter(stdout)
	if err := cmp.Or(out.write(buffer, r.format), buffer.Flush()); err != nil {
		return err
	}
	if out.fails() {
		return errFindings
	}
	return nil
}

// diffReport is what is printed.
type diffReport struct {
	changes []compare.Change
	// findings are about the comments that allow changes.
	findings diag.List
	least    compare.Category
	dir      string
}

// counts reports whether a change counts for the exit code.
func (r *diffReport) counts(c *compare.Change) bool { return c.Waived == "" && c.Category >= r.least }

func (r *diffReport) fails() bool {
	return r.findings.HasErrors() || slices.ContainsFunc(r.changes, func(c compare.Change) bool { return r.counts(&c) })
}

func (r *diffReport) write(w io.Writer, format string) error {
	switch format {
	case formatMarkdown:
		return r.markdown(w)
	case "json":
		return r.json(w)
	}
	var list diag.List
	for i := range r.changes {
		list = append(list, r.changes[i].Diagnostic(r.counts(&r.changes[i])))
	}
	// They stay in their order: the most harmful first.
	return append(list.RelativeTo(r.dir), r.findings...).Write(w, format, codes())
}

// markdown writes a table for each definition, fit for a comment on a pull request.
func (r *diffReport) markdown(w io.Writer) error {
	var b strings.Builder
	counts := map[compare.Category]int{}
	waived := 0
	for _, c := range r.changes {
		if c.Waived != "" {
			waived++
			continue
		}
		counts[c.Category]++
	}
	fmt.Fprintf(&b, "**CRD changes:** %d break stored objects, %d break clients, %d are safe", counts[compare.BreaksStored], counts[compare.BreaksClients], counts[compare.Safe])
	if waived > 0 {
		fmt.Fprintf(&b, ", %d were allowed", waived)
	}
	b.WriteString(".\n")
	for i := range r.changes {
		c := &r.changes[i]
		if i == 0 || r.changes[i-1].Definition != c.Definition {
			fmt.Fprintf(&b, "\n### %s\n\n| | change | where | why |\n|---|---|---|---|\n", c.Definition)
		}
		word := map[compare.Category]string{compare.BreaksStored: "**breaks stored objects**", compare.BreaksClients: "**breaks clients**", compare.Safe: "safe"}[c.Category]
		why := c.Reason
		if c.Waived != "" {
			word = "allowed"
			why += fmt.Sprintf(" (%s; allowed: %s)", c.Category, c.Waived)
		}
		fmt.Fprintf(&b, "| %s | `%s`%s | %s | %s |\n", word, c.Kind, cell(values(c)), cell(r.where(c)), cell(why))
	}
	for _, d := range r.findings {
		fmt.Fprintf(&b, "\n%s: %s: %s\n", d.Pos, d.Severity, cell(d.Message))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// values are those of a change, for a cell of a table.
func values(c *compare.Change) string {
	switch {
	case c.Old != "" && c.New != "":
		return fmt.Sprintf(" %s → %s", code(c.Old), code(c.New))
	case c.Old != "" || c.New != "":
		return " " + code(c.Old+c.New)
	}
	return ""
}

// where is the place of a change in objects and in a file.
func (r *diffReport) where(c *compare.Change) string {
	text := c.Version
	if c.Field != "" {
		text = strings.TrimSpace(text + " " + code(c.Field))
	}
	if pos, _ := c.Place(); pos.File != "" {
		relative := r.relative(pos)
		text = strings.TrimSpace(fmt.Sprintf("%s (%s:%d)", text, relative.File, relative.Line))
	}
	return text
}

// code is a text in Markdown that is shown as it is.
func code(text string) string {
	fence := "`"
	for strings.Contains(text, fence) {
		fence += "`"
	}
	if len(fence) > 1 {
		return fence + " " + text + " " + fence
	}
	return fence + text + fence
}

// cell is a text for a cell of a table.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "\r", "").Replace(text)
}

// waive marks the changes that comments allow. It returns what is wrong with comments.
func (r *diffRun) waive(ctx context.Context, in *diffInput, changes []compare.Change, news []*verify.Subject) (diag.List, error) {
	sources := news
	if len(r.sources) > 0 {
		made, err := in.packages(ctx, in.dir, r.sources)
		if err != nil {
			return nil, err
		}
		sources = made
	}
	inGo, err := allowedInGo(changes, news, sources)
	if err != nil {
		return nil, err
	}
	return append(inGo, allowedInFiles(changes, news)...), nil
}
