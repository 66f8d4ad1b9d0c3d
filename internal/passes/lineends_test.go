package passes_test

import (
	"bytes"
	"maps"
	"path/filepath"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// TestLineEnds generates every case twice: from its sources, and from the same sources with
// the line ends that git writes on Windows. Definitions and findings are equal.
func TestLineEnds(t *testing.T) {
	unix := readCases(t)
	dos := make([]*gentest.Case, len(unix))
	for i, c := range unix {
		converted := *c
		converted.Archive = &txtar.Archive{}
		for _, f := range c.Archive.Files {
			f.Data = bytes.ReplaceAll(f.Data, []byte("\n"), []byte("\r\n"))
			converted.Archive.Files = append(converted.Archive.Files, f)
		}
		dos[i] = &converted
	}
	unixRun, dosRun := lineEndsRun(t, unix), lineEndsRun(t, dos)
	for i, c := range unix {
		t.Run(c.Name, func(t *testing.T) {
			want, got := unixRun(t, unix[i]), dosRun(t, dos[i])
			if maps.Equal(want, got) {
				return
			}
			for name := range maps.Keys(want) {
				if got[name] != want[name] {
					t.Errorf("%s with CRLF\n%s\nwith LF\n%s", name, got[name], want[name])
				}
			}
			for name := range maps.Keys(got) {
				if _, ok := want[name]; !ok {
					t.Errorf("%s only with CRLF\n%s", name, got[name])
				}
			}
		})
	}
}

// lineEndsRun writes the cases and returns a function that generates one.
func lineEndsRun(t *testing.T, cases []*gentest.Case) func(*testing.T, *gentest.Case) map[string]string {
	dir, listed := gentest.List(t, cases)
	return func(t *testing.T, c *gentest.Case) map[string]string {
		root := filepath.Join(dir, c.Name)
		options, _ := parseOptions(t, c.Options)
		options.Dir = root
		options.SkipVerify = c.Unverified
		options.Lister = gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + c.Name}
		files, findings, err := generateFiles(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		var text bytes.Buffer
		if err := findings.RelativeTo(root).WriteText(&text); err != nil {
			t.Fatal(err)
		}
		return wanted(files, text.String())
	}
}
