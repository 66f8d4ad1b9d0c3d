package absent

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/notes"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// Check reports what refers to absent properties in the definitions. Errors about rules are
// explained when the API server reports them. erased is set if something else than conditions in
// markers may have removed properties.
func Check(c *checks.Checker, definitions []*checks.Definition, erased bool) {
	if !erased && !removes(c.Program) {
		return
	}
	f := &finder{checker: c, lacking: map[*structural.Schema]bool{}}
	for _, d := range definitions {
		for version, s := range d.Schemas {
			if !f.lacks(s) {
				continue
			}
			c.FindLocalFiles()
			f.definition(d, version)
		}
	}
	if len(f.rules) > 0 {
		c.Explain = f.explain
	}
}

// removes reports whether conditions remove anything from the packages.
func removes(program *source.Program) bool {
	for p := range program.Packages() {
		if slices.ContainsFunc(p.Sources, func(f *source.File) bool { return len(f.Erased) > 0 }) {
			return true
		}
	}
	return false
}

// finder finds references to absent properties.
type finder struct {
	checker *checks.Checker
	// lacking are the schemas that were searched, with whether a property is absent from them.
	lacking map[*structural.Schema]bool
	rules   []rule
}

// rule is a rule of a schema from which a property is absent.
type rule struct {
	marker markers.Comment
	schema *structural.Schema
}

// place is a schema in a definition.
type place struct {
	definition *checks.Definition
	version    int
	schema     *structural.Schema
	path       string // of the schema in that of the version
	fields     string // the same, for messages
}

// at returns the path of a part of the schema in the definition.
func (p place) at(part string) string {
	return fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema%s%s", p.version, p.path, part)
}

// property returns the place of a property; ok is false if there is none.
func (p place) property(name string) (place, bool) {
	i := p.schema.PropertyIndex(name)
	if i < 0 {
		return place{}, false
	}
	return p.below(p.schema.Properties[i]), true
}

// below returns the place of a property of the schema.
func (p place) below(property structural.Property) place {
	return place{p.definition, p.version, property.Schema, p.path + ".properties[" + property.Name + "]", p.fields + "." + property.Name}
}

// elements returns the place of the elements of a list or the values of a map.
func (p place) elements() (place, bool) {
	if s := p.schema.Items; s != nil {
		return place{p.definition, p.version, s, p.path + ".items", p.fields + "[*]"}, true
	}
	if a := p.schema.AdditionalProperties; a != nil && a.Schema != nil {
		return place{p.definition, p.version, a.Schema, p.path + ".additionalProperties", p.fields + "{*}"}, true
	}
	return place{}, false
}

// lacks reports whether a property is absent from a schema or one below it.
func (f *finder) lacks(s *structural.Schema) bool {
	if s == nil {
		return false
	}
	known, ok := f.lacking[s]
	if ok {
		return known
	}
	lacks := len(s.Origin.Absent) > 0
	for _, child := range s.Children() {
		lacks = f.lacks(child) || lacks
	}
	f.lacking[s] = lacks
	return lacks
}

// definition searches a version of a definition.
func (f *finder) definition(d *checks.Definition, i int) {
	root := place{definition: d, version: i, schema: d.Schemas[i]}
	version := d.Object.Spec.Versions[i]
	location := func(part string) string { return fmt.Sprintf("spec.versions[%d]%s", i, part) }
	for n, column := range version.AdditionalPrinterColumns {
		f.path(root, column.JSONPath, location(fmt.Sprintf(".additionalPrinterColumns[%d].jsonPath", n)), "printer column "+column.Name)
	}
	for n, field := range version.SelectableFields {
		f.path(root, field.JSONPath, location(fmt.Sprintf(".selectableFields[%d].jsonPath", n)), "the selectable field")
	}
	if s := version.Subresources; s != nil && s.Scale != nil {
		f.path(root, s.Scale.SpecReplicasPath, location(".subresources.scale.specReplicasPath"), "the scale subresource")
		f.path(root, s.Scale.StatusReplicasPath, location(".subresources.scale.statusReplicasPath"), "the scale subresource")
		if s.Scale.LabelSelectorPath != nil {
			f.path(root, *s.Scale.LabelSelectorPath, location(".subresources.scale.labelSelectorPath"), "the scale subresource")
		}
	}
	f.schema(root)
}

// schema searches a schema and those below it.
func (f *finder) schema(p place) {
	schema := p.schema
	if !f.lacks(schema) {
		return
	}
	elements, hasElements := p.elements()
	for n, key := range schema.XListMapKeys {
		if _, exists := elements.property(key); hasElements && !exists {
			f.report(elements, key, p.at(fmt.Sprintf(".x-kubernetes-list-map-keys[%d]", n)), "the list key", len(schema.XListMapKeys) > 1)
		}
	}
	if schema.Default != nil {
		var value any
		if json.Unmarshal(schema.Default.Raw, &value) == nil {
			f.value(p, value, p.at(".default"))
		}
	}
	for n, r := range schema.XValidations {
		path := p.at(fmt.Sprintf(".x-kubernetes-validations[%d]", n))
		if r.FieldPath != "" {
			f.path(p, r.FieldPath, path+".fieldPath", "the fieldPath")
		}
		m, ok := f.checker.Marker(p.definition, path+".rule")
		if marker, list, _ := strings.Cut(m.Text, "="); strings.HasSuffix(marker, "OneOf") {
			for _, name := range strings.FieldsFunc(list, func(r rune) bool { return strings.ContainsRune(`;,{}" `, r) }) {
				f.report(p, name, path+".rule", marker, true)
			}
		} else if ok {
			f.rules = append(f.rules, rule{m, schema})
			f.constant(p, n, rule{m, schema})
		}
	}
	for _, property := range schema.Properties {
		f.schema(p.below(property))
	}
	if hasElements {
		f.schema(elements)
	}
}

// value searches a part of the default at a path.
func (f *finder) value(p place, value any, path string) {
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			if child, ok := p.property(name); ok {
				f.value(child, value[name], path)
			} else if p.schema.XPreserveUnknownFields == nil || !*p.schema.XPreserveUnknownFields {
				f.report(p, name, path, "the default", true)
			}
			if child, ok := p.elements(); ok {
				f.value(child, value[name], path)
			}
		}
	case []any:
		if child, ok := p.elements(); ok {
			for _, element := range value {
				f.value(child, element, path)
			}
		}
	}
}

// step matches a step of a JSON path: a field, or an element.
var step = lazyregexp.New(`^(?:\.((?:[^.\[\\]|\\.)+)|\['([^']*)'\]|\[[^\]]*\])`)

// path reports an absent property on a path below a schema.
func (f *finder) path(p place, path, location, what string) {
	for path != "" {
		m := step().FindStringSubmatch(path)
		if m == nil {
			return
		}
		path = path[len(m[0]):]
		name := m[1] + m[2]
		child := place{}
		ok := false
		if name != "" {
			child, ok = p.property(name)
			if !ok && f.report(p, name, location, what, true) {
				return
			}
		}
		if !ok {
			child, ok = p.elements()
			if !ok {
				return
			}
		}
		p = child
	}
}

// report reports a property that the value at a path refers to, if it is absent. The finding
// has a fix if the marker that sets the value is not the only one of its kind.
func (f *finder) report(p place, name, path, what string, fixable bool) bool {
	absent := p.schema.Origin.Lacks(name)
	if absent == nil {
		return false
	}
	pos, related := f.checker.Position(p.definition, path)
	m, ok := f.checker.Marker(p.definition, path)
	d := report.NeedsErased.At(pos, "", "%s needs %s.%s, which does not exist here: its condition is %s", what, p.fields, name, absent.Condition)
	d.Related = related
	f.add(&d, m, ok, fixable, absent)
	f.checker.Reporter.Add(d)
	return true
}

// add adds to a finding the conditions of absent properties, and how to make the marker depend on
// them.
func (f *finder) add(d *diag.Diagnostic, m markers.Comment, ok, fixable bool, absent ...*notes.Absent) {
	r := f.checker.Reporter
	for _, a := range absent {
		related := diag.Related{Pos: r.Position(a.Pos), Message: "the condition"}
		if len(absent) > 1 {
			related.Message += " of " + a.Name
		}
		d.Related = append(d.Related, related)
	}
	if !ok {
		return
	}
	if strings.HasPrefix(m.Text, "+openshift:") {
		d.Hint = "its gates have to include those of the condition: name all of them with requiredFeatureGate"
		return
	}
	condition := "+" + markers.WhenName + "(" + allOf(absent) + ")="
	d.Hint = "write " + condition + " before the marker"
	if fixable {
		r.Fix(d, "write "+condition, &markers.Edit{Pos: m.Pos, End: m.Pos, New: condition})
	} else {
		d.Hint += " and before +listType"
	}
}

// undefined matches errors about rules that read a field that does not exist.
var undefined = lazyregexp.New(`undefined field '([^']+)'`)

// The API server reports a field at the dot before it, or at the parenthesis of has().
// before matches the path from the value of a rule to the object whose field is read, and
// within the same with the field.
var (
	before = lazyregexp.New(`\b(?:self|oldSelf)((?:\.\w+)*)$`)
	within = lazyregexp.New(`^\(\s*((?:self|oldSelf)((?:\.\w+)*))\.\w+`)
)

// explain returns the finding for an error of the API server about a rule that reads absent
// properties; all others are returned unchanged.
func (f *finder) explain(diagnostic diag.Diagnostic) diag.Diagnostic {
	message := diagnostic.Message
	for _, quote := range diagnostic.Quotes {
		message += "\n" + quote.Message
	}
	var names []string // of the rule's undefined fields, in the order of errors
	for _, m := range undefined().FindAllStringSubmatch(message, -1) {
		if !slices.Contains(names, m[1]) {
			names = append(names, m[1])
		}
	}
	if len(names) == 0 {
		return diagnostic
	}
	for _, rule := range f.rules {
		head, tail, ok := f.textAt(rule.marker, diagnostic.Pos)
		if !ok {
			continue
		}
		first := f.readAt(rule, head, tail, names[0])
		if first.absent == nil {
			continue
		}
		reads := []read{first}
		for _, name := range names {
			reads = f.addReads(reads, rule, name)
		}
		what := "rule"
		if strings.Contains(diagnostic.Message, "messageExpression compilation failed") {
			what = "message"
		}
		expressions := make([]string, len(reads))
		all := make([]*notes.Absent, len(reads))
		for i, r := range reads {
			expressions[i] = r.expression
			all[i] = r.absent
		}
		out := report.ReadsErased.At(diagnostic.Pos, "", "the %s reads %s, which does not exist here: its condition is %s", what, expressions[0], all[0].Condition)
		if len(reads) > 1 {
			out.Message = fmt.Sprintf("the %s reads %s, which do not exist here: their condition is %s", what, listed(expressions), allOf(all))
		}
		f.add(&out, rule.marker, true, true, all...)
		return out
	}
	return diagnostic
}

// read is an expression of a rule that reads an absent property.
type read struct {
	expression string
	absent     *notes.Absent
}

// readAt returns what a rule reads at the position of an error, between two parts of its marker.
// Its property is nil if none is absent.
func (f *finder) readAt(r rule, head, tail, name string) (out read) {
	out.expression = name
	if m := before().FindStringSubmatch(head); m != nil {
		out = read{m[0] + "." + name, readFrom(r.schema, m[1], name)}
	} else if m := within().FindStringSubmatch(tail); m != nil {
		out = read{m[1] + "." + name, readFrom(r.schema, m[2], name)}
	}
	if out.absent == nil {
		out.absent = f.below(r.schema, name)
	}
	return out
}

// reading matches the paths that a rule reads.
var reading = lazyregexp.New(`\b(?:self|oldSelf)((?:\.\w+)*)\.(\w+)`)

// addReads adds what else a rule reads by an undefined name.
func (f *finder) addReads(reads []read, r rule, name string) []read {
	add := func(expression string, absent *notes.Absent) bool {
		if absent != nil && !slices.ContainsFunc(reads,
			func(r read) bool { return r.absent.Name == absent.Name && r.absent.Pos == absent.Pos }) {
			reads = append(reads, read{expression, absent})
		}
		return absent != nil
	}
	found := false
	for _, m := range reading().FindAllStringSubmatch(r.marker.Text, -1) {
		for path := m[1] + "." + m[2]; path != ""; path = path[:strings.LastIndexByte(path, '.')] {
			if i := strings.LastIndexByte(path, '.'); path[i+1:] == name {
				found = add("self"+path, readFrom(r.schema, path[:i], name)) || found
			}
		}
	}
	if !found {
		add(name, f.below(r.schema, name))
	}
	return reads
}

// listed returns the texts as an enumeration.
func listed(texts []string) string {
	last := len(texts) - 1
	return strings.Join(texts[:last], ", ") + " and " + texts[last]
}

// allOf returns the condition that all of the properties exist.
func allOf(all []*notes.Absent) string {
	out, err := gates.Parse(all[0].Condition)
	for _, a := range all[1:] {
		if c, wrong := gates.Parse(a.Condition); wrong == nil && !out.Implies(c) {
			out = gates.And(out, c)
		}
	}
	if err != nil {
		return all[0].Condition // it is not from a marker
	}
	return out.String()
}

// textAt returns the text of a marker before and after a position; ok is false if the position
// is not in the marker.
func (f *finder) textAt(m markers.Comment, pos diag.Position) (head, tail string, ok bool) {
	sourcePosition := f.checker.Reporter.Position(m.Pos)
	target := f.checker.Reporter.Position(m.End())
	if pos.File != sourcePosition.File || pos.Line < sourcePosition.Line || pos.Line > target.Line {
		return "", "", false
	}
	for i := range m.Text {
		if f.checker.Reporter.Position(m.PosAt(i)) == pos {
			return m.Text[:i], m.Text[i:], true
		}
	}
	return "", "", true
}

// readFrom returns the property that a rule of a schema reads by a path of CEL names, if it is
// absent.
func readFrom(s *structural.Schema, path, name string) *notes.Absent {
	s = at(s, path)
	if s == nil {
		return nil
	}
	return absentFrom(s, name)
}

// at returns the schema at a path of CEL names; nil if there is none.
func at(s *structural.Schema, path string) *structural.Schema {
	for _, step := range strings.FieldsFunc(path, func(r rune) bool { return r == '.' }) {
		i := slices.IndexFunc(s.Properties, func(p structural.Property) bool { return isNamed(p.Name, step) })
		if i < 0 {
			return nil
		}
		s = s.Properties[i].Schema
	}
	return s
}

// below returns the absent property with a CEL name that is nearest below a schema, or else its
// own: rules read their own properties through self, and those below also through variables.
func (f *finder) below(root *structural.Schema, name string) *notes.Absent {
	for next := []*structural.Schema{root}; len(next) > 0; next = next[1:] {
		s := next[0]
		if !f.lacks(s) {
			continue
		}
		if absent := absentFrom(s, name); absent != nil && s != root {
			return absent
		}
		for _, child := range s.Children() {
			next = append(next, child)
		}
	}
	return absentFrom(root, name)
}

func absentFrom(s *structural.Schema, name string) *notes.Absent {
	i := slices.IndexFunc(s.Origin.Absent, func(a notes.Absent) bool { return !a.Value && isNamed(a.Name, name) })
	if i < 0 {
		return nil
	}
	return &s.Origin.Absent[i]
}

// isNamed reports whether a property has a name in CEL.
func isNamed(property, name string) bool {
	escaped, ok := celtext.Name(property)
	return ok && escaped == name
}
