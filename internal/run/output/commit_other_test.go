//go:build !linux

package output

import (
	"os"
	"runtime"
	"testing"
)

// ordinaryUser skips tests of what permission bits forbid where they forbid
// nothing: Windows has none, and root can only give them up on Linux.
func ordinaryUser(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("permission bits do not apply to this user")
	}
}
