package conversions

import (
	"go/format"
	"math/rand/v2"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/test/gentest"
)

// formatted generates conversions for cases, in all modes, and wants gofmt to leave them as they
// are. It returns the number of files.
func formatted(t *testing.T, cases []*gentest.Case) (files int) {
	t.Helper()
	dir, listed := gentest.List(t, cases)
	server := gentest.Server(t, "")
	for _, c := range cases {
		for mode := range 4 {
			options := define.Options{Passes: passes.All(), Source: define.Source{Dir: filepath.Join(dir, c.Name), Lister: gentest.Lister{All: listed, Prefix: "cases.test/" + c.Name}}, Server: server}
			conversions := optionsOf(c)
			conversions.Functions, conversions.Mutable = mode&1 == 0, mode&2 != 0
			if conversions.Functions {
				options.Header, conversions.BuildTag = "/*\n  A header  \n */", "a&&b"
			}
			generated, _, err := generate(t.Context(), options, conversions)
			if err != nil {
				t.Fatalf("%s: %v", c.Name, err)
			}
			for _, f := range generated.Files {
				files++
				want, err := format.Source(f.Data)
				if err != nil {
					t.Fatalf("%s: %v", c.Name, err)
				}
				if string(f.Data) != string(want) {
					t.Errorf("%s: gofmt would change %s:\n%s", c.Name, f.Name, gentest.Difference(string(want), string(f.Data)))
				}
			}
		}
	}
	return files
}

func TestFormatted(t *testing.T) {
	cases := gentest.Read(t, "../../testdata/conversions/*.txtar")
	files := formatted(t, cases)
	if files < 2*len(cases) {
		t.Errorf("only %d files", files)
	}
}

// TestFormattedLongNames does the same with names of other lengths: gofmt splits long functions,
// and aligns values after short keys.
func TestFormattedLongNames(t *testing.T) {
	var cases []*gentest.Case
	for seed := range uint64(2) {
		for _, c := range gentest.Read(t, "../../testdata/conversions/*.txtar") {
			c.Lengthen(rand.New(rand.NewPCG(seed, 0)))
			c.Name += strconv.FormatUint(seed, 10)
			cases = append(cases, c)
		}
	}
	files := formatted(t, cases)
	if files < 2*len(cases) {
		t.Errorf("only %d files", files)
	}
}
