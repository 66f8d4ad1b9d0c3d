package structural

import (
	"cmp"
	"slices"
	"strconv"
	"strings"
)

// ObjectPath is the place of a value in an object, as opposed to [Path], the
// place of a node in a schema. nil is the object.
//
// A path is a chain up to the object, so that the many paths of a deep object
// share what they have in common.
type ObjectPath struct {
	parent *ObjectPath
	step   Step
}

// Step is one step down into an object.
type Step struct {
	// Field is the key of the value in a map, empty where Index is not negative.
	Field string
	// Index counts the elements of a list from zero. It is negative in a map.
	Index int
}

func fieldStep(name string) Step { return Step{Field: name, Index: -1} }

func elementStep(i int) Step { return Step{Index: i} }

// Field returns the path of a field of the value at p, a map.
func (p *ObjectPath) Field(name string) *ObjectPath { return &ObjectPath{p, fieldStep(name)} }

// Element returns the path of an element of the value at p, a list.
func (p *ObjectPath) Element(i int) *ObjectPath { return &ObjectPath{p, elementStep(i)} }

// Steps returns the steps from the object down.
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

// String is the path as the API server writes it (apiextensions-apiserver,
// UnknownFieldPathOptions): "spec.containers[0].name". It is not always
// unambiguous, because keys may have dots and brackets; the steps are.
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

// sortByPath sorts by the text of the paths, as the server does, and paths of
// the same text by their steps.
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

// trail makes the paths of what an algorithm notes on its way through an object.
// They are put together on the way back, so that the way costs nothing where
// nothing is noted; paths with the same beginning share it.
type trail struct {
	// open are the paths, as far as they are known, that begin at the value that
	// the algorithm is at.
	open []*ObjectPath
}

// note returns the path of what is one step below the value that the algorithm is
// at. It is complete when the algorithm is back at the object.
func (t *trail) note(step Step) *ObjectPath {
	p := &ObjectPath{step: step}
	t.open = append(t.open, p)
	return p
}

// back goes back over a step, below which all was noted since there were mark
// open paths.
func (t *trail) back(mark int, step Step) {
	if len(t.open) == mark {
		return
	}
	p := &ObjectPath{step: step}
	for _, below := range t.open[mark:] {
		below.parent = p
	}
	t.open = append(t.open[:mark], p)
}

// field returns the schema of a field of an object, nil where there is none, and
// whether the field is specified. A nil schema specifies nothing. Like the
// server, it takes additionalProperties for a specification of all fields even
// where they are false.
func (s *Schema) field(name string) (child *Schema, specified bool) {
	if s == nil {
		return nil, false
	}
	if child = s.property(name); child != nil {
		return child, true
	}
	if a := s.AdditionalProperties; a != nil {
		return a.Schema, true
	}
	return nil, false
}
