package edits

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"k8s.io/gengo/v2/codetags"

	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// This file implements Kubernetes' declarative-validation tags (KEP-5073) for CRDs, except the tags
// that controller-tools implements: as keywords where possible, else as CEL rules with the messages
// of the API server.

// Declarative returns the edits for the tags of a declaration: those of its own node, and
// those of the object that has the field with the given JSON name.
func (r *Reader) Declarative(p *source.Package, set source.Markers, field string) (own, parent []*Edit) {
	t := &tagReader{Reader: r, pkg: p}
	for _, m := range set {
		if tag, ok := m.Value.(markers.Declarative); ok {
			t.marker = m
			t.read(tag.Tag, nil, field)
		}
	}
	for _, e := range t.edits {
		if e.above {
			parent = append(parent, e)
		} else {
			own = append(own, e)
		}
	}
	return own, parent
}

// tagReader reads the tags of a declaration, and the tags nested after their equals signs.
type tagReader struct {
	*Reader
	pkg *source.Package
	// marker is the one that is being read.
	marker *markers.Marker
	edits  []*Edit
}

func (t *tagReader) errorf(hint, format string, args ...any) {
	t.Reporter.BadArguments(t.pkg.At(t.marker.Pos), hint, "+%s: %s", t.marker.Name, fmt.Sprintf(format, args...))
}

// node adds an edit of the node at a path.
func (t *tagReader) node(path []Step, op Operation) {
	t.edits = append(t.edits, &Edit{Pkg: t.pkg, Pos: t.marker.Pos, Name: t.marker.Name, Path: path, Op: op})
}

// above adds an edit of the object that has the field.
func (t *tagReader) above(path []Step, op Operation) {
	e := &Edit{Pkg: t.pkg, Pos: t.marker.Pos, Name: t.marker.Name, Op: op}
	if len(path) > 0 {
		e.Path = path[:len(path)-1]
	} else {
		e.above = true
	}
	t.edits = append(t.edits, e)
}

// read adds the edits of a tag for the node at a path. field is the property name of the
// node, or empty if it is not a property.
func (t *tagReader) read(tag codetags.Tag, path []Step, field string) {
	if _, ok := t.Table.Declarative(tag.Name); !ok {
		t.errorf("", "unknown tag +%s", tag.Name)
		return
	}
	if t.withoutMeaning(tag) {
		return // reported by lint
	}
	child := func(step Step) []Step {
		step.pos = t.marker.Pos
		return append(path[:len(path):len(path)], step)
	}
	switch tag.Name {
	case markers.TagBetaName:
		if inner := t.inner(tag); inner != nil {
			t.read(*inner, path, field)
		}
	case markers.TagEachValName:
		inner := t.inner(tag)
		if inner == nil {
			return
		}
		if each := WithoutLevel(*inner); each.Name == markers.TagUpdateName && each.Value == "NoModify" {
			t.node(path, eachUnmodified{})
		} else {
			t.read(*inner, child(Step{Kind: StepEach}), "")
		}
	case markers.TagSubfieldName:
		name, ok := tag.PositionalArg()
		if inner := t.inner(tag); inner != nil && ok {
			t.read(*inner, child(Step{Kind: StepField, Name: name.Value}), name.Value)
		} else if !ok {
			t.errorf("as in +k8s:subfield(name)=+k8s:maxLength=63", "needs the name of a field in parentheses")
		}
	case markers.TagEachKeyName:
		if inner := t.inner(tag); inner != nil {
			t.node(path, partsRule{tag})
		}
	case markers.TagItemName:
		if inner := t.inner(tag); inner != nil {
			t.item(tag, WithoutLevel(*inner), path, field)
		}
	case markers.TagRequiredName, markers.TagOptionalName:
		if t.needsField(tag, field) {
			t.above(path, requireField{field, tag.Name == markers.TagRequiredName})
		}
	case markers.TagForbiddenName, markers.TagDependentRequiredName, markers.TagDependentForbiddenName:
		if t.needsField(tag, field) {
			t.above(path, fieldRule{tag, field})
		}
	case markers.TagUpdateName:
		t.node(path, updateRule{tag.Value})
		if field != "" && tag.Value != "NoModify" {
			t.above(path, fieldRule{tag, field})
		}
	case markers.TagListTypeName, markers.TagListMapKeyName, markers.TagUnionDiscriminatorName,
		markers.TagUnionMemberName, markers.TagZeroOrOneOfMemberName, markers.TagModeDiscriminatorName, markers.TagIfModeName,
		markers.TagEnumName, markers.TagEnumExcludeName:
		if len(path) == 0 {
			return // implemented by controller-tools' definitions, and by unions
		}
		t.errorf("", "+%s cannot be nested in another tag in a CRD", tag.Name)
	case markers.TagUniqueName:
		t.node(path, identify{tag.Value})
		t.node(path, validation{tag})
	default:
		t.node(path, validation{tag})
	}
}

// withoutMeaning reports whether a tag, or one nested in it, has no meaning in a CRD.
func (t *tagReader) withoutMeaning(tag codetags.Tag) bool {
	declarative, _ := t.Table.Declarative(tag.Name)
	return declarative != "" || tag.ValueTag != nil && t.withoutMeaning(*tag.ValueTag)
}

// inner returns the tag after the equals sign.
func (t *tagReader) inner(tag codetags.Tag) *codetags.Tag {
	if tag.ValueTag == nil {
		t.errorf("as in +"+tag.Name+"=+k8s:maxLength=63", "+%s needs a tag after the equals sign", tag.Name)
	}
	return tag.ValueTag
}

func (t *tagReader) needsField(tag codetags.Tag, field string) bool {
	if field == "" {
		t.errorf("put it on a field, or after +k8s:subfield(name)=", "+%s must apply to a field", tag.Name)
	}
	return field != ""
}

// validation is a tag that validates the value of its node.
type validation struct{ tag codetags.Tag }

func (op validation) Apply(editor *Editor, schema *structural.Schema) {
	tag := op.tag
	switch tag.Name {
	case markers.TagMaxBytesName:
		if n, ok := op.count(editor, schema, "string"); ok {
			// A string of n bytes has at most n characters, which bounds the cost of the rule
			// that counts bytes.
			tighten(&schema.Validation().MaxLength, n, false)
			AddRule(editor, schema, structural.Rule{Rule: ifText(schema, "self", fmt.Sprintf("bytes(self).size() <= %d", n)), Message: fmt.Sprintf("may not be more than %d bytes", n)})
		}
	case markers.TagFormatName:
		format, ok := findFormat(tag.Value)
		if !ok {
			editor.Errorf(editor.Pos, formatHint(tag.Value), "unknown format %q", tag.Value)
			return
		}
		if schema.Type != "string" && !schema.XIntOrString {
			editor.Errorf(editor.Pos, "", "must apply to a string, found %s", TypeOrNone(schema.Type))
			return
		}
		format.restrict(schema.Validation())
	case markers.TagNeqName:
		AddRule(editor, schema, structural.Rule{Rule: "self != " + editor.literal(tag.Value, schema.Type), Message: "must not be equal to " + tag.Value})
	case markers.TagImmutableName:
		AddRule(editor, schema, structural.Rule{Rule: "self == oldSelf", Message: "field is immutable"})
	case markers.TagMonotonicName:
		if _, ok := op.number(editor, schema); ok || schema.Type == "integer" {
			AddRule(editor, schema, structural.Rule{Rule: "self >= oldSelf", Message: "may not be decreased"})
		}
	case markers.TagUniqueName:
		op.unique(editor, schema)
	default:
		if k := keywords.Named(strings.TrimPrefix(tag.Name, "k8s:")); k != nil {
			op.bound(editor, schema, k)
		}
	}
}

// bound applies a tag that is named like the keyword that it sets.
func (op validation) bound(e *Editor, s *structural.Schema, k *keywords.Keyword) {
	n, ok := op.limit(e, s)
	if !ok {
		return
	}
	s.Validation()
	lower := strings.HasPrefix(k.Name, "min")
	switch limit := k.Value(keywords.PartsOf(s)).(type) {
	case **int64:
		tighten(limit, n, lower)
	case **float64:
		tighten(limit, float64(n), lower)
	}
	if e.Name == op.tag.Name {
		s.Origin.Keywords = append(s.Origin.Keywords, structural.KeywordOrigin{Keyword: k.Name, Pos: e.Pos})
	}
}

// limit returns the tag's value, if it limits values of the schema.
func (op validation) limit(e *Editor, s *structural.Schema) (int64, bool) {
	restricts := "string" // maxBytes is not a keyword
	if k := keywords.Named(strings.TrimPrefix(op.tag.Name, "k8s:")); k != nil {
		restricts = k.Restricts
	}
	if restricts == "number" {
		return op.number(e, s)
	}
	return op.count(e, s, restricts)
}

// count returns the tag's value as a count of what values of a schema type consist of.
func (op validation) count(e *Editor, s *structural.Schema, schemaType string) (int64, bool) {
	n, err := strconv.ParseInt(op.tag.Value, 0, 64)
	switch {
	case err != nil || n < 0:
		e.Errorf(e.Pos, "", "expected a non-negative integer, got %q", op.tag.Value)
	case s.Type != schemaType && !(schemaType == "string" && s.XIntOrString):
		want := map[string]string{"string": "a string", "array": "a list", "object": "a map"}[schemaType]
		e.Errorf(e.Pos, "", "must apply to %s, found %s", want, TypeOrNone(s.Type))
	default:
		return n, true
	}
	return 0, false
}

// number returns the tag's value as a bound for numbers.
func (op validation) number(e *Editor, s *structural.Schema) (int64, bool) {
	if s.Type != "integer" && s.Type != "number" {
		e.Errorf(e.Pos, "", "must apply to a number, found %s", TypeOrNone(s.Type))
		return 0, false
	}
	n, err := strconv.ParseInt(op.tag.Value, 0, 64)
	if err != nil && op.tag.Name != markers.TagMonotonicName {
		e.Errorf(e.Pos, "", "expected an integer, got %q", op.tag.Value)
	}
	return n, err == nil
}

func formatHint(name string) string {
	return words.DidYouMean(name, formatNames(), "the formats are "+strings.Join(formatNames(), ", "))
}

// unique requires the elements of a list to be unique, by value or by the list's keys. Lists
// of type set or map are always unique.
func (op validation) unique(editor *Editor, schema *structural.Schema) {
	if schema.Type != "array" || schema.Items == nil {
		editor.Errorf(editor.Pos, "", "must apply to a list, found %s", TypeOrNone(schema.Type))
		return
	}
	if schema.XListType == "set" || schema.XListType == "map" {
		return
	}
	same := "x == y"
	switch op.tag.Value {
	case "set":
	case "map":
		if len(schema.XListMapKeys) == 0 {
			editor.Errorf(editor.Pos, "name the keys with +k8s:listMapKey", "a list with +k8s:unique=map needs keys")
			return
		}
		same = sameKeys(schema.XListMapKeys, "x", "y")
		schema.XListMapKeys = nil // the server accepts keys only for lists of type map
	default:
		editor.Errorf(editor.Pos, "", "expected map or set, got %q", op.tag.Value)
		return
	}
	AddRule(editor, schema, structural.Rule{Rule: "self.all(x, self.exists_one(y, " + same + "))", Message: "items must be unique"})
}

// sameKeys returns a CEL expression for two elements of a list having equal keys. Two absent
// keys are equal; required keys may be absent, too, in elements stored before they were
// required.
func sameKeys(keys []string, x, y string) string {
	var parts []string
	for _, key := range keys {
		name, ok := celtext.Name(key)
		if !ok {
			continue
		}
		parts = append(parts, fmt.Sprintf("(has(%[1]s.%[3]s) ? has(%[2]s.%[3]s) && %[1]s.%[3]s == %[2]s.%[3]s : !has(%[2]s.%[3]s))", x, y, name))
	}
	return strings.Join(parts, " && ")
}

func AddRule(e *Editor, s *structural.Schema, rule structural.Rule) {
	s.XValidations = append(slices.Clip(s.XValidations), rule)
	s.Origin.Keywords = append(s.Origin.Keywords, structural.KeywordOrigin{Keyword: keywords.Rules, Pos: e.Pos})
}
