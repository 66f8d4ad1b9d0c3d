// Package temporary makes all temporary directories and files of the program, and removes the ones
// that killed processes have left behind. It knows their names and ages, not what is in them.
//
// Whenever it makes one, it removes the ones that are older than an hour.
package temporary

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/schemagen/schemagen/internal/ground/interrupt"
)

// Purpose is what a directory or file is for. It is a part of its name.
type Purpose string

// Purposes of directories and files in the system's directory for temporary files.
const (
	// Convert is for programs with the user's conversions, and Mutants for tests of these.
	Convert Purpose = "convert"
	Mutants Purpose = "mutants"
	// Diff is for the files of commits.
	Diff Purpose = "diff"
	// Migrate is for copies of projects.
	Migrate Purpose = "migrate"
	// Stored is for stored objects.
	Stored Purpose = "stored"
	// Schemas is for an OpenAPI document that a generator reads.
	Schemas Purpose = "schemas"
)

// Purposes returns all purposes.
func Purposes() []Purpose { return []Purpose{Convert, Mutants, Diff, Migrate, Stored, Schemas} }

// unusedFor is the time after which a directory or file of a killed process is removed. A process that
// is alive uses its own more often.
const unusedFor = time.Hour

const (
	prefix     = "schemagen-"
	fileSuffix = ".json"
)

// Dir returns a new directory. It is removed if the process is ended because its context is done; else
// the caller removes it.
func Dir(ctx context.Context, p Purpose) (string, error) {
	sweepOwn()
	dir, err := os.MkdirTemp("", prefix+string(p)+"-")
	if err == nil {
		interrupt.Cleanup(ctx, func() { os.RemoveAll(dir) })
	}
	return dir, err
}

// File returns a new file, which is open.
func File(p Purpose) (*os.File, error) {
	sweepOwn()
	return os.CreateTemp("", prefix+string(p)+"-*"+fileSuffix)
}

// Write writes data to a new file, which remove deletes.
func (p Purpose) Write(data []byte) (name string, remove func(), err error) {
	file, err := File(p)
	if err != nil {
		return "", nil, err
	}
	remove = func() { os.Remove(file.Name()) }
	_, err = file.Write(data)
	if err = errors.Join(err, file.Close()); err != nil {
		remove()
		return "", nil, err
	}
	return file.Name(), remove, nil
}

// Use marks a directory or file as one of a process that is alive.
func Use(path string) {
	now := time.Now()
	_ = os.Chtimes(path, now, now) // it may be read-only
}

func sweepOwn() {
	Sweep(os.TempDir(), func(entry fs.DirEntry) bool { return isOwn(entry.Name()) })
}

// isOwn reports whether a name is one that Dir and File give.
func isOwn(name string) bool {
	return slices.ContainsFunc(Purposes(), func(p Purpose) bool {
		digits, begins := strings.CutPrefix(strings.TrimSuffix(name, fileSuffix), prefix+string(p)+"-")
		return begins && digits != "" && strings.Trim(digits, "0123456789") == ""
	})
}

// Sweep removes the directories and regular files in a directory that have not been used for a while,
// and that own selects. Those that cannot be removed are left: they may belong to another user.
func Sweep(dir string, own func(fs.DirEntry) bool) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if !entry.IsDir() && !entry.Type().IsRegular() || !own(entry) {
			continue
		}
		if info, err := entry.Info(); err == nil && time.Since(info.ModTime()) > unusedFor {
			_ = os.RemoveAll(filepath.Join(dir, entry.Name()))
		}
	}
}
