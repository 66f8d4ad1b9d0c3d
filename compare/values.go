package compare

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/ground/changekind"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/structural"
)

// typesOf returns the types of the values that a schema accepts; nil means any.
func typesOf(s *structural.Schema) []string {
	switch {
	case s.XIntOrString:
		return []string{"integer", "string"}
	case s.Type == "number":
		return []string{"integer", "number"}
	case s.Type == "":
		return nil
	}
	return []string{s.Type}
}

// typeName returns the type of a schema for messages.
func typeName(s *structural.Schema) string {
	switch {
	case s.XIntOrString:
		return "int-or-string"
	case s.Type == "":
		return "anything"
	}
	return s.Type
}

func (c *comparer) types(pair nodePair) bool {
	old := typesOf(pair.old)
	new := typesOf(pair.new)
	change := Change{Old: typeName(pair.old), New: typeName(pair.new)}
	isIn := func(all []string) func(string) bool {
		return func(t string) bool { return all == nil || slices.Contains(all, t) }
	}
	switch {
	case slices.Equal(old, new) && (old == nil) == (new == nil):
		return true
	case new == nil || old != nil && !slices.ContainsFunc(old, func(t string) bool { return !isIn(new)(t) }):
		change.Kind = changekind.TypeWidened
		change.Reason = "every value is still accepted; clients may read values of other types"
		c.loosen(pair, "type", change)
	case pair.old.Type == "number" && pair.new.Type == "integer":
		change.Kind = changekind.TypeNarrowed
		change.Reason = "numbers with a fraction are rejected"
		if len(pair.rules) > 0 {
			change.Category = BreaksStored
			change.Reason = "a rule reads the field, and fails in every update if a stored number has a fraction"
			c.add(pair, "type", change)
			return true
		}
		c.tighten(pair, "type", change)
	default:
		change.Kind = changekind.TypeChanged
		change.Category = BreaksStored
		change.Reason = "stored values have another type: server-side apply fails for such objects, and typed clients cannot decode them"
		c.add(pair, "type", change)
	}
	return true
}

func (c *comparer) unknownFields(p nodePair) bool {
	if keepsUnknown(p.new) {
		c.loosen(p, keywordName("XPreserveUnknownFields"), Change{Kind: changekind.UnknownKept, Reason: "unspecified fields are kept instead of being dropped"})
		return true
	}
	if !keepsUnknown(p.old) {
		return false // an explicit false, which the server rejects
	}
	c.add(p, "", Change{Kind: changekind.UnknownPruned, Category: BreaksStored, Reason: "the server drops unspecified fields when it reads a stored object"})
	return true
}

func (c *comparer) embedded(p nodePair) bool {
	const keyword = "x-kubernetes-embedded-resource"
	switch {
	case p.new.XEmbeddedResource:
		c.add(p, keyword, Change{Kind: changekind.EmbeddedAdded, Category: BreaksStored,
			Reason: "values must have an apiVersion, a kind and valid metadata; this is not ratcheted"})
	case keepsUnknown(p.new):
		c.loosen(p, "", Change{Kind: changekind.EmbeddedRemoved, Reason: "values no longer need an apiVersion, a kind and metadata; unknown fields are kept"})
	default:
		c.add(p, "", Change{Kind: changekind.EmbeddedRemoved, Category: BreaksStored,
			Reason: "the server drops unspecified apiVersion, kind and metadata when it reads a stored object"})
	}
	return true
}

func (c *comparer) nullable(p nodePair) bool {
	change := Change{Kind: changekind.NullableAdded, Reason: "null is kept instead of being dropped"}
	switch {
	case !p.new.Nullable:
		change.Kind = changekind.NullableRemoved
		change.Category = BreaksStored
		change.Reason = "the server drops a stored null when it reads the object, or replaces it with the default"
		if p.field == "" || strings.HasSuffix(p.field, "[*]") {
			change.Reason = "a stored null is rejected"
		}
	case p.new.Default != nil:
		change.Category = BreaksClients
		change.Reason = "null is kept instead of being replaced with the default"
	}
	c.add(p, "nullable", change)
	return true
}

func (c *comparer) defaults(pair nodePair) bool {
	change := Change{Kind: changekind.DefaultChanged, Category: BreaksClients, Old: jsonText(pair.old.Default),
		New:    jsonText(pair.new.Default),
		Reason: "clients that omit the field get a different value; stored objects keep theirs"}
	switch {
	case pair.old.Default == nil && change.New == `""` && emptyMeansAbsent(pair):
		change.Kind = changekind.DefaultAdded
		change.Category = Safe
		change.Reason = `objects without the field have "" when they are read: the same for clients in Go whose field is no pointer`
	case pair.new.Default == nil && change.Old == `""` && emptyMeansAbsent(pair) && !pair.comparedAround():
		change.Kind = changekind.DefaultRemoved
		change.Category = Safe
		change.Reason = `objects may lack the field instead of having "": the same for clients in Go whose field is no pointer`
	case pair.old.Default == nil && pair.required && !pair.old.Nullable:
		change.Kind = changekind.DefaultAdded
		change.Category = Safe
		change.Reason = "the field was required, so stored objects have it"
	case pair.old.Default == nil:
		change.Kind = changekind.DefaultAdded
		change.Category = BreaksStored
		change.Reason = "stored objects without the field have the default when they are read, so its absence gets a new meaning"
	case pair.new.Default == nil:
		change.Kind = changekind.DefaultRemoved
		change.Reason = "clients that omit the field no longer get a value; stored objects keep theirs"
	}
	c.add(pair, "default", change)
	return true
}

// emptyMeansAbsent reports whether nothing in the schemas tells "" from a missing field: no rule
// reads it, and its presence does not count.
func emptyMeansAbsent(p nodePair) bool {
	return p.name != "" && !p.counted && !p.branched && !p.required &&
		!slices.ContainsFunc(p.rules, func(r structural.Rule) bool { return apiserver.ReadsField(r.Rule, p.name) })
}

// comparedAround reports whether a rule may compare objects around the field: one that was stored
// with a default differs from one without it.
func (p nodePair) comparedAround() bool {
	names := strings.FieldsFunc(p.field, func(r rune) bool { return r == '.' || r == '[' })
	return slices.ContainsFunc(p.rules, func(r structural.Rule) bool { return apiserver.ComparesValues(r.Rule, names) })
}

func (c *comparer) requirements(p nodePair) bool {
	for _, name := range withoutKeys(p.new.Required, p.old.Required, strings.Clone) {
		if p.alwaysHas(name) {
			continue
		}
		p.holds = c.satisfied(p, "", &structural.ValueValidation{Required: []string{name}})
		change := Change{
			Kind: changekind.RequiredAdded, New: name, Reason: fmt.Sprintf("objects without %s are rejected", name),
		}
		if f := p.new.Property(name); f != nil && f.Default != nil && string(f.Default.Raw) != "null" {
			change.Reason = "objects without the field get its default"
			c.add(p, "required", change)
			continue
		}
		c.tighten(p, "required", change)
	}
	for _, name := range withoutKeys(p.old.Required, p.new.Required, strings.Clone) {
		if p.alwaysHas(name) {
			continue
		}
		c.loosen(p, "required", Change{Kind: changekind.RequiredRemoved, Old: name, Reason: fmt.Sprintf("clients may read objects without %s", name)})
	}
	return true
}

func (c *comparer) enum(pair nodePair) bool {
	old := pair.old.Enum
	new := pair.new.Enum
	var added, removed Kind = changekind.EnumValueAdded, changekind.EnumValueRemoved
	if pair.discriminator {
		added = changekind.UnionValueAdded
		removed = changekind.UnionValueRemoved
	}
	switch {
	case len(old) == 0:
		c.tighten(pair, "enum", Change{
			Kind: changekind.EnumAdded, New: valuesText(new), Reason: "all other values are rejected",
		})
		return true
	case len(new) == 0:
		c.loosen(pair, "enum", Change{Kind: changekind.EnumRemoved, Old: valuesText(old), Reason: "any value is accepted; clients may read values that they do not know"})
		return true
	}
	if missing := withoutKeys(old, new, canonical); len(missing) > 0 {
		c.tighten(pair, "enum", Change{Kind: removed, Old: valuesText(missing), Reason: "objects with " + shorten(valuesText(missing), 300) + " are rejected"})
	}
	if more := withoutKeys(new, old, canonical); len(more) > 0 {
		c.loosen(pair, "enum", Change{Kind: added, New: valuesText(more), Reason: "clients may read " + shorten(valuesText(more), 300) + ", and must not assume that the list of values is complete"})
	}
	return true
}

// bound compares two limits. If least is set, a higher limit accepts less. rejected is the
// reason if the new limit accepts less.
func (c *comparer) bound(pair nodePair, keyword string, old, new *float64, least bool, rejected string) {
	change := Change{}
	if old != nil {
		change.Old = number(*old)
	}
	if new != nil {
		change.New = number(*new)
	}
	tighter := false
	switch {
	case old == nil:
		change.Kind = Kind(keyword + "-added")
		tighter = true
	case new == nil:
		change.Kind = Kind(keyword + "-removed")
	case *new > *old:
		change.Kind = Kind(keyword + "-raised")
		tighter = least
	default:
		change.Kind = Kind(keyword + "-lowered")
		tighter = !least
	}
	if tighter {
		change.Reason = rejected
		c.tighten(pair, keyword, change)
		return
	}
	change.Reason = "every value is still accepted"
	c.loosen(pair, keyword, change)
}

func number(f float64) string { return strconv.FormatFloat(f, 'f', -1, 64) }

// limit explains a keyword that limits a count.
func limit(name, rejected string) keyword {
	k := keywords.Named(name)
	get := func(s *structural.Schema) *float64 { return asFloat(*k.Value(keywords.PartsOf(s)).(**int64)) }
	return keyword{[]string{k.Field}, func(c *comparer, p nodePair) bool {
		old := get(p.old)
		new := get(p.new)
		reason := rejected
		if new != nil && strings.Contains(rejected, "%s") {
			reason = fmt.Sprintf(rejected, number(*new))
		}
		c.bound(p, name, old, new, strings.HasPrefix(name, "min"), reason)
		return true
	}}
}

func asFloat(n *int64) *float64 {
	if n == nil {
		return nil
	}
	f := float64(*n)
	return &f
}

func (c *comparer) maximum(p nodePair) bool {
	c.numericBound(p, "maximum", p.old.Maximum, p.new.Maximum, p.old.ExclusiveMaximum, p.new.ExclusiveMaximum, false)
	return true
}

func (c *comparer) minimum(p nodePair) bool {
	c.numericBound(p, "minimum", p.old.Minimum, p.new.Minimum, p.old.ExclusiveMinimum, p.new.ExclusiveMinimum, true)
	return true
}

// numericBound compares limits of numbers. An exclusive limit is compared as the next
// float64 inside it.
func (c *comparer) numericBound(pair nodePair, keyword string, old, new *float64, oldExclusive, newExclusive, least bool) {
	inclusive := func(edge *float64, exclusive bool) *float64 {
		if edge == nil || !exclusive {
			return edge
		}
		towards := math.Inf(-1)
		if least {
			towards = math.Inf(1)
		}
		next := math.Nextafter(*edge, towards)
		return &next
	}
	if old == nil && new == nil {
		return // exclusive without a limit
	}
	words := map[bool]string{false: "numbers above %s are rejected", true: "numbers below %s are rejected"}[least]
	if newExclusive {
		words = strings.Replace(words, " are rejected", ", inclusive, are rejected", 1)
	}
	if new != nil {
		words = fmt.Sprintf(words, number(*new))
	}
	start := len(c.changes)
	c.bound(pair, keyword, inclusive(old, oldExclusive), inclusive(new, newExclusive), least, words)
	for i := start; i < len(c.changes); i++ {
		c.changes[i].Old = boundText(old, oldExclusive)
		c.changes[i].New = boundText(new, newExclusive)
	}
}

func boundText(edge *float64, exclusive bool) string {
	switch {
	case edge == nil:
		return ""
	case exclusive:
		return number(*edge) + " (exclusive)"
	}
	return number(*edge)
}

func (c *comparer) multipleOf(pair nodePair) bool {
	old := pair.old.MultipleOf
	new := pair.new.MultipleOf
	change := Change{Kind: "multipleOf-changed", Reason: "numbers that are not multiples are rejected"}
	if old != nil {
		change.Old = number(*old)
	}
	if new != nil {
		change.New = number(*new)
	}
	switch {
	case new == nil:
		change.Kind = "multipleOf-removed"
		change.Reason = "every value is still accepted"
		c.loosen(pair, "multipleOf", change)
		return true
	case old == nil:
		change.Kind = "multipleOf-added"
	case math.Trunc(*old) == *old && math.Trunc(*new) == *new && *new != 0 && math.Mod(*old, *new) == 0:
		change.Reason = "every value is still accepted"
		c.loosen(pair, "multipleOf", change)
		return true
	}
	c.tighten(pair, "multipleOf", change)
	return true
}

// text explains a keyword whose value is a string without structure.
func text(name, rejected string) keyword {
	k := keywords.Named(name)
	get := func(s *structural.Schema) string { return *k.Value(keywords.PartsOf(s)).(*string) }
	return keyword{[]string{k.Field}, func(c *comparer, p nodePair) bool {
		change := Change{Kind: Kind(name + "-changed"), Old: get(p.old), New: get(p.new), Reason: rejected}
		switch {
		case change.New == "":
			change.Kind = Kind(name + "-removed")
			change.Reason = "every value is still accepted"
			c.loosen(p, name, change)
			return true
		case change.Old == "":
			change.Kind = Kind(name + "-added")
		}
		c.tighten(p, name, change)
		return true
	}}
}

// typedFormats are the formats whose values CEL converts to types other than string
// (k8s.io/apiserver, pkg/cel/common/values.go): a rule fails if a value does not have the
// format.
var typedFormats = [...]string{"byte", "date", "date-time", "datetime", "duration"}

func (c *comparer) format(p nodePair) bool {
	if c.hasNoEffect(p, []string{"Format"}) {
		return c.documentation(p)
	}
	if len(p.rules) > 0 && !p.holds && slices.Contains(typedFormats[:], p.new.Format) {
		change := Change{Kind: "format-changed", Category: BreaksStored, Old: p.old.Format, New: p.new.Format,
			Reason: "a rule reads the field, and fails in every update if a stored value does not have this format"}
		if p.old.Format == "" {
			change.Kind = "format-added"
		}
		c.add(p, "format", change)
		return true
	}
	start := len(c.changes)
	text("format", "values that do not have this format are rejected").explain(c, p)
	switch change := &c.changes[start]; {
	case change.Category != Safe:
	case p.old.Type != p.new.Type:
		change.Reason = "the format was about values of the old type"
	case p.old.Format == "int32" && p.old.Type == "integer":
		change.Reason = "every value is still accepted; clients may read integers with more than 32 bits"
	case p.new.Format != "" && c.target.IgnoresFormat(p.new.Type, p.new.Format):
		change.Reason = "every value is accepted, because the server does not know this format"
	}
	return true
}

func (c *comparer) listType(p nodePair) bool {
	change := Change{
		Kind: changekind.ListTypeChanged, Category: BreaksClients, Old: listType(p.old), New: listType(p.new),
	}
	switch {
	case p.old.XListType == p.new.XListType:
		change.Kind = changekind.ListKeysChanged
		change.Reason = "elements are identified by different keys: duplicates are rejected, and server-side apply merges different elements"
	case p.new.XListType == "":
		change.Reason = "server-side apply replaces the whole list, including elements of other managers"
	default:
		change.Reason = "duplicates are rejected, and server-side apply keeps elements without an owner instead of replacing the list"
	}
	c.add(p, "x-kubernetes-list-type", change)
	return true
}

func listType(s *structural.Schema) string {
	text := cmp.Or(s.XListType, "atomic")
	if len(s.XListMapKeys) > 0 {
		text += " by " + strings.Join(s.XListMapKeys, ", ")
	}
	return text
}

func (c *comparer) mapType(p nodePair) bool {
	c.add(p, "x-kubernetes-map-type", Change{Kind: changekind.MapTypeChanged, Category: BreaksClients, Old: cmp.Or(p.old.XMapType, "granular"), New: cmp.Or(p.new.XMapType, "granular"),
		Reason: "server-side apply of some fields affects the other fields differently"})
	return true
}

func (c *comparer) documentation(p nodePair) bool {
	if c.documented++; c.documented == 1 {
		c.documentedAt = p
	}
	return true
}

// jsonText returns the text of a value, or "" if it is nil.
func jsonText(v *structural.JSON) string {
	if v == nil {
		return ""
	}
	return string(v.Raw)
}

func valuesText(values []structural.JSON) string {
	var out []string
	for _, v := range values {
		out = append(out, string(v.Raw))
	}
	return strings.Join(out, ", ")
}
