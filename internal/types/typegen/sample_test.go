package typegen_test

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestSample generates types from the CRDs that the cases of the generator expect, which use
// every marker. All that can come back do; few need their schemas.
func TestSample(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/crd/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	refused := map[string]bool{
		"crd-storage-unverified/example.com_widgets.yaml": true, // two storage versions, which no server accepts
		"crd-kinds/example.com_lowers.yaml":               true, // a kind that is no exported name
		"tags-inline/example.com_widgets.yaml":            true, // a name that encoding/json ignores in a tag
	}
	n, kept := 0, 0
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range archive.Files {
			if !strings.HasPrefix(f.Name, "want/") || filepath.Ext(f.Name) != ".yaml" {
				continue
			}
			for _, d := range definitionsIn(f.Name, f.Data) {
				n++
				switch result, cause := try(t, d); result {
				case "equal":
				case "kept":
					kept++
					t.Logf("%s: %s: %s", filepath.Base(file), f.Name, cause)
				default:
					if name := strings.TrimSuffix(filepath.Base(file), ".txtar") + "/" + filepath.Base(f.Name); refused[name] {
						continue
					}
					t.Errorf("%s: %s: %s: %s", filepath.Base(file), f.Name, result, cause)
				}
			}
		}
	}
	t.Logf("%d CRDs, %d with schemas", n, kept)
	if n < 100 {
		t.Errorf("%d CRDs only", n)
	}
}
