package apiserver

import (
	"fmt"
	"math/rand/v2"
	"regexp"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/utils/ptr"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/structural"
)

// versionRandom generates schemas that prune, changes of them, and objects.
type versionRandom struct{ *rand.Rand }

func (c versionRandom) one(in int) bool { return c.IntN(in) == 0 }

func (c versionRandom) schema(depth int) props {
	kind := c.IntN(12)
	if depth == 0 {
		kind = c.IntN(5)
	}
	switch kind {
	case 0, 1:
		return props{Type: "string"}
	case 2:
		return props{Type: []string{"integer", "number", "boolean"}[c.IntN(3)]}
	case 3:
		return props{XIntOrString: true}
	case 4: // arbitrary
		return props{Type: []string{"", "object", "array"}[c.IntN(3)], XPreserveUnknownFields: ptr.To(true)}
	case 5, 6:
		items := c.schema(depth - 1)
		s := props{Type: "array", Items: &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &items}}
		if c.one(4) {
			s.XPreserveUnknownFields = ptr.To(true)
		}
		return s
	case 7:
		values := apiextensionsv1.JSONSchemaPropsOrBool{Allows: true}
		if !c.one(4) {
			values.Schema = ptr.To(c.schema(depth - 1))
		}
		return props{Type: "object", AdditionalProperties: &values}
	}
	s := props{Type: "object", Properties: map[string]props{}}
	for _, name := range []string{"a", "b", "c"} {
		if !c.one(3) {
			s.Properties[name] = c.schema(depth - 1)
		}
	}
	c.keyword(&s)
	return s
}

// keyword changes what an object preserves.
func (c versionRandom) keyword(s *props) {
	s.XPreserveUnknownFields, s.XEmbeddedResource = nil, false
	switch c.IntN(8) {
	case 0:
		s.XPreserveUnknownFields = ptr.To(true)
	case 1:
		s.XEmbeddedResource = true
		s.XPreserveUnknownFields = []*bool{nil, ptr.To(true)}[c.IntN(2)]
	}
}

// change makes one change to a schema.
func (c versionRandom) change(s props, depth int) props {
	switch {
	case c.one(8):
		return c.schema(depth)
	case s.Items != nil && s.Items.Schema != nil:
		s.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: ptr.To(c.change(*s.Items.Schema, depth-1))}
	case s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
		s.AdditionalProperties = &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true, Schema: ptr.To(c.change(*s.AdditionalProperties.Schema, depth-1))}
	case s.Properties != nil:
		before := s.Properties
		s.Properties = map[string]props{}
		which := []string{"a", "b", "c"}[c.IntN(3)]
		for name, child := range before {
			if name != which {
				s.Properties[name] = child
			} else if !c.one(3) {
				s.Properties[name] = c.change(child, max(0, depth-1))
			}
		}
		if _, ok := before[which]; !ok && c.one(2) {
			s.Properties[which] = c.schema(max(0, depth-1))
		}
		if c.one(3) {
			c.keyword(&s)
		}
	}
	return s
}

// value returns a value that the schema accepts, with nearly everything that it can have.
// keeps is set if an enclosing list preserves unknown fields.
func (c versionRandom) value(s *props, keeps bool, depth int) any {
	if s.XIntOrString {
		return "5"
	}
	keeps = keeps || s.XPreserveUnknownFields != nil
	switch s.Type {
	case "string":
		return "a"
	case "integer", "number":
		return int64(1)
	case "boolean":
		return true
	case "array":
		if s.Items == nil || s.Items.Schema == nil {
			return []any{c.anything(depth)}
		}
		return []any{c.value(s.Items.Schema, keeps, depth-1), c.value(s.Items.Schema, keeps, depth-1)}
	case "":
		return c.anything(depth)
	}
	out := map[string]any{}
	if keeps {
		for _, name := range []string{"a", "b", "c", "z"} {
			out[name] = c.anything(depth - 1)
		}
	}
	if a := s.AdditionalProperties; a != nil {
		for _, name := range []string{"a", "b", "c", "k"} {
			if out[name] = any("a"); a.Schema != nil {
				out[name] = c.value(a.Schema, false, depth-1)
			}
		}
	}
	for name, child := range s.Properties {
		if out[name] = c.value(&child, false, depth-1); c.one(9) {
			delete(out, name)
		}
	}
	if s.XEmbeddedResource {
		out["apiVersion"], out["kind"], out["metadata"] = "v1", "Pod", map[string]any{"name": "x", "labels": map[string]any{"l": "v"}}
	}
	return out
}

func (c versionRandom) anything(depth int) any {
	if depth < -2 {
		return "a"
	}
	inner := func() any { return c.anything(depth - 1) }
	switch c.IntN(5) {
	case 0:
		return "a"
	case 1:
		return []any{inner(), inner()}
	default:
		return map[string]any{"a": inner(), "b": inner(), "k": inner(), "z": "a"}
	}
}

// lossAt returns a pattern that matches the object paths of a loss.
func lossAt(l structural.Loss) *regexp.Regexp {
	text := regexp.QuoteMeta(strings.TrimPrefix(l.Path, "."))
	text = strings.ReplaceAll(text, `\[\*\]`, `\[\d+\]`)
	text = strings.ReplaceAll(text, `\.\*`, `\.[^.\[]+`)
	if l.Kind != structural.LossDropped {
		text += `[.\[].*`
	}
	return regexp.MustCompile("^" + text + "$")
}

// TestLost compares the losses of a conversion without a webhook, as computed from the
// schemas of two versions, with what the server's code keeps of random objects.
func TestLost(t *testing.T) {
	pairs, objects, kinds := 700, 25, map[structural.LossKind]int{}
	for seed := range pairs {
		c := versionRandom{rand.New(rand.NewPCG(uint64(seed), 7))}
		spec := c.schema(3)
		changed := spec
		for range 1 + c.IntN(3) {
			changed = c.change(changed, 3)
		}
		root := func(spec props) (*props, *structural.Schema, *structuralschema.Structural) {
			root := &props{Type: "object", Properties: map[string]props{"spec": spec}}
			model, bad := structural.FromProps(root)
			if len(bad) > 0 {
				t.Fatalf("seed %d: %v", seed, bad)
			}
			in := &apiextensions.JSONSchemaProps{}
			if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(root, in, nil); err != nil {
				t.Fatal(err)
			}
			servers, err := structuralschema.NewStructural(in)
			if err != nil {
				t.Fatal(err)
			}
			return root, model, servers
		}
		fromProps, from, fromServer := root(spec)
		_, to, toServer := root(changed)
		losses := structural.Lost(from, to)
		seen := make([]bool, len(losses))
		for range objects {
			object := c.value(fromProps, false, 3).(map[string]any)
			object["apiVersion"], object["kind"], object["metadata"] = "example.com/v1", "Widget", map[string]any{"name": "x"}
			keep(t, object, fromServer)
			before := runtime.DeepCopyJSON(object)
			keep(t, object, toServer)
			for _, path := range removed(before, object, nil) {
				known := false
				for i, l := range losses {
					if lossAt(l).MatchString(path.String()) {
						known, seen[i] = true, true
					}
				}
				if !known {
					t.Fatalf("seed %d: %s is lost, but not listed in %v\n%s", seed, path, losses, inYAML(spec, changed))
				}
			}
			for i, l := range losses { // a kept value has a type that is rejected
				if l.Kind == structural.LossRetyped {
					seen[i] = true
				}
			}
		}
		for i, l := range losses {
			kinds[l.Kind]++
			if !seen[i] {
				t.Fatalf("seed %d: of %d objects none loses %+v\n%s", seed, objects, l, inYAML(spec, changed))
			}
		}
	}
	t.Log(kinds)
	for _, kind := range []structural.LossKind{structural.LossDropped, structural.LossUnknown, structural.LossRetyped} {
		if kinds[kind] < pairs/40 {
			t.Errorf("only %d losses are of kind %d", kinds[kind], kind)
		}
	}
}

func inYAML(schemas ...props) string {
	text, err := yaml.Marshal(schemas)
	return fmt.Sprint(string(text), err)
}

// keep does what the server does with an object converted to a version
// (unstructuredSchemaCoercer of apiextensions-apiserver, pkg/apiserver).
func keep(t *testing.T, object map[string]any, s *structuralschema.Structural) {
	t.Helper()
	pruning.PruneWithOptions(object, s, true, structuralschema.UnknownFieldPathOptions{})
	if err, _ := objectmeta.CoerceWithOptions(nil, object, s, false, objectmeta.CoerceOptions{DropInvalidFields: true}); err != nil {
		t.Fatal(err)
	}
}
