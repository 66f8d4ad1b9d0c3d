package definitions

import (
	"testing"

	"github.com/schemagen/schemagen/diag"
)

// TestNamedInCommit checks that files in a commit are named as in git, and that other names
// are unchanged.
func TestNamedInCommit(t *testing.T) {
	tree := checkedOut{ref: "HEAD", dir: "/tmp/x"}
	for _, c := range [][2]string{
		{"/tmp/x/api/v1/types.go", "HEAD:api/v1/types.go"},
		{"/go/pkg/mod/example.com/m@v1.0.0/types.go", "/go/pkg/mod/example.com/m@v1.0.0/types.go"},
		{"", ""},
	} {
		if got := tree.named(diag.Position{File: c[0]}); got.File != c[1] {
			t.Errorf("%s: %s, want %s", c[0], got.File, c[1])
		}
	}
}
