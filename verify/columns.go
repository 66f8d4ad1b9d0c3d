package verify

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/client-go/util/jsonpath"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/internal/schemas/contradictions"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// blankColumn is the reason for which a printer column never has a value.
type blankColumn struct {
	kind         *diag.Kind
	reason, hint string
	// old is a part of the path, and meant what was probably meant; both may be empty.
	old, meant string
}

// blank returns the reason for which the API server prints nothing in a column, whatever an
// object of the schema contains, or nil. The server's own code evaluates the path on objects
// that are made for it: lists long enough for its indices, with elements that its filters
// compare with.
func blank(schema *structural.Schema, column apiextensionsv1.CustomResourceColumnDefinition) *blankColumn {
	if !slices.Contains([]string{"boolean", "date", "integer", "number", "string"}, column.Type) {
		return nil // the server rejects the type
	}
	path := jsonpath.New(column.Name).AllowMissingKeys(true)
	parsed, err := jsonpath.Parse(column.Name, "{"+column.JSONPath+"}")
	if err != nil || path.Parse("{"+column.JSONPath+"}") != nil || len(parsed.Root.Nodes) == 0 {
		return nil
	}
	nodes := flatten(parsed.Root.Nodes[0])
	w := &witness{column: column.Type, left: maxWitnessNodes}
	root := rootOf(schema)
	var first *blankColumn
	for range maxWitnesses {
		w.filters = 0
		object := w.put(nil, root, nodes, w.leaf)
		if w.unsure {
			return nil
		}
		printed, err := prints(path, column.Type, object)
		if printed {
			return nil
		}
		if first == nil {
			first = w.reason(err)
		}
		switch {
		case w.next():
		case w.doubtful && w.found == nil:
			return nil
		default:
			return first
		}
	}
	return nil
}

// reason returns why an object has no value at the path, for which the server has an error or nil.
func (w *witness) reason(err error) *blankColumn {
	found := w.found
	if found == nil {
		found = &blankColumn{}
	}
	found.kind = cmp.Or(found.kind, misleadingColumn)
	switch {
	case found.reason != "":
	case err != nil:
		found.reason = err.Error()
	default:
		found.reason = "no object of this schema has a value there"
	}
	return found
}

// explain keeps a reason, unless there is an earlier one.
func (w *witness) explain(b blankColumn) {
	if w.found == nil {
		w.found = &b
	}
}

// maxWitnesses is the maximum number of objects on which a path is evaluated, and
// maxWitnessNodes the maximum number of values in all of them. Nothing is reported about a path
// for which that is not enough.
const (
	maxWitnesses    = 300
	maxWitnessNodes = 20_000
)

// rootOf adds to the schema of a kind the fields that every object has.
func rootOf(schema *structural.Schema) *structural.Schema {
	root := *schema
	text := &structural.Schema{Generic: structural.Generic{Type: "string"}}
	root.Properties = slices.DeleteFunc(slices.Clone(schema.Properties), func(p structural.Property) bool {
		return p.Name == "metadata" || p.Name == "apiVersion" || p.Name == "kind"
	})
	root.Properties = append(root.Properties,
		structural.Property{Name: "apiVersion", Schema: text},
		structural.Property{Name: "kind", Schema: text},
		structural.Property{Name: "metadata", Schema: objectMeta()})
	root.Type = "object"
	return &root
}

// objectMeta is the schema of metadata, which nothing changes.
var objectMeta = sync.OnceValue(structural.ObjectMeta)

// flatten returns the steps of a parsed path.
func flatten(node jsonpath.Node) []jsonpath.Node {
	list, ok := node.(*jsonpath.ListNode)
	if !ok {
		return []jsonpath.Node{node}
	}
	var out []jsonpath.Node
	for _, n := range list.Nodes {
		out = append(out, flatten(n)...)
	}
	return out
}

// prints reports whether the server prints a cell for an object, as its table converter
// determines it, and otherwise the error that the converter hides.
func prints(path *jsonpath.JSONPath, typ string, object any) (bool, error) {
	results, err := path.FindResults(object)
	if err != nil || len(results) == 0 || len(results[0]) == 0 {
		return false, err
	}
	value := results[0][0].Interface()
	switch typed := value.(type) {
	case nil:
		return typ == "string", nil
	case int64, float64:
		return typ == "string" || typ == "integer" || typ == "number", nil
	case bool:
		return typ == "string" || typ == "boolean", nil
	case string:
		if typ == "date" {
			_, err := time.Parse(time.RFC3339, typed)
			return err == nil, err
		}
		return typ == "string", nil
	}
	return typ == "string" && path.PrintResults(&bytes.Buffer{}, []reflect.Value{reflect.ValueOf(value)}) == nil, nil
}

// witness makes objects in which a path leads to a value.
type witness struct {
	column string
	left   int
	// unsure is set if the objects cannot be made, and doubtful if others might be printed.
	unsure, doubtful bool
	// choices are, for each filter of the path, which of the values that its element could have is
	// used, and sizes their numbers. Filters counts the filters of the current object.
	choices, sizes []int
	filters        int
	// found is the first reason found for which the path leads nowhere, or nil.
	found *blankColumn
}

// next selects the next combination of choices.
func (w *witness) next() bool {
	for i := range w.choices {
		if w.choices[i]++; w.choices[i] < w.sizes[i] {
			return true
		}
		w.choices[i] = 0
	}
	return false
}

// choice returns which of n values the current filter uses.
func (w *witness) choice(n int) int {
	i := w.filters
	w.filters++
	if i == len(w.choices) {
		w.choices = append(w.choices, 0)
		w.sizes = append(w.sizes, 0)
	}
	w.sizes[i] = max(w.sizes[i], n)
	return min(w.choices[i], n-1)
}

// leafFunc returns the value at the end of a path, from the one that is there or nil.
type leafFunc func(old any, s *structural.Schema) any

// leaf returns a value that the column can print.
func (w *witness) leaf(old any, s *structural.Schema) any {
	if old != nil {
		return old
	}
	open := isOpen(s)
	switch {
	case w.column == "date" && (open || s.Type == "string" || s.XIntOrString):
		if past := "2016-01-02T03:04:05Z"; open || refusal(s, past) == "" {
			return past
		}
	case open && w.column == "boolean":
		return true
	case open && w.column != "string":
		return int64(1)
	case open:
		return "example"
	}
	value := unions.Sample(s, true)
	if s.Default != nil && refusal(s, value) != "" {
		w.unsure = true // the default is invalid, which is reported itself
	}
	return value
}

// isOpen reports whether a schema says nothing about its values.
func isOpen(s *structural.Schema) bool {
	if s == nil {
		return true
	}
	hasEnum := s.ValueValidation != nil && len(s.Enum) > 0
	return s.Type == "" && !s.XIntOrString && len(s.Properties) == 0 && !hasEnum
}

// put adds what a path needs to a value of a schema, which is nil if it is not known.
func (w *witness) put(old any, schema *structural.Schema, nodes []jsonpath.Node, leaf leafFunc) any {
	if w.left--; w.left < 0 || len(nodes) > 1000 {
		w.unsure = true
	}
	if w.unsure {
		return old
	}
	if len(nodes) == 0 {
		return leaf(old, schema)
	}
	rest := nodes[1:]
	switch node := nodes[0].(type) {
	case *jsonpath.FieldNode:
		return w.putField(old, schema, node.Value, rest, leaf)
	case *jsonpath.ArrayNode:
		return w.putElements(old, schema, lengthFor(node.Params), func(element any, items *structural.Schema) any {
			return w.put(element, items, rest, leaf)
		})
	case *jsonpath.FilterNode:
		return w.putElements(old, schema, 1, func(element any, items *structural.Schema) any {
			return w.put(w.match(element, items, node), items, rest, leaf)
		})
	case *jsonpath.UnionNode:
		// Not all branches: the server prints the first result, which may be of another type.
		branch := node.Nodes[w.choice(len(node.Nodes))]
		return w.put(old, schema, append(flatten(branch), rest...), leaf)
	case *jsonpath.WildcardNode:
		return w.putAll(old, schema, rest, leaf)
	case *jsonpath.RecursiveNode:
		w.unsure = true
	}
	return w.or(old, schema) // a literal, which the server compares or prints
}

// or returns a value, or a sample if there is none.
func (w *witness) or(old any, s *structural.Schema) any {
	if old != nil {
		return old
	}
	return w.leaf(nil, s)
}

// putField adds a field to an object.
func (w *witness) putField(old any, s *structural.Schema, name string, rest []jsonpath.Node, leaf leafFunc) any {
	if name == "" {
		w.explain(blankColumn{reason: "a name is missing after a dot"})
		return w.or(old, s)
	}
	var field *structural.Schema
	if !isOpen(s) {
		if s.Type != "object" && len(s.Properties) == 0 {
			typ := cmp.Or(s.Type, "integer or string")
			w.explain(blankColumn{reason: fmt.Sprintf("%s is a field of an object, but its parent has type %s", name, typ)})
			return w.or(old, s)
		}
		if s.XEmbeddedResource {
			s = rootOf(s)
		}
		field = child(s, name)
		if field == nil && s.XPreserveUnknownFields == nil && s.AdditionalProperties == nil {
			w.explain(missingField(s, name))
			return w.or(old, s)
		}
	}
	object, ok := old.(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	object[name] = w.put(object[name], field, rest, leaf)
	return object
}

// missingField is the reason for a filter that reads a field that no element has.
func missingField(s *structural.Schema, name string) blankColumn {
	out := blankColumn{kind: noSuchPath, reason: "the schema has no such field there: " + name}
	var names []string
	for _, p := range s.Properties {
		names = append(names, p.Name)
	}
	if nearest, ok := words.OnlyNearest(name, names); ok {
		out.old = "@." + name
		out.meant = "@." + nearest
	}
	return out
}

// putElements adds elements to a list, and changes each of them.
func (w *witness) putElements(old any, s *structural.Schema, length int, change func(any, *structural.Schema) any) any {
	var items *structural.Schema
	if !isOpen(s) {
		if s.Type != "array" {
			typ := cmp.Or(s.Type, "integer or string")
			w.explain(blankColumn{reason: "brackets select elements of a list, but the value has type " + typ})
			return w.or(old, s)
		}
		items = s.Items
		if s.ValueValidation != nil && s.MaxItems != nil && int64(length) > *s.MaxItems {
			length = int(max(0, *s.MaxItems))
			w.explain(blankColumn{hint: fmt.Sprintf("maxItems of the list is %d", length)})
		}
	}
	list, _ := old.([]any)
	if length > w.left {
		w.unsure = true
		return old
	}
	for len(list) < length {
		list = append(list, nil)
	}
	for i := range list {
		filters := w.filters
		list[i] = change(list[i], items)
		if i < len(list)-1 {
			w.filters = filters // the same choices for all elements
		}
	}
	return list
}

// putAll follows a path into any field of an object or the elements of a list. An object gets
// only one field, because the server takes fields in random order and prints the first.
func (w *witness) putAll(old any, s *structural.Schema, rest []jsonpath.Node, leaf leafFunc) any {
	switch {
	case !isOpen(s) && s.XIntOrString:
		return "example" // the server takes its characters
	case !isOpen(s) && s.Type == "array":
		return w.putElements(old, s, 1, func(element any, items *structural.Schema) any {
			return w.put(element, items, rest, leaf)
		})
	case isOpen(s) || len(s.Properties) == 0:
		return w.putField(old, s, "example", rest, leaf)
	}
	var names []string
	for _, p := range s.Properties {
		names = append(names, p.Name)
	}
	if s.XPreserveUnknownFields != nil || s.AdditionalProperties != nil {
		names = append(names, "example")
	}
	return w.putField(old, s, names[w.choice(len(names))], rest, leaf)
}

// match changes an element of a list to one that a filter probably selects.
func (w *witness) match(old any, items *structural.Schema, filter *jsonpath.FilterNode) any {
	left := flatten(filter.Left)
	if filter.Operator == "exists" {
		return w.put(old, items, left, w.leaf)
	}
	right := flatten(filter.Right)
	w.explainFilter(filter, right)
	literal := literalOf(right)
	if literal == nil {
		literal = literalOf(left)
		if literal != nil {
			left = right
		}
	}
	var value any
	old = w.put(old, items, left, func(_ any, s *structural.Schema) any {
		values := w.values(s, literal, filter.Operator)
		value = values[w.choice(len(values))]
		return value
	})
	if literal != nil {
		return old
	}
	w.doubtful = true
	return w.put(old, items, right, func(_ any, s *structural.Schema) any {
		if isOpen(s) || refusal(s, value) == "" {
			return value
		}
		return unions.Sample(s, true)
	})
}

// explainFilter explains mistakes in a filter that the server's parser accepts.
func (w *witness) explainFilter(filter *jsonpath.FilterNode, right []jsonpath.Node) {
	switch filter.Operator {
	case "==", "!=", "<", "<=", ">", ">=":
	default:
		hint := ""
		if strings.Trim(filter.Operator, "=") == "" {
			hint = "compare with =="
		}
		w.explain(blankColumn{hint: hint})
	}
	for _, node := range right {
		if word, ok := node.(*jsonpath.IdentifierNode); ok && word.Name != "null" {
			w.explain(blankColumn{hint: fmt.Sprintf("quote the value: %q", word.Name)})
		}
	}
}

// literalOf returns the value of a side of a filter, or nil if it is a path.
func literalOf(nodes []jsonpath.Node) any {
	if len(nodes) != 1 {
		return nil
	}
	switch node := nodes[0].(type) {
	case *jsonpath.TextNode:
		return node.Text
	case *jsonpath.IntNode:
		return int64(node.Value)
	case *jsonpath.FloatNode:
		return node.Value
	case *jsonpath.BoolNode:
		return node.Value
	case *jsonpath.IdentifierNode:
		return node.Name
	}
	return nil
}

// values returns values of a schema, at least one, of which a comparison with a literal is
// true for some if it can be true.
func (w *witness) values(schema *structural.Schema, literal any, operator string) []any {
	var values []any
	switch v := literal.(type) {
	case string:
		values = append(values, v, v+"~", "", v[:max(0, len(v)-1)])
	case int64:
		values = append(values, v, v+1, v-1)
	case float64:
		values = append(values, v, v+1, v-1)
	}
	values = append(values, true, false)
	if isOpen(schema) {
		return append(values, w.leaf(nil, nil))
	}
	if v := schema.ValueValidation; v != nil {
		for _, raw := range v.Enum {
			var value any
			if json.Unmarshal(raw.Raw, &value) == nil {
				values = append(values, integral(value))
			}
		}
		for _, bound := range []*float64{v.Minimum, v.Maximum} {
			if bound != nil {
				values = append(values, integral(*bound))
			}
		}
		bounded := v.Pattern != "" || v.Format != "" || v.MultipleOf != nil || v.MinLength != nil || v.MaxLength != nil
		w.doubtful = w.doubtful || bounded && operator != "=="
	}
	values = append(values, w.leaf(nil, schema), unions.Sample(schema, true))
	values = slices.DeleteFunc(values, func(value any) bool { return refusal(schema, value) != "" })
	if len(values) == 0 {
		return []any{unions.Sample(schema, true)}
	}
	w.explainValue(schema, literal, operator)
	return values
}

// explainValue explains why a literal is never equal to a value of a schema.
func (w *witness) explainValue(s *structural.Schema, literal any, operator string) {
	if operator != "==" || refusal(s, literal) == "" {
		return
	}
	text, isText := literal.(string)
	_, err := strconv.ParseFloat(text, 64)
	isWord := text == "true" || text == "false"
	switch {
	case isText && (err == nil && (s.Type == "integer" || s.Type == "number") || isWord && s.Type == "boolean"):
		w.explain(blankColumn{hint: fmt.Sprintf("the field has type %s: write %s without quotes", s.Type, text)})
	case !isText && s.Type == "string":
		w.explain(blankColumn{hint: fmt.Sprintf("the field has type string: write %q", fmt.Sprint(literal))})
	case isText && s.Type == "string":
		w.explain(blankColumn{reason: fmt.Sprintf("the schema does not allow the value %q", text)})
	}
}

// integral returns a number as the server decodes it.
func integral(value any) any {
	if f, ok := value.(float64); ok && f == float64(int64(f)) {
		return int64(f)
	}
	return value
}

// refusal returns the reason for which a schema refuses a value, or "".
func refusal(s *structural.Schema, value any) string {
	raw, err := plainjson.Marshal(value)
	if err != nil {
		return err.Error()
	}
	return contradictions.Refusal(s, structural.JSON{Raw: raw})
}

// lengthFor returns the length of a list that a slice needs, at least 1.
func lengthFor(params [3]jsonpath.ParamsEntry) int {
	source := params[0]
	target := params[1]
	length := 1
	if source.Known && source.Value >= 0 {
		length = source.Value + 1
	} else if source.Known {
		length = -source.Value
	}
	switch {
	case !target.Known || target.Derived:
	case target.Value >= 0:
		length = max(length, target.Value)
	case source.Value >= 0:
		length = source.Value + 1 - target.Value
	default:
		length = max(length, -target.Value)
	}
	return max(length, 1)
}
