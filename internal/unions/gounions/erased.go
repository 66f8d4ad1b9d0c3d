package gounions

import (
	"go/ast"
	"go/token"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// This file reports unions of which conditions on gates remove only a part: values whose
// member does not exist, and members whose discriminator does not exist.

// erasedPart is a discriminator or a member that a condition removes from a struct.
type erasedPart struct {
	source.Erased
	name          string // of the field
	discriminator bool
	value         string // of a member
	// union is the union that the part belongs to: the name in Kubernetes' tags, or the Go name
	// of the discriminator. It is empty if the struct has only one.
	union  string
	tagged bool // by Kubernetes' tags
}

// erasedParts returns the parts of unions that conditions remove from a struct. Problems of
// their markers are not reported, because the fields do not exist.
func (all *Unions) erasedParts(t *source.Type) (out []erasedPart) {
	for _, erased := range t.ErasedFields() {
		field := erased.Node.(*ast.Field)
		part := erasedPart{Erased: erased, name: (&source.Field{Type: field.Type}).Label()}
		if len(field.Names) > 0 {
			part.name = field.Names[0].Name
		}
		part.value = part.name
		found := false
		for _, c := range erased.Comments {
			marker, err := all.Table.Parse(c, markers.Field)
			if err != nil || marker == nil {
				continue
			}
			switch value := marker.Value.(type) {
			case markers.UnionMember:
				found = true
				if value.Value != "" {
					part.value = value.Value
				}
			case markers.UnionDiscriminatedBy:
				part.union = string(value)
			case markers.Declarative:
				part.discriminator = marker.Name == markers.TagUnionDiscriminatorName || marker.Name == markers.TagModeDiscriminatorName
				part.tagged = part.discriminator || marker.Name == markers.TagUnionMemberName
				if part.tagged {
					found = true
					part.union = NameOf(marker)
				}
				if arg, ok := value.NamedArg("memberName"); ok && part.tagged {
					part.value = arg.Value
				}
			default:
				if marker.Name == markers.UnionDiscriminatorName || marker.Name == markers.DiscriminatorName {
					found = true
					part.discriminator = true
					part.union = part.name
				}
			}
		}
		if found {
			out = append(out, part)
		}
	}
	return out
}

// lost returns the discriminator that a condition removes from the union that a member names;
// name is empty if it names none.
func lost(parts []erasedPart, name string) *erasedPart {
	return partWith(parts, func(p erasedPart) bool { return p.discriminator && !p.tagged && (p.union == name || name == "") })
}

// lostTagged is like lost for a union of Kubernetes' tags.
func lostTagged(parts []erasedPart, name string) *erasedPart {
	return partWith(parts, func(p erasedPart) bool { return p.discriminator && p.tagged && p.union == name })
}

func partWith(parts []erasedPart, is func(erasedPart) bool) *erasedPart {
	if i := slices.IndexFunc(parts, is); i >= 0 {
		return &parts[i]
	}
	return nil
}

// reportLost reports a member whose discriminator does not exist.
func (all *Unions) reportLost(t *source.Type, member string, pos token.Pos, d *erasedPart) {
	marker := "+" + markers.WhenName + "(" + d.Condition + ")"
	found := all.Reporter.Report(report.NeedsErased, t.Pkg.At(pos), "write above the field: // "+marker,
		"member %s needs discriminator %s, which does not exist here: its condition is %s", member, d.name, d.Condition)
	found.Severity = all.severity(t)
	found.Related = []diag.Related{{Pos: all.Reporter.Position(d.Pos), Message: "the condition"}}
	all.Reporter.Fix(found, "write // "+marker, &markers.Edit{Pos: pos, End: pos, New: marker + "\n// "})
	all.invalidIn(t.Pkg)
}

// reportValues reports values of the discriminator whose member does not exist, and reports
// whether there are any.
func (op writeUnion) reportValues(union *unions.Union, s *structural.Schema) (found bool) {
	reporter := op.all.Reporter
	for _, value := range union.Values {
		i := slices.IndexFunc(op.erased, func(p erasedPart) bool { return !p.discriminator && p.value == value.Name })
		if value.Member != "" || i < 0 {
			continue
		}
		member := op.erased[i]
		marker := "+" + markers.WhenName + "(" + member.Condition + ")"
		pos := op.Discriminator.Field.Pos
		hint := "write // " + marker + "=+" + markers.EnumValuesName + "=" + value.Name + " instead of the value in the list"
		if discriminator := s.Property(union.Discriminator); discriminator != nil {
			pos = discriminator.Origin.Of("enum")
		}
		var edit *markers.Edit
		if constant := op.constant(value.Name); constant != nil {
			pos = constant.Pos
			hint = "write above the constant: // " + marker
			edit = aboveConstant(op.enum, constant.Pos, marker)
		}
		d := reporter.Report(report.NeedsErased, op.owner.Pkg.At(pos), hint, "value %q of discriminator %s needs member %s, which does not exist here: its condition is %s",
			value.Name, union.GoName, member.name, member.Condition)
		d.Severity = op.all.severity(op.owner)
		d.Related = []diag.Related{{Pos: reporter.Position(member.Pos), Message: "the condition"}}
		if edit != nil {
			reporter.Fix(d, "write // "+marker, edit)
		}
		op.all.invalidIn(op.owner.Pkg)
		found = true
	}
	return found
}

// constant returns the constant that gives the discriminator a value, if constants do.
func (op writeUnion) constant(value string) *source.Constant {
	if op.enum == nil {
		return nil
	}
	constants, _ := op.enum.Constants()
	i := slices.IndexFunc(constants, func(c source.Constant) bool { return c.Value == value })
	if i < 0 {
		return nil
	}
	return &constants[i]
}

// aboveConstant returns the edit that adds a marker above the declaration of a constant, or nil
// if it declares several.
func aboveConstant(t *source.Type, pos token.Pos, marker string) *markers.Edit {
	for _, f := range t.Pkg.Sources {
		if f.Syntax == nil {
			continue
		}
		for _, decl := range f.Syntax.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || pos < gen.Pos() || gen.End() <= pos {
				continue
			}
			for _, spec := range gen.Specs {
				if value, ok := spec.(*ast.ValueSpec); ok && value.Names[0].Pos() == pos && len(value.Names) == 1 {
					position := pos
					if !gen.Lparen.IsValid() {
						position = gen.Pos()
					}
					return &markers.Edit{Pos: position, End: position, New: "// " + marker + "\n"}
				}
			}
		}
	}
	return nil
}
