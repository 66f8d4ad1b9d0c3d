package verify

import (
	"context"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/structural"
)

// The API server looks at defaults and rules only where the schema is fine, so
// that mistakes come one after the other. Here what it refuses is taken out of a
// copy and the rest is asked about again, so that they come all at once.
//
// A node without its type, or a list without its keys, may itself be what the server
// finds something wrong with. So what is found in the copy counts only if it is found,
// too, when the same mistakes are corrected in another way, and if it is not in a
// place that was corrected.

// maxMendings bounds how often the rest is asked about.
const maxMendings = 4

// way is how mistakes are corrected. clearing leaves the refused keyword out; each of
// the others writes something else where the rest of the schema could tell.
type way int

const (
	clearing way = iota
	withStrings
	withNumbers
	withObjects
	withLists
	ways
)

// repair is a keyword to correct.
type repair struct {
	version int
	// found leads from the schema of the version to what was refused, path to the
	// keyword to correct.
	found, path string
	// want is the only type that the server takes there, if it says so.
	want string
}

// mending is what was refused, in the order in which it was found.
type mending []repair

// add takes what the server refuses in schemas, and reports whether there is anything
// new.
func (m *mending) add(findings []apiserver.Finding) bool {
	before := len(*m)
	for _, f := range findings {
		for _, place := range f.Places {
			if r, ok := repairOf(place, f.Detail); ok && !f.Warning && !slices.Contains(*m, r) {
				*m = append(*m, r)
			}
		}
	}
	return len(*m) > before
}

var (
	// dueTo matches errors about a type because of another keyword.
	dueTo = regexp.MustCompile(`^must be \w+ if (x-kubernetes-(?:map-type|list-type|embedded-resource)) is `)
	// wanted matches errors that name the only type that would be right.
	wanted = regexp.MustCompile(`^must be (string|object)$`)
)

// repairOf is what to correct at a place of a definition.
func repairOf(place, detail string) (repair, bool) {
	r, ok := repair{}, false
	if r.version, r.found, ok = schemaPlace(place); !ok {
		return r, false
	}
	r.path = r.found
	node, isType := strings.CutSuffix(r.found, ".type")
	if m := dueTo.FindStringSubmatch(detail); m != nil && isType {
		r.path = node + "." + m[1]
	} else if m := wanted.FindStringSubmatch(detail); m != nil && isType {
		r.want = m[1]
	}
	return r, true
}

// schemaPlace splits a path of a definition into the index of the version and the path
// in its schema.
func schemaPlace(place string) (version int, path string, ok bool) {
	rest, ok := strings.CutPrefix(place, "spec.versions[")
	if !ok {
		return 0, "", false
	}
	index, path, ok := strings.Cut(rest, "].schema.openAPIV3Schema")
	version, err := strconv.Atoi(index)
	return version, path, ok && err == nil
}

// apply returns a copy of the definition in which the mistakes are corrected.
func (m mending) apply(crd *apiextensionsv1.CustomResourceDefinition, w way) *apiextensionsv1.CustomResourceDefinition {
	out := crd.DeepCopy()
	for _, r := range m {
		if r.version < len(out.Spec.Versions) && out.Spec.Versions[r.version].Schema != nil {
			r.apply(out.Spec.Versions[r.version].Schema.OpenAPIV3Schema, w)
		}
	}
	return out
}

// apply corrects a keyword of a schema.
func (r repair) apply(s *apiextensionsv1.JSONSchemaProps, w way) {
	path := r.path
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
	switch keyword {
	case "properties": // the path leads to nothing
	case "type", "items", "":
		retype(s, r.want, w)
	case "x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type":
		for _, node := range []*apiextensionsv1.JSONSchemaProps{s, parent} {
			if node != nil {
				node.XListType, node.XMapType, node.XListMapKeys = nil, nil, nil
				if w != clearing {
					addKey(node)
				}
			}
		}
	case "maxItems", "maxLength", "maxProperties":
		structural.ClearKeyword(s, keyword)
		if w != clearing {
			structural.CopyKeywords(s, map[string]*apiextensionsv1.JSONSchemaProps{
				"maxItems": {MaxItems: new(int64(1))}, "maxLength": {MaxLength: new(int64(1))}, "maxProperties": {MaxProperties: new(int64(1))},
			}[keyword])
		}
	default:
		structural.ClearKeyword(s, keyword)
	}
	for i := len(back) - 1; i >= 0; i-- {
		back[i]()
	}
}

// retype gives a node another type: the wanted one, or the one of the way. Its rules
// and its default stay.
func retype(s *apiextensionsv1.JSONSchemaProps, want string, w way) {
	switch {
	case want != "":
		s.Type = want
		return
	case w == clearing:
		s.XPreserveUnknownFields = new(true)
		s.Type, s.Items = "", nil
		return
	}
	s.XPreserveUnknownFields, s.XIntOrString, s.XEmbeddedResource = nil, false, false
	switch w {
	case withStrings:
		s.Type, s.MaxLength = "string", new(int64(1))
	case withNumbers:
		s.Type = "integer"
	case withObjects:
		s.Type = "object"
	case withLists:
		if s.Type = "array"; s.Items == nil || s.Items.Schema == nil {
			s.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{Type: "integer"}}
		}
		s.MaxItems = new(int64(1))
	}
	if w != withObjects {
		s.Properties, s.AdditionalProperties, s.Required = nil, nil, nil
	}
	if w != withLists {
		s.Items = nil
	}
}

// addKey gives a list of objects a key.
func addKey(s *apiextensionsv1.JSONSchemaProps) {
	if s.Type != "array" || s.Items == nil || s.Items.Schema == nil || s.Items.Schema.Type != "object" || s.Items.Schema.AdditionalProperties != nil {
		return
	}
	const name = "key"
	items := s.Items.Schema
	if items.Properties == nil {
		items.Properties = map[string]apiextensionsv1.JSONSchemaProps{}
	}
	items.Properties[name] = apiextensionsv1.JSONSchemaProps{Type: "string"}
	if !slices.Contains(items.Required, name) {
		items.Required = append(items.Required, name)
	}
	s.XListType, s.XListMapKeys = new("map"), []string{name}
}

// notCausedBy leaves out what is found only because of how the mistakes are corrected.
func (c *checks) notCausedBy(ctx context.Context, m mending, found []apiserver.Finding) ([]apiserver.Finding, error) {
	found = slices.DeleteFunc(slices.Clone(found), func(f apiserver.Finding) bool {
		return slices.ContainsFunc(f.Places, m.corrects)
	})
	confirmed := map[string]bool{}
	isOpen := func(f apiserver.Finding) bool { return !confirmed[identity(f)] }
	for w := clearing + 1; w < ways && slices.ContainsFunc(found, isOpen); w++ {
		report, err := c.target.Check(ctx, m.apply(c.CRD, w), c.Old)
		if err != nil {
			return nil, err
		}
		for _, f := range report.Findings {
			confirmed[identity(f)] = true
		}
	}
	return slices.DeleteFunc(found, isOpen), nil
}

// corrects reports whether a place of the definition was corrected.
func (m mending) corrects(place string) bool {
	version, path, ok := schemaPlace(place)
	return ok && slices.ContainsFunc(m, func(r repair) bool {
		if r.version != version {
			return false
		}
		places := []string{r.found, r.path}
		node, keyword := r.path[:max(0, strings.LastIndexByte(r.path, '.'))], r.path[strings.LastIndexByte(r.path, '.')+1:]
		if keyword == "type" || keyword == "items" {
			places = append(places, node+".type", node+".items", node+".x-kubernetes-preserve-unknown-fields")
		}
		return slices.ContainsFunc(places, func(at string) bool {
			rest, ok := strings.CutPrefix(path, at)
			return ok && at != "" && (rest == "" || rest[0] == '.' || rest[0] == '[')
		})
	})
}

// identity tells findings apart that the server could have in two copies: what they
// quote of the schema does not count, nor by how much a limit is exceeded.
func identity(f apiserver.Finding) string {
	detail, _, _ := strings.Cut(f.Detail, "by factor of")
	return fmt.Sprintf("%s %s %s %t %s", f.Source, f.Path, f.Type, f.Warning, detail)
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
