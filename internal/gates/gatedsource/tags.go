package gatedsource

import (
	"go/ast"
	"go/token"
	"regexp"

	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/markers"
)

// gateOfTags is the gate that Gateway API's tags depend on, and the channel in which it is on.
const gateOfTags = "experimental"

// useTags adds what depends on the tags of Gateway API with a prefix in descriptions.
func (f *File) useTags(prefix string) {
	tag := regexp.MustCompile(`<` + regexp.QuoteMeta(prefix) + `:(experimental|standard)(?:>|:description>|:validation:.*>)`)
	for _, group := range f.tree.Comments {
		d := f.around(group)
		if d.Target == markers.Package {
			continue // nothing reads them there
		}
		for _, c := range group.List {
			for _, m := range tag.FindAllStringSubmatchIndex(c.Text, -1) {
				u := f.at(d)
				u.Kind = Tag
				u.Text = c.Text[m[0]:m[1]]
				u.Pos = f.fset.Position(c.Pos() + token.Pos(m[0]))
				u.Condition = gates.Name(gateOfTags)
				if c.Text[m[2]:m[3]] != gateOfTags {
					u.Condition = gates.Not(u.Condition)
				}
				f.Uses = append(f.Uses, u)
			}
		}
	}
}

// around returns the innermost declaration that a comment is at, or the package.
func (f *File) around(group *ast.CommentGroup) Decl {
	out := f.declarations[0]
	for _, d := range f.declarations {
		if d.From <= group.Pos() && group.End() <= d.To {
			out = d
		}
	}
	return out
}
