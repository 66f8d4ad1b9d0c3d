package passes_test

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// TestLostMetadata declares metadata wherever a field can have it, with every marker that
// keeps it or does not. It compares the warnings with what the server's code keeps of an
// object that has labels in all of these fields.
func TestLostMetadata(t *testing.T) {
	meta := map[string]any{"labels": map[string]any{"a": "b"}}
	in := func(name string) map[string]any { return map[string]any{name: meta} }
	types := []struct {
		goType string
		value  any
	}{
		{"metav1.ObjectMeta", meta},
		{"*metav1.ObjectMeta", meta},
		{"[]metav1.ObjectMeta", []any{meta}},
		{"[][]metav1.ObjectMeta", []any{[]any{meta}}},
		{"map[string]metav1.ObjectMeta", in("k")},
		{"map[string][]*metav1.ObjectMeta", map[string]any{"k": []any{meta}}},
		{"Meta", meta},
		{"MetaAlias", meta},
		{"MetaList", []any{meta}},
		{"Inlined", meta},
		{"*Holder", map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": meta}},
		{"[]Holder", []any{map[string]any{"apiVersion": "v1", "kind": "Pod", "metadata": meta}}},
		{"Deep", map[string]any{"holders": []any{in("metadata")}}},
		{"corev1.PodTemplateSpec", in("metadata")},
		{"corev1.PersistentVolumeClaim", in("metadata")},
		{"metav1.PartialObjectMetadata", in("metadata")},
		{"Other", in("metadata")},
		{"struct { Meta metav1.ObjectMeta `json:\"meta\"` }", in("meta")},
	}
	markers := []string{"",
		"// +kubebuilder:pruning:PreserveUnknownFields",
		"// +kubebuilder:validation:XPreserveUnknownFields",
		"// +kubebuilder:validation:EmbeddedResource",
		"// +kubebuilder:validation:XEmbeddedResource",
		"// +schemagen:schema={type: object, x-kubernetes-preserve-unknown-fields: true}",
		"// +schemagen:at([*])=+kubebuilder:pruning:PreserveUnknownFields",
		"// +schemagen:at(.metadata)=+kubebuilder:pruning:PreserveUnknownFields",
	}
	for _, embedded := range []bool{false, true} {
		values, lost := map[string]any{}, 0
		var src strings.Builder
		src.WriteString(`// +groupName=example.com
package v1

import (
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

type Meta metav1.ObjectMeta

type MetaAlias = metav1.ObjectMeta

type MetaList []metav1.ObjectMeta

type Inlined struct {
	metav1.ObjectMeta ` + "`json:\",inline\"`" + `
	More *string ` + "`json:\"more,omitempty\"`" + `
}

type Holder struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	Metadata metav1.ObjectMeta ` + "`json:\"metadata\"`" + `
}

type Deep struct {
	Holders []Holder ` + "`json:\"holders\"`" + `
}

type Other struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `
}
`)
		var kinds []string
		for i, typ := range types {
			for j, marker := range markers {
				switch { // combinations that are errors
				case strings.Contains(marker, "EmbeddedResource") && (strings.HasPrefix(typ.goType, "[]") || strings.HasPrefix(typ.goType, "map") || typ.goType == "MetaList"),
					strings.Contains(marker, "EmbeddedResource") && !strings.Contains(typ.goType, "Holder") && typ.goType != "Other",
					strings.Contains(marker, "at([*])") && !strings.HasPrefix(typ.goType, "[]") && typ.goType != "MetaList",
					strings.Contains(marker, "at(.metadata)") && typ.goType != "*Holder" && typ.goType != "Other" && !strings.Contains(typ.goType, "1.P"),
					strings.Contains(marker, "type: object") && strings.HasPrefix(typ.goType, "[]"):
					continue
				}
				// Each has its own kind, since a position is reported once per definition.
				kind := fmt.Sprintf("K%dx%d", i, j)
				kinds = append(kinds, kind)
				fmt.Fprintf(&src, "\ntype %s struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n", kind)
				if marker != "" {
					src.WriteString("\t" + marker + "\n")
				}
				values[kind] = typ.value
				fmt.Fprintf(&src, "\tField %s `json:\"field\"`\n}\n", typ.goType)
			}
		}
		dir := t.TempDir()
		if err := typedmodule.Requirements(dir); err != nil {
			t.Fatal(err)
		}
		file := filepath.Join(dir, "types.go")
		if err := os.WriteFile(file, []byte(src.String()), 0o666); err != nil {
			t.Fatal(err)
		}
		for _, kind := range kinds {
			files, findings, err := generateFiles(t.Context(), define.Options{Passes: passes.All(), Source: define.Source{Dir: dir, Patterns: []string{"."}}, Output: define.Output{EmbeddedObjectMeta: embedded, Kinds: []string{kind}}, SkipVerify: true})
			if err != nil || findings.HasErrors() || len(files) != 1 {
				t.Fatal(kind, err, findings)
			}
			var crd apiextensionsv1.CustomResourceDefinition
			if err := yaml.Unmarshal(files[0].Data, &crd); err != nil {
				t.Fatal(err)
			}
			server, err := apiserver.NewKind(&crd, "v1")
			if err != nil {
				t.Fatal(kind, err)
			}
			answer, err := server.Create(t.Context(), map[string]any{
				"apiVersion": "example.com/v1", "kind": kind, "metadata": map[string]any{"name": "x"}, "field": values[kind],
			})
			if err != nil {
				t.Fatal(kind, err)
			}
			isLost := false
			for _, path := range answer.Pruned {
				isLost = isLost || strings.HasSuffix(path.String(), "labels")
			}
			if isLost {
				lost++
			}
			warned := slices.ContainsFunc(findings, func(d diag.Diagnostic) bool { return d.Code == report.MetadataLost.Code && d.Pos.File == file })
			if isLost != warned {
				t.Errorf("%s: lost %v, but warned %v: %v", sourceOf(src.String(), kind), isLost, warned, findings)
			}
		}
		if (lost > 0) == embedded || lost == len(kinds) {
			t.Errorf("unexpectedly %d of %d lose metadata", lost, len(kinds))
		}
		t.Logf("%d of %d lose metadata", lost, len(kinds))
	}
}

func sourceOf(src, kind string) string {
	_, rest, _ := strings.Cut(src, "type "+kind+" struct {")
	text, _, _ := strings.Cut(rest, "\n}")
	return text
}
