package definitions

import (
	"cmp"
	"strings"

	"github.com/schemagen/schemagen/diag"
)

// The kinds of diagnostics of this package, in the order of their codes.
var (
	idleComment = &diag.Kind{
		Code: "SG502", Severity: diag.Warning, Title: "an ignore comment has no effect",
		Explanation: "# schemagen:ignore CODE reason suppresses one code on its own and the next line, # schemagen:ignore-file CODE reason in the whole file; in Go, the comments begin with //. The code must exist, a reason must be given, and there must be a finding to suppress.",
		Bad: `
$ schemagen verify crd.yaml
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  # schemagen:ignore SG607 a webhook sets it
  size: {type: integer, maximum: 1}`,
		Good: `
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  size: {type: integer, maximum: 1}`,
	}
	noCRD = &diag.Kind{
		Code: "SG503", Severity: diag.Warning, Title: "no CRD found",
		Explanation: "None of the files contains a CustomResourceDefinition. This is an error for commands that generate something from CRDs, such as docs and jsonschema, and nothing is written.",
		Bad: `
$ schemagen verify .
-- widget.yaml --
apiVersion: example.com/v1
kind: Widget
metadata: {name: a}`,
		Good: `
-- crd.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object`,
	}
	// conflictingDefinitions is reported for definitions that cannot be published together.
	conflictingDefinitions = &diag.Kind{
		Code: "SG801", Title: "two definitions cannot be published together",
		Explanation: "They claim the same kind, list kind or plural in one group version. A server serves the first definition and sets the condition NamesAccepted of the second one to False. For schemagen diff, one side has two definitions of the same name that differ; for schemagen verify, --old has, and their paths do not tell which of them is replaced.",
		Bad: `
$ schemagen openapi crds
-- crds/widgets.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
-- crds/gadgets.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: gadgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object`,
		Good: `
-- crds/gadgets.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: gadgets.example.com}
spec:
  group: example.com
  names: {kind: Gadget, plural: gadgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object`,
	}
	// UnpublishedSchema is reported for a schema that is not published.
	UnpublishedSchema = &diag.Kind{
		Code: "SG802", Severity: diag.Warning, Title: "a schema is not published",
		Explanation: "The API server publishes only structural schemas. For other kinds the documents contain only the name, so kubectl explain shows no fields and client-side validation accepts everything. The message names what is not structural.",
		Bad: `
$ schemagen openapi crds
-- crds/widgets.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  spec:
    properties:
      size: {type: integer}`,
		Good: `
-- crds/widgets.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  spec:
    type: object
    properties:
      size: {type: integer}`,
	}
	// NotInV2 is reported for parts of a schema that OpenAPI v2 cannot express.
	NotInV2 = &diag.Kind{
		Code: "SG803", Severity: diag.Note, Title: "part of a schema is missing in OpenAPI v2",
		Explanation: "OpenAPI v2 supports neither logical junctors nor nullable, kubectl cannot read some other keywords, and kube-apiserver removes defaults. The OpenAPI v3 document is complete.",
		Bad: `
$ schemagen openapi crds --lost
-- crds/widgets.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  size: {type: integer, nullable: true}`,
		Good: `
-- crds/widgets.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  size: {type: integer}`,
	}
	// unnamedDefinition is reported for a definition without a name to publish it under.
	unnamedDefinition = &diag.Kind{
		Code: "SG804", Title: "a definition has no name to publish it under",
		Explanation: "Group, version, kind and plural are parts of paths and of definition names. The API server rejects a CRD in which one of them is missing or not a DNS name.",
		Bad: `
$ schemagen openapi crds
-- crds/widgets.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example/com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object`,
		Good: `
-- crds/widgets.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object`,
	}
	// UnpublishedUnions is reported for x-kubernetes-unions that is invalid or not
	// published.
	UnpublishedUnions = &diag.Kind{
		Code: "SG805", Severity: diag.Warning, Title: "x-kubernetes-unions is invalid or not published",
		Explanation: "It is an object with fieldMembers on a discriminator (KEP-1027), or a list of unions on an object (the structural-schema KEP). A value that has neither form, is inside a logical junctor or is empty, and a union without a discriminator, are not published, with a warning. A value that contradicts the schema or itself is an error: a discriminator that is not a property of type string, a member that is not a property of the same object, a value that is not in the discriminator's enum, two members for one value or two values for one member, or two different definitions of the same union.",
		Bad: `
$ schemagen openapi crds
-- crds/widgets.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  type:
    type: string
    enum: [Text]
    x-kubernetes-unions: {Text: text}
  text: {type: string}`,
		Good: `
-- crds/widgets.yaml --
# spec.versions[0].schema.openAPIV3Schema
type: object
properties:
  type:
    type: string
    enum: [Text]
    x-kubernetes-unions: {fieldMembers: {Text: {name: text}}}
  text: {type: string}`,
	}
	// UnusedWaiver is reported for a comment or marker that allows no change.
	UnusedWaiver = &diag.Kind{
		Code: "SG816", Severity: diag.Warning, Title: "a comment allows no change",
		Explanation: "The change that it allows was not made, or was released long ago. It is an error if the kind of change does not exist or no reason is given.",
		Bad: `
$ schemagen diff ./old ./new
-- old/types.go --
// +kubebuilder:validation:MaxLength=63
Name string ´json:"name"´
-- new/types.go --
// +schemagen:allowChange:kind=maxLength-lowered,reason="names have at most 10 characters"
// +kubebuilder:validation:MaxLength=63
Name string ´json:"name"´`,
		Good: `
-- new/types.go --
// +kubebuilder:validation:MaxLength=63
Name string ´json:"name"´`,
	}
)

// NoCRDIn reports that there is no definition in names, which are the default unless the user
// has given them.
func NoCRDIn(names []string, given bool) diag.Diagnostic {
	hint := "name files or directories with CRDs, or Go packages such as ./api/..."
	if !given {
		hint = "run schemagen crd first, or " + hint + "; the default is outputs.crd in schemagen.yaml, config/crd/bases, config/crd, or else the working directory"
	}
	return noCRD.At(diag.Position{}, hint, "no CRD found in %s", cmp.Or(strings.Join(names, ", "), "."))
}

// Codes returns the kinds of diagnostics that the package reports.
func Codes() []*diag.Kind {
	return []*diag.Kind{idleComment, noCRD, conflictingDefinitions, UnpublishedSchema, NotInV2, unnamedDefinition,
		UnpublishedUnions, UnusedWaiver}
}
