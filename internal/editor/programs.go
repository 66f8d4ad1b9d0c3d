package editor

import (
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"

	"github.com/schemagen/schemagen/internal/editor/symbols"
	"github.com/schemagen/schemagen/internal/ground/inputs"
)

// keep keeps what a run on files in a directory has found out. Of files that cannot be parsed,
// parts are missing, so an earlier program is better.
func (s *Session) keep(dir string, reader *inputs.Reader, files map[string]file, failed bool) {
	if s.Recorder == nil {
		return
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if failed && s.programs[dir].HasKinds() {
		for name, f := range files {
			if filepath.Ext(name) != ".go" {
				continue
			}
			if _, err := parser.ParseFile(token.NewFileSet(), name, f.text, parser.SkipObjectResolution); err != nil {
				return
			}
		}
	}
	s.programs[dir] = s.Recorder.Program(dir, s.reader(reader), s.programs[dir], failed)
}

// At returns a place in an open file, with what the last runs have found out about the workspace.
// ok is false if the file is not open.
func (s *Session) At(name string, offset func(text []byte) int) (place *symbols.Place, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.files[name]
	if !ok {
		return nil, false
	}
	overlay := map[string][]byte{}
	for name, f := range s.files {
		overlay[name] = f.text
	}
	return symbols.At(s.sortedPrograms(), s.reader(inputs.Overlaid(overlay, nil)), name, f.text, offset(f.text)), true
}

// sortedPrograms returns the programs by directory. The session is locked.
func (s *Session) sortedPrograms() (out []*symbols.Program) {
	for _, dir := range slices.Sorted(maps.Keys(s.programs)) {
		out = append(out, s.programs[dir])
	}
	return out
}

// CRD returns the text of the definition with a file name.
func (s *Session) CRD(name string) (text string, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, p := range s.sortedPrograms() {
		if text, ok := p.CRD(name); ok {
			return text, true
		}
	}
	return "", false
}
