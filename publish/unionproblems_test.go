package publish

import (
	"encoding/json"
	"go/token"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/schemagen/schemagen/structural/manifest"
)

// TestRandomUnions puts x-kubernetes-unions of both forms, valid and invalid, at random
// positions of a schema. Nothing may be dropped silently, nothing invalid may be published,
// and nothing valid may be reported, as judged by an independent reading of the proposals.
func TestRandomUnions(t *testing.T) {
	counts := map[string]int{}
	for seed := range 2500 {
		c := rand.New(rand.NewPCG(uint64(seed), 3))
		pick := func(words ...string) string { return words[c.IntN(len(words))] }
		// The discriminator d has the type and the enum; the members a and b are
		// properties. The union also names others.
		discriminatorType, enum := pick("string", "string", "string", "integer"), []string{"A", "B", "C"}[:c.IntN(4)]
		if discriminatorType != "string" {
			enum = nil
		}
		d := map[string]any{"type": discriminatorType}
		if len(enum) > 0 {
			d["enum"] = enum
		}
		object := map[string]any{"type": "object", "properties": map[string]any{
			"d": d, "a": map[string]any{"type": "object"}, "b": map[string]any{"type": "string"},
		}}
		// selects are the values with their members, in the form on a property, on the
		// object, or both.
		type member struct{ value, name string }
		var selects []member
		var isWrong, isLeftOut bool
		values := func(n int) {
			for range n {
				selects = append(selects, member{pick("A", "A", "A", "B", "B", "B", "C", "D", ""), pick("a", "a", "a", "b", "b", "b", "x", "d", "", "")})
			}
		}
		values(c.IntN(3) + c.IntN(2))
		onProperty := func(list []member) map[string]any {
			out := map[string]any{}
			for _, m := range list {
				if out[m.value] = nil; m.name != "" {
					out[m.value] = map[string]any{"name": m.name}
				}
			}
			return map[string]any{"fieldMembers": out}
		}
		onObject := func(list []member, discriminator string) any {
			fields := map[string]any{}
			for _, m := range list {
				if m.name != "" {
					fields[m.name] = m.value
				}
			}
			return []any{map[string]any{"discriminator": discriminator, "fields": fields}}
		}
		var said map[string]string // values by member
		check := func(list map[string]string, discriminator string) {
			said = list
			isWrong = isWrong || discriminator != "d" || discriminatorType != "string"
			for name, value := range list {
				isWrong = isWrong || name != "a" && name != "b" || value == "" || len(enum) > 0 && !slices.Contains(enum, value)
			}
		}
		form := pick("property", "property", "property", "property", "object", "object", "object", "both", "both", "neither", "junctor", "member", "bare")
		switch form {
		case "property", "both":
			u := onProperty(selects)
			d[UnionsKeyword] = u
			members := map[string]string{}
			for value, m := range u["fieldMembers"].(map[string]any) {
				m, ok := m.(map[string]any)
				if !ok {
					isWrong = isWrong || len(enum) > 0 && !slices.Contains(enum, value)
					continue
				}
				if _, ok := members[m["name"].(string)]; ok {
					isWrong = true
				}
				members[m["name"].(string)] = value
			}
			isLeftOut = len(u["fieldMembers"].(map[string]any)) == 0
			if !isLeftOut {
				check(members, "d")
			}
			if form == "property" {
				break
			}
			other := slices.Clone(selects)
			if c.IntN(2) == 0 && len(other) > 0 {
				other[0].value = pick("A", "B")
			}
			object[UnionsKeyword] = onObject(other, "d")
			fields := object[UnionsKeyword].([]any)[0].(map[string]any)["fields"].(map[string]any)
			second := map[string]string{}
			used := map[string]bool{}
			for name, value := range fields {
				second[name] = value.(string)
				isWrong = isWrong || used[value.(string)]
				used[value.(string)] = true
			}
			if len(fields) == 0 {
				isLeftOut = true
				isWrong = isWrong || discriminatorType != "string"
				break
			}
			check(second, "d")
			isWrong = isWrong || !isLeftOut && !maps.Equal(members, second)
		case "object":
			discriminator := pick("d", "d", "x", "a")
			object[UnionsKeyword] = onObject(selects, discriminator)
			fields := object[UnionsKeyword].([]any)[0].(map[string]any)["fields"].(map[string]any)
			members, used := map[string]string{}, map[string]bool{}
			for name, value := range fields {
				members[name] = value.(string)
				isWrong = isWrong || used[value.(string)]
				used[value.(string)] = true
			}
			check(members, discriminator)
			isLeftOut = len(fields) == 0
		case "neither":
			object[UnionsKeyword] = []any{map[string]any{"discriminator": "d", "fields-to-discriminateBy": map[string]any{"a": "A"}}}
			isLeftOut = true
		case "junctor":
			object["allOf"] = []any{map[string]any{UnionsKeyword: onObject(selects, "d")}}
			isLeftOut = true
		case "member": // not on a property, or not on an object
			if c.IntN(2) == 0 {
				object["properties"].(map[string]any)["list"] = map[string]any{"type": "array", "items": map[string]any{"type": "string", UnionsKeyword: onProperty([]member{{"A", "a"}})}}
			} else {
				object["properties"].(map[string]any)["b"] = map[string]any{"type": "string", UnionsKeyword: onObject([]member{{"A", "a"}}, "d")}
			}
			isWrong = true
		case "bare":
			object[UnionsKeyword] = []any{map[string]any{}}
			isLeftOut = true
		}
		spec, err := json.Marshal(object)
		if err != nil {
			t.Fatal(err)
		}
		manifests, _ := manifest.Read(token.NewFileSet(), "crd.yaml", []byte(definition("example.com", "Widget", "v1", string(spec))))
		unpublished := AddUnions(manifests[0].Unknown[0])
		resources := Resources(manifests[0].CRD, manifests[0].Schemas, manifests[0].Unsupported)
		if resources[0].Rejected != nil {
			t.Fatal(resources[0].Rejected)
		}
		problems := UnionProblems(resources[0].Schema, resources[0].Path)
		gotWrong := slices.ContainsFunc(problems, func(p UnionProblem) bool { return p.Invalid })
		gotLeftOut := len(unpublished) > 0 || slices.ContainsFunc(problems, func(p UnionProblem) bool { return !p.Invalid })
		if gotWrong != isWrong || gotLeftOut != isLeftOut {
			t.Fatalf("seed %d (%s): wrong %v, want %v; left out %v, want %v: %v %v\n%s", seed, form, gotWrong, isWrong, gotLeftOut, isLeftOut, problems, unpublished, spec)
		}
		switch {
		case gotWrong:
			counts["wrong"]++
			continue
		case gotLeftOut:
			counts["left out"]++
			continue
		}
		document, err := V2(resources, Options{})
		if err != nil {
			t.Fatal(err)
		}
		got := map[string]string{}
		published, _ := at(t, document, "definitions", "com.example.v1.Widget", "properties", "spec", "properties", "d", UnionsKeyword, "fieldMembers").(map[string]any)
		for value, m := range published {
			if m, ok := m.(map[string]any); ok {
				got[m["name"].(string)] = value
			}
		}
		if len(published) == 0 || !maps.Equal(got, said) {
			t.Fatalf("seed %d (%s): published: %v, want %v\n%s", seed, form, published, said, spec)
		}
		counts["published"]++
	}
	t.Log(counts)
	for _, what := range []string{"wrong", "left out", "published"} {
		if counts[what] < 200 {
			t.Errorf("only %d are %s", counts[what], what)
		}
	}
}
