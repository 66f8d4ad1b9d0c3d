package inputs

import (
	"io/fs"
	"os"
	"syscall"
)

// systemStamp returns the stamp from the metadata of a file.
func systemStamp(info fs.FileInfo) (stamp, bool) {
	s, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		return stamp{}, false
	}
	return stamp{
		device: uint64(s.Dev), inode: s.Ino, size: uint64(s.Size),
		modified: s.Mtim.Nano(), changed: s.Ctim.Nano(),
	}, true
}

// hasWriter reports whether a process has the file open for writing, or mapped. The
// kernel tells only the owner of the file, by refusing a lease.
func hasWriter(f *os.File) bool {
	if _, _, err := syscall.Syscall(syscall.SYS_FCNTL, f.Fd(), syscall.F_SETLEASE, syscall.F_RDLCK); err != 0 {
		return err == syscall.EAGAIN
	}
	_, _, _ = syscall.Syscall(syscall.SYS_FCNTL, f.Fd(), syscall.F_SETLEASE, syscall.F_UNLCK)
	return false
}
