package unions

import (
	"encoding/json"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	utiljson "k8s.io/apimachinery/pkg/util/json"

	"github.com/schemagen/schemagen/structural"
)

// memberNames adds the names of all union members in a schema to names.
func memberNames(s *structural.Schema, names map[string]bool) map[string]bool {
	for _, u := range Of(s) {
		for _, m := range u.Members {
			names[m.Name] = true
		}
	}
	for _, p := range s.Properties {
		memberNames(p.Schema, names)
	}
	if s.Items != nil {
		memberNames(s.Items, names)
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		memberNames(a.Schema, names)
	}
	return names
}

// onlyMembersCleared reports whether after equals before except for removed members.
func onlyMembersCleared(names map[string]bool, before, after any) bool {
	switch before := before.(type) {
	case map[string]any:
		now, ok := after.(map[string]any)
		if !ok || len(now) > len(before) {
			return false
		}
		for key, value := range before {
			left, kept := now[key]
			if !kept && !names[key] || kept && !onlyMembersCleared(names, value, left) {
				return false
			}
		}
		return true
	case []any:
		now, ok := after.([]any)
		return ok && slices.EqualFunc(before, now, func(a, b any) bool { return onlyMembersCleared(names, a, b) })
	}
	return before == after
}

func optionsOf(flags int) Options {
	return Options{CarryOverOnly: flags&1 != 0, NoRatcheting: flags&2 != 0}
}

// FuzzRuntime runs Normalize and Validate for any pair of objects.
func FuzzRuntime(f *testing.F) {
	shapes := pairShapes(f)
	shapes = append(shapes, pairShape{name: "places", schema: placesSchema(f)},
		pairShape{name: "exactly one", schema: schemaFor(f, Union{Members: []Member{{Name: "a"}, {Name: "b"}}}, LowerOptions{Forms: []Form{FormCEL}})})
	for i, r := range rows() {
		at := slices.IndexFunc(shapes, func(s pairShape) bool { return s.name == "flat "+r.shape || s.name == r.shape })
		f.Add(uint8(at), uint8(i), []byte(r.old), []byte(r.new))
	}
	names := make([]map[string]bool, len(shapes))
	plans := make([][4]*Plan, len(shapes))
	for i, shape := range shapes {
		names[i] = memberNames(shape.schema, map[string]bool{})
		for flags := range plans[i] {
			plans[i][flags] = Compile(shape.schema, optionsOf(flags))
		}
	}
	f.Fuzz(func(t *testing.T, at, flags uint8, oldText, newText []byte) {
		var old, given map[string]any
		if utiljson.Unmarshal(newText, &given) != nil || utiljson.Unmarshal(oldText, &old) != nil && len(oldText) > 0 {
			return
		}
		i := int(at) % len(shapes)
		s, opts, plan := shapes[i].schema, optionsOf(int(flags)), plans[i][flags&3]
		before := encoded(t, old)
		new := clone(given)
		changed := plan.Normalize(old, new)
		context := fmt.Sprintf("%s %+v: %s → %s gave %s", shapes[i].name, opts, before, encoded(t, given), encoded(t, new))
		if !onlyMembersCleared(names[i], given, new) || old == nil && changed || changed == (encoded(t, given) == encoded(t, new)) {
			t.Fatal(context)
		}
		if plan.Normalize(old, new) {
			t.Fatal("not idempotent: " + context)
		}
		errs := plan.Validate(old, new, nil)
		for _, err := range errs {
			if err.Field == "" || err.Field == "<nil>" && shapes[i].name != "exactly one" {
				t.Fatal("path not found: " + err.Error() + ": " + context)
			}
		}
		if encoded(t, old) != before {
			t.Fatal("the old object was modified: " + context)
		}
		if old == nil || opts.CarryOverOnly {
			return
		}
		// If the discriminator has changed and its member is set, there are no errors left.
		for _, u := range Of(s) {
			value, ok := given[u.Discriminator].(string)
			was, wasText := old[u.Discriminator].(string)
			if !ok || !wasText || value == was || !u.HasValue(value) {
				continue
			}
			if at := u.Selected(value); at >= 0 && !u.Members[at].Optional {
				if _, isObject := given[u.Members[at].Name].(map[string]any); !isObject {
					continue
				}
			}
			for _, err := range errs {
				for _, m := range u.Members {
					if kind, _, _ := strings.Cut(err.Error(), ":"); kind == m.Name && err.Type != "FieldValueTypeInvalid" {
						t.Fatalf("%s: %s", err, context)
					}
				}
			}
		}
	})
}

// schemaOf decodes a schema, or returns nil.
func schemaOf(data []byte) *structural.Schema {
	var props apiextensionsv1.JSONSchemaProps
	if json.Unmarshal(data, &props) != nil {
		return nil
	}
	s, _ := structural.FromProps(&props)
	return s
}

// FuzzOf reads unions from any oneOf, and checks that lowering them results in the same
// unions.
func FuzzOf(f *testing.F) {
	for _, u := range smallUnions() {
		f.Add([]byte(encoded(f, schemaFor(f, u, LowerOptions{Forms: []Form{FormOneOf}}).Props())))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s := schemaOf(data)
		if s == nil {
			return
		}
		for _, u := range fromBranches(s) {
			again := *s
			again.ValueValidation = &structural.ValueValidation{Required: s.Required, OneOf: oneOfBranches(&u)}
			if got := fromBranches(&again); len(got) != 1 || !reflect.DeepEqual(bare(got[0]), bare(u)) {
				t.Errorf("%s: got %+v and %+v", data, u, got)
			}
		}
	})
}
