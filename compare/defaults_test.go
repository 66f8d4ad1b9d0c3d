package compare

import (
	"fmt"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/utils/ptr"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/apiserver"
)

// TestEmptyDefault adds and removes the default "" of a field, as k8s.io/api has done for the name
// of LocalObjectReference. It is safe unless something in the schema reads whether the field is set.
func TestEmptyDefault(t *testing.T) {
	text := func(value string) props {
		s := props{Type: "string", MaxLength: ptr.To(int64(9))}
		if value != "" {
			s.Default = ptr.To(raw(value))
		}
		return s
	}
	rule := func(text string) apiextensionsv1.ValidationRules {
		return apiextensionsv1.ValidationRules{{Rule: text}}
	}
	plain := func(s props) props { return s }
	for _, row := range []struct {
		value string
		// inner and outer edit the object with the field, and that around it.
		inner, outer func(props) props
		added        Category
		removed      Category
	}{
		{`""`, plain, plain, Safe, Safe},
		{`"a"`, plain, plain, BreaksStored, BreaksClients},
		{`""`, func(s props) props { s.MaxProperties = ptr.To(int64(1)); return s }, plain, BreaksStored, BreaksClients},
		{`""`, func(s props) props { s.Not = &props{Required: []string{"name"}}; return s }, plain, BreaksStored, BreaksClients},
		{`""`, func(s props) props { s.XValidations = rule("!has(self.name)"); return s }, plain, BreaksStored, BreaksClients},
		{`""`, func(s props) props { s.XValidations = rule("!has(self.other)"); return s }, plain, Safe, Safe},
		{`""`, func(s props) props { s.XValidations = rule("!self.?name.hasValue()"); return s }, plain, BreaksStored, BreaksClients},
		{`""`, plain, func(s props) props { s.XValidations = rule("!has(self.ref) || !has(self.ref.name)"); return s }, BreaksStored, BreaksClients},
		{`""`, plain, func(s props) props { s.XValidations = rule("self == oldSelf"); return s }, Safe, BreaksClients},
		{`""`, plain, func(s props) props {
			s.XValidations = rule("!has(self.ref) || !has(oldSelf.ref) || self.ref == oldSelf.ref")
			return s
		}, Safe, BreaksClients},
		{`""`, func(s props) props { s.XValidations = rule("[self].all(x, x in [oldSelf])"); return s }, plain, Safe, BreaksClients},
		{`""`, func(s props) props { s.XValidations = rule("has(self.other) == has(oldSelf.other)"); return s }, plain, Safe, Safe},
		{`""`, func(s props) props {
			s.XValidations = rule("!has(self.other) || !has(oldSelf.other) || self.other == oldSelf.other")
			return s
		}, plain, Safe, Safe},
		{`""`, plain, func(s props) props {
			s.AnyOf = []props{{Properties: map[string]props{"ref": {Not: &props{Required: []string{"name"}}}}}}
			return s
		}, BreaksStored, BreaksClients},
		{`""`, plain, func(s props) props { s.MaxProperties = ptr.To(int64(1)); return s }, Safe, Safe},
	} {
		definition := func(value string) *apiextensionsv1.CustomResourceDefinition {
			ref := row.inner(props{Type: "object", Properties: map[string]props{"name": text(value), "other": text("")}})
			return randomDefinition(row.outer(props{Type: "object", Properties: map[string]props{"ref": ref}}))
		}
		without, with := definition(""), definition(row.value)
		for _, pair := range []struct {
			old, new *apiextensionsv1.CustomResourceDefinition
			want     Category
		}{{without, with, row.added}, {with, without, row.removed}} {
			changes, err := Definitions(t.Context(), newest(t), []*crd.Definition{subject(pair.old)}, []*crd.Definition{subject(pair.new)})
			if err != nil || len(changes) != 1 || changes[0].Category != pair.want {
				t.Errorf("%+v: %+v %v", pair.new.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"], changes, err)
				continue
			}
			before, err := apiserver.NewKind(pair.old, "v1")
			if err != nil {
				t.Fatal(err)
			}
			after, err := apiserver.NewKind(pair.new, "v1")
			if err != nil {
				t.Fatal(err)
			}
			for _, spec := range []map[string]any{{}, {"ref": map[string]any{}}, {"ref": map[string]any{"name": "a"}}, {"ref": map[string]any{"other": "a"}}} {
				object := map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "a"}, "spec": spec}
				if changes[0].Category < BreaksClients && canResend(t, before, before, object) && !canResend(t, before, after, object) {
					t.Errorf("%s: %s, but a client cannot send it again", fmt.Sprint(spec), changes[0].Category)
				}
				if effect := effect(t, before, after, object); effect > changes[0].Category {
					t.Errorf("%s: %s, but with the server's code, %s %s", fmt.Sprint(spec), changes[0].Category, changes[0].Kind, effect)
				}
			}
		}
	}
}

// canResend reports whether a client may send an object again to one server that another has stored.
func canResend(t *testing.T, before, after *apiserver.Kind, object map[string]any) bool {
	t.Helper()
	created, err := before.Create(t.Context(), object)
	if err != nil {
		t.Fatal(err)
	}
	updated, err := after.Update(t.Context(), object, created.Object)
	if err != nil {
		t.Fatal(err)
	}
	return len(created.Errors)+len(updated.Errors) == 0
}
