package output

import (
	"bytes"
	"cmp"
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
	"time"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/interrupt"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/ground/temporary"
)

// File is an output file of a run.
type File struct {
	// Path is the path as shown to the user: relative to the working directory, or
	// absolute.
	Path string
	Data []byte
	// Before is set if Data is an edit of a file that people write: its content when it was read.
	// The file is written only if it is the same until it is replaced.
	Before []byte
	// By is the generator that made the file, for messages, or empty.
	By string
	// Mode are the permission bits of a new file, before the umask; 0 is 0o666.
	Mode fs.FileMode
}

// Mode is what a change does with its files.
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

// Change is what a run does to files, checked and compared with the disk.
type Change struct {
	Mode    Mode
	Outputs []File
	// Stale are the paths of files to remove.
	Stale []string
	// Refused are findings about files that must not be written, printed or removed.
	Refused diag.List
	// targets are the outputs that differ from the files on disk, and the files to remove.
	targets, removed []*target
}

// Prepare compares outputs with the disk, and checks whether they may be written and stale
// files removed, or printed according to mode. Nothing is changed.
//
// It returns an error if a file cannot be read, if two outputs have the same path, or if
// ctx is done.
func (w *Writer) Prepare(ctx context.Context, outputs []File, stale []string, mode Mode) (*Change, error) {
	c := &Change{Mode: mode, Outputs: outputs, Stale: stale}
	if mode == Stdout {
		return c, nil
	}
	var err error
	search := &search{bases: w.bases(), writer: w, mode: mode}
	c.targets, err = search.targets(ctx, outputs)
	if err != nil {
		return nil, err
	}
	for _, path := range stale {
		t, err := search.stale(path)
		if err != nil {
			return nil, err
		}
		c.removed = append(c.removed, t)
	}
	c.Refused = search.refused.Normalize()
	return c, nil
}

// Apply writes or prints the change, and returns the paths of the outputs that differ from the
// files on disk, in their order; none for [Stdout].
//
// Files that are equal are not touched, not even opened for writing. The permission bits
// of existing files are kept, except that generated files are not executable, and symlinks to files
// are followed. If Apply fails, no
// file is changed: all temporary files are written next to their targets before the first
// target is replaced. If the process is killed between the first and the last
// replacement, some files are new and the others old, but each is complete; the next run
// updates the rest.
//
// If files were refused, or a file to edit changes, the error is a [Refused]. If ctx is done before
// files are replaced, Apply returns its error; after that, ctx is ignored.
func (c *Change) Apply(ctx context.Context, stdout io.Writer) (changed []string, err error) {
	if len(c.Refused) > 0 {
		return nil, &Refused{c.Refused}
	}
	switch c.Mode {
	case Write:
		sweepTemps(c.Outputs)
		err = disk{write: createTemp, rename: rename}.replace(ctx, c.targets, c.removed)
	case Check, Diff:
		err = printDiffs(ctx, stdout, c.targets)
	case Stdout:
		return nil, printAll(stdout, c.Outputs)
	default:
		err = fmt.Errorf("unknown commit mode %d", c.Mode)
	}
	if err != nil {
		return nil, err
	}
	for _, t := range c.targets {
		changed = append(changed, t.Path)
	}
	return changed, nil
}

// Commit prepares and applies a change.
func (w *Writer) Commit(ctx context.Context, outputs []File, mode Mode, stdout io.Writer) ([]string, error) {
	c, err := w.Prepare(ctx, outputs, nil, mode)
	if err != nil {
		return nil, err
	}
	return c.Apply(ctx, stdout)
}

func printAll(stdout io.Writer, outputs []File) error {
	for _, out := range outputs {
		if json.Valid(out.Data) {
			out.Data = []byte(screen.EscapeJSON(string(out.Data)))
		}
		if _, err := screen.Documents(stdout).Write(out.Data); err != nil {
			return err
		}
	}
	return nil
}

// target is an output that differs from the file on disk.
type target struct {
	File
	// file is the path of the file to replace: absolute, without symlinks. base is the directory
	// or file of [Writer.bases] that it is in.
	file, base string
	// exists is true if there is a file, with the content old and the permission
	// bits perm, as they are after the change. Otherwise perm is the mode before the umask is applied.
	exists bool
	old    []byte
	perm   fs.FileMode
	info   fs.FileInfo
	// dir is the directory of the file, once it is open.
	dir *os.Root
	// temp is the name of the temporary file of the target in dir, or "" if it has none.
	temp string
}

// name is the name of the file in its directory.
func (t *target) name() string { return filepath.Base(t.file) }

// search finds targets.
type search struct {
	writer  *Writer
	bases   []string
	mode    Mode
	refused diag.List
	content bytes.Buffer // of the file on disk
}

func (s *search) refuse(kind *diag.Kind, path, hint, format string, args ...any) {
	s.refused = append(s.refused, kind.At(diag.Position{File: path}, hint, format, args...))
}

// targets compares outputs with the disk and returns the ones that differ.
func (s *search) targets(ctx context.Context, outputs []File) ([]*target, error) {
	var targets []*target
	taken := make(map[string]File, len(outputs))
	for _, out := range outputs {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		t, err := s.target(out)
		if err != nil {
			return nil, err
		}
		if t == nil {
			continue
		}
		key := thisSystem.samePath(t.file)
		if other, ok := taken[key]; ok {
			if err := s.checkSame(other, out); err != nil {
				return nil, err
			}
			continue
		}
		taken[key] = out
		if out.Before != nil && !bytes.Equal(s.content.Bytes(), out.Before) {
			s.refused = append(s.refused, savedMeanwhile(out.Path))
			continue
		}
		perm := t.perm
		t.perm = s.permissions(out, perm)
		if !t.exists || t.perm != perm || !bytes.Equal(s.content.Bytes(), t.Data) {
			t.old = bytes.Clone(s.content.Bytes())
			s.checkWritable(t)
			targets = append(targets, t)
		}
	}
	return targets, nil
}

// permissions returns the permission bits that a file has after it is written, if it has some before.
// Generated files are not executable, as git records. Other bits depend on the umask.
func (s *search) permissions(out File, perm fs.FileMode) fs.FileMode {
	if out.Before != nil || out.Mode != 0 || perm&0o111 == 0 || !s.writer.recordsModes() {
		return perm
	}
	return perm &^ 0o111
}

// checkSame returns an error if two outputs are written to one file. For edits of a file that has two
// paths, because one is a symlink, it reports that they differ.
func (s *search) checkSame(a, b File) error {
	if a.Before == nil || b.Before == nil {
		return fmt.Errorf("%s: two outputs have this path (the other as %s)", b.Path, a.Path)
	}
	if !bytes.Equal(a.Data, b.Data) {
		s.refuse(irreplaceable, b.Path, "replace the symlink by a copy", "it is the same file as %s, and each would be changed in another way", a.Path)
	}
	return nil
}

// target returns the target of an output without its old content, which is read to s.content,
// or nil if it is refused.
func (s *search) target(out File) (*target, error) {
	s.content.Reset()
	location, found, err := s.writer.locate(s.bases, out.Path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", out.Path, err)
	}
	if found != nil {
		s.refused = append(s.refused, *found)
		return nil, nil
	}
	t := &target{File: out, file: location.file, base: location.base, perm: cmp.Or(out.Mode, 0o666)}
	info, err := os.Stat(t.file)
	if reason := location.unusable(info, err); reason != "" {
		s.refuse(irreplaceable, out.Path, "remove it, or choose another path", "%s", reason)
		return nil, nil
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return t, nil
	case err != nil:
		return nil, pathError(out.Path, err)
	}
	t.exists = true
	t.perm = info.Mode().Perm()
	t.info = info
	old, err := os.Open(t.file)
	if err != nil {
		return nil, pathError(out.Path, err)
	}
	defer old.Close()
	s.content.Grow(int(info.Size()) + bytes.MinRead)
	if _, err := s.content.ReadFrom(old); err != nil {
		return nil, pathError(out.Path, err)
	}
	return t, nil
}

// stale returns the target for a file to remove, which a later refusal may concern.
func (s *search) stale(path string) (*target, error) {
	t, err := s.target(File{Path: path})
	if err != nil || t == nil {
		return t, err
	}
	if s.mode == Write && t.exists && t.perm&0o200 == 0 {
		s.refuse(irreplaceable, path, "make it writable, or remove it by hand", "it is read-only")
	}
	full, err := absolute(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	// A symlink is removed itself, not the file that it leads to.
	t.file = filepath.Join(Physical(filepath.Dir(full)), filepath.Base(full))
	t.base = baseOf(s.bases, t.file)
	if t.base == "" {
		s.refused = append(s.refused, s.writer.refuse(path, location{file: t.file}))
	}
	return t, nil
}

// checkWritable reports a file that must not be replaced, although it is where it may be.
func (s *search) checkWritable(t *target) {
	if !t.exists {
		return
	}
	if s.mode == Write && t.perm&0o200 == 0 {
		s.refuse(irreplaceable, t.Path, "make it writable, or choose another path", "it is read-only")
	}
	if t.Before != nil {
		if reason := Unfit(t.info, t.Before); reason != "" {
			s.refuse(irreplaceable, t.Path, "change it by hand, or what it is generated from", "%s", reason)
		}
		return
	}
	if mark := generatedByOther(t.old, t.Data); mark != "" {
		s.refuse(irreplaceable, t.Path, "remove it, or choose another path", "another program has written it: %s", mark)
	}
}

// Unfit returns why a file that people would write is not edited, or "".
func Unfit(info fs.FileInfo, content []byte) string {
	if marks := Generated(content); len(marks) > 0 {
		return "it is generated: " + marks[0]
	}
	if linksOf(info) > 1 {
		return "it has another name, by a hard link, which would keep the old content"
	}
	return ""
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

// pathError returns err of an operation on the file behind path, with path as the user
// knows it instead of the name of a temporary or resolved file.
func pathError(path string, err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok {
		return &fs.PathError{Op: plainOperation(e.Op), Path: path, Err: e.Err}
	}
	if e, ok := errors.AsType[*os.LinkError](err); ok {
		return &fs.PathError{Op: plainOperation(e.Op), Path: path, Err: e.Err}
	}
	return fmt.Errorf("%s: %w", path, err)
}

// plainOperation returns the name of an operation without the suffix that [os.Root] adds: open
// of openat.
func plainOperation(op string) string {
	if op == "stat" || op == "lstat" {
		return op
	}
	return strings.TrimSuffix(op, "at")
}

// disk replaces files. Its fields are the operations that can fail late, so that tests can
// make them fail.
type disk struct {
	// write creates t.temp, with t's permission bits.
	write  func(t *target, data []byte) error
	rename func(dir *os.Root, from, to string) error
}

// replace gives all targets their new content and removes the others, or leaves all of them
// unchanged. If a rename fails, the previous ones are undone; if that fails because the disk is
// broken, the error includes it.
//
// Everything happens in directories that are open: a symlink that appears in a path meanwhile
// has no effect.
func (d disk) replace(ctx context.Context, targets, removed []*target) (err error) {
	defer interrupt.Hold(ctx)()
	folders := &folders{open: map[string]*os.Root{}}
	defer folders.close()
	all := slices.Concat(targets, removed)
	defer func() {
		if err != nil {
			err = discard(err, all, folders)
		}
	}()
	for _, t := range targets {
		if err := ctx.Err(); err != nil {
			return err
		}
		t.dir, err = folders.folder(t.base, filepath.Dir(t.file))
		if err != nil {
			return fmt.Errorf("%s: %w", t.Path, err)
		}
		if err := d.stage(t); err != nil {
			return err
		}
	}
	for _, t := range removed {
		t.dir, err = folders.folder(t.base, filepath.Dir(t.file))
		if err != nil {
			return fmt.Errorf("%s: %w", t.Path, err)
		}
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := unchanged(targets); err != nil {
		return err
	}
	for i, t := range all {
		if i < len(targets) {
			err = d.replaceOne(t)
		} else {
			err = d.setAside(t)
		}
		if err != nil {
			return errors.Join(err, d.undo(targets[:min(i, len(targets))], removed[:max(0, i-len(targets))]))
		}
	}
	for _, t := range removed {
		if err := t.dir.Remove(t.temp); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fmt.Errorf("remove a stale file: %w", pathError(t.Path, err))
		}
		t.temp = ""
	}
	return nil
}

// replaceOne replaces the file of a target by its temporary file.
func (d disk) replaceOne(t *target) error {
	if err := unchanged([]*target{t}); err != nil {
		return err
	}
	if err := d.rename(t.dir, t.temp, t.name()); err != nil {
		return pathError(t.Path, err)
	}
	t.temp = ""
	return nil
}

// setAside renames a stale file, so that this can be undone.
func (d disk) setAside(t *target) error {
	aside := temporaryName()
	if err := d.rename(t.dir, t.name(), aside); err != nil {
		return fmt.Errorf("remove a stale file: %w", pathError(t.Path, err))
	}
	t.temp = aside
	return nil
}

// unchanged returns an error with the targets that are edited and have changed since they were
// read.
func unchanged(targets []*target) error {
	var changed diag.List
	for _, t := range targets {
		if t.Before == nil {
			continue
		}
		now, err := t.dir.ReadFile(t.name())
		if err != nil || !bytes.Equal(now, t.Before) {
			changed = append(changed, savedMeanwhile(t.Path))
		}
	}
	if len(changed) > 0 {
		return &Refused{changed}
	}
	return nil
}

func savedMeanwhile(path string) diag.Diagnostic {
	const hint = "run the command again"
	return changedMeanwhile.At(diag.Position{File: path}, hint, "the file changed after schemagen read it")
}

// stage writes the new content of t to a temporary file.
func (d disk) stage(t *target) error {
	if t.exists {
		// A rename would replace a write-protected file. Opening it gives the error that
		// users expect.
		if err := untilFree(t.openForWriting, thisSystem.inUse, time.Sleep); err != nil {
			return pathError(t.Path, err)
		}
	}
	return d.writeTemp(t, t.Data)
}

func (t *target) openForWriting() error {
	f, err := t.dir.OpenFile(t.name(), os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return f.Close()
}

// rename is [os.Root.Rename], which on Windows waits for programs that have the file open.
func rename(dir *os.Root, source, target string) error {
	return untilFree(func() error { return dir.Rename(source, target) }, thisSystem.renameInUse, time.Sleep)
}

func (d disk) writeTemp(t *target, data []byte) error {
	t.temp = temporaryName()
	if err := d.write(t, data); err != nil {
		return pathError(t.Path, err)
	}
	return nil
}

func temporaryName() string { return tempPrefix + rand.Text() + tempSuffix }

// Affixes of the names of temporary files, around 26 random letters and digits.
const (
	tempPrefix = ".schemagen-"
	tempSuffix = ".tmp"
)

// isTemp reports whether a temporary file has a name.
func isTemp(name string) bool {
	text, begins := strings.CutPrefix(name, tempPrefix)
	text, ends := strings.CutSuffix(text, tempSuffix)
	return begins && ends && len(text) == 26 && strings.Trim(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567") == ""
}

// sweepTemps removes old temporary files next to the outputs.
func sweepTemps(outputs []File) {
	swept := map[string]bool{}
	for _, out := range outputs {
		dir := filepath.Dir(out.Path)
		if !swept[dir] {
			swept[dir] = true
			temporary.Sweep(dir, func(entry fs.DirEntry) bool { return entry.Type().IsRegular() && isTemp(entry.Name()) })
		}
	}
}

// undo restores the previous content of replaced targets, and removed files. What another
// program has saved meanwhile stays.
func (d disk) undo(replaced, removed []*target) error {
	var errs []error
	for _, t := range replaced {
		now, err := t.dir.ReadFile(t.name())
		switch {
		case err == nil && !bytes.Equal(now, t.Data):
			continue
		case !t.exists:
			err = t.dir.Remove(t.name())
		default:
			t.perm = t.info.Mode().Perm()
			if err = d.writeTemp(t, t.old); err == nil {
				err = d.restore(t)
			}
		}
		if err != nil {
			errs = append(errs, fmt.Errorf("restore: %w", pathError(t.Path, err)))
		}
	}
	for _, t := range removed {
		if err := d.restore(t); err != nil {
			errs = append(errs, fmt.Errorf("restore: %w", pathError(t.Path, err)))
		}
	}
	return errors.Join(errs...)
}

// restore gives the temporary file of a target the name of the target.
func (d disk) restore(t *target) error {
	err := d.rename(t.dir, t.temp, t.name())
	if err == nil {
		t.temp = ""
	}
	return err
}

// discard removes the temporary files of targets, and the new folders that are empty. It
// returns err joined with its own errors.
func discard(err error, targets []*target, folders *folders) error {
	for _, t := range targets {
		if t.temp == "" || t.dir == nil {
			continue
		}
		if rmErr := t.dir.Remove(t.temp); rmErr != nil && !errors.Is(rmErr, fs.ErrNotExist) {
			err = errors.Join(err, rmErr)
		}
	}
	folders.removeNew()
	return err
}

// createTemp creates t.temp with data.
func createTemp(t *target, data []byte) (err error) {
	f, err := t.dir.OpenFile(t.temp, os.O_WRONLY|os.O_CREATE|os.O_EXCL, t.perm)
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
