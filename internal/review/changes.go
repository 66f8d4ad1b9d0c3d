package review

import (
	"bytes"
	"fmt"
	"io"
	"slices"

	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/ground/screen"
)

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

// column is a value of a change. JSON has it under its key, and pages in a cell.
type column struct {
	// key is empty for a column that JSON does not have.
	key string
	// cell is the title of the cell, or empty if pages do not show the column.
	cell string
	// style is how pages show the value: as effect, code, field, old, new, or place.
	style string
	// value returns what JSON encodes. Nil and the empty string are left out.
	value func(*Report, *compare.Change) any
}

// columns returns the table of changes, in the order of JSON. The cells of a page are those of
// [cells].
func columns() []column {
	return []column{
		{"kind", "change", "code", func(_ *Report, c *compare.Change) any { return string(c.Kind) }},
		{"category", "", "", func(_ *Report, c *compare.Change) any { return c.Category.String() }},
		{"", "effect", "effect", func(_ *Report, c *compare.Change) any { return effect(c) }},
		{"code", "", "", func(_ *Report, c *compare.Change) any { return c.Diagnostic(false).Code }},
		{"definition", "", "", func(_ *Report, c *compare.Change) any { return c.Definition }},
		{"version", "where", "", func(_ *Report, c *compare.Change) any { return c.Version }}, // several are joined with commas
		{"field", "where", "field", func(_ *Report, c *compare.Change) any { return c.Field }},
		{"oldPath", "", "", func(_ *Report, c *compare.Change) any { return c.OldPath }},
		{"newPath", "", "", func(_ *Report, c *compare.Change) any { return c.NewPath }},
		{"old", "change", "old", func(_ *Report, c *compare.Change) any { return c.Old }},
		{"new", "change", "new", func(_ *Report, c *compare.Change) any { return c.New }},
		{"reason", "", "", func(_ *Report, c *compare.Change) any { return c.Reason }},
		{"", "why", "", func(_ *Report, c *compare.Change) any { return c.Reason + c.Elsewhere() }},
		{"allowed", "", "", func(_ *Report, c *compare.Change) any { return c.Waived }},
		{"", "why", "", func(_ *Report, c *compare.Change) any { return waiver(c) }},
		{"fails", "", "", func(r *Report, c *compare.Change) any { return r.counts(c) }},
		{"oldPlace", "", "", func(r *Report, c *compare.Change) any { return r.position(c.OldPos) }},
		{"newPlace", "", "", func(r *Report, c *compare.Change) any { return r.position(c.NewPos) }},
		{"", "where", "place", func(r *Report, c *compare.Change) any { return r.place(c) }},
		{"places", "", "", func(r *Report, c *compare.Change) any { return r.places(c) }},
		{"dependency", "", "", func(_ *Report, c *compare.Change) any { return c.Dependency }},
	}
}

// effect returns the category of a change, or allowed.
func effect(c *compare.Change) string {
	if c.Waived != "" {
		return "allowed"
	}
	return c.Category.String()
}

// waiver returns why a change is allowed, and what it would be otherwise.
func waiver(c *compare.Change) string {
	if c.Waived == "" {
		return ""
	}
	return fmt.Sprintf("(%s; allowed: %s)", c.Category, c.Waived)
}

// place returns the file and line of a change, or the empty string.
func (r *Report) place(c *compare.Change) string {
	pos, _ := c.Position()
	return lineOf(r.relative(pos))
}

// places returns the other places of an equal change of an equal definition, or nil.
func (r *Report) places(c *compare.Change) any {
	var out []any
	for _, p := range c.Places {
		out = append(out, struct {
			Field    string `json:"field"`
			OldPath  string `json:"oldPath,omitempty"`
			NewPath  string `json:"newPath,omitempty"`
			OldPlace any    `json:"oldPlace,omitempty"`
			NewPlace any    `json:"newPlace,omitempty"`
		}{p.Field, p.OldPath, p.NewPath, r.position(p.OldPos), r.position(p.NewPos)})
	}
	if out == nil {
		return nil
	}
	return out
}

// position returns a position relative to r.Dir for JSON, or nil if it has no file.
func (r *Report) position(pos diag.Position) any {
	if pos.File == "" {
		return nil
	}
	pos = r.relative(pos)
	return struct {
		File   string `json:"file"`
		Line   int    `json:"line,omitempty"`
		Column int    `json:"column,omitempty"`
	}{pos.File, pos.Line, pos.Column}
}

func (r *Report) relative(pos diag.Position) diag.Position {
	return (diag.List{{Pos: pos}}).RelativeTo(r.Dir)[0].Pos
}

// counts reports whether a change fails: it is not waived and has at least MinCategory.
func (r *Report) counts(c *compare.Change) bool { return c.Waived == "" && c.Category >= r.MinCategory }

// Fails reports whether a change counts or a finding is an error.
func (r *Report) Fails() bool {
	return r.Findings.HasErrors() || slices.ContainsFunc(r.Changes, func(c compare.Change) bool { return r.counts(&c) })
}

// Write writes the report in one of diag's formats. kinds describes the diagnostics, for formats
// that include descriptions.
func (r *Report) Write(w io.Writer, format string, kinds []*diag.Kind) error {
	if format == "json" {
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

// row is a change as JSON.
type row struct {
	*Report
	*compare.Change
}

// MarshalJSON writes the columns in their order.
func (r row) MarshalJSON() ([]byte, error) {
	var out bytes.Buffer
	separator := "{"
	for _, c := range columns() {
		value := c.value(r.Report, r.Change)
		if c.key == "" || value == nil || value == "" {
			continue
		}
		text, err := plainjson.Marshal(value)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&out, "%s%q:%s", separator, c.key, text)
		separator = ","
	}
	out.WriteString("}")
	return out.Bytes(), nil
}

// json writes the report as JSON.
func (r *Report) json(w io.Writer) error {
	type comment struct {
		Severity string    `json:"severity"`
		Code     diag.Code `json:"code"`
		Message  string    `json:"message"`
		Hint     string    `json:"hint,omitempty"`
		Place    any       `json:"place,omitempty"`
	}
	out := struct {
		Changes  []row     `json:"changes"`
		Comments []comment `json:"comments,omitempty"`
	}{Changes: []row{}}
	for i := range r.Changes {
		out.Changes = append(out.Changes, row{r, &r.Changes[i]})
	}
	for _, d := range r.Findings {
		out.Comments = append(out.Comments, comment{d.Severity.String(), d.Code, d.Message, d.Hint, r.position(d.Pos)})
	}
	return screen.WriteJSON(w, out)
}

// span is a value in a cell of a page.
type span struct{ Style, Text string }

// cell is what a page shows of a change under a title.
type cell struct {
	Title string
	Spans []span
}

// cells returns what pages show of a change.
func (r *Report) cells(c *compare.Change) []cell {
	out := []cell{{Title: "effect"}, {Title: "change"}, {Title: "where"}, {Title: "why"}}
	for _, column := range columns() {
		i := slices.IndexFunc(out, func(cell cell) bool { return cell.Title == column.cell })
		if i < 0 {
			continue
		}
		if value := column.value(r, c); value != nil && value != "" {
			if last := len(out[i].Spans) - 1; column.style == "new" && last >= 0 && out[i].Spans[last].Style == "old" {
				out[i].Spans = append(out[i].Spans, span{"", "→"})
			}
			out[i].Spans = append(out[i].Spans, span{column.style, fmt.Sprint(value)})
		}
	}
	return out
}
