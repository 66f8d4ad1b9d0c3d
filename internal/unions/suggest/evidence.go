package suggest

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/unions/gounions"
)

// This file decides what counts as evidence that a field selects other fields: matching names, and
// the wording of the documentation (see words.go). A false suggestion costs the reader more
// than a missed union, so each rule requires two independent signals.

// observed reports whether the field reports observed rather than desired state. Fields for
// earlier states then stay set.
func (f *unionField) observed() bool {
	switch f.field.Name {
	case "Phase", "Status", "Reason", "Condition":
		return true
	}
	return false
}

// match finds the members of the candidate: fields that are marked, fields whose name equals
// a value, and fields whose name extends a value.
func (c *candidate) match(fields []*unionField) {
	free := func(f *unionField) bool {
		return f != c.unionField && f.role == roleNone && f.whyNotMember() == "" &&
			!slices.ContainsFunc(c.matches, func(m match) bool { return m.field == f })
	}
	for _, f := range fields {
		if f.role == roleMember && f.marker != nil && c.owns(f, fields) {
			given, _ := f.specified()
			c.matches = append(c.matches, match{f, cmp.Or(given.Value, f.field.Label())})
			c.strong++
		}
	}
	selected := func(value string) bool {
		return value == "" || slices.ContainsFunc(c.matches, func(m match) bool { return m.value == value })
	}
	for _, value := range c.choices.values {
		for _, f := range fields {
			if !selected(value) && free(f) && sameName(value, f) && c.whyNotMemberOf(f, value) == "" {
				c.matches = append(c.matches, match{f, value})
				if f.field.IsPointer() {
					c.strong++
				}
			}
		}
	}
	c.matchAffixes(fields, free, selected)
	c.matchConditions(fields, free, selected)
}

// hasMembers reports whether a member of the candidate is marked.
func (c *candidate) hasMembers() bool {
	return slices.ContainsFunc(c.matches, func(m match) bool { return m.field.role == roleMember })
}

// owns reports whether a marked member belongs to the candidate.
func (c *candidate) owns(f *unionField, fields []*unionField) bool {
	member, union := f.specified()
	if c.role == roleDiscriminator && !c.native {
		_, own := c.specified()
		return !f.native && union == own
	}
	if !f.native {
		return false
	}
	if marker := f.field.Markers.Get(markers.UnionDiscriminatedByName); marker != nil {
		return string(marker.Value.(markers.UnionDiscriminatedBy)) == c.field.Label()
	}
	value := cmp.Or(member.Value, f.field.Label())
	return !c.hasRival(fields) && (c.role == roleDiscriminator || slices.Contains(c.choices.values, value))
}

// specified returns what the marker of a member specifies, and the name of its union if it is a
// Kubernetes tag.
func (f *unionField) specified() (member markers.UnionMember, union string) {
	switch value := f.marker.Value.(type) {
	case markers.UnionMember:
		return value, ""
	case markers.Declarative:
		if arg, ok := value.NamedArg("memberName"); ok {
			member.Value = arg.Value
		}
		return member, gounions.NameOf(f.marker)
	}
	return member, ""
}

// whyNotMemberOf returns why a field cannot be the member of a value that matches its name; empty
// if it can.
func (c *candidate) whyNotMemberOf(f *unionField, value string) string {
	if strings.ContainsAny(value, ", \"`") {
		return "a value with commas, blanks or quotes cannot be written into a marker"
	}
	for _, sentence := range c.conditions(f) {
		if !hasWord(sentence, value) || negation().MatchString(sentence) {
			continue
		}
		for _, other := range c.choices.values {
			if other != "" && normalName(other) != normalName(value) && strings.Contains(sentence, strconv.Quote(other)) {
				return fmt.Sprintf("its documentation has it for %q, too, and a member serves one value", other)
			}
		}
	}
	return ""
}

// matchAffixes finds members whose names are values with a word added in front or at the end,
// such as LocalhostProfile for Localhost. That is evidence if several members share the word,
// as do SecretRef and ConfigMapRef; otherwise it only supports other evidence. If members are
// marked, it does not count: the author left the field out.
func (c *candidate) matchAffixes(fields []*unionField, free func(*unionField) bool, selected func(string) bool) {
	type pair struct {
		match
		affix string
	}
	var pairs []pair
	for _, value := range c.choices.values {
		if selected(value) {
			continue
		}
		for _, f := range fields {
			if affix, ok := affixOf(value, f.field.Name); ok && free(f) && c.whyNotMemberOf(f, value) == "" {
				pairs = append(pairs, pair{match{field: f, value: value}, affix})
			}
		}
	}
	count := func(is func(pair) bool) int {
		n := 0
		for _, p := range pairs {
			if is(p) {
				n++
			}
		}
		return n
	}
	supported := !c.hasMembers() && (c.role == roleDiscriminator || c.strong >= 2)
	for _, p := range pairs {
		alone := count(func(o pair) bool { return o.field == p.field }) == 1 && count(func(o pair) bool { return o.value == p.value }) == 1
		together := count(func(o pair) bool { return o.affix == p.affix }) >= 2
		switch {
		case !alone:
		case together:
			c.matches = append(c.matches, p.match)
			c.strong++
		case supported:
			c.matches = append(c.matches, p.match)
		default:
			c.doubtful = append(c.doubtful, p.match)
		}
	}
}

// matchConditions finds members with a tag that names a mode, and members whose documentation
// has a condition about the discriminator and exactly one of its values. It applies only to a
// marked discriminator without marked members.
func (c *candidate) matchConditions(fields []*unionField, free func(*unionField) bool, selected func(string) bool) {
	if c.role != roleDiscriminator || c.hasMembers() {
		return
	}
	for _, f := range fields {
		var named []string
		if mode, _ := f.mode(); slices.Contains(c.choices.values, mode) {
			named = append(named, mode)
		}
		for _, sentence := range c.conditions(f) {
			for _, value := range c.choices.values {
				if value != "" && strings.Contains(sentence, strconv.Quote(value)) && !slices.Contains(named, value) {
					named = append(named, value)
				}
			}
		}
		if len(named) == 1 && !selected(named[0]) && free(f) && c.whyNotMemberOf(f, named[0]) == "" {
			c.matches = append(c.matches, match{f, named[0]})
		}
	}
}

// conditions returns the sentences in a field's documentation that have a condition about the
// discriminator, such as "only if type is".
func (c *candidate) conditions(f *unionField) []string {
	var out []string
	for _, sentence := range sentences(f.field.Doc) {
		if conditional().MatchString(sentence) && (hasWord(sentence, c.field.Label()) || hasWord(sentence, c.name) ||
			c.choices.typ != nil && hasWord(sentence, c.choices.typ.Spec.Name.Name)) {
			out = append(out, sentence)
		}
	}
	return out
}

// hasEvidence reports whether there is sufficient evidence for the candidate's members, and sets
// why.
func (c *candidate) hasEvidence(t *source.Type, fields int) bool {
	if len(c.matches) == 0 || c.combines() || c.role != roleDiscriminator && (allowsBoth(t.Doc) || allowsBoth(c.field.Doc)) {
		return false
	}
	name := c.field.Label()
	switch {
	case c.role == roleDiscriminator:
		c.why = name + " is marked as its discriminator"
	case c.hasMembers():
		c.why = "it has members, and no discriminator"
	case c.strong >= 2:
		c.why = fmt.Sprintf("%d optional pointers are named as values of %s", c.strong, name)
	case c.strong == 1 && fields == 2:
		c.why = "it has nothing but " + name + " and an optional pointer that is named as one of its values"
	case c.strong == 1 && len(c.conditions(c.matches[0].field)) > 0:
		c.why = fmt.Sprintf("the documentation of %s makes it depend on %s", c.matches[0].field.field.Label(), name)
	default:
		return false
	}
	return true
}

// combines reports whether a value without a member seems to mean several members, such
// as Both or IngressAndEgress. In a union, a value selects one member.
func (c *candidate) combines() bool {
	for _, value := range c.choices.values {
		if slices.ContainsFunc(c.matches, func(m match) bool { return m.value == value }) {
			continue
		}
		switch normalName(value) {
		case "both", "all", "any", "mixed", "combined":
			return true
		}
		n := 0
		for _, m := range c.matches {
			if strings.Contains(normalName(value), normalName(m.value)) {
				n++
			}
		}
		if n >= 2 {
			return true
		}
	}
	return false
}

// defaultValue returns the value that markers give an absent discriminator; empty if none
// does.
func (c *candidate) defaultValue() string {
	for _, m := range c.field.Markers {
		var value any
		switch marker := m.Value.(type) {
		case crdmarkers.Default:
			value = marker.Value
		case crdmarkers.KubernetesDefault:
			value = marker.Value
		default:
			continue
		}
		if text, ok := value.(string); ok {
			return text
		}
	}
	return ""
}

// documentedDefault returns the only value that the discriminator's documentation calls its
// default.
func (c *candidate) documentedDefault() string {
	found := ""
	for _, groups := range defaultWords().FindAllStringSubmatch(strings.Join(strings.Fields(c.field.Doc), " "), -1) {
		value := strings.Trim(groups[1]+groups[2], "\"'`.,;:()")
		if !slices.Contains(c.choices.values, value) {
			continue
		}
		if found != "" && found != value {
			return ""
		}
		found = value
	}
	return found
}

// normalName normalizes a name for comparison, removing case and word separators.
func normalName(name string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", ".", "", " ", "", "/", "").Replace(name))
}

// sameName reports whether the Go or JSON name of a field equals a value.
func sameName(value string, f *unionField) bool {
	normal := normalName(value)
	return normal != "" && (normal == normalName(f.field.Label()) || normal == normalName(f.name))
}

// affixOf returns the words that a Go name has before or after a value.
func affixOf(value, name string) (affix string, ok bool) {
	normal := normalName(value)
	lower := strings.ToLower(name)
	if len(normal) < 3 || len(lower) != len(name) || normal == lower {
		return "", false
	}
	if strings.HasPrefix(lower, normal) && startsWord(name[len(normal):]) {
		return name[len(normal):], true
	}
	if front := len(name) - len(normal); strings.HasSuffix(lower, normal) && startsWord(name[front:]) {
		return name[:front] + "…", true
	}
	return "", false
}

func startsWord(s string) bool {
	r, _ := utf8.DecodeRuneInString(s)
	return unicode.IsUpper(r)
}
