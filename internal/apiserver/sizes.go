package apiserver

import (
	"maps"

	"github.com/google/cel-go/checker"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiservercel "k8s.io/apiserver/pkg/cel"
	"k8s.io/apiserver/pkg/cel/library"
)

// costsOf returns the server's estimator of the cost of expressions on values of a type.
func costsOf(kind *apiservercel.DeclType) *library.CostEstimator {
	return &library.CostEstimator{SizeEstimator: typeSizes{kind}}
}

// typeSizes estimates the sizes of the parts of a value by its type.
type typeSizes struct{ root *apiservercel.DeclType }

// EstimateSize returns the maximum size that the type allows for a part, or nil.
func (s typeSizes) EstimateSize(n checker.AstNode) *checker.SizeEstimate {
	if len(n.Path()) == 0 {
		return nil
	}
	kind := s.root
	for _, name := range n.Path()[1:] {
		switch name {
		case "@items", "@values":
			kind = kind.ElemType
		case "@keys":
			kind = kind.KeyType
		default:
			field, ok := kind.Fields[name]
			if !ok {
				return nil
			}
			kind = field.Type
		}
		if kind == nil {
			return nil
		}
	}
	return &checker.SizeEstimate{Max: uint64(kind.MaxElements)}
}

// EstimateCallCost returns nil: the libraries estimate the cost of their calls themselves.
func (typeSizes) EstimateCallCost(string, string, *checker.AstNode, []checker.AstNode) *checker.CallEstimate {
	return nil
}

// dropNewerSizes removes keywords from which older servers do not derive a size. It changes
// the schema, which must not be shared.
func (t *Target) dropNewerSizes(s *apiextensions.JSONSchemaProps) {
	if s == nil || !t.Before(intOrStringSizeMinor) {
		return
	}
	if s.XIntOrString {
		s.MaxLength = nil
	}
	if t.Before(enumSizeMinor) && s.MaxLength == nil {
		s.Enum = nil
	}
	for name, child := range s.Properties {
		t.dropNewerSizes(&child)
		s.Properties[name] = child
	}
	if s.Items != nil {
		t.dropNewerSizes(s.Items.Schema)
	}
	if s.AdditionalProperties != nil {
		t.dropNewerSizes(s.AdditionalProperties.Schema)
	}
}

// withOldNameSizes returns the type of a schema with unlimited resource names, as in older
// servers. The root of an object is a resource, as are embedded resources.
func (t *Target) withOldNameSizes(kind *apiservercel.DeclType, s *apiextensions.JSONSchemaProps,
	isRoot bool) *apiservercel.DeclType {
	if kind == nil || s == nil || !t.Before(nameSizeMinor) {
		return kind
	}
	switch {
	case s.XIntOrString:
	case kind.IsList() && s.Items != nil:
		if elem := t.withOldNameSizes(kind.ElemType, s.Items.Schema, false); elem != kind.ElemType {
			return apiservercel.NewListType(elem, kind.MaxElements)
		}
	case kind.IsMap() && s.AdditionalProperties != nil:
		if elem := t.withOldNameSizes(kind.ElemType, s.AdditionalProperties.Schema, false); elem != kind.ElemType {
			return apiservercel.NewMapType(kind.KeyType, elem, kind.MaxElements)
		}
	case kind.IsObject():
		fields := map[string]*apiservercel.DeclField{}
		for name, child := range s.Properties {
			escaped, ok := apiservercel.Escape(name)
			field := kind.Fields[escaped]
			if !ok || field == nil {
				continue
			}
			if other := t.withOldNameSizes(field.Type, &child, false); other != field.Type {
				fields[escaped] = apiservercel.NewDeclField(escaped, other, field.Required, nil, nil)
			}
		}
		if len(fields) > 0 {
			all := maps.Clone(kind.Fields)
			maps.Copy(all, fields)
			kind = objectType(kind, all)
		}
		if isRoot || s.XEmbeddedResource {
			for _, name := range []string{"name", "generateName"} {
				kind = withLimit(kind, []string{"metadata", name}, maxRequestBytes-2)
			}
		}
	}
	return kind
}
