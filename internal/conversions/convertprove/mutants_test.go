package convertprove

import (
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/conversions"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/terminal/consent"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
	"github.com/schemagen/schemagen/verify"
)

// generated returns the conversions of a case in testdata/conversions.
func generated(t *testing.T, name string, mutable bool) (Run, define.Options) {
	t.Helper()
	archive, err := txtar.ParseFile("../../../testdata/conversions/" + name + ".txtar")
	if err != nil {
		t.Fatal(err)
	}
	return generatedFrom(t, name, archive, mutable)
}

// generatedFrom returns the conversions of packages in an archive.
func generatedFrom(t *testing.T, name string, archive *txtar.Archive, mutable bool) (Run, define.Options) {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, name)
	files, err := txtar.FS(archive)
	if err == nil {
		err = os.CopyFS(root, files)
	}
	if err == nil {
		err = os.RemoveAll(filepath.Join(root, "want"))
	}
	if err == nil {
		err = typedmodule.Requirements(dir)
	}
	if err != nil {
		t.Fatal(err)
	}
	target, err := apiserver.NewTarget("")
	if err != nil {
		t.Fatal(err)
	}
	options := define.Options{Passes: passes.All(), Source: define.Source{Dir: root, Patterns: []string{"./..."}}, Server: verify.New(target, verify.Options{})}
	generated, findings, err := conversions.Generate(t.Context(), options, conversions.Options{Functions: true, Mutable: mutable})
	if err != nil || findings.HasErrors() {
		t.Fatal(findings, err)
	}
	return Run{Generated: generated, Dir: root, Cases: 2000, Consent: consent.Consent{Given: true}}, options
}

// mutated returns what becomes of the mutants of a case in testdata/conversions.
func mutated(t *testing.T, name string) []Mutant {
	t.Helper()
	run, _ := generated(t, name, true)
	mutants, err := run.Mutate(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return mutants
}

// TestMutants wants each condition of generated conversions to be needed by a law, or to be
// dead code, and at least 14 kinds of them to be needed.
func TestMutants(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs conversions")
	}
	refuted := map[string]int{}
	for _, name := range []string{"keyed", "map-list", "pointer", "union", "unkeyed"} {
		for _, m := range mutated(t, name) {
			t.Logf("%s: %s: %s: %s: %.100s %s", name, m.Result, m.Function, m.Name, m.Text, m.Law)
			switch m.Result {
			case Survived:
				t.Errorf("%s: %s survives without %q: %s", name, m.Function, m.Name, m.Text)
			case Refuted:
				refuted[m.Name]++
			}
		}
	}
	if len(refuted) < 14 {
		t.Errorf("conditions of %d kinds are needed: %v", len(refuted), refuted)
	}
}
