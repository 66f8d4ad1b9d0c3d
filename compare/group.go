package compare

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/changekind"
	"github.com/schemagen/schemagen/structural"
)

// Place is one of several places of a change.
type Place struct {
	Field            string
	OldPath, NewPath string
	OldPos, NewPos   diag.Position
	Related          []diag.Related
}

// source are the nodes of both schemas that a change is about; one is nil if a field was added or
// removed. step is the last step of the path in objects unless the nodes are objects with fields,
// which are usually of a type of their own: equal ones count as one whatever their names are.
type source struct {
	old, new *structural.Schema
	step     string
}

func (s source) areObjects() bool {
	return s.old != nil && s.new != nil && len(s.old.Properties) > 0 && len(s.new.Properties) > 0
}

// Grouped merges changes that are equal, and about fields with the same schema, documentation
// included: the fields of one type at several places. A merged change is the change at the first
// place, and lists the others. Dependency names the module whose versions differ, if positions in
// the module cache show that.
func Grouped(changes []Change) []Change {
	g := &groups{texts: map[*structural.Schema]string{}, first: map[string][]int{}}
	for _, c := range changes {
		g.add(c)
	}
	modules := versionsOf(changes)
	for i := range g.out {
		if g.out[i].Kind == changekind.DocumentationChanged {
			continue // of several fields
		}
		for _, file := range filesOf(g.out[i].NewPos, g.out[i].Related) {
			module, _ := inModule(file)
			g.out[i].Dependency = cmp.Or(g.out[i].Dependency, modules[module])
		}
	}
	return g.out
}

type groups struct {
	out []Change
	// first are the indexes in out by what has to be equal, without the schemas.
	first map[string][]int
	// texts caches the text of schemas.
	texts map[*structural.Schema]string
}

func (g *groups) add(c Change) {
	if c.source == (source{}) || c.Kind == changekind.DocumentationChanged {
		g.out = append(g.out, c)
		return
	}
	facts := []any{c.Definition, c.Version, c.Kind, c.Category, c.Old, c.New, c.Reason, c.Waived, c.source.step}
	key := fmt.Sprintf("%q", facts)
	for _, i := range g.first[key] {
		if first := g.out[i].source; g.equal(first.old, c.source.old) && g.equal(first.new, c.source.new) {
			g.out[i].Places = append(g.out[i].Places, Place{c.Field, c.OldPath, c.NewPath, c.OldPos, c.NewPos, c.Related})
			return
		}
	}
	g.first[key] = append(g.first[key], len(g.out))
	g.out = append(g.out, c)
}

func (g *groups) equal(a, b *structural.Schema) bool {
	return a == b || a != nil && b != nil && g.text(a) == g.text(b)
}

func (g *groups) text(s *structural.Schema) string {
	if text, ok := g.texts[s]; ok {
		return text
	}
	data, err := json.Marshal(s.Props())
	if err != nil {
		data = fmt.Appendf(nil, "%p", s)
	}
	g.texts[s] = string(data)
	return string(data)
}

// mostPlaces is how many other places the text of a change names.
const mostPlaces = 3

// Elsewhere returns the other places of a change and the dependency that caused it as text, or "".
func (c *Change) Elsewhere() string {
	text := ""
	if n := len(c.Places); n > 0 {
		var fields []string
		for _, p := range c.Places[:min(n, mostPlaces)] {
			fields = append(fields, p.Field)
		}
		text = "; also at " + strings.Join(fields, ", ")
		if n > mostPlaces {
			text += fmt.Sprintf(" and %d more places", n-mostPlaces)
		}
	}
	if c.Dependency != "" {
		text += "; because of " + c.Dependency
	}
	return text
}

// versionsOf returns, for each module in the module cache of which the changes have positions in
// one version before and another one after, a text that names them.
func versionsOf(changes []Change) map[string]string {
	olds := map[string][]string{}
	news := map[string][]string{}
	note := func(versions map[string][]string, pos diag.Position, related []diag.Related) {
		for _, file := range filesOf(pos, related) {
			module, version := inModule(file)
			if module != "" && !slices.Contains(versions[module], version) {
				versions[module] = append(versions[module], version)
			}
		}
	}
	for _, c := range changes {
		note(olds, c.OldPos, c.oldRelated)
		note(news, c.NewPos, c.Related)
	}
	out := map[string]string{}
	for module, versions := range news {
		if old := olds[module]; len(old) == 1 && len(versions) == 1 && old[0] != versions[0] {
			out[module] = fmt.Sprintf("%s %s → %s", module, old[0], versions[0])
		}
	}
	return out
}

func filesOf(pos diag.Position, related []diag.Related) []string {
	files := []string{pos.File}
	for _, r := range related {
		files = append(files, r.Pos.File)
	}
	return files
}

// inModule returns the module and the version of a file in the module cache, or "". The cache is
// the directory pkg/mod or, if another one is configured, ends before the first element with a
// dot, which begins the path of nearly every module.
func inModule(file string) (module, version string) {
	path, rest, ok := strings.Cut(strings.ReplaceAll(file, `\`, "/"), "@v")
	if !ok {
		return "", ""
	}
	number, _, _ := strings.Cut(rest, "/")
	if _, child, ok := strings.Cut(path, "/pkg/mod/"); ok {
		return unescaped(child), "v" + unescaped(number)
	}
	elements := strings.Split(path, "/")
	i := slices.IndexFunc(elements, func(e string) bool { return strings.Contains(strings.TrimLeft(e, "."), ".") })
	if i < 0 {
		return "", ""
	}
	return unescaped(strings.Join(elements[i:], "/")), "v" + unescaped(number)
}

// unescaped returns a name in the module cache, which has ! before each letter that is a capital.
func unescaped(name string) string {
	parts := strings.Split(name, "!")
	for i := 1; i < len(parts); i++ {
		if parts[i] != "" {
			parts[i] = strings.ToUpper(parts[i][:1]) + parts[i][1:]
		}
	}
	return strings.Join(parts, "")
}
