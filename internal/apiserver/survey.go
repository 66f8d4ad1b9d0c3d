package apiserver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

const (
	// maxNesting is the maximum nesting of JSON in the server's decoder.
	maxNesting = 10_000
	// schemaNesting is the nesting of a version's schema in the JSON of a CRD: the CRD,
	// spec, versions, an element, schema, openAPIV3Schema.
	schemaNesting = 6
	// maxRequestBytes is the maximum size of a request.
	maxRequestBytes = 3 << 20
)

// step leads from a schema to one of its children.
type step struct {
	keyword string
	// name is the key below the keyword, or empty.
	name string
	// index is the index below the keyword, or negative.
	index int
}

// nodePath is the path from the root to a schema.
type nodePath []step

// fieldPath returns the path as the server writes it.
func (p nodePath) fieldPath(root string) string {
	var b strings.Builder
	b.WriteString(root)
	for _, s := range p {
		b.WriteString("." + s.keyword)
		switch {
		case s.index >= 0:
			b.WriteString("[" + strconv.Itoa(s.index) + "]")
		case s.keyed():
			b.WriteString("[" + s.name + "]")
		}
	}
	return b.String()
}

func (s step) keyed() bool {
	switch s.keyword {
	case "properties", "patternProperties", "definitions", "dependencies":
		return true
	}
	return false
}

// compiles reports whether the server compiles the rules of the child of a node with compiled rules.
func (s step) compiles() bool {
	return s.keyword == "properties" || s.keyword == "items" || s.keyword == "additionalProperties"
}

// survey is the result of a pass over the schema of a version.
type survey struct {
	// rules are the paths of nodes with rules that the server compiles. Rules in logical
	// junctors are not among them, because the server rejects those.
	rules []nodePath
	// needsFullRun is set if the server might report something only for a schema without
	// other errors, or for a rule that is not empty.
	needsFullRun bool
	// optionalOldSelf is set if a rule uses it.
	optionalOldSelf bool
	// formats are the nodes with a format that is not known.
	formats []formatted
	// sets are the nodes that are sets of objects or arrays.
	sets []setOf
}

type formatted struct {
	at           nodePath
	kind, format string
}

type setOf struct {
	at   nodePath
	kind string
}

// surveyCRD examines all schemas of a CRD. Cycles, and anything that the server's decoder
// would reject, are returned as a finding; the CRD must then not be examined further.
func surveyCRD(crd *apiextensionsv1.CustomResourceDefinition, known func(kind, format string) bool) ([]survey, *Finding) {
	out := make([]survey, len(crd.Spec.Versions))
	bytes := 0
	for i, v := range crd.Spec.Versions {
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		s := surveyor{survey: &out[i], known: known, bytes: bytes, compiles: true}
		s.schema(v.Schema.OpenAPIV3Schema, schemaNesting)
		bytes = s.bytes
		if s.rejection != "" {
			path := fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i)
			return nil, &Finding{Source: Decoder, Path: path, Paths: []string{path}, Detail: s.rejection}
		}
	}
	return out, nil
}

type surveyor struct {
	*survey
	known func(kind, format string) bool
	at    nodePath
	// bytes is a lower bound of the size of the JSON seen so far.
	bytes     int
	rejection string
	// compiles is set if the server compiles the rules of the current node.
	compiles bool
}

// schema examines a node and its descendants.
func (s *surveyor) schema(p *apiextensionsv1.JSONSchemaProps, nesting int) {
	if p == nil || s.rejection != "" {
		return
	}
	s.bytes += len("{}") + len(p.Description)
	switch {
	case nesting > maxNesting:
		s.rejection = fmt.Sprintf("exceeded max depth: nested more than %d levels deep", maxNesting)
		return
	case s.bytes > maxRequestBytes:
		s.rejection = fmt.Sprintf("Request entity too large: limit is %d", maxRequestBytes)
		return
	}
	s.node(p)
	// One copy of a schema per node, not per property, because schemas are large.
	var child apiextensionsv1.JSONSchemaProps
	for name := range p.Properties {
		child = p.Properties[name]
		s.child(&child, step{"properties", name, -1}, nesting+2)
	}
	if p.Items != nil {
		s.child(p.Items.Schema, step{"items", "", -1}, nesting+1)
		for i := range p.Items.JSONSchemas {
			s.child(&p.Items.JSONSchemas[i], step{"items", "", i}, nesting+2)
		}
	}
	if p.AdditionalProperties != nil {
		s.child(p.AdditionalProperties.Schema, step{"additionalProperties", "", -1}, nesting+1)
	}
	if p.AdditionalItems != nil {
		s.child(p.AdditionalItems.Schema, step{"additionalItems", "", -1}, nesting+1)
	}
	s.child(p.Not, step{"not", "", -1}, nesting+1)
	for i := range p.AllOf {
		s.child(&p.AllOf[i], step{"allOf", "", i}, nesting+2)
	}
	for i := range p.AnyOf {
		s.child(&p.AnyOf[i], step{"anyOf", "", i}, nesting+2)
	}
	for i := range p.OneOf {
		s.child(&p.OneOf[i], step{"oneOf", "", i}, nesting+2)
	}
	for name, child := range p.PatternProperties {
		s.child(&child, step{"patternProperties", name, -1}, nesting+2)
	}
	for name, child := range p.Definitions {
		s.child(&child, step{"definitions", name, -1}, nesting+2)
	}
	for name, child := range p.Dependencies {
		s.child(child.Schema, step{"dependencies", name, -1}, nesting+2)
	}
}

func (s *surveyor) child(p *apiextensionsv1.JSONSchemaProps, place step, nesting int) {
	if p == nil {
		return
	}
	s.bytes += len(`"":,`) + len(place.name)
	compiles := s.compiles
	s.compiles = compiles && place.compiles()
	s.at = append(s.at, place)
	s.schema(p, nesting)
	s.at = s.at[:len(s.at)-1]
	s.compiles = compiles
}

// node examines the node itself.
func (s *surveyor) node(p *apiextensionsv1.JSONSchemaProps) {
	// The server reports $schema only if it reports nothing else about the schema.
	s.needsFullRun = s.needsFullRun || p.Schema != ""
	if p.Format != "" && !s.known(p.Type, p.Format) {
		s.formats = append(s.formats, formatted{slices.Clone(s.at), p.Type, p.Format})
	}
	if p.XListType != nil && *p.XListType == "set" && p.Items != nil && p.Items.Schema != nil {
		if kind := p.Items.Schema.Type; kind == "object" || kind == "array" {
			s.sets = append(s.sets, setOf{slices.Clone(s.at), kind})
		}
	}
	if len(p.XValidations) == 0 {
		return
	}
	if s.compiles {
		s.rules = append(s.rules, slices.Clone(s.at))
	}
	for i := range p.XValidations {
		rule := &p.XValidations[i]
		s.needsFullRun = s.needsFullRun || ruleNeedsFullRun(rule.Rule, rule.Message)
		s.optionalOldSelf = s.optionalOldSelf || rule.OptionalOldSelf != nil
	}
}

// ruleNeedsFullRun reports whether the server may report something about the rule's text or
// message that it does not report about an empty rule.
func ruleNeedsFullRun(rule, message string) bool {
	rule = strings.TrimSpace(rule)
	trimmed := strings.TrimSpace(message)
	return rule == "" || message != "" && trimmed == "" ||
		strings.ContainsAny(trimmed, "\r\n") || strings.ContainsAny(rule, "\r\n") && trimmed == ""
}
