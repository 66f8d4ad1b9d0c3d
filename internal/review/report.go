package review

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/markdown"
)

const formatMarkdown = "markdown"

// ReportFormats returns the formats of reports.
func ReportFormats() []string { return append(diag.Formats(), formatMarkdown) }

// Report is a list of changes to print, without what a [Review] adds to them.
type Report struct {
	Changes []compare.Change
	// Findings are about the comments that allow changes.
	Findings diag.List
	// MinCategory is the lowest category that fails.
	MinCategory compare.Category
	// Dir is the directory that file names are relative to.
	Dir string
	// ReadFile reads a file for columns in SARIF, which count UTF-16 code units. If it is nil,
	// they count bytes.
	ReadFile func(name string) ([]byte, error)
}

// counts reports whether a change fails: it is not waived and has at least MinCategory.
func (r *Report) counts(c *compare.Change) bool { return c.Waived == "" && c.Category >= r.MinCategory }

// Fails reports whether a change counts or a finding is an error.
func (r *Report) Fails() bool {
	return r.Findings.HasErrors() || slices.ContainsFunc(r.Changes, func(c compare.Change) bool { return r.counts(&c) })
}

// Write writes the report in one of the [ReportFormats]. kinds describes the diagnostics, for
// formats that include descriptions.
func (r *Report) Write(w io.Writer, format string, kinds []*diag.Kind) error {
	switch format {
	case formatMarkdown:
		return r.markdown(w)
	case "json":
		return r.json(w)
	}
	list := r.List()
	if format == "sarif" && r.ReadFile != nil {
		list = list.UTF16(r.ReadFile)
	}
	return list.Write(w, format, kinds)
}

// List returns the changes as diagnostics, in their order: most harmful first.
func (r *Report) List() diag.List {
	var list diag.List
	for i := range r.Changes {
		list = append(list, r.Changes[i].Diagnostic(r.counts(&r.Changes[i])))
	}
	return append(list.RelativeTo(r.Dir), r.Findings...)
}

// markdown writes a table per definition, suitable for a comment on a pull request.
func (r *Report) markdown(w io.Writer) error {
	var b strings.Builder
	counts := map[compare.Category]int{}
	waived := 0
	for _, c := range r.Changes {
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
	for i := range r.Changes {
		c := &r.Changes[i]
		if i == 0 || r.Changes[i-1].Definition != c.Definition {
			fmt.Fprintf(&b, "\n### %s\n\n| | change | where | why |\n|---|---|---|---|\n", markdown.Text(c.Definition))
		}
		word := map[compare.Category]string{compare.BreaksStored: "**breaks stored objects**", compare.BreaksClients: "**breaks clients**", compare.Safe: "safe"}[c.Category]
		reason := c.Reason + c.Elsewhere()
		if c.Waived != "" {
			word = "allowed"
			reason += fmt.Sprintf(" (%s; allowed: %s)", c.Category, c.Waived)
		}
		fmt.Fprintf(&b, "| %s | `%s`%s | %s | %s |\n", word, c.Kind, markdownCell(valuesText(c.Old, c.New)), markdownCell(r.where(c)), markdownCell(markdown.Text(reason)))
	}
	for _, d := range r.Findings {
		fmt.Fprintf(&b, "\n%s: %s: %s\n", markdown.Text(d.Pos.String()), d.Severity, markdown.Text(d.Message))
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// valuesText returns the old and new values of a change for a table cell.
func valuesText(old, new string) string {
	switch {
	case old != "" && new != "":
		return fmt.Sprintf(" %s → %s", markdown.Code(old), markdown.Code(new))
	case old != "" || new != "":
		return " " + markdown.Code(old+new)
	}
	return ""
}

// where returns the version, field and position of a change.
func (r *Report) where(c *compare.Change) string {
	text := markdown.Text(c.Version)
	if c.Field != "" {
		text = strings.TrimSpace(text + " " + markdown.Code(c.Field))
	}
	if pos, _ := c.Position(); pos.File != "" {
		relative := r.relative(pos)
		text = strings.TrimSpace(fmt.Sprintf("%s (%s:%d)", text, markdown.Text(relative.File), relative.Line))
	}
	return text
}

// markdownCell escapes Markdown for a cell of a table.
func markdownCell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "\r", "").Replace(text)
}
