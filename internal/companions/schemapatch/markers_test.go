package schemapatch

import (
	"fmt"
	"path/filepath"
	"reflect"
	"slices"
	"testing"

	"golang.org/x/tools/txtar"
	kyaml "sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
	reference "github.com/schemagen/schemagen/markers"
)

// TestMarkers writes schemas with both generators that do, crd and schemapatch, for the example of
// every marker in the reference: the schemas of all versions are equal.
func TestMarkers(t *testing.T) {
	table, err := markers.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	chapters, err := reference.New()
	if err != nil {
		t.Fatal(err)
	}
	var docs []*reference.MarkerDoc
	var cases []*gentest.Case
	for _, chapter := range chapters {
		for _, m := range chapter.Markers {
			docs = append(docs, m)
			cases = append(cases, gentest.Example(fmt.Sprintf("example%d", len(cases)), m))
		}
	}
	for _, def := range table.Definitions() {
		if !slices.ContainsFunc(docs, func(m *reference.MarkerDoc) bool { return m.Name == def.Name }) {
			t.Errorf("+%s has no example", def.Name)
		}
	}
	dir, listed := gentest.List(t, cases)
	compared := 0
	for i, c := range cases {
		t.Run(docs[i].Name, func(t *testing.T) {
			options, _ := parseOptions(t, "")
			options.Dir = filepath.Join(dir, c.Name)
			options.Lister = gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + c.Name}
			made, findings, err := define.Make(t.Context(), options)
			if err != nil {
				t.Fatal(err)
			}
			if findings.HasErrors() {
				return // the example shows what is refused
			}
			manifests := t.TempDir()
			for _, m := range made {
				writeFile(t, filepath.Join(manifests, m.File.Name), stale(t, m.File.Data))
			}
			patched, findings, err := patch(t.Context(), options, manifests, nil)
			if err != nil || findings.HasErrors() || len(patched) != len(made) {
				t.Fatal(len(patched), len(made), err, findings)
			}
			for _, m := range made {
				at := slices.IndexFunc(patched, func(f define.File) bool { return f.Name == m.File.Name })
				want, got := schemasIn(t, m.File.Data), schemasIn(t, patched[at].Data)
				if !reflect.DeepEqual(want, got) {
					t.Errorf("crd writes\n%v\nschemapatch writes\n%v", want, got)
				}
				compared += len(got)
			}
		})
	}
	t.Logf("%d markers, %d schemas", len(docs), compared)
	if compared < len(docs) {
		t.Errorf("compared %d schemas for %d markers", compared, len(docs))
	}
}

// schemasIn returns the schemas of a definition by version.
func schemasIn(t *testing.T, data []byte) map[string]any {
	t.Helper()
	var crd struct {
		Spec struct {
			Versions []struct {
				Name   string
				Schema any
			}
		}
	}
	if err := kyaml.Unmarshal(data, &crd); err != nil {
		t.Fatal(err)
	}
	out := map[string]any{}
	for _, version := range crd.Spec.Versions {
		out[version.Name] = version.Schema
	}
	return out
}

// TestStatusSubresource patches definitions with and without a status subresource, on which it
// depends whether a server can keep a field of the status read-only.
func TestStatusSubresource(t *testing.T) {
	const types = `-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Status Status ` + "`json:\"status,omitempty\"`" + `
}

type Status struct {
	// +schemagen:readOnly=status
	Phase string ` + "`json:\"phase,omitempty\"`" + `
}
`
	c := &gentest.Case{Name: "patch", Archive: txtar.Parse([]byte(types))}
	dir, listed := gentest.List(t, []*gentest.Case{c})
	for subresources, want := range map[string]string{
		"subresources: {status: {}}\n":   "",
		"subresources: {}\n":             "SG340",
		"subresources: {status: null}\n": "SG340",
		"additionalPrinterColumns: []\n": "SG340",
	} {
		manifests := t.TempDir()
		writeFile(t, filepath.Join(manifests, "widget.yaml"), []byte(widgetHead+"    versions:\n    - name: v1\n      served: true\n      storage: true\n      "+subresources))
		options, _ := parseOptions(t, "")
		options.Dir, options.SkipVerify = filepath.Join(dir, "patch"), true
		options.Lister = gentest.Lister{All: listed, Prefix: typedmodule.Path + "/patch"}
		files, findings, err := patch(t.Context(), options, manifests, nil)
		if err != nil {
			t.Fatal(err)
		}
		codes := ""
		for _, d := range findings {
			codes += string(d.Code)
		}
		if codes != want || (len(files) == 1) != (want == "") {
			t.Errorf("%q: got %d files and %v, want %q", subresources, len(files), findings, want)
		}
	}
}
