package passes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/define/report"
)

// TestDefaultedMembers gives one or both members of the one-of markers a default, in each way
// that a default can be declared. Whether a member is reported follows from the server's answers:
// another member can never be set or, of AtLeastOneOf, nothing is ever missing.
func TestDefaultedMembers(t *testing.T) {
	members := []struct{ markers, goType string }{
		{"", "*int32"},
		{"\t// +default=1\n", "*int32"},
		{"\t// +kubebuilder:default=1\n", "*int32"},
		{"\t// +schemagen:schema={type: integer, default: 1}\n", "*int32"},
		{"\t// +kubebuilder:default=1\n\t// +nullable\n", "*int32"},
		{"\t// +kubebuilder:default={}\n", "*Empty"},
	}
	var source strings.Builder
	source.WriteString(namesHeader)
	cells := 0
	each := func(f func(m oneOfMarker, a, b, cell int)) {
		cells = 0
		for _, m := range oneOfMarkers() {
			for a := range members {
				for b := range members {
					f(m, a, b, cells)
					cells++
				}
			}
		}
	}
	each(func(_ oneOfMarker, _, _, cell int) {
		fmt.Fprintf(&source, "\tF%d F%d `json:\"f%d,omitempty\"`\n", cell, cell, cell)
	})
	source.WriteString("}\n\ntype Empty struct{}\n")
	fieldAt := map[int]string{} // by line
	each(func(m oneOfMarker, a, b, cell int) {
		fmt.Fprintf(&source, "\n// +kubebuilder:validation:%s=a;b\ntype F%d struct {\n", m.name, cell)
		for name, i := range []int{a, b} {
			letter := string(rune('A' + name))
			source.WriteString(members[i].markers)
			fieldAt[strings.Count(source.String(), "\n")+1] = fmt.Sprintf("f%d.%s", cell, strings.ToLower(letter))
			fmt.Fprintf(&source, "\t%s %s `json:\"%s,omitempty\"`\n", letter, members[i].goType, strings.ToLower(letter))
		}
		source.WriteString("}\n")
	})
	files, found := generateSource(t, source.String(), "")
	crd := decodeDefinition(t, files, found)
	kind, err := apiserver.NewKind(crd, "v1")
	if err != nil {
		t.Fatal(err)
	}
	reported := map[string]bool{}
	for _, d := range found {
		if d.Code == report.InvalidOneOf.Code && d.Severity == diag.Warning {
			reported[fieldAt[d.Pos.Line]] = true
		}
	}
	create := func(cell int, value map[string]any) bool {
		answer, err := kind.Create(t.Context(), namedObject(map[string]any{fmt.Sprintf("f%d", cell): value}))
		if err != nil {
			t.Fatal(err)
		}
		return len(answer.Errors) == 0
	}
	findings := 0
	each(func(m oneOfMarker, a, b, cell int) {
		indexes := map[string]int{"a": a, "b": b}
		for name, other := range map[string]string{"a": "b", "b": "a"} {
			var value any = int64(1)
			if members[indexes[other]].goType == "*Empty" {
				value = map[string]any{}
			}
			schema := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties[fmt.Sprintf("f%d", cell)]
			hasDefault := schema.Properties[name].Default != nil
			want := hasDefault && !create(cell, map[string]any{other: value})
			if m.name == "AtLeastOneOf" {
				want = hasDefault && create(cell, map[string]any{})
			}
			if strings.Contains(members[indexes[name]].markers, "nullable") {
				// An explicit null is not set, and gets no default.
				want = want && !create(cell, map[string]any{other: value, name: nil}) && m.name != "AtLeastOneOf"
			}
			if want {
				findings++
			}
			if field := fmt.Sprintf("f%d.%s", cell, name); reported[field] != want {
				t.Errorf("%s %+v %+v: field %s: got a finding %t, want %t", m.name, members[a], members[b], field, reported[field], want)
			}
		}
	})
	t.Logf("%d structs, %d findings", cells, findings)
}
