package passes_test

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/operation"
	"k8s.io/apimachinery/pkg/api/validate"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/define/report"
)

// listItem is an element of the lists. A list of strings has their names only.
type listItem struct{ Name, Value string }

// listKind is a way of telling the elements of a list apart.
type listKind struct {
	name, markers string
	// keyed is set if elements have a key, strings if they are strings, and native if the
	// server itself rejects duplicates.
	keyed, strings, native bool
}

func listKinds() []listKind {
	return []listKind{
		{name: "Map", markers: "+k8s:listType=map\n+k8s:listMapKey=name", keyed: true, native: true},
		{name: "UniqueMap", markers: "+k8s:listType=atomic\n+k8s:unique=map\n+k8s:listMapKey=name", keyed: true},
		{name: "BetaUniqueMap", markers: "+k8s:listType=atomic\n+k8s:listMapKey=name\n+k8s:beta=+k8s:unique=map", keyed: true},
		{name: "Set", markers: "+k8s:listType=set", strings: true, native: true},
		{name: "UniqueSet", markers: "+k8s:listType=atomic\n+k8s:unique=set", strings: true},
		{name: "UniqueSetOfStructs", markers: "+k8s:listType=atomic\n+k8s:unique=set"},
		{name: "Atomic", markers: "+k8s:listType=atomic"},
		{name: "Plain"},
	}
}

func (k listKind) identifies() bool {
	return k.keyed || k.native || strings.Contains(k.markers, "unique")
}

func (k listKind) match(a, b *listItem) bool { return a.Name == b.Name && (k.keyed || *a == *b) }

// listTag is a set of tags for a list, with the function that validation-gen calls for them.
type listTag struct {
	name, markers string
	// identity and keys are set if validation-gen rejects lists without one, or without keys.
	identity, keys bool
	// items is set if the tags assume that at most one element matches, and union if they
	// count elements.
	items, union bool
	validate     func(ctx context.Context, k listKind, op operation.Operation, now, old []listItem) field.ErrorList
}

func listTags() []listTag {
	updates := func(constraints ...validate.UpdateConstraint) func(context.Context, listKind, operation.Operation, []listItem, []listItem) field.ErrorList {
		return func(ctx context.Context, k listKind, op operation.Operation, now, old []listItem) field.ErrorList {
			return validate.ValSliceUpdate(ctx, op, nil, now, old, k.match, constraints...)
		}
	}
	has := func(name string) func([]listItem) bool {
		return func(list []listItem) bool {
			return slices.ContainsFunc(list, func(i listItem) bool { return i.Name == name })
		}
	}
	members := validate.NewUnionMembership(validate.NewUnionMember("a"), validate.NewUnionMember("b"))
	equal := func(a, b *listItem) bool { return *a == *b }
	item := func(ctx context.Context, op operation.Operation, now, old []listItem, equiv func(a, b *listItem) bool, fails func(old *listItem) bool) field.ErrorList {
		return validate.ValSliceItem(ctx, op, field.NewPath("list"), now, old, func(i *listItem) bool { return i.Name == "a" }, equiv,
			func(_ context.Context, op operation.Operation, at *field.Path, _, old *listItem) field.ErrorList {
				if op.Type == operation.Update && fails(old) {
					return field.ErrorList{field.Invalid(at, nil, "changed")}
				}
				return nil
			})
	}
	always := func(*listItem) bool { return true }
	return []listTag{
		{name: "NoSet", markers: "+k8s:update=NoSet", validate: updates(validate.NoSet)},
		{name: "NoUnset", markers: "+k8s:update=NoUnset", validate: updates(validate.NoUnset)},
		{name: "NoAddItem", markers: "+k8s:update=NoAddItem", identity: true, validate: updates(validate.NoAddItem)},
		{name: "NoRemoveItem", markers: "+k8s:update=NoRemoveItem", identity: true, validate: updates(validate.NoRemoveItem)},
		{name: "Frozen", markers: "+k8s:update=NoRemoveItem\n+k8s:update=NoAddItem", identity: true, validate: updates(validate.NoAddItem, validate.NoRemoveItem)},
		{name: "EachUnmodified", markers: "+k8s:eachVal=+k8s:update=NoModify", identity: true, keys: true, items: true,
			validate: func(ctx context.Context, k listKind, op operation.Operation, now, old []listItem) field.ErrorList {
				return validate.EachValSliceVal(ctx, op, field.NewPath("list"), now, old, k.match, equal, func(ctx context.Context, op operation.Operation, at *field.Path, now, old *listItem) field.ErrorList {
					return validate.UpdateStruct(ctx, op, at, now, old, validate.NoModify)
				})
			}},
		{name: "ItemImmutable", markers: `+k8s:item(name: "a")=+k8s:immutable`, identity: true, keys: true, items: true,
			validate: func(ctx context.Context, _ listKind, op operation.Operation, now, old []listItem) field.ErrorList {
				return item(ctx, op, now, old, equal, always)
			}},
		{name: "ItemUnmodified", markers: `+k8s:beta=+k8s:item(name: "a")=+k8s:beta=+k8s:update=NoModify`, identity: true, keys: true, items: true,
			validate: func(ctx context.Context, _ listKind, op operation.Operation, now, old []listItem) field.ErrorList {
				return item(ctx, op, now, old, equal, func(old *listItem) bool { return old != nil })
			}},
		{name: "ItemFieldImmutable", markers: `+k8s:item(name: "a")=+k8s:subfield(value)=+k8s:immutable`, identity: true, keys: true, items: true,
			validate: func(ctx context.Context, _ listKind, op operation.Operation, now, old []listItem) field.ErrorList {
				return item(ctx, op, now, old, func(a, b *listItem) bool { return a.Value == b.Value }, always)
			}},
		{name: "Union", markers: "+k8s:item(name: \"a\")=+k8s:unionMember\n+k8s:item(name: \"b\")=+k8s:beta=+k8s:unionMember", identity: true, keys: true, items: true, union: true,
			validate: func(ctx context.Context, _ listKind, op operation.Operation, now, old []listItem) field.ErrorList {
				return validate.Union(ctx, op, nil, now, old, members, has("a"), has("b"))
			}},
		{name: "ZeroOrOne", markers: "+k8s:item(name: \"a\")=+k8s:zeroOrOneOfMember\n+k8s:item(name: \"b\")=+k8s:zeroOrOneOfMember", identity: true, keys: true, items: true, union: true,
			validate: func(ctx context.Context, _ listKind, op operation.Operation, now, old []listItem) field.ErrorList {
				return validate.ZeroOrOneOfUnion(ctx, op, nil, now, old, members, has("a"), has("b"))
			}},
		{name: "NamedUnions", markers: "+k8s:item(name: \"a\")=+k8s:unionMember(union: \"x\")\n+k8s:item(name: \"b\")=+k8s:unionMember(union: \"x\")\n" +
			"+k8s:item(name: \"b\")=+k8s:zeroOrOneOfMember(union: \"y\")\n+k8s:item(name: \"c\")=+k8s:zeroOrOneOfMember(union: \"y\")", identity: true, keys: true, items: true, union: true,
			validate: func(ctx context.Context, _ listKind, op operation.Operation, now, old []listItem) field.ErrorList {
				return append(validate.Union(ctx, op, nil, now, old, members, has("a"), has("b")),
					validate.ZeroOrOneOfUnion(ctx, op, nil, now, old, members, has("b"), has("c"))...)
			}},
	}
}

// listPlaces are the places of the tags relative to those that identify elements.
func listPlaces() []string { return []string{"before", "after", "type"} }

// listField writes the field for a cell of the table, and its type, if any.
func listField(k listKind, tag listTag, place string, fields, types *strings.Builder) {
	name := k.name + tag.name + place
	write := func(out *strings.Builder, indent string, markers ...string) {
		for line := range strings.Lines(strings.Join(markers, "\n")) {
			if line = strings.TrimSpace(line); line != "" {
				fmt.Fprintf(out, "%s// %s\n", indent, line)
			}
		}
	}
	goType := "[]Item"
	if k.strings {
		goType = "[]Name"
	}
	switch place {
	case "before":
		write(fields, "\t", tag.markers, k.markers, "+k8s:maxItems=5")
	case "after":
		write(fields, "\t", k.markers, "+k8s:maxItems=5", tag.markers)
	default:
		write(types, "", k.markers, "+k8s:maxItems=5")
		fmt.Fprintf(types, "type T%s %s\n\n", name, goType)
		goType = "T" + name
		write(fields, "\t", tag.markers)
	}
	fmt.Fprintf(fields, "\tF%s %s `json:\"%s,omitempty\"`\n", name, goType, listFieldName(k, tag, place))
}

func listFieldName(k listKind, tag listTag, place string) string {
	return strings.ToLower(k.name + tag.name + place)
}

const listHeader = `// +groupName=example.com
// +schemagen:enable=k8s
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:validation:MaxLength=10
type Name string

type Item struct {
	Name Name ` + "`json:\"name\"`" + `
	// +kubebuilder:validation:MaxLength=10
	Value string ` + "`json:\"value,omitempty\"`" + `
}

type Widget struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Spec Spec ` + "`json:\"spec,omitempty\"`" + `
}

type Spec struct {
	Other *int32 ` + "`json:\"other,omitempty\"`\n"

// listStates returns the lists that are stored and written: nil is an absent one.
func listStates(k listKind, tag listTag) [][]listItem {
	states := [][]listItem{nil, {}}
	for _, a := range []string{"-", "", "1", "2"} {
		for _, b := range []string{"-", "1"} {
			for _, c := range []string{"-", "1"} {
				if k.strings && a != "-" && a != "1" {
					continue
				}
				list := []listItem{}
				for i, value := range []string{a, b, c} {
					if value != "-" {
						list = append(list, listItem{string(rune('a' + i)), value})
					}
				}
				if k.strings {
					for i := range list {
						list[i].Value = ""
					}
				}
				states = append(states, list)
			}
		}
	}
	states = append(states, []listItem{{"c", ""}, {"b", ""}, {"a", ""}})
	if !k.native && !tag.items {
		states = append(states, []listItem{{"a", ""}, {"a", ""}}, []listItem{{"a", ""}, {"b", ""}, {"a", ""}})
	}
	return states
}

// value returns a list as JSON.
func (k listKind) value(list []listItem) []any {
	out := make([]any, 0, len(list))
	for _, i := range list {
		element := map[string]any{"name": i.Name}
		if i.Value != "" {
			element["value"] = i.Value
		}
		if k.strings {
			out = append(out, i.Name)
		} else {
			out = append(out, element)
		}
	}
	return out
}

// onlyField returns a definition whose spec has one of the lists only, with the rules about it.
func onlyField(crd *apiextensionsv1.CustomResourceDefinition, name string) *apiextensionsv1.CustomResourceDefinition {
	crd = crd.DeepCopy()
	root := crd.Spec.Versions[0].Schema.OpenAPIV3Schema
	spec := root.Properties["spec"]
	maps.DeleteFunc(spec.Properties, func(other string, _ apiextensionsv1.JSONSchemaProps) bool { return other != name && other != "other" })
	spec.XValidations = slices.DeleteFunc(spec.XValidations, func(r apiextensionsv1.ValidationRule) bool { return !strings.Contains(r.Rule, "."+name) })
	root.Properties["spec"] = spec
	return crd
}

// rulesOf returns the schema of one of the lists and the rules about it, in any order.
func rulesOf(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition, name string) string {
	t.Helper()
	spec := onlyField(crd, name).Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
	list := spec.Properties[name]
	byText := func(a, b apiextensionsv1.ValidationRule) int { return strings.Compare(a.Rule, b.Rule) }
	slices.SortFunc(list.XValidations, byText)
	slices.SortFunc(spec.XValidations, byText)
	text, err := json.Marshal([]any{list, spec.XValidations})
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// TestListTags compares the rules for the tags of lists with the functions that validation-gen
// calls for them, on create and on update, for every way of telling elements apart and every
// place of the tags. Where validation-gen rejects the tags, so must we.
func TestListTags(t *testing.T) {
	var fields, types strings.Builder
	each := func(f func(k listKind, tag listTag, place string)) {
		for _, k := range listKinds() {
			for _, tag := range listTags() {
				for _, place := range listPlaces() {
					f(k, tag, place)
				}
			}
		}
	}
	fits := func(k listKind, tag listTag) bool { return (!tag.identity || k.identifies()) && (!tag.keys || k.keyed) }
	each(func(k listKind, tag listTag, place string) {
		if fits(k, tag) {
			listField(k, tag, place, &fields, &types)
		}
	})
	files, found := generateSource(t, listHeader+fields.String()+"}\n\n"+types.String(), "")
	crd := decodeDefinition(t, files, found)
	var cells, creates, updates, accepted int
	each(func(k listKind, tag listTag, place string) {
		if !fits(k, tag) {
			return
		}
		cells++
		name := listFieldName(k, tag, place)
		if place != listPlaces()[0] {
			first := listFieldName(k, tag, listPlaces()[0])
			if got, want := rulesOf(t, crd, name), rulesOf(t, crd, first); got != strings.ReplaceAll(want, first, name) {
				t.Errorf("%s: got %s, want the same as in another place: %s", name, got, want)
			}
			return
		}
		kind, err := apiserver.NewKind(onlyField(crd, name), "v1")
		if err != nil {
			t.Fatal(err)
		}
		states := listStates(k, tag)
		object := func(list []listItem) map[string]any {
			spec := map[string]any{}
			if list != nil {
				spec[name] = k.value(list)
			}
			return namedObject(map[string]any{"spec": spec})
		}
		wants := func(op operation.Operation, now, old []listItem) bool {
			if op.Type == operation.Update && reflect.DeepEqual(now, old) {
				return true
			}
			if tag.union && now == nil {
				return true // no rule of a list is evaluated on an absent one
			}
			if tag.union {
				op.Type = operation.Create // the rule is checked again whenever the list changes
			}
			errs := tag.validate(t.Context(), k, op, now, old)
			if k.identifies() && !k.native {
				errs = append(errs, validate.ValSliceUnique(t.Context(), op, nil, now, old, k.match)...)
			}
			return len(errs) == 0
		}
		compare := func(answer apiserver.Answer, err error, want bool, now, old []listItem) {
			if err != nil {
				t.Fatal(err)
			}
			if want {
				accepted++
			}
			if got := len(answer.Errors) == 0; got != want {
				t.Errorf("%s: %v → %v: got accepted %t, want %t: %v", name, old, now, got, want, answer.Errors)
			}
		}
		for _, now := range states {
			creates++
			answer, err := kind.Create(t.Context(), object(now))
			compare(answer, err, wants(operation.Operation{Type: operation.Create}, now, nil), now, nil)
			for _, old := range states {
				updates++
				written := object(now)
				written["spec"].(map[string]any)["other"] = int64(1)
				answer, err := kind.Update(t.Context(), written, object(old))
				compare(answer, err, wants(operation.Operation{Type: operation.Update}, now, old), now, old)
			}
		}
	})
	t.Logf("%d cells, %d creates and %d updates, of which %d are accepted", cells, creates, updates, accepted)
	refused := 0
	fields.Reset()
	types.Reset()
	each(func(k listKind, tag listTag, place string) {
		if !fits(k, tag) {
			refused++
			listField(k, tag, place, &fields, &types)
		}
	})
	source := listHeader + fields.String() + "}\n\n" + types.String()
	files, found = generateSource(t, source, "")
	if len(files) != 0 {
		t.Errorf("got %d files, want none", len(files))
	}
	lines := strings.Split(source, "\n")
	reported := map[string]bool{}
	for _, d := range found {
		if d.Code != report.MarkerDoesNotFit.Code {
			t.Errorf("got %v, want only SG302", d)
			continue
		}
		line := d.Pos.Line - 1
		for strings.Contains(lines[line], "//") {
			line++
		}
		_, name, _ := strings.Cut(lines[line], `json:"`)
		name, _, _ = strings.Cut(name, ",")
		reported[name] = true
	}
	each(func(k listKind, tag listTag, place string) {
		if name := listFieldName(k, tag, place); reported[name] == fits(k, tag) {
			t.Errorf("%s: got a finding %t, want %t", name, reported[name], !fits(k, tag))
		}
	})
	t.Logf("%d cells are refused", refused)
}
