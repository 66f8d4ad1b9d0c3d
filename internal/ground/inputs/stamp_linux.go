package inputs

import (
	"os"
	"syscall"
)

// hasWriter reports whether a process has the file open for writing, or mapped. The
// kernel tells only the owner of the file, by rejecting a lease.
func hasWriter(f *os.File) bool {
	if _, _, err := syscall.Syscall(syscall.SYS_FCNTL, f.Fd(), syscall.F_SETLEASE, syscall.F_RDLCK); err != 0 {
		return err == syscall.EAGAIN
	}
	_, _, _ = syscall.Syscall(syscall.SYS_FCNTL, f.Fd(), syscall.F_SETLEASE, syscall.F_UNLCK)
	return false
}
