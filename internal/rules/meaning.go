package rules

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// Kind is what a marker says about the presence of fields.
type Kind int

// The kinds, in the order in which they are preferred.
const (
	// ExactlyOne, AtMostOne and AtLeastOne are about the number of members that are set.
	ExactlyOne Kind = iota
	// Discriminated means that the value of the discriminator selects the member that is set.
	Discriminated
	AtMostOne
	AtLeastOne
	// Required means that the only member is always present.
	Required
	// Requires means that the second member is set where the first one is.
	Requires
	// Modes means that the value of the discriminator decides whether one field may be set or has to be:
	// it is a member for each value that allows it. An absent discriminator is the value "" or "false".
	Modes
	// Excludes means that the second member is not set where the first one is. Only a [Replacement] has it.
	Excludes
)

// Marker is what a marker says.
type Marker struct {
	Kind          Kind
	Discriminator string
	Members       []unions.Member
	// Nonempty is set if a value of a member counts as absent: null, or the zero value of its type, such as an empty
	// list. Null is set if only null does.
	Nonempty, Null bool
}

// Words describes the marker.
func (m Marker) Words() string {
	var names, forced []string
	for _, member := range m.Members {
		name := member.Name
		switch {
		case m.Kind == Modes && !member.Optional:
			forced = append(forced, strconv.Quote(member.Value))
			continue
		case m.Kind == Modes:
			name = strconv.Quote(member.Value)
		case m.Kind == Discriminated:
			name += fmt.Sprintf(" (for %q)", member.Value)
			if member.Optional {
				name += " or nothing"
			}
		}
		names = append(names, name)
	}
	members := strings.Join(names, ", ")
	switch {
	case m.Kind == Modes || !m.Nonempty:
	case m.Null:
		members += ", where null is none"
	default:
		members += ", where an empty value is none"
	}
	switch m.Kind {
	case ExactlyOne:
		return "exactly one of " + members
	case AtMostOne:
		return "at most one of " + members
	case AtLeastOne:
		return "at least one of " + members
	case Required:
		return members + " is required"
	case Requires:
		return strings.Replace(members, ", ", " requires ", 1)
	case Modes:
		out := m.Discriminator + " decides about " + m.Members[0].Name
		if len(forced) > 0 {
			out += ", required for " + strings.Join(forced, ", ")
		}
		if len(names) > 0 {
			out += ", allowed for " + members
		}
		return out
	}
	return m.Discriminator + " selects " + members
}

// Meaning is what conditions of an object mean.
type Meaning struct {
	// Conditions are the indexes of the conditions.
	Conditions []int
	// Markers accept the same objects as the rules; there may be none.
	Markers []Marker
	// Replacement is how Markers are written in Go source; nil if there is no way, or if modes would take the
	// place of a union that is near.
	Replacement *Replacement
	// Combinations is the number of rows of the table, and Accepting how many the rules accept.
	Combinations, Accepting int
	// Near is a single marker that accepts less than the rules, but refuses mostly what they refuse; nil
	// if there is none. Accepted is an object that the rules accept and this marker refuses.
	Near     *Marker
	Accepted map[string]any
}

// Meanings returns what conditions of an object mean, for those for which there are markers of the same or
// a near meaning. No two meanings share a field.
func Meanings(s *structural.Schema, list []Condition) []Meaning {
	groups, _ := grouped(s, list)
	var out []Meaning
	for _, g := range groups {
		t := g.table(s, list)
		if t == nil {
			continue
		}
		found := t.meaning()
		isRead := func(field string) bool {
			return slices.ContainsFunc(list, func(c Condition) bool { return c.reads(field) })
		}
		if len(found.Markers) == 1 && found.Near == nil {
			found.Near, found.Accepted = t.incomplete(found.Markers[0], isRead)
		}
		if len(found.Markers) > 0 || found.Near != nil {
			found.Conditions = g.conditions
			out = append(out, found)
		}
	}
	return out
}

// meaning returns what all rules of a table mean.
func (t *Table) meaning() Meaning {
	t.members = t.findMembers()
	out := Meaning{Combinations: len(t.rows), Accepting: len(t.accepted), Markers: t.cover(t.implied())}
	out.Replacement = t.replacement(out.Markers)
	if len(out.Markers) == 1 && !t.hasTextModes(out.Markers[0]) {
		return out
	}
	for _, marker := range t.intended() {
		var differing []row
		refused := 0
		isTighter := true
		for _, r := range t.rows {
			switch {
			case r.isAccepted() && !t.holds(marker, r) && !t.isPossible(r):
			case r.isAccepted() && !t.holds(marker, r):
				differing = append(differing, r)
			case !r.isAccepted() && t.holds(marker, r):
				isTighter = false
			case !r.isAccepted():
				refused++
			}
		}
		if isTighter && refused >= len(differing) && len(differing) > 0 {
			out.Near = &marker
			out.Accepted = t.object(differing[0])
			if out.Replacement != nil && slices.ContainsFunc(out.Replacement.Markers, isMode) {
				out.Replacement = nil // the union is what they were meant for
			}
			return out
		}
	}
	return out
}

// incomplete returns the union of a discriminator that also has the fields that no rule reads although they are named
// as one of its values, or although all other fields are members, with an object that has such a field beside another
// value; nil if there are none.
func (t *Table) incomplete(found Marker, isRead func(field string) bool) (near *Marker, accepted map[string]any) {
	d := t.self.child(found.Discriminator)
	if d == nil || len(enumOf(d.schema)) < 2 || found.Kind == Modes && len(found.Members) > 1 {
		return nil, nil
	}
	near = &Marker{Kind: Discriminated, Discriminator: d.step, Members: slices.Clone(found.Members)}
	for _, allowed := range enumOf(d.schema) {
		for _, p := range t.schema.Properties {
			value := strings.Trim(string(allowed.Raw), `"`)
			isOther := func(r row) bool { return !t.selects(r, d.step, value) && t.isPossible(r) }
			i := slices.IndexFunc(t.accepted, isOther)
			if i < 0 || !strings.EqualFold(value, p.Name) || t.schema.Requires(p.Name) || isRead(p.Name) {
				continue
			}
			near.Members = append(near.Members, unions.Member{Name: p.Name, Value: value})
			if accepted == nil {
				accepted = t.object(t.accepted[i])
				accepted[p.Name] = unions.Sample(p.Schema, false)
			}
		}
	}
	if name := t.lastField(found, isRead); accepted == nil && name != "" {
		near.Members = append(near.Members, unions.Member{Name: name, Value: strings.ToUpper(name[:1]) + name[1:]})
		accepted = t.object(t.accepted[0])
		accepted[name] = unions.Sample(t.schema.Property(name), false)
	}
	if accepted == nil {
		return nil, nil
	}
	return near, accepted
}

// lastField returns the only object that is not a member of a union which has a member for each of three or more
// values; empty if there is none, or if a rule reads it.
func (t *Table) lastField(found Marker, isRead func(field string) bool) string {
	d := t.self.child(found.Discriminator)
	if found.Kind != Discriminated || len(found.Members) < 3 || len(found.Members) < len(enumOf(d.schema)) {
		return ""
	}
	var rest []string
	for _, p := range t.schema.Properties {
		isMember := slices.ContainsFunc(found.Members, func(m unions.Member) bool { return m.Name == p.Name })
		if !isMember && p.Name != d.step {
			rest = append(rest, p.Name)
		}
	}
	if len(rest) != 1 || t.schema.Requires(rest[0]) || isRead(rest[0]) {
		return ""
	}
	if s := t.schema.Property(rest[0]); s.Type != "object" || s.Default != nil {
		return ""
	}
	return rest[0]
}

func isMode(m Marker) bool { return m.Kind == Modes }

// hasTextModes reports whether a marker has modes that texts name, which may be meant for a union.
func (t *Table) hasTextModes(m Marker) bool {
	return isMode(m) && t.self.child(m.Discriminator).schema.Type == "string"
}

func (r row) isAccepted() bool { return isAccepted(r.outcomes) }

// cover returns the fewest markers, as far as the greedy choice finds them, that together refuse all
// rows that the rules refuse; none if the candidates, which accept all that the rules accept, do not.
func (t *Table) cover(candidates []Marker) []Marker {
	left := slices.DeleteFunc(slices.Clone(t.rows), row.isAccepted)
	if len(t.accepted) == 0 {
		return nil
	}
	var out []Marker
	for len(left) > 0 {
		best := -1
		fewest := len(left)
		isRefused := func(r row) bool { return !t.holds(candidates[best], r) }
		for i, candidate := range candidates {
			uncovered := 0
			for _, r := range left {
				if t.holds(candidate, r) {
					uncovered++
				}
			}
			if uncovered < fewest {
				best = i
				fewest = uncovered
			}
			if fewest == 0 {
				break
			}
		}
		if best < 0 {
			return nil
		}
		out = append(out, candidates[best])
		left = slices.DeleteFunc(left, isRefused)
	}
	return out
}

// findMembers returns the columns that may be members: fields that may be absent, or have their zero value,
// and of which nothing else matters.
func (t *Table) findMembers() []*part {
	return slices.DeleteFunc(slices.Clone(t.self.children), func(p *part) bool {
		if len(p.children) > 0 || !p.optional && !slices.ContainsFunc(p.choices, t.uses[p].isEmpty) {
			return true
		}
		column := slices.Index(t.columns, p)
		answers := map[string]bool{}
		return len(p.choices) > 1 && slices.ContainsFunc(t.rows, func(r row) bool {
			classes := slices.Clone(r.classes)
			classes[column] = absent
			if t.has(r, p) {
				classes[column] = 0
			}
			key := textOf(classes)
			known, ok := answers[key]
			answers[key] = r.isAccepted()
			return ok && known != r.isAccepted()
		})
	})
}

// has reports whether a member is set in a row: it is not null and, if the rules read its value, not the zero
// value.
func (t *Table) has(r row, p *part) bool {
	class := r.classes[slices.Index(t.columns, p)]
	if class == absent || p.choices[class] == nil {
		return false
	}
	return !t.uses[p].readsValue() || !t.uses[p].isEmpty(p.choices[class])
}

// isEmpty reports whether the value of a class is the zero value of its type, or an empty list or map, and the
// class has no other values.
func (u *use) isEmpty(value any) bool {
	isListed := len(enumOf(u.schema)) > 0
	low, _ := bounds(u.schema)
	switch value := value.(type) {
	case nil:
		return true
	case bool:
		return !value
	case string:
		return value == "" && (!isListed || u.isWhole || len(u.sizes) > 0 || slices.Contains(u.texts, ""))
	case int64:
		isNext := !isListed && low == 0 && slices.Contains(u.numbers, 1)
		return value == 0 && (u.isWhole || isNext || slices.Contains(u.numbers, 0))
	case []any:
		return len(value) == 0 && (slices.Contains(u.sizes, 0) || slices.Contains(u.sizes, 1))
	case map[string]any:
		return len(value) == 0 && (slices.Contains(u.sizes, 0) || slices.Contains(u.sizes, 1))
	}
	return false
}

// holds reports whether a marker accepts a row.
func (t *Table) holds(marker Marker, r row) bool {
	count := 0
	isSet := false
	isAllowed := false
	for i, m := range marker.Members {
		isSet = t.has(r, t.self.child(m.Name))
		if isSet {
			count++
		}
		if marker.Discriminator != "" {
			isSelected := t.selects(r, marker.Discriminator, m.Value)
			isAllowed = isAllowed && marker.Kind == Modes || isSelected
			if isSelected && !isSet && !m.Optional || isSet && !isSelected && marker.Kind == Discriminated {
				return false
			}
		} else if marker.Kind == Requires && i == 0 && !isSet {
			return true
		}
	}
	switch marker.Kind {
	case ExactlyOne:
		return count == 1
	case AtMostOne:
		return count <= 1
	case AtLeastOne:
		return count >= 1
	case Required:
		return r.classes[slices.Index(t.columns, t.self.child(marker.Members[0].Name))] != absent
	case Requires:
		return isSet
	case Modes:
		return isAllowed || !isSet
	}
	return true
}

// selects reports whether a discriminator has a value in a row.
func (t *Table) selects(r row, discriminator, value string) bool {
	d := t.self.child(discriminator)
	return slices.Contains(t.modesOf(d, r.classes[slices.Index(t.columns, d)]), value)
}

// modesOf returns the values of a discriminator in a class; none if they are not known.
func (t *Table) modesOf(d *part, class int) []string {
	isAbsent := class == absent || d.choices[class] == nil
	switch {
	case isAbsent && d.schema.Type == "boolean":
		return []string{"false"}
	case isAbsent:
		return []string{""}
	case t.isSingle(d, class):
		return []string{fmt.Sprint(d.choices[class])}
	}
	var out []string
	for _, allowed := range enumOf(d.schema) {
		var value string
		if json.Unmarshal(allowed.Raw, &value) == nil && !slices.Contains(t.uses[d].texts, value) {
			out = append(out, value)
		}
	}
	return out
}

// everywhere reports whether all accepted rows satisfy a condition.
func (t *Table) everywhere(condition func(row) bool) bool {
	return !slices.ContainsFunc(t.accepted, func(r row) bool { return !condition(r) })
}

// accepts reports whether an accepted row has a class of a column and satisfies a condition.
func (t *Table) accepts(column, class int, condition func(row) bool) bool {
	isOne := func(r row) bool { return r.classes[column] == class && condition(r) }
	return slices.ContainsFunc(t.accepted, isOne)
}

// implied returns markers that accept all that the rules accept.
func (t *Table) implied() []Marker {
	var exactly, most, least, discriminated []Marker
	for i := range t.members {
		clique := t.members[i : i+1]
		for _, other := range slices.Concat(t.members[i+1:], t.members[:i]) {
			excludes := func(p *part) bool {
				return t.everywhere(func(r row) bool { return !t.has(r, p) || !t.has(r, other) })
			}
			if !slices.ContainsFunc(clique, func(p *part) bool { return !excludes(p) }) {
				clique = append(slices.Clip(clique), other)
			}
		}
		if len(clique) > 1 {
			m := t.markerOf(AtMostOne, clique)
			most = append(most, m)
			m.Kind = ExactlyOne
			if t.everywhere(func(r row) bool { return t.holds(m, r) }) {
				exactly = append(exactly, m)
			}
		}
	}
	for _, set := range subsets(t.members) {
		m := t.markerOf(AtLeastOne, set)
		if t.everywhere(func(r row) bool { return t.holds(m, r) }) {
			least = append(least, m)
		}
	}
	for _, d := range t.self.children {
		if m := t.discriminated(d, t.selected); len(m.Members) > 0 {
			discriminated = append(discriminated, m)
		}
	}
	all := slices.Concat(exactly, discriminated, most, least, t.conditional())
	rest := slices.DeleteFunc(slices.Clone(all), t.hasFlag)
	return append(rest, slices.DeleteFunc(all, func(m Marker) bool { return !t.hasFlag(m) })...)
}

// hasFlag reports whether a marker demands one of a boolean and members of other types. Such a boolean is rather a
// discriminator, which decides about them, and no minimum makes its presence mean that it is true.
func (t *Table) hasFlag(m Marker) bool {
	flags := 0
	for _, member := range m.Members {
		p := t.self.child(member.Name)
		if p.schema.Type == "boolean" && t.uses[p].readsValue() {
			flags++
		}
	}
	return (m.Kind == ExactlyOne || m.Kind == AtLeastOne) && flags > 0 && flags < len(m.Members)
}

// conditional returns the markers of single fields that accept all that the rules accept.
func (t *Table) conditional() []Marker {
	var required, requires, modes []Marker
	isImplied := func(m Marker) bool { return t.everywhere(func(r row) bool { return t.holds(m, r) }) }
	for _, column := range t.self.children {
		m := Marker{Kind: Required, Members: []unions.Member{{Name: column.step}}}
		if column.optional && isImplied(m) {
			required = append(required, m)
		}
	}
	for _, member := range t.members {
		for _, other := range t.members {
			m := t.markerOf(Requires, []*part{member, other})
			m.Members = []unions.Member{{Name: member.step}, {Name: other.step}}
			if other != member && isImplied(m) {
				requires = append(requires, m)
			}
		}
		for _, d := range t.self.children {
			isNamed := d.schema.Type == "string" || d.schema.Type == "boolean"
			isMode := d != member && len(d.children) == 0 && len(d.choices) > 1 && isNamed
			if m := t.modes(d, member); isMode && len(m.Members) > 0 && isImplied(m) {
				modes = append(modes, m)
			}
		}
	}
	return slices.Concat(required, requires, modes)
}

// modes returns the marker of a member that values of a discriminator allow or require. It has no members if
// the rules tell values apart that are one mode, such as the empty value and none.
func (t *Table) modes(d, member *part) Marker {
	type mode struct{ isAllowed, isOptional bool }
	m := t.markerOf(Modes, []*part{member})
	m.Members = nil
	m.Discriminator = d.step
	column := slices.Index(t.columns, d)
	known := map[string]mode{}
	for class := absent; class < len(d.choices); class++ {
		names := t.modesOf(d, class)
		isSet := func(r row) bool { return t.has(r, member) }
		isUnset := func(r row) bool { return !t.has(r, member) }
		next := mode{t.accepts(column, class, isSet), t.accepts(column, class, isUnset)}
		if len(names) == 1 && next == (mode{}) {
			continue // another marker refuses the value
		}
		for _, name := range names {
			if earlier, ok := known[name]; ok && earlier != next {
				m.Members = nil
				return m
			} else if !ok && next.isAllowed {
				m.Members = append(m.Members, unions.Member{Name: member.step, Value: name, Optional: next.isOptional})
			}
			known[name] = next
		}
	}
	return m
}

// maxMembers bounds the fields whose sets are tried.
const maxMembers = 10

// subsets returns the sets of two or more parts, the smallest first.
func subsets(parts []*part) [][]*part {
	if len(parts) > maxMembers {
		return [][]*part{parts}
	}
	var out [][]*part
	for bits := range 1 << len(parts) {
		var set []*part
		for i, p := range parts {
			if bits&(1<<i) != 0 {
				set = append(set, p)
			}
		}
		if len(set) > 1 {
			out = append(out, set)
		}
	}
	slices.SortStableFunc(out, func(a, b []*part) int { return len(a) - len(b) })
	return out
}

// markerOf returns a marker about columns, whose members are in the order of the schema.
func (t *Table) markerOf(kind Kind, columns []*part) Marker {
	m := Marker{Kind: kind, Nonempty: slices.ContainsFunc(columns, func(p *part) bool { return len(p.choices) > 1 })}
	m.Null = m.Nonempty && !slices.ContainsFunc(columns, func(p *part) bool { return t.uses[p].readsValue() })
	for _, property := range t.schema.Properties {
		if slices.ContainsFunc(columns, func(p *part) bool { return p.step == property.Name }) {
			m.Members = append(m.Members, unions.Member{Name: property.Name})
		}
	}
	return m
}

// discriminated returns the marker of a union by a discriminator, a required string with an enum or one
// with a default. Its members are those for which selected returns a value.
func (t *Table) discriminated(d *part, selected func(d, member *part) (class int, optional bool)) Marker {
	out := Marker{Kind: Discriminated, Discriminator: d.step}
	if d.optional || d.schema.Type != "string" || len(enumOf(d.schema)) < 2 {
		return out
	}
	for _, member := range t.members {
		class, optional := selected(d, member)
		if class < 0 || len(member.choices) > 1 || !t.isSingle(d, class) {
			continue
		}
		value, _ := d.choices[class].(string)
		isTaken := slices.ContainsFunc(out.Members, func(m unions.Member) bool { return m.Value == value })
		if !isTaken && value != "" {
			out.Members = append(out.Members, unions.Member{Name: member.step, Value: value, Optional: optional})
		}
	}
	return out
}

// isSingle reports whether a class of a string with an enum has a single value: all values that no
// rule names are one class.
func (t *Table) isSingle(p *part, class int) bool {
	u := t.uses[p]
	value, _ := p.choices[class].(string)
	isOnlyEmpty := value == "" && len(enumOf(p.schema)) == 0
	return len(p.choices) == len(enumOf(p.schema)) || u.isWhole || slices.Contains(u.texts, value) || isOnlyEmpty
}

// selected returns the only class of a discriminator with which a member is accepted, and whether
// the member may then be absent; -1 if there are several.
func (t *Table) selected(d, member *part) (class int, optional bool) {
	class = -1
	column := slices.Index(t.columns, d)
	for _, r := range t.accepted {
		switch {
		case !t.has(r, member):
		case class >= 0 && class != r.classes[column]:
			return -1, false
		default:
			class = r.classes[column]
		}
	}
	return class, t.accepts(column, class, func(r row) bool { return !t.has(r, member) })
}

// demanded returns the only class of a discriminator without which a member may be absent; -1 if there are
// none or several. If the member is accepted with one class only, it returns that.
func (t *Table) demanded(d, member *part) (class int, optional bool) {
	if class, _ = t.selected(d, member); class >= 0 {
		return class, false
	}
	column := slices.Index(t.columns, d)
	for i := range d.choices {
		isDemanded := !t.accepts(column, i, func(r row) bool { return !t.has(r, member) })
		switch {
		case isDemanded && class >= 0:
			return -1, false
		case isDemanded:
			class = i
		}
	}
	return class, false
}

// intended returns markers that rules may be meant to have the meaning of.
func (t *Table) intended() []Marker {
	var out []Marker
	for _, d := range t.self.children {
		if m := t.discriminated(d, t.demanded); len(m.Members) > 0 {
			out = append(out, m)
		}
	}
	if len(t.members) > 1 && len(t.members) == len(t.columns) {
		out = append(out, t.markerOf(AtMostOne, t.members), t.markerOf(ExactlyOne, t.members))
	}
	return out
}
