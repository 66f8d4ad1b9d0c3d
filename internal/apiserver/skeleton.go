package apiserver

import (
	"fmt"
	"maps"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schemagen/schemagen/structural"
)

// PruningDifference is a field that the KEP "Pruning for Custom Resources" and the server treat
// differently.
type PruningDifference struct {
	Path *structural.ObjectPath
	// Specified are the paths of the schemas that specify the field for the KEP, but not for
	// the server, which drops it. If there are none, only the server keeps the field.
	Specified []string
}

// NewSkeletonKind is the variant of [NewKind] for a server that prunes by the skeleton of the
// schema, as the KEP "Pruning for Custom Resources" proposes. The schema need not be
// structural: objects are validated with all of it, and its structural part is used for
// everything else. Answers have the differences from the server.
func NewSkeletonKind(crd *apiextensionsv1.CustomResourceDefinition, version string) (*Kind, error) {
	for _, v := range crd.Spec.Versions {
		if v.Name != version || v.Schema == nil {
			continue
		}
		skeleton, err := structural.Skel(v.Schema.OpenAPIV3Schema)
		if err != nil {
			return nil, err
		}
		return newKind(crd, version, skeleton)
	}
	return NewKind(crd, version) // which has the reason
}

// structuralPart returns the server's model of what a structural schema can hold of the schema
// of a version.
func structuralPart(crd *apiextensionsv1.CustomResourceDefinition, version string) (*structuralschema.Structural, error) {
	for _, v := range crd.Spec.Versions {
		if v.Name == version {
			model, _ := structural.FromProps(v.Schema.OpenAPIV3Schema)
			dropFalse(model)
			part, err := (&Kinds{}).convert(model)
			if err != nil {
				return nil, err
			}
			return part.rules.schema, nil
		}
	}
	return nil, withoutSchema(crd.Name, version)
}

// dropFalse removes x-kubernetes-preserve-unknown-fields: false, with which the server builds no
// model.
func dropFalse(s *structural.Schema) {
	if s == nil {
		return
	}
	if s.XPreserveUnknownFields != nil && !*s.XPreserveUnknownFields {
		s.XPreserveUnknownFields = nil
	}
	dropFalse(s.Items)
	for _, p := range s.Properties {
		dropFalse(p.Schema)
	}
	if s.AdditionalProperties != nil {
		dropFalse(s.AdditionalProperties.Schema)
	}
}

// prune removes the fields of an object that are not specified.
func (k *Kind) prune(a *Answer) {
	if k.skeleton == nil {
		a.Pruned = structural.Prune(k.schema, a.Object, true)
		return
	}
	byServer := structural.Prune(k.schema, runtime.DeepCopyJSON(a.Object), true)
	// The KEP does not mention what every object has.
	own := map[string]any{}
	for _, name := range []string{"apiVersion", "kind", "metadata"} {
		if value, ok := a.Object[name]; ok {
			own[name] = value
			delete(a.Object, name)
		}
	}
	a.Pruned = structural.PruneSkeleton(k.skeleton, a.Object)
	maps.Copy(a.Object, own)
	for _, path := range missing(byServer, a.Pruned) {
		a.Differences = append(a.Differences, PruningDifference{path, k.specifying(path)})
	}
	for _, path := range missing(a.Pruned, byServer) {
		a.Differences = append(a.Differences, PruningDifference{Path: path})
	}
}

// specifying returns the paths of the schemas that specify a field for the KEP.
func (k *Kind) specifying(path *structural.ObjectPath) []string {
	var out []string
	for _, source := range k.skeleton.At(path) {
		out = append(out, source.Path.String())
	}
	return out
}

// missing returns the paths of a that neither are in b nor lead below one of b.
func missing(a, b []*structural.ObjectPath) []*structural.ObjectPath {
	// The text of a path is ambiguous if keys contain dots.
	key := func(steps []structural.Step) string { return fmt.Sprintf("%#v", steps) }
	known := map[string]bool{}
	for _, path := range b {
		known[key(path.Steps())] = true
	}
	var out []*structural.ObjectPath
	for _, path := range a {
		steps := path.Steps()
		covered := false
		for i := range steps {
			covered = covered || known[key(steps[:i+1])]
		}
		if !covered {
			out = append(out, path)
		}
	}
	return out
}
