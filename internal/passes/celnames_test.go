package passes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/celtext"
)

// TestNamesInRules gives the markers that become rules about fields names of every kind: those
// that CEL reads as they are, those that it reads escaped, reserved words, and those that it
// cannot read. What is generated must be accepted by the server of each version, and its rules
// must count the fields that are set. The rules are controller-gen's where those compile.
func TestNamesInRules(t *testing.T) {
	reserved := strings.Fields("true false null in as break const continue else for function if import let loop package namespace return var void while")
	names := append([]string{"plain", "a-b", "a/b", "a__b", "__", "_"}, reserved...)
	for _, version := range []string{"1.25", "1.31", "1.32", ""} {
		var source strings.Builder
		source.WriteString(namesHeader)
		for i := range names {
			for _, m := range oneOfMarkers() {
				fmt.Fprintf(&source, "\t%[1]s%[3]d %[1]s%[3]d `json:\"%[2]s%[3]d,omitempty\"`\n", m.name, strings.ToLower(m.name), i)
			}
		}
		source.WriteString("}\n")
		for i, name := range names {
			for _, m := range oneOfMarkers() {
				immutable := ""
				if m.name == "AtMostOneOf" {
					immutable = "\t// +k8s:immutable\n"
				}
				fmt.Fprintf(&source, "\n// +kubebuilder:validation:%s={\"%s\",\"other\"}\ntype %s%d struct {\n%s\tA *int32 `json:\"%s,omitempty\"`\n\tB *int32 `json:\"other,omitempty\"`\n}\n",
					m.name, name, m.name, i, immutable, name)
			}
		}
		files, found := generateSource(t, source.String(), version)
		crd := decodeDefinition(t, files, found)
		kind, err := apiserver.NewKind(crd, "v1")
		if err != nil {
			t.Fatal(err)
		}
		create := func(spec map[string]any) bool {
			answer, err := kind.Create(t.Context(), namedObject(spec))
			if err != nil {
				t.Fatal(err)
			}
			return len(answer.Errors) == 0
		}
		update := func(spec, old map[string]any) bool {
			answer, err := kind.Update(t.Context(), namedObject(spec), namedObject(old))
			if err != nil {
				t.Fatal(err)
			}
			return len(answer.Errors) == 0
		}
		spec := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties
		objects := 0
		for i, name := range names {
			for _, m := range oneOfMarkers() {
				field := fmt.Sprintf("%s%d", strings.ToLower(m.name), i)
				for set := range 4 {
					value := map[string]any{}
					if set&1 != 0 {
						value[name] = int64(1)
					}
					if set&2 != 0 {
						value["other"] = int64(1)
					}
					objects++
					if got, want := create(map[string]any{field: value}), m.allows(len(value)); got != want {
						t.Errorf("%s: %s of %s: got accepted %t for %v, want %t", version, m.name, name, got, value, want)
					}
				}
				// controller-gen writes the name as it is, which servers since Kubernetes 1.32 read.
				escaped, _ := celtext.Name(name)
				isWord := escaped == "__"+name+"__" && !strings.Contains("true false null in", name)
				if isWord && (version == "" || version >= "1.32") {
					escaped = name
				}
				if text := spec[field].XValidations[0].Rule; !strings.Contains(text, "has(self."+escaped+")") {
					t.Errorf("%s: got rule %s, want it to read self.%s", version, text, escaped)
				}
			}
			field := fmt.Sprintf("atmostoneof%d", i)
			was := map[string]any{field: map[string]any{name: int64(1)}}
			for _, value := range []map[string]any{{name: int64(2)}, {}, {name: int64(1)}} {
				if got, want := update(map[string]any{field: value}, was), value[name] == int64(1); got != want {
					t.Errorf("%s: immutable %s: got accepted %t for the update to %v, want %t", version, name, got, value, want)
				}
			}
		}
		t.Logf("Kubernetes %q: %d names, %d objects", version, len(names), objects)
	}
}

// TestUnreadableNames checks that names that no rule can read are errors at the marker, and
// nothing is generated.
func TestUnreadableNames(t *testing.T) {
	for _, name := range []string{"ä", "1a", "a$b", "a:b", "日本"} {
		for _, m := range oneOfMarkers() {
			source := namesHeader + fmt.Sprintf("\tSpec Spec `json:\"spec\"`\n}\n\n// +kubebuilder:validation:%s={\"%s\",\"other\"}\ntype Spec struct {\n\tA *int32 `json:\"%[2]s,omitempty\"`\n\tB *int32 `json:\"other,omitempty\"`\n}\n", m.name, name)
			refusesName(t, source, name, report.InvalidOneOf.Code, strings.Count(source[:strings.Index(source, "+kubebuilder:validation")], "\n")+1)
		}
		source := namesHeader + fmt.Sprintf("\tSpec Spec `json:\"spec\"`\n}\n\ntype Spec struct {\n\t// +k8s:immutable\n\tA *int32 `json:\"%s,omitempty\"`\n}\n", name)
		refusesName(t, source, name, report.MarkerDoesNotFit.Code, strings.Count(source[:strings.Index(source, "+k8s:immutable")], "\n")+1)
	}
}

func refusesName(t *testing.T, source, name string, code diag.Code, line int) {
	t.Helper()
	files, found := generateSource(t, source, "")
	if len(files) != 0 || len(found) != 1 || found[0].Code != code || found[0].Pos.Line != line || !strings.Contains(found[0].Message, "rules cannot read the field "+name) {
		t.Errorf("%s: got %d files, findings %v; want %s in line %d", name, len(files), found, code, line)
	}
}

// oneOfMarker is a marker that counts the fields that are set.
type oneOfMarker struct {
	name   string
	allows func(set int) bool
}

func oneOfMarkers() []oneOfMarker {
	return []oneOfMarker{
		{"ExactlyOneOf", func(set int) bool { return set == 1 }},
		{"AtMostOneOf", func(set int) bool { return set <= 1 }},
		{"AtLeastOneOf", func(set int) bool { return set >= 1 }},
	}
}

const namesHeader = `// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

`

// namedObject returns a Widget with fields beside its metadata.
func namedObject(fields map[string]any) map[string]any {
	object := map[string]any{"apiVersion": "example.com/v1", "kind": "Widget", "metadata": map[string]any{"name": "a", "namespace": "b"}}
	for name, value := range fields {
		object[name] = value
	}
	return object
}
