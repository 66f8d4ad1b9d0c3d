package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// An extent is the size of a generated project in each dimension.
type extent struct {
	properties, depth, kinds, rules, versions, enum, comment int
}

// smallExtent is the size in the dimensions that do not grow.
var smallExtent = extent{properties: 8, depth: 2, kinds: 1, rules: 1, versions: 2, enum: 3, comment: 2}

// A dimension is one in which inputs grow.
type dimension struct {
	name string
	// n is the size of the smaller input. The larger one has four times as many.
	n   int
	set func(e *extent, n int)
	// small is the number that the small input has.
	small int
}

// growth returns how many times as much CPU four times the input needs, if both are given without the CPU
// of the small input.
func (d dimension) growth(first, second time.Duration) float64 {
	linear := float64(4*d.n-d.small) / float64(d.n-d.small)
	return second.Seconds() / first.Seconds() * 4 / linear
}

var dimensions = []dimension{
	{"properties", 1000, func(e *extent, n int) { e.properties = n }, smallExtent.properties},
	{"depth", 60, func(e *extent, n int) { e.depth = n }, smallExtent.depth},
	{"kinds", 20, func(e *extent, n int) { e.kinds = n }, smallExtent.kinds},
	{"rules", 100, func(e *extent, n int) { e.rules = n }, smallExtent.rules},
	{"versions", 16, func(e *extent, n int) { e.versions = n }, smallExtent.versions},
	{"enum", 1000, func(e *extent, n int) { e.enum = n }, smallExtent.enum},
	{"comment", 4000, func(e *extent, n int) { e.comment = n }, smallExtent.comment},
}

// boundsGroup is the source shared by the kinds of a version.
const boundsGroup = `// Package v%d is a version of a generated API group.
//
// +groupName=example.com
// +schemagen:enable=enum
// +schemagen:unions=cel
// +kubebuilder:object:generate=true
// +kubebuilder:ac:generate=true
// +kubebuilder:rbac:groups=example.com,resources=widget0s,verbs=get;list
// +kubebuilder:webhook:path=/w,mutating=false,failurePolicy=fail,groups=example.com,resources=widget0s,verbs=create,versions=v1,name=w.example.com,sideEffects=None,admissionReviewVersions=v1
package v%[1]d

`

// boundsKind is a kind; VERB is the verb of its storage version.
const boundsKind = `
// %[1]s is a generated kind.
//
// +kubebuilder:object:root=true%[2]s
type %[1]s struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Spec %[1]sSpec ` + "`json:\"spec\"`" + `
}
`

// source returns the Go source of a version. Every restriction differs between the changed
// and the unchanged source.
func (e extent) source(version int, changed bool) []byte {
	var text bytes.Buffer
	fmt.Fprintf(&text, boundsGroup, version)
	fmt.Fprint(&text, "import metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n")
	edition := 1
	if changed {
		edition = 2
	}
	fmt.Fprint(&text, "// Choice is a string with values.\n//\n// +enum\ntype Choice string\n\nconst (\n")
	for i := range e.enum {
		fmt.Fprintf(&text, "\tChoice%d Choice = \"choice%d-%d\"\n", i, i, edition)
	}
	fmt.Fprint(&text, ")\n\n// Union has two members.\n//\n// +union\ntype Union struct {\n\t// +unionDiscriminator\n\t// +kubebuilder:validation:Enum=A;B\n\tType string `json:\"type\"`\n\n")
	fmt.Fprint(&text, "\t// +unionMember\n\t// +optional\n\tA *int32 `json:\"a,omitempty\"`\n\n\t// +unionMember\n\t// +optional\n\tB *int32 `json:\"b,omitempty\"`\n}\n")
	fmt.Fprint(&text, "\n// Ruled has rules.\n//\n")
	for i := range e.rules {
		fmt.Fprintf(&text, "// +kubebuilder:validation:XValidation:rule=\"!has(self.number) || self.number != %d\",message=\"number is %[1]d\"\n", 10*i+edition)
	}
	fmt.Fprint(&text, "type Ruled struct {\n\t// +optional\n\tNumber int32 `json:\"number,omitempty\"`\n}\n")
	for i := range e.depth {
		fmt.Fprintf(&text, "\n// Level%d is below others.\ntype Level%[1]d struct {\n\t// +kubebuilder:validation:MaxLength=%d\n\t// +optional\n\tText string `json:\"text,omitempty\"`\n", i, 100-edition)
		if i+1 < e.depth {
			fmt.Fprintf(&text, "\t// +optional\n\tNext *Level%d `json:\"next,omitempty\"`\n", i+1)
		}
		fmt.Fprint(&text, "}\n")
	}
	for k := range e.kinds {
		kind := fmt.Sprintf("Widget%d", k)
		storage := ""
		if version == 1 {
			storage = "\n// +kubebuilder:storageversion"
		}
		fmt.Fprintf(&text, boundsKind, kind, storage)
		fmt.Fprintf(&text, "\n// %sSpec is the desired state.\ntype %[1]sSpec struct {\n", kind)
		fmt.Fprint(&text, "\t// Choice is one of the values.\n")
		for i := range e.comment {
			fmt.Fprintf(&text, "\t// Line %d of edition %d is a sentence about the value, and how it is used.\n", i, edition)
		}
		fmt.Fprint(&text, "\t// +optional\n\tChoice Choice `json:\"choice,omitempty\"`\n\t// +optional\n\tUnion *Union `json:\"union,omitempty\"`\n")
		fmt.Fprint(&text, "\t// +optional\n\tRuled *Ruled `json:\"ruled,omitempty\"`\n\t// +optional\n\tDeep *Level0 `json:\"deep,omitempty\"`\n")
		for i := range e.properties {
			fmt.Fprintf(&text, "\t// Field%d is a field.\n", i)
			if i%8 == 7 {
				fmt.Fprint(&text, "\t// +schemagen:when(Burst)\n")
			}
			fmt.Fprintf(&text, "\t// +kubebuilder:validation:MaxLength=%d\n\t// +optional\n\tField%d string `json:\"field%[2]d,omitempty\"`\n", 100-edition, i)
		}
		fmt.Fprint(&text, "}\n")
	}
	return text.Bytes()
}

// files returns the Go files of all versions.
func (e extent) files(changed bool) (files []sourceFile) {
	for version := range e.versions {
		files = append(files, sourceFile{fmt.Sprintf("api/v%d/types.go", version+1), e.source(version+1, changed)})
	}
	return files
}

// object returns an object of the first kind that sets what the dimensions multiply.
func (e extent) object() []byte {
	var text bytes.Buffer
	fmt.Fprint(&text, "apiVersion: example.com/v1\nkind: Widget0\nmetadata:\n  name: w\n  namespace: default\nspec:\n  ruled:\n    number: 5\n")
	for i := range e.properties {
		fmt.Fprintf(&text, "  field%d: text\n", i)
	}
	indent := "  "
	fmt.Fprint(&text, indent+"deep:\n")
	for i := range e.depth {
		indent += "  "
		fmt.Fprint(&text, indent+"text: x\n")
		if i+1 < e.depth {
			fmt.Fprint(&text, indent+"next:\n")
		}
	}
	return text.Bytes()
}

// write writes the project into a directory. The definitions are those that the program generates.
func (e extent) write(ctx context.Context, w workspace, product, dir string, changed bool) error {
	mod, err := os.ReadFile(filepath.Join(w.bench, "apis", "go.mod"))
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(w.bench, "apis", "go.sum"))
	if err != nil {
		return err
	}
	files := map[string][]byte{"go.mod": mod, "go.sum": sum, "object.yaml": e.object()}
	suite := fmt.Sprintf("name: generated\ncrdName: widget0s.example.com\nversion: v1\ntests:\n  onCreate:\n  - name: created\n    initial: |\n      %s", strings.ReplaceAll(string(e.object()), "\n", "\n      "))
	files["widget.testsuite.yaml"] = []byte(suite)
	for _, f := range e.files(changed) {
		files[f.name] = f.content
	}
	for name, content := range files {
		name = filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(name, content, 0o666); err != nil {
			return err
		}
	}
	_, printed, err := execute(ctx, dir, product, []string{"crd", "./api/...", "-o", "crds", "--skip-verify", "--no-cache"})
	if err != nil {
		return fmt.Errorf("%w\n%s", err, printed)
	}
	return nil
}
