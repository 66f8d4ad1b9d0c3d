package apiserver

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

const (
	// maxNesting is how deep the server's decoder follows JSON.
	maxNesting = 10_000
	// schemaNesting is how deep the schema of a version lies in the JSON of a CRD:
	// the CRD, spec, versions, an element, schema, openAPIV3Schema.
	schemaNesting = 6
	// maxRequestBytes is how much the server reads of a request.
	maxRequestBytes = 3 << 20
)

// step goes from a schema to one below it.
type step struct {
	keyword string
	// name is the key below the keyword, if there is one.
	name string
	// index counts below the keyword; negative if there is nothing to count.
	index int
}

// place is where a schema lies, from the root down.
type place []step

// below renders the place as the server writes field paths.
func (p place) below(root string) string {
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

// survey is what one look at the schema of a version tells.
type survey struct {
	// rules are the places of the nodes with rules that the server compiles: not
	// those in logical junctors, which it refuses.
	rules []place
	// odd is set if there is something that the server says only of a schema
	// without other errors, or of a rule that is not empty.
	odd bool
	// optionalOldSelf is set if a rule says so.
	optionalOldSelf bool
	// formats are the nodes that have a format, with it and the type.
	formats []formatted
	// sets are the nodes that are sets of objects or arrays.
	sets []setOf
}

type formatted struct {
	at           place
	kind, format string
}

type setOf struct {
	at   place
	kind string
}

// surveyCRD looks at all schemas of a CRD. What the server's decoder would have
// refused, and cycles, come back as a finding, and then nothing else may look
// at the CRD.
func surveyCRD(crd *apiextensionsv1.CustomResourceDefinition, known func(kind, format string) bool) ([]survey, *Finding) {
	out := make([]survey, len(crd.Spec.Versions))
	bytes := 0
	for i, v := range crd.Spec.Versions {
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		s := surveyor{survey: &out[i], known: known, bytes: bytes}
		s.schema(v.Schema.OpenAPIV3Schema, schemaNesting, true)
		bytes = s.bytes
		if s.refusal != "" {
			path := fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i)
			return nil, &Finding{Source: Decoder, Path: path, Places: []string{path}, Detail: s.refusal}
		}
	}
	return out, nil
}

type surveyor struct {
	*survey
	known func(kind, format string) bool
	at    place
	// bytes is less than the JSON of what was seen takes.
	bytes   int
	refusal string
}

// schema looks at a node and all below it. compiled says that rules are compiled
// here.
func (s *surveyor) schema(p *apiextensionsv1.JSONSchemaProps, nesting int, compiled bool) {
	if p == nil || s.refusal != "" {
		return
	}
	s.bytes += len("{}") + len(p.Description)
	switch {
	case nesting > maxNesting:
		s.refusal = fmt.Sprintf("exceeded max depth: nested more than %d levels deep", maxNesting)
		return
	case s.bytes > maxRequestBytes:
		s.refusal = fmt.Sprintf("Request entity too large: limit is %d", maxRequestBytes)
		return
	}
	s.node(p, compiled)
	// One copy of a schema for each node, not for each property: they are large.
	var child apiextensionsv1.JSONSchemaProps
	for name := range p.Properties {
		child = p.Properties[name]
		s.child(&child, step{"properties", name, -1}, nesting+2, compiled)
	}
	if p.Items != nil {
		s.child(p.Items.Schema, step{"items", "", -1}, nesting+1, compiled)
		for i := range p.Items.JSONSchemas {
			s.child(&p.Items.JSONSchemas[i], step{"items", "", i}, nesting+2, compiled)
		}
	}
	if p.AdditionalProperties != nil {
		s.child(p.AdditionalProperties.Schema, step{"additionalProperties", "", -1}, nesting+1, compiled)
	}
	if p.AdditionalItems != nil {
		s.child(p.AdditionalItems.Schema, step{"additionalItems", "", -1}, nesting+1, false)
	}
	s.child(p.Not, step{"not", "", -1}, nesting+1, false)
	for i := range p.AllOf {
		s.child(&p.AllOf[i], step{"allOf", "", i}, nesting+2, false)
	}
	for i := range p.AnyOf {
		s.child(&p.AnyOf[i], step{"anyOf", "", i}, nesting+2, false)
	}
	for i := range p.OneOf {
		s.child(&p.OneOf[i], step{"oneOf", "", i}, nesting+2, false)
	}
	for name, child := range p.PatternProperties {
		s.child(&child, step{"patternProperties", name, -1}, nesting+2, false)
	}
	for name, child := range p.Definitions {
		s.child(&child, step{"definitions", name, -1}, nesting+2, false)
	}
	for name, child := range p.Dependencies {
		s.child(child.Schema, step{"dependencies", name, -1}, nesting+2, false)
	}
}

func (s *surveyor) child(p *apiextensionsv1.JSONSchemaProps, at step, nesting int, compiled bool) {
	if p == nil {
		return
	}
	s.bytes += len(`"":,`) + len(at.name)
	s.at = append(s.at, at)
	s.schema(p, nesting, compiled)
	s.at = s.at[:len(s.at)-1]
}

// node notes what matters of the node itself.
func (s *surveyor) node(p *apiextensionsv1.JSONSchemaProps, compiled bool) {
	// The server says this only if it says nothing else of the schema.
	s.odd = s.odd || p.Schema != ""
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
	if compiled {
		s.rules = append(s.rules, slices.Clone(s.at))
	}
	for i := range p.XValidations {
		rule := &p.XValidations[i]
		s.odd = s.odd || oddRule(rule.Rule, rule.Message)
		s.optionalOldSelf = s.optionalOldSelf || rule.OptionalOldSelf != nil
	}
}

// oddRule reports whether the server may say something of the rule's text or
// message that it does not say of an empty rule.
func oddRule(rule, message string) bool {
	rule, trimmed := strings.TrimSpace(rule), strings.TrimSpace(message)
	return rule == "" || message != "" && trimmed == "" ||
		strings.ContainsAny(trimmed, "\r\n") || strings.ContainsAny(rule, "\r\n") && trimmed == ""
}
