package apiserver

import (
	"context"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

// updateCase is an update that the server rejects with a message that contains want, or
// accepts if want is empty.
type updateCase struct {
	name, want string
	// old and spec are the schemas of spec before and after the update.
	old, spec string
	editOld   func(*testing.T, *crd)
	edit      func(*testing.T, *crd)
}

func updateCases() []updateCase {
	const good = "{type: object, properties: {a: {type: integer}}}"
	const costly = `{type: object, properties: {a: {type: array, items: {type: string}}}, x-kubernetes-validations: [{rule: "self.a.all(x, self.a.all(y, x == y))"}]}`
	return []updateCase{
		{name: "nothing"},
		{name: "a schema that is not structural stays", old: "{properties: {a: {}}}", spec: "{properties: {a: {}}}", editOld: preserves, edit: preserves},
		{name: "a schema that is not structural stays, and now prunes", old: "{properties: {a: {}}}", spec: "{properties: {a: {}}}", editOld: preserves, want: "must not be empty for specified object fields"},
		{name: "a schema that is not structural may change", old: "{properties: {a: {}}}", spec: "{properties: {b: {}}}", editOld: preserves, edit: preserves},
		{name: "a schema becomes non-structural", spec: "{properties: {a: {}}}", want: "must not be empty for specified object fields"},
		{name: "a schema becomes structural", old: "{properties: {a: {}}}", spec: good},
		{name: "not structural, and now with a rule", editOld: preserves, edit: preserves, old: "{properties: {a: {}}}", spec: `{properties: {a: {}}, x-kubernetes-validations: [{rule: "true"}]}`, want: "must not be empty for specified object fields"},
		{name: "not structural, and now with a default", editOld: preserves, edit: preserves, old: "{properties: {a: {}}}", spec: `{properties: {a: {default: 1}}}`, want: "must not be empty for specified object fields"},
		{name: "an unknown type stays", old: "{type: text}", spec: "{type: text}"},
		{name: "an unknown type is added", spec: "{type: text}", want: "Unsupported value"},
		{name: "a default with unknown fields stays", old: "{type: object, default: {b: 1}, properties: {a: {type: integer}}}", spec: "{type: object, default: {c: 1}, properties: {a: {type: integer}}}"},
		{name: "a set of objects stays", old: "{type: array, items: {type: object}, x-kubernetes-list-type: set}", spec: "{type: array, items: {type: object}, x-kubernetes-list-type: set}"},
		{name: "a map with optional keys stays", old: "{type: array, items: {type: object, properties: {k: {type: string}}}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k]}", spec: "{type: array, items: {type: object, properties: {k: {type: string}}}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k]}"},
		{name: "a costly rule stays", old: costly, spec: costly, want: "estimated rule cost total for entire OpenAPIv3 schema exceeds budget"},
		{name: "a costly rule in a schema that changes", old: costly, spec: strings.Replace(costly, "type: object", "type: object, description: changed", 1), want: "].rule: Forbidden: estimated rule cost exceeds budget"},
		{name: "rules that fail stay", old: `{type: object, x-kubernetes-validations: [{rule: "self.nothing"}]}`, spec: `{type: object, x-kubernetes-validations: [{rule: "self.nothing"}]}`, want: "undefined field"},
		{name: "scope", edit: func(_ *testing.T, c *crd) { c.Spec.Scope = "Cluster" }, want: "spec.scope: Invalid value: \"Cluster\": field is immutable"},
		{name: "scope before it is established", editOld: notEstablished, edit: func(_ *testing.T, c *crd) { c.Spec.Scope = "Cluster" }},
		{name: "kind", edit: func(_ *testing.T, c *crd) { c.Spec.Names.Kind, c.Spec.Names.ListKind = "Gadget", "GadgetList" }, want: "spec.names.kind: Invalid value: \"Gadget\": field is immutable"},
		{name: "group", edit: func(_ *testing.T, c *crd) { c.Spec.Group = "example.org" }, want: "spec.group: Invalid value: \"example.org\": field is immutable"},
		{name: "group before it is established", editOld: notEstablished, edit: func(_ *testing.T, c *crd) { c.Spec.Group = "example.org" }, want: "spec.group"},
		{name: "plural", edit: func(_ *testing.T, c *crd) { c.Spec.Names.Plural = "gadgets" }, want: "spec.names.plural"},
		{name: "name", edit: func(_ *testing.T, c *crd) { c.Name = "gadgets.example.com" }, want: "metadata.name"},
		{name: "a stored version is removed", editOld: stores("v0", "v1"), want: "v0 was previously a storage version"},
		{name: "another storage version", edit: func(t *testing.T, c *crd) {
			second(t, c, "type: object")
			c.Spec.Versions[0].Storage, c.Spec.Versions[1].Storage = false, true
		}},
		{name: "another storage version, and the first one is removed", edit: func(_ *testing.T, c *crd) { c.Spec.Versions[0].Name = "v2" }, want: "v1 was previously a storage version"},
		{name: "preserveUnknownFields stays", editOld: preserves, edit: preserves},
		{name: "preserveUnknownFields is added", edit: preserves, want: "cannot set to true"},
		{name: "no schema, as before", editOld: noSchema, edit: noSchema, want: "because otherwise all fields are pruned"},
		{name: "a webhook without versions that the server knows stays", editOld: webhook("v9"), edit: webhook("v9")},
		{name: "a webhook without versions that the server knows is added", edit: webhook("v9"), want: "must include at least one of"},
		{name: "a bad CA bundle", edit: func(t *testing.T, c *crd) {
			webhook("v1")(t, c)
			c.Spec.Conversion.Webhook.ClientConfig.CABundle = []byte("x")
		}, want: "caBundle"},
		{name: "approval still missing", editOld: community, edit: community},
		{name: "finalizer while it is deleted", editOld: func(_ *testing.T, c *crd) { c.DeletionTimestamp = ptr.To(metav1.Now()) }, edit: func(_ *testing.T, c *crd) { c.Finalizers = []string{"example.com/a"} }, want: "no new finalizers can be added"},
		{name: "finalizer", edit: func(_ *testing.T, c *crd) { c.Finalizers = []string{"a b"} }, want: "metadata.finalizers"},
		{name: "another object", editOld: func(_ *testing.T, c *crd) { c.UID = types.UID("1") }, edit: func(_ *testing.T, c *crd) { c.UID = types.UID("2") }, want: "metadata.uid"},
		{name: "old format, new warning", old: "{type: object, properties: {a: {type: string, format: old}}}", spec: "{type: object, properties: {a: {type: string, format: old}, b: {type: string, format: new}, c: {type: array, items: {type: object, x-kubernetes-map-type: atomic}, x-kubernetes-list-type: set}}}"},
	}
}

func notEstablished(_ *testing.T, c *crd) {
	c.Status.Conditions = []apiextensionsv1.CustomResourceDefinitionCondition{{Type: apiextensionsv1.NamesAccepted, Status: apiextensionsv1.ConditionTrue}}
}

func stores(versions ...string) func(*testing.T, *crd) {
	return func(_ *testing.T, c *crd) { c.Status.StoredVersions = versions }
}

func preserves(_ *testing.T, c *crd) { c.Spec.PreserveUnknownFields = true }

func noSchema(_ *testing.T, c *crd) { c.Spec.Versions[0].Schema = nil }

func community(_ *testing.T, c *crd) {
	c.Spec.Group, c.Name = "example.k8s.io", "widgets.example.k8s.io"
}

func webhook(versions ...string) func(*testing.T, *crd) {
	return func(_ *testing.T, c *crd) {
		c.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: "Webhook", Webhook: &apiextensionsv1.WebhookConversion{
			ClientConfig:             &apiextensionsv1.WebhookClientConfig{Service: &apiextensionsv1.ServiceReference{Name: "a", Namespace: "b"}},
			ConversionReviewVersions: versions,
		}}
	}
}

func (c updateCase) objects(t *testing.T) (crd, old *crd) {
	t.Helper()
	or := func(spec string) string {
		if spec == "" {
			return "{type: object, properties: {a: {type: integer}}}"
		}
		return spec
	}
	old, crd = widget(t, or(c.old)), widget(t, or(c.spec))
	if c.editOld != nil {
		c.editOld(t, old)
	}
	if c.edit != nil {
		c.edit(t, crd)
	}
	return crd, old
}

func TestUpdateMatchesServer(t *testing.T) {
	s := newServer()
	for _, version := range []string{DefaultVersion, newest()} {
		target := target(t, version)
		for _, c := range updateCases() {
			t.Run(version+"/"+c.name, func(t *testing.T) {
				crd, old := c.objects(t)
				stored := s.stored(t, old)
				stored.UID, stored.DeletionTimestamp = "1", old.DeletionTimestamp
				if len(old.Status.Conditions) > 0 {
					stored.Status.Conditions = s.decode(t, old).Status.Conditions
				}
				if len(old.Status.StoredVersions) > 0 {
					stored.Status.StoredVersions = old.Status.StoredVersions
				}
				old.UID = "1"
				want := s.update(t, crd, stored)
				text := strings.Join(want.errors, "\n")
				if c.want == "" && text != "" || !strings.Contains(text, c.want) {
					t.Errorf("the server does not report %q, but\n%s", c.want, text)
				}
				findings, err := target.ValidateUpdate(context.Background(), crd, old)
				if err != nil {
					t.Fatal(err)
				}
				got := responseOf(findings)
				if version != newest() {
					// Warnings are for another test.
					want.warnings, got.warnings = nil, nil
				}
				same(t, want, got)
			})
		}
	}
}
