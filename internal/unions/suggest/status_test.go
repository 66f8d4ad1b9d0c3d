package suggest

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/test/gentest"
)

// statusUnion is a struct that looks like a union.
type statusUnion struct{ doc, fields string }

func statusUnions() []statusUnion {
	const members = "\t// +optional\n\tA *Member `json:\"a,omitempty\"`\n\t// +optional\n\tB *Member `json:\"b,omitempty\"`\n"
	return []statusUnion{
		{"", "\t// Type selects.\n\t// +required\n\tType Type `json:\"type,omitempty\"`\n" + members},
		{"", "\tType Type `json:\"type\"`\n" + members},
		{"", "\t// Type selects.\n\t// +optional\n\tType Type `json:\"type,omitempty\"`\n" + members},
		{"", "\t// +optional\n\tType *Type `json:\"type,omitempty\"`\n" + members},
		{"", "\t// Type selects. Defaults to A.\n\t// +optional\n\tType Type `json:\"type,omitempty\"`\n" + members},
		{"", "\t// +kubebuilder:default=A\n\t// +optional\n\tType Type `json:\"type,omitempty\"`\n" + members},
		{"", "\t// +optional\n\tType OrNone `json:\"type,omitempty\"`\n" + members},
		{"", "\t// +unionDiscriminator\n\t// +optional\n\tType Type `json:\"type,omitempty\"`\n" + members},
		{"", "\t// +k8s:unionDiscriminator\n\t// +kubebuilder:default=A\n\t// +optional\n\tType Type `json:\"type,omitempty\"`\n" + members},
		{"Only one of its members may be specified.", members},
		{"One and only one of the fields must be specified.", members},
	}
}

// statusSource is a package with a struct at a place in the status of a kind or in its spec.
func statusSource(u statusUnion, place string) string {
	var out strings.Builder
	out.WriteString(`// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:subresource:status
type Widget struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	// +optional
	Spec Spec ` + "`json:\"spec,omitzero\"`" + `
	// +optional
	Status *WidgetStatus ` + "`json:\"status,omitempty\"`" + `
}

`)
	const other = "\t// +optional\n\tReady *bool `json:\"ready,omitempty\"`\n"
	declare := func(name, fields string) {
		doc := u.doc
		if !strings.Contains(fields, "json:\"a,") {
			doc = ""
		}
		if doc != "" {
			fmt.Fprintf(&out, "// %s holds a value.\n// %s\n", name, doc)
		}
		fmt.Fprintf(&out, "type %s struct {\n%s}\n\n", name, fields)
	}
	switch place {
	case "status":
		declare("WidgetStatus", u.fields)
		declare("Spec", other)
	case "inline":
		declare("WidgetStatus", "\tCommon `json:\",inline\"`\n"+other)
		declare("Common", u.fields)
		declare("Spec", other)
	case "element":
		declare("WidgetStatus", "\t// +optional\n\tList []Common `json:\"list,omitempty\"`\n"+other)
		declare("Common", u.fields)
		declare("Spec", other)
	default:
		declare("WidgetStatus", other)
		declare("Spec", u.fields)
	}
	out.WriteString(`type Member struct {
	// +optional
	Value *int32 ` + "`json:\"value,omitempty\"`" + `
}

// +kubebuilder:validation:Enum=A;B
type Type string

// +kubebuilder:validation:Enum="";A;B
type OrNone string
`)
	return out.String()
}

// TestSuggestionsKeepStatus writes an empty status, as a controller does that sets the fields of a
// union later: what the server accepts before a suggestion is followed must be accepted after
// it. Structs elsewhere are written as a whole, so every union is suggested there.
func TestSuggestionsKeepStatus(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	var cases []*gentest.Case
	suggested := map[string]int{}
	for i, u := range statusUnions() {
		for _, place := range []string{"status", "inline", "element", "spec"} {
			name := fmt.Sprintf("c%d%s", i, place)
			text := []byte(statusSource(u, place))
			cases = append(cases, &gentest.Case{Name: name, Archive: &txtar.Archive{Files: []txtar.File{{Name: "v1/types.go", Data: text}}}})
		}
	}
	gentest.WriteModule(t, dir, cases)
	for _, c := range cases {
		root := filepath.Join(dir, c.Name)
		before := acceptsEmptyStatus(t, root)
		got := suggestIn(t, root)
		write(t, got, true)
		after := acceptsEmptyStatus(t, root)
		place := strings.TrimLeft(c.Name[1:], "0123456789")
		suggested[place] += len(got)
		if before && !after {
			t.Errorf("%s: the server rejects an empty status after the suggestions %+v of\n%s", c.Name, got, c.Archive.Files[0].Data)
		}
		if len(got) > 0 && !before {
			t.Errorf("%s: got %+v for a status that always needs its discriminator, want nothing: parts of it could not be written either", c.Name, got)
		}
		if len(got) == 0 && (place == "element" || place == "spec") {
			t.Errorf("%s: got no suggestion for\n%s", c.Name, c.Archive.Files[0].Data)
		}
	}
	t.Logf("suggestions by place: %v", suggested)
	if suggested["status"] == 0 || suggested["status"] != suggested["inline"] {
		t.Errorf("got %d suggestions in a status, %d in a struct inlined into it; want as many, and some", suggested["status"], suggested["inline"])
	}
}

// acceptsEmptyStatus reports whether the server accepts an empty status of the kind in a module.
func acceptsEmptyStatus(t *testing.T, dir string) bool {
	t.Helper()
	text, findings := generateIn(t, dir, "")
	var crd apiextensionsv1.CustomResourceDefinition
	if err := yaml.UnmarshalStrict([]byte(text), &crd); err != nil || len(crd.Spec.Versions) == 0 {
		t.Fatal(err, findings)
	}
	kind, err := apiserver.NewKind(&crd, "v1")
	if err != nil {
		t.Fatal(err)
	}
	stored := map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "a", "namespace": "b"}}
	written := map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": stored["metadata"], "status": map[string]any{}}
	answer, err := kind.UpdateStatus(t.Context(), written, stored)
	if err != nil {
		t.Fatal(err)
	}
	return len(answer.Errors) == 0
}
