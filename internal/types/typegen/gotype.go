package typegen

import (
	"encoding/json"
	"fmt"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"unicode"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/structural"
)

// A builder turns the schemas of one package into Go types.
type builder struct {
	*groupVersion
	digests
	options *Options
	known   *wellKnown
	// kept are the nodes that are written as schemas, because Go types and markers do not
	// give them back.
	kept map[place]bool
	// style are the differences without a meaning that the proof has found.
	style map[string]bool

	found []*goType
	byKey map[typeKey]*goType
	fails []failure
}

// typeKey identifies types that are the same before merging.
type typeKey struct {
	body   digest
	stem   string
	doc    string
	anyDoc bool
}

// A failure is a node that cannot be written.
type failure struct {
	// kind is nil if it is one of the kinds that have the schema. keyword is the schema's keyword, or
	// empty.
	kind    *kind
	schema  *structural.Schema
	keyword string
	message string
	hint    string
}

// A use is a node of a schema and where it is used.
type use struct {
	kind *kind
	// path has the kind and the names of fields, in the singular for elements.
	path *step
	// name is the JSON name of the field.
	name string
	// doc is the description that the type needs; anyDoc is set if it may have any.
	doc    string
	anyDoc bool
	// field gets the markers for the node, which is at the place.
	field *field
	at    place
}

// build creates the types of all kinds and names them.
func (b *builder) build() {
	b.byKey = map[typeKey]*goType{}
	for _, k := range b.kinds {
		k.root = &goType{kind: k, body: b.body(k.schema), doc: k.schema.Description,
			paths: []*step{pathOf(k.object.Spec.Names.Kind)}, usedBy: []*kind{k}}
		b.found = append(b.found, k.root)
		b.rootFields(k)
	}
	b.merge()
	b.name()
	b.place()
}

// rootFields fills the struct of a kind.
func (b *builder) rootFields(k *kind) {
	t := k.root
	s := k.schema
	t.markers = b.objectMarkers(k)
	t.markers = append(t.markers, b.structMarkers(s)...)
	t.markers = append(t.markers, b.rootMarkers(s)...)
	t.open = s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
	required := requiredOf(s)
	for _, p := range s.Properties {
		switch p.Name {
		case "apiVersion", "kind":
		case "metadata":
			for _, restricted := range p.Schema.Properties {
				if !token.IsIdentifier(restricted.Name) {
					b.fail(k, restricted.Schema, "", "%q is not a field of metadata", restricted.Name)
				}
			}
		default:
			t.fields = append(t.fields, b.structField(k, t, p, t.paths[0], required))
		}
	}
	sortFields(t, func(f *field) int { return rootOrder(f.json) })
}

func rootOrder(name string) int {
	switch name {
	case "spec":
		return -1
	case "status":
		return 1
	}
	return 0
}

// sortFields puts required fields first, and gives all fields their names.
func sortFields(t *goType, order func(*field) int) {
	slices.SortStableFunc(t.fields, func(a, c *field) int {
		if d := order(a) - order(c); d != 0 {
			return d
		}
		switch {
		case a.required == c.required:
			return 0
		case a.required:
			return -1
		}
		return 1
	})
	taken := takenNames{"DeepCopy": 1, "DeepCopyInto": 1, "DeepCopyObject": 1}
	if t.kind != nil {
		for _, name := range objectNames() {
			taken[name] = 1
		}
	}
	for _, f := range t.fields {
		words := wordsOf(f.json)
		if len(words) == 0 {
			words = []string{"field"}
		}
		f.name = taken.free(goName(words...))
	}
}

// objectNames returns the names that a field of a kind must not have: those of the embedded
// structs, and of methods of theirs without which it would be no object.
func objectNames() []string {
	out := []string{"TypeMeta", "ObjectMeta"}
	for _, object := range []reflect.Type{
		reflect.TypeFor[runtime.Object](), reflect.TypeFor[metav1.ObjectMetaAccessor](), reflect.TypeFor[metav1.Object](),
	} {
		for i := range object.NumMethod() {
			out = append(out, object.Method(i).Name)
		}
	}
	return out
}

// requiredOf returns the names of the required properties.
func requiredOf(s *structural.Schema) map[string]bool {
	out := map[string]bool{}
	if s.ValueValidation != nil {
		for _, name := range s.Required {
			out[name] = true
		}
	}
	return out
}

// structField returns the field for a property.
func (b *builder) structField(k *kind, t *goType, p structural.Property, path *step, required map[string]bool) *field {
	f := &field{json: p.Name, at: place{body: t.body, field: p.Name}, required: required[p.Name]}
	s := p.Schema
	if !isTagName(p.Name) {
		const hint = "names in json tags consist of letters, digits and punctuation, " +
			"without quotation marks, backquotes, backslashes and commas"
		b.fail(k, s, hint, "no json tag can have the name %q", p.Name)
	}
	var marker string
	f.doc, marker = fieldDoc(s.Description)
	if marker != "" {
		f.markers = append(f.markers, marker)
	}
	if f.required {
		f.markers = append(f.markers, "required")
	} else {
		f.markers = append(f.markers, "optional")
	}
	u := use{kind: k, path: path.child(p.Name), name: p.Name, anyDoc: s.Description != "", field: f, at: f.at}
	f.typ = b.node(s, u)
	b.presence(t, f, s)
	return f
}

// isTagName reports whether package encoding/json uses a name in a tag. It ignores others.
func isTagName(name string) bool {
	return name != "" && !strings.ContainsFunc(name, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r)
	})
}

// presence decides whether a field is a pointer and whether it is omitted if it is empty.
func (b *builder) presence(t *goType, f *field, s *structural.Schema) {
	if !f.required {
		f.omit = "omitempty"
	}
	value := f.typ.prefix == "" && !s.Nullable && (f.typ.name == "ObjectMeta" || t.kind != nil && (f.json == "spec" || f.json == "status") && f.typ.typ != nil)
	if value {
		if !f.required {
			f.omit = "omitzero" // omitempty would add {} to objects without the field
		}
		return
	}
	if f.typ.prefix != "" {
		return // a list or a map, whose zero value is nil
	}
	if s.Nullable || !f.required && (s.Type == "object" || zeroIsValid(s)) {
		f.typ.prefix = "*"
	}
}

// zeroIsValid reports whether the zero value of the Go type of a node that is not an object
// is valid.
func zeroIsValid(s *structural.Schema) bool {
	v := s.ValueValidation
	if s.Type == "string" && v != nil && v.Format == "date-time" {
		return true // metav1.Time: it would be encoded as null
	}
	if v == nil {
		return true
	}
	if len(v.Enum) > 0 {
		zero := map[string]string{"string": `""`, "integer": "0", "number": "0", "boolean": "false"}[s.Type]
		return slices.ContainsFunc(v.Enum, func(j structural.JSON) bool { return string(j.Raw) == zero })
	}
	switch s.Type {
	case "string":
		return v.MinLength == nil || *v.MinLength == 0
	case "integer", "number":
		return !(v.Minimum != nil && (*v.Minimum > 0 || *v.Minimum == 0 && v.ExclusiveMinimum) ||
			v.Maximum != nil && (*v.Maximum < 0 || *v.Maximum == 0 && v.ExclusiveMaximum))
	}
	return true
}

// node returns the Go type for a node, and adds the markers that it needs to the field.
func (b *builder) node(s *structural.Schema, u use) expr {
	if b.kept[u.at] {
		b.keep(s, u)
		probe := u
		probe.field = &field{} // its markers would have no effect
		return b.typeOf(s, probe)
	}
	if u.at.rest != "" && s.Default != nil {
		b.mark(u, marker{text: "default=" + string(s.Default.Raw)})
	} else if s.Default != nil {
		text := defaultMarker(s.Default)
		b.checkLength(s, "default", text)
		b.mark(u, marker{text: text})
	}
	if s.Nullable {
		b.mark(u, marker{text: "nullable"})
	}
	return b.typeOf(s, u)
}

// keep writes the schema of a node into a marker.
func (b *builder) keep(s *structural.Schema, u use) {
	props := s.Props()
	if u.at.rest == "" {
		props.Description = ""
	}
	u.field.kept = append(u.field.kept, u.at)
	b.mark(u, marker{text: "schemagen:schema=" + fragment(props)})
}

// typeOf returns the Go type for a node without its default.
func (b *builder) typeOf(schema *structural.Schema, u use) expr {
	if e, ok := b.knownType(schema, u); ok {
		return e
	}
	switch schema.Type {
	case "object":
		return b.object(schema, u)
	case "array":
		return b.array(schema, u)
	case "boolean":
		return b.leaf(schema, u, expr{name: "bool"})
	case "integer":
		return b.integer(schema, u)
	case "number":
		if !b.options.AllowDangerousTypes {
			b.fail(u.kind, schema, "allow floats with --allow-dangerous-types", "a number has no safe Go type")
		}
		return b.leaf(schema, u, expr{name: "float64"})
	case "string":
		return b.text(schema, u)
	}
	return b.untyped(schema, u)
}

func (b *builder) fail(k *kind, s *structural.Schema, hint, format string, args ...any) {
	b.fails = append(b.fails, failure{kind: k, schema: s, message: fmt.Sprintf(format, args...), hint: hint})
}

// checkLength refuses a keyword whose marker would be too long.
func (b *builder) checkLength(s *structural.Schema, keyword, text string) {
	if len(text)+len("+") > markers.MaxLength {
		message := fmt.Sprintf("the marker for %s would be longer than %d bytes", keyword, markers.MaxLength)
		b.fails = append(b.fails, failure{schema: s, keyword: keyword, message: message})
	}
}

// leaf adds the markers of a node without children.
func (b *builder) leaf(s *structural.Schema, u use, e expr, implied ...string) expr {
	b.describeElement(s, u, "")
	list := b.keywordMarkers(s, implied...)
	if e.name == "IntOrString" && len(list) > 0 && u.at.rest == "" {
		b.mark(u, marker{text: validationPrefix + "XIntOrString"}) // so that markers of strings and numbers fit
	}
	for _, m := range list {
		if e.path != "" {
			m.items = "" // controller-tools wants these on the type
		}
		b.mark(u, m)
	}
	return e
}

// describeElement adds the description of an element or a value, which has no comment of its
// own; the description of a field is its comment. have is the description of the type.
func (b *builder) describeElement(s *structural.Schema, u use, have string) {
	switch {
	case u.at.rest == "" && s.Description == "" && have != "":
		b.mark(u, marker{text: "schemagen:unset=description"})
	case u.at.rest == "" || s.Description == have:
	case s.Description == "":
		b.mark(u, marker{text: "schemagen:unset=description"})
	default:
		b.mark(u, marker{text: "schemagen:text=" + quoted(s.Description)})
	}
}

func (b *builder) integer(s *structural.Schema, u use) expr {
	format := ""
	if s.ValueValidation != nil {
		format = s.Format
	}
	switch format {
	case "int32", "int64":
		return b.leaf(s, u, expr{name: format}, "type", "format")
	}
	return b.leaf(s, u, expr{name: "int"}, "type")
}

func (b *builder) text(s *structural.Schema, u use) expr {
	if s.ValueValidation != nil {
		if s.XIntOrString && s.Pattern == quantityPattern && len(s.AnyOf) == 0 && u.at.rest == "" {
			// Servers accept numbers nevertheless.
			b.mark(u, marker{text: validationPrefix + "Type=string"})
			b.mark(u, marker{text: "schemagen:unset=anyOf"})
			return b.leaf(s, u, expr{path: quantityPath, name: "Quantity"}, "type", "x-kubernetes-int-or-string", "pattern")
		}
		switch s.Format {
		case "date-time":
			return b.leaf(s, u, expr{path: metav1Path, name: "Time"}, "type", "format")
		case "byte":
			if u.at.rest == "" {
				return b.leaf(s, u, expr{prefix: "[]", name: "byte"}, "type", "format")
			}
		}
		if values := stringsOf(s.Enum); len(values) > 0 {
			return b.enum(s, u, values)
		}
	}
	return b.leaf(s, u, expr{name: "string"}, "type")
}

// stringsOf returns the values of an enum, or nil if one is not a string.
func stringsOf(enum []structural.JSON) []string {
	var out []string
	for _, value := range enum {
		var text string
		if value.Raw[0] != '"' || json.Unmarshal(value.Raw, &text) != nil {
			return nil
		}
		out = append(out, text)
	}
	return out
}

func (b *builder) enum(s *structural.Schema, u use, values []string) expr {
	t, isNew := b.typeFor(s, u)
	if isNew {
		for _, value := range values {
			t.constants = append(t.constants, constant{value: value})
		}
		for _, m := range b.keywordMarkers(s, "type") {
			t.markers = append(t.markers, m.text)
		}
	}
	return expr{typ: t}
}

func (b *builder) array(s *structural.Schema, u use) expr {
	b.leaf(s, u, expr{}, "type")
	if s.Items == nil {
		b.keep(s, u)
		return expr{prefix: "[]", path: crdV1Path, name: "JSON"}
	}
	e := b.node(s.Items, b.element(s.Items, u, "[*]"))
	e.prefix = "[]" + pointerless(s.Items, e)
	return e
}

// pointerless returns the prefix of an element type, which is a pointer only if it may be null.
func pointerless(s *structural.Schema, e expr) string {
	if s.Nullable && e.prefix == "" {
		return "*"
	}
	return e.prefix
}

// element returns the use of an element or a value.
func (b *builder) element(s *structural.Schema, u use, rest string) use {
	out := u
	out.path = u.path.element()
	out.doc = s.Description
	out.anyDoc = false
	out.at.rest += rest
	return out
}

func (b *builder) object(s *structural.Schema, u use) expr {
	open := s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
	a := s.AdditionalProperties
	switch {
	case len(s.Properties) > 0 && a == nil && !s.XEmbeddedResource:
		return b.structure(s, u)
	case len(s.Properties) == 0 && a != nil && a.Schema != nil && !s.XEmbeddedResource:
		b.leaf(s, u, expr{}, "type")
		e := b.node(a.Schema, b.element(a.Schema, u, "{*}"))
		e.prefix = "map[string]" + pointerless(a.Schema, e)
		return e
	case len(s.Properties) == 0 && a == nil && open:
		return b.leaf(s, u, expr{path: runtimePath, name: "RawExtension"}, "type", "x-kubernetes-preserve-unknown-fields")
	case len(s.Properties) == 0 && a == nil && !s.XEmbeddedResource:
		if u.name == "metadata" && u.at.rest == "" {
			return b.leaf(s, u, expr{path: metav1Path, name: "ObjectMeta"}, "type")
		}
		return b.structure(s, u)
	}
	b.keep(s, u)
	return expr{path: runtimePath, name: "RawExtension"}
}

// structure returns the struct for an object.
func (b *builder) structure(s *structural.Schema, u use) expr {
	t, isNew := b.typeFor(s, u)
	var fields []*field
	required := requiredOf(s)
	for _, p := range s.Properties {
		fields = append(fields, b.structField(u.kind, t, p, u.path, required)) // also of known types: for their names
	}
	if isNew {
		t.fields = fields
		t.open = s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
		sortFields(t, func(*field) int { return 0 })
		t.markers = append(t.markers, b.structMarkers(s)...)
	}
	return expr{typ: t}
}

// typeFor returns the type for a node, and whether it is new.
func (b *builder) typeFor(s *structural.Schema, u use) (*goType, bool) {
	key := typeKey{b.body(s), strings.Join(u.path.stem(), "."), u.doc, u.anyDoc}
	t, ok := b.byKey[key]
	if !ok {
		t = &goType{body: key.body, doc: u.doc, anyDoc: u.anyDoc}
		b.byKey[key] = t
		b.found = append(b.found, t)
	}
	t.paths = append(t.paths, u.path)
	t.usedAt = append(t.usedAt, u.at)
	if !slices.Contains(t.usedBy, u.kind) {
		t.usedBy = append(t.usedBy, u.kind)
	}
	return t, !ok
}

func (b *builder) untyped(s *structural.Schema, u use) expr {
	if s.XIntOrString {
		if s.ValueValidation != nil && s.Pattern == quantityPattern && intOrString(s) {
			return b.leaf(s, u, expr{path: quantityPath, name: "Quantity"}, "x-kubernetes-int-or-string", "anyOf", "pattern")
		}
		if !intOrString(s) {
			b.keep(s, u)
			return expr{path: intstrPath, name: "IntOrString"}
		}
		return b.leaf(s, u, expr{path: intstrPath, name: "IntOrString"}, "x-kubernetes-int-or-string", "anyOf")
	}
	e := expr{path: runtimePath, name: "RawExtension"}
	if b.known.has(crdV1Path) {
		e = expr{path: crdV1Path, name: "JSON"}
	}
	open := s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields
	if e.name == "JSON" && open && len(s.Properties) == 0 && s.Items == nil && s.AdditionalProperties == nil {
		return b.leaf(s, u, e, "x-kubernetes-preserve-unknown-fields")
	}
	b.keep(s, u)
	return e
}

// intOrString reports whether the node has the usual anyOf of an integer and a string.
func intOrString(s *structural.Schema) bool {
	if s.ValueValidation == nil || len(s.AnyOf) != 2 {
		return false
	}
	for i, want := range []string{"integer", "string"} {
		text, err := json.Marshal(s.AnyOf[i].Props())
		if err != nil || string(text) != fmt.Sprintf(`{"type":%q}`, want) {
			return false
		}
	}
	return true
}
