package snapshot

import (
	"errors"
	"io/fs"
	"os"
	"time"
)

// Fact is what an earlier run found about a file or an environment variable.
type Fact struct {
	About       About
	Name, Value string
}

// About is what the value of a fact describes.
type About byte

// What facts describe.
const (
	Stamped  About = 's' // the stamp of a file, which is not zero
	Kind     About = 'k' // the kind of a file, from [KindOf]
	LinkKind About = 'l' // like Kind, but does not follow a symlink
	Target   About = 't' // the target of a symlink
	Variable About = 'v' // the digest of an environment variable
)

// Missing is the kind of a file that does not exist.
const Missing = "missing"

// KindOf returns the kind of a file from the result of [os.Stat]: the text of its type,
// [Missing], or "" for other errors.
func KindOf(info fs.FileInfo, err error) string {
	switch {
	case err == nil:
		return info.Mode().Type().String()
	case errors.Is(err, fs.ErrNotExist):
		return Missing
	}
	return ""
}

// Holds reports whether the fact is still true.
func (f Fact) Holds(now time.Time) bool {
	switch f.About {
	case Stamped:
		s := systemStampAt(f.Name).settled(now)
		return s != Stamp{} && s == stampOfValue(f.Value)
	case Kind:
		kind := KindOf(os.Stat(f.Name))
		return kind != "" && kind == f.Value
	case LinkKind:
		kind := KindOf(os.Lstat(f.Name))
		return kind != "" && kind == f.Value
	case Target:
		target, err := os.Readlink(f.Name)
		return err == nil && target == f.Value
	case Variable:
		return Digest(os.Getenv(f.Name)) == f.Value
	}
	return false
}
