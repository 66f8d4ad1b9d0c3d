package markers

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/ground/words"
)

// Select returns the chapters with only the markers that text names: as written in source, or
// by a prefix of their name or of one of its parts.
func (r Reference) Select(text string) (Reference, error) {
	prefix, _, _ := strings.Cut(strings.TrimPrefix(text, "+"), "=")
	prefix, _, _ = strings.Cut(prefix, "(")
	var out Reference
	for _, chapter := range r {
		some := &Chapter{Title: chapter.Title}
		for _, m := range chapter.Markers {
			if strings.HasPrefix(m.Name, prefix) || strings.Contains(m.Name, ":"+prefix) {
				some.Markers = append(some.Markers, m)
			}
		}
		if len(some.Markers) > 0 {
			out = append(out, some)
		}
	}
	if len(out) == 0 {
		names := r.Names()
		for _, name := range names {
			names = append(names, name[strings.LastIndexByte(name, ':')+1:])
		}
		return nil, fmt.Errorf("no marker begins with %q: %s", prefix, words.DidYouMean(prefix, names, "schemagen explain + lists them"))
	}
	return out, nil
}

// Names returns the names of all markers.
func (r Reference) Names() []string {
	var out []string
	for _, chapter := range r {
		for _, m := range chapter.Markers {
			out = append(out, m.Name)
		}
	}
	return out
}

// WriteList writes one line for each marker.
func (r Reference) WriteList(w io.Writer) error {
	var b strings.Builder
	for i, chapter := range r {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s\n", chapter.Title)
		for _, m := range chapter.Markers {
			fmt.Fprintf(&b, "  +%-51s %s\n", m.Name, m.Summary())
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// Summary returns the first sentence of the marker's effect.
func (m *MarkerDoc) Summary() string {
	line, _, _ := strings.Cut(m.Effect, "\n")
	if first, _, ok := strings.Cut(line, ". "); ok {
		line = first
	}
	return strings.TrimSuffix(capitalize(line), ".")
}

// WriteText writes the complete reference as plain text.
func (r Reference) WriteText(w io.Writer) error {
	var b strings.Builder
	for _, chapter := range r {
		for _, m := range chapter.Markers {
			if b.Len() > 0 {
				b.WriteString("\n")
			}
			textMarker(&b, m)
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// WriteMarkdown writes the reference as Markdown.
func (r Reference) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	for _, chapter := range r {
		markdownChapter(&b, chapter)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func textMarker(b *strings.Builder, m *MarkerDoc) {
	fmt.Fprintf(b, "%s\n\n  on a %s\n", m.Syntax, strings.Join(m.Targets, ", a "))
	for _, needed := range m.Package {
		fmt.Fprintf(b, "  in packages with %s\n", needed)
	}
	fmt.Fprintf(b, "\n%s", screen.Indent(capitalize(m.Effect)+"\n", "  "))
	for i, a := range explainedArguments(m) {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "    %-18s %-12s %s\n", a.Name, a.Type, argumentHelp(a))
	}
	fmt.Fprintf(b, "\n%s", screen.Indent(m.Go, "      "))
	if m.YAML != "" {
		fmt.Fprintf(b, "\n  produces\n\n%s", screen.Indent(m.YAML, "      "))
	}
	if m.Diagnostics != "" {
		fmt.Fprintf(b, "\n  reports\n\n%s", screen.Indent(m.Diagnostics, "      "))
	}
}

// explainedArguments returns the arguments if at least one of them is described; otherwise
// the effect of the marker describes them.
func explainedArguments(m *MarkerDoc) []ArgumentDoc {
	if slices.ContainsFunc(m.Arguments, func(a ArgumentDoc) bool { return a.Effect != "" }) {
		return m.Arguments
	}
	return nil
}

// argumentHelp returns the description of an argument.
func argumentHelp(a ArgumentDoc) string {
	text := strings.Join(strings.Fields(a.Effect), " ")
	if !a.Optional {
		text = strings.TrimSpace("(required) " + text)
	}
	return text
}

func markdownChapter(b *strings.Builder, chapter *Chapter) {
	fmt.Fprintf(b, "\n## %s\n", chapter.Title)
	if chapter.Text != "" {
		fmt.Fprintf(b, "\n%s\n", chapter.Text)
	}
	for _, m := range chapter.Markers {
		fmt.Fprintf(b, "\n### `+%s`\n\n%s", m.Name, m.Markdown())
	}
}

// Markdown returns the entry as Markdown, without a title.
func (m *MarkerDoc) Markdown() string {
	var b strings.Builder
	fmt.Fprintf(&b, "`%s` on a %s", m.Syntax, strings.Join(m.Targets, ", a "))
	if len(m.Package) > 0 {
		fmt.Fprintf(&b, ", in packages with `%s`", strings.Join(m.Package, "`, `"))
	}
	fmt.Fprintf(&b, ". %s\n", strings.TrimSuffix(capitalize(m.Effect), ".")+".")
	for i, a := range explainedArguments(m) {
		if i == 0 {
			b.WriteString("\n| argument | | |\n|---|---|---|\n")
		}
		fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", a.Name, a.Type, strings.ReplaceAll(argumentHelp(a), "|", "\\|"))
	}
	fmt.Fprintf(&b, "\n```go\n%s```\n", m.Go)
	if m.YAML != "" {
		fmt.Fprintf(&b, "```yaml\n%s```\n", m.YAML)
	}
	if m.Diagnostics != "" {
		fmt.Fprintf(&b, "```text\n%s```\n", m.Diagnostics)
	}
	return b.String()
}

// Page returns the text of docs/MARKERS.md.
func (r Reference) Page() string {
	var b strings.Builder
	b.WriteString(`# Markers

This page lists every marker that affects CRDs, with an example and the relevant part of its output. [language.md](language.md) is the guide to the markers that schemagen adds.

Fields in examples are fields of a kind's spec. A test generates the output of each example. Names, arguments and meaning of ` + "`+kubebuilder:`" + ` markers are those of controller-tools.
The page is generated from the table of markers (` + "`make generate`" + `); ` + "`schemagen explain +PREFIX`" + ` prints entries.
`)
	for _, chapter := range r {
		markdownChapter(&b, chapter)
	}
	return b.String()
}

func capitalize(s string) string { return strings.ToUpper(s[:min(1, len(s))]) + s[min(1, len(s)):] }
