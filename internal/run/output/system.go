package output

import (
	"errors"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// system is how an operating system treats files: its name in runtime.GOOS. Its methods
// are pure, so that tests check the rules of every system on any.
type system string

const thisSystem = system(runtime.GOOS)

// samePath returns a text that is equal for two absolute paths of the same file. Windows and
// macOS ignore case unless a volume is set up otherwise, which cannot be found out without
// writing to it.
func (s system) samePath(path string) string {
	if s == "windows" || s == "darwin" {
		return strings.ToLower(path)
	}
	return path
}

// Error codes of Windows, which package syscall defines only there.
const (
	errorAccessDenied     = syscall.Errno(5)
	errorSharingViolation = syscall.Errno(32)
	errorLockViolation    = syscall.Errno(33)
)

// inUse reports whether an operation failed only because another program has the file open:
// on Windows, editors, virus scanners and indexers do so for moments.
func (s system) inUse(err error) bool {
	return s == "windows" && (errors.Is(err, errorSharingViolation) || errors.Is(err, errorLockViolation))
}

// renameInUse is inUse for a rename that replaces a file, which is denied, too, while the
// file is open.
func (s system) renameInUse(err error) bool {
	return s.inUse(err) || s == "windows" && errors.Is(err, errorAccessDenied)
}

// patience is about the time for which an operation on a file in use is repeated.
const patience = 2 * time.Second

// untilFree calls f again, with growing pauses, as long as its error is temporary.
func untilFree(f func() error, temporary func(error) bool, sleep func(time.Duration)) error {
	for wait := time.Millisecond; ; wait *= 2 {
		err := f()
		if err == nil || !temporary(err) || wait > patience/2 {
			return err
		}
		sleep(wait)
	}
}

// linkRoot returns the directory in which resolving the target of a symlink begins, and the
// rest of the target. dir is the directory of the symlink.
func linkRoot(dir, target string) (root, rest string) {
	target = filepath.FromSlash(target)
	const separator = string(filepath.Separator)
	volume := filepath.VolumeName(target)
	switch rest, rooted := strings.CutPrefix(target[len(volume):], separator); {
	case rooted && volume == "": // on Windows, the root of the drive of the symlink
		return filepath.VolumeName(dir) + separator, rest
	case rooted:
		return volume + separator, rest
	}
	return dir, target
}
