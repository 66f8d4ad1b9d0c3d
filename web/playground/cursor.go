package playground

import (
	"path"
	"unicode/utf16"

	"github.com/schemagen/schemagen/internal/editor"
	"github.com/schemagen/schemagen/internal/editor/symbols"
)

// Cursor is a place in a file, between two parts of its text.
type Cursor struct{ File, Before, After string }

// Complete returns what schemagen lsp offers at a cursor, with offsets in UTF-16 code units.
func (p *Playground) Complete(c Cursor) ([]editor.Completion, error) {
	language, place, err := p.at(c)
	if place == nil {
		return nil, err
	}
	return c.inUTF16(append(language.Complete([]byte(c.Before+c.After), len(c.Before)), place.Complete()...)), nil
}

// Explain returns what schemagen lsp shows about the text at a cursor: nothing, or one Markdown text.
func (p *Playground) Explain(c Cursor) ([]editor.Completion, error) {
	language, place, err := p.at(c)
	if place == nil {
		return nil, err
	}
	markdown, start, end, ok := language.Hover([]byte(c.Before+c.After), len(c.Before))
	if ok {
		if effect := place.Effect(); effect != "" {
			markdown += "\n" + effect
		}
	} else if markdown, start, end, ok = place.Hover(); !ok {
		return nil, nil
	}
	return c.inUTF16([]editor.Completion{{Start: start, End: end, Markdown: markdown}}), nil
}

// at returns a place in a Go file, with what the last runs have found out. It is nil in other files.
func (p *Playground) at(c Cursor) (*editor.Language, *symbols.Place, error) {
	language, err := p.language()
	if err != nil || !isGo(File{Name: c.File}) {
		return nil, nil, err
	}
	read := func(string) ([]byte, error) { return nil, nil }
	if p.current.result != nil {
		read = p.current.result.read
	}
	return language, symbols.At(p.current.programs, read, path.Join(dir, c.File), []byte(c.Before+c.After), len(c.Before)), nil
}

func (c Cursor) inUTF16(found []editor.Completion) []editor.Completion {
	units := func(offset int) int { return len(utf16.Encode([]rune((c.Before + c.After)[:offset]))) }
	for i := range found {
		found[i].Start = units(found[i].Start)
		found[i].End = units(found[i].End)
	}
	return found
}
