package passes_test

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/passes"
)

// generateFiles returns the files of [define.Make].
func generateFiles(ctx context.Context, options define.Options) (files []define.File, found diag.List, err error) {
	made, found, err := define.Make(ctx, options)
	if err != nil {
		return nil, nil, err
	}
	for _, m := range made {
		files = append(files, m.File)
	}
	return files, found, nil
}

// TestOverlay checks that files of the overlay replace or complement those on disk, and
// that all others are read by ReadFile.
func TestOverlay(t *testing.T) {
	dir, err := filepath.Abs("../../generator/testdata/example")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(dir, "types.go"))
	if err != nil {
		t.Fatal(err)
	}
	for _, goCommand := range []bool{false, true} {
		read := false
		files, found, err := generateFiles(t.Context(), define.Options{Passes: passes.All(), Source: define.Source{
			Patterns: []string{"../../generator/testdata/example"}, GoCommand: goCommand,
			Overlay: map[string][]byte{
				filepath.Join(dir, "types.go"): bytes.Replace(text, []byte("Size int32"), []byte("Size Size"), 1),
				filepath.Join(dir, "size.go"):  []byte("package example\n\n// Size is a size of the overlay.\ntype Size int64\n"),
			},
			ReadFile: func(name string) ([]byte, error) {
				read = read || strings.HasSuffix(name, ".go")
				return os.ReadFile(name)
			},
		}})
		if err != nil || len(files) != 1 || len(found) > 0 {
			t.Fatalf("got %d files, findings %v, error %v; want one file", len(files), found, err)
		}
		if !bytes.Contains(files[0].Data, []byte("a size of the overlay")) {
			t.Errorf("with the go command %t, the overlay is ignored:\n%s", goCommand, files[0].Data)
		}
		if !read {
			t.Errorf("with the go command %t, no Go file was read by ReadFile", goCommand)
		}
	}
}
