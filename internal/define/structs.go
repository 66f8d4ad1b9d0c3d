package define

import (
	"cmp"
	"fmt"
	"go/ast"
	"slices"
	"unicode"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/edits"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/notes"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// structType returns the draft of a struct, built from its fields.
func (b *Builder) structType(t *source.Type) *draft {
	d := b.node(t.File, t.Spec.Name.Pos())
	d.Type = "object"
	d.object = true
	d.origin.Absent = absentFields(t)
	start := b.Reporter.Findings()
	oneOf := b.oneOfFields(t)
	d.origin.Mistake = b.Reporter.MistakeSince(start)
	optional := b.Optional(t.Pkg)
	var required []string
	var fields []source.NamedField
	var immutable []source.NamedField
	index := map[string]int{}
	onlyExported := *b.Run.settingsOf(t.Pkg).IgnoreUnexportedFields
	for _, field := range t.Fields() {
		if b.Run.stopped() {
			break
		}
		if field.Name != "" && onlyExported && !ast.IsExported(field.Name) {
			fieldChecker{b}.checkExported(t, field, "neither the schema nor encoding/json has field %s, although its JSON name is %q: it is not exported")
			continue
		}
		tag := field.JSON()
		if !tag.IsSet {
			b.missingTag(t, field)
			if !t.Pkg.Local() || !ast.IsExported(field.Name) || t.Marshals("MarshalJSON") {
				d.origin.Mistake = notes.InShape
				continue
			}
			// Rules are checked as if the field had the tag that is proposed.
			node := b.expr(t.File, field.Type, nil)
			node.origin.Mistake = max(node.origin.Mistake, notes.InKeywords)
			d.setProperty(index, jsonName(field.Name), node)
			continue
		}
		if tag.Excluded || field.Markers.Get(markers.OmitName) != nil {
			continue
		}
		name := tag.Name
		inline := name == "" || tag.Has("inline")
		quoted := tag.Has("string")
		fieldChecker{b}.checkField(t, field, tag)
		isRequired, explicit := b.Requires(field, optional, inline || tag.Omits())
		if isRequired && slices.Contains(oneOf, name) {
			problem := "and must not be marked as required"
			hint := "remove the marker"
			if !explicit {
				problem = "and must have an omitempty or omitzero tag"
				hint = "add omitempty to its json tag"
			}
			found := b.Reporter.Report(report.InvalidOneOf, t.Pkg.At(field.Pos), hint, "field %s is part of a one-of constraint %s", name, problem)
			if !explicit {
				b.fixTag(found, t, field, tag.Text+",omitempty")
			}
			d.origin.Mistake = max(d.origin.Mistake, notes.InKeywords)
		} else if isRequired {
			required = append(required, name)
		}

		b.Reporter.Enter(t.Pkg.At(field.Pos), t.Spec.Name.Name+"."+field.Label())
		var node *draft
		switch schema := field.Markers.Get(markers.SchemaName); {
		case schema != nil:
			node = b.schemaNode(t.File, field.Pos, t.Pkg, schema)
		case field.Markers.Get(crdmarkers.SchemalessName) != nil:
			node = b.node(t.File, field.Pos)
		case quoted && b.Run.Enabled(t.Pkg, markers.FeatureStringOption):
			node = b.quoted(t.File, field.Type)
		default:
			node = b.expr(t.File, field.Type, nil)
		}
		node.origin.Pos = field.Pos
		node.origin.Pointer = field.IsPointer()
		b.countClosed(field, node)
		if node.metadata != nil {
			node.metadata.Pos = field.Pos
		}
		node.Description = cmp.Or(node.Description, field.Doc)
		b.applyMarkers(node, field.Markers, nil)
		known := b.Reporter.Findings()
		own, parent := b.Run.edits.Declarative(t.Pkg, field.Markers, name)
		node.origin.Mistake = max(node.origin.Mistake, mistakeOf(field.Malformed), b.Reporter.MistakeSince(known))
		node.edits = append(node.edits, own...)
		if quoted && quotable(t.File, field.Type) != "" {
			node.edits = append(node.edits, &edits.Edit{Pkg: t.Pkg, Pos: field.Pos, Op: checkQuoted{b.Reporter, field.Label()}})
		}
		d.edits = append(d.edits, parent...)
		b.Reporter.Leave()

		if inline {
			node.inlined = &inlinedField{t, field, tag}
			d.allOf = append(d.allOf, node)
			b.checkInlinedMarkers(t, field)
			continue
		}
		if field.Markers.Get(markers.TagImmutableName) != nil {
			immutable = append(immutable, source.NamedField{Field: field, Name: name})
		}
		fields = append(fields, source.NamedField{Field: field, Name: name})
		if d.setProperty(index, name, node) {
			b.Reporter.Report(report.DuplicateField, t.Pkg.At(field.Pos), "give each field its own name",
				"duplicate JSON name %q in %s; the last field takes precedence", name, t)
		}
	}
	for _, m := range t.Markers {
		if len(oneOfNames(m)) > 1 {
			d.edits = append(d.edits, &edits.Edit{Pkg: t.Pkg, Pos: m.Pos, Name: m.Name, Op: checkDefaults{b.Reporter, m}})
		}
	}
	for _, s := range b.Run.structs {
		d.edits = append(d.edits, s.Edits(t, fields)...)
	}
	if len(required) > 0 {
		slices.Sort(required)
		d.validation().Required = slices.Compact(required)
	}
	for _, f := range immutable {
		// A field's own rule is not evaluated when the field is removed.
		if slices.Contains(required, f.Name) {
			continue
		}
		m := f.Field.Markers.Get(markers.TagImmutableName)
		name, ok := b.ruleName(f.Name)
		if !ok {
			b.Reporter.Report(report.MarkerDoesNotFit, t.Pkg.At(m.Pos), "rename the field, or require it", "+%s: CEL rules cannot read the field %s", m.Name, f.Name)
			d.origin.Mistake = max(d.origin.Mistake, notes.InKeywords)
			continue
		}
		d.XValidations = append(d.XValidations, structural.Rule{
			Rule:    fmt.Sprintf("!has(oldSelf.%s) || has(self.%s)", name, name),
			Message: fmt.Sprintf("field %s is immutable once set", f.Name),
		})
		d.origin.Keywords = append(d.origin.Keywords, structural.KeywordOrigin{Keyword: keywords.Rules, Pos: m.Pos})
	}
	return d
}

// countClosed records that markers of a field list the permitted values of the field or of
// its elements.
func (b *Builder) countClosed(f *source.Field, node *draft) {
	if node.ref != nil && f.Markers.Get(markers.ValuesName) != nil {
		b.Run.usesOf(node.ref).closed++
	}
	if node.items != nil && node.items.ref != nil && f.Markers.Get(markers.ItemValuesName) != nil {
		b.Run.usesOf(node.items.ref).closed++
	}
}

func (b *Builder) missingTag(t *source.Type, field *source.Field) {
	if field.Name == "" {
		d := b.Reporter.Report(report.MissingJSONTag, t.Pkg.At(field.Pos), "add `json:\",inline\"`, or `json:\"-\"` if it is not part of the API",
			"embedded field without a json tag in type %s", t)
		b.fixTag(d, t, field, ",inline")
		return
	}
	hint := "add `json:\"-\"`: encoding/json ignores the field; or set crd.ignoreUnexportedFields in schemagen.yaml, or export the field"
	tag := "-"
	if ast.IsExported(field.Name) {
		tag = jsonName(field.Name)
		if field.IsPointer() {
			tag += ",omitempty" // null would not be valid
		}
		hint = fmt.Sprintf("add `json:%q`, or `json:\"-\"` if it is not part of the API", tag)
	}
	if t.Pkg.Local() && t.Marshals("MarshalJSON") {
		hint += fmt.Sprintf("; or say what MarshalJSON of %s writes: +kubebuilder:validation:XIntOrString, +kubebuilder:validation:Type=…", t.Spec.Name.Name)
	}
	d := b.Reporter.Report(report.MissingJSONTag, t.Pkg.At(field.Pos), hint,
		"field %s without a json tag in type %s", field.Name, t)
	if f := report.FieldAt(t.File, field.Pos); f != nil && len(f.Names) == 1 {
		b.fixTag(d, t, field, tag)
	}
}

// fixTag adds to a diagnostic the fix that gives a field another json tag.
func (b *Builder) fixTag(d *diag.Diagnostic, t *source.Type, field *source.Field, tag string) {
	if t.Pkg.Local() {
		b.Reporter.Fix(d, fmt.Sprintf("write `json:%q`", tag), report.SetTag(report.FieldAt(t.File, field.Pos), "json", tag))
	}
}

// jsonName returns the conventional JSON name of a field: the name with its initial
// uppercase letters lowered, except for the one that begins the next word.
func jsonName(name string) string {
	runes := []rune(name)
	for i, r := range runes {
		if !unicode.IsUpper(r) || i > 0 && i+1 < len(runes) && unicode.IsLower(runes[i+1]) {
			break
		}
		runes[i] = unicode.ToLower(r)
	}
	return string(runes)
}

// Optional reports whether the fields of a package are optional by default.
func (b *Builder) Optional(p *source.Package) bool { return b.Run.Describe(p).optional }

// Requires reports whether a field is required, and whether a marker determines that.
// Without a marker, a field is optional if the package makes it so or if Go may omit it.
func (b *Builder) Requires(field *source.Field, packageOptional, mayBeAbsent bool) (required, explicit bool) {
	presence := markers.NoPresence
	for _, m := range field.Markers {
		if p := m.Presence(); p != markers.NoPresence && (presence == markers.NoPresence || p < presence) {
			presence = p
		}
	}
	if presence != markers.NoPresence {
		return presence.Required(), true
	}
	return !packageOptional && !mayBeAbsent, false
}

// quotable returns the schema type of a basic type that the json option "string" encodes as
// a string, or the empty string if the option has no effect on the type.
func quotable(f *source.File, expr ast.Expr) string {
	expr = source.Pointee(expr)
	if name, why := f.Resolve(expr); why == nil && name.Type != nil && (name.Type.Marshals("MarshalJSON") || name.Type.Marshals("MarshalText")) {
		return ""
	}
	body := source.UnderlyingOf(f, expr)
	if typ, _ := BasicSchema(body.Basic); body.Kind == source.KindBasic {
		return typ
	}
	return ""
}

// quoted returns the draft of a field with the json option "string". A number or a boolean
// becomes a string.
func (b *Builder) quoted(f *source.File, expr ast.Expr) *draft {
	kind := quotable(f, expr)
	if kind == "" || kind == "string" {
		return b.expr(f, expr, nil)
	}
	d := b.node(f, expr.Pos())
	d.Type = "string"
	switch kind {
	case "integer":
		d.validation().Pattern = `^-?[0-9]+$`
	case "boolean":
		d.validation().Enum = []structural.JSON{{Raw: []byte(`"true"`)}, {Raw: []byte(`"false"`)}}
	}
	return d
}
