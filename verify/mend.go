package verify

import (
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/structural"
)

// The API server looks at defaults and rules only where the schema is fine, so
// that mistakes come one after the other. Here what it refuses is taken out of a
// copy and the rest is asked about again, so that they come all at once.

// maxMendings bounds how often the rest is asked about.
const maxMendings = 4

// mend returns a copy of the definition without the keywords of its schemas that
// were refused, or nil if there is nothing to take out.
func mend(crd *apiextensionsv1.CustomResourceDefinition, findings []apiserver.Finding) *apiextensionsv1.CustomResourceDefinition {
	out := crd.DeepCopy()
	mended := false
	for _, f := range findings {
		if f.Warning {
			continue
		}
		for _, place := range f.Places {
			rest, ok := strings.CutPrefix(place, "spec.versions[")
			if !ok {
				continue
			}
			index, path, ok := strings.Cut(rest, "].schema.openAPIV3Schema")
			i, err := strconv.Atoi(index)
			if !ok || err != nil || i >= len(out.Spec.Versions) || out.Spec.Versions[i].Schema == nil {
				continue
			}
			mended = mendAt(out.Spec.Versions[i].Schema.OpenAPIV3Schema, path) || mended
		}
	}
	if !mended {
		return nil
	}
	return out
}

// mendAt takes the keyword at a path out of a schema, and reports whether it
// changed something.
func mendAt(s *apiextensionsv1.JSONSchemaProps, path string) bool {
	var parent *apiextensionsv1.JSONSchemaProps
	// Properties are values of a map, which have to be put back.
	var back []func()
	for {
		child, rest, put := descend(s, path)
		if child == nil {
			break
		}
		parent, s, path = s, child, rest
		back = append(back, put)
	}
	keyword := strings.TrimPrefix(path, ".")
	if i := strings.IndexAny(keyword, ".["); i >= 0 {
		keyword = keyword[:i]
	}
	changed := keyword != "properties" && structural.ClearKeyword(s, keyword)
	switch keyword {
	case "type", "items", "":
		if s.Type == "" || keyword == "items" {
			s.XPreserveUnknownFields = new(true)
			s.Type, s.Items, changed = "", nil, true
		}
	case "x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type":
		for _, node := range []*apiextensionsv1.JSONSchemaProps{s, parent} {
			if node != nil {
				changed = node.XListType != nil || node.XMapType != nil || len(node.XListMapKeys) > 0 || changed
				node.XListType, node.XMapType, node.XListMapKeys = nil, nil, nil
			}
		}
	}
	for i := len(back) - 1; i >= 0; i-- {
		back[i]()
	}
	return changed
}

// descend takes the first step of a path. put puts the child back into s.
func descend(s *apiextensionsv1.JSONSchemaProps, path string) (child *apiextensionsv1.JSONSchemaProps, rest string, put func()) {
	if after, ok := strings.CutPrefix(path, ".properties["); ok {
		for name := range s.Properties {
			rest, ok := strings.CutPrefix(after, name+"]")
			if ok && (rest == "" || rest[0] == '.' || rest[0] == '[') {
				child := s.Properties[name]
				return &child, rest, func() { s.Properties[name] = child }
			}
		}
		return nil, path, nil
	}
	nothing := func() {}
	if rest, ok := strings.CutPrefix(path, ".items"); ok && strings.HasPrefix(rest, ".") && s.Items != nil {
		return s.Items.Schema, rest, nothing
	}
	if rest, ok := strings.CutPrefix(path, ".additionalProperties"); ok && strings.HasPrefix(rest, ".") && s.AdditionalProperties != nil {
		return s.AdditionalProperties.Schema, rest, nothing
	}
	return nil, path, nil
}
