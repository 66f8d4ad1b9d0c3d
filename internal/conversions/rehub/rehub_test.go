package rehub

import (
	"bytes"
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/internal/conversions"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/test/gentest"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// TestTurn makes another version the hub of each case, and then the first one again: the
// conversions are the same as before. What cannot be turned round is refused with a place, in
// testdata/laws/rehub.txt.
//
// Left out of make generate: it generates the conversions of all cases three times.
func TestTurn(t *testing.T) {
	cases := gentest.Read(t, "../../../testdata/conversions/*.txtar")
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	gentest.WriteModule(t, dir, cases)
	server := gentest.Server(t, "")
	var refused strings.Builder
	turned := 0
	for _, c := range cases {
		root := filepath.Join(dir, c.Name)
		options := define.Options{Passes: passes.All()}
		options.Dir, options.Patterns, options.Server, options.Inputs = root, []string{"./..."}, server, inputs.New()
		of := conversions.Options{Functions: !strings.Contains(c.Options, "methods"), Strict: strings.Contains(c.Options, "strict")}
		before, findings, err := conversions.Generate(t.Context(), options, of)
		if err != nil {
			t.Fatal(c.Name, err)
		}
		if findings.HasErrors() || len(before.Model.Kinds) == 0 {
			continue
		}
		kind := before.Model.Kinds[0]
		there, findings, err := Turn(t.Context(), options, of, kind.Spokes[0].Name)
		if err != nil {
			t.Fatal(c.Name, err)
		}
		if findings.HasErrors() {
			if len(there) > 0 {
				t.Errorf("%s: files are returned with errors", c.Name)
			}
			for _, d := range findings.RelativeTo(root) {
				if d.Code == notTurned.Code {
					refused.WriteString(c.Name + ": " + d.Pos.String() + ": " + d.Message + "\n")
				}
				if d.Code == notTurned.Code && d.Pos.Line == 0 {
					t.Errorf("%s has no place: %s", c.Name, d.Message)
				}
			}
			continue
		}
		turned++
		overlay := map[string][]byte{}
		again := options
		again.Inputs = inputs.Overlaid(overlay, nil)
		for _, f := range there {
			overlay[f.Name] = f.Data
		}
		back, findings, err := Turn(t.Context(), again, of, kind.Hub.Name)
		if err != nil || findings.HasErrors() {
			t.Errorf("%s cannot be turned back: %v %v\n%s", c.Name, err, findings, there[0].Data)
			continue
		}
		for _, f := range back {
			overlay[f.Name] = f.Data
		}
		again.Inputs = inputs.Overlaid(overlay, nil)
		after, _, err := conversions.Generate(t.Context(), again, of)
		if err != nil {
			t.Fatal(c.Name, err)
		}
		for i, f := range before.Files {
			if len(after.Files) <= i || !bytes.Equal(f.Data, after.Files[i].Data) {
				t.Errorf("%s: %s is another one after turning it round twice:\n%s", c.Name, f.Name, back[0].Data)
			}
		}
	}
	t.Logf("%d cases are turned round", turned)
	if turned < 10 {
		t.Errorf("only %d cases are turned round", turned)
	}
	const golden = "../../../testdata/laws/rehub.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(refused.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(golden); err != nil || string(want) != refused.String() {
		t.Errorf("%v: got\n%s\nwant\n%s", err, refused.String(), want)
	}
}
