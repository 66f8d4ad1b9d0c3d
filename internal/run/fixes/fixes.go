package fixes

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"sync"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/run/output"
)

// MaxRounds limits the rounds, in case that two fixes undo each other.
const MaxRounds = 10

// Session holds the files that fixes have changed.
type Session struct {
	// dir is the working directory, to which file names may be relative. Only files below
	// root, both without symlinks, are fixed.
	dir, root string
	// disk reads files; tests replace it.
	disk func(name string) ([]byte, error)

	mu sync.Mutex
	// read are the digests of the files that were read from disk, by absolute name.
	read map[string][sha256.Size]byte
	// fixed are the fixed files by absolute name, and left the reasons not to fix others.
	fixed map[string]*file
	left  map[string]string
	// errors are the errors of the first round, nil before it, and causes the warnings whose
	// fixes caused others.
	errors, causes map[finding]bool
}

// finding identifies a diagnostic in all rounds, in which its line may differ.
type finding struct {
	file    string
	code    diag.Code
	message string
}

// file is a fixed file.
type file struct {
	before, after []byte
	fixes         int
	// warnings have been fixed; their lines are those after the fixes.
	warnings map[string]finding
}

// New returns a session for a run in an absolute directory. Files outside the module of the
// directory, or the workspace around it, are not fixed.
func New(dir string) *Session {
	var disk *inputs.Reader
	return &Session{
		dir: dir, root: moduleRoot(disk, output.Physical(dir)),
		disk: func(name string) ([]byte, error) { return disk.ReadFile(name, nil) },
		read: map[string][sha256.Size]byte{}, fixed: map[string]*file{}, left: map[string]string{}, causes: map[finding]bool{},
	}
}

// moduleRoot returns the directory of the workspace that contains dir, else that of the
// module, else dir.
func moduleRoot(disk *inputs.Reader, dir string) string {
	for _, name := range []string{"go.work", "go.mod"} {
		for path := dir; ; path = filepath.Dir(path) {
			if _, err := disk.Stat(filepath.Join(path, name)); err == nil {
				return path
			}
			if path == filepath.Dir(path) {
				break
			}
		}
	}
	return dir
}

// Inputs returns a reader of files with the fixes so far. A nil session has none.
func (s *Session) Inputs() *inputs.Reader {
	if s == nil {
		return inputs.New()
	}
	overlay := map[string][]byte{}
	for name, f := range s.fixed {
		overlay[name] = f.after
	}
	return inputs.Overlaid(overlay, s.readDisk)
}

// readDisk reads a file and records what it was when it was read first.
func (s *Session) readDisk(name string) ([]byte, error) {
	data, err := s.disk(name)
	if err == nil {
		s.mu.Lock()
		defer s.mu.Unlock()
		if _, ok := s.read[name]; !ok {
			s.read[name] = sha256.Sum256(data)
		}
	}
	return data, err
}

// Apply applies the fixes of findings and reports whether it changed a file.
func (s *Session) Apply(findings diag.List) (changed bool) {
	findings = findings.On()
	if s.revert(findings) {
		return true
	}
	edits := map[string]*plan{}
	for _, d := range findings {
		if len(d.Fixes) == 1 {
			s.collect(edits, d)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(edits)) {
		changed = s.apply(name, edits[name]) || changed
	}
	return changed
}

// revert drops the fixes of files in which the fix of a warning caused an error, and reports
// whether there are any. The next round fixes the rest again.
func (s *Session) revert(findings diag.List) (reverted bool) {
	first := s.errors == nil
	if first {
		s.errors = map[finding]bool{}
	}
	for _, d := range findings {
		name := s.absolute(d.Pos.File)
		id := finding{name, d.Code, d.Message}
		if d.Severity != diag.Error || s.errors[id] || len(d.Fixes) == 1 {
			continue // an error with a fix is fixed in this round
		}
		if first {
			s.errors[id] = true
		} else if f := s.fixed[name]; f != nil {
			if cause, ok := f.warnings[lineOf(f.after, d.Pos.Line)]; ok {
				s.causes[cause] = true
				delete(s.fixed, name)
				reverted = true
			}
		}
	}
	return reverted
}

// lineOf returns a line of a text, without the blanks around it.
func lineOf(text []byte, line int) string {
	lines := bytes.Split(text, []byte("\n"))
	if line < 1 || line > len(lines) {
		return ""
	}
	return string(bytes.TrimSpace(lines[line-1]))
}

// collect adds the fix of a diagnostic to the plan of its file, unless it overlaps one that is
// in it.
func (s *Session) collect(plans map[string]*plan, d diag.Diagnostic) {
	name, ok := s.fileOf(d.Fixes[0])
	id := finding{s.absolute(d.Pos.File), d.Code, d.Message}
	if !ok || s.left[name] != "" || s.causes[id] {
		return
	}
	if plans[name] == nil {
		plans[name] = &plan{warnings: map[diag.Edit]finding{}}
	}
	plans[name].add(d.Fixes[0])
	if d.Severity != diag.Error {
		for _, e := range d.Fixes[0].Edits {
			plans[name].warnings[e] = id
		}
	}
}

// fileOf returns the absolute name of the only file that a fix changes.
func (s *Session) fileOf(fix diag.Fix) (name string, ok bool) {
	for _, e := range fix.Edits {
		if e.Pos.File == "" || e.Pos.Line < 1 || e.End.Line < 1 || e.Pos.File != fix.Edits[0].Pos.File || e.End.File != e.Pos.File {
			return "", false
		}
		name = s.absolute(e.Pos.File)
	}
	return name, name != ""
}

// absolute returns the absolute name of a file in a diagnostic, or the empty string if it has
// none.
func (s *Session) absolute(name string) string {
	name = filepath.FromSlash(name)
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(s.dir, name)
}

// apply applies the plan of a file.
func (s *Session) apply(name string, p *plan) bool {
	f := s.fixed[name]
	if f == nil {
		head, reason := s.fixable(name)
		if reason != "" {
			s.left[name] = reason
			return false
		}
		f = &file{before: head, after: head, warnings: map[string]finding{}}
	}
	tail, err := p.applied(name, f.after)
	if err != nil {
		s.left[name] = err.Error()
		delete(s.fixed, name)
		return true // the next round reads the file without fixes
	}
	if bytes.Equal(tail, f.after) {
		return false
	}
	f.after = tail
	f.fixes = f.fixes + p.fixes
	maps.Copy(f.warnings, p.lines)
	s.fixed[name] = f
	return true
}

// fixable returns the content of a file, or the reason not to fix it.
func (s *Session) fixable(name string) (data []byte, reason string) {
	var disk *inputs.Reader
	info, err := disk.Stat(name)
	switch {
	case err != nil:
		return nil, err.Error()
	case !info.Mode().IsRegular():
		return nil, "it is not a regular file"
	case !output.IsBelow(s.root, output.Physical(name)):
		return nil, "it is outside the module in " + s.root
	case info.Mode().Perm()&0o200 == 0:
		return nil, "it is read-only"
	}
	data, err = s.disk(name)
	if err != nil {
		return nil, err.Error()
	}
	if digest, ok := s.read[name]; ok && digest != sha256.Sum256(data) {
		return nil, changedSince
	}
	return data, output.Unfit(info, data)
}

// changedSince is the reason not to fix a file that is not the one with the findings.
const changedSince = "it changed after schemagen read it"

// Recheck reports whether no file has changed on disk since it was read. The fixes of files
// that have are dropped, so that a further round is needed.
func (s *Session) Recheck() bool {
	same := true
	for name, f := range s.fixed {
		if now, err := s.disk(name); err != nil || !bytes.Equal(now, f.before) {
			s.left[name] = changedSince
			delete(s.fixed, name)
			same = false
		}
	}
	return same
}

// Fix applies the fixes of findings in rounds until there are none, and writes the files or
// prints the differences. find returns the findings of a run that reads files with a reader. If
// another program saves a file before it is replaced, the others are fixed without it. Fix
// returns the paths of the files that changed.
func (s *Session) Fix(ctx context.Context, writer *output.Writer, mode output.Mode, stdout io.Writer,
	find func(reader *inputs.Reader) (diag.List, error)) ([]string, error) {
	for {
		for range MaxRounds {
			findings, err := find(s.Inputs())
			if err != nil {
				return nil, err
			}
			if !s.Apply(findings) && s.Recheck() {
				break
			}
		}
		changed, err := writer.Commit(ctx, s.Outputs(), mode, stdout)
		saved := output.Changed(err)
		if len(saved) == 0 {
			return changed, err
		}
		for _, path := range saved {
			name := s.absolute(path)
			s.left[name] = changedSince
			delete(s.fixed, name)
		}
	}
}

// Outputs returns the fixed files, sorted by name. Paths are relative to the working
// directory if they are near it.
func (s *Session) Outputs() (out []output.File) {
	for _, name := range slices.Sorted(maps.Keys(s.fixed)) {
		out = append(out, output.File{Path: s.shown(name), Data: s.fixed[name].after, Before: s.fixed[name].before})
	}
	return out
}

// Fixes returns the number of fixes that were applied to a file of Outputs.
func (s *Session) Fixes(path string) int {
	if !filepath.IsAbs(path) {
		path = filepath.Join(s.dir, path)
	}
	return s.fixed[path].fixes
}

// Unfixed returns a finding about each file with fixes that were not applied.
func (s *Session) Unfixed() (out diag.List) {
	if s == nil {
		return nil
	}
	for _, name := range slices.Sorted(maps.Keys(s.left)) {
		out = append(out, notFixed.At(diag.Position{File: s.shown(name)}, "", "--fix left this file unchanged: %s", s.left[name]))
	}
	return out
}

func (s *Session) shown(name string) string { return screen.Relative(s.dir, name, screen.Nearby) }
