package structural

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// ObjectPath is the path of a value in an object, whereas a [Path] leads to a
// node in a schema. nil is the object itself.
//
// A path is a linked list towards the object, so that the paths of a deep object
// share their common prefixes.
type ObjectPath struct {
	parent *ObjectPath
	step   Step
}

// Step is one step into an object or a list.
type Step struct {
	// Field is the key of the value in a map. It is empty if Index is not negative.
	Field string
	// Index is the zero-based index in a list. It is negative in a map.
	Index int
}

func fieldStep(name string) Step { return Step{Field: name, Index: -1} }

func elementStep(i int) Step { return Step{Index: i} }

// Field returns the path of a field of the map at p.
func (p *ObjectPath) Field(name string) *ObjectPath { return &ObjectPath{p, fieldStep(name)} }

// Element returns the path of an element of the list at p.
func (p *ObjectPath) Element(i int) *ObjectPath { return &ObjectPath{p, elementStep(i)} }

// Steps returns the steps from the object to the value.
func (p *ObjectPath) Steps() []Step {
	n := 0
	for q := p; q != nil; q = q.parent {
		n++
	}
	steps := make([]Step, n)
	for ; p != nil; p = p.parent {
		n--
		steps[n] = p.step
	}
	return steps
}

// String renders the path as the API server does (apiextensions-apiserver,
// UnknownFieldPathOptions): "spec.containers[0].name". The text is ambiguous if
// keys contain dots or brackets; the steps are not.
func (p *ObjectPath) String() string {
	var out []byte
	for i, step := range p.Steps() {
		if step.Index >= 0 {
			out = append(strconv.AppendInt(append(out, '['), int64(step.Index), 10), ']')
			continue
		}
		if i > 0 {
			out = append(out, '.')
		}
		out = append(out, step.Field...)
	}
	return string(out)
}

// sortByPath sorts by the text of the paths, as the server does, and paths with
// equal text by their steps.
func sortByPath[T any](list []T, path func(T) *ObjectPath) {
	if len(list) < 2 {
		return
	}
	type keyed struct {
		text string
		item T
	}
	all := make([]keyed, len(list))
	for i, item := range list {
		all[i] = keyed{path(item).String(), item}
	}
	slices.SortFunc(all, func(a, b keyed) int {
		if c := strings.Compare(a.text, b.text); c != 0 {
			return c
		}
		return slices.CompareFunc(path(a.item).Steps(), path(b.item).Steps(), func(a, b Step) int {
			return cmp.Or(cmp.Compare(a.Index, b.Index), strings.Compare(a.Field, b.Field))
		})
	})
	for i := range all {
		list[i] = all[i].item
	}
}

func sortPaths(paths []*ObjectPath) []*ObjectPath {
	sortByPath(paths, func(p *ObjectPath) *ObjectPath { return p })
	return paths
}

// trail builds the paths of the values that an algorithm records while it walks an
// object. They are assembled on the way back up, so that the walk costs nothing
// if nothing is recorded; paths with a common prefix share it.
type trail struct {
	// open are the unfinished paths, which begin at the current value.
	open []*ObjectPath
}

// note returns the path of the value one step below the current one. The path is
// complete once the algorithm has returned to the object.
func (t *trail) note(step Step) *ObjectPath {
	p := &ObjectPath{step: step}
	t.open = append(t.open, p)
	return p
}

// back prepends a step to the paths recorded below it, which are those after the
// first mark open paths.
func (t *trail) back(mark int, step Step) {
	if len(t.open) == mark {
		return
	}
	p := &ObjectPath{step: step}
	for _, child := range t.open[mark:] {
		child.parent = p
	}
	t.open = append(t.open[:mark], p)
}

// field returns the schema of a field of an object, or nil, and reports whether
// the field is specified. A nil schema specifies nothing. Like the server, it
// treats additionalProperties as specifying all fields, even if they are false.
func (s *Schema) field(name string) (child *Schema, specified bool) {
	if s == nil {
		return nil, false
	}
	child = s.Property(name)
	if child != nil {
		return child, true
	}
	return s.others()
}

// others returns the result of field for names that are not those of properties.
func (s *Schema) others() (child *Schema, specified bool) {
	if a := s.AdditionalProperties; a != nil {
		return a.Schema, true
	}
	return nil, false
}
