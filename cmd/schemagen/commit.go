package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"syscall"
)

// output is one file that a run wants on disk.
type output struct {
	// path is the file as the user would see it: relative to the working
	// directory, or absolute.
	path string
	data []byte
}

// commitMode says what to do with outputs.
type commitMode int

const (
	// commitWrite changes the files that differ, all of them or none.
	commitWrite commitMode = iota
	// commitCheck prints what commitWrite would change, for a caller that fails
	// where anything would.
	commitCheck
	// commitDiff prints the same, for a caller that only wants to see it.
	commitDiff
	// commitStdout prints the outputs themselves; paths do not matter.
	commitStdout
)

// commit carries outputs to their place, which mode names, and returns the paths
// of those that differ from what is on disk, in the order of outputs; none for
// [commitStdout].
//
// Files that are equal already are not touched, not even opened for writing. The
// permission bits of files that exist are kept, and symlinks to files are
// written through. If commit fails, no file is changed: temporary files stand
// next to all targets before the first one is replaced.
//
// It is an error, which names the path, if an output cannot be read or written,
// if its path is a directory, a device or a symlink to nothing, or if two outputs
// have the same path. If ctx ends before files are being replaced, commit returns
// its error; later it is not looked at.
func commit(ctx context.Context, outputs []output, mode commitMode, stdout io.Writer) (changed []string, err error) {
	if mode == commitStdout {
		for _, out := range outputs {
			if _, err := stdout.Write(out.data); err != nil {
				return nil, err
			}
		}
		return nil, nil
	}
	targets, err := commitTargets(ctx, outputs)
	if err != nil {
		return nil, err
	}
	switch mode {
	case commitWrite:
		err = commitDisk{write: writeCommitTemp, rename: os.Rename}.replace(ctx, targets)
	case commitCheck, commitDiff:
		err = printCommitDiffs(ctx, stdout, targets)
	default:
		err = fmt.Errorf("unknown commit mode %d", mode)
	}
	if err != nil {
		return nil, err
	}
	for _, t := range targets {
		changed = append(changed, t.path)
	}
	return changed, nil
}

// commitTarget is an output that differs from what is on disk.
type commitTarget struct {
	output
	// file is the file to replace: absolute, without symlinks.
	file string
	// exists says that there is a file now, with the content old and the
	// permission bits perm. Otherwise perm is what the umask is applied to.
	exists bool
	old    []byte
	perm   fs.FileMode
	// temp is the temporary file of the target, "" while it has none.
	temp string
}

// commitTargets compares outputs with the disk and returns those that differ.
func commitTargets(ctx context.Context, outputs []output) ([]*commitTarget, error) {
	var targets []*commitTarget
	taken := make(map[string]string, len(outputs))
	for _, out := range outputs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t, err := newCommitTarget(out)
		if err != nil {
			return nil, err
		}
		if other, ok := taken[t.file]; ok {
			return nil, fmt.Errorf("%s: two outputs have this path (the other one as %s)", out.path, other)
		}
		taken[t.file] = out.path
		if !t.exists || !bytes.Equal(t.old, t.data) {
			targets = append(targets, t)
		}
	}
	return targets, nil
}

func newCommitTarget(out output) (*commitTarget, error) {
	t := &commitTarget{output: out, perm: 0o666}
	abs, err := filepath.Abs(out.path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", out.path, err)
	}
	if t.file, err = resolveCommitPath(abs); err != nil {
		return nil, fmt.Errorf("%s: %w", out.path, err)
	}
	info, err := os.Stat(t.file)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t, nil
	case err != nil:
		return nil, commitPathError(out.path, err)
	case info.IsDir():
		return nil, &fs.PathError{Op: "open", Path: out.path, Err: syscall.EISDIR}
	case !info.Mode().IsRegular():
		// Reading a pipe would block, and a rename would replace a device.
		return nil, fmt.Errorf("%s: not a regular file", out.path)
	}
	t.exists, t.perm = true, info.Mode().Perm()
	if t.old, err = os.ReadFile(t.file); err != nil {
		return nil, commitPathError(out.path, err)
	}
	return t, nil
}

// resolveCommitPath follows the symlinks of an absolute path, of which the end
// need not exist.
func resolveCommitPath(path string) (string, error) {
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
	if parent, err = resolveCommitPath(parent); err != nil {
		return "", err
	}
	return filepath.Join(parent, filepath.Base(path)), nil
}

// commitPathError is err of an operation on the file behind path, with path, as
// the user knows it, in place of the name of a temporary or resolved file.
func commitPathError(path string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: e.Op, Path: path, Err: e.Err}
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return &fs.PathError{Op: e.Op, Path: path, Err: e.Err}
	}
	return fmt.Errorf("%s: %w", path, err)
}

// commitDisk is how files are replaced: the operations that can fail late, for
// tests to make them fail.
type commitDisk struct {
	// write creates t.temp, with the permission bits of t.
	write  func(t *commitTarget, data []byte) error
	rename func(from, to string) error
}

// replace gives all targets their new content, or leaves all as they are. If a
// rename fails, those before it are undone; what cannot be undone, because the
// disk fails for good, is part of the error.
func (d commitDisk) replace(ctx context.Context, targets []*commitTarget) (err error) {
	var dirs []string
	defer func() {
		if err != nil {
			err = discardCommit(err, targets, dirs)
		}
	}()
	for _, t := range targets {
		if err := ctx.Err(); err != nil {
			return err
		}
		if dirs, err = makeCommitDir(dirs, filepath.Dir(t.file)); err != nil {
			return fmt.Errorf("%s: %w", t.path, err)
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
			return errors.Join(commitPathError(t.path, err), d.undo(targets[:i]))
		}
		t.temp = ""
	}
	return nil
}

// stage writes the new content of t to a temporary file.
func (d commitDisk) stage(t *commitTarget) error {
	if t.exists {
		// A rename would replace a file that is write-protected. Who protected
		// it expects the error that opening it gives.
		f, err := os.OpenFile(t.file, os.O_WRONLY, 0)
		if err != nil {
			return commitPathError(t.path, err)
		}
		if err := f.Close(); err != nil {
			return commitPathError(t.path, err)
		}
	}
	return d.writeTemp(t, t.data)
}

func (d commitDisk) writeTemp(t *commitTarget, data []byte) error {
	t.temp = filepath.Join(filepath.Dir(t.file), ".schemagen-"+rand.Text()+".tmp")
	if err := d.write(t, data); err != nil {
		return commitPathError(t.path, err)
	}
	return nil
}

// undo gives targets that were replaced what they had before.
func (d commitDisk) undo(targets []*commitTarget) error {
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
			errs = append(errs, fmt.Errorf("restore: %w", commitPathError(t.path, err)))
		}
	}
	return errors.Join(errs...)
}

// discardCommit removes the temporary files of targets, and those of dirs that
// are empty. It returns err, joined with what went wrong here.
func discardCommit(err error, targets []*commitTarget, dirs []string) error {
	for _, t := range targets {
		if t.temp == "" {
			continue
		}
		if rmErr := os.Remove(t.temp); rmErr != nil && !errors.Is(rmErr, fs.ErrNotExist) {
			err = errors.Join(err, rmErr)
		}
	}
	for _, dir := range slices.Backward(dirs) {
		// Fails where somebody else put a file, which is to stay.
		_ = os.Remove(dir)
	}
	return err
}

// makeCommitDir is os.MkdirAll that appends the directories that it created to
// made, parents first, also when it fails.
func makeCommitDir(made []string, dir string) ([]string, error) {
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
		if made, err = makeCommitDir(made, parent); err != nil {
			return made, err
		}
	}
	err = os.Mkdir(dir, 0o777)
	if err == nil {
		return append(made, dir), nil
	}
	if errors.Is(err, fs.ErrExist) {
		// Another process was faster, so it is not ours to remove.
		return made, nil
	}
	return made, err
}

// writeCommitTemp creates t.temp with data.
func writeCommitTemp(t *commitTarget, data []byte) (err error) {
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
		// Only where the umask took bits: some file systems refuse any chmod.
		if info.Mode().Perm() != t.perm {
			if err := f.Chmod(t.perm); err != nil {
				return err
			}
		}
	}
	_, err = f.Write(data)
	return err
}
