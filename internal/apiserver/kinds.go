package apiserver

import (
	"cmp"
	"slices"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/kube-openapi/pkg/validation/spec"

	"github.com/schemagen/schemagen/structural"
)

// Kinds prepares versions of CRDs whose schemas share nodes in memory, as those of generated
// types do: each node is converted to the server's models once. The zero value is ready to use.
// It keeps what it converted, and is safe for concurrent use.
type Kinds struct {
	mu    sync.Mutex
	nodes map[*structural.Schema]*convertedNode
}

// New prepares a version of a CRD that the server accepts, as [NewKind] does. schema is the
// version's; the schemas in crd are not read. It returns an error if the server would not serve the
// version.
func (ks *Kinds) New(crd *apiextensionsv1.CustomResourceDefinition, schema *structural.Schema, version string) (*Kind, error) {
	bare, err := onlyVersion(crd, version)
	if err != nil {
		return nil, err
	}
	for i := range bare.Spec.Versions {
		bare.Spec.Versions[i].Schema = nil
	}
	converted, err := internal(bare)
	if err != nil {
		return nil, err
	}
	k, err := kindOf(converted, version)
	if err != nil {
		return nil, err
	}
	if schema == nil {
		return nil, withoutSchema(crd.Name, version)
	}
	pruned, err := structural.PruneDefaults(schema)
	if err != nil {
		return nil, err
	}
	given, err := ks.convert(schema)
	if err != nil {
		return nil, err
	}
	root, err := ks.convert(pruned)
	if err != nil {
		return nil, err
	}
	k.schema = root.model
	k.structural = root.rules.schema
	k.rules = newRuleValidator(root.rules)
	k.validator = apiservervalidation.NewSchemaValidatorFromOpenAPI(given.openapi)
	k.accepted = &acceptor{schema: given.openapi}
	if status, ok := given.openapi.Properties["status"]; ok && k.hasStatus {
		k.statusValidator = apiservervalidation.NewSchemaValidatorFromOpenAPI(&status)
	}
	return k, nil
}

// convertedNode is a node of a schema in the models that a [Kind] has. They share those of the
// nodes below, so they are not written to.
type convertedNode struct {
	// model is what [structural.FromProps] returns for the node.
	model   *structural.Schema
	openapi *spec.Schema
	// rules has the server's model.
	rules *ruleNode
}

func (ks *Kinds) convert(s *structural.Schema) (out *convertedNode, err error) {
	ks.mu.Lock()
	defer ks.mu.Unlock()
	if ks.nodes == nil {
		ks.nodes = map[*structural.Schema]*convertedNode{}
	}
	guarded := guard(func() error {
		out, err = ks.node(s)
		return nil
	})
	return out, cmp.Or(guarded, err)
}

// node converts a node with the server's code, and adds the nodes below.
func (ks *Kinds) node(s *structural.Schema) (*convertedNode, error) {
	if known, ok := ks.nodes[s]; ok || s == nil {
		return known, nil
	}
	alone := *s
	alone.Properties = nil
	alone.Items = nil
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		alone.AdditionalProperties = nil
	}
	out, err := convertAlone(&alone)
	if err != nil {
		return nil, err
	}
	sorted := slices.SortedFunc(slices.Values(s.Properties),
		func(a, b structural.Property) int { return cmp.Compare(a.Name, b.Name) })
	for _, p := range sorted {
		child, err := ks.node(p.Schema)
		if err != nil {
			return nil, err
		}
		out.addProperty(p.Name, child, len(sorted))
	}
	if s.Items != nil {
		child, err := ks.node(s.Items)
		if err != nil {
			return nil, err
		}
		out.model.Items = child.model
		out.openapi.Items = &spec.SchemaOrArray{Schema: child.openapi}
		out.rules.schema.Items = child.rules.schema
		out.rules.items = child.rules
		out.rules.addBelow(child.rules)
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		child, err := ks.node(a.Schema)
		if err != nil {
			return nil, err
		}
		out.model.AdditionalProperties = &structural.SchemaOrBool{Schema: child.model}
		out.openapi.AdditionalProperties = &spec.SchemaOrBool{Allows: true, Schema: child.openapi}
		out.rules.schema.AdditionalProperties = &structuralschema.StructuralOrBool{Bool: true, Structural: child.rules.schema}
		out.rules.values = child.rules
		out.rules.addBelow(child.rules)
	}
	ks.nodes[s] = out
	return out, nil
}

// convertAlone converts a node that has none below.
func convertAlone(s *structural.Schema) (*convertedNode, error) {
	props := s.Props()
	var internalProps apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(props, &internalProps,
		nil); err != nil {
		return nil, err
	}
	server, err := structuralschema.NewStructural(&internalProps)
	if err != nil {
		return nil, err
	}
	_, openapi, err := apiservervalidation.NewSchemaValidator(&internalProps)
	if err != nil {
		return nil, err
	}
	model, _ := structural.FromProps(props)
	return &convertedNode{model: model, openapi: openapi, rules: newRuleNode(server)}, nil
}

// addProperty adds one of n properties.
func (c *convertedNode) addProperty(name string, child *convertedNode, n int) {
	if c.openapi.Properties == nil {
		c.model.Properties = make([]structural.Property, 0, n)
		c.openapi.Properties = make(map[string]spec.Schema, n)
		c.rules.schema.Properties = make(map[string]structuralschema.Structural, n)
		c.rules.properties = make(map[string]*ruleNode, n)
	}
	c.model.Properties = append(c.model.Properties, structural.Property{Name: name, Schema: child.model})
	c.openapi.Properties[name] = *child.openapi
	c.rules.schema.Properties[name] = *child.rules.schema
	c.rules.properties[name] = child.rules
	c.rules.addBelow(child.rules)
}
