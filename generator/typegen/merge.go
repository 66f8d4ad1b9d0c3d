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
	groups := map[string][]*goType{}
	var order []string
	for _, t := range b.found {
		if t.kind != nil {
			continue
		}
		key := string(t.body[:]) + lastWord(t.paths[0])
		if groups[key] == nil {
			order = append(order, key)
		}
		groups[key] = append(groups[key], t)
	}
	for _, key := range order {
		group := groups[key]
		slices.SortFunc(group, func(a, c *goType) int {
			return cmp.Or(strings.Compare(a.doc, c.doc), comparePaths(first(a.paths), first(c.paths)))
		})
		for i, t := range group {
			for _, into := range group[:i] {
				if into.same == nil && (t.doc == into.doc || t.anyDoc || into.anyDoc) && !isDull(commonWords(append(slices.Clone(into.paths), t.paths...))) {
					into.paths = append(into.paths, t.paths...)
					into.usedAt = append(into.usedAt, t.usedAt...)
					for _, k := range t.usedBy {
						if !slices.Contains(into.usedBy, k) {
							into.usedBy = append(into.usedBy, k)
						}
					}
					if into.anyDoc {
						into.doc, into.anyDoc = t.doc, t.anyDoc
					}
					t.same = into
					break
				}
			}
		}
	}
	var kept []*goType
	for _, t := range b.found {
		if t.same == nil {
			kept = append(kept, t)
		}
	}
	b.found = kept
}

func first(paths [][]string) []string { return slices.MinFunc(paths, comparePaths) }

// comparePaths orders paths by their length first.
func comparePaths(a, b []string) int {
	return cmp.Or(cmp.Compare(len(a), len(b)), slices.Compare(a, b))
}

// commonWords returns the words that all paths end with.
func commonWords(paths [][]string) []string {
	common := pathWords(paths[0])
	for _, path := range paths[1:] {
		words := pathWords(path)
		n := 0
		for n < min(len(words), len(common)) && strings.EqualFold(words[len(words)-1-n], common[len(common)-1-n]) {
			n++
		}
		common = common[len(common)-n:]
	}
	return common
}

func pathWords(path []string) []string {
	var out []string
	for _, part := range path {
		out = append(out, wordsOf(part)...)
	}
	return out
}
