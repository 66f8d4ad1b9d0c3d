package generator

import (
	"cmp"
	"fmt"
	"go/ast"
	"slices"
	"strings"
	"unicode"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/markers"
	"github.com/schemagen/schemagen/structural"
)

// namedField is a field with its name in JSON.
type namedField struct {
	field *fieldDecl
	name  string
}

// structType makes the draft of a struct from the fields of its declaration.
func (b *builder) structType(t *typeDecl) *draft {
	d := b.node(t.file, t.spec.Name.Pos())
	d.Type = "object"
	d.object = true
	oneOf := b.oneOfFields(t)
	optional := t.pkg.describe().optional
	var required []string
	var inUnions []namedField
	var immutable []namedField
	onlyExported := *t.pkg.settings().IgnoreUnexportedFields
	for _, field := range t.structFields() {
		if field.name != "" && onlyExported && !ast.IsExported(field.name) {
			continue
		}
		jsonTag, hasTag := field.tag.Lookup("json")
		if !hasTag {
			b.missingTag(t, field)
			continue
		}
		if jsonTag == "-" || field.markers.get("schemagen:omit") != nil {
			continue // a tag of "-," means the name "-"
		}
		name, jsonOptions, _ := strings.Cut(jsonTag, ",")
		inline, omit, quoted := name == "", false, false
		for option := range strings.SplitSeq(jsonOptions, ",") {
			inline = inline || option == "inline"
			omit = omit || option == "omitempty" || option == "omitzero"
			quoted = quoted || option == "string"
		}
		isRequired, explicit := b.requires(field, optional, inline || omit)
		if isRequired && slices.Contains(oneOf, name) {
			problem, hint := "and cannot be marked as required", "remove the marker"
			if !explicit {
				problem, hint = "and must have an omitempty or omitzero tag", "add omitempty to its json tag"
			}
			b.reporter.errorf(codeOneOf, t.pkg, field.pos, hint, "field %s is part of a one-of constraint %s", name, problem)
		} else if isRequired {
			required = append(required, name)
		}

		b.reporter.via = append(b.reporter.via, step{t.pkg, field.pos, t.spec.Name.Name + "." + field.label()})
		var node *draft
		switch schema := field.markers.get(schemaMarkerName); {
		case schema != nil:
			node = b.schemaNode(t.file, field.pos, t.pkg, schema)
		case field.markers.get(crdmarkers.SchemalessName) != nil:
			node = b.node(t.file, field.pos)
		case quoted && t.pkg.enabled(markers.FeatureStringOption):
			node = b.quoted(t.file, field.typ)
		default:
			node = b.expr(t.file, field.typ, nil)
			if quoted {
				b.checkQuoted(t, field)
			}
		}
		node.origin.Pos = field.pos
		node.Description = cmp.Or(node.Description, field.doc)
		b.applyMarkers(node, field.markers, nil)
		own, above := b.declarativeEdits(t.pkg, field.markers, name)
		node.edits = append(node.edits, own...)
		d.edits = append(d.edits, above...)
		b.reporter.via = b.reporter.via[:len(b.reporter.via)-1]

		if inline {
			d.allOf = append(d.allOf, node)
			b.checkInlined(t, field)
			continue
		}
		if field.markers.get("k8s:immutable") != nil {
			immutable = append(immutable, namedField{field, name})
		}
		if field.markers.isUnion() {
			inUnions = append(inUnions, namedField{field, name})
		}
		if d.setProperty(name, node) {
			b.reporter.add(codeDuplicate, diag.Warning, t.pkg, field.pos,
				fmt.Sprintf("JSON name %q stands twice in %s; the last field counts", name, t), "give each field its own name")
		}
	}
	if len(inUnions) > 0 {
		d.edits = append(d.edits, b.unionEdits(t, inUnions)...)
	}
	if len(required) > 0 {
		slices.Sort(required)
		d.validation().Required = slices.Compact(required)
	}
	for _, f := range immutable {
		// The field's own rule does not run when the field is removed.
		if !slices.Contains(required, f.name) {
			d.XValidations = append(d.XValidations, structural.Rule{
				Rule:    fmt.Sprintf("!has(oldSelf.%s) || has(self.%s)", f.name, f.name),
				Message: fmt.Sprintf("field %s is immutable once set", f.name),
			})
			d.origin.Keywords = append(d.origin.Keywords, structural.KeywordOrigin{Keyword: rulesKeyword, Pos: f.field.markers.get("k8s:immutable").Pos})
		}
	}
	return d
}

func (b *builder) missingTag(t *typeDecl, field *fieldDecl) {
	if field.name == "" {
		b.reporter.errorf(codeNoTag, t.pkg, field.pos, "add `json:\",inline\"`, or `json:\"-\"` if it is not part of the API",
			"embedded field without a json tag in type %s", t)
		return
	}
	hint := "add `json:\"-\"`"
	if name := jsonName(field.name); name != "_" {
		hint = fmt.Sprintf("add `json:%q`, or `json:\"-\"` if it is not part of the API", name)
	}
	b.reporter.errorf(codeNoTag, t.pkg, field.pos, hint,
		"field %s without a json tag in type %s", field.name, t)
}

// jsonName is the name that a field would have by convention: its initial
// letters in lower case, up to the one that begins the next word.
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

// requires reports whether a field is required, and whether a marker says so.
// Markers of Kubebuilder come before Kubernetes' own, and optional before
// required; without any, what Go may leave out is optional.
func (b *builder) requires(field *fieldDecl, packageOptional, mayBeAbsent bool) (required, explicit bool) {
	has := func(name string) bool { return field.markers.get(name) != nil }
	switch {
	case has("kubebuilder:validation:Optional"):
		return false, true
	case has("kubebuilder:validation:Required"):
		return true, true
	case has("optional"), has("k8s:optional"):
		return false, true
	case has("required"), has("k8s:required"):
		return true, true
	}
	return !packageOptional && !mayBeAbsent, false
}

// oneOfFields returns the field names of the type's ExactlyOneOf, AtMostOneOf
// and AtLeastOneOf markers.
func (b *builder) oneOfFields(t *typeDecl) []string {
	var names []string
	for _, m := range t.markers {
		var fields []string
		switch value := m.Value.(type) {
		case crdmarkers.ExactlyOneOf:
			fields = value
		case crdmarkers.AtMostOneOf:
			fields = value
		case crdmarkers.AtLeastOneOf:
			fields = value
		}
		for _, field := range fields {
			if strings.Contains(field, ".") {
				b.reporter.errorf(codeOneOf, t.pkg, m.Pos, "put the marker on the type that has the field", "%s: cannot reference nested field %s", m.Name, field)
			}
		}
		names = append(names, fields...)
	}
	return names
}

// quotable returns the kind of basic type that the json option "string" writes
// as a string; empty if it has no effect on the type.
func quotable(f *file, expr ast.Expr) string {
	if star, ok := expr.(*ast.StarExpr); ok {
		expr = star.X
	}
	body := underlyingOf(f, expr)
	if typ, _ := basicSchema(body.basic); body.kind == kindBasic {
		return typ
	}
	return ""
}

// quoted makes the draft of a field with the json option "string": a number or
// a boolean in quotes.
func (b *builder) quoted(f *file, expr ast.Expr) *draft {
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

// checkQuoted warns of a field whose JSON is a string but whose schema is not.
func (b *builder) checkQuoted(t *typeDecl, field *fieldDecl) {
	if kind := quotable(t.file, field.typ); kind != "" && kind != "string" {
		b.reporter.add(codeQuoted, diag.Warning, t.pkg, field.pos,
			fmt.Sprintf("field %s is written as a string in JSON, but its schema says %s", field.label(), kind),
			"remove the json option \"string\", or write // +schemagen:enable=string-option beside the package clause")
	}
}

// checkInlined warns of an inlined struct that is marked as required: its fields
// say so themselves. Marked as optional it is what it seems to be.
func (b *builder) checkInlined(t *typeDecl, field *fieldDecl) {
	for _, name := range []string{"required", "k8s:required", "kubebuilder:validation:Required"} {
		if m := field.markers.get(name); m != nil {
			b.reporter.add(codeWrongTarget, diag.Warning, t.pkg, m.Pos, "+"+name+" on an inlined struct requires a property without a name, so that no object is valid", "put it on the fields of the struct")
		}
	}
}
