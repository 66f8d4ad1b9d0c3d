package review

import (
	"slices"
	"strings"

	"github.com/schemagen/schemagen/compare"
	"github.com/schemagen/schemagen/internal/ground/changekind"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// Question is something that only people can answer about a change.
type Question struct {
	Ask string
	// Why says what depends on the answer.
	Why string
	// About are versions and fields. It is empty for a question about the whole definition.
	About []string
}

// asking is a question with the changes and the new parts of schemas that raise it.
type asking struct {
	Question
	// kinds are the kinds of changes that raise it.
	kinds []compare.Kind
	// change, if not nil, selects changes; node selects nodes that the change adds.
	change func(*compare.Change) bool
	node   func(*node) bool
}

// askings returns all questions, in the order in which they are asked.
func askings() []asking {
	breaks := func(category compare.Category) func(*compare.Change) bool {
		return func(c *compare.Change) bool { return c.Category == category && c.Waived == "" }
	}
	return []asking{
		{Question: Question{Ask: "Are the group, the kind, the plural and the scope right?", Why: "None of them can be changed later: that would be another API, to which users have to move their objects."},
			kinds: []compare.Kind{changekind.DefinitionAdded}},
		{Question: Question{Ask: "Who changes the stored objects that do not survive this, and when?", Why: "The API server does not: it refuses their updates, or drops or changes data when they are read."},
			change: breaks(compare.BreaksStored)},
		{Question: Question{Ask: "Which clients send what is refused from now on, and are they changed first?", Why: "Manifests in repositories, Helm charts and controllers of the last release are clients, too."},
			change: breaks(compare.BreaksClients)},
		{Question: Question{Ask: "Will every user have a value for these required fields, for as long as the version exists?", Why: "A required field can become optional later, but clients that rely on it then read objects without it."},
			node: (*node).isRequired, kinds: []compare.Kind{changekind.RequiredAdded}},
		{Question: Question{Ask: "Is the default right for all users, and for objects that are stored already?", Why: "They get it when they are read. A default cannot be changed later without changing what existing objects mean."},
			node: func(n *node) bool { return n.schema.Default != nil }, kinds: []compare.Kind{changekind.DefaultAdded, changekind.DefaultChanged}},
		{Question: Question{Ask: "May values be added to these enums, and what do clients do with one that they do not know?", Why: "Controllers and clients of an older release read it. The description has to say that there may be more values."},
			node:  (*node).isEnum,
			kinds: []compare.Kind{changekind.EnumAdded, changekind.EnumValueAdded, changekind.UnionValueAdded}},
		{Question: Question{Ask: "Will the union get members, and what does a client do with one that it does not know?", Why: "Such a client sees an object in which no member is set."},
			kinds: []compare.Kind{changekind.UnionAdded},
			node:  func(n *node) bool { return len(unions.Of(n.schema)) > 0 }},
		{Question: Question{Ask: "What are the largest and the smallest values of these that make sense?", Why: "Nothing but the size of a request bounds them, and a bound that is added later refuses objects. The cost of CEL rules is estimated with the largest value."},
			node: (*node).isUnbounded},
		{Question: Question{Ask: "Do several clients own elements of these lists, and by which key?", Why: "Without x-kubernetes-list-type, server-side apply replaces the whole list."},
			node: func(n *node) bool { return n.schema.Type == "array" && n.schema.XListType == "" }},
		{Question: Question{Ask: "Who validates what may be in these fields?", Why: "The API server keeps whatever it is sent: misspelled fields as well."},
			node:  func(n *node) bool { return n.schema.XPreserveUnknownFields != nil && *n.schema.XPreserveUnknownFields },
			kinds: []compare.Kind{changekind.UnknownKept}},
		{Question: Question{Ask: "Do all stored objects follow the new rules?", Why: "An object that does not cannot be updated, unless the part that the rule is about stays the same."},
			kinds: []compare.Kind{changekind.RuleAdded}},
		{Question: Question{Ask: "Can each version say what the others say, and who converts them?", Why: "Every object can be read and written in every served version. schemagen conversions writes the code, and finds what would be lost."},
			kinds: []compare.Kind{changekind.VersionAdded}},
		{Question: Question{Ask: "When are objects migrated that are stored in the old version?", Why: "A version can only be removed once status.storedVersions does not list it."},
			kinds: []compare.Kind{changekind.StorageChanged, changekind.VersionRemoved, changekind.VersionUnserved}},
	}
}

// ask returns the questions that changes of a definition raise; nodes are the definition's after
// the change.
func ask(changes []compare.Change, nodes []*node) (out []Question) {
	added := addedNodes(changes, nodes)
	for _, a := range askings() {
		q := a.Question
		raised := false
		about := func(place string) {
			raised = true
			if place != "" && !slices.Contains(q.About, place) {
				q.About = append(q.About, place)
			}
		}
		for i := range changes {
			if c := &changes[i]; slices.Contains(a.kinds, c.Kind) || a.change != nil && a.change(c) {
				about(placeOf(c))
			}
		}
		if a.node != nil {
			for _, n := range added {
				if a.node(n) {
					about(n.place())
				}
			}
		}
		if raised {
			out = append(out, q)
		}
	}
	return out
}

// placeOf returns the version and the field of a change.
func placeOf(c *compare.Change) string {
	field := c.Field
	if c.Kind == changekind.RequiredAdded {
		field = strings.TrimSuffix(field, ".") + "." + c.New
	}
	return strings.TrimSpace(c.Version + " " + field)
}

// addedNodes returns the nodes that changes add, without those of other modules and the fields
// that every object has.
func addedNodes(changes []compare.Change, nodes []*node) (out []*node) {
	versions := map[string]bool{}
	var paths []string
	all := false
	for _, c := range changes {
		switch c.Kind {
		case changekind.DefinitionAdded:
			all = true
		case changekind.VersionAdded:
			versions[c.Version] = true
		case changekind.FieldAdded:
			paths = append(paths, c.NewPath)
		}
	}
	isNew := map[*node]bool{}
	leads := map[*node]string{} // the paths of nodes that lead to one of paths
	for _, n := range nodes {
		isAdded := all || versions[n.versionName()] || isNew[n.parent]
		if _, ok := leads[n.parent]; !isAdded && (ok || n.parent == nil) {
			path := n.pathBelow(leads[n.parent])
			isAdded = slices.Contains(paths, path)
			if slices.ContainsFunc(paths, func(p string) bool { return strings.HasPrefix(p, path) }) {
				leads[n] = path
			}
		}
		if !isAdded {
			continue
		}
		isNew[n] = true
		ofObject := n.parent == nil || n.parent.parent == nil && slices.Contains([]string{"apiVersion", "kind", "metadata"}, n.edge.Property)
		if !ofObject && !n.isForeign() {
			out = append(out, n)
		}
	}
	return out
}

// isEnum reports whether a node has an enum that is not the discriminator of a union.
func (n *node) isEnum() bool {
	if n.schema.ValueValidation == nil || len(n.schema.Enum) == 0 {
		return false
	}
	return n.parent == nil || !slices.ContainsFunc(unions.Of(n.parent.schema),
		func(u unions.Union) bool { return u.Discriminator == n.edge.Property })
}

// isUnbounded reports whether values of a node may be of any size.
func (n *node) isUnbounded() bool {
	switch s := n.schema; s.Type {
	case "string":
		return !holds(s.ValueValidation, func(v *structural.ValueValidation) bool {
			return v.MaxLength != nil || len(v.Enum) > 0 || v.Format != ""
		})
	case "array":
		return !holds(s.ValueValidation, func(v *structural.ValueValidation) bool { return v.MaxItems != nil })
	case "integer", "number":
		return !holds(s.ValueValidation,
			func(v *structural.ValueValidation) bool { return v.Maximum != nil || len(v.Enum) > 0 })
	case "object":
		return s.AdditionalProperties != nil &&
			!holds(s.ValueValidation, func(v *structural.ValueValidation) bool { return v.MaxProperties != nil })
	}
	return false
}

// holds reports whether validations, or other validations that must hold as well, have a property.
func holds(v *structural.ValueValidation, has func(*structural.ValueValidation) bool) bool {
	return v != nil && (has(v) || slices.ContainsFunc(v.AllOf,
		func(part structural.NestedValueValidation) bool { return holds(&part.ValueValidation, has) }))
}
