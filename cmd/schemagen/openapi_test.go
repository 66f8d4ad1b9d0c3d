package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/publish"
)

// manyDefinitions writes definitions of a given size, ten in each group, and returns the
// directory.
func manyDefinitions(tb testing.TB, count, size int) string {
	tb.Helper()
	dir := tb.TempDir()
	for i := range count {
		if err := os.WriteFile(filepath.Join(dir, fmt.Sprintf("%03d.yaml", i)), []byte(manyDefinition(i, size, "")), 0o666); err != nil {
			tb.Fatal(err)
		}
	}
	return dir
}

// manyDefinition returns a definition with as many parts as the size needs, each with
// realistic content: text, limits, a union with rules, a list of numbers or strings.
func manyDefinition(i, size int, word string) string {
	const head = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata:
  name: kind%[1]ds.group%[2]d.example.com
spec:
  group: group%[2]d.example.com
  names:
    kind: Kind%[1]d
    listKind: Kind%[1]dList
    plural: kind%[1]ds
    singular: kind%[1]d
  scope: Namespaced
  versions:
  - name: v1
    schema:
      openAPIV3Schema:
        description: Kind%[1]d is one of many.%[3]s
        properties:
          spec:
            properties:
`
	const part = `              part%[1]d:
                description: Part%[1]d says how this is done, in a sentence as people write them.
                properties:
                  image:
                    description: Image is a picture.
                    properties:
                      url:
                        description: URL of the picture.
                        type: string
                    required:
                    - url
                    type: object
                  labels:
                    additionalProperties:
                      type: string
                    type: object
                  name:
                    default: name-%[1]d
                    description: Name of what is meant, unique among its neighbours.
                    maxLength: 63
                    pattern: ^[a-z]([-a-z0-9]*[a-z0-9])?$
                    type: string
                  ports:
                    items:
                      anyOf:
                      - type: integer
                      - type: string
                      x-kubernetes-int-or-string: true
                    type: array
                  solid:
                    description: Solid is a colour.
                    properties:
                      color:
                        type: string
                    type: object
                  type:
                    description: Type selects one of the members.
                    enum:
                    - Image
                    - Solid
                    type: string
                required:
                - type
                type: object
                x-kubernetes-validations:
                - fieldPath: .image
                  message: must be specified when ` + "`type`" + ` is "Image"
                  reason: FieldValueRequired
                  rule: '!(self.type == ''Image'') || has(self.image)'
                - fieldPath: .image
                  message: may only be specified when ` + "`type`" + ` is "Image"
                  reason: FieldValueForbidden
                  rule: '!has(self.image) || (self.type == ''Image'')'
`
	const tail = `            type: object
        type: object
    served: true
    storage: true
    subresources:
      status: {}
`
	var b strings.Builder
	fmt.Fprintf(&b, head, i, i/10, word)
	for n := 0; b.Len() < size; n++ {
		fmt.Fprintf(&b, part, n)
	}
	b.WriteString(tail)
	return b.String()
}

// BenchmarkOpenAPI generates all documents for 200 definitions of 100 KB from files. The
// limit is 2 s and 400 MB.
func BenchmarkOpenAPI(b *testing.B) {
	dir := manyDefinitions(b, 200, 100_000)
	out := b.TempDir()
	for b.Loop() {
		var stderr strings.Builder
		if code := run(b.Context(), []string{"openapi", dir, "-o", out}, &stderr, &stderr); code != 0 {
			b.Fatal(stderr.String())
		}
	}
}

// BenchmarkOpenAPIOneChanged changes one of those definitions and renders the documents
// again, like --serve. The limit is a tenth of the time for all.
func BenchmarkOpenAPIOneChanged(b *testing.B) {
	dir := manyDefinitions(b, 200, 100_000)
	r := openAPIRun{Reporter: reporting.Reporter{Format: "text", Console: newTestConsole()}, cache: &definitions.Cache{}}
	publisher, err := publish.NewPublisher(publish.Options{})
	if err != nil {
		b.Fatal(err)
	}
	load := func() {
		published, err := r.read(b.Context(), []string{dir}, nil, io.Discard)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := definitions.Handler(publisher, published); err != nil {
			b.Fatal(err)
		}
	}
	load()
	for i := 0; b.Loop(); i++ {
		if err := os.WriteFile(filepath.Join(dir, "007.yaml"), []byte(manyDefinition(7, 100_000, fmt.Sprint(" Change ", i))), 0o666); err != nil {
			b.Fatal(err)
		}
		load()
	}
}
