package structural

import (
	"reflect"
	"strings"
)

// metadata checks the restrictions on TypeMeta and ObjectMeta that Check omits: the
// server enforces them when it validates the rest of the CRD.
func (c *proposals) metadata(s *Schema, context nodeContext) {
	if s.Default != nil && context.noDefault != "" {
		c.reject(ruleMetadataDefault, Violation{
			Path: context.path.Child("default"), Kind: Forbidden, Detail: "must not be set " + context.noDefault, Pos: s.Origin.Of("default"),
		})
	}
	if s.XEmbeddedResource && context.meta {
		const keyword = "x-kubernetes-embedded-resource"
		c.reject(ruleMetadataEmbedded, Violation{
			Path: context.path.Child(keyword), Kind: Forbidden, Detail: "must not be used inside of resource meta", Pos: s.Origin.Of(keyword),
		})
	}
}

// embeddedMetadata reports an embedded resource whose metadata is specified by
// rules that hold for every object.
func (c *proposals) embeddedMetadata(s *Schema, path *Path) {
	if !s.XEmbeddedResource {
		return
	}
	metadata := s.Property("metadata")
	if metadata == nil {
		return
	}
	implied := ObjectMeta()
	var repeated []string
	for _, p := range metadata.Properties {
		if known := implied.Property(p.Name); known != nil && isImpliedBy(p.Schema, known) {
			repeated = append(repeated, p.Name)
		}
	}
	if len(repeated) > 0 {
		c.warn(ruleEmbeddedMetadata, Violation{
			Path: path.Property("metadata"), Kind: Forbidden, Pos: metadata.Origin.Pos,
			Detail: "should only specify restrictions beyond those of every object's metadata, not " + strings.Join(repeated, ", "),
		})
	}
}

// isImpliedBy reports whether s provably accepts every value that known accepts: s
// repeats known or omits parts of it.
func isImpliedBy(s, known *Schema) bool {
	if s.Type != known.Type || len(s.XValidations) > 0 || s.Default != nil {
		return false
	}
	if v := s.ValueValidation; v != nil && !v.isZero() &&
		(known.ValueValidation == nil || !reflect.DeepEqual(*v, *known.ValueValidation)) {
		return false
	}
	for _, p := range s.Properties {
		if child := known.Property(p.Name); child == nil || !isImpliedBy(p.Schema, child) {
			return false
		}
	}
	if s.Items != nil && (known.Items == nil || !isImpliedBy(s.Items, known.Items)) {
		return false
	}
	a := s.AdditionalProperties
	b := known.AdditionalProperties
	if a == nil || a.Schema == nil {
		return a == nil || a.Bool
	}
	return b != nil && b.Schema != nil && isImpliedBy(a.Schema, b.Schema)
}
