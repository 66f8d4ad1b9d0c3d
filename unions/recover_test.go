package unions

import (
	"fmt"
	"math/rand"
	"reflect"
	"slices"
	"testing"

	"github.com/schemagen/schemagen/structural"
)

// bare returns a union without the parts that only source code has.
func bare(u Union) Union {
	u.GoName, u.Pos = "", 0
	u.Members = slices.Clone(u.Members)
	for i := range u.Members {
		u.Members[i].Pos, u.Members[i].GoName = 0, ""
	}
	return u
}

// randomUnion returns a random union with unusual names.
func randomUnion(r *rand.Rand) Union {
	names := []string{"a", "b", "in", "a/b", "a~b", "a.b", "ü", "__x__", "$ref", "x'y"}
	r.Shuffle(len(names), func(i, j int) { names[i], names[j] = names[j], names[i] })
	count := 1 + r.Intn(4)
	var values []string
	var members []Member
	for i := range count {
		value := []string{"A", "it's", `"\`, "in", "Ü"}[i]
		values = append(values, value)
		members = append(members, Member{Name: names[i], Value: value, Optional: r.Intn(3) == 0})
	}
	if r.Intn(5) == 0 && count > 1 {
		for i := range members {
			members[i].Value, members[i].Optional = "", false
		}
		return Union{Members: members, AtMostOne: r.Intn(2) == 0}
	}
	for _, empty := range []string{"", "C", "null"} {
		if r.Intn(2) == 0 {
			values = append(values, empty)
		}
	}
	r.Shuffle(len(values), func(i, j int) { values[i], values[j] = values[j], values[i] })
	u := New([]string{"type", "my-type", "kind"}[r.Intn(3)], values, members...)
	u.Required = r.Intn(2) == 0
	if r.Intn(4) == 0 {
		u.Default = &values[r.Intn(len(values))]
	}
	return u
}

// losesMember reports whether the oneOf form of a union does not name its only member,
// because no branch forbids or requires it.
func losesMember(u Union) bool {
	return len(u.Members) == 1 && u.Members[0].Optional && len(u.Values) == 1 && !u.MayBeAbsent()
}

// readBack compares the union read from the oneOf form with the original.
func readBack(t *testing.T, u Union) {
	t.Helper()
	s := schemaFor(t, u, LowerOptions{Forms: []Form{FormOneOf}})
	if losesMember(u) {
		if got := Of(s); len(got) > 0 {
			t.Errorf("%+v: got %+v", u, got)
		}
		return
	}
	if got := Of(s); len(got) != 1 || !reflect.DeepEqual(bare(got[0]), bare(u)) {
		t.Errorf("got from the oneOf form\n%+v, want\n%+v", got, u)
	}
	// In the bytes of a CRD, properties are in alphabetical order. With another oneOf, each
	// oneOf is in an allOf.
	back, unsupported := structural.FromProps(s.Props())
	if len(unsupported) > 0 {
		t.Fatal(unsupported)
	}
	other := structural.ValueValidation{OneOf: []structural.NestedValueValidation{{ValueValidation: structural.ValueValidation{Required: []string{"other"}}}}}
	back.AllOf = append(back.AllOf, structural.NestedValueValidation{ValueValidation: structural.ValueValidation{OneOf: back.OneOf}},
		structural.NestedValueValidation{ValueValidation: other})
	back.OneOf = nil
	want := bare(u)
	slices.SortFunc(want.Members, func(a, b Member) int { return slices.Compare([]string{a.Name}, []string{b.Name}) })
	got := Of(back)
	if len(got) == 1 {
		got[0] = bare(got[0])
		slices.SortFunc(got[0].Members, func(a, b Member) int { return slices.Compare([]string{a.Name}, []string{b.Name}) })
	}
	if len(got) != 1 || !reflect.DeepEqual(got[0], want) {
		t.Errorf("got from the decoded oneOf form\n%+v, want\n%+v", got, want)
	}
}

func TestOfReadsBranches(t *testing.T) {
	for name, u := range smallUnions() {
		t.Run(name, func(t *testing.T) { readBack(t, u) })
	}
	r := rand.New(rand.NewSource(1))
	for range 2_000 {
		readBack(t, randomUnion(r))
	}
}

// differences returns all variants of a oneOf that differ in one position.
func differences(list []structural.NestedValueValidation) (out [][]structural.NestedValueValidation) {
	one := int64(1)
	for i := range list {
		edit := func(change func(b *structural.NestedValueValidation)) {
			copied := slices.Clone(list)
			change(&copied[i])
			out = append(out, copied)
		}
		edit(func(b *structural.NestedValueValidation) { b.Required = append(slices.Clone(b.Required), "other") })
		edit(func(b *structural.NestedValueValidation) { b.MinProperties = &one })
		edit(func(b *structural.NestedValueValidation) { b.ForbiddenGenerics.Type = "object" })
		edit(func(b *structural.NestedValueValidation) { b.AnyOf = []structural.NestedValueValidation{{}} })
		edit(func(b *structural.NestedValueValidation) {
			b.Properties = append(slices.Clone(b.Properties), structural.NestedProperty{Name: "other", Schema: &structural.NestedValueValidation{}})
		})
		for at := range list[i].Required {
			edit(func(b *structural.NestedValueValidation) {
				b.Required = slices.Delete(slices.Clone(b.Required), at, at+1)
			})
		}
		for at := range list[i].Properties {
			edit(func(b *structural.NestedValueValidation) {
				b.Properties = slices.Delete(slices.Clone(b.Properties), at, at+1)
			})
			edit(func(b *structural.NestedValueValidation) {
				changed := *b.Properties[at].Schema
				changed.Enum = []structural.JSON{{Raw: []byte(`"Z"`)}}
				b.Properties = []structural.NestedProperty{{Name: b.Properties[at].Name, Schema: &changed}}
			})
			edit(func(b *structural.NestedValueValidation) {
				changed := *b.Properties[at].Schema
				changed.MinLength = &one
				b.Properties = []structural.NestedProperty{{Name: b.Properties[at].Name, Schema: &changed}}
			})
		}
		if not := list[i].Not; not != nil {
			edit(func(b *structural.NestedValueValidation) { b.Not = nil })
			for at := range not.AnyOf {
				edit(func(b *structural.NestedValueValidation) {
					changed := *not
					changed.AnyOf = slices.Delete(slices.Clone(not.AnyOf), at, at+1)
					b.Not = &changed
				})
			}
		}
		out = append(out, slices.Delete(slices.Clone(list), i, i+1))
	}
	return append(out, append(slices.Clone(list), list[0]))
}

// TestOfLeavesOtherBranchesAlone changes each position of a oneOf, and checks that the result
// is read as no union, or as another union that has exactly these branches.
func TestOfLeavesOtherBranchesAlone(t *testing.T) {
	read, left := 0, 0
	for name, u := range smallUnions() {
		// The generated form also restricts the values of the discriminator.
		for _, enum := range [][]structural.JSON{nil, {literal("Z")}, append(enumOf(&u), literal("Z"))} {
			s := schemaFor(t, u, LowerOptions{Forms: []Form{FormOneOf}})
			if d := s.Property(u.Discriminator); d != nil {
				d.Enum = enum
				if got := Of(s); len(got) > 0 {
					t.Errorf("%s, enum %s: read as %+v", name, enum, got)
				}
			}
		}
		for i, changed := range differences(oneOfBranches(&u)) {
			s := schemaFor(t, u, LowerOptions{Forms: []Form{FormOneOf}})
			s.OneOf = changed
			got := Of(s)
			if len(got) == 0 {
				left++
				continue
			}
			read++
			if reflect.DeepEqual(bare(got[0]), bare(u)) {
				t.Errorf("%s: difference %d was ignored", name, i)
			}
			again := schemaFor(t, got[0], LowerOptions{Forms: []Form{FormOneOf}})
			if fmt.Sprint(branchesOf(t, again.OneOf)) != fmt.Sprint(branchesOf(t, changed)) {
				t.Errorf("%s, difference %d: read as %+v, which has other branches", name, i, got[0])
			}
		}
	}
	t.Logf("%d differences give another union, %d none", read, left)
	if left < 10*read {
		t.Errorf("got a union for %d of %d differences", read, read+left)
	}
}

func branchesOf(t *testing.T, list []structural.NestedValueValidation) (out []branch) {
	for i := range list {
		b, ok := readBranch(&list[i])
		if !ok {
			t.Error("got no branch")
		}
		out = append(out, b)
	}
	return out
}
