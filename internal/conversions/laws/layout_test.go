package laws

import (
	"go/format"
	"math/rand/v2"
	"path/filepath"
	"testing"

	"github.com/schemagen/schemagen/internal/conversions"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/test/gentest"
)

// wantFormatted wants gofmt to leave files as they are.
func wantFormatted(t *testing.T, files Files) {
	t.Helper()
	for _, f := range files.Files {
		want, err := format.Source(f.Data)
		if err != nil {
			t.Fatalf("%s: %v", f.Name, err)
		}
		if string(f.Data) != string(want) {
			t.Errorf("gofmt would change %s:\n%s", f.Name, gentest.Difference(string(want), string(f.Data)))
		}
	}
}

// TestFormatted generates tests of generated conversions with short and with long names, in both
// styles, and those of hand-written ones.
func TestFormatted(t *testing.T) {
	server := gentest.Server(t, "")
	for _, long := range []bool{false, true} {
		cases := gentest.Read(t, "../../../testdata/conversions/*.txtar")
		if long {
			for i, c := range cases {
				c.Lengthen(rand.New(rand.NewPCG(uint64(i), 0)))
			}
		}
		dir, err := filepath.EvalSymlinks(t.TempDir())
		if err != nil {
			t.Fatal(err)
		}
		gentest.WriteModule(t, dir, cases)
		n := 0
		for _, c := range cases {
			for _, functions := range []bool{false, true} {
				options := define.Options{Passes: passes.All()}
				options.Dir, options.Patterns, options.Server = filepath.Join(dir, c.Name), []string{"./..."}, server
				generated, findings, err := conversions.Generate(t.Context(), options, conversions.Options{Functions: functions, BuildTag: "a&&b"})
				if err != nil {
					t.Fatal(err)
				}
				if findings.HasErrors() {
					continue
				}
				tests, err := Generated(generated.Model, "/*\n  A header  \n */\n\n")
				if err != nil {
					t.Fatal(err)
				}
				for i, f := range tests.Files { // the header of the others is not formatted
					if filepath.Base(f.Name) == FileName {
						n++
						wantFormatted(t, Files{Files: tests.Files[i : i+1]})
					}
				}
			}
		}
		if n < len(cases) {
			t.Errorf("only %d files", n)
		}
	}
	dir, _ := module(t, func(s string) string { return s })
	wantFormatted(t, generate(t, dir, "./..."))
}
