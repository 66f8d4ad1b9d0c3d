// Package docexample completes the examples of the documentation to files, so that tests can
// run them. It knows Go syntax, and what every kind and CRD needs.
package docexample

import (
	"go/parser"
	"go/token"
	"path"
	"strings"

	"golang.org/x/tools/txtar"
)

const (
	imports = `
import (
	corev1 "k8s.io/api/core/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
)
`
	kind = `
type Widget struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `
`
	// schemaComment is the first line of a YAML file that shows only the schema of a CRD, and
	// definition is what comes before that schema.
	schemaComment = "# spec.versions[0].schema.openAPIV3Schema\n"
	definition    = `apiVersion: apiextensions.k8s.io/v1
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
`
)

// SpecComment documents the spec of the kind that is added to an example.
const SpecComment = "\t// spec is what the user asks for.\n"

// Package completes an example to a package in a directory of its name. The example consists
// of fields of a struct, of declarations, or of a file. It adds what is missing: the package
// clause and its markers, the group, imports, and a kind Widget with the fields in its spec.
func Package(source string, markers ...string) []txtar.File {
	if parses("package p\ntype Spec struct {\n" + source + "}\n") {
		source = "type Spec struct {\n" + source + "}\n"
	}
	if !parses(source) && !strings.HasPrefix(source, "package ") {
		source = "package v1\n\n" + source
	}
	parent, rest, _ := strings.Cut("\n"+source, "\npackage ")
	if parent != "" && !strings.HasSuffix(parent, "\n") {
		parent += "\n"
	}
	pkg, body, _ := strings.Cut(rest, "\n")
	for _, marker := range append(markers, "+groupName=example.com") {
		if !strings.Contains(parent, strings.SplitAfter(marker, "=")[0]) {
			parent += "// " + marker + "\n"
		}
	}
	if !strings.Contains(body, "\nimport ") {
		body = imports + body
	}
	files := []txtar.File{{Name: pkg + "/types.go", Data: []byte(strings.TrimLeft(parent, "\n") + "\npackage " + pkg + "\n" + body)}}
	if !strings.Contains(body, "type Widget ") {
		text := "package " + pkg + "\n" + imports + kind
		if strings.Contains(body, "type Spec ") {
			text += SpecComment + "\t// +required\n\tSpec Spec `json:\"spec,omitzero\"`\n"
		}
		files = append(files, txtar.File{Name: pkg + "/kind.go", Data: []byte(text + "}\n")})
	}
	return files
}

// Version returns a version of Widget without fields, and a marker above the type if it is
// not empty.
func Version(name, marker string) txtar.File {
	if marker != "" {
		marker = "\n// " + marker
	}
	return txtar.File{Name: name + "/types.go", Data: []byte("// +groupName=example.com\npackage " + name + "\n" + imports + marker + kind + "}\n")}
}

// Archive parses an example that is a txtar archive. It completes Go files without a package
// clause in their directories, and YAML files that show only the schema of a CRD.
func Archive(text string) *txtar.Archive {
	archive := txtar.Parse([]byte(text))
	var files []txtar.File
	for _, f := range archive.Files {
		schema, isSchema := strings.CutPrefix(string(f.Data), schemaComment)
		switch {
		case isSchema:
			const indent = "\n        "
			f.Data = []byte(definition + indent[1:] + strings.ReplaceAll(strings.TrimSuffix(schema, "\n"), "\n", indent) + "\n")
		case path.Ext(f.Name) == ".go" && !hasPackageClause(string(f.Data)):
			for _, completed := range Package(string(f.Data)) {
				completed.Name = path.Join(path.Dir(f.Name), path.Base(completed.Name))
				files = append(files, completed)
			}
			continue
		}
		files = append(files, f)
	}
	archive.Files = files
	return archive
}

func hasPackageClause(source string) bool { return strings.Contains("\n"+source, "\npackage ") }

func parses(source string) bool {
	_, err := parser.ParseFile(token.NewFileSet(), "", source, 0)
	return err == nil
}
