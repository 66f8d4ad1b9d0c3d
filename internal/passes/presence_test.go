package passes_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/markers"
)

// TestContradictingPresence gives a field each ordered pair of the markers that make it
// required or optional. All contradictions are reported at the second marker in order of
// precedence, except "+k8s:required" beside another optional marker: that tag may refer to the
// object after defaulting.
func TestContradictingPresence(t *testing.T) {
	table, err := markers.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	var known []*markers.Marker
	for _, def := range table.Definitions() {
		if def.Target != markers.Field {
			continue
		}
		m, err := table.Parse(markers.Comment{Text: "+" + def.Name}, markers.Field)
		if err == nil && m != nil && m.Presence() != markers.NoPresence {
			known = append(known, m)
		}
	}
	if len(known) < 6 {
		t.Fatalf("got %d markers, want at least 6", len(known))
	}
	var source strings.Builder
	source.WriteString(`// +groupName=example.com
// +schemagen:enable=k8s
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

`)
	isTag := func(m *markers.Marker) bool { return strings.HasPrefix(m.Name, "k8s:") }
	want := map[string]string{} // the marker that takes precedence, by the name of the field
	fields := 0
	for _, first := range known {
		for _, second := range known {
			name := fmt.Sprintf("f%d", fields)
			fields++
			fmt.Fprintf(&source, "\t// +%s\n\t// +%s\n\tF%s string `json:\"%s\"`\n", first.Name, second.Name, name, name)
			winner, loser := first, second
			if second.Presence() < first.Presence() {
				winner, loser = second, first
			}
			if winner.Presence().Required() == loser.Presence().Required() {
				continue
			}
			if !isTag(winner) && isTag(loser) && loser.Presence().Required() {
				continue
			}
			want["F"+name] = winner.Name
		}
	}
	source.WriteString("}\n")
	_, found := generateSource(t, source.String(), "")
	got := map[string]string{}
	for _, d := range found {
		if d.Code != report.OptionalAndRequired.Code {
			continue
		}
		words := strings.Fields(d.Message) // field F is marked as both optional and required: +NAME takes precedence
		got[words[1]] = strings.TrimPrefix(words[9], "+")
	}
	for i := range fields {
		name := fmt.Sprintf("Ff%d", i)
		if got[name] != want[name] {
			t.Errorf("field %s: got precedence of %q, want %q\n%v", name, got[name], want[name], found)
		}
	}
	t.Logf("%d pairs, %d contradictions", fields, len(want))
}
