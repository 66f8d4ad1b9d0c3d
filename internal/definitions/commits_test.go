package definitions

import (
	"testing"

	"github.com/schemagen/schemagen/diag"
)

// TestNamedInCommit wants places in a commit to be named as git names them, and other
// places as they are.
func TestNamedInCommit(t *testing.T) {
	tree := checkedOut{dir: "/tmp/x"}
	for _, c := range [][2]string{
		{"/tmp/x/api/v1/types.go", "HEAD:api/v1/types.go"},
		{"/go/pkg/mod/example.com/m@v1.0.0/types.go", "/go/pkg/mod/example.com/m@v1.0.0/types.go"},
		{"", ""},
	} {
		if got := tree.named("HEAD", diag.Position{File: c[0]}); got.File != c[1] {
			t.Errorf("%s: %s, want %s", c[0], got.File, c[1])
		}
	}
}
