package structural

import (
	"slices"
	"strconv"
	"strings"
)

// Path is the path of a node in a schema. It is rendered as by the API server:
// ".properties[foo].items.allOf[0]". nil is the root.
//
// A path is a linked list towards the root, so that descending into a large
// schema is cheap; only the paths of reported nodes are rendered.
type Path struct {
	parent  *Path
	keyword string
	key     string // name of a property; otherwise index is used
	index   int    // negative if there is none
}

// Child returns the path of a keyword below p.
func (p *Path) Child(keyword string) *Path { return &Path{parent: p, keyword: keyword, index: -1} }

// Property returns the path of a property of the node at p.
func (p *Path) Property(name string) *Path {
	return &Path{parent: p, keyword: "properties", key: name, index: propertyIndex}
}

// propertyIndex marks a path whose last step is a property.
const propertyIndex = -2

// Index returns the path of an element of a keyword of the node at p.
func (p *Path) Index(keyword string, i int) *Path {
	return &Path{parent: p, keyword: keyword, index: i}
}

func (p *Path) String() string {
	n := 0
	size := 0
	for q := p; q != nil; q = q.parent {
		n++
		size += len(".[]") + len(q.keyword) + len(q.key)
		if q.index >= 0 {
			size += decimalDigits
		}
	}
	steps := make([]*Path, 0, n)
	for ; p != nil; p = p.parent {
		steps = append(steps, p)
	}
	var out strings.Builder
	out.Grow(size)
	for _, step := range slices.Backward(steps) {
		out.WriteByte('.')
		out.WriteString(step.keyword)
		switch {
		case step.index == propertyIndex:
			out.WriteByte('[')
			out.WriteString(step.key)
			out.WriteByte(']')
		case step.index >= 0:
			var digits [decimalDigits]byte
			out.WriteByte('[')
			out.Write(strconv.AppendInt(digits[:0], int64(step.index), 10))
			out.WriteByte(']')
		}
	}
	return out.String()
}

// decimalDigits is the greatest number of digits of an index.
const decimalDigits = 19
