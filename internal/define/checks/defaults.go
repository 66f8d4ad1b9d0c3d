package checks

import (
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/schemas/locate"
	"github.com/schemagen/schemagen/structural"
)

// This file explains errors of the server about defaults that lack a field.

// lacksRequired matches errors about a default without a required field, and lacksKey those
// about a rule that reads a field of a default without testing for it.
var (
	lacksRequired = lazyregexp.New(`\.default\.([\w.-]+): Required value$`)
	lacksKey      = lazyregexp.New(`\.default: Invalid value: .*: no such key: (\w+) evaluating rule: `)
)

// uncompiled is in errors about a default that the server cannot validate because a rule does
// not compile. The server rejects the rule, too.
const uncompiled = ": rule compile error: "

// explainDefault adds to an error about a default what to write, and where the field that it
// lacks is declared or, if that depends on gates, the condition.
func (c *Checker) explainDefault(diagnostic diag.Diagnostic, subjects []*crd.Definition) diag.Diagnostic {
	hint := "add it to the default, give the field a default, or make it optional"
	m := lacksRequired().FindStringSubmatch(diagnostic.Message)
	if m == nil {
		hint = "test for it in the rule with has(), or add it to the default"
		m = lacksKey().FindStringSubmatch(diagnostic.Message)
	}
	if m == nil || diagnostic.Hint != "" {
		return diagnostic
	}
	diagnostic.Hint = hint
	search := defaultSearch{checker: c, at: diagnostic.Pos, seen: map[*structural.Schema]bool{}}
	for _, s := range subjects {
		for _, schema := range s.Schemas {
			search.below(schema)
		}
	}
	for _, found := range search.found {
		if field := locate.Value(found, steps(m[1])); field != nil && field.Origin.Pos.IsValid() {
			related := diag.Related{Pos: c.Reporter.Position(field.Origin.Pos), Message: "the field"}
			if condition, ok := c.conditionOf(field.Origin.Pos); ok {
				related = diag.Related{Pos: c.Reporter.Position(condition.Pos), Message: "the condition of the field"}
			}
			diagnostic.Related = append(slices.Clone(diagnostic.Related), related)
			return diagnostic
		}
	}
	return diagnostic
}

// steps returns the way to a field by names.
func steps(path string) (out []structural.Step) {
	for _, name := range strings.Split(path, ".") {
		out = append(out, structural.Step{Field: name, Index: -1})
	}
	return out
}

// defaultSearch finds the schemas whose default is set at a position.
type defaultSearch struct {
	checker *Checker
	at      diag.Position
	seen    map[*structural.Schema]bool
	found   []*structural.Schema
}

// below searches a schema and those below it.
func (f *defaultSearch) below(s *structural.Schema) {
	if s == nil || f.seen[s] {
		return
	}
	f.seen[s] = true
	if s.Default != nil && f.checker.Reporter.Position(s.Origin.Of("default")) == f.at {
		f.found = append(f.found, s)
	}
	for _, p := range s.Properties {
		f.below(p.Schema)
	}
	f.below(s.Items)
	if s.AdditionalProperties != nil {
		f.below(s.AdditionalProperties.Schema)
	}
}

// conditionOf returns the marker on which the field at a position depends.
func (c *Checker) conditionOf(pos token.Pos) (out markers.Comment, ok bool) {
	for p := range c.Program.Packages() {
		for _, f := range p.Sources {
			if f.Syntax == nil || pos < f.Syntax.FileStart || f.Syntax.FileEnd <= pos {
				continue
			}
			ast.Inspect(f.Syntax, func(n ast.Node) bool {
				if st, isStruct := n.(*ast.StructType); isStruct {
					i := slices.IndexFunc(st.Fields.List,
						func(field *ast.Field) bool { return field.Pos() <= pos && pos < field.End() })
					if i < 0 {
						return true
					}
					for _, comment := range f.Written.Fields(st)[i] {
						if strings.HasPrefix(comment.Text, "+"+markers.WhenName+"(") && !ok {
							out = comment
							ok = true
						}
					}
				}
				return !ok
			})
		}
	}
	return out, ok
}
