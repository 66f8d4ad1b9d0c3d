package apiserver

import (
	"context"
	"fmt"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"
	"k8s.io/utils/ptr"
)

// widget returns a CRD with one version whose spec has the given schema.
func widget(t testing.TB, spec string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	return withSchema(t, "type: object\nproperties:\n  spec:\n"+indent(spec, 4))
}

// withSchema returns a CRD with one version that has the given schema.
func withSchema(t testing.TB, schema string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	return parse(t, `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {plural: widgets, kind: Widget}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
`+indent(schema, 8))
}

func indent(text string, by int) string {
	lines := strings.Split(strings.Trim(text, "\n"), "\n")
	for i := range lines {
		lines[i] = strings.Repeat(" ", by) + lines[i]
	}
	return strings.Join(lines, "\n") + "\n"
}

// second adds a version with the given schema.
func second(t testing.TB, crd *apiextensionsv1.CustomResourceDefinition, schema string) *apiextensionsv1.CustomResourceDefinition {
	t.Helper()
	other := withSchema(t, schema).Spec.Versions[0]
	other.Name, other.Storage = "v2", false
	crd.Spec.Versions = append(crd.Spec.Versions, other)
	return crd
}

type crd = apiextensionsv1.CustomResourceDefinition

// badCase is a CRD that the server rejects with a message that contains want.
type badCase struct {
	name, want string
	// spec is the schema of spec, schema that of the whole object; edit changes the rest of
	// the CRD.
	spec, schema string
	edit         func(*testing.T, *crd)
	// since is the first minor version that reports the error, or 0 for all.
	since uint
}

func (c badCase) crd(t *testing.T) *crd {
	t.Helper()
	var out *crd
	switch {
	case c.schema != "":
		out = withSchema(t, c.schema)
	case c.spec != "":
		out = widget(t, c.spec)
	default:
		out = widget(t, "type: object\nproperties: {size: {type: integer}}")
	}
	if c.edit != nil {
		c.edit(t, out)
	}
	return out
}

func badCases() []badCase {
	return []badCase{
		// Names and the like.
		{name: "name", want: "must be spec.names.plural", edit: func(_ *testing.T, c *crd) { c.Name = "widgets.example.org" }},
		{name: "no name", want: "name or generateName is required", edit: func(_ *testing.T, c *crd) { c.Name = "" }},
		{name: "labels", want: "metadata.labels", edit: func(_ *testing.T, c *crd) { c.Labels = map[string]string{"a/b/c": "d"} }},
		{name: "annotations", want: "metadata.annotations", edit: func(_ *testing.T, c *crd) { c.Annotations = map[string]string{" ": "d"} }},
		{name: "no group", want: "spec.group: Required value", edit: func(_ *testing.T, c *crd) { c.Spec.Group = "" }},
		{name: "group", want: "should be a domain", edit: func(_ *testing.T, c *crd) { c.Spec.Group, c.Name = "example", "widgets.example" }},
		{name: "group with capitals", want: "spec.group: Invalid", edit: func(_ *testing.T, c *crd) { c.Spec.Group = "Example.com" }},
		{name: "community group", want: "api-approved.kubernetes.io", edit: func(_ *testing.T, c *crd) { c.Spec.Group, c.Name = "example.k8s.io", "widgets.example.k8s.io" }},
		{name: "bad approval", want: "protected groups must have approval annotation", edit: func(_ *testing.T, c *crd) {
			c.Spec.Group, c.Name = "example.k8s.io", "widgets.example.k8s.io"
			c.Annotations = map[string]string{"api-approved.kubernetes.io": "yes"}
		}},
		{name: "scope", want: "spec.scope: Unsupported value", edit: func(_ *testing.T, c *crd) { c.Spec.Scope = "Everywhere" }},
		{name: "no scope", want: "spec.scope: Required value", edit: func(_ *testing.T, c *crd) { c.Spec.Scope = "" }},
		{name: "no kind", want: "spec.names.kind: Required value", edit: func(_ *testing.T, c *crd) { c.Spec.Names.Kind = "" }},
		{name: "list kind", want: "kind and listKind may not be the same", edit: func(_ *testing.T, c *crd) { c.Spec.Names.ListKind = "Widget" }},
		{name: "short name", want: "spec.names.shortNames[0]", edit: func(_ *testing.T, c *crd) { c.Spec.Names.ShortNames = []string{"W"} }},
		{name: "category", want: "spec.names.categories[0]", edit: func(_ *testing.T, c *crd) { c.Spec.Names.Categories = []string{"All!"} }},
		// Versions.
		{name: "no storage version", want: "exactly one version marked as storage", edit: func(_ *testing.T, c *crd) { c.Spec.Versions[0].Storage = false }},
		{name: "no versions", want: "must have at least one stored version", edit: func(_ *testing.T, c *crd) { c.Spec.Versions = nil }},
		{name: "version name", want: "spec.versions[0].name", edit: func(_ *testing.T, c *crd) { c.Spec.Versions[0].Name = "V1" }},
		{name: "same version twice", want: "must contain unique version names", edit: func(t *testing.T, c *crd) {
			second(t, c, "type: object")
			c.Spec.Versions[1].Name = "v1"
		}},
		{name: "two storage versions with rules", want: "exactly one version marked as storage", spec: `{type: object, x-kubernetes-validations: [{rule: "true"}]}`, edit: func(t *testing.T, c *crd) {
			second(t, c, "type: object")
			c.Spec.Versions[1].Storage = true
		}},
		{name: "deprecation", want: "can only be set for deprecated versions", edit: func(_ *testing.T, c *crd) { c.Spec.Versions[0].DeprecationWarning = ptr.To("old") }},
		{name: "empty deprecation", want: "must not be an empty string", edit: func(_ *testing.T, c *crd) {
			c.Spec.Versions[0].Deprecated, c.Spec.Versions[0].DeprecationWarning = true, ptr.To("")
		}},
		{name: "no schema", want: "spec.versions[0].schema.openAPIV3Schema: Required", edit: func(_ *testing.T, c *crd) { c.Spec.Versions[0].Schema = nil }},
		{name: "preserves unknown fields", want: "spec.preserveUnknownFields", edit: func(_ *testing.T, c *crd) { c.Spec.PreserveUnknownFields = true }},
		// Columns, subresources, selectable fields, conversion.
		{name: "column type", want: "spec.additionalPrinterColumns[0].type", edit: func(_ *testing.T, c *crd) {
			c.Spec.Versions[0].AdditionalPrinterColumns = []apiextensionsv1.CustomResourceColumnDefinition{{Name: "A", Type: "text", JSONPath: ".a"}}
		}},
		{name: "column path", want: "spec.additionalPrinterColumns[0].JSONPath", edit: func(_ *testing.T, c *crd) {
			c.Spec.Versions[0].AdditionalPrinterColumns = []apiextensionsv1.CustomResourceColumnDefinition{{Name: "A", Type: "string", JSONPath: "a"}}
		}},
		{name: "scale path", want: "spec.subresources.scale.specReplicasPath", edit: func(_ *testing.T, c *crd) {
			c.Spec.Versions[0].Subresources = &apiextensionsv1.CustomResourceSubresources{Scale: &apiextensionsv1.CustomResourceSubresourceScale{SpecReplicasPath: ".status.x", StatusReplicasPath: ".status.y"}}
		}},
		{name: "selectable field", want: "is an invalid path", edit: func(_ *testing.T, c *crd) {
			c.Spec.Versions[0].SelectableFields = []apiextensionsv1.SelectableField{{JSONPath: ".spec.nothing"}}
		}},
		{name: "selectable metadata", want: "must not point to fields in metadata", schema: "{type: object, properties: {metadata: {type: object, properties: {name: {type: string}}}}}", edit: func(_ *testing.T, c *crd) {
			c.Spec.Versions[0].SelectableFields = []apiextensionsv1.SelectableField{{JSONPath: ".metadata.name"}}
		}},
		{name: "webhook without client", want: "webhookClientConfig", edit: func(_ *testing.T, c *crd) {
			c.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.WebhookConverter}
		}},
		{name: "webhook versions", want: "must include at least one of v1, v1beta1", edit: func(_ *testing.T, c *crd) {
			c.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.WebhookConverter, Webhook: &apiextensionsv1.WebhookConversion{
				ClientConfig: &apiextensionsv1.WebhookClientConfig{Service: &apiextensionsv1.ServiceReference{Name: "a", Namespace: "b"}}, ConversionReviewVersions: []string{"v9"}}}
		}},
		{name: "converter", want: "spec.conversion.strategy: Unsupported value", edit: func(_ *testing.T, c *crd) {
			c.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: "Magic"}
		}},
		// Schemas.
		{name: "no type", want: "must not be empty for specified object fields", spec: "properties: {a: {type: string}}"},
		{name: "no type, with rules", want: "must not be empty for specified object fields", spec: `
type: object
properties: {a: {}}
x-kubernetes-validations: [{rule: "self.nothing"}]`},
		{name: "array without items", want: "items: Required value: must be specified", spec: "{type: object, properties: {a: {type: array}}}"},
		{name: "unknown type", want: "Unsupported value: \"text\"", spec: "{type: object, properties: {a: {type: text}}}"},
		{name: "additional properties at the root", want: "must not be used at the root", schema: "{type: object, additionalProperties: {type: string}}"},
		{name: "properties and additional ones", want: "mutual exclusive", spec: "{type: object, properties: {a: {type: string}}, additionalProperties: {type: string}}"},
		{name: "ref", want: "$ref is not supported", spec: `{type: object, properties: {a: {$ref: "#/a"}}}`},
		{name: "schema of schemas", want: "'schema' is not supported", spec: `{type: object, $schema: "http://json-schema.org/schema#", x-kubernetes-validations: [{rule: "true"}]}`},
		{name: "definitions", want: "definitions is not supported", spec: `{type: object, definitions: {a: {type: string}}}`},
		{name: "id", want: "id is not supported", spec: `{type: object, id: x}`},
		{name: "unique items", want: "uniqueItems cannot be set to true", spec: "{type: array, items: {type: string}, uniqueItems: true}"},
		{name: "type in a junctor", want: "must be empty to be structural", spec: "{type: object, anyOf: [{type: object}]}"},
		{name: "rule in a junctor", want: "must be empty to be structural", spec: `{type: object, allOf: [{x-kubernetes-validations: [{rule: "true"}]}], x-kubernetes-validations: [{rule: "1"}]}`},
		{name: "property only in a junctor", want: "because it is defined in", schema: "{type: object, properties: {spec: {type: object}}, anyOf: [{required: [spec]}, {properties: {status: {minProperties: 1}}}]}"},
		{name: "metadata", want: "must not specify anything other than name and generateName", schema: "{type: object, properties: {metadata: {type: object, properties: {labels: {type: object}}}}}"},
		{name: "embedded resource", want: "must not be empty if x-kubernetes-embedded-resource is true", spec: "{type: object, x-kubernetes-embedded-resource: true}"},
		{name: "preserves false", want: "must be true or undefined", spec: "{type: object, x-kubernetes-preserve-unknown-fields: false}"},
		{name: "pattern", want: "must be a valid regular expression", spec: "{type: object, properties: {a: {type: string, pattern: '('}}}"},
		{name: "list type", want: "Unsupported value: \"bag\"", spec: "{type: array, items: {type: string}, x-kubernetes-list-type: bag}"},
		{name: "set of objects", want: "must be atomic as item of a list with x-kubernetes-list-type=set", spec: "{type: array, items: {type: object, properties: {a: {type: string}}}, x-kubernetes-list-type: set}"},
		{name: "map without keys", want: "must not be empty if x-kubernetes-list-type is map", spec: "{type: array, items: {type: object}, x-kubernetes-list-type: map}"},
		{name: "optional map key", want: "must have a default or be a required property", spec: "{type: array, items: {type: object, properties: {k: {type: string}}}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k]}"},
		{name: "map type", want: "must be object if x-kubernetes-map-type is specified", spec: "{type: array, items: {type: string}, x-kubernetes-map-type: atomic}"},
		{name: "type of the root with a status", want: `only "object" is allowed`, schema: "{type: array, items: {type: string}}", edit: withStatus},
		{name: "keywords of the root with a status", want: "fields are allowed at the root", schema: `{type: object, minProperties: 1, x-kubernetes-validations: [{rule: "self.nothing"}]}`, edit: withStatus},
		{name: "nullable root", want: "nullable cannot be true at the root", schema: `{type: object, nullable: true, x-kubernetes-validations: [{rule: "1 == 2 || 3"}]}`},
		// Defaults.
		{name: "default of the wrong type", want: "must be of type integer", spec: "{type: object, properties: {a: {type: integer, default: x}}}"},
		{name: "default without a required field", want: "default.a: Required value", spec: "{type: object, default: {}, required: [a], properties: {a: {type: integer}}}"},
		{name: "default with a fraction", since: numberFormatMinor, want: "must be of type int64", spec: "{type: object, properties: {a: {type: integer, format: int64, default: 1.5}}}"},
		{name: "default out of range", since: numberFormatMinor, want: "must be of type integer with format int32", spec: "{type: object, properties: {a: {type: integer, format: int32, default: 3000000000}}}"},
		{name: "default below a bound out of range", since: numberFormatMinor, want: "Maximum boundary value must be of type integer", spec: "{type: object, properties: {a: {type: integer, format: int32, maximum: 3000000000, default: 1}}}"},
		{name: "default with unknown fields", want: "must not have unknown fields", spec: `{type: object, default: {b: 1}, properties: {a: {type: integer}}, x-kubernetes-validations: [{rule: "self.nothing"}]}`},
		{name: "default against a rule", want: "failed rule: self.a > 5", spec: `{type: object, default: {a: 1}, properties: {a: {type: integer}}, x-kubernetes-validations: [{rule: "self.a > 5"}]}`},
		{name: "default under a rule", want: "failed rule: self != 'no'", spec: `{type: object, properties: {a: {type: string, default: "no", x-kubernetes-validations: [{rule: "self != 'no'"}]}}}`},
		{name: "default with a rule that does not compile", want: "rule compile error", spec: `{type: object, default: {}, x-kubernetes-validations: [{rule: "self.nothing"}]}`},
		// The texts of rules.
		{name: "no rule", want: "rule is not specified", spec: `{type: object, x-kubernetes-validations: [{rule: " "}, {rule: "self.nothing"}]}`},
		{name: "blank message", want: "must be non-empty if specified", spec: `{type: object, x-kubernetes-validations: [{rule: "true", message: " "}]}`},
		{name: "message of two lines", want: "must not contain line breaks", spec: `{type: object, x-kubernetes-validations: [{rule: "true", message: "a\nb"}]}`},
		{name: "rule of two lines", want: "message must be specified if rule contains line breaks", spec: `{type: object, x-kubernetes-validations: [{rule: "true ||\nfalse"}]}`},
		{name: "blank message expression", want: "messageExpression must be non-empty if specified", spec: `{type: object, x-kubernetes-validations: [{rule: "true", messageExpression: " "}]}`},
		{name: "reason", want: "Unsupported value: \"Because\"", spec: `{type: object, x-kubernetes-validations: [{rule: "true", reason: Because}]}`},
		{name: "field path", want: "must be a valid path", spec: `{type: object, properties: {a: {type: string}}, x-kubernetes-validations: [{rule: "true", fieldPath: .b}]}`},
		{name: "field path below a default", want: "must be a valid path", spec: `{type: object, properties: {a: {type: object, default: {}, properties: {b: {type: string}}, x-kubernetes-validations: [{rule: "true", fieldPath: .c}]}}}`},
		{name: "reason below a default", want: "Unsupported value: \"Because\"", spec: `{type: object, properties: {a: {type: object, default: {}, properties: {b: {type: string, x-kubernetes-validations: [{rule: "true", reason: Because}]}}}}}`},
		{name: "message expression below a default", want: "messageExpression must be non-empty", spec: `{type: object, properties: {a: {type: string, default: b, x-kubernetes-validations: [{rule: "true", messageExpression: " "}]}}}`},
		{name: "part of a default against a rule", want: "failed rule: self == 'y'", spec: `{type: object, properties: {a: {type: object, default: {b: [{c: x}]}, properties: {b: {type: array, items: {type: object, properties: {c: {type: string, x-kubernetes-validations: [{rule: "self == 'y'"}]}}}}}}}}`},
		// Compilation.
		{name: "syntax", want: "Syntax error", spec: `{type: object, x-kubernetes-validations: [{rule: "self.("}]}`},
		{name: "undefined field", want: "undefined field 'nothing'", spec: `{type: object, x-kubernetes-validations: [{rule: "self.nothing"}]}`},
		{name: "not a bool", want: "must evaluate to a bool", spec: `{type: object, properties: {a: {type: string}}, x-kubernetes-validations: [{rule: "self.a"}]}`},
		{name: "types", want: "found no matching overload", spec: `{type: object, properties: {a: {type: object, properties: {b: {type: string}}}}, x-kubernetes-validations: [{rule: "self.a + 1 == 2"}]}`},
		{name: "literal pattern", want: "invalid matches argument", spec: `{type: object, properties: {a: {type: string}}, x-kubernetes-validations: [{rule: "self.a.matches('(')"}]}`},
		{name: "message expression", want: "messageExpression compilation failed", spec: `{type: object, x-kubernetes-validations: [{rule: "true", messageExpression: "self.nothing"}]}`},
		{name: "message expression of an int", want: "messageExpression must evaluate to a string", spec: `{type: object, x-kubernetes-validations: [{rule: "true", messageExpression: "1"}]}`},
		{name: "oldSelf in a list", want: "oldSelf cannot be used on the uncorrelatable portion", spec: `{type: array, items: {type: object, properties: {a: {type: string, x-kubernetes-validations: [{rule: "self == oldSelf"}]}}}}`},
		{name: "optionalOldSelf without oldSelf", want: "may not be set if oldSelf is not used", spec: `{type: object, x-kubernetes-validations: [{rule: "true", optionalOldSelf: true}]}`},
		{name: "no type for the node", want: "x-kubernetes-validations: Internal error", spec: `{x-kubernetes-preserve-unknown-fields: true, x-kubernetes-validations: [{rule: "true"}]}`},
		// Costs.
		{name: "cost", want: "estimated rule cost exceeds budget by factor of more than 100x", spec: `{type: object, properties: {a: {type: array, items: {type: string}}}, x-kubernetes-validations: [{rule: "self.a.all(x, self.a.all(y, x == y))"}]}`},
		{name: "cost, slightly", want: "factor of 1.0", spec: `{type: array, maxItems: 1050, items: {type: array, maxItems: 10, items: {type: string, maxLength: 2400, x-kubernetes-validations: [{rule: "self.contains('a')"}]}}}`},
		{name: "cost of a message", want: "estimated messageExpression cost exceeds", spec: `{type: object, properties: {a: {type: array, items: {type: string}}}, x-kubernetes-validations: [{rule: "true", messageExpression: "self.a.exists(x, self.a.exists(y, x == y)) ? 'a' : 'b'"}]}`},
		{name: "cost of all", want: "estimated rule cost total for entire OpenAPIv3 schema exceeds budget", schema: manyRules(15)},
		// Several versions.
		{name: "rules in two versions that differ", want: "spec.versions[1].schema.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule", spec: `{type: object, properties: {a: {type: string}}, x-kubernetes-validations: [{rule: "self.a == 1"}]}`, edit: func(t *testing.T, c *crd) {
			second(t, c, "type: object\nproperties: {spec: {type: object, x-kubernetes-validations: [{rule: self.b}]}}")
		}},
		{name: "a schema that two versions share", want: "spec.validation.openAPIV3Schema.properties[spec].x-kubernetes-validations[0].rule", spec: `{type: object, x-kubernetes-validations: [{rule: "self.a == 1"}]}`, edit: func(_ *testing.T, c *crd) {
			other := c.Spec.Versions[0]
			other.Name, other.Storage = "v2", false
			c.Spec.Versions = append(c.Spec.Versions, other)
		}},
		{name: "one version good, one not structural", want: "spec.versions[1].schema", spec: `{type: object, x-kubernetes-validations: [{rule: "self.nothing"}]}`, edit: func(t *testing.T, c *crd) {
			second(t, c, "type: object\nproperties: {spec: {x-kubernetes-validations: [{rule: self.b}]}}")
		}},
		{name: "a set of objects with a rule", want: "undefined field 'nothing'", spec: `{type: array, items: {type: object, properties: {a: {type: string}}, x-kubernetes-validations: [{rule: "self.nothing"}]}, x-kubernetes-list-type: set}`},
		{name: "a map of strings with a rule", want: "undefined field 'nothing'", spec: `{type: array, items: {type: object, properties: {k: {type: object, x-kubernetes-validations: [{rule: "self.nothing"}]}}, required: [k]}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k]}`},
		{name: "a map whose key has a rule", want: "undefined field 'nothing'", spec: `{type: array, items: {type: object, properties: {k: {type: string}, b: {type: object, x-kubernetes-validations: [{rule: "self.nothing"}]}}, x-kubernetes-validations: [{rule: "self.none"}]}, x-kubernetes-list-type: map, x-kubernetes-list-map-keys: [k]}`},
		{name: "a set of nullable values with a rule", want: "does not support field selection", spec: `{type: array, items: {type: string, nullable: true, x-kubernetes-validations: [{rule: "self.nothing"}]}, x-kubernetes-list-type: set}`},
		{name: "a default with unknown fields, and elsewhere a rule", want: "must not have unknown fields", spec: `{type: object, properties: {a: {type: object, default: {b: 1}, properties: {c: {type: integer}}}, d: {type: object, x-kubernetes-validations: [{rule: "self.nothing"}]}}}`},
		{name: "names without a limit", want: "estimated rule cost exceeds budget", schema: `
type: object
properties:
  apiVersion: {type: string}
  kind: {type: string}
  metadata: {type: object, properties: {name: {type: string}, generateName: {type: string}}}
x-kubernetes-validations: [{rule: "self.metadata.name.matches('a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+q+r+s+t+u+v+w+x+y+z+(aa|bb|cc|dd|ee|ff|gg)(aa|bb|cc|dd|ee|ff|gg)(aa|bb|cc|dd|ee|ff|gg)(aa|bb|cc|dd|ee|ff|gg)')"}]`},
		{name: "errors below, next to and above rules", want: "x-kubernetes-list-map-keys", spec: `
type: object
properties:
  wrong:
    type: object
    properties:
      list: {type: array, items: {type: object}, x-kubernetes-list-type: map}
    x-kubernetes-validations: [{rule: "self.above"}]
  other: {type: object, x-kubernetes-validations: [{rule: "self.beside"}]}
x-kubernetes-validations: [{rule: "self.top"}]`},
	}
}

func withStatus(_ *testing.T, c *crd) {
	c.Spec.Versions[0].Subresources = &apiextensionsv1.CustomResourceSubresources{Status: &apiextensionsv1.CustomResourceSubresourceStatus{}}
}

// manyRules returns a schema with n rules, each of which costs slightly less than the limit
// per rule, all of them differently.
func manyRules(n int) string {
	var b strings.Builder
	b.WriteString("type: object\nproperties:\n")
	for i := range n {
		fmt.Fprintf(&b, "  a%d: {type: array, maxItems: %d, items: {type: string, maxLength: 2400, x-kubernetes-validations: [{rule: \"self.contains('a')\"}]}}\n", i, 10_000-i)
	}
	return b.String()
}

func TestCreateMatchesServer(t *testing.T) {
	s := newServer()
	for _, version := range []string{DefaultVersion, newest()} {
		target := target(t, version)
		for _, c := range badCases() {
			if target.Before(c.since) {
				continue
			}
			t.Run(version+"/"+c.name, func(t *testing.T) {
				crd := c.crd(t)
				before := crd.DeepCopy()
				want := s.create(t, crd)
				if !strings.Contains(strings.Join(want.errors, "\n"), c.want) {
					t.Errorf("the server does not report %q, but\n%s", c.want, strings.Join(want.errors, "\n"))
				}
				findings, err := target.ValidateCreate(context.Background(), crd)
				if err != nil {
					t.Fatal(err)
				}
				same(t, want, responseOf(findings))
				if !apiequality.Semantic.DeepEqual(before, crd) {
					t.Error("the CRD was changed")
				}
			})
		}
	}
}
