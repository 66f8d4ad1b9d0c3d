package passes_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// statusForms are the ways in which the status of kind K has the fields of struct KPart.
var statusForms = []struct {
	name, status string
}{
	{"itself", "type KStatus = KPart"},
	{"embedded", "type KStatus struct {\n\tKPart `json:\",inline\"`\n}"},
	{"embedded without a name", "type KStatus struct {\n\tKPart `json:\"\"`\n}"},
	{"embedded pointer", "type KStatus struct {\n\t*KPart `json:\",inline\"`\n}"},
	{"embedded in an embedded struct", "type KStatus struct {\n\tKMore `json:\",inline\"`\n}\n\ntype KMore struct {\n\tKPart `json:\",inline\"`\n}"},
	{"embedded generic struct", "type KStatus struct {\n\tKGeneric[string] `json:\",inline\"`\n}\n\ntype KGeneric[T any] struct {\n\tKPart `json:\",inline\"`\n\tOther T `json:\"other,omitempty\"`\n}"},
	{"not at all", "type KStatus struct {\n\tBelow *KPart `json:\"below,omitempty\"`\n}"},
}

// otherUses are the ways in which another struct has the fields of KPart. AKind comes before
// the kind, and ZKind after it.
var otherUses = []struct {
	name, spec, more string
	isStatus         bool
}{
	{name: "nowhere"},
	{name: "embedded in the spec", spec: "KPart `json:\",inline\"`"},
	{name: "in the spec", spec: "Part KPart `json:\"part,omitempty\"`"},
	{name: "in a list of the spec", spec: "Parts []KPart `json:\"parts,omitempty\"`"},
	{name: "embedded in the spec of an earlier kind", more: otherStatusKind("AK", "Spec", "spec")},
	{name: "embedded in the spec of a later kind", more: otherStatusKind("ZK", "Spec", "spec")},
	{name: "embedded in the status of an earlier kind", more: otherStatusKind("AK", "Status", "status"), isStatus: true},
	{name: "embedded in the status of a later kind", more: otherStatusKind("ZK", "Status", "status"), isStatus: true},
}

func otherStatusKind(name, field, jsonName string) string {
	return fmt.Sprintf("// +kubebuilder:object:root=true\ntype %[1]s struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n"+
		"\t%[2]s %[1]sPart `json:\"%[3]s,omitempty\"`\n}\n\ntype %[1]sPart struct {\n\tKPart `json:\",inline\"`\n}\n", name, field, jsonName)
}

// statusMarkers are the markers and json options of a field.
var statusMarkers = []struct {
	marker, tag        string
	required, isMarked bool
}{
	{marker: "//", required: true},
	{marker: "//", tag: ",omitempty"},
	{marker: "// +required", tag: ",omitempty", required: true, isMarked: true},
	{marker: "// +optional", isMarked: true},
}

const statusKind = `
// +kubebuilder:object:root=true
type K struct {
	metav1.TypeMeta   ¬json:",inline"¬
	metav1.ObjectMeta ¬json:"metadata,omitempty"¬

	Spec   KSpec   ¬json:"spec,omitempty"¬
	Status KStatus ¬json:"status,omitempty"¬
}

type KSpec struct {
	SPEC
}

STATUS

MORE

type KPart struct {
	MARKER
	Name string ¬json:"nameTAG"¬
}
`

// TestStatusFields compares the fields that SG258 reports with those that a status requires, and
// expects a fix where it changes nothing else.
func TestStatusFields(t *testing.T) {
	type cell struct {
		name                     string
		reported, shared, marked bool
	}
	var cells []cell
	var lines []string
	source := "// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n"
	for _, form := range statusForms {
		for _, use := range otherUses {
			for _, m := range statusMarkers {
				name := fmt.Sprintf("Kind%dX", len(cells))
				text := strings.NewReplacer("¬", "`", "SPEC", use.spec, "STATUS", form.status, "MORE", use.more, "MARKER", m.marker, "TAG", m.tag).Replace(statusKind)
				words := strings.NewReplacer("AK", "A"+name, "ZK", "Z"+name, "*KP", "*"+name+"P", "[]KP", "[]"+name+"P", " K", " "+name, "\tKP", "\t"+name+"P", "\tKM", "\t"+name+"M", "\tKG", "\t"+name+"G")
				source += words.Replace(text)
				c := cell{
					name:     form.name + ", " + use.name + ", " + m.marker + " " + m.tag,
					reported: m.required && (form.name != "not at all" || use.isStatus),
					shared:   form.name == "not at all" || use.name != "nowhere" && !use.isStatus, marked: m.isMarked,
				}
				cells, lines = append(cells, c), append(lines, name)
			}
		}
	}
	dir, listed := gentest.List(t, []*gentest.Case{{Name: "statusfields", Archive: &txtar.Archive{Files: []txtar.File{{Name: "v1/types.go", Data: []byte(source)}}}}})
	options, _ := parseOptions(t, "")
	options.SkipVerify = true
	options.Dir = filepath.Join(dir, "statusfields")
	options.Rules = []diag.Code{"SG258"}
	options.Lister = gentest.Lister{All: listed, Prefix: typedmodule.Path + "/statusfields"}
	_, findings, err := generateFiles(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]diag.List{}
	all := strings.Split(source, "\n")
	for _, d := range findings {
		owner := strings.Fields(all[d.Pos.Line-3])[1]
		found[strings.TrimSuffix(owner, "Part")] = append(found[strings.TrimSuffix(owner, "Part")], d)
	}
	reported, fixed := 0, 0
	for i, c := range cells {
		got := found[lines[i]]
		if !c.reported {
			if len(got) > 0 {
				t.Errorf("%s: unexpected %v", c.name, got)
			}
			continue
		}
		reported++
		if len(got) != 1 || got[0].Code != "SG258" || strings.Contains(got[0].Hint, "a struct for the status") != c.shared {
			t.Errorf("%s: got %v, want SG258", c.name, got)
			continue
		}
		if hasFix := !c.shared && !c.marked; (len(got[0].Fixes) > 0) != hasFix {
			t.Errorf("%s: fixes %v, want one %t", c.name, got[0].Fixes, hasFix)
		} else if hasFix {
			fixed++
		}
	}
	t.Logf("%d cells: %d reported, %d of them with a fix; %d findings", len(cells), reported, fixed, len(findings))
}
