package dryrun

import (
	"bytes"
	"maps"
	"slices"
	"strconv"

	"go.yaml.in/yaml/v3"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/schemas/locate"
	"github.com/schemagen/schemagen/internal/yamltext"
	"github.com/schemagen/schemagen/structural"
)

// orderedYAML renders an object with its keys in the order of the manifest; other keys
// come last, in schema order.
func orderedYAML(keys keysOf, s *structural.Schema, object map[string]any) ([]byte, error) {
	node, err := (&yamlWriter{keys: keys}).node(object, s, nil)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	encoder := yaml.NewEncoder(&out)
	encoder.SetIndent(2)
	encoder.CompactSeqIndent()
	if err := encoder.Encode(node); err != nil {
		return nil, err
	}
	if err := encoder.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// keysOf returns the keys of a mapping in document order.
type keysOf func(at *structural.ObjectPath) []string

// yamlWriter makes YAML of an object.
type yamlWriter struct {
	keys       keysOf
	properties locate.Locator
}

func (w *yamlWriter) node(value any, s *structural.Schema, path *structural.ObjectPath) (*yaml.Node, error) {
	switch value := value.(type) {
	case map[string]any:
		node := &yaml.Node{Kind: yaml.MappingNode}
		for _, name := range orderOf(w.keys(path), locate.FieldNames(s), value) {
			child, err := w.node(value[name], w.properties.Value(s, structural.Step{Field: name, Index: -1}), path.Field(name))
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, textNode(name), child)
		}
		return node, nil
	case []any:
		node := &yaml.Node{Kind: yaml.SequenceNode}
		for i, element := range value {
			child, err := w.node(element, w.properties.Value(s, structural.Step{Index: i}), path.Element(i))
			if err != nil {
				return nil, err
			}
			node.Content = append(node.Content, child)
		}
		return node, nil
	case string:
		return textNode(value), nil
	case bool:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: strconv.FormatBool(value)}, nil
	case int64:
		return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!int", Value: strconv.FormatInt(value, 10)}, nil
	}
	node := &yaml.Node{}
	return node, node.Encode(value)
}

// notText matches strings that are booleans in YAML 1.1, which Kubernetes uses, but not in
// YAML 1.2, and the merge key.
var notText = lazyregexp.New(`^(?:[yYnN]|(?i:yes|no|on|off)|<<)$`)

// textNode returns a node for a key or a string.
func textNode(text string) *yaml.Node {
	node := &yaml.Node{}
	node.SetString(text)
	if notText().MatchString(text) || yamltext.IsSexagesimal(text) {
		node.Style = yaml.DoubleQuotedStyle
	}
	return node
}

// orderOf returns the keys of a mapping: those of the document first, then those of the
// schema, then the rest.
func orderOf(given, specified []string, value map[string]any) []string {
	out := make([]string, 0, len(value))
	seen := make(map[string]bool, len(value))
	add := func(names []string) {
		for _, name := range names {
			if _, ok := value[name]; ok && !seen[name] {
				seen[name] = true
				out = append(out, name)
			}
		}
	}
	add(given)
	add(specified)
	if len(out) < len(value) {
		add(slices.Sorted(maps.Keys(value)))
	}
	return out
}
