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
	var steps []string
	for ; p != nil; p = p.parent {
		step := "." + p.keyword
		switch {
		case p.index == propertyIndex:
			step += "[" + p.key + "]"
		case p.index >= 0:
			step += "[" + strconv.Itoa(p.index) + "]"
		}
		steps = append(steps, step)
	}
	slices.Reverse(steps)
	return strings.Join(steps, "")
}
