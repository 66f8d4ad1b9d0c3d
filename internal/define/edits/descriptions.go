package edits

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/schemagen/schemagen/structural"
)

// Truncate shortens a description to at most limit bytes, not counting the dots it appends,
// as controller-gen's maxDescLen does: to the end of the last sentence, or else of the last
// word. 0 removes the description, a negative limit keeps it. A character that the limit
// splits becomes U+FFFD, as in encoding/json.
func Truncate(s string, limit int) string {
	if limit < 0 {
		return s
	}
	if limit == 0 || len(s) <= limit {
		return s[:min(len(s), limit)]
	}
	s = s[:limit]
	if n := strings.LastIndexFunc(s, func(r rune) bool { return unicode.Is(unicode.STerm, r) }); n > 0 {
		return validUTF8(s[:n+1])
	}
	if n := strings.LastIndexFunc(s, func(r rune) bool { return unicode.Is(unicode.White_Space, r) }); n > 0 {
		s = s[:n]
	}
	return validUTF8(s + "...")
}

// validUTF8 replaces each invalid byte, as encoding/json does.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r)
	}
	return b.String()
}

// DescriptionPolicy is how descriptions are shortened: removed, reduced to the first
// sentence, or limited to a number of bytes.
type DescriptionPolicy struct {
	limit         int
	firstSentence bool
}

// ParseDescriptionPolicy parses the value of +schemagen:descriptions.
func ParseDescriptionPolicy(text string) (DescriptionPolicy, error) {
	switch text {
	case "drop":
		return DescriptionPolicy{}, nil
	case "firstSentence":
		return DescriptionPolicy{firstSentence: true}, nil
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 0 {
		return DescriptionPolicy{limit: n}, nil
	}
	return DescriptionPolicy{}, fmt.Errorf("expected drop, firstSentence, or a number of bytes, got %q", text)
}

// Apply returns the description after applying the policy.
func (p DescriptionPolicy) Apply(description string) string {
	if p.firstSentence {
		return firstSentence(description)
	}
	return Truncate(description, p.limit)
}

// firstSentence returns the text up to the first period followed by a blank or the end of a
// line, or up to the first empty line.
func firstSentence(text string) string {
	text, _, _ = strings.Cut(text, "\n\n")
	for i := 0; i < len(text); i++ {
		if text[i] == '.' && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n') {
			return text[:i+1]
		}
	}
	return text
}

// Shortening returns the edits. The ones that shorten descriptions call shorten for each node.
func Shortening(list []*Edit, shorten func(s *structural.Schema, shortened func(string) string) string) []*Edit {
	out := slices.Clone(list)
	for i, e := range out {
		if op, ok := e.Op.(limitDescriptions); ok {
			changed := *e
			changed.Op = limitDescriptions{op.policy, shorten}
			out[i] = &changed
		}
	}
	return out
}

// below returns a copy of the schema with the policy applied to its description and all
// descriptions below it.
func (p limitDescriptions) below(s *structural.Schema) *structural.Schema {
	out := *s
	if p.shorten != nil {
		out.Description = p.shorten(s, p.policy.Apply)
	} else {
		out.Description = p.policy.Apply(s.Description)
	}
	out.Properties = make([]structural.Property, 0, len(s.Properties))
	for _, property := range s.Properties {
		out.Properties = append(out.Properties, structural.Property{Name: property.Name, Schema: p.below(property.Schema)})
	}
	if s.Items != nil {
		out.Items = p.below(s.Items)
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		out.AdditionalProperties = &structural.SchemaOrBool{Schema: p.below(a.Schema)}
	}
	return &out
}

// CheckDescriptions returns an error if a policy for descriptions is not valid.
func CheckDescriptions(text string) error {
	_, err := ParseDescriptionPolicy(text)
	return err
}
