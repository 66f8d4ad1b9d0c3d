package manifest

import (
	"fmt"
	"go/token"
	"math/rand/v2"
	"strings"
	"testing"
)

// TestIndex compares the index of the keys of random mappings with a scan: keys that are prefixes of
// others, that contain dots and brackets, or that are empty, and paths with and without a key.
func TestIndex(t *testing.T) {
	random := rand.New(rand.NewPCG(35, 35))
	word := func() string {
		var b strings.Builder
		for range random.IntN(5) {
			b.WriteByte("ab.]["[random.IntN(5)])
		}
		return b.String()
	}
	found, missed := 0, 0
	for range 200 {
		var text strings.Builder
		text.WriteString("{")
		for i := range 2 * indexed {
			fmt.Fprintf(&text, "%q: %d, ", word()+strings.Repeat("k", i%3), i) // keys repeat
		}
		source := `{"apiVersion": "v1", "kind": "Thing", "wide": ` + text.String() + `"last": {"small": 1}}}`
		all, problems := Read(token.NewFileSet(), "thing.json", []byte(source))
		if len(all) != 1 {
			t.Fatalf("%s: %v", source, problems)
		}
		m := all[0].tree
		mapping := m.find(all[0].root, "wide") + 1
		index := m.index(mapping)
		if index == nil {
			t.Fatal("no index")
		}
		for range 200 {
			path := word() + word()
			for _, end := range []string{"", "]"} {
				key, rest := index.longestKey(path, end)
				wantKey, wantRest := m.scanKeys(mapping, path, end)
				if key != wantKey || rest != wantRest {
					t.Fatalf("%s: %q with %q: key %d, rest %q; by a scan %d, %q", &text, path, end, key, rest, wantKey, wantRest)
				}
				if key >= 0 {
					found++
				} else {
					missed++
				}
			}
		}
		if small := m.index(m.find(mapping, "last") + 1); small != nil {
			t.Error("a small mapping has an index")
		}
	}
	if found < 1000 || missed < 1000 {
		t.Errorf("%d paths led to a key, %d did not", found, missed)
	}
}
