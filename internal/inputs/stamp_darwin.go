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
		modified: s.Mtimespec.Nano(), changed: s.Ctimespec.Nano(),
	}, true
}

// hasWriter returns false: the system does not tell.
func hasWriter(*os.File) bool { return false }
