package deepcopy_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/companions/deepcopy"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// kindShapes are bodies of a struct, of which some are those of a kind.
var kindShapes = []struct {
	name, body string
	isKind     bool
}{
	{"kind", "metav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`", true},
	{"kind with a spec", "metav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\tNames []string `json:\"names\"`", true},
	{"kind with a dot import", "TypeMeta `json:\",inline\"`\n\tObjectMeta `json:\"metadata,omitempty\"`", true},
	{"list", "metav1.TypeMeta `json:\",inline\"`\n\tmetav1.ListMeta `json:\"metadata,omitempty\"`\n\tItems []First `json:\"items\"`", false},
	{"no metadata", "metav1.TypeMeta `json:\",inline\"`", false},
	{"no type", "metav1.ObjectMeta `json:\"metadata,omitempty\"`", false},
	{"named fields", "Type metav1.TypeMeta `json:\"type\"`\n\tMeta metav1.ObjectMeta `json:\"metadata,omitempty\"`", false},
	{"own types", "OwnTypeMeta `json:\",inline\"`\n\tOwnObjectMeta `json:\"metadata,omitempty\"`", false},
}

// kindMarkers are markers of a type. They are silent if they do not decide whether it is an object.
var kindMarkers = []struct {
	text   string
	silent bool
}{
	{"//", true},
	{"// +kubebuilder:object:generate=true", true},
	{"// +kubebuilder:resource:path=things", true},
	{"// +kubebuilder:object:root=true", false},
	{"// +kubebuilder:object:root=false", false},
	{"// +kubebuilder:object:generate=false", false},
	{"// +k8s:deepcopy-gen=false", false},
	{"// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object", false},
}

// kindNeighbors are other declarations of the package.
var kindNeighbors = []struct {
	name, text string
	// hasObjects is set if others are objects, and isUsed if the struct is not a kind of its own.
	hasObjects, isUsed bool
}{
	{"an object", "// +kubebuilder:object:root=true\ntype First struct {\n\tmetav1.TypeMeta\n}", true, false},
	{"an object of code-generator", "// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object\ntype First struct {\n\tmetav1.TypeMeta\n}", true, false},
	{"no object", "// +kubebuilder:object:generate=true\ntype First struct{ P *int }", false, false},
	{"a list of it", "// +kubebuilder:object:root=true\ntype First struct {\n\tmetav1.TypeMeta\n\tItems []Thing\n}", true, false},
	{"a field of its type", "// +kubebuilder:object:root=true\ntype First struct {\n\tmetav1.TypeMeta\n\tTemplate *Thing\n}", true, true},
	{"a struct that embeds it", "// +kubebuilder:object:root=true\ntype First struct {\n\tThing\n}", true, true},
	{"a method by hand", "// +kubebuilder:object:root=true\ntype First struct {\n\tmetav1.TypeMeta\n}\n\nfunc (t *Thing) DeepCopyObject() runtime.Object { return nil }", true, true},
}

// TestUnmarkedKinds expects SG281 for each kind that gets no DeepCopyObject although others of its package get one, and
// that is not used as a part of them.
func TestUnmarkedKinds(t *testing.T) {
	const source = "package v1\n\nimport (\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\t. \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\t\"k8s.io/apimachinery/pkg/runtime\"\n)\n\n" +
		"type OwnTypeMeta struct{ Status }\ntype OwnObjectMeta struct{}\n\nvar _ metav1.Time\nvar _ runtime.Object\n\n%s\n\n%s\ntype Thing struct {\n\t%s\n}\n"
	var cases []*gentest.Case
	wanted := map[string]bool{}
	for _, shape := range kindShapes {
		for _, m := range kindMarkers {
			for _, neighbor := range kindNeighbors {
				if shape.name == "list" && strings.Contains(neighbor.text, "Thing") {
					continue // they would contain each other
				}
				c := &gentest.Case{Name: fmt.Sprintf("kind%d", len(cases)), Archive: &txtar.Archive{Files: []txtar.File{
					{Name: "v1/types.go", Data: fmt.Appendf(nil, source, neighbor.text, m.text, shape.body)},
				}}}
				cases = append(cases, c)
				wanted[c.Name] = shape.isKind && m.silent && neighbor.hasObjects && !neighbor.isUsed
			}
		}
	}
	dir, listed := gentest.List(t, cases)
	reported := 0
	for _, c := range cases {
		packages, err := gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + c.Name}.List(t.Context(), filepath.Join(dir, c.Name), nil)
		if err != nil {
			t.Fatal(err)
		}
		files, findings, err := generate(t, packages, deepcopy.Options{})
		if err != nil {
			t.Fatal(err)
		}
		i := slices.IndexFunc(findings, func(d diag.Diagnostic) bool { return d.Code == "SG281" })
		if (i >= 0) != wanted[c.Name] {
			t.Errorf("%s\ngot %v, want a finding: %t", c.Archive.Files[0].Data, findings, wanted[c.Name])
			continue
		}
		if i < 0 {
			continue
		}
		reported++
		if !findings.HasErrors() && (len(files) != 1 || !strings.Contains(string(files[0].Data), "func (in *First) DeepCopyInto")) {
			t.Errorf("%s\nno file beside the warning", c.Archive.Files[0].Data)
		}
		line := strings.Split(string(c.Archive.Files[0].Data), "\n")[findings[i].Pos.Line-1]
		if !strings.HasPrefix(line[findings[i].Pos.Column-1:], "Thing struct") || findings[i].Hint == "" {
			t.Errorf("reported at %q: %v", line, findings[i])
		}
	}
	t.Logf("%d packages, %d reported", len(cases), reported)
}
