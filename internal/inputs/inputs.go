// Package inputs reads what the result of a run depends on: files, directories,
// variables of the environment. A [Reader] notes every question and the digest of
// its answer; the notes are a [Record], which tells a later run whether each answer
// would be the same, and so whether the result would.
//
// A question is asked again to tell. What makes that quick is a file's [stamp]: as
// long as device, inode, size, and times of modification and change are the same,
// its content is not read. The time of change cannot be set, so that an edit which
// keeps size and modification time is seen. A file that changed so shortly before
// it was read that another change might get the same time has no stamp, and is
// read; nor has it where the system knows no time of change, or, on Linux, while
// somebody has it open for writing: of writes through memory only the first is timed.
//
// It knows neither Go nor this project.
package inputs

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// The kinds of questions.
const (
	opFile  = "file"  // the content of a file
	opHead  = "head"  // the first bytes of a file, with their number
	opDir   = "dir"   // names and types of the entries of a directory
	opKind  = "kind"  // whether something exists, and is a directory or a file
	opLink  = "link"  // the path without symlinks
	opLook  = "look"  // where a command is
	opEnv   = "env"   // a variable
	opLKind = "lkind" // as kind, of a symlink itself
)

// Reader reads, and notes what it read. The methods of a nil Reader only read. It
// is safe for concurrent use.
type Reader struct {
	mu    sync.Mutex
	notes map[question]note
	// dirs are the directories that were read: within a run they are read once.
	dirs map[string]dirAnswer
	// unsure is why the notes do not tell all that the result depends on.
	unsure string
	// overlay and read are where the content of files comes from first; see [Overlaid].
	overlay map[string][]byte
	read    func(name string) ([]byte, error)
}

// question is what was asked: of what, and, for the head of a file, how much.
type question struct {
	op, name string
	size     int
}

// note is a question's answer.
type note struct {
	answer digest
	stamp  stamp
}

// dirAnswer is what reading a directory returned.
type dirAnswer struct {
	entries []fs.DirEntry
	err     error
}

// digest stands for an answer: the sum of what was read, or the error in words.
type digest string

// New returns a Reader that has read nothing.
func New() *Reader { return &Reader{notes: map[question]note{}, dirs: map[string]dirAnswer{}} }

// Overlaid returns a Reader for which the files of the overlay, by absolute path, are on disk
// with that content, and that reads all other files with read; nil reads them from disk. Its
// notes do not tell when the result changes.
func Overlaid(overlay map[string][]byte, read func(name string) ([]byte, error)) *Reader {
	r := New()
	r.unsure, r.overlay, r.read = "files were read through an overlay", overlay, read
	return r
}

// Overlay returns the files that are not read from disk, by absolute path.
func (r *Reader) Overlay() map[string][]byte {
	if r == nil {
		return nil
	}
	return r.overlay
}

// given returns the content of a file that is not read from disk.
func (r *Reader) given(name string) (data []byte, ok bool, err error) {
	if r == nil {
		return nil, false, nil
	}
	if data, ok := r.overlay[name]; ok {
		return data, true, nil
	}
	if r.read == nil {
		return nil, false, nil
	}
	data, err = r.read(name)
	return data, true, err
}

// Unsure says that the result depends on something that the Reader does not see.
func (r *Reader) Unsure(why string) {
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.unsure = why
	}
}

// knows reports whether the answer was noted in the state that the stamp tells.
func (r *Reader) knows(q question, s stamp) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return s != (stamp{}) && r.notes[q].stamp == s
}

func (r *Reader) note(q question, n note) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if old, ok := r.notes[q]; ok && old.answer != n.answer {
		r.unsure = q.name + " changed during the run"
		return
	}
	r.notes[q] = n
}

// ReadFile is [os.ReadFile]. The content replaces that of the buffer, if there is
// one.
func (r *Reader) ReadFile(name string, buffer []byte) ([]byte, error) {
	if data, ok, err := r.given(name); ok {
		return append(buffer[:0], data...), err
	}
	f, info, err := open(name)
	if err != nil {
		if r != nil {
			r.note(question{op: opFile, name: name}, note{answer: failure(err)})
		}
		return nil, err
	}
	defer f.Close()
	var s stamp
	if r != nil {
		s = stampOfOpen(f, info)
	}
	if cap(buffer) <= int(info.Size()) {
		buffer = make([]byte, 0, info.Size()+1)
	}
	data, err := readAll(f, buffer[:0])
	if r != nil && !r.knows(question{op: opFile, name: name}, s) {
		r.note(question{op: opFile, name: name}, note{answer: answered(data, err), stamp: s})
	}
	return data, err
}

// open opens a file, with what the system tells of it before. What is neither a
// file nor a directory is refused: reading a pipe might wait for ever.
func open(name string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
	}
	f, failed := os.Open(name)
	if failed != nil {
		return nil, nil, failed
	}
	if err != nil { // it has just appeared
		info, err = f.Stat()
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// Wrote reads a file that is said to hold the data. The Reader is unsure if it
// holds anything else.
func (r *Reader) Wrote(name string, data []byte) {
	if now, err := r.ReadFile(name, nil); err != nil || !bytes.Equal(now, data) {
		r.Unsure(name + " is not what was written")
	}
}

// readAll reads to the end, into the buffer as far as it is large enough.
func readAll(from io.Reader, buffer []byte) ([]byte, error) {
	for {
		if len(buffer) == cap(buffer) {
			buffer = append(buffer, 0)[:len(buffer)]
		}
		n, err := from.Read(buffer[len(buffer):cap(buffer)])
		buffer = buffer[:len(buffer)+n]
		if err == io.EOF {
			return buffer, nil
		}
		if err != nil {
			return buffer, err
		}
	}
}

// Open opens a file of which only the beginning may be read. What was read is
// noted when it is closed.
func (r *Reader) Open(name string) (io.ReadCloser, error) {
	if data, ok, err := r.given(name); ok {
		return io.NopCloser(bytes.NewReader(data)), err
	}
	f, info, err := open(name)
	if err != nil {
		if r != nil {
			r.note(question{op: opFile, name: name}, note{answer: failure(err)})
		}
		return nil, err
	}
	if r == nil {
		return f, nil
	}
	return &headReader{File: f, reader: r, stamp: stampOfOpen(f, info)}, nil
}

// headReader is a file that is read from its beginning.
type headReader struct {
	*os.File
	reader *Reader
	stamp  stamp
	head   []byte
	failed error
	// ended: the end of the file was met, so that what was read is all of it.
	ended bool
}

func (h *headReader) Read(p []byte) (int, error) {
	n, err := h.File.Read(p)
	h.head = append(h.head, p[:n]...)
	switch err {
	case nil:
	case io.EOF:
		h.ended = true
	default:
		h.failed = err
	}
	return n, err
}

// Close implements [io.Closer].
func (h *headReader) Close() error {
	q := question{op: opHead, name: h.Name(), size: len(h.head)}
	if h.ended {
		q = question{op: opFile, name: h.Name()}
	}
	h.reader.note(q, note{answer: answered(h.head, h.failed), stamp: h.stamp})
	return h.File.Close()
}

// ReadDir is [os.ReadDir]. A Reader reads a directory once.
func (r *Reader) ReadDir(name string) ([]fs.DirEntry, error) {
	if r == nil {
		return os.ReadDir(name)
	}
	r.mu.Lock()
	known, ok := r.dirs[name]
	r.mu.Unlock()
	if ok {
		return known.entries, known.err
	}
	// The stamp is that of before: what changes in between is asked again.
	var s stamp
	if info, err := os.Stat(name); err == nil {
		s = stampOf(info)
	}
	entries, err := os.ReadDir(name)
	entries, err = r.withOverlay(name, entries, err)
	r.note(question{op: opDir, name: name}, note{answer: listed(entries, err), stamp: s})
	r.mu.Lock()
	defer r.mu.Unlock()
	r.dirs[name] = dirAnswer{entries, err}
	return entries, err
}

// withOverlay returns the entries of a directory with the files of the overlay.
func (r *Reader) withOverlay(dir string, entries []fs.DirEntry, err error) ([]fs.DirEntry, error) {
	if len(r.overlay) == 0 {
		return entries, err
	}
	for name, data := range r.overlay {
		if filepath.Dir(name) != filepath.Clean(dir) {
			continue
		}
		base := filepath.Base(name)
		entries = slices.DeleteFunc(entries, func(e fs.DirEntry) bool { return e.Name() == base })
		entries, err = append(entries, fs.FileInfoToDirEntry(overlayFile{base, len(data)})), nil
	}
	slices.SortFunc(entries, func(a, b fs.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	return entries, err
}

// overlayFile is a file of an overlay.
type overlayFile struct {
	name string
	size int
}

func (f overlayFile) Name() string     { return f.name }
func (f overlayFile) Size() int64      { return int64(f.size) }
func (overlayFile) Mode() fs.FileMode  { return 0o444 }
func (overlayFile) ModTime() time.Time { return time.Time{} }
func (overlayFile) IsDir() bool        { return false }
func (overlayFile) Sys() any           { return nil }

// stat is the answer of the overlay about a file.
func (r *Reader) stat(name string) (fs.FileInfo, bool) {
	if r == nil {
		return nil, false
	}
	data, ok := r.overlay[name]
	return overlayFile{filepath.Base(name), len(data)}, ok
}

// Stat is [os.Stat]. Of the answer only the type, and whether there is one, is
// noted.
func (r *Reader) Stat(name string) (fs.FileInfo, error) {
	if info, ok := r.stat(name); ok {
		return info, nil
	}
	info, err := os.Stat(name)
	if r != nil {
		r.note(question{op: opKind, name: name}, note{answer: kindOf(info, err)})
	}
	return info, err
}

// Lstat is [os.Lstat]. Of the answer only the type, and whether there is one, is
// noted.
func (r *Reader) Lstat(name string) (fs.FileInfo, error) {
	if info, ok := r.stat(name); ok {
		return info, nil
	}
	info, err := os.Lstat(name)
	if r != nil {
		r.note(question{op: opLKind, name: name}, note{answer: kindOf(info, err)})
	}
	return info, err
}

// EvalSymlinks is [filepath.EvalSymlinks].
func (r *Reader) EvalSymlinks(name string) (string, error) {
	out, err := filepath.EvalSymlinks(name)
	if r != nil {
		r.note(question{op: opLink, name: name}, note{answer: answered([]byte(out), err)})
	}
	return out, err
}

// LookPath is [exec.LookPath].
func (r *Reader) LookPath(command string) (string, error) {
	out, err := exec.LookPath(command)
	if r != nil {
		r.note(question{op: opLook, name: command}, note{answer: answered([]byte(out), err)})
	}
	return out, err
}

// Getenv is [os.Getenv].
func (r *Reader) Getenv(name string) string {
	value := os.Getenv(name)
	if r != nil {
		r.note(question{op: opEnv, name: name}, note{answer: answered([]byte(value), nil)})
	}
	return value
}

// ask asks a question again. The stamp is that of a file that was read.
func (q question) ask() (digest, stamp) {
	switch q.op {
	case opFile, opHead, opDir:
		r := New()
		switch q.op {
		case opFile:
			_, _ = r.ReadFile(q.name, nil)
		case opDir:
			_, _ = r.ReadDir(q.name)
		case opHead:
			f, err := r.Open(q.name)
			if err != nil {
				return failure(err), stamp{}
			}
			_, _ = io.ReadFull(f, make([]byte, q.size))
			_ = f.Close()
		}
		n := r.notes[q]
		return n.answer, n.stamp
	case opKind:
		info, err := os.Stat(q.name)
		return kindOf(info, err), stamp{}
	case opLKind:
		info, err := os.Lstat(q.name)
		return kindOf(info, err), stamp{}
	case opLink:
		out, err := filepath.EvalSymlinks(q.name)
		return answered([]byte(out), err), stamp{}
	case opLook:
		out, err := exec.LookPath(q.name)
		return answered([]byte(out), err), stamp{}
	case opEnv:
		return answered([]byte(os.Getenv(q.name)), nil), stamp{}
	}
	return "", stamp{}
}

// answered is the digest of what was read, or of the error.
func answered(data []byte, err error) digest {
	if err != nil {
		return failure(err)
	}
	sum := sha256.Sum256(data)
	return digest(hex.EncodeToString(sum[:]))
}

func failure(err error) digest {
	if errors.Is(err, fs.ErrNotExist) {
		return "missing"
	}
	return digest(strconv.Quote(err.Error()))
}

func kindOf(info fs.FileInfo, err error) digest {
	if err != nil {
		return failure(err)
	}
	return digest(info.Mode().Type().String())
}

func listed(entries []fs.DirEntry, err error) digest {
	var text []byte
	for _, e := range entries {
		text = append(text, e.Name()...)
		text = append(text, 0)
		text = append(text, e.Type().String()...)
		text = append(text, 0)
	}
	return answered(text, err)
}

// UserHomeDir is [os.UserHomeDir].
func (r *Reader) UserHomeDir() (string, error) {
	r.getenvs("HOME", "USERPROFILE", "home")
	return os.UserHomeDir()
}

// UserConfigDir is [os.UserConfigDir].
func (r *Reader) UserConfigDir() (string, error) {
	r.getenvs("XDG_CONFIG_HOME", "HOME", "AppData", "home")
	return os.UserConfigDir()
}

// getenvs notes variables that a function of package os looks up.
func (r *Reader) getenvs(names ...string) {
	for _, name := range names {
		r.Getenv(name)
	}
}
