package compat

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/schemagen/schemagen/structural"
)

// TestCompatibilityPlan checks each row of the KEP's compatibility plan: the features used
// with a schema that is not structural, before and after an update.
func TestCompatibilityPlan(t *testing.T) {
	const schema, conversion, preserve = "spec.versions[*].schema.openAPIV3Schema", "spec.conversion.strategy", "spec.preserveUnknownFields"
	for _, c := range []struct {
		name   string
		before *Use
		now    Use
		want   []string
	}{
		{"create, structural, everything", nil, Use{Structural: true, Webhook: true, Pruning: true, Defaults: true, Unions: true, Extensions: true}, nil},
		{"create, not structural", nil, Use{}, []string{schema}},
		{"create, not structural, everything", nil, Use{Webhook: true, Pruning: true, Defaults: true, Unions: true, Extensions: true},
			[]string{schema, conversion, preserve, schema, schema, schema}},
		{"update, was not structural", &Use{}, Use{}, nil},
		{"update, was structural", &Use{Structural: true}, Use{}, []string{schema}},
		{"update, repaired", &Use{}, Use{Structural: true, Webhook: true, Pruning: true, Defaults: true, Unions: true}, nil},
		{"webhook newly set", &Use{}, Use{Webhook: true}, []string{conversion}},
		{"webhook from before", &Use{Webhook: true}, Use{Webhook: true}, nil},
		{"webhook from before, was structural", &Use{Structural: true, Webhook: true}, Use{Webhook: true}, []string{schema}},
		{"webhook removed", &Use{Webhook: true}, Use{}, nil},
		{"pruning newly set", &Use{}, Use{Pruning: true}, []string{preserve}},
		{"defaults newly set", &Use{}, Use{Defaults: true}, []string{schema}},
		{"unions newly set", &Use{}, Use{Unions: true}, []string{schema}},
		{"extensions newly set", &Use{}, Use{Extensions: true}, []string{schema}},
		{"only a webhook was there before", &Use{Webhook: true}, Use{Webhook: true, Defaults: true}, []string{schema}},
	} {
		var got []string
		for _, r := range Check(c.before, c.now) {
			got = append(got, r.Field)
			if !strings.HasPrefix(r.String(), r.Field+": Forbidden: must ") {
				t.Errorf("%s: %s", c.name, r)
			}
		}
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestUseOf(t *testing.T) {
	text := &structural.Schema{Generic: structural.Generic{Type: "string"}}
	object := func(x structural.Extensions, p *structural.Schema) *structural.Schema {
		return &structural.Schema{Generic: structural.Generic{Type: "object"}, Extensions: x, Properties: []structural.Property{{Name: "a", Schema: p}}}
	}
	withDefault := &structural.Schema{Generic: structural.Generic{Type: "string", Default: &structural.JSON{Raw: []byte(`"x"`)}}}
	inJunctor := object(structural.Extensions{}, text)
	inJunctor.ValueValidation = &structural.ValueValidation{Not: ptr.To(withDefault.Nested())}
	for _, c := range []struct {
		name    string
		schemas []*structural.Schema
		want    Use
	}{
		{"no versions", nil, Use{Structural: true}},
		{"no schema", []*structural.Schema{nil}, Use{Structural: true}},
		{"structural", []*structural.Schema{object(structural.Extensions{}, text)}, Use{Structural: true}},
		{"one is not structural", []*structural.Schema{object(structural.Extensions{}, text), object(structural.Extensions{}, &structural.Schema{})}, Use{}},
		{"a default", []*structural.Schema{nil, object(structural.Extensions{}, withDefault)}, Use{Structural: true, Defaults: true}},
		{"a default in a list", []*structural.Schema{object(structural.Extensions{}, &structural.Schema{Generic: structural.Generic{Type: "array"}, Items: withDefault})}, Use{Structural: true, Defaults: true}},
		{"a default in a map", []*structural.Schema{object(structural.Extensions{}, &structural.Schema{Generic: structural.Generic{Type: "object"}, AdditionalProperties: &structural.SchemaOrBool{Schema: withDefault}})}, Use{Structural: true, Defaults: true}},
		{"a default in a junctor", []*structural.Schema{inJunctor}, Use{Defaults: true}},
		{"unions", []*structural.Schema{object(structural.Extensions{XUnions: []structural.Union{{}}}, text)}, Use{Structural: true, Unions: true}},
		{"unions on the discriminator", []*structural.Schema{object(structural.Extensions{}, &structural.Schema{Generic: structural.Generic{Type: "string"}, Extensions: structural.Extensions{XUnionMembers: []structural.UnionMember{{}}}})}, Use{Structural: true, Unions: true}},
		{"an extension", []*structural.Schema{object(structural.Extensions{XPreserveUnknownFields: ptr.To(true)}, text)}, Use{Structural: true, Extensions: true}},
		{"an extension that is free", []*structural.Schema{object(structural.Extensions{XMapType: "atomic"}, text)}, Use{Structural: true}},
	} {
		if got := UseOf(c.schemas); got != c.want {
			t.Errorf("%s: got %+v, want %+v", c.name, got, c.want)
		}
	}
}

// compatCRD returns a CRD that uses the given features.
func compatCRD(use Use) *apiextensionsv1.CustomResourceDefinition {
	p := &apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"a": {Type: "string"}}}
	if !use.Structural {
		p.Properties["untyped"] = apiextensionsv1.JSONSchemaProps{}
	}
	if use.Defaults {
		p.Properties["b"] = apiextensionsv1.JSONSchemaProps{Type: "string", Default: &apiextensionsv1.JSON{Raw: []byte(`"x"`)}}
	}
	if use.Extensions {
		p.Properties["c"] = apiextensionsv1.JSONSchemaProps{XIntOrString: true}
	}
	crd := &apiextensionsv1.CustomResourceDefinition{
		ObjectMeta: metav1.ObjectMeta{Name: "things.cases.test", Generation: 1, ResourceVersion: "1"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: "cases.test",
			Scope: apiextensionsv1.NamespaceScoped,
			Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "things", Singular: "thing", Kind: "Thing", ListKind: "ThingList"},
			Versions: []apiextensionsv1.CustomResourceDefinitionVersion{
				{Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: p}},
			},
		},
		Status: apiextensionsv1.CustomResourceDefinitionStatus{StoredVersions: []string{"v1"}},
	}
	crd.Spec.PreserveUnknownFields = !use.Pruning
	if use.Webhook {
		crd.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{
			Strategy: apiextensionsv1.WebhookConverter,
			Webhook: &apiextensionsv1.WebhookConversion{
				ConversionReviewVersions: []string{"v1"},
				ClientConfig:             &apiextensionsv1.WebhookClientConfig{URL: ptr.To("https://example.com/convert")},
			},
		}
	}
	return crd
}

func internalCRD(t *testing.T, crd *apiextensionsv1.CustomResourceDefinition) *apiextensions.CustomResourceDefinition {
	t.Helper()
	var out apiextensions.CustomResourceDefinition
	if err := apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(crd.DeepCopy(), &out, nil); err != nil {
		t.Fatal(err)
	}
	return &out
}

// TestCompatibilityAgreesWithServer compares the plan with the server's validation for all
// creations and updates that differ in features of the plan. If the server rejects more, its
// reason must be one of those listed here.
func TestCompatibilityAgreesWithServer(t *testing.T) {
	uses := func() []Use {
		var out []Use
		for bits := range 32 {
			out = append(out, Use{Structural: bits&1 > 0, Webhook: bits&2 > 0, Pruning: bits&4 > 0, Defaults: bits&8 > 0, Extensions: bits&16 > 0})
		}
		return out
	}()
	// Errors of the server that are not in the plan and do not depend on the schema.
	beyond := []string{
		"cannot set to true, set x-kubernetes-preserve-unknown-fields to true", // v1 prunes
		"must be None if spec.preserveUnknownFields is true",                   // webhooks require pruning
		"must be false in order to use defaults in the schema",                 // defaults require pruning
	}
	counts := map[string]int{}
	for _, now := range uses {
		crd := compatCRD(now)
		if got, _ := structural.FromProps(crd.Spec.Versions[0].Schema.OpenAPIV3Schema); UseOf([]*structural.Schema{got}) != (Use{Structural: now.Structural, Defaults: now.Defaults, Extensions: now.Extensions}) {
			t.Fatalf("%+v is used as %+v", now, UseOf([]*structural.Schema{got}))
		}
		for i := -1; i < len(uses); i++ {
			var before *Use
			var errs field.ErrorList
			if i < 0 {
				errs = validation.ValidateCustomResourceDefinition(context.Background(), internalCRD(t, crd))
			} else {
				before = &uses[i]
				errs = validation.ValidateCustomResourceDefinitionUpdate(context.Background(), internalCRD(t, crd), internalCRD(t, compatCRD(*before)))
			}
			name := fmt.Sprintf("before %+v, now %+v", before, now)
			structure, further := false, []string{}
			for _, e := range errs {
				switch {
				case strings.HasSuffix(e.Field, ".properties[untyped].type"):
					structure = true
				case slices.ContainsFunc(beyond, func(text string) bool { return strings.Contains(e.Detail, text) }):
					further = append(further, e.Detail)
				default:
					t.Fatalf("%s: %v", name, e)
				}
			}
			switch rejected := len(Check(before, now)) > 0; {
			case rejected == structure:
				counts["same"]++
			case rejected && now.Webhook && slices.ContainsFunc(further, func(s string) bool { return strings.Contains(s, "must be None") }):
				// The plan rejects the new webhook, the server the missing pruning.
				counts["webhook, other reason"]++
			default:
				t.Errorf("%s: rejected by the plan %v, by the server %v", name, rejected, errs)
			}
			if before != nil && !now.Structural && !before.Structural && now.Webhook && before.Webhook && !now.Pruning && !now.Defaults && !now.Extensions {
				counts["webhook from before"]++
				if len(Check(before, now)) > 0 || structure || len(further) == 0 {
					t.Errorf("%s: the plan lets a webhook from before stay, the server wants pruning: %v", name, errs)
				}
			}
		}
	}
	t.Log(counts)
	if counts["same"] < 900 || counts["webhook, other reason"] == 0 || counts["webhook from before"] == 0 {
		t.Errorf("counts %v", counts)
	}
}
