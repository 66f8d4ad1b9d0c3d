package passes_test

import (
	"bytes"
	"testing"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// TestWithoutServer checks that unions without a server are errors, and that all other
// files are the same as with a server.
func TestWithoutServer(t *testing.T) {
	c := manyMembers(2)
	generate := func(server define.Server) ([]define.File, diag.List) {
		t.Helper()
		dir, listed := gentest.List(t, []*gentest.Case{c})
		files, found, err := generateFiles(t.Context(), define.Options{Passes: passes.All(), Source: define.Source{Dir: dir, Lister: gentest.Lister{All: listed, Prefix: typedmodule.Path + "/many"}}, Server: server})
		if err != nil {
			t.Fatal(err)
		}
		return files, found
	}
	files, found := generate(nil)
	if files != nil || len(found) != 1 || found[0].Code != report.InvalidUnion.Code || found[0].Severity != diag.Error {
		t.Errorf("got %d files, findings %v; want one error", len(files), found)
	}
	source := &c.Archive.Files[0]
	source.Data = bytes.Replace(source.Data, []byte("+schemagen:unions=cel"), []byte("+schemagen:unions=none"), 1)
	files, _ = generate(nil)
	want, _ := generate(gentest.Server(t, ""))
	if len(want) != 1 || len(files) != 1 || !bytes.Equal(files[0].Data, want[0].Data) {
		t.Errorf("got %d files without a server, %d with one; want one each with the same content", len(files), len(want))
	}
}
