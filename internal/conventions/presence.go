package conventions

import (
	"bytes"
	"regexp"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/conventions/clients"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// This file has the rules about fields that are missing: what markers, json tags and Go types
// say about that.

const optional, required = "+" + markers.PlainOptionalName, "+" + markers.PlainRequiredName

// presence returns the marker of a field that makes it required or optional, or nil.
func (f *field) presence() (found *markers.Marker) {
	for _, m := range f.Markers {
		if p := m.Presence(); p != markers.NoPresence && (found == nil || p < found.Presence()) {
			found = m
		}
	}
	return found
}

// omits reports whether a client that is written in Go leaves out an unset value of the field.
func (f *field) omits() bool {
	return f.tag.Has(f.omitOption()) || f.tag.Has("omitzero")
}

// omitOption returns the json option that omits an unset value: omitempty has no effect on
// structs and arrays.
func (f *field) omitOption() string {
	if kind := f.underlying().Kind; (kind == source.KindStruct || kind == source.KindArray) && !f.IsPointer() {
		return "omitzero"
	}
	return "omitempty"
}

// omitting returns the json tag with which [field.omits] holds.
func (f *field) omitting() string {
	return strings.Join(append([]string{f.name, f.omitOption()}, f.tag.Others("omitempty")...), ",")
}

// fixPresence adds the fix that gives a field a marker, unless it is empty, and a tag with which
// it is omitted.
func (p *pass) fixPresence(d *diag.Diagnostic, f *field, marker string) {
	written := report.FieldAt(f.owner.File, f.Pos)
	if written == nil || len(written.Names) > 1 {
		return
	}
	var edits []*markers.Edit
	var message []string
	if marker != "" {
		edits = append(edits, p.MarkerAbove(f.owner.File, written.Pos(), marker))
		message = append(message, "// "+marker)
	}
	if p.kind != unmarked && p.kind != requiredStatus && !f.omits() {
		edits = append(edits, report.SetTag(written, "json", f.omitting()))
		message = append(message, "`json:\""+f.omitting()+"\"`")
	}
	p.Fix(d, "write "+strings.Join(message, " and "), edits...)
}

// marked reports a field without a marker that makes it optional or required.
func (p *pass) marked(f *field) {
	if f.presence() != nil || f.schema.Default != nil {
		return // defaulted reports those with a default
	}
	marker := optional
	if f.isRequired() {
		marker = required
	}
	d := p.report(f, f.Pos, "write // "+marker+", which keeps the schema", "field %s is marked neither as optional nor as required", f.name)
	p.fixPresence(d, f, marker)
}

// defaultOfRequired reports a required field with a default.
func (p *pass) defaultOfRequired(f *field) {
	if m := f.presence(); m != nil && m.Presence().Required() && f.schema.Default != nil {
		p.report(f, m.Pos, "remove the default, or make the field optional", "field %s is required and has a default, so that clients never have to set it", f.name)
	}
}

// defaulted reports a field with a default that is not marked as optional, or that Go clients
// always write.
func (p *pass) defaulted(f *field) {
	m := f.presence()
	if f.schema.Default == nil || m != nil && (m.Presence().Required() || f.omits()) {
		return
	}
	marker := ""
	var problems, remedies []string
	if m == nil {
		marker = optional
		problems = append(problems, "it is not marked as optional")
		remedies = append(remedies, "// "+optional)
	}
	if !f.omits() {
		problems = append(problems, "Go clients "+f.sentForDefault())
		remedies = append(remedies, "`json:\""+f.omitting()+"\"`")
	}
	d := p.report(f, f.Pos, "write "+strings.Join(remedies, " and "), "field %s has a default, but %s", f.name, strings.Join(problems, ", and "))
	p.fixPresence(d, f, marker)
}

// sentForDefault describes what Go clients send for a field with a default that they do not set and do
// not omit, and whether the default replaces it. The API server also sets a default for null where null
// is not allowed.
func (f *field) sentForDefault() string {
	sent, known := clients.Unset(f.owner.File, f.Type, f.tag)
	if !known {
		return "always write it, and the default replaces only a missing field"
	}
	consequence := "which the default does not replace"
	switch {
	case sent == "null" && !f.schema.Nullable:
		consequence = "which the API server replaces with the default only because the field is not nullable"
	case sent == string(f.schema.Default.Raw):
		consequence = "which is the default, and own the field in server-side apply"
	}
	return "that do not set it send " + sent + ", " + consequence
}

// omitted reports an optional field that Go clients write although it is unset.
func (p *pass) omitted(f *field) {
	if f.isRequired() || f.omits() || f.schema.Default != nil {
		return
	}
	d := p.report(f, f.Pos, "write `json:\""+f.omitting()+"\"`", "optional field %s is written by Go clients that do not set it", f.name)
	p.fixPresence(d, f, "")
}

// optionalZero reports an optional field whose zero value is valid, but cannot be written.
func (p *pass) optionalZero(f *field) {
	if zero := f.zero(); zero != "" && !f.isRequired() && f.omits() {
		p.report(f, f.Pos, "make it a pointer, or exclude the value with a bound", "Go clients cannot set optional field %s to %s, which is valid: they omit it", f.name, zero)
	}
}

// requiredZero reports a required field whose zero value is valid, and written by Go clients
// that forgot it.
func (p *pass) requiredZero(f *field) {
	if zero := f.zero(); zero != "" && f.isRequired() {
		p.report(f, f.Pos, "make it a pointer with omitempty, or exclude the value with a bound", "Go clients that do not set required field %s send %s, which is valid", f.name, zero)
	}
}

// requiredOmitted reports a required field that Go clients write although it is unset.
func (p *pass) requiredOmitted(f *field) {
	if m := f.presence(); m == nil || !m.Presence().Required() || f.omits() || f.schema.Default != nil || f.zero() != "" {
		return
	}
	d := p.report(f, f.Pos, "write `json:\""+f.omitting()+"\"`", "Go clients that do not set required field %s send a value that is not valid, and get an error about that", f.name)
	p.fixPresence(d, f, "")
}

// statusField reports a required field of a status.
func (p *pass) statusField(f *field) {
	if f.status == nil || !f.status.Requires(f.name) {
		return
	}
	hint := "write // " + optional
	if f.isElsewhere {
		hint = "declare a struct for the status in which it is optional: the field is used outside of a status, too"
	}
	d := p.report(f, f.Pos, hint, "field %s of the status is required, so that controllers cannot write a part of it", f.name)
	if f.presence() == nil && !f.isElsewhere {
		p.fixPresence(d, f, optional)
	}
}

// zero returns the zero value of a field whose type is a basic one and not a pointer, in JSON.
// It is empty for other fields, and if the schema does not allow the value.
func (f *field) zero() string {
	body := f.underlying()
	if f.IsPointer() || body.Kind != source.KindBasic {
		return ""
	}
	zero := ""
	refused := func(v *structural.ValueValidation) bool {
		return len(v.Enum) > 0 && !slices.ContainsFunc(v.Enum,
			func(value structural.JSON) bool { return bytes.Equal(bytes.TrimSpace(value.Raw), []byte(zero)) })
	}
	switch f.schema.Type {
	case "boolean":
		zero = "false"
	case "integer", "number":
		zero = "0"
	case "string":
		zero = `""`
	default:
		return ""
	}
	if holds(f.schema, func(v *structural.ValueValidation) bool {
		switch {
		case refused(v):
			return true
		case zero == "0":
			return v.Minimum != nil && (*v.Minimum > 0 || *v.Minimum == 0 && v.ExclusiveMinimum) ||
				v.Maximum != nil && (*v.Maximum < 0 || *v.Maximum == 0 && v.ExclusiveMaximum)
		case zero == `""`:
			return v.MinLength != nil && *v.MinLength > 0 || v.Format != "" || v.Pattern != "" && !matchesEmpty(v.Pattern)
		}
		return false
	}) {
		return ""
	}
	return zero
}

// matchesEmpty reports whether a pattern matches the empty string.
func matchesEmpty(pattern string) bool {
	r, err := regexp.Compile(pattern)
	return err == nil && r.MatchString("")
}
