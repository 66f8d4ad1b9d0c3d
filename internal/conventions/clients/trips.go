package clients

import (
	"errors"
	"fmt"
	"maps"
	"math"
	"reflect"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// This file has what is asked about values that users write and Go clients read and write back.
// Nobody but a client in Go is expected to write the status.

// trip is a value of a field that the API server stores and a client reads.
type trip struct {
	// stored is what the server stores, at value, and the answer that it is a part of.
	answer crd.Answer
	stored any
	// sent is what a client makes of it; present is false if it omits the field.
	sent    any
	present bool
	// unreadable is the reason that the client cannot read it.
	unreadable *unreadableError
}

// trip stores a value of the field and has a client read it. It is nil if the server does not
// store the value.
func (f *field) trip(v any) (*trip, error) {
	answer, err := f.in.stored(f.with(v))
	if err != nil || len(f.refusals(answer)) > 0 {
		return nil, err
	}
	stored, ok := at(answer.Object, f.path())
	if !ok {
		return nil, nil
	}
	t := &trip{answer: answer, stored: stored}
	sent, err := f.in.sent(f.fields(stored))
	if errors.As(err, &t.unreadable) {
		return t, nil
	}
	if err != nil {
		return nil, err
	}
	t.sent, t.present = sent[f.Name]
	if sent == nil || !isKnown(t.sent) {
		return nil, nil
	}
	return t, nil
}

// leaf is the innermost type of a field below pointers, lists and maps, with its schema.
type leaf struct {
	typ    *goType
	schema *structural.Schema
	// path leads from the field to the leaf.
	path []string
}

func (f *field) leaf() (place leaf, ok bool) {
	place = leaf{f.typ, f.schema, nil}
	for range 100 {
		t := place.typ
		switch {
		case t.known != nil || t.kind == source.KindStruct || t.kind == source.KindBasic ||
			t.kind == source.KindSlice && t.bytes:
			return place, true
		case t.kind == source.KindPointer:
			place.typ = t.elem()
			continue
		case t.kind == source.KindSlice:
			place = leaf{t.elem(), place.schema.Items, append(place.path, element)}
		case t.kind == source.KindMap && place.schema.AdditionalProperties != nil:
			place = leaf{t.elem(), place.schema.AdditionalProperties.Schema, append(place.path, value)}
		default:
			return place, false
		}
		if place.schema == nil {
			return place, false
		}
	}
	return place, false
}

// extremes reports a field of which the API server stores values that clients cannot read.
func (f *field) extremes() error {
	end, ok := f.leaf()
	if !ok || f.path()[0] == "status" {
		return nil
	}
	for _, v := range slices.Concat(f.beyond(end), f.representatives(end)) {
		t, err := f.trip(wrap(end.path, v))
		if err != nil {
			return err
		}
		if t == nil || t.unreadable == nil {
			continue
		}
		hint := "restrict the values with a marker"
		bounds := f.missingBounds(end)
		if bounds != "" {
			hint = "write // " + strings.ReplaceAll(bounds, "\n", ", ")
		}
		d := f.report(unreadable, hint, "the API server stores %s, after which Go clients can read neither the object nor a list with it: %s", text(f.with(t.stored)), t.unreadable)
		if written := report.FieldAt(f.Owner.File, f.Field.Pos); d != nil && bounds != "" && written != nil && len(end.path) == 0 {
			f.in.Reporter.Fix(d, "write // "+strings.ReplaceAll(bounds, "\n// ", ", "), f.in.Reporter.MarkerAbove(f.Owner.File, written.Pos(), bounds))
		}
		return nil
	}
	return nil
}

// bounds returns the least and the greatest value of a predeclared type, if the API server knows
// values beyond them.
func (t *goType) bounds() (low, high int64, ok bool) {
	switch kind := t.goKind(); kind {
	case reflect.Int8, reflect.Int16, reflect.Int32:
		bits := bitsOf(kind)
		return -1 << (bits - 1), 1<<(bits-1) - 1, true
	case reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return 0, 1<<bitsOf(kind) - 1, true
	case reflect.Uint64:
		return 0, math.MaxInt64, true
	}
	return 0, 0, false
}

// beyond returns values that are not among those of a type, though nearly.
func (f *field) beyond(end leaf) (out []any) {
	switch end.typ.known {
	case nil:
		if low, high, ok := end.typ.bounds(); ok && end.typ.kind == source.KindBasic && !f.quoted {
			if high < math.MaxInt64 {
				out = append(out, high+1)
			}
			out = append(out, low-1)
		}
		return out
	case Known()["k8s.io/apimachinery/pkg/util/intstr.IntOrString"]:
		return []any{int64(math.MaxInt32) + 1}
	case Known()["k8s.io/apimachinery/pkg/apis/meta/v1.Duration"]:
		return []any{"1 hour"}
	case Known()["k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime"]:
		return []any{"2026-01-01T00:00:00Z"}
	}
	return nil
}

// missingBounds returns the markers that keep values in the bounds of a type.
func (f *field) missingBounds(end leaf) string {
	low, high, ok := end.typ.bounds()
	if !ok || end.typ.kind != source.KindBasic || end.typ.known != nil || f.quoted {
		return ""
	}
	prefix := "+kubebuilder:validation:" + strings.Repeat("items:", len(end.path))
	if slices.Contains(end.path, value) {
		return ""
	}
	var out []string
	if v := end.schema.ValueValidation; v == nil || v.Minimum == nil {
		out = append(out, fmt.Sprintf("%sMinimum=%d", prefix, low))
	}
	if v := end.schema.ValueValidation; high < math.MaxInt64 && (v == nil || v.Maximum == nil) {
		out = append(out, fmt.Sprintf("%sMaximum=%d", prefix, high))
	}
	return strings.Join(out, "\n// ")
}

// samples returns values of the types that a schema allows, and the values that it lists.
func samples(s *structural.Schema) (out []any) {
	if s.ValueValidation != nil {
		for _, v := range s.Enum {
			if parsed, ok := parse(string(v.Raw)); ok {
				out = append(out, parsed)
			}
		}
	}
	all := map[string][]any{
		"string": {"a"}, "integer": {int64(1)}, "number": {0.5}, "boolean": {true}, "object": {map[string]any{}}, "array": {[]any{}},
		"": {map[string]any{}, "a", int64(1), true, []any{}},
	}
	return append(out, all[s.Type]...)
}

// representatives returns the samples of a leaf of which one may be unreadable although others are not. Of a
// predeclared type, clients can read either all values that are of the type or none, so the first one is
// returned: a list of n values would take n requests, each of n steps.
func (f *field) representatives(end leaf) []any {
	if end.typ.kind != source.KindBasic || end.typ.known != nil || f.quoted {
		return samples(end.schema)
	}
	var out []any
	first := true
	for _, v := range samples(end.schema) {
		_, err := decode(end.typ, v)
		if err != nil || first {
			out = append(out, v)
		}
		first = first && err != nil
	}
	return out
}

// losses reports a field of which clients lose a part that the API server stores.
func (f *field) losses() error {
	end, ok := f.leaf()
	if !ok || f.path()[0] == "status" {
		return nil
	}
	var values []any
	if f.schema.Nullable {
		values = append(values, nil)
	}
	if s := end.schema; end.typ.kind == source.KindStruct && end.typ.known == nil {
		unset, _ := encode(&goValue{typ: end.typ}).(map[string]any)
		for _, name := range f.unknownTo(end) {
			for _, v := range below(s, name) {
				values = append(values, wrap(end.path, map[string]any{name: v}))
				changed := maps.Clone(unset)
				changed[name] = v
				values = append(values, wrap(end.path, changed))
			}
		}
	}
	for _, v := range values {
		t, err := f.trip(v)
		if err != nil {
			return err
		}
		if t == nil || t.unreadable != nil || t.present && equal(t.sent, t.stored) {
			continue
		}
		hint := "give the field a type that keeps it, such as runtime.RawExtension, or remove it from the schema"
		if v == nil {
			hint = "make the field optional instead of nullable"
			bare, err := f.in.stored(f.without())
			if err != nil {
				return err
			}
			// Otherwise, a missing field means the same as null.
			if _, hasDefault := at(bare.Object, f.path()); !hasDefault && len(f.refusals(bare)) == 0 {
				continue
			}
		} else if keeps(t.sent, v, end.path) {
			continue
		}
		again := f.without()
		if t.present {
			again = f.with(t.sent)
		}
		f.report(lost, hint, "Go clients that update %s send %s", text(f.with(t.stored)), text(again))
		return nil
	}
	return nil
}

// keeps reports whether what a client sends has the properties of the object at a path of a value.
func keeps(sent, value any, path []string) bool {
	now, _ := at(sent, path)
	was, _ := at(value, path)
	fields, _ := now.(map[string]any)
	for name := range was.(map[string]any) {
		if _, kept := fields[name]; !kept {
			return false
		}
	}
	return true
}

// unknownTo returns properties that the schema of a struct has or allows, and the struct does
// not have.
func (f *field) unknownTo(end leaf) (out []string) {
	has := func(name string) bool {
		return slices.ContainsFunc(end.typ.jsonFields(), func(f *jsonField) bool { return f.Name == name })
	}
	for _, p := range end.schema.Properties {
		if !has(p.Name) {
			out = append(out, p.Name)
		}
	}
	if (end.schema.XPreserveUnknownFields != nil && *end.schema.XPreserveUnknownFields ||
		end.schema.AdditionalProperties != nil) && !has(key) {
		out = append(out, key)
	}
	return out
}

// below returns values for a property of an object.
func below(s *structural.Schema, name string) []any {
	if p := s.Property(name); p != nil {
		return samples(p)
	}
	if s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil {
		return samples(s.AdditionalProperties.Schema)
	}
	return []any{"a"}
}

// rewrites reports a field whose values clients write in another form than users.
func (f *field) rewrites() error {
	end, ok := f.leaf()
	if !ok || f.path()[0] == "status" {
		return nil
	}
	values := variants(end.typ)
	if len(values) == 0 {
		return nil
	}
	for _, v := range append(values, samples(end.schema)...) {
		t, err := f.trip(wrap(end.path, v))
		if err != nil {
			return err
		}
		if t == nil || t.unreadable != nil || !t.present || equal(t.sent, t.stored) {
			continue
		}
		f.report(rewritten, "compare values of the field by what they mean", "Go clients that update %s send %s", text(f.with(t.stored)), text(f.with(t.sent)))
		answer, err := f.in.handle(f.in.ctx, crd.Request{Object: f.with(t.sent), Stored: f.with(t.stored)})
		if err != nil {
			return err
		}
		if errs := f.refusals(answer); len(errs) > 0 {
			f.report(rewrittenRefused, "allow the form that Go clients write", "Go clients that update %s send %s, which the API server refuses: %s",
				text(f.with(t.stored)), text(f.with(t.sent)), first(errs))
		}
	}
	return nil
}

// variants returns values of a type in other forms than that in which clients write them.
func variants(t *goType) []any {
	switch {
	case t.kind == source.KindBasic && t.known == nil && t.basic == "float32":
		return []any{int64(1<<24 + 1), 16777217.5}
	case t.kind == source.KindBasic && t.known == nil && t.basic == "float64":
		return []any{int64(1<<53 + 1)}
	}
	switch t.known {
	case Known()["k8s.io/apimachinery/pkg/api/resource.Quantity"]:
		return []any{"0.5", "1000m", "1024Mi", "1e3", "1.0", int64(1)}
	case Known()["k8s.io/apimachinery/pkg/apis/meta/v1.Duration"]:
		return []any{"60s", "60m", "1h", "1000ms", "0.5s"}
	case Known()["k8s.io/apimachinery/pkg/apis/meta/v1.Time"]:
		return []any{"2026-01-01T01:00:00+01:00", "2026-01-01T00:00:00.5Z"}
	case Known()["k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime"]:
		return []any{"2026-01-01T01:00:00.000000+01:00"}
	}
	return nil
}
