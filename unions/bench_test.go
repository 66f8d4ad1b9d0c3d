package unions

import (
	"fmt"
	"slices"
	"testing"

	"github.com/schemagen/schemagen/structural"
)

// tenMembers returns a union with ten members, and an object of it.
func tenMembers(b testing.TB) (*structural.Schema, map[string]any) {
	var values []string
	var members []Member
	for i := range 10 {
		values = append(values, fmt.Sprintf("Value%d", i))
		members = append(members, Member{Name: fmt.Sprintf("member%d", i), Value: values[i]})
	}
	u := New("type", values, members...)
	u.Required = true
	return schemaFor(b, u, LowerOptions{Forms: []Form{FormExtension}}), map[string]any{"type": "Value7", "member7": map[string]any{"x": int64(1)}, "other": "o"}
}

// benchmarkBoth measures Normalize and Validate for an update.
func benchmarkBoth(b *testing.B, s *structural.Schema, old, new map[string]any) {
	plan := Compile(s, Options{})
	b.Run("Normalize", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if plan.Normalize(old, new) {
				b.Fatal("changed")
			}
		}
	})
	b.Run("Validate", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			if errs := plan.Validate(old, new, nil); len(errs) > 0 {
				b.Fatal(errs)
			}
		}
	})
}

// BenchmarkUnion measures a union with ten members that does not change.
func BenchmarkUnion(b *testing.B) {
	s, object := tenMembers(b)
	benchmarkBoth(b, s, object, clone(object))
}

// BenchmarkKeyedList measures lists of such unions, in the same and in a different order.
func BenchmarkKeyedList(b *testing.B) {
	s, element := tenMembers(b)
	root := objectSchema(structural.Property{Name: "list", Schema: keyed(s, "name")})
	for _, count := range []int{1_000, 10_000, 100_000} {
		var list []any
		for i := range count {
			item := clone(element)
			item["name"] = fmt.Sprintf("element-%d", i)
			list = append(list, item)
		}
		old := map[string]any{"list": list}
		b.Run(fmt.Sprintf("%d/unchanged", count), func(b *testing.B) { benchmarkBoth(b, root, old, clone(old)) })
		shuffled := clone(old)
		slices.Reverse(shuffled["list"].([]any))
		b.Run(fmt.Sprintf("%d/shuffled", count), func(b *testing.B) { benchmarkBoth(b, root, old, shuffled) })
	}
}
