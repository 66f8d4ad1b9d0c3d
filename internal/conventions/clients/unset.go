package clients

import (
	"go/ast"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/source"
)

// This file has what is asked about unset and zero values.

// Unset returns the JSON that a client sends for a field of a type, with a json tag, that it neither
// sets nor omits. It is not known if methods of the type decide.
func Unset(f *source.File, expr ast.Expr, tag source.JSONTag) (sent string, known bool) {
	t := newTypes().at(f, expr)
	value := encode(&goValue{typ: t})
	if t.kind == source.KindBasic && t.known == nil && tag.Has("string") {
		value = text(value)
	}
	return text(value), isKnown(value)
}

// unset reports a field whose unset value a client sends although the API server refuses it,
// would store something better, or would accept an empty list.
func (f *field) unset() error {
	fields, err := f.in.sent(f.others())
	sent, present := fields[f.Name]
	if err != nil || !present || !isKnown(sent) || len(f.in.path) == 0 && f.Name == "status" && f.in.hasStatus {
		return nil
	}
	answer, err := f.in.stored(f.with(sent))
	if err != nil {
		return err
	}
	bare, err := f.in.stored(f.without())
	if err != nil {
		return err
	}
	refused := f.refusals(answer)
	missing := f.refusals(bare)
	if len(missing) > 0 {
		return f.unsetNil(sent)
	}
	was, _ := at(answer.Object, f.path())
	defaulted, hasDefault := at(bare.Object, f.path())
	if len(refused) == 0 && (!hasDefault || equal(was, defaulted)) {
		return nil
	}
	if child, ok := sent.(map[string]any); ok && len(child) > 0 {
		// The fields of the struct are reported themselves if the struct is accepted without
		// them.
		empty, err := f.in.stored(f.with(map[string]any{}))
		if err != nil {
			return err
		}
		if now, _ := at(empty.Object, f.path()); len(f.refusals(empty)) == 0 && (!hasDefault || equal(now, defaulted)) {
			return nil
		}
	}
	option := "omitempty"
	if f.typ.kind == source.KindStruct {
		option = "omitzero"
	}
	tag := f.tagWith(option)
	if len(refused) > 0 {
		hint := "write `json:\"" + tag + "\"`, or make the field a pointer with omitempty"
		d := f.report(unsetRefused, hint, "Go clients that do not set it send %s, which the API server refuses: %s", text(f.with(sent)), first(refused))
		f.fixTag(d, tag)
		return nil
	}
	f.report(defaultOverridden, "make the field a pointer with omitempty", "Go clients that do not set it send %s, so that it never has its default, %s", text(f.with(sent)), text(defaulted))
	return nil
}

// unsetNil reports a field whose empty list or map is null, which is refused, although an empty
// one is not.
func (f *field) unsetNil(sent any) error {
	empty := f.empty()
	if sent != nil || empty == nil || f.typ.bytes {
		return nil
	}
	accepted, err := f.in.stored(f.with(empty))
	if err != nil || len(f.refusals(accepted)) > 0 {
		return err
	}
	refused, err := f.in.stored(f.with(nil))
	if err != nil {
		return err
	}
	if errs := f.refusals(refused); len(errs) > 0 {
		f.report(nilRefused, "make the field optional, or demand an element with a minimum", "Go clients without an element send %s, which the API server refuses: %s; it accepts %s",
			text(f.with(nil)), first(errs), text(f.with(empty)))
	}
	return nil
}

// empty returns the empty list or map for a slice or a map, and nil for other fields.
func (f *field) empty() any {
	switch {
	case f.typ.known != nil:
		return nil
	case f.typ.kind == source.KindSlice && f.typ.bytes:
		return ""
	case f.typ.kind == source.KindSlice:
		return []any{}
	case f.typ.kind == source.KindMap:
		return map[string]any{}
	}
	return nil
}

// zero reports a field that clients omit if it is zero, although the API server takes zero for
// something else than a field that is missing.
func (f *field) zero() error {
	zero := f.zeroValue()
	if !f.omitEmpty && !f.omitZero || zero == nil || !isKnown(zero) {
		return nil
	}
	said, err := f.in.stored(f.with(zero))
	if err != nil || len(f.refusals(said)) > 0 {
		return err
	}
	value, ok := at(said.Object, f.path())
	if !ok {
		return nil
	}
	sent, err := f.in.sent(f.fields(value))
	if _, present := sent[f.Name]; present || sent == nil || err != nil {
		return nil
	}
	bare, err := f.in.stored(f.without())
	if err != nil {
		return err
	}
	option := ""
	hint := "make the field a pointer"
	if f.empty() != nil && f.omitEmpty && !f.omitZero {
		option = "omitzero"
		hint = "write `json:\"" + f.tagWith(option) + "\"`, which omits only nil"
	}
	var d *diag.Diagnostic
	missing := f.refusals(bare)
	defaulted, hasDefault := at(bare.Object, f.path())
	switch {
	case len(missing) > 0:
		d = f.report(zeroOmitted, hint, "Go clients cannot send %s: they omit the field, and the API server refuses that: %s", text(f.with(value)), first(missing))
	case hasDefault && !equal(defaulted, value):
		d = f.report(zeroOmitted, hint, "Go clients cannot send %s: they omit the field, and the API server sets the default, %s", text(f.with(value)), text(defaulted))
	}
	if option != "" {
		f.fixTag(d, f.tagWith(option))
	}
	return nil
}

// zeroValue returns the JSON of the zero value of a field, or of what it points to.
func (f *field) zeroValue() any {
	if empty := f.empty(); empty != nil {
		return empty
	}
	t := f.typ
	if t.kind == source.KindPointer {
		t = t.elem()
	}
	return encode(&goValue{typ: t})
}

// isKnown reports whether nothing in a value depends on methods that are not known.
func isKnown(v any) bool {
	switch v := v.(type) {
	case string:
		return v != Unknown
	case []any:
		return !slices.ContainsFunc(v, func(v any) bool { return !isKnown(v) })
	case map[string]any:
		for _, v := range v {
			if !isKnown(v) {
				return false
			}
		}
	}
	return true
}
