package apiserver

import (
	"context"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// TestPaths checks the translation of the server's paths to those of the given object.
func TestPaths(t *testing.T) {
	shared := func(c *crd) {
		other := c.Spec.Versions[0]
		other.Name, other.Storage = "v2", false
		c.Spec.Versions = append(c.Spec.Versions, other)
	}
	for _, c := range []struct {
		name       string
		edit       func(c *crd)
		path, text string
		places     []string
	}{
		{
			name:   "a schema of one version",
			edit:   func(c *crd) { c.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["a"] = props{} },
			path:   "spec.validation.openAPIV3Schema.properties[a].type",
			text:   "spec.validation.openAPIV3Schema.properties[a].type: Required value: must not be empty for specified object fields",
			places: []string{"spec.versions[0].schema.openAPIV3Schema.properties[a].type"},
		},
		{
			name: "a schema that versions share",
			edit: func(c *crd) {
				c.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["a"] = props{}
				shared(c)
			},
			path:   "spec.validation.openAPIV3Schema.properties[a].type",
			places: []string{"spec.versions[0].schema.openAPIV3Schema.properties[a].type", "spec.versions[1].schema.openAPIV3Schema.properties[a].type"},
		},
		{
			name: "a schema of one of two versions",
			edit: func(c *crd) {
				shared(c)
				c.Spec.Versions[1].Schema = &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &props{Type: "object", Properties: map[string]props{"a": {}}}}
			},
			path:   "spec.versions[1].schema.openAPIV3Schema.properties[a].type",
			places: []string{"spec.versions[1].schema.openAPIV3Schema.properties[a].type"},
		},
		{
			name: "columns that versions share",
			edit: func(c *crd) {
				c.Spec.Versions[0].AdditionalPrinterColumns = []apiextensionsv1.CustomResourceColumnDefinition{{Name: "a", Type: "string", JSONPath: "x"}}
				shared(c)
			},
			path:   "spec.additionalPrinterColumns[0].JSONPath",
			places: []string{"spec.versions[0].additionalPrinterColumns[0].jsonPath", "spec.versions[1].additionalPrinterColumns[0].jsonPath"},
		},
		{
			name: "columns of one version",
			edit: func(c *crd) {
				shared(c)
				c.Spec.Versions[1].AdditionalPrinterColumns = []apiextensionsv1.CustomResourceColumnDefinition{{Name: "a", Type: "string", JSONPath: "x"}}
			},
			path:   "spec.versions[1].additionalPrinterColumns[0].JSONPath",
			places: []string{"spec.versions[1].additionalPrinterColumns[0].jsonPath"},
		},
		{
			name: "subresources",
			edit: func(c *crd) {
				c.Spec.Versions[0].Subresources = &apiextensionsv1.CustomResourceSubresources{Scale: &apiextensionsv1.CustomResourceSubresourceScale{StatusReplicasPath: ".status.a"}}
			},
			path:   "spec.subresources.scale.specReplicasPath",
			places: []string{"spec.versions[0].subresources.scale.specReplicasPath"},
		},
		{
			name: "selectable fields",
			edit: func(c *crd) {
				c.Spec.Versions[0].SelectableFields = []apiextensionsv1.SelectableField{{}}
			},
			path:   "spec.selectableFields[0].jsonPath",
			places: []string{"spec.versions[0].selectableFields[0].jsonPath"},
		},
		{
			name:   "conversion",
			edit:   func(c *crd) { c.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: "Webhook"} },
			path:   "spec.conversion.conversionReviewVersions",
			places: []string{"spec.conversion.webhook.conversionReviewVersions"},
		},
		{
			name:   "client of a conversion webhook",
			edit:   func(c *crd) { c.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: "Webhook"} },
			path:   "spec.conversion.webhookClientConfig",
			places: []string{"spec.conversion.webhook.clientConfig"},
		},
		{
			name:   "the name of the first version",
			edit:   func(c *crd) { c.Spec.Versions[0].Name = "V" },
			path:   "spec.version",
			places: []string{"spec.versions[0].name"},
		},
		{
			name:   "a path that does not change",
			edit:   func(c *crd) { c.Spec.Scope = "" },
			path:   "spec.scope",
			places: []string{"spec.scope"},
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			crd := withSchema(t, "{type: object, properties: {spec: {type: object}}}")
			c.edit(crd)
			findings, err := target(t, DefaultVersion).ValidateCreate(context.Background(), crd)
			if err != nil {
				t.Fatal(err)
			}
			at := slices.IndexFunc(findings, func(f Finding) bool { return f.Path == c.path })
			if at < 0 {
				t.Fatalf("no finding for %s: %v", c.path, findings)
			}
			if f := findings[at]; !slices.Equal(f.Paths, c.places) || !strings.HasPrefix(f.String(), c.path+": ") || c.text != "" && f.String() != c.text {
				t.Errorf("got %q, %s", f.Paths, f)
			}
		})
	}
}

func TestStripTypeNumbers(t *testing.T) {
	for text, want := range map[string]string{
		"":                                  "",
		"a":                                 "a",
		"selfType12":                        "selfType",
		"(selfType12.a.b3, selfType12) and": "(selfType.a.b3, selfType) and",
	} {
		if got := stripTypeNumbers(text); got != want {
			t.Errorf("%q: %q", text, got)
		}
	}
}
