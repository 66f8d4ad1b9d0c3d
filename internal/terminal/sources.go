package terminal

import (
	"bytes"
	"path/filepath"
	"slices"
	"sync"

	"github.com/schemagen/schemagen/internal/ground/screen"
)

// maxKept is the number of bytes of source that are kept at most.
const maxKept = 64 << 20

// Sources are the texts that a run has read, for excerpts. The methods of a nil Sources do
// nothing. It is safe for concurrent use.
type Sources struct {
	// Dir is the directory that relative names are relative to.
	Dir string
	// Again returns the content of a file that is not kept, if it is still the same as when
	// the run read it. It may be nil.
	Again func(name string) ([]byte, bool)

	mu    sync.Mutex
	texts map[string][]*part
	size  int
}

// part is a part of a text, after a number of lines.
type part struct {
	line int
	data []byte
	// The next search begins at this line and its offset in data, unless it is for an
	// earlier one.
	next, offset int
}

// Keep keeps the content of a file that has been read, or the part of it that follows a
// number of lines. The data must not be changed later. Nothing is kept beyond maxKept bytes in all.
func (s *Sources) Keep(name string, lines int, data []byte) {
	if s == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.texts == nil {
		s.texts = map[string][]*part{}
	}
	name = s.absolute(name)
	if lines == 0 {
		for _, old := range s.texts[name] {
			s.size -= len(old.data)
		}
		s.texts[name] = nil
	}
	if s.size+len(data) > maxKept {
		return
	}
	s.size += len(data)
	s.texts[name] = append(s.texts[name], &part{line: lines, data: data})
}

// KeepNearby keeps a copy of a file, unless it belongs to a dependency.
func (s *Sources) KeepNearby(name string, data []byte) {
	if !filepath.IsAbs(name) || screen.Relative(s.Dir, name, screen.Nearby) != name {
		s.Keep(name, 0, slices.Clone(data))
	}
}

func (s *Sources) absolute(name string) string {
	if filepath.IsAbs(name) || name == "-" {
		return filepath.Clean(name)
	}
	return filepath.Join(s.Dir, name)
}

// line returns a line of a file, counted from 1, without its end.
func (s *Sources) line(name string, number int) (line string, ok bool) {
	if s == nil || number < 1 {
		return "", false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	name = s.absolute(name)
	parts, known := s.texts[name]
	if !known && s.Again != nil {
		if data, ok := s.Again(name); ok {
			parts = []*part{{data: data}}
		}
		if s.texts == nil {
			s.texts = map[string][]*part{}
		}
		s.texts[name] = parts // none if the file has changed
	}
	for _, p := range slices.Backward(parts) {
		if p.line < number {
			return p.find(number - p.line - 1)
		}
	}
	return "", false
}

// find returns the line after a number of lines.
func (p *part) find(number int) (line string, ok bool) {
	if number < p.next {
		p.next = 0
		p.offset = 0
	}
	for ; p.next < number; p.next++ {
		i := bytes.IndexByte(p.data[p.offset:], '\n')
		if i < 0 {
			return "", false
		}
		p.offset += i + 1
	}
	data := p.data[p.offset:]
	if i := bytes.IndexByte(data, '\n'); i >= 0 {
		data = data[:i]
	}
	return string(bytes.TrimSuffix(data, []byte("\r"))), true
}
