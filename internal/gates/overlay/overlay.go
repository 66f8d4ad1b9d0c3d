package overlay

import (
	"cmp"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/ground/notes"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// Part is a gate or a combination of gates of which all are on, by name; the empty one stands for
// what has no gate.
type Part []string

func (p Part) String() string { return strings.Join(p, "+") }

// Set returns the gates of the part: those of a run, without the others of OpenShift's markers,
// whose names are named, and without the empty name if the part has gates.
func (p Part) Set(run gates.Set, named []string) gates.Set {
	out := slices.DeleteFunc(slices.Clone(run), func(element string) bool { return slices.Contains(named, strings.TrimPrefix(element, "!")) })
	for _, name := range named {
		if !slices.Contains(p, name) {
			out = append(out, "!"+name)
		}
	}
	out = append(out, p...)
	if len(p) > 0 {
		out = append(out, "!"+gates.Base)
	}
	return out
}

// Parts returns the parts of a kind in the order in which they are laid over each other: by name,
// combinations after their gates. used are the markers that the kind reaches, those at the kind
// first, and enabled are the gates that are on. A kind that is gated has no part without gates.
func Parts(used []source.Gated, enabled gates.Set) (out []Part) {
	var combined []Part
	for _, marker := range used {
		for _, names := range marker.Gates {
			part := Part(slices.DeleteFunc(slices.Clone(names), func(name string) bool { return name == gates.Base }))
			if len(part) == 0 || slices.ContainsFunc(part, func(name string) bool { return !enabled.On(name) }) {
				continue
			}
			if len(part) > 1 {
				combined = append(combined, part)
			} else {
				out = append(out, part)
			}
		}
	}
	byName := func(a, b Part) int { return strings.Compare(a.String(), b.String()) }
	slices.SortFunc(out, byName)
	slices.SortFunc(combined, byName)
	out = slices.CompactFunc(out, slices.Equal)
	for _, part := range slices.CompactFunc(combined, slices.Equal) {
		offset := 0
		for i, other := range out {
			isPart := len(other) == 1 && slices.Contains(part, other[0])
			if isPart || byName(other, part) < 0 {
				offset = max(offset, i+1)
			}
		}
		out = slices.Insert(out, offset, part)
	}
	if len(used) == 0 || !used[0].Exists {
		out = slices.Insert(out, 0, Part{})
	}
	return out
}

// Used returns OpenShift's markers in the declarations that a type reaches in the user's packages.
func Used(t *source.Type) []source.Gated {
	w := walk{seen: map[*source.Type]bool{}}
	w.typ(t)
	return w.found
}

// walk finds the declarations that a type reaches.
type walk struct {
	seen  map[*source.Type]bool
	found []source.Gated
}

func (w *walk) typ(t *source.Type) {
	if w.seen[t] || !t.Pkg.Local() {
		return
	}
	w.seen[t] = true
	w.found = append(w.found, t.File.Gated[t.Spec.Name.Name]...)
	w.expr(t.File, t.Spec.Type)
}

func (w *walk) expr(f *source.File, expr ast.Expr) {
	switch expr := expr.(type) {
	case *ast.StarExpr:
		w.expr(f, expr.X)
	case *ast.ParenExpr:
		w.expr(f, expr.X)
	case *ast.ArrayType:
		w.expr(f, expr.Elt)
	case *ast.MapType:
		w.expr(f, expr.Key)
		w.expr(f, expr.Value)
	case *ast.StructType:
		for _, field := range expr.Fields.List {
			w.expr(f, field.Type)
		}
	default:
		if resolved, why := f.Resolve(expr); why == nil && resolved.Type != nil {
			w.typ(resolved.Type)
		}
	}
}

// Lost is a rule of a part that the result does not have, because a later part has the list
// without it.
type Lost struct {
	// Rule is the position of its marker.
	Rule  token.Pos
	Later Part
}

// Schemas lays schemas over each other, those of parts by the same index. It returns the rules
// that are lost.
func Schemas(parts []Part, schemas []*structural.Schema) (*structural.Schema, []Lost) {
	l := &layers{}
	var all []layer
	for i, s := range schemas {
		all = append(all, layer{parts[i], s})
	}
	return l.node(all), l.lost
}

// layer is a schema of a part.
type layer struct {
	part Part
	*structural.Schema
}

type layers struct{ lost []Lost }

// node returns the schema that the layers of a node have together, which is new.
func (l *layers) node(all []layer) *structural.Schema {
	if len(all) == 0 {
		return nil
	}
	out := &structural.Schema{Origin: structural.Origin{Pos: all[0].Origin.Pos}}
	var properties []string
	byName := map[string][]layer{}
	var items, values []layer
	for _, s := range all {
		over(out, s.Schema)
		for _, p := range s.Properties {
			if byName[p.Name] == nil {
				properties = append(properties, p.Name)
			}
			byName[p.Name] = append(byName[p.Name], layer{s.part, p.Schema})
		}
		if s.Items != nil {
			items = append(items, layer{s.part, s.Items})
		}
		if a := s.AdditionalProperties; a != nil && a.Schema != nil {
			values = append(values, layer{s.part, a.Schema})
		}
	}
	slices.Sort(properties)
	for _, name := range properties {
		out.Properties = append(out.Properties, structural.Property{Name: name, Schema: l.node(byName[name])})
	}
	out.Items = l.node(items)
	if len(values) > 0 {
		out.AdditionalProperties = &structural.SchemaOrBool{Schema: l.node(values)}
	}
	out.Origin.Absent = slices.DeleteFunc(out.Origin.Absent,
		func(a notes.Absent) bool { return !a.Value && byName[a.Name] != nil })
	l.rules(all)
	return out
}

// over lays the keywords of a schema over those of another one.
func over(out, layer *structural.Schema) {
	if layer.ValueValidation != nil {
		out.Validation()
	}
	keywords.PartsOf(out).Overwrite(keywords.PartsOf(layer))
	out.XUnions = last(out.XUnions, layer.XUnions)
	out.XUnionMembers = last(out.XUnionMembers, layer.XUnionMembers)
	if layer.AdditionalProperties != nil {
		out.AdditionalProperties = layer.AdditionalProperties
	}
	origin(&out.Origin, layer.Origin)
}

// last returns the last of two lists that is not empty.
func last[E any](a, b []E) []E {
	if len(b) > 0 {
		return b
	}
	return a
}

// origin adds the positions of a schema to those of another one over which it is laid.
func origin(out *structural.Origin, o structural.Origin) {
	sets := map[string]bool{}
	for _, k := range o.Keywords {
		sets[k.Keyword] = true
	}
	out.Keywords = slices.DeleteFunc(out.Keywords, func(k structural.KeywordOrigin) bool { return sets[k.Keyword] })
	out.Keywords = append(out.Keywords, o.Keywords...)
	out.ReadOnly = cmp.Or(o.ReadOnly, out.ReadOnly)
	out.Mistake = max(out.Mistake, o.Mistake)
	for _, a := range o.Absent {
		if !slices.Contains(out.Absent, a) {
			out.Absent = append(out.Absent, a)
		}
	}
}

// rules finds the rules of a node that are lost.
func (l *layers) rules(all []layer) {
	end := len(all) - 1
	for end > 0 && len(all[end].XValidations) == 0 {
		end--
	}
	for i, s := range all[:end] {
		places := slices.DeleteFunc(slices.Clone(s.Origin.Keywords),
			func(k structural.KeywordOrigin) bool { return k.Keyword != keywords.Rules })
		for j, rule := range s.XValidations {
			same := func(other structural.Rule) bool { return other.Rule == rule.Rule }
			later := slices.ContainsFunc(all[i+1:end],
				func(other layer) bool { return slices.ContainsFunc(other.XValidations, same) })
			if j < len(places) && !later && !slices.ContainsFunc(all[end].XValidations, same) {
				l.lost = append(l.lost, Lost{places[j].Pos, all[end].part})
			}
		}
	}
}
