package api

import (
	"fmt"
	"math/rand"
	"testing"
)

// normalizeTenByHand is what somebody would write.
func normalizeTenByHand(old, new *Ten) bool {
	if old == nil || new == nil || old.Type == new.Type {
		return false
	}
	changed := false
	clear := func(value string, member **Payload) {
		if new.Type != value && *member != nil {
			*member = nil
			changed = true
		}
	}
	clear("M0", &new.M0)
	clear("M1", &new.M1)
	clear("M2", &new.M2)
	clear("M3", &new.M3)
	clear("M4", &new.M4)
	clear("M5", &new.M5)
	clear("M6", &new.M6)
	clear("M7", &new.M7)
	clear("M8", &new.M8)
	clear("M9", &new.M9)
	return changed
}

// normalizeItemsByHand is what somebody would write.
func normalizeItemsByHand(old, new []Item) bool {
	before := make(map[string]*Item, len(old))
	for i := range old {
		before[old[i].Name] = &old[i]
	}
	changed := false
	for i := range new {
		was, ok := before[new[i].Name]
		if !ok || was.Type == new[i].Type {
			continue
		}
		if new[i].Type != A && new[i].First != nil {
			new[i].First, changed = nil, true
		}
		if new[i].Type != B && new[i].Second != nil {
			new[i].Second, changed = nil, true
		}
	}
	return changed
}

func BenchmarkTen(b *testing.B) {
	old := &Ten{Type: "M3", M3: &Payload{}}
	for _, by := range []struct {
		name      string
		normalize func(old, new *Ten) bool
	}{{"generated", NormalizeTenUnions}, {"hand", normalizeTenByHand}} {
		for _, value := range []string{"M3", "M7"} {
			b.Run(by.name+"/"+map[string]string{"M3": "unchanged", "M7": "changed"}[value], func(b *testing.B) {
				b.ReportAllocs()
				payload := &Payload{}
				new := &Ten{}
				for b.Loop() {
					*new = Ten{Type: value, M3: payload, M7: payload}
					by.normalize(old, new)
				}
			})
		}
	}
	for _, value := range []string{"M3", "M7"} {
		b.Run("generated/validate "+map[string]string{"M3": "unchanged", "M7": "changed"}[value], func(b *testing.B) {
			b.ReportAllocs()
			new := &Ten{Type: "M3", M3: &Payload{}}
			if value == "M7" {
				new = &Ten{Type: "M7", M7: &Payload{}}
			}
			for b.Loop() {
				ValidateTenUnions(old, new, nil)
			}
		})
	}
}

func BenchmarkKeyed(b *testing.B) {
	for _, n := range []int{100, 1000, 10000} {
		old, equal := items(n, A), items(n, A)
		shuffled := items(n, A)
		rand.New(rand.NewSource(1)).Shuffle(n, func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		for _, c := range []struct {
			name string
			new  []Item
		}{{"equal", equal}, {"shuffled", shuffled}} {
			for _, by := range []struct {
				name string
				run  func()
			}{
				{"generated", func() { normalizeItemListByName(old, c.new) }},
				{"hand", func() { normalizeItemsByHand(old, c.new) }},
				{"generated/validate", func() { validateItemListByName(old, c.new, nil) }},
			} {
				b.Run(fmt.Sprintf("%s/%s/%d", by.name, c.name, n), func(b *testing.B) {
					b.ReportAllocs()
					for b.Loop() {
						by.run()
					}
				})
			}
		}
	}
}
