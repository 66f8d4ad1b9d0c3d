package source

import (
	"crypto/sha256"

	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/markers"
)

// digest is the hash of the content of a file.
type digest = [sha256.Size]byte

// keptTexts are the texts of the runs of an editor, for the next one. Most files are the same
// after a keystroke: a run takes over the texts, with their trees and positions, whose content
// has the digest that it had before. A text depends on nothing else.
type keptTexts struct {
	texts map[textKey]*text
}

// textKey identifies a file in the runs of an editor. What is known of it depends on whether it is
// the user's and belongs to a root package.
type textKey struct {
	// Name is the absolute file name.
	Name        string
	local, root bool
}

// NewKeptFiles is like [NewFiles], for files that [Files.Again] is used on.
func NewKeptFiles(reader *inputs.Reader, table *markers.Table) *Files {
	files := NewFiles(reader, table)
	files.kept = &keptTexts{texts: map[textKey]*text{}}
	return files
}

// Again returns the files of another run, which keeps the texts of this one and of those before.
// The other run must not begin before this one has ended.
func (files *Files) Again(reader *inputs.Reader) *Files {
	next := NewFiles(reader, files.table)
	next.reserved = files.reserved
	next.kept = files.kept
	return next
}

// unread returns the kept text of another module's file that has the size and the time of
// modification that it had, or nil. Such files hardly ever change, and are most of those of a run.
func (k *keptTexts) unread(f *text, reader *inputs.Reader) *text {
	if k == nil || f.local {
		return nil
	}
	info, err := reader.Stat(f.Name)
	if err != nil || info.ModTime().IsZero() { // unsaved
		return nil
	}
	f.modified = info.ModTime()
	old := k.texts[f.textKey]
	if old == nil || !old.modified.Equal(f.modified) || int64(old.size) != info.Size() || old.unreadable != nil ||
		old.failed != nil {
		return nil
	}
	return old
}

// same returns the kept text of a file that is read with a content, or nil if that was another one.
func (k *keptTexts) same(f *text, content []byte) *text {
	if k == nil {
		return nil
	}
	f.digest = sha256.Sum256(content)
	old := k.texts[f.textKey]
	// What cannot be parsed may just have been changed on disk.
	if old == nil || old.digest != f.digest || old.unreadable != nil || old.failed != nil {
		return nil
	}
	old.modified = f.modified
	return old
}

// changed reports whether a file has another content than when it was scanned.
func (k *keptTexts) changed(f *text, content []byte) bool {
	return k != nil && sha256.Sum256(content) != f.digest
}

// place assigns the file its positions in the file set. A kept text keeps its positions, and
// another content of its file gets the same, if there is room: then types are in the same order as
// in every run.
func (files *Files) place(f *text) {
	if files.kept == nil {
		f.base = files.reserve(f.size)
		return
	}
	switch old := files.kept.texts[f.textKey]; {
	case old == f:
		if f.file != nil {
			files.Fset.AddExistingFiles(f.file)
		}
		return
	case old != nil && f.size <= old.room:
		f.base = old.base
		f.room = old.room
	default:
		f.room = f.size + f.size/4 + 1<<10
		f.base = files.reserve(f.room)
	}
	files.kept.texts[f.textKey] = f
}
