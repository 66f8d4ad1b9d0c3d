package editor

import (
	"bytes"
	"context"
	"maps"
	"path/filepath"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/terminal"
)

// located returns the findings of a run in dir with absolute file names and with the ends that
// they lack. What is about no file is about the project file, or go.mod.
func located(found diag.List, dir string, reader *inputs.Reader) diag.List {
	p := placer{dir: dir, in: reader, lines: map[string][][]byte{}}
	out := found.On()
	for i := range out {
		d := &out[i]
		if d.Pos.File == "" {
			d.Pos = diag.Position{File: project.Name}
			if !isFile(reader, filepath.Join(dir, project.Name)) {
				d.Pos.File = "go.mod"
			}
		}
		p.place(&d.Pos, &d.End)
		related := make([]diag.Related, 0, len(d.Related))
		for _, r := range d.Related {
			if r.Pos.File != "" {
				p.place(&r.Pos, &diag.Position{})
				related = append(related, r)
			}
		}
		d.Related = related
		fixes := make([]diag.Fix, 0, len(d.Fixes))
		for _, fix := range d.Fixes {
			edits := make([]diag.Edit, 0, len(fix.Edits))
			for _, e := range fix.Edits {
				e.Pos.File, e.End.File = p.absolute(e.Pos.File), p.absolute(e.End.File)
				edits = append(edits, e)
			}
			fixes = append(fixes, diag.Fix{Message: fix.Message, Edits: edits})
		}
		d.Fixes = fixes
	}
	return out
}

// placer completes positions.
type placer struct {
	dir   string
	in    *inputs.Reader
	lines map[string][][]byte
}

func (p *placer) absolute(name string) string {
	name = filepath.FromSlash(name)
	if name == "" || filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(p.dir, name)
}

// place makes the file name of a position absolute, and completes its line and its end: a
// position without a column is about its line, and one without a line about the first one.
func (p *placer) place(pos, end *diag.Position) {
	pos.File = p.absolute(pos.File)
	pos.Line = max(pos.Line, 1)
	if end.Line > 0 && end.Column > 0 && pos.Column > 0 {
		end.File = pos.File
		return
	}
	line := p.line(*pos)
	*end = diag.Position{File: pos.File, Line: pos.Line, Column: len(line) + 1}
	switch {
	case pos.Column == 0:
		pos.Column = 1 + len(line) - len(bytes.TrimLeft(line, " \t"))
	case pos.Column <= len(line):
		end.Column = 1 + terminal.Extent(pos.File, string(line), pos.Column-1)
	default:
		end.Column = pos.Column
	}
}

// line returns the text of the line of a position.
func (p *placer) line(pos diag.Position) []byte {
	if _, ok := p.lines[pos.File]; !ok {
		data, _ := p.in.ReadFile(pos.File, nil) // an empty file has no lines
		p.lines[pos.File] = bytes.Split(data, []byte("\n"))
	}
	if lines := p.lines[pos.File]; pos.Line <= len(lines) {
		return bytes.TrimSuffix(lines[pos.Line-1], []byte("\r"))
	}
	return nil
}

// Fix is a fix of a finding.
type Fix struct {
	Finding diag.Diagnostic
	diag.Fix
	// Only is set if the finding has no other fixes.
	Only bool
	// Read returns the content of a file, whose positions the edits have.
	Read func(name string) ([]byte, error)
}

// Fixes returns the fixes of the findings in some lines of a file, both included, as soon as
// there are findings about the files as they are now.
func (s *Session) Fixes(ctx context.Context, name string, first, last int) (out []Fix, err error) {
	if err := s.Settle(ctx); err != nil {
		return nil, err
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.settled != s.state {
		return nil, nil // there was another change
	}
	for _, dir := range slices.Sorted(maps.Keys(s.results)) {
		r := s.results[dir]
		for _, d := range r.findings {
			if d.Pos.File != name || d.Pos.Line > last || d.End.Line < first {
				continue
			}
			for _, fix := range d.Fixes {
				out = append(out, Fix{d, fix, len(d.Fixes) == 1, s.reader(r.in)})
			}
		}
	}
	return out, nil
}
