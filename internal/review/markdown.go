package review

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/internal/ground/markdown"
	"github.com/schemagen/schemagen/internal/ground/screen"
)

// maxMarkdown is a little less than what a comment on a pull request may have. Samples are left
// out of longer texts.
const maxMarkdown = 65000

// markdown returns the review as a comment on a pull request.
func (r *Review) markdown() []byte {
	text := r.text(&markdownWriter{report: r.Report, samples: true})
	if len(text) > maxMarkdown {
		text = r.text(&markdownWriter{report: r.Report})
	}
	return []byte(text)
}

// text returns the review as Markdown.
func (r *Review) text(w *markdownWriter) string {
	w.put("## API review: %s → %s\n\n", markdown.Code(r.Old), markdown.Code(r.New))
	w.put("**%d** break stored objects, **%d** break clients, %d are safe", r.BreaksStored, r.BreaksClients, r.Safe)
	if r.Allowed > 0 {
		w.put(", %d were allowed", r.Allowed)
	}
	w.put("; **%d** questions, %d conventions broken.\n", r.Questions, r.Broken)
	for i := range r.Definitions {
		w.definition(&r.Definitions[i])
	}
	if len(r.Conventions) > 0 {
		w.put("\n### Conventions that the change breaks\n")
	}
	for _, c := range r.Conventions {
		w.put("\n<details><summary>%s %s (%d)</summary>\n\n", c.Code, markdown.Text(c.Title), len(c.Findings))
		for _, f := range c.Findings {
			w.put("- %s %s\n", markdown.Text(f.Message), markdown.Code(f.Place))
		}
		w.put("\n</details>\n")
	}
	return w.String()
}

type markdownWriter struct {
	strings.Builder
	report *Report
	// samples is set to write samples.
	samples bool
}

func (w *markdownWriter) put(format string, args ...any) { fmt.Fprintf(w, format, args...) }

func (w *markdownWriter) definition(d *Definition) {
	w.put("\n### %s (%s, %s)\n", markdown.Text(d.Kind), markdown.Text(d.Group), d.State)
	w.changes(d.Changes)
	if len(d.Questions) > 0 {
		w.put("\n")
	}
	for _, q := range d.Questions {
		w.put("- [ ] **%s** %s", q.Ask, q.Why)
		for i, about := range first(q.About) {
			w.put("%s %s", map[bool]string{true: "<br>", false: ","}[i == 0], markdown.Code(about))
		}
		if n := rest(q.About); n > 0 {
			w.put(" and %d more", n)
		}
		w.put("\n")
	}
	for _, u := range d.Unions {
		w.put("\nNew union in %s", markdown.Code(u.Version+" "+u.Field))
		if u.Discriminator != "" {
			w.put(", selected by %s", markdown.Code(u.Discriminator))
		}
		for i, m := range u.Members {
			w.put("%s %s", map[bool]string{true: ":", false: ","}[i == 0], markdown.Code(m))
		}
		w.put("\n")
	}
	for _, c := range d.Costs {
		w.put("\nCost of CEL rules in %s: %s → %s of the limit for a schema\n", markdown.Text(c.Version), percent(c.Before), percent(c.After))
		for i, rule := range first(c.Rules) {
			if i == 0 {
				w.put("\n")
			}
			w.put("- %s %s → %s of the limit for a rule: %s\n", markdown.Code(rule.Field), share(rule.Before), share(rule.After), markdown.Code(rule.Rule))
		}
		if n := rest(c.Rules); n > 0 {
			w.put("- and %d more\n", n)
		}
	}
	if d.Size.After > 0 {
		w.put("\nSize: %s → %s as JSON, %s of a request to etcd (1.5 MiB), %s of an annotation (256 KiB)\n",
			bytesText(d.Size.Before), bytesText(d.Size.After), percent(d.Size.OfRequest), percent(d.Size.OfAnnotation))
	}
	if w.samples {
		for _, s := range d.Samples {
			w.sample(s)
		}
	}
}

// changes writes the table of changes.
func (w *markdownWriter) changes(changes []compare.Change) {
	for i := range changes {
		cells := w.report.cells(&changes[i])
		if i == 0 {
			w.put("\n|")
			for _, cell := range cells {
				w.put(" %s |", cell.Title)
			}
			w.put("\n%s|\n", strings.Repeat("|---", len(cells)))
		}
		w.put("|")
		for _, cell := range cells {
			w.put(" %s |", cell.markdown())
		}
		w.put("\n")
	}
}

// markdown returns a cell of a table.
func (c cell) markdown() string {
	var words []string
	for _, s := range c.Spans {
		text := markdown.Text(s.Text)
		switch {
		case s.Style == "effect" && strings.HasPrefix(text, "breaks"):
			text = "**" + text + "**"
		case s.Style == "place":
			text = "(" + text + ")"
		case slices.Contains([]string{"code", "field", "old", "new"}, s.Style):
			text = markdown.Code(s.Text)
		}
		words = append(words, text)
	}
	return strings.NewReplacer("|", `\|`, "\n", " ", "\r", "").Replace(strings.Join(words, " "))
}

// sample writes both samples as a difference.
func (w *markdownWriter) sample(s Sample) {
	var b strings.Builder
	for _, l := range s.Lines() {
		mark := l.Mark
		if mark == "" || mark == "~" {
			mark = " "
		}
		b.WriteString(mark + " " + screen.Line(l.Text) + "\n")
	}
	fence := "```"
	for strings.Contains(b.String(), fence) {
		fence += "`"
	}
	w.put("\n<details><summary>Sample in %s</summary>\n\n%sdiff\n%s%s\n\n</details>\n", markdown.Text(s.Version), fence, b.String(), fence)
}
