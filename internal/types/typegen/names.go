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
	taken := takenNames{}
	for _, kind := range b.groupKinds {
		// The generator takes a struct with this name for a version of the kind.
		taken[kind] = 1
	}
	for _, k := range b.kinds {
		k.root.name = k.object.Spec.Names.Kind
		taken[k.root.name+"List"] = 1
	}
	b.variables.groupVersion = taken.free("GroupVersion")
	b.variables.schemeBuilder = taken.free("SchemeBuilder")
	b.variables.addToScheme = taken.free("AddToScheme")
	var open []*naming
	for _, t := range b.found {
		if t.kind == nil {
			open = append(open, newNaming(t))
		}
	}
	slices.SortFunc(open, func(a, c *naming) int {
		return cmp.Or(comparePaths(a.first, c.first), strings.Compare(a.doc, c.doc))
	})
	for lengthen(open, taken) {
	}
	for _, n := range open {
		n.name = taken.free(n.current())
	}
	for _, n := range open {
		for i := range n.constants {
			c := &n.constants[i]
			c.name = taken.free(constantName(n.name, c.value, i))
		}
	}
}

// takenNames are the names of declarations, each with the number that was added to it last.
type takenNames map[string]int

// free returns the name, or the name with the first number from 2 that makes it unique, and
// takes it.
func (t takenNames) free(name string) string {
	out := name
	for t[out] > 0 {
		t[name]++
		out = fmt.Sprintf("%s%d", name, t[name])
	}
	t[out] = 1
	return out
}

// A naming is a type with its possible names.
type naming struct {
	*goType
	first      *step
	candidates []string
	level      int
	// inStatus is set if the type is used only in the status.
	inStatus bool
}

func newNaming(t *goType) *naming {
	return &naming{goType: t, first: first(t.paths), candidates: candidates(t.paths), inStatus: inStatus(t.paths)}
}

func inStatus(paths []*step) bool {
	return !slices.ContainsFunc(paths, func(s *step) bool { return !s.inStatus })
}

func (n *naming) current() string { return n.candidates[n.level] }

func (n *naming) canLengthen() bool { return n.level+1 < len(n.candidates) }

// lengthen makes the names of types that share one longer, where they can be. If only one of
// them is used outside the status, it keeps the name: a Listener, and a ListenerStatus.
// lengthen reports whether it changed any.
func lengthen(open []*naming, taken takenNames) bool {
	type sharing struct{ all, needed int }
	byName := map[string]sharing{}
	for _, n := range open {
		s := byName[n.current()]
		s.all++
		if !n.inStatus || !n.canLengthen() {
			s.needed++
		}
		byName[n.current()] = s
	}
	var longer []*naming
	for _, n := range open {
		s := byName[n.current()]
		keeps := !n.inStatus && s.needed == 1
		if (s.all > 1 && !keeps || taken[n.current()] > 0) && n.canLengthen() {
			longer = append(longer, n)
		}
	}
	for _, n := range longer {
		n.level++
	}
	return len(longer) > 0
}

// candidates returns the names of a type, shortest first: the words that all paths end with,
// at first only those of the last part that says something, then more of the first path.
func candidates(paths []*step) []string {
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
	shortest := first(paths)
	path := shortest.tail()
	var suffix []string
	for i := len(path) - 1; i >= 0; i-- {
		suffix = append(wordsOf(path[i]), suffix...)
		if len(suffix) >= len(common) {
			add(common)
		}
		if i == 1 && len(path) > 2 && len(path) == shortest.depth+1 && len(paths) == 1 && isRootField(path[1]) {
			add(append(wordsOf(path[0]), pathWords(path[2:])...)) // WidgetTarget rather than SpecTarget
		}
		if len(suffix) <= len(common) || len(paths) == 1 {
			add(suffix)
		}
	}
	suffix = nil
	for i := len(path) - 1; i >= 0; i-- {
		suffix = append(wordsOf(path[i]), suffix...)
		if len(suffix) > len(common) {
			add(suffix)
		}
	}
	if len(out) == 0 {
		out = append(out, goName(pathWords(path)...)) // nothing but dull words
	}
	if inStatus(paths) && !strings.HasSuffix(out[0], "Status") {
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
