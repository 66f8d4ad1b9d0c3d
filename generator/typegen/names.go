package typegen

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// name gives each type a name: a root type its kind, others the shortest suffix of their
// paths that no other type has. The result depends only on the definitions, not on their
// order or on the kinds that are written.
func (b *builder) name() {
	taken := map[string]bool{"GroupVersion": true, "SchemeBuilder": true, "AddToScheme": true}
	var open []*naming
	for _, t := range b.found {
		if t.kind != nil {
			t.name = t.kind.object.Spec.Names.Kind
			taken[t.name], taken[t.name+"List"] = true, true
			continue
		}
		open = append(open, &naming{goType: t, candidates: candidates(t.paths)})
	}
	slices.SortFunc(open, func(a, c *naming) int {
		return cmp.Or(comparePaths(first(a.paths), first(c.paths)), strings.Compare(a.doc, c.doc))
	})
	for lengthen(open, taken) {
	}
	for _, n := range open {
		n.name = n.current()
		for i := 2; taken[n.name]; i++ {
			n.name = fmt.Sprintf("%s%d", n.current(), i)
		}
		taken[n.name] = true
	}
	for _, n := range open {
		for i := range n.constants {
			c := &n.constants[i]
			c.name = constantName(n.name, c.value, i)
			for base, k := c.name, 2; taken[c.name]; k++ {
				c.name = fmt.Sprintf("%s%d", base, k)
			}
			taken[c.name] = true
		}
	}
}

// A naming is a type with its possible names.
type naming struct {
	*goType
	candidates []string
	level      int
}

// inStatus reports whether the type is used only in the status.
func (n *naming) inStatus() bool {
	return !slices.ContainsFunc(n.paths, func(path []string) bool { return len(path) < 3 || path[1] != "status" })
}

func (n *naming) current() string { return n.candidates[n.level] }

func (n *naming) canLengthen() bool { return n.level+1 < len(n.candidates) }

// lengthen makes the names of types that share one longer, where they can be. If only one of
// them is used outside the status, it keeps the name: a Listener, and a ListenerStatus.
// lengthen reports whether it changed any.
func lengthen(open []*naming, taken map[string]bool) bool {
	byName := map[string][]*naming{}
	for _, n := range open {
		byName[n.current()] = append(byName[n.current()], n)
	}
	changed := false
	for _, n := range open {
		others := byName[n.current()]
		keeps := !n.inStatus() && !slices.ContainsFunc(others, func(o *naming) bool { return o != n && (!o.inStatus() || !o.canLengthen()) })
		if (len(others) > 1 && !keeps || taken[n.current()]) && n.canLengthen() {
			defer func() { n.level++ }() // after all names have been compared
			changed = true
		}
	}
	return changed
}

// candidates returns the names of a type, shortest first: the words that all paths end with,
// at first only those of the last part that says something, then more of the first path.
func candidates(paths [][]string) []string {
	var out []string
	add := func(words []string) {
		if len(words) == 0 || isDull(words) {
			return
		}
		if name := goName(words...); !slices.Contains(out, name) {
			out = append(out, name)
		}
	}
	common := commonWords(paths)
	path := first(paths)
	var suffix []string
	for i := len(path) - 1; i >= 0; i-- {
		suffix = append(wordsOf(path[i]), suffix...)
		if len(suffix) >= len(common) {
			add(common)
		}
		if i == 1 && len(path) > 2 && len(paths) == 1 && isRootField(path[1]) {
			add(append(wordsOf(path[0]), pathWords(path[2:])...)) // WidgetTarget rather than SpecTarget
		}
		if len(suffix) <= len(common) || len(paths) == 1 {
			add(suffix)
		}
	}
	suffix = nil
	for i := len(path) - 1; i >= 0; i-- {
		if suffix = append(wordsOf(path[i]), suffix...); len(suffix) > len(common) {
			add(suffix)
		}
	}
	if len(out) == 0 {
		out = append(out, goName(pathWords(path)...)) // nothing but dull words
	}
	if (&naming{goType: &goType{paths: paths}}).inStatus() && !strings.HasSuffix(out[0], "Status") {
		out = slices.Insert(out, 1, out[0]+"Status")
	}
	return out
}

func isRootField(name string) bool { return name == "spec" || name == "status" }

// constantName returns the name of a constant of a type.
func constantName(typ, value string, i int) string {
	words := wordsOf(strings.TrimPrefix(value, "-"))
	if strings.HasPrefix(value, "-") && len(words) > 0 {
		words = append([]string{"minus"}, words...)
	}
	switch part := camel(words...); {
	case value == "":
		return typ + "Empty"
	case part == "":
		return fmt.Sprintf("%sValue%d", typ, i+1)
	default:
		return typ + part
	}
}
