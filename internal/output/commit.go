// Package output writes files to disk, either all of them or none, or only reports what
// would change. It knows paths and bytes, not what the files contain.
package output

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/schemagen/schemagen/diag"
)

// File is an output file of a run.
type File struct {
	// Path is the path as shown to the user: relative to the working directory, or
	// absolute.
	Path string
	Data []byte
}

// Mode is what Commit does with outputs.
type Mode int

const (
	// Write writes the files that differ, all of them or none.
	Write Mode = iota
	// Check prints what Write would change, for a caller that fails if anything would.
	Check
	// Diff prints the same, for a caller that only shows it.
	Diff
	// Stdout prints the outputs themselves; paths are ignored.
	Stdout
)

// Commit writes or reports outputs according to mode, and returns the paths of those
// that differ from the files on disk, in the order of outputs; none for [Stdout].
//
// Files that are equal are not touched, not even opened for writing. The permission bits
// of existing files are kept, and symlinks to files are followed. If Commit fails, no
// file is changed: all temporary files are written next to their targets before the first
// target is replaced. If the process is killed between the first and the last
// replacement, some files are new and the others old, but each is complete; the next run
// updates the rest.
//
// It returns an error with the path if an output cannot be read or written, if its path
// is a directory, a device or a dangling symlink, or if two outputs have the same path.
// If ctx is done before files are replaced, Commit returns its error; after that, ctx is
// ignored.
func Commit(ctx context.Context, outputs []File, mode Mode, stdout io.Writer) (changed []string, err error) {
	if mode == Stdout {
		for _, out := range outputs {
			if json.Valid(out.Data) {
				out.Data = []byte(diag.EscapeJSON(string(out.Data)))
			}
			if _, err := diag.Documents(stdout).Write(out.Data); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	targets, err := findTargets(ctx, outputs)
	if err != nil {
		return nil, err
	}
	switch mode {
	case Write:
		sweepTemps(outputs, time.Now())
		err = disk{write: createTemp, rename: rename}.replace(ctx, targets)
	case Check, Diff:
		err = printDiffs(ctx, stdout, targets)
	default:
		err = fmt.Errorf("unknown commit mode %d", mode)
	}
	if err != nil {
		return nil, err
	}
	for _, t := range targets {
		changed = append(changed, t.Path)
	}
	return changed, nil
}

// Remove removes stale files.
func Remove(paths []string) error {
	for _, path := range paths {
		if err := untilFree(func() error { return os.Remove(path) }, thisSystem.inUse, time.Sleep); err != nil {
			return fmt.Errorf("remove a stale file: %w", err)
		}
	}
	return nil
}

// target is an output that differs from the file on disk.
type target struct {
	File
	// file is the path of the file to replace: absolute, without symlinks.
	file string
	// exists is true if there is a file, with the content old and the permission
	// bits perm. Otherwise perm is the mode before the umask is applied.
	exists bool
	old    []byte
	perm   fs.FileMode
	// temp is the temporary file of the target, or "" if it has none.
	temp string
}

// findTargets compares outputs with the disk and returns those that differ.
func findTargets(ctx context.Context, outputs []File) ([]*target, error) {
	var targets []*target
	taken := make(map[string]string, len(outputs))
	var content bytes.Buffer // of the file on disk
	for _, out := range outputs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		content.Reset()
		t, err := newTarget(out, &content)
		if err != nil {
			return nil, err
		}
		key := thisSystem.samePath(t.file)
		if other, ok := taken[key]; ok {
			return nil, fmt.Errorf("%s: two outputs have this path (the other as %s)", out.Path, other)
		}
		taken[key] = out.Path
		if !t.exists || !bytes.Equal(content.Bytes(), t.Data) {
			t.old = bytes.Clone(content.Bytes())
			targets = append(targets, t)
		}
	}
	return targets, nil
}

// newTarget returns the target of an output without its old content, which is read to content.
func newTarget(out File, content *bytes.Buffer) (*target, error) {
	t := &target{File: out, perm: 0o666}
	abs, err := absolute(out.Path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", out.Path, err)
	}
	if t.file, err = resolve(abs); err != nil {
		return nil, fmt.Errorf("%s: %w", out.Path, err)
	}
	info, err := os.Stat(t.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t, nil
	case err != nil:
		return nil, pathError(out.Path, err)
	case info.IsDir():
		return nil, &fs.PathError{Op: "open", Path: out.Path, Err: syscall.EISDIR}
	case !info.Mode().IsRegular():
		// Reading a pipe would block, and a rename would replace a device.
		return nil, fmt.Errorf("%s: not a regular file", out.Path)
	}
	t.exists, t.perm = true, info.Mode().Perm()
	old, err := os.Open(t.file)
	if err != nil {
		return nil, pathError(out.Path, err)
	}
	defer old.Close()
	content.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := content.ReadFrom(old); err != nil {
		return nil, pathError(out.Path, err)
	}
	return t, nil
}

// absolute returns the absolute path that the system uses for a clean relative one: ".."
// is the parent of the physical working directory, not of the symlink through which it
// was entered.
func absolute(path string) (string, error) {
	if filepath.IsAbs(path) {
		return filepath.Clean(path), nil
	}
	if thisSystem == "windows" { // which resolves ".." before symlinks, and knows C:x and \x
		return filepath.Abs(path)
	}
	wd, err := os.Getwd()
	if err == nil {
		wd, err = filepath.EvalSymlinks(wd)
	}
	return filepath.Join(wd, path), err
}

// resolve resolves the symlinks of an absolute path, the end of which need not exist.
func resolve(path string) (string, error) {
	file, err := filepath.EvalSymlinks(path)
	if !errors.Is(err, fs.ErrNotExist) {
		return file, err
	}
	if _, err := os.Lstat(path); err == nil {
		return "", fmt.Errorf("%s is a symlink to a file that does not exist", path)
	}
	parent := filepath.Dir(path)
	if parent == path {
		return "", err
	}
	if parent, err = resolve(parent); err != nil {
		return "", err
	}
	return filepath.Join(parent, filepath.Base(path)), nil
}

// pathError returns err of an operation on the file behind path, with path as the user
// knows it instead of the name of a temporary or resolved file.
func pathError(path string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: e.Op, Path: path, Err: e.Err}
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return &fs.PathError{Op: e.Op, Path: path, Err: e.Err}
	}
	return fmt.Errorf("%s: %w", path, err)
}

// disk replaces files. Its fields are the operations that can fail late, so that tests can
// make them fail.
type disk struct {
	// write creates t.temp, with t's permission bits.
	write  func(t *target, data []byte) error
	rename func(from, to string) error
}

// replace gives all targets their new content, or leaves all of them unchanged. If a
// rename fails, the previous ones are undone; if that fails because the disk is broken, the
// error includes it.
func (d disk) replace(ctx context.Context, targets []*target) (err error) {
	var dirs []string
	defer func() {
		if err != nil {
			err = discard(err, targets, dirs)
		}
	}()
	for _, t := range targets {
		if err := ctx.Err(); err != nil {
			return err
		}
		if dirs, err = makeDir(dirs, filepath.Dir(t.file)); err != nil {
			return fmt.Errorf("%s: %w", t.Path, err)
		}
		if err := d.stage(t); err != nil {
			return err
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	for i, t := range targets {
		if err := d.rename(t.temp, t.file); err != nil {
			return errors.Join(pathError(t.Path, err), d.undo(targets[:i]))
		}
		t.temp = ""
	}
	return nil
}

// stage writes the new content of t to a temporary file.
func (d disk) stage(t *target) error {
	if t.exists {
		// A rename would replace a write-protected file. Opening it gives the error that
		// users expect.
		if err := untilFree(func() error { return openForWriting(t.file) }, thisSystem.inUse, time.Sleep); err != nil {
			return pathError(t.Path, err)
		}
	}
	return d.writeTemp(t, t.Data)
}

func openForWriting(name string) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// rename is [os.Rename], which on Windows waits for programs that have the file open.
func rename(from, to string) error {
	return untilFree(func() error { return os.Rename(from, to) }, thisSystem.renameInUse, time.Sleep)
}

func (d disk) writeTemp(t *target, data []byte) error {
	t.temp = filepath.Join(filepath.Dir(t.file), tempPrefix+rand.Text()+tempSuffix)
	if err := d.write(t, data); err != nil {
		return pathError(t.Path, err)
	}
	return nil
}

// Affixes of the names of temporary files, around 26 random letters and digits.
const (
	tempPrefix = ".schemagen-"
	tempSuffix = ".tmp"
)

// isTemp reports whether a name is that of a temporary file.
func isTemp(name string) bool {
	text, begins := strings.CutPrefix(name, tempPrefix)
	text, ends := strings.CutSuffix(text, tempSuffix)
	return begins && ends && len(text) == 26 && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// sweepTemps removes temporary files next to the outputs that are older than an hour, left
// over from killed runs. Files that cannot be removed are left.
func sweepTemps(outputs []File, now time.Time) {
	swept := map[string]bool{}
	for _, out := range outputs {
		dir := filepath.Dir(out.Path)
		if swept[dir] {
			continue
		}
		swept[dir] = true
		entries, _ := os.ReadDir(dir)
		for _, entry := range entries {
			if !entry.Type().IsRegular() || !isTemp(entry.Name()) {
				continue
			}
			if info, err := entry.Info(); err == nil && now.Sub(info.ModTime()) > time.Hour {
				_ = os.Remove(filepath.Join(dir, entry.Name()))
			}
		}
	}
}

// undo restores the previous content of replaced targets.
func (d disk) undo(targets []*target) error {
	var errs []error
	for _, t := range targets {
		var err error
		if !t.exists {
			err = os.Remove(t.file)
		} else if err = d.writeTemp(t, t.old); err == nil {
			if err = d.rename(t.temp, t.file); err == nil {
				t.temp = ""
			}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("restore: %w", pathError(t.Path, err)))
		}
	}
	return errors.Join(errs...)
}

// discard removes the temporary files of targets, and those of dirs that are empty. It
// returns err joined with its own errors.
func discard(err error, targets []*target, dirs []string) error {
	for _, t := range targets {
		if t.temp == "" {
			continue
		}
		if rmErr := os.Remove(t.temp); rmErr != nil && !errors.Is(rmErr, fs.ErrNotExist) {
			err = errors.Join(err, rmErr)
		}
	}
	for _, dir := range slices.Backward(dirs) {
		// Fails if another process put a file there, which must stay.
		_ = os.Remove(dir)
	}
	return err
}

// makeDir is os.MkdirAll that appends the directories it created to made, parents first,
// even if it fails.
func makeDir(made []string, dir string) ([]string, error) {
	info, err := os.Stat(dir)
	switch {
	case err == nil && info.IsDir():
		return made, nil
	case err == nil:
		return made, &fs.PathError{Op: "mkdir", Path: dir, Err: syscall.ENOTDIR}
	case !errors.Is(err, fs.ErrNotExist):
		return made, err
	}
	if parent := filepath.Dir(dir); parent != dir {
		if made, err = makeDir(made, parent); err != nil {
			return made, err
		}
	}
	err = os.Mkdir(dir, 0o777)
	if err == nil {
		return append(made, dir), nil
	}
	if errors.Is(err, fs.ErrExist) {
		// Another process created it, so it must not be removed.
		return made, nil
	}
	return made, err
}

// createTemp creates t.temp with data.
func createTemp(t *target, data []byte) (err error) {
	f, err := os.OpenFile(t.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, t.perm)
	if err != nil {
		return err
	}
	defer func() {
		if closeErr := f.Close(); err == nil {
			err = closeErr
		}
	}()
	if t.exists {
		info, err := f.Stat()
		if err != nil {
			return err
		}
		// Only if the umask removed bits: some file systems reject any chmod.
		if info.Mode().Perm() != t.perm {
			if err := f.Chmod(t.perm); err != nil {
				return err
			}
		}
	}
	_, err = f.Write(data)
	return err
}
