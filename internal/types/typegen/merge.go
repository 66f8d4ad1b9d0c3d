package typegen

import (
	"cmp"
	"slices"
	"strings"
)

// merge makes one type of those with equal schemas whose names end with the same word, if
// what their names share says something: apiKeySecretRef and tokenSecretRef are both a
// SecretRef. A type without requirements on its doc joins one that has some.
func (b *builder) merge() {
	type key struct {
		body digest
		end  string
	}
	groups := map[key][]*goType{}
	var order []key
	for _, t := range b.found {
		if t.kind != nil {
			continue
		}
		k := key{t.body, ending(t)}
		if k.end == "" {
			continue
		}
		if groups[k] == nil {
			order = append(order, k)
		}
		groups[k] = append(groups[k], t)
	}
	for _, k := range order {
		mergeGroup(groups[k])
	}
	b.found = slices.DeleteFunc(b.found, func(t *goType) bool { return t.same != nil })
}

// mergeGroup merges types that may share their name, as far as their descriptions allow it.
func mergeGroup(group []*goType) {
	slices.SortFunc(group, func(a, c *goType) int {
		return cmp.Or(strings.Compare(a.doc, c.doc), comparePaths(first(a.paths), first(c.paths)))
	})
	// Only the first type can be one that may have any description, because such types join it.
	leader := group[0]
	byDoc := map[string]*goType{}
	for _, t := range group[1:] {
		into := byDoc[t.doc]
		if t.anyDoc || leader.anyDoc || leader.doc == t.doc {
			into = leader
		}
		if into == nil {
			byDoc[t.doc] = t
			continue
		}
		into.join(t)
	}
}

// join merges another type into this one.
func (t *goType) join(other *goType) {
	t.paths = append(t.paths, other.paths...)
	t.usedAt = append(t.usedAt, other.usedAt...)
	for _, k := range other.usedBy {
		if !slices.Contains(t.usedBy, k) {
			t.usedBy = append(t.usedBy, k)
		}
	}
	if t.anyDoc {
		t.doc = other.doc
		t.anyDoc = other.anyDoc
	}
	other.same = t
}

// ending returns the words from the last one that tells what a type is about, in lower case,
// or "" if all words are dull. They are the same for all paths of the type.
func ending(t *goType) string {
	words := pathWords(t.paths[0].tail())
	for i, word := range slices.Backward(words) {
		if !isDull([]string{word}) {
			return strings.ToLower(strings.Join(words[i:], " "))
		}
	}
	return ""
}
