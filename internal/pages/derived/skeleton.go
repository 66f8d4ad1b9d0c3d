package derived

import (
	"strings"

	"github.com/schemagen/schemagen/structural"
)

// skeletonNode returns the node of a skeleton, with the source of each node.
func skeletonNode(s *structural.Skeleton, position func(path string) string) *node {
	out := &node{}
	keyword := func(name, text string) { out.members = append(out.members, member{key: name, text: text}) }
	child := func(target *node, key string, s *structural.Skeleton) {
		target.members = append(target.members,
			member{key: key, comment: sources(s, position), schema: skeletonNode(s, position)})
	}
	if note := disagreement(s); note != "" {
		out.notes = append(out.notes, note)
	}
	if s.Type != "" {
		keyword("type", scalar(s.Type))
	}
	if s.Nullable {
		keyword("nullable", "true")
	}
	if s.PreservesUnknownFields {
		keyword("x-kubernetes-preserve-unknown-fields", "true")
	}
	rest := "items"
	if len(s.Items) > 0 {
		rest = "additionalItems"
		list := &node{}
		for _, element := range s.Items {
			child(list, "", element)
		}
		out.members = append(out.members, member{key: "items", schema: list, list: true})
	}
	if s.AdditionalItems != nil {
		child(out, rest, s.AdditionalItems)
	}
	if s.AdditionalProperties != nil {
		child(out, "additionalProperties", s.AdditionalProperties)
	}
	if len(s.PatternProperties) > 0 {
		patterns := &node{}
		for _, p := range s.PatternProperties {
			child(patterns, p.Pattern.String(), p.Skeleton)
		}
		out.members = append(out.members, member{key: "patternProperties", schema: patterns})
	}
	if len(s.Properties) > 0 {
		properties := &node{}
		for _, p := range s.Properties {
			child(properties, p.Name, p.Skeleton)
		}
		out.members = append(out.members, member{key: "properties", schema: properties})
	}
	return out
}

// sources returns the positions and paths of the schemas that a node was merged from.
func sources(s *structural.Skeleton, position func(path string) string) string {
	var out []string
	for _, source := range s.Sources {
		path := source.Path.String()
		out = append(out, strings.TrimSpace(position(path)+" "+path))
	}
	return strings.Join(out, "; ")
}

// disagreement returns the comment about a type that was left out, or "".
func disagreement(s *structural.Skeleton) string {
	if s.Type != "" || len(s.Sources) < 2 {
		return ""
	}
	var types []string
	some := false
	for _, source := range s.Sources {
		text := source.Type
		if text == "" {
			text = "none"
		}
		some = some || source.Type != ""
		types = append(types, text)
	}
	if !some {
		return ""
	}
	return "no type: the sources disagree (" + strings.Join(types, ", ") + ")"
}

// follow returns the skeleton of a field, with the path of its first source, or nil.
func follow(s *structural.Skeleton, names []string) *structural.Skeleton {
	for _, name := range names {
		for s != nil && len(s.Properties) == 0 && s.AdditionalProperties == nil && s.AdditionalItems != nil {
			s = s.AdditionalItems
		}
		if s == nil {
			return nil
		}
		next := s.AdditionalProperties
		for _, p := range s.Properties {
			if p.Name == name {
				next = p.Skeleton
			}
		}
		s = next
	}
	return s
}
