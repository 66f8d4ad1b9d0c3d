package typegen_test

import (
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/types/typegen"
	"github.com/schemagen/schemagen/structural/manifest"
)

var update = flag.Bool("update", false, "rewrite the expectations")

// root is the root of this module, whose versions of k8s.io/api and k8s.io/apimachinery the
// generated packages use.
func root(t *testing.T) string {
	t.Helper()
	dir, err := filepath.Abs("../../..")
	if err != nil {
		t.Fatal(err)
	}
	return dir
}

var (
	once   sync.Once
	shared *typegen.Module
)

func moduleOf(t *testing.T) *typegen.Module {
	t.Helper()
	once.Do(func() {
		m, found, err := typegen.Open(context.Background(), root(t))
		if err != nil || found.HasErrors() {
			t.Fatal(found, err)
		}
		shared = m
	})
	return shared
}

// read returns the definitions in a file.
func read(t *testing.T, name string, data []byte) []*crd.Definition {
	t.Helper()
	manifests, problems, position := crd.File{Name: name, Data: data}.Read()
	for _, p := range problems {
		if p.Kind == manifest.Malformed || p.Kind == manifest.WrongType {
			t.Fatalf("%s: %s", position(p.Pos), p.Message)
		}
	}
	var out []*crd.Definition
	for _, m := range manifests {
		if d := crd.FromManifest(m, position); d != nil {
			out = append(out, d)
		}
	}
	return out
}

// TestCases generates the packages for crd.yaml in each archive of testdata/types and
// compares them, and the diagnostics, with the other files.
func TestCases(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/types/*.txtar")
	if err != nil || len(files) < 3 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			got := &txtar.Archive{Comment: archive.Comment, Files: archive.Files[:1:1]}
			got.Files = append(got.Files, generated(t, archive.Files[0].Data, false)...)
			if reversed := generated(t, archive.Files[0].Data, true); !slices.EqualFunc(got.Files[1:], reversed, func(a, b txtar.File) bool { return a.Name == b.Name && string(a.Data) == string(b.Data) }) {
				t.Error("the result depends on the order of the definitions")
			}
			text := txtar.Format(got)
			if *update {
				if err := os.WriteFile(file, text, 0o666); err != nil {
					t.Fatal(err)
				}
			} else if string(text) != string(txtar.Format(archive)) {
				t.Errorf("got:\n%s", text)
			}
		})
	}
}

func generated(t *testing.T, data []byte, reverse bool) []txtar.File {
	t.Helper()
	definitions := read(t, "crd.yaml", data)
	if reverse {
		slices.Reverse(definitions)
	}
	result, found, err := moduleOf(t).Generate(context.Background(), definitions, typegen.Options{Dir: root(t), Output: "api/v1"})
	if err != nil {
		t.Fatal(err)
	}
	var out []txtar.File
	if len(found) > 0 {
		var text strings.Builder
		for _, d := range found {
			fmt.Fprintf(&text, "%s: %s[%s]: %s\n", d.Pos, d.Severity, d.Code, d.Message)
		}
		out = append(out, txtar.File{Name: "want/diagnostics", Data: []byte(text.String())})
	}
	if result == nil {
		return out
	}
	out = append(out, txtar.File{Name: "want/summary", Data: []byte(strings.Join(result.Summary(), "\n") + "\n")})
	for _, f := range result.Files {
		out = append(out, txtar.File{Name: "want/" + f.Path, Data: f.Data})
	}
	return out
}
