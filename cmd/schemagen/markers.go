package main

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/markers"
)

func markersFormats() []string { return []string{"text", "json", "markdown"} }

func newMarkersCommand(stdout io.Writer) *cobra.Command {
	var format string
	cmd := &cobra.Command{
		Use:   "markers [prefix]",
		Short: "Say what the markers are, with an example of each and what comes of it.",
		Long: `Say what the markers are, with an example of each and what comes of it.

Without a prefix it lists all markers. With one it shows those whose name, or what
stands behind a colon in it, begins with the prefix.`,
		Example: `  schemagen markers
  schemagen markers MaxLength
  schemagen markers +schemagen:at
  schemagen markers --format json`,
		Args: cobra.MaximumNArgs(1),
		ValidArgsFunction: func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
			chapters, _ := reference()
			return markerNames(chapters), cobra.ShellCompDirectiveNoFileComp
		},
		RunE: func(_ *cobra.Command, args []string) error {
			if !slices.Contains(markersFormats(), format) {
				return fmt.Errorf("unknown format %q: use one of %s", format, strings.Join(markersFormats(), ", "))
			}
			chapters, err := reference()
			if err != nil {
				return err
			}
			if len(args) == 0 && format == "text" {
				return writeMarkerList(stdout, chapters)
			}
			if len(args) > 0 {
				if chapters, err = selectMarkers(chapters, args[0]); err != nil {
					return err
				}
			}
			return writeMarkers(stdout, format, chapters)
		},
	}
	cmd.Flags().StringVar(&format, "format", "text", "format: "+strings.Join(markersFormats(), ", "))
	return cmd
}

// reference is the reference of markers.
func reference() ([]*markers.Chapter, error) {
	table, err := markers.NewTable()
	if err != nil {
		return nil, err
	}
	return table.Reference()
}

// selectMarkers returns the chapters with only the markers that a text names: as
// they stand in source, or by the beginning of a part of their name.
func selectMarkers(chapters []*markers.Chapter, text string) ([]*markers.Chapter, error) {
	prefix, _, _ := strings.Cut(strings.TrimPrefix(text, "+"), "=")
	prefix, _, _ = strings.Cut(prefix, "(")
	var out []*markers.Chapter
	for _, chapter := range chapters {
		some := &markers.Chapter{Title: chapter.Title}
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
		hint := "schemagen markers lists them"
		names := markerNames(chapters)
		for _, name := range names {
			names = append(names, name[strings.LastIndexByte(name, ':')+1:])
		}
		if near, ok := markers.Nearest(prefix, names); ok {
			hint = "did you mean " + near + "?"
		}
		return nil, fmt.Errorf("no marker begins with %q: %s", prefix, hint)
	}
	return out, nil
}

func markerNames(chapters []*markers.Chapter) []string {
	var out []string
	for _, chapter := range chapters {
		for _, m := range chapter.Markers {
			out = append(out, m.Name)
		}
	}
	return out
}

// writeMarkerList writes a line for each marker.
func writeMarkerList(w io.Writer, chapters []*markers.Chapter) error {
	var b strings.Builder
	for i, chapter := range chapters {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(&b, "%s\n", chapter.Title)
		for _, m := range chapter.Markers {
			fmt.Fprintf(&b, "  +%-51s %s\n", m.Name, summary(m))
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// summary is the first sentence of what a marker does.
func summary(m *markers.Described) string {
	line, _, _ := strings.Cut(m.Effect, "\n")
	if first, _, ok := strings.Cut(line, ". "); ok {
		line = first
	}
	return strings.TrimSuffix(capital(line), ".")
}

// writeMarkers writes all that is known of markers.
func writeMarkers(w io.Writer, format string, chapters []*markers.Chapter) error {
	var b strings.Builder
	switch format {
	case "json":
		encoder := json.NewEncoder(w)
		encoder.SetEscapeHTML(false)
		encoder.SetIndent("", "  ")
		return encoder.Encode(chapters)
	case "markdown":
		for _, chapter := range chapters {
			markdownChapter(&b, chapter)
		}
	default:
		for _, chapter := range chapters {
			for _, m := range chapter.Markers {
				if b.Len() > 0 {
					b.WriteString("\n")
				}
				textMarker(&b, m)
			}
		}
	}
	_, err := io.WriteString(w, b.String())
	return err
}

func textMarker(b *strings.Builder, m *markers.Described) {
	fmt.Fprintf(b, "%s\n\n  on a %s\n", m.Syntax, strings.Join(m.Targets, ", a "))
	for _, needed := range m.Package {
		fmt.Fprintf(b, "  in packages with %s\n", needed)
	}
	fmt.Fprintf(b, "\n%s", indented(capital(m.Effect)+"\n", "  "))
	for i, a := range explainedArguments(m) {
		if i == 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "    %-18s %-12s %s\n", a.Name, a.Type, argumentText(a))
	}
	fmt.Fprintf(b, "\n%s", indented(m.Go, "      "))
	if m.YAML != "" {
		fmt.Fprintf(b, "\n  gives\n\n%s", indented(m.YAML, "      "))
	}
	if m.Diagnostics != "" {
		fmt.Fprintf(b, "\n  says\n\n%s", indented(m.Diagnostics, "      "))
	}
}

// explainedArguments are the arguments of which there is more to say than their
// names; where there is nothing to say of any, the effect says it.
func explainedArguments(m *markers.Described) []markers.DescribedArgument {
	if slices.ContainsFunc(m.Arguments, func(a markers.DescribedArgument) bool { return a.Effect != "" }) {
		return m.Arguments
	}
	return nil
}

// argumentText says what an argument is for.
func argumentText(a markers.DescribedArgument) string {
	text := strings.Join(strings.Fields(a.Effect), " ")
	if !a.Optional {
		text = strings.TrimSpace("(required) " + text)
	}
	return text
}

// indented puts something in front of every line that is not empty.
func indented(text, indent string) string {
	var b strings.Builder
	for line := range strings.Lines(text) {
		if line != "\n" {
			b.WriteString(indent)
		}
		b.WriteString(line)
	}
	return b.String()
}

func markdownChapter(b *strings.Builder, chapter *markers.Chapter) {
	fmt.Fprintf(b, "\n## %s\n", chapter.Title)
	if chapter.Text != "" {
		fmt.Fprintf(b, "\n%s\n", chapter.Text)
	}
	for _, m := range chapter.Markers {
		fmt.Fprintf(b, "\n### `+%s`\n\n`%s` on a %s", m.Name, m.Syntax, strings.Join(m.Targets, ", a "))
		if len(m.Package) > 0 {
			fmt.Fprintf(b, ", in packages with `%s`", strings.Join(m.Package, "`, `"))
		}
		fmt.Fprintf(b, ". %s\n", strings.TrimSuffix(capital(m.Effect), ".")+".")
		for i, a := range explainedArguments(m) {
			if i == 0 {
				b.WriteString("\n| argument | | |\n|---|---|---|\n")
			}
			fmt.Fprintf(b, "| `%s` | `%s` | %s |\n", a.Name, a.Type, strings.ReplaceAll(argumentText(a), "|", "\\|"))
		}
		fmt.Fprintf(b, "\n```go\n%s```\n", m.Go)
		if m.YAML != "" {
			fmt.Fprintf(b, "```yaml\n%s```\n", m.YAML)
		}
		if m.Diagnostics != "" {
			fmt.Fprintf(b, "```text\n%s```\n", m.Diagnostics)
		}
	}
}

// markersPage is docs/MARKERS.md.
func markersPage() (string, error) {
	chapters, err := reference()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(`# Markers

Generated from the table of markers (` + "`make generate`" + `); [language.md](language.md) is the guide to those that schemagen adds. ` + "`schemagen markers PREFIX`" + ` prints entries.

Every marker that means something for a CRD is here, with an example. A test generates each example; what stands below it is cut out of the real output.
Names, arguments and meaning of the ` + "`+kubebuilder:`" + ` markers are controller-tools' own. Examples of fields are fields of a kind's spec.
`)
	for _, chapter := range chapters {
		markdownChapter(&b, chapter)
	}
	return b.String(), nil
}
