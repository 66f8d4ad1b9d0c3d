package gounions

import (
	"fmt"
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/define/edits"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/notes"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// This file checks the requirements for members of a union: each is selected by one value,
// and its Go value can express that it is not set.

// checkMembers checks the members of a union.
func (op writeUnion) checkMembers(editor *edits.Editor, union *unions.Union, schema *structural.Schema,
	report func(token.Pos, string, string, ...any)) {
	seen := map[string]string{}
	for index, m := range union.Members {
		if union.Discriminator != "" {
			switch other, duplicate := seen[m.Value]; {
			case m.Value == "":
				report(m.Pos, "", "member %s has the value \"\", which never has a member", m.GoName)
			case duplicate:
				report(m.Pos, "", "members %s and %s have the same value %q", other, m.GoName, m.Value)
			case len(union.Values) > 0 && !union.HasValue(m.Value):
				var names []string
				for _, v := range union.Values {
					names = append(names, v.Name)
				}
				hint := fmt.Sprintf("its values are %q", names)
				nearest, ok := words.OnlyNearest(m.Value, names)
				if ok {
					hint = "did you mean +unionMember=" + nearest + "?"
				}
				report(m.Pos, hint, "%q is not a value of discriminator %s", m.Value, union.GoName)
				if ok {
					op.all.meant(op.owner, m.Pos, m.Value, nearest)
				}
			}
			if union.HasValue(m.Value) {
				op.warnOfMember(editor, union, m)
			}
			seen[m.Value] = m.GoName
		}
		member := schema.Property(m.Name)
		if member == nil {
			continue
		}
		union.Members[index].Untyped = member.Type == "" && !member.XIntOrString
		switch {
		case member.Origin.Mistake != notes.NoMistake:
		case schema.Requires(m.Name):
			report(m.Pos, "make it a pointer with omitempty, and +optional", "member %s is required, so it is always set", m.GoName)
		case member.Default != nil:
			report(m.Pos, "remove the default", "member %s has a default, so it is always set", m.GoName)
		case member.Nullable:
			report(m.Pos, "remove +nullable", "member %s is nullable: null means that it is not set", m.GoName)
		default:
			if why := unsettable(op.Members[index], op.owner.File, member); why != "" {
				report(m.Pos, "use a pointer", "member %s: %s", m.GoName, why)
			}
		}
	}
}

// warnOfMember warns about valid but surprising members.
func (op writeUnion) warnOfMember(e *edits.Editor, u *unions.Union, m unions.Member) {
	if op.forms == nil || slices.Contains(op.forms, unions.FormNone) {
		return // the union is not enforced
	}
	if m.Value != "" && !strings.EqualFold(m.Value, m.Name) {
		op.all.Reporter.Report(report.UnionMemberName, e.Pkg.At(m.Pos), "rename one of them before the API is released",
			"value %q of discriminator %s selects a member of another name, %q", m.Value, u.GoName, m.Name)
	}
	if m.Optional {
		op.all.Reporter.Report(report.OptionalUnionMember, e.Pkg.At(m.Pos), "docs/unions.md explains when that is safe",
			"optional member %s is lost silently when a client that does not know it updates the object", m.GoName)
	}
}

// warnOfLock warns about a required discriminator that typed clients send as "" if it is absent.
// That is never ratcheted, so they cannot update objects that were stored without it.
func (op writeUnion) warnOfLock(u *unions.Union) {
	if op.forms == nil || slices.Contains(op.forms, unions.FormNone) || op.Discriminator == nil || !u.Required ||
		u.Default != nil {
		return
	}
	field := op.Discriminator.Field
	// A nil pointer is sent as null, which the server drops.
	if field.IsPointer() || field.JSON().Omits() {
		return
	}
	r := op.all.Reporter
	explicit := slices.ContainsFunc([]*markers.Marker(field.Markers),
		func(m *markers.Marker) bool { return m.Presence() != markers.NoPresence })
	hint := "add omitempty to the tag, and the marker // +required"
	if explicit {
		hint = "add omitempty to the tag"
	}
	d := r.Report(report.LockingDiscriminator, op.owner.Pkg.At(field.Pos), hint,
		"typed clients send \"\" for discriminator %s of objects that were stored without it, and the API server then rejects every update", u.GoName)
	node := report.FieldAt(op.owner.File, field.Pos)
	if node == nil {
		return
	}
	all := []*markers.Edit{report.SetTag(node, "json", field.JSON().Text+",omitempty")}
	if !explicit {
		all = append(all, r.MarkerAbove(op.owner.File, node.Pos(), "+"+markers.PlainRequiredName))
	}
	r.Fix(d, hint, all...)
}

// unsettable returns why a Go value of a member cannot express that it is not set, or cannot
// distinguish that from its zero value; empty if it can.
func unsettable(field *source.NamedField, file *source.File, schema *structural.Schema) string {
	if field.Field.IsPointer() {
		return ""
	}
	omitZero := field.Field.JSON().Has("omitzero")
	if !field.Field.JSON().Omits() {
		return "it is always written to JSON, so it is always set"
	}
	if name, why := file.Resolve(field.Field.Type); why == nil && name.Type != nil {
		for _, method := range []string{"MarshalJSON", "MarshalText", "UnmarshalJSON", "UnmarshalText", "IsZero"} {
			if name.Type.HasMethod(method) {
				return "a type with a method " + method + " of its own may be set only through a pointer"
			}
		}
	}
	validation := schema.ValueValidation
	if validation == nil {
		validation = &structural.ValueValidation{}
	}
	positive := func(n *int64) bool { return n != nil && *n > 0 }
	ok := true
	switch source.UnderlyingOf(file, field.Field.Type).Kind {
	case source.KindSlice, source.KindMap:
		ok = omitZero || positive(validation.MinItems) || positive(validation.MinProperties) || positive(validation.MinLength)
	case source.KindStruct:
		if !omitZero {
			return "omitempty does not leave a struct out of the JSON, so it is always set"
		}
		ok = len(validation.Required) > 0 || positive(validation.MinProperties)
	case source.KindBasic:
		ok = unions.Nonzero(schema) == ""
	case source.KindInterface:
		return "an interface may be set only through a pointer"
	case source.KindArray:
		return "an array is always set"
	default:
		return ""
	}
	if ok {
		return ""
	}
	return "its zero value is left out of the JSON, though the schema allows it"
}
