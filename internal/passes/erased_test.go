package passes_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/internal/gates/gatedsource"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/test/gentest"
)

// TestErased checks, for each file in testdata/erased, that the generator and gatedsource read the
// same conditions: what is generated with gate X on or off is what is generated from the text that
// gatedsource writes, and conditions that the one cannot read, the other cannot read, either. The sections "on" and "off"
// have that text or the reason that there is none, and the findings of the generator.
func TestErased(t *testing.T) {
	table, err := markers.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob("../../testdata/erased/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal(names, err)
	}
	c := &gentest.Case{Name: "erasure", Archive: &txtar.Archive{Files: []txtar.File{{Name: "v1/types.go", Data: []byte("package v1\n\nimport _ \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n")}}}}
	dir, listed := gentest.List(t, []*gentest.Case{c})
	lab := &erasureLab{t, dir, listed, gentest.Server(t, "")}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			source := archive.Files[0].Data
			file, err := gatedsource.Parse(table, "types.go", source, gatedsource.Features(table, source))
			if err != nil {
				t.Fatal(err)
			}
			got := &txtar.Archive{Comment: archive.Comment, Files: archive.Files[:1:1]}
			_, wrong := file.With("none", true)
			generated := false
			for _, state := range []string{"on", "off"} {
				gates := map[string][]string{"on": {"X"}}[state]
				files, findings := lab.generate(map[string]string{"v1": string(source)}, gates)
				findings = strings.ReplaceAll(findings, filepath.Join(dir, "erasure")+string(filepath.Separator), "")
				text := ""
				result, err := file.With("X", state == "on")
				if err != nil {
					text = fmt.Sprintln(err)
				} else {
					text = string(result.Text)
					want, wanted := lab.generate(map[string]string{"v1": text}, nil)
					if joined(files) != joined(want) {
						t.Errorf("%s: generated\n%s%s\nwant\n%s%s", state, joined(files), findings, joined(want), wanted)
					}
				}
				if refused := strings.Contains(findings, "error["); refused != (wrong != nil) {
					t.Errorf("%s: the generator finds %q, and gatedsource %v", state, findings, wrong)
				}
				generated = generated || len(files) > 0
				got.Files = append(got.Files, txtar.File{Name: state, Data: []byte(text)}, txtar.File{Name: state + " findings", Data: []byte(findings)})
			}
			if generated == (wrong != nil) {
				t.Errorf("generated is %v, though gatedsource finds %v", generated, wrong)
			}
			if text := txtar.Format(got); string(text) != string(txtar.Format(archive)) {
				if !*update {
					t.Fatalf("got\n%s", text)
				}
				if err := os.WriteFile(name, text, 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}
