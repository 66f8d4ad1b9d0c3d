package explain

import (
	"go/token"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/publish"
	"github.com/schemagen/schemagen/structural/manifest"
)

// read returns the resources of the CRDs in a text.
func read(t testing.TB, text string) []*publish.Resource {
	t.Helper()
	resources, problems := tolerant(text)
	for _, p := range problems {
		if p.Kind != manifest.UnknownField {
			t.Fatal(p.Message)
		}
	}
	return resources
}

// tolerant is [read] of a text with problems, which it returns.
func tolerant(text string) ([]*publish.Resource, []manifest.Problem) {
	manifests, problems := manifest.Read(token.NewFileSet(), "crd.yaml", []byte(text))
	var out []*publish.Resource
	for _, m := range manifests {
		if m.CRD == nil {
			continue
		}
		out = append(out, publish.Resources(m.CRD, m.Schemas, m.Unsupported)...)
	}
	return out, problems
}

// definition returns a CRD with one version and a schema for its spec.
func definition(group, kind, version, spec string) string {
	lower := strings.ToLower(kind)
	text := `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: ` + lower + `s.` + group + `}
spec:
  group: ` + group + `
  names: {kind: ` + kind + `, plural: ` + lower + `s}
  scope: Namespaced
  versions:
  - name: ` + version + `
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
`
	for line := range strings.Lines(strings.TrimLeft(spec, "\n")) {
		text += "            " + line
	}
	return text + "\n"
}

const shapeSpec = `
type: object
required: [type]
properties:
  type: {type: string, enum: [Circle, Square, None]}
  circle: {type: object}
  square: {type: object}
x-kubernetes-validations:
- {rule: "!(self.type == 'Circle') || has(self.circle)", fieldPath: .circle}
- {rule: "!has(self.circle) || (self.type == 'Circle')", fieldPath: .circle}
- {rule: "!has(self.square) || (self.type == 'Square')", fieldPath: .square}`
