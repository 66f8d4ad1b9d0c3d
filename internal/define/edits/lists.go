package edits

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/gengo/v2/codetags"

	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/internal/ground/notes"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/structural"
)

// This file implements the tags for single items of a list that compare it with the old list,
// or count its items.

// identify is the operation that records what tells the elements of a list apart, for a value
// of +k8s:unique. It is applied before all others, since the keyword for keys is later removed.
type identify struct{ value string }

func (op identify) Apply(_ *Editor, s *structural.Schema) {
	switch {
	case op.value == "set":
		s.Origin.Unique = &notes.Uniqueness{}
	case op.value == "map" && len(s.XListMapKeys) > 0:
		s.Origin.Unique = &notes.Uniqueness{Keys: s.XListMapKeys}
	}
}

// identity returns the keys that tell the elements of a list apart, or none if whole elements
// do. ok is false if nothing does.
func identity(s *structural.Schema) (keys []string, ok bool) {
	switch {
	case s.Type != "array":
		return nil, false
	case len(s.XListMapKeys) > 0:
		return s.XListMapKeys, true
	case s.Origin.Unique != nil:
		return s.Origin.Unique.Keys, true
	}
	return nil, s.XListType == "set"
}

// WithoutLevel returns a tag without the tags for its stability around it.
func WithoutLevel(tag codetags.Tag) codetags.Tag {
	for tag.Name == markers.TagBetaName && tag.ValueTag != nil {
		tag = *tag.ValueTag
	}
	return tag
}

// WithoutLevels returns a tag without the tags for its stability around it. isAlpha is set if, because
// of one of them, the tag is only observed, not enforced.
func WithoutLevels(tag codetags.Tag) (inner codetags.Tag, isAlpha bool) {
	for (tag.Name == markers.TagAlphaName || tag.Name == markers.TagBetaName) && tag.ValueTag != nil {
		isAlpha = isAlpha || tag.Name == markers.TagAlphaName
		tag = *tag.ValueTag
	}
	return tag, isAlpha
}

// item adds the edits for a tag that applies to one item of a list.
func (t *tagReader) item(tag, inner codetags.Tag, path []Step, field string) {
	switch {
	case inner.Name == markers.TagUnionMemberName || inner.Name == markers.TagZeroOrOneOfMemberName:
		t.countItem(tag, inner, path)
	case isTransition(inner) && field != "" && lastTag(inner).Name == markers.TagImmutableName:
		// A rule of the list is not evaluated when the whole list is added.
		t.above(path, itemTransition{tag: tag, field: field})
	case isTransition(inner):
		t.node(path, itemTransition{tag: tag})
	default:
		t.node(path, partsRule{tag})
	}
}

// lastTag returns the tag after the last equals sign.
func lastTag(tag codetags.Tag) codetags.Tag {
	for tag.ValueTag != nil {
		tag = *tag.ValueTag
	}
	return tag
}

// isTransition reports whether a tag compares an item, or a field below it, with its old value.
func isTransition(tag codetags.Tag) bool {
	for tag.Name == markers.TagSubfieldName && tag.ValueTag != nil {
		tag = WithoutLevel(*tag.ValueTag)
	}
	return tag.Name == markers.TagImmutableName || tag.Name == markers.TagUpdateName && tag.Value == "NoModify"
}

// countItem makes an item a member of a union, and adds the edit for the union with its first
// member.
func (t *tagReader) countItem(item, tag codetags.Tag, path []Step) {
	name, _ := tag.NamedArg("union")
	for _, e := range t.edits {
		if op, ok := e.Op.(*itemUnion); ok && op.tag == tag.Name && op.name == name.Value && samePath(e.Path, path) {
			op.items = append(op.items, item)
			return
		}
	}
	t.node(path, &itemUnion{tag: tag.Name, name: name.Value, items: []codetags.Tag{item}})
}

func samePath(a, b []Step) bool {
	return slices.EqualFunc(a, b, func(x, y Step) bool { return x.Kind == y.Kind && x.Name == y.Name })
}

// itemUnion limits how many of several items a list has. Its rule does not compare them with
// those of the old list: the server cannot estimate the cost of a loop over oldSelf.value().
type itemUnion struct {
	tag, name string
	items     []codetags.Tag
}

func (op *itemUnion) Apply(e *Editor, s *structural.Schema) {
	c := &celWriter{Editor: e}
	var counts, names []string
	for _, item := range op.items {
		selects := c.selects(item, s)
		if c.failed {
			return
		}
		counts = append(counts, "(self.exists(x, "+selects("x")+") ? 1 : 0)")
		names = append(names, itemName(item))
	}
	count := " == 1"
	words := "exactly one"
	if op.tag == markers.TagZeroOrOneOfMemberName {
		count = " <= 1"
		words = "at most one"
	}
	reason := apiextensionsv1.FieldValueInvalid
	AddRule(e, s, structural.Rule{
		Rule: strings.Join(counts, " + ") + count, Reason: &reason,
		Message: "must have " + words + " of the items: " + strings.Join(names, "; "),
	})
}

// itemName describes an item by its keys.
func itemName(item codetags.Tag) string {
	var keys []string
	for _, arg := range item.Args {
		keys = append(keys, arg.Name+" "+arg.Value)
	}
	return strings.Join(keys, ", ")
}

// selects returns a function for the condition that an element is the item with the keys of a
// tag, which must be all keys of the list.
func (c *celWriter) selects(item codetags.Tag, schema *structural.Schema) func(x string) string {
	if schema.Items == nil {
		c.fail("", "must apply to a list, found %s", TypeOrNone(schema.Type))
		return nil
	}
	keys, _ := identity(schema)
	var names []string
	for _, arg := range item.Args {
		names = append(names, arg.Name)
		if schema.Items.PropertyIndex(arg.Name) < 0 {
			c.failAt(schema.Items, arg.Name)
			return nil
		}
	}
	slices.Sort(names)
	switch {
	case len(names) == 0:
		c.fail("as in +k8s:item(type: \"Ready\")=+k8s:…", "needs the keys of the item in parentheses")
	case len(keys) == 0:
		c.fail("add +k8s:listType=map and +k8s:listMapKey", "+%s needs a list with keys", lastTag(item).Name)
	case !slices.Equal(names, slices.Sorted(slices.Values(keys))):
		c.fail("the keys are "+strings.Join(keys, ", "), "+%s needs all keys of the list", lastTag(item).Name)
	}
	if c.failed {
		return nil
	}
	var equals []func(x string) string
	for _, arg := range item.Args {
		name, ok := celtext.Name(arg.Name)
		if !ok {
			c.fail("rename it", "CEL rules cannot read the field %s", arg.Name)
			return nil
		}
		key := schema.Items.Property(arg.Name)
		literal := c.literal(arg.Value, key.Type)
		equals = append(equals, func(x string) string { return "has(" + x + "." + name + ") && " + x + "." + name + " == " + literal })
	}
	return func(x string) string {
		conditions := make([]string, len(equals))
		for i, equal := range equals {
			conditions[i] = equal(x)
		}
		return strings.Join(conditions, " && ")
	}
}

// itemTransition compares an item with the old one. If field is set, its rule belongs to the
// object that has the list in a field of that name.
type itemTransition struct {
	tag   codetags.Tag
	field string
}

func (op itemTransition) Apply(editor *Editor, schema *structural.Schema) {
	c := &celWriter{Editor: editor}
	list := schema
	self := "self"
	old := "oldSelf"
	guard := ""
	oldGuard := ""
	rule := structural.Rule{Message: c.message(op.tag)}
	if op.field != "" {
		name, ok := celtext.Name(op.field)
		if !ok {
			editor.Errorf(editor.Pos, "rename it", "CEL rules cannot read the field %s", op.field)
			return
		}
		list = schema.Property(op.field)
		if list == nil {
			return // a condition removes it
		}
		self = "self." + name
		old = "oldSelf." + name
		guard = "!has(" + self + ") || "
		oldGuard = "has(" + old + ") && "
		rule.FieldPath = celtext.FieldPath(op.field)
	}
	selects := c.selects(op.tag, list)
	if c.failed {
		return
	}
	inner := WithoutLevel(*op.tag.ValueTag)
	isOther := "!(" + selects("x") + ")"
	same := c.same(inner, "x", "y", list.Items)
	if lastTag(inner).Name == markers.TagImmutableName {
		wasThere := fmt.Sprintf("%s%s.exists(y, %s && %s)", oldGuard, old, selects("y"), same)
		rule.Rule = fmt.Sprintf("%s%s.all(x, %s || %s)", guard, self, isOther, wasThere)
	} else {
		rule.Rule = fmt.Sprintf("%s.all(x, %s || %s.all(y, !(%s) || %s))", self, isOther, old, selects("y"), same)
	}
	if !c.failed {
		AddRule(editor, schema, rule)
	}
}

// same returns the condition that two values are the same for a tag that compares them.
func (c *celWriter) same(tag codetags.Tag, x, y string, s *structural.Schema) string {
	if tag.Name != markers.TagSubfieldName {
		return x + " == " + y
	}
	arg, _ := tag.PositionalArg()
	field := s.Property(arg.Value)
	name, ok := celtext.Name(arg.Value)
	if field == nil || !ok {
		return c.failAt(s, arg.Value)
	}
	inner := WithoutLevel(*tag.ValueTag)
	child := c.same(inner, x+"."+name, y+"."+name, field)
	if lastTag(inner).Name == markers.TagImmutableName {
		return fmt.Sprintf("(has(%[1]s.%[3]s) ? has(%[2]s.%[3]s) && %[4]s : !has(%[2]s.%[3]s))", x, y, name, child)
	}
	return fmt.Sprintf("(!has(%[1]s.%[3]s) || !has(%[2]s.%[3]s) || %[4]s)", x, y, name, child)
}
