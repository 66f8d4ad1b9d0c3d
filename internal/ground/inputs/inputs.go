package inputs

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"
)

// Kinds of queries.
const (
	opFile     = "file"  // content of a file
	opPart     = "part"  // the part of a file's content that a run sees
	opHead     = "head"  // a number of bytes at the beginning of a file
	opDir      = "dir"   // names and types of a directory's entries
	opKind     = "kind"  // existence and type: directory or file
	opLink     = "link"  // path with symlinks resolved
	opLookPath = "look"  // path of a command
	opEnv      = "env"   // environment variable
	opLKind    = "lkind" // like kind, but does not follow a symlink
	opPlain    = "plain" // whether a file is not executable
)

// Reader reads and records what it read. The methods of a nil Reader read without
// recording. A Reader is safe for concurrent use.
type Reader struct {
	mu    sync.Mutex
	notes map[query]note
	// dirs caches the directories that were read, so that each is read once per run.
	dirs map[string][]fs.DirEntry
	// unsure is the reason for which the record is incomplete, or "".
	unsure string
	// contents are hashes, with the seed, of the contents of files of which a part was read.
	contents map[string]uint64
	seed     maphash.Seed
	// overlay and read are used before the disk; see [Overlaid].
	overlay map[string][]byte
	read    func(name string) ([]byte, error)
	// files are read instead of the disk; see [From].
	files fs.FS
	// keep is told what was read; see [Reader.Keep].
	keep func(name string, data []byte)
	// earlier is the record of an earlier run; see [Reader.Resume].
	earlier Record
}

// query is a query: its kind, its subject and, for the head of a file, a size.
type query struct {
	op, name string
	size     int
}

// note is the answer to a question.
type note struct {
	answer digest
	stamp  stamp
	// derived was derived from what was read in the state with the stamp; see [Reader.Derive].
	derived string
}

// digest represents an answer: the hash of what was read, or the text of the error.
type digest string

// New returns a Reader that has read nothing.
func New() *Reader {
	return &Reader{notes: map[query]note{}, dirs: map[string][]fs.DirEntry{}, contents: map[string]uint64{},
		seed: maphash.MakeSeed()}
}

// Overlaid returns a Reader that takes files from the overlay, by absolute path, before
// the disk, and reads all other files with read, or from disk if read is nil. Its record
// is incomplete, so its results are never reused.
func Overlaid(overlay map[string][]byte, read func(name string) ([]byte, error)) *Reader {
	r := New()
	r.unsure = "files were read through an overlay"
	r.overlay = overlay
	r.read = read
	return r
}

// From returns a Reader that reads only the files of a file system, as if that were mounted at "/". There
// are no environment variables and no commands. Its record is incomplete.
func From(files fs.FS) *Reader {
	r := New()
	r.unsure = "files were not read from the disk"
	r.files = files
	return r
}

// inFiles reports whether r reads only the files of a file system.
func (r *Reader) inFiles() bool { return r != nil && r.files != nil }

// inside returns a path, which is absolute, as the name of a file in a file system.
func inside(name string) string {
	return cmp.Or(strings.Trim(filepath.ToSlash(filepath.Clean(name)), "/"), ".")
}

// Overlay returns the overlay: file contents by absolute path.
func (r *Reader) Overlay() map[string][]byte {
	if r == nil {
		return nil
	}
	return r.overlay
}

// Keep calls a function with the content of each file that is read from now on, except for
// those of which only the beginning is read. The content is valid until the function
// returns. It is called before anything is read concurrently; the function may be called
// concurrently.
func (r *Reader) Keep(keep func(name string, data []byte)) { r.keep = keep }

// kept tells r.keep what was read.
func (r *Reader) kept(name string, data []byte, err error) {
	if r != nil && r.keep != nil && err == nil {
		r.keep(name, data)
	}
}

// Again reads a file again, and returns its content if that is what was read before.
func (r *Reader) Again(name string) ([]byte, bool) {
	r.mu.Lock()
	oldNote, ok := r.notes[query{op: opFile, name: name}]
	r.mu.Unlock()
	if !ok {
		return nil, false
	}
	return again(name, oldNote.answer)
}

// again returns the content of a file if its digest is the given one.
func again(name string, oldDigest digest) ([]byte, bool) {
	data, err := (*Reader)(nil).ReadFile(name, nil)
	return data, err == nil && answered(data, nil) == oldDigest
}

// given returns the content of a file from the overlay or the read function.
func (r *Reader) given(name string) (data []byte, ok bool, err error) {
	if r == nil {
		return nil, false, nil
	}
	if r.inFiles() {
		data, err = fs.ReadFile(r.files, inside(name))
		return data, true, err
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

// Unsure records that the result depends on something that the Reader does not see.
func (r *Reader) Unsure(why string) {
	if r != nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.unsure = why
	}
}

// knows reports whether the answer was recorded for the state with the stamp.
func (r *Reader) knows(q query, s stamp) bool {
	r.mu.Lock()
	defer r.mu.Unlock()
	return s != (stamp{}) && r.notes[q].stamp == s
}

func (r *Reader) note(q query, n note) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if old, ok := r.notes[q]; ok && old.answer != n.answer {
		r.unsure = q.name + " changed during the run"
		return
	} else if old.stamp == n.stamp {
		n.derived = cmp.Or(n.derived, old.derived)
	}
	r.notes[q] = n
}

// ReadFile is [os.ReadFile]. The content overwrites the buffer, unless that is nil.
func (r *Reader) ReadFile(name string, buffer []byte) ([]byte, error) {
	data, s, recorded, err := r.load(name, buffer)
	if q := (query{op: opFile, name: name}); recorded && !r.knows(q, s) {
		r.note(q, note{answer: answered(data, err), stamp: s})
	}
	return data, err
}

// ReadPart is like [Reader.ReadFile], but the result of the run depends only on the part of
// the content that part returns. part is called only if that part is not known yet.
func (r *Reader) ReadPart(name string, buffer []byte, part func(content []byte) []byte) ([]byte, error) {
	data, s, recorded, err := r.load(name, buffer)
	if q := (query{op: opPart, name: name}); recorded && !r.knows(q, s) {
		var seen []byte
		if err == nil {
			seen = part(data)
		}
		r.note(q, note{answer: answered(seen, err), stamp: s})
		r.noteContent(name, data)
	}
	return data, err
}

// Whole makes the result of the run depend on the whole content of a file of which a part was
// read.
func (r *Reader) Whole(name string) {
	if r == nil {
		return
	}
	r.mu.Lock()
	_, inPart := r.notes[query{op: opPart, name: name}]
	r.mu.Unlock()
	if inPart {
		data, _ := r.ReadFile(name, nil)
		r.noteContent(name, data)
	}
}

// noteContent notes the content that a part is read from, which must not change.
func (r *Reader) noteContent(name string, content []byte) {
	hash := maphash.Bytes(r.seed, content)
	r.mu.Lock()
	defer r.mu.Unlock()
	if old, ok := r.contents[name]; ok && old != hash {
		r.unsure = name + " changed during the run"
	}
	r.contents[name] = hash
}

// load reads a file into the buffer, unless that is nil. recorded reports whether what was read
// is to be recorded, with the stamp s.
func (r *Reader) load(name string, buffer []byte) (data []byte, s stamp, recorded bool, err error) {
	if data, ok, err := r.given(name); ok {
		r.kept(name, data, err)
		return append(buffer[:0], data...), s, false, err
	}
	f, info, err := open(name)
	if err != nil {
		return nil, s, r != nil, err
	}
	defer f.Close()
	if r != nil {
		s = stampOfOpen(f, info)
	}
	if cap(buffer) <= int(info.Size()) {
		buffer = make([]byte, 0, info.Size()+1)
	}
	data, err = readAll(f, buffer[:0])
	r.kept(name, data, err)
	return data, s, r != nil, err
}

// open opens a file and returns its state before that. It rejects anything but files
// and directories: reading a pipe might block forever.
func open(name string) (*os.File, fs.FileInfo, error) {
	info, err := os.Stat(name)
	if err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		return nil, nil, &fs.PathError{Op: "open", Path: name, Err: errors.New("not a regular file")}
	}
	f, failed := os.Open(name)
	if failed != nil {
		return nil, nil, failed
	}
	if err != nil { // it has just been created
		info, err = f.Stat()
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// IsAbsent reports whether an error means that there is no file: it does not exist, or a file is
// in place of its directory.
func IsAbsent(err error) bool {
	return errors.Is(err, fs.ErrNotExist) || errors.Is(err, syscall.ENOTDIR)
}

// Wrote reads a file that should contain data, and not be executable. If it contains anything else,
// the record is incomplete. It does not keep the content, so that large files need no memory.
func (r *Reader) Wrote(name string, data []byte) {
	s, same := holds(name, data)
	if !same {
		r.Unsure(name + " is not what was written")
		_, _ = r.ReadFile(name, nil) // for a run that watches its files
	} else if q := (query{op: opFile, name: name}); !r.knows(q, s) {
		r.note(q, note{answer: answered(data, nil), stamp: s})
	}
	plain := query{op: opPlain, name: name}
	answer, _ := plain.ask(nil)
	r.note(plain, note{answer: answer})
}

// holds reports whether a file contains data, and returns its stamp from before it was read.
func holds(name string, data []byte) (s stamp, same bool) {
	f, info, err := open(name)
	if err != nil {
		return s, false
	}
	defer f.Close()
	s = stampOfOpen(f, info)
	buffer := make([]byte, 32<<10)
	for {
		n, err := f.Read(buffer)
		if !bytes.HasPrefix(data, buffer[:n]) {
			return s, false
		}
		data = data[n:]
		if err != nil {
			return s, err == io.EOF && len(data) == 0
		}
	}
}

// readAll reads to the end, into the buffer while it is large enough.
func readAll(source io.Reader, buffer []byte) ([]byte, error) {
	for {
		if len(buffer) == cap(buffer) {
			buffer = append(buffer, 0)[:len(buffer)]
		}
		n, err := source.Read(buffer[len(buffer):cap(buffer)])
		buffer = buffer[:len(buffer)+n]
		if err == io.EOF {
			return buffer, nil
		}
		if err != nil {
			return buffer, err
		}
	}
}

// Open opens a file of which only the beginning may be read. What was read is recorded
// by Close. If enough is not nil, it is called with the bytes of the first read, and returns
// how many of them probably suffice, at least one. The others are returned by the next read,
// and recorded only if there is one.
func (r *Reader) Open(name string, enough func(first []byte) int) (io.ReadCloser, error) {
	if data, ok, err := r.given(name); ok {
		return io.NopCloser(bytes.NewReader(data)), err
	}
	f, info, err := open(name)
	if err != nil {
		if r != nil {
			r.note(query{op: opFile, name: name}, note{answer: failure(err)})
		}
		return nil, err
	}
	if r == nil {
		return f, nil
	}
	return &headReader{File: f, reader: r, stamp: stampOfOpen(f, info), enough: enough}, nil
}

// headReader is a file that is read from its beginning.
type headReader struct {
	*os.File
	reader *Reader
	stamp  stamp
	head   []byte
	failed error
	// ended is set at the end of the file: the whole file was read.
	ended  bool
	enough func(first []byte) int
	// back is the number of bytes that were read from the file, but not returned.
	back int
}

func (h *headReader) Read(p []byte) (int, error) {
	if h.back > 0 {
		if _, err := h.Seek(int64(-h.back), io.SeekCurrent); err != nil {
			h.failed = err
			return 0, err
		}
		h.back = 0
	}
	n, err := h.File.Read(p)
	if h.enough != nil && n > 0 {
		suffices := h.enough(p[:n])
		h.back = n - suffices
		n = suffices
		h.enough = nil
	}
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
	q := query{op: opHead, name: h.Name(), size: len(h.head)}
	if h.ended {
		q = query{op: opFile, name: h.Name()}
	}
	h.reader.note(q, note{answer: answered(h.head, h.failed), stamp: h.stamp})
	return h.File.Close()
}

// ReadDir is [os.ReadDir]. A Reader reads a directory only once, but one that does not exist again: the go
// command may download it during the run.
func (r *Reader) ReadDir(name string) ([]fs.DirEntry, error) {
	if r == nil {
		return os.ReadDir(name)
	}
	if r.inFiles() {
		return fs.ReadDir(r.files, inside(name))
	}
	r.mu.Lock()
	known, ok := r.dirs[name]
	r.mu.Unlock()
	if ok {
		return known, nil
	}
	// The stamp is taken before reading: a change in between is noticed later.
	var s stamp
	if info, err := os.Stat(name); err == nil {
		s = stampOf(info)
	}
	entries, err := os.ReadDir(name)
	entries, err = r.withOverlay(name, entries, err)
	r.note(query{op: opDir, name: name}, note{answer: listed(entries, err), stamp: s})
	if err == nil {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.dirs[name] = entries
	}
	return entries, err
}

// withOverlay returns the entries of a directory including files of the overlay.
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
		entries = append(entries, fs.FileInfoToDirEntry(overlayFile{base, len(data)}))
		err = nil
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

// stat returns the overlay's answer for a file.
func (r *Reader) stat(name string) (fs.FileInfo, bool) {
	if r == nil {
		return nil, false
	}
	data, ok := r.overlay[name]
	return overlayFile{filepath.Base(name), len(data)}, ok
}

// orDirectory returns the result of a function, or a directory if there is nothing on disk
// but files of the overlay below it.
func (r *Reader) orDirectory(name string, stat func(string) (fs.FileInfo, error)) (fs.FileInfo, error) {
	info, err := stat(name)
	if err == nil || r == nil {
		return info, err
	}
	prefix := filepath.Clean(name) + string(filepath.Separator)
	for file := range r.overlay {
		if strings.HasPrefix(file, prefix) {
			return overlayDir{overlayFile{filepath.Base(name), 0}}, nil
		}
	}
	return info, err
}

// overlayDir is a directory that has only files of an overlay.
type overlayDir struct{ overlayFile }

func (overlayDir) Mode() fs.FileMode { return fs.ModeDir | 0o555 }
func (overlayDir) IsDir() bool       { return true }

// Stat is [os.Stat]. Only the existence and type of the file are recorded.
func (r *Reader) Stat(name string) (fs.FileInfo, error) {
	if r.inFiles() {
		return fs.Stat(r.files, inside(name))
	}
	if info, ok := r.stat(name); ok {
		return info, nil
	}
	info, err := r.orDirectory(name, os.Stat)
	if r != nil {
		r.note(query{op: opKind, name: name}, note{answer: kindOf(info, err)})
	}
	return info, err
}

// Lstat is [os.Lstat]. Only the existence and type of the file are recorded.
func (r *Reader) Lstat(name string) (fs.FileInfo, error) {
	if r.inFiles() {
		return fs.Stat(r.files, inside(name))
	}
	if info, ok := r.stat(name); ok {
		return info, nil
	}
	info, err := r.orDirectory(name, os.Lstat)
	if r != nil {
		r.note(query{op: opLKind, name: name}, note{answer: kindOf(info, err)})
	}
	return info, err
}

// EvalSymlinks is [filepath.EvalSymlinks].
func (r *Reader) EvalSymlinks(name string) (string, error) {
	if r.inFiles() {
		return name, nil
	}
	out, err := filepath.EvalSymlinks(name)
	if r != nil {
		r.note(query{op: opLink, name: name}, note{answer: answered([]byte(out), err)})
	}
	return out, err
}

// LookPath is [exec.LookPath].
func (r *Reader) LookPath(command string) (string, error) {
	if r.inFiles() {
		return "", &exec.Error{Name: command, Err: exec.ErrNotFound}
	}
	out, err := exec.LookPath(command)
	if r != nil {
		r.note(query{op: opLookPath, name: command}, note{answer: answered([]byte(out), err)})
	}
	return out, err
}

// Getenv is [os.Getenv].
func (r *Reader) Getenv(name string) string {
	if r.inFiles() {
		return ""
	}
	value := os.Getenv(name)
	if r != nil {
		r.note(query{op: opEnv, name: name}, note{answer: answered([]byte(value), nil)})
	}
	return value
}

// Sound returns the part of a file's current content for which a run that read only that part
// has the same result. ok is false if the result may be another one in spite of the same part.
type Sound func(content []byte) (part []byte, ok bool)

// ask repeats a query. The stamp was taken when the file was read.
func (q query) ask(sound Sound) (digest, stamp) {
	switch q.op {
	case opPart:
		data, s, _, err := New().load(q.name, nil)
		if err != nil {
			return failure(err), stamp{}
		}
		part, ok := sound(data)
		if !ok {
			return "", stamp{}
		}
		return answered(part, nil), s
	case opFile, opHead, opDir:
		r := New()
		switch q.op {
		case opFile:
			_, _ = r.ReadFile(q.name, nil)
		case opDir:
			_, _ = r.ReadDir(q.name)
		case opHead:
			f, err := r.Open(q.name, nil)
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
	case opPlain:
		info, err := os.Stat(q.name)
		if err != nil {
			return failure(err), stamp{}
		}
		return digest(strconv.FormatBool(info.Mode()&0o111 == 0)), stamp{}
	case opLKind:
		info, err := os.Lstat(q.name)
		return kindOf(info, err), stamp{}
	case opLink:
		out, err := filepath.EvalSymlinks(q.name)
		return answered([]byte(out), err), stamp{}
	case opLookPath:
		out, err := exec.LookPath(q.name)
		return answered([]byte(out), err), stamp{}
	case opEnv:
		return answered([]byte(os.Getenv(q.name)), nil), stamp{}
	}
	return "", stamp{}
}

// answered returns the digest of what was read, or of the error.
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

// getenvs records variables that a function of package os looks up.
func (r *Reader) getenvs(names ...string) {
	for _, name := range names {
		r.Getenv(name)
	}
}
