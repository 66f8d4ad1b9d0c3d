package verify

import (
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
)

// The API server validates defaults and rules only once the rest of the schema is valid, so
// users see errors in several rounds. To report them all at once, the checks correct in a
// copy what the server rejected and validate the copy again.
//
// A node without its type, or a list without its keys, may itself cause an error. Therefore
// a finding in the copy counts only if it also occurs when the same mistakes are corrected
// in another way, and only outside of what was corrected.

// maxRounds bounds how often a corrected copy is validated.
const maxRounds = 4

// strategy is a way of correcting mistakes. clearing removes the rejected keyword; each of
// the others replaces it, in case the rest of the schema depends on it.
type strategy int

const (
	clearing strategy = iota
	withStrings
	withNumbers
	withObjects
	withLists
	strategies
)

// correction is a keyword to correct.
type correction struct {
	version int
	// found is the path, below the schema of the version, of what was rejected; path leads to the
	// keyword to correct.
	found, path string
	// want is the only type that the server accepts there, if its message names one.
	want string
}

// corrections are all keywords to correct, in the order in which they were rejected.
type corrections []correction

// add adds what the server rejects in schemas, and reports whether anything was new.
func (m *corrections) add(findings []apiserver.Finding) bool {
	start := len(*m)
	for _, f := range findings {
		for _, fullPath := range f.Paths {
			if r, ok := correctionFor(fullPath, f.Detail); ok && !f.Warning && !slices.Contains(*m, r) {
				*m = append(*m, r)
			}
		}
	}
	return len(*m) > start
}

var (
	// dueTo matches errors about a type that another keyword requires.
	dueTo = lazyregexp.New(`^must be \w+ if (x-kubernetes-(?:map-type|list-type|embedded-resource)) is `)
	// wanted matches errors that name the only accepted type.
	wanted = lazyregexp.New(`^must be (string|object)$`)
)

// correctionFor returns the correction for an error at a path of a definition.
func correctionFor(path, detail string) (correction, bool) {
	r := correction{}
	ok := false
	r.version, r.found, ok = splitSchemaPath(path)
	if !ok {
		return r, false
	}
	r.path = r.found
	node, isType := strings.CutSuffix(r.found, ".type")
	if m := dueTo().FindStringSubmatch(detail); m != nil && isType {
		r.path = node + "." + m[1]
	} else if m := wanted().FindStringSubmatch(detail); m != nil && isType {
		r.want = m[1]
	}
	return r, true
}

// splitSchemaPath splits a path of a definition into the index of the version and the path
// in its schema.
func splitSchemaPath(fullPath string) (version int, path string, ok bool) {
	rest, ok := strings.CutPrefix(fullPath, "spec.versions[")
	if !ok {
		return 0, "", false
	}
	index, path, ok := strings.Cut(rest, "].schema.openAPIV3Schema")
	version, err := strconv.Atoi(index)
	return version, path, ok && err == nil
}

// apply returns a copy of the definition in which the mistakes are corrected.
func (m corrections) apply(crd *apiextensionsv1.CustomResourceDefinition,
	w strategy) *apiextensionsv1.CustomResourceDefinition {
	out := crd.DeepCopy()
	for _, r := range m {
		if r.version >= len(out.Spec.Versions) {
			continue
		}
		if schema := out.Spec.Versions[r.version].Schema; schema != nil && schema.OpenAPIV3Schema != nil {
			r.apply(schema.OpenAPIV3Schema, w)
		}
	}
	return out
}

// apply corrects a keyword of a schema.
func (r correction) apply(props *apiextensionsv1.JSONSchemaProps, w strategy) {
	path := r.path
	var parent *apiextensionsv1.JSONSchemaProps
	// Properties are values of a map, so changed copies must be put back.
	var back []func()
	for {
		child, rest, put := descend(props, path)
		if child == nil {
			break
		}
		parent = props
		props = child
		path = rest
		back = append(back, put)
	}
	keyword := strings.TrimPrefix(path, ".")
	if i := strings.IndexAny(keyword, ".["); i >= 0 {
		keyword = keyword[:i]
	}
	switch keyword {
	case "properties": // the path does not exist
	case "type", "items", "":
		retype(props, r.want, w)
	case "x-kubernetes-list-map-keys", "x-kubernetes-list-type", "x-kubernetes-map-type":
		for _, node := range []*apiextensionsv1.JSONSchemaProps{props, parent} {
			if node != nil {
				node.XListType = nil
				node.XMapType = nil
				node.XListMapKeys = nil
				if w != clearing {
					addKey(node)
				}
			}
		}
	case "maxItems", "maxLength", "maxProperties":
		keywords.Clear(props, keyword)
		if w != clearing {
			keywords.Copy(props, map[string]*apiextensionsv1.JSONSchemaProps{
				"maxItems": {MaxItems: new(int64(1))}, "maxLength": {MaxLength: new(int64(1))}, "maxProperties": {MaxProperties: new(int64(1))},
			}[keyword])
		}
	default:
		keywords.Clear(props, keyword)
	}
	for i := len(back) - 1; i >= 0; i-- {
		back[i]()
	}
}

// retype gives a node another type: want if it is set, else the type of the strategy. Rules
// and defaults are kept.
func retype(props *apiextensionsv1.JSONSchemaProps, want string, w strategy) {
	switch {
	case want != "":
		props.Type = want
		return
	case w == clearing:
		props.XPreserveUnknownFields = new(true)
		props.Type = ""
		props.Items = nil
		return
	}
	props.XPreserveUnknownFields = nil
	props.XIntOrString = false
	props.XEmbeddedResource = false
	switch w {
	case withStrings:
		props.Type = "string"
		props.MaxLength = new(int64(1))
	case withNumbers:
		props.Type = "integer"
	case withObjects:
		props.Type = "object"
	case withLists:
		props.Type = "array"
		if props.Items == nil || props.Items.Schema == nil {
			props.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{Type: "integer"}}
		}
		props.MaxItems = new(int64(1))
	}
	if w != withObjects {
		props.Properties = nil
		props.AdditionalProperties = nil
		props.Required = nil
	}
	if w != withLists {
		props.Items = nil
	}
}

// addKey turns a list of objects into a keyed list.
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
	s.XListType = new("map")
	s.XListMapKeys = []string{name}
}

// notCausedBy removes findings that only occur because of how the mistakes were corrected.
func (c *checks) notCausedBy(ctx context.Context, m corrections, found []apiserver.Finding) ([]apiserver.Finding, error) {
	found = slices.DeleteFunc(slices.Clone(found), func(f apiserver.Finding) bool {
		return slices.ContainsFunc(f.Paths, m.touches)
	})
	confirmed := map[string]bool{}
	isOpen := func(f apiserver.Finding) bool { return !confirmed[identity(f)] }
	for w := clearing + 1; w < strategies && slices.ContainsFunc(found, isOpen); w++ {
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

// touches reports whether a path of the definition was corrected.
func (m corrections) touches(fullPath string) bool {
	version, path, ok := splitSchemaPath(fullPath)
	return ok && slices.ContainsFunc(m, func(r correction) bool {
		if r.version != version {
			return false
		}
		paths := []string{r.found, r.path}
		node := r.path[:max(0, strings.LastIndexByte(r.path, '.'))]
		keyword := r.path[strings.LastIndexByte(r.path, '.')+1:]
		if keyword == "type" || keyword == "items" {
			paths = append(paths, node+".type", node+".items", node+".x-kubernetes-preserve-unknown-fields")
		}
		return slices.ContainsFunc(paths, func(location string) bool {
			rest, ok := strings.CutPrefix(path, location)
			return ok && location != "" && (rest == "" || rest[0] == '.' || rest[0] == '[')
		})
	})
}

// identity returns a key under which findings of two copies are the same. It ignores the
// quoted value and the factor by which a limit is exceeded.
func identity(f apiserver.Finding) string {
	detail, _, _ := strings.Cut(f.Detail, "by factor of")
	return fmt.Sprintf("%s %s %s %t %s", f.Source, f.Path, f.Type, f.Warning, detail)
}

// descend takes the first step of a path. put stores the child back into s.
func descend(s *apiextensionsv1.JSONSchemaProps,
	path string) (child *apiextensionsv1.JSONSchemaProps, rest string, put func()) {
	if tail, ok := strings.CutPrefix(path, ".properties["); ok {
		for name := range s.Properties {
			rest, ok := strings.CutPrefix(tail, name+"]")
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
