package gatesrun

import (
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/gates/gatedsource"
	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/ground/markdown"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/ground/screen"
)

// Report is what gates hold.
type Report struct {
	Gates []Gate `json:"gates"`
	// Disagreements are alternatives that contradict each other for sets of gates that no
	// channel has.
	Disagreements []Disagreement `json:"disagreements"`
}

// Gate is a gate with what depends on it.
type Gate struct {
	Name  string `json:"name"`
	Stage string `json:"stage,omitempty"`
	Since string `json:"since,omitempty"`
	// Channels are those in which it is on.
	Channels []string `json:"channels"`
	Uses     []Use    `json:"uses"`
}

// Use is a part of the source that depends on gates.
type Use struct {
	Kind gatedsource.Kind `json:"kind"`
	// Declaration is the one that the part is, or is at, and Text the marker or the first line
	// of the paragraph.
	Declaration string `json:"declaration"`
	Text        string `json:"text,omitempty"`
	Condition   string `json:"condition"`
	File        string `json:"file"`
	Line        int    `json:"line"`
	Paths       []Path `json:"paths"`
}

// Disagreement is two markers of a declaration that set the same differently, and the fewest
// gates for which both hold.
type Disagreement struct {
	Gates []string `json:"gates"`
	First Use      `json:"first"`
	Other Use      `json:"other"`
}

// Formats returns the formats of reports.
func Formats() []string { return []string{"text", "json", "markdown"} }

// Report returns what a gate holds or, without a name, what all gates do.
func (r *Request) Report(ctx context.Context, gate string) (*Report, diag.List, error) {
	_, files, findings, err := r.gated(ctx)
	if err != nil || findings.HasErrors() {
		return nil, findings, err
	}
	if gate != "" {
		findings = r.checkGate(gate, files)
		if findings != nil {
			return nil, findings, nil
		}
	}
	x, findings, err := r.indexed(ctx, files)
	if err != nil || findings.HasErrors() {
		return nil, findings, err
	}
	out := &Report{Gates: []Gate{}, Disagreements: []Disagreement{}}
	for _, name := range r.names(files) {
		if gate != "" && name != gate {
			continue
		}
		g := Gate{Name: name, Channels: []string{}, Uses: []Use{}}
		for _, declared := range r.Project.Gates() {
			if declared.Name == name {
				g.Stage = declared.Stage
				g.Since = declared.Since
			}
		}
		for _, c := range r.Project.Channels(r.Dir) {
			if c.Gates.On(name) {
				g.Channels = append(g.Channels, c.Name)
			}
		}
		for _, f := range files {
			for _, u := range f.Uses {
				if ctx.Err() != nil {
					return nil, nil, ctx.Err()
				}
				if slices.Contains(u.Condition.Names(), name) {
					g.Uses = append(g.Uses, r.use(x, u, f))
				}
			}
		}
		out.Gates = append(out.Gates, g)
	}
	for _, f := range files {
		out.Disagreements = append(out.Disagreements, r.disagreements(x, f, gate)...)
	}
	return out, findings, nil
}

func (r *Request) use(x *index, u gatedsource.Use, file *gatedsource.File) Use {
	paths := x.of(u, file)
	if paths == nil {
		paths = []Path{}
	}
	return Use{u.Kind, u.Name, u.Text, u.Condition.String(), r.shown(u.Pos.Filename), u.Pos.Line, paths}
}

// shown returns the name of a file for people.
func (r *Request) shown(file string) string {
	return filepath.ToSlash(screen.Relative(r.Dir, file, screen.Nearby))
}

// disagreements returns the markers of a file that disagree if a gate is on, or any gates are.
func (r *Request) disagreements(x *index, f *gatedsource.File, gate string) (out []Disagreement) {
	for i, a := range f.Uses {
		for _, b := range f.Uses[i+1:] {
			if a.At != b.At || a.Name != b.Name || a.Text == b.Text ||
				!slices.ContainsFunc(a.Slots, func(slot string) bool { return slices.Contains(b.Slots, slot) }) {
				continue
			}
			if r.agree(a, b) {
				continue
			}
			both := gates.And(a.Condition, b.Condition)
			enabled, ok := both.Smallest()
			if !ok || gate != "" && !slices.Contains(both.Names(), gate) {
				continue
			}
			channels := r.Project.Channels(r.Dir)
			for _, c := range channels {
				ok = ok && !both.Holds(c.Gates) // that is an error of the channel
			}
			if ok {
				out = append(out, Disagreement{enabled, r.use(x, a, f), r.use(x, b, f)})
			}
		}
	}
	return out
}

// agree reports whether two of OpenShift's markers never contradict each other: one replaces the
// other, or the later gate wins.
func (r *Request) agree(a, b gatedsource.Use) bool {
	if a.Required == 0 || b.Required == 0 {
		return false
	}
	if a.Required > b.Required {
		a, b = b, a
	}
	return r.MergeOverlay || a.Required < b.Required && b.Condition.Implies(a.Condition)
}

// Write writes the report in one of the [Formats].
func (r *Report) Write(w io.Writer, format string) error {
	var b strings.Builder
	switch format {
	case "json":
		text, err := plainjson.Indented(r, "", "  ")
		if err != nil {
			return err
		}
		b.Write(append(text, '\n'))
	case "markdown":
		r.markdown(&b)
	default:
		r.text(&b)
	}
	_, err := io.WriteString(w, b.String())
	return err
}

// title returns the gate with what is known about it.
func (g *Gate) title() string {
	var about []string
	for _, text := range []string{g.Stage, g.Since} {
		if text != "" {
			about = append(about, text)
		}
	}
	out := g.Name
	if len(about) > 0 {
		out += " (" + strings.Join(about, ", since ") + ")"
		if g.Stage == "" {
			out = g.Name + " (since " + g.Since + ")"
		}
	}
	if len(g.Channels) > 0 {
		return out + ": in " + strings.Join(g.Channels, ", ")
	}
	return out + ": in no channel"
}

func (r *Report) text(b *strings.Builder) {
	if len(r.Gates) == 0 {
		b.WriteString("there are no gates\n")
	}
	for _, g := range r.Gates {
		fmt.Fprintf(b, "%s\n", screen.Line(g.title()))
		for _, u := range g.Uses {
			fmt.Fprintf(b, "  %s:%d: %s %s\n", screen.Line(u.File), u.Line, u.Kind, screen.Line(u.what(g.Name)))
			for _, p := range u.Paths {
				fmt.Fprintf(b, "    %s\n", screen.Line(p.String()))
			}
		}
		if len(g.Uses) == 0 {
			b.WriteString("  nothing depends on it\n")
		}
	}
	for _, d := range r.Disagreements {
		fmt.Fprintf(b, "with %s: %s:%d and %s:%d disagree\n  %s\n  %s\n", screen.Line(strings.Join(d.Gates, ", ")),
			screen.Line(d.First.File), d.First.Line, screen.Line(d.Other.File), d.Other.Line, screen.Line(d.First.what("")), screen.Line(d.Other.what("")))
	}
}

// what returns the declaration and the text of a use, and its condition unless that is a gate.
func (u *Use) what(gate string) string {
	out := u.Declaration
	if first, _, more := strings.Cut(u.Text, "\n"); u.Text != "" {
		out += " " + first
		if more {
			out += "…"
		}
	}
	if u.Condition != gate {
		out += " if " + u.Condition
	}
	return out
}

// String returns the definition, version and field.
func (p Path) String() string { return p.Definition + " " + p.Version + " " + p.Field }

func (r *Report) markdown(b *strings.Builder) {
	for i, g := range r.Gates {
		if i > 0 {
			b.WriteString("\n")
		}
		fmt.Fprintf(b, "### %s\n", markdown.Text(g.title()))
		if len(g.Uses) > 0 {
			b.WriteString("\n| | what | where | paths |\n|---|---|---|---|\n")
		}
		for _, u := range g.Uses {
			var paths []string
			for _, p := range u.Paths {
				paths = append(paths, markdown.Code(p.String()))
			}
			fmt.Fprintf(b, "| %s | %s | %s | %s |\n", u.Kind, cell(markdown.Code(u.what(g.Name))), cell(markdown.Text(fmt.Sprintf("%s:%d", u.File, u.Line))), cell(strings.Join(paths, "<br>")))
		}
	}
	if len(r.Disagreements) > 0 {
		b.WriteString("\n### Alternatives that disagree\n\n| gates | first | other |\n|---|---|---|\n")
	}
	for _, d := range r.Disagreements {
		location := func(u Use) string {
			return cell(markdown.Code(u.what("")) + " " + markdown.Text(fmt.Sprintf("%s:%d", u.File, u.Line)))
		}
		fmt.Fprintf(b, "| %s | %s | %s |\n", cell(markdown.Text(strings.Join(d.Gates, ", "))), location(d.First), location(d.Other))
	}
}

// cell escapes text for a table cell.
func cell(text string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ", "\r", "").Replace(text)
}
