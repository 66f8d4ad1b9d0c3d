package output

import (
	"os"
	"runtime"
	"testing"

	"golang.org/x/sys/unix"
)

// ordinaryUser makes the rest of the test one of a user whom permission bits stop: as
// root, the goroutine's thread gives up root's rights on files until the test ends.
func ordinaryUser(t *testing.T) {
	t.Helper()
	if os.Geteuid() != 0 {
		return
	}
	header := unix.CapUserHeader{Version: unix.LINUX_CAPABILITY_VERSION_3}
	var sets [2]unix.CapUserData
	runtime.LockOSThread()
	if err := unix.Capget(&header, &sets[0]); err != nil {
		t.Fatal(err)
	}
	before := sets
	sets[0].Effective &^= 1<<unix.CAP_DAC_OVERRIDE | 1<<unix.CAP_DAC_READ_SEARCH
	if err := unix.Capset(&header, &sets[0]); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := unix.Capset(&header, &before[0]); err != nil {
			t.Error(err)
		}
		runtime.UnlockOSThread()
	})
}
