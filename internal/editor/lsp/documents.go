package lsp

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"
	"unicode/utf16"
	"unicode/utf8"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/editor"
	"github.com/schemagen/schemagen/internal/editor/symbols"
)

// documents answers messages about documents.
type documents struct {
	*editor.Session
	language *editor.Language
	// show asks the editor to show a document, or is nil if the editor cannot show what is no
	// file.
	show func(context.Context, *protocol.ShowDocumentParams) error
}

func (d *documents) open(p *protocol.DidOpenTextDocumentParams) (any, error) {
	if name, ok := fileName(p.TextDocument.URI); ok {
		d.Open(name, p.TextDocument.Version, []byte(p.TextDocument.Text))
	}
	return nil, nil
}

func (d *documents) change(p *protocol.DidChangeTextDocumentParams) (any, error) {
	name, ok := fileName(p.TextDocument.URI)
	text, isOpen := d.Text(name)
	if !ok || !isOpen {
		return nil, nil
	}
	for _, change := range p.ContentChanges {
		switch c := change.(type) {
		case *protocol.TextDocumentContentChangeWholeDocument:
			text = []byte(c.Text)
		case *protocol.TextDocumentContentChangePartial:
			start := offset(text, c.Range.Start)
			end := offset(text, c.Range.End)
			text = slices.Concat(text[:start], []byte(c.Text), text[max(start, end):])
		}
	}
	if !d.Change(name, p.TextDocument.Version, text) {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "version %d of %s is not newer", p.TextDocument.Version, name)
	}
	return nil, nil
}

func (d *documents) close(p *protocol.DidCloseTextDocumentParams) (any, error) {
	if name, ok := fileName(p.TextDocument.URI); ok {
		d.Close(name)
	}
	return nil, nil
}

// complete returns what may be typed at a position of an open Go file.
func (d *documents) complete(p *protocol.CompletionParams) (any, error) {
	out := &protocol.CompletionList{Items: []protocol.CompletionItem{}}
	text, ok := d.goText(p.TextDocument.URI)
	if !ok {
		return out, nil
	}
	found := d.language.Complete(text, offset(text, p.Position))
	if place, ok := d.place(p.TextDocument.URI, p.Position); ok {
		found = append(found, place.Complete()...)
	}
	for _, c := range found {
		item := protocol.CompletionItem{
			Label: c.Label, Kind: protocol.CompletionItemKindKeyword,
			TextEdit: &protocol.TextEdit{Range: protocol.Range{Start: position(text, c.Start),
				End: position(text, c.End)}, NewText: c.New},
		}
		if c.Detail != "" {
			item.Detail = protocol.NewOptional(c.Detail)
		}
		if c.Markdown != "" {
			item.Documentation = &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: c.Markdown}
		}
		out.Items = append(out.Items, item)
	}
	return out, nil
}

// hover describes the marker or the field at a position of an open Go file.
func (d *documents) hover(p *protocol.HoverParams) (any, error) {
	text, ok := d.goText(p.TextDocument.URI)
	if !ok {
		return nil, nil
	}
	place, ok := d.place(p.TextDocument.URI, p.Position)
	if !ok {
		return nil, nil // closed meanwhile
	}
	markdown, start, end, ok := d.language.Hover(text, offset(text, p.Position))
	if ok {
		if effect := place.Effect(); effect != "" {
			markdown += "\n" + effect
		}
	} else if markdown, start, end, ok = place.Hover(); !ok {
		return nil, nil
	}
	return &protocol.Hover{
		Contents: &protocol.MarkupContent{Kind: protocol.MarkupKindMarkdown, Value: markdown},
		Range:    &protocol.Range{Start: position(text, start), End: position(text, end)},
	}, nil
}

// place returns a position in an open Go file.
func (d *documents) place(u uri.URI, p protocol.Position) (place *symbols.Place, ok bool) {
	name, ok := fileName(u)
	if !ok || filepath.Ext(name) != ".go" {
		return nil, false
	}
	return d.At(name, func(text []byte) int { return offset(text, p) })
}

// goText returns the text of an open Go file.
func (d *documents) goText(u uri.URI) (text []byte, ok bool) {
	name, ok := fileName(u)
	if !ok || filepath.Ext(name) != ".go" {
		return nil, false
	}
	return d.Text(name)
}

// codeActions returns the fixes of the findings in a range.
func (d *documents) codeActions(ctx context.Context, p *protocol.CodeActionParams) (any, error) {
	out := []protocol.CodeAction{}
	name, ok := fileName(p.TextDocument.URI)
	if only := p.Context.Only; !ok || len(only) > 0 && !slices.Contains(only, protocol.CodeActionKindQuickFix) {
		return out, nil
	}
	fixes, err := d.Fixes(ctx, name, int(p.Range.Start.Line)+1, int(p.Range.End.Line)+1)
	if err != nil {
		return nil, err
	}
	for _, fix := range fixes {
		finding := fix.Finding
		finding.Fixes = []diag.Fix{fix.Fix}
		kind := protocol.CodeActionKindQuickFix
		found := diag.List{finding}.UTF16(fix.Read)[0]
		out = append(out, protocol.CodeAction{
			Title: fix.Message, Kind: &kind, IsPreferred: &fix.Only, Diagnostics: diagnostics(diag.List{finding}, fix.Read),
			Edit: &protocol.WorkspaceEdit{DocumentChanges: d.edits(found.Fixes[0])},
		})
	}
	return out, nil
}

// edits returns the edits of a fix, by file. Those of open files are for the version that the
// session has.
func (d *documents) edits(fix diag.Fix) (out []protocol.DocumentChange) {
	for _, e := range fix.Edits {
		edit := &protocol.TextEdit{Range: span(e.Pos, e.End), NewText: e.New}
		target := uri.File(e.Pos.File)
		i := slices.IndexFunc(out,
			func(c protocol.DocumentChange) bool { return c.(*protocol.TextDocumentEdit).TextDocument.URI == target })
		if i < 0 {
			i = len(out)
			out = append(out, &protocol.TextDocumentEdit{})
		}
		change := out[i].(*protocol.TextDocumentEdit)
		change.TextDocument.URI = target
		change.TextDocument.Version = d.Version(e.Pos.File)
		change.Edits = append(change.Edits, edit)
	}
	return out
}

// diagnostics returns findings in the protocol's form. read returns the content of a file.
func diagnostics(found diag.List, read func(name string) ([]byte, error)) []protocol.Diagnostic {
	out := []protocol.Diagnostic{}
	for _, d := range found.UTF16(read) {
		message := d.Message
		if d.Hint != "" {
			message += "\nhint: " + d.Hint
		}
		target := protocol.Diagnostic{
			Range: span(d.Pos, d.End), Code: protocol.String(d.Code), Source: protocol.NewOptional("schemagen"), Message: protocol.String(message),
			Severity: []protocol.DiagnosticSeverity{protocol.DiagnosticSeverityError,
				protocol.DiagnosticSeverityWarning, protocol.DiagnosticSeverityInformation}[d.Severity],
		}
		for _, r := range d.Related {
			target.RelatedInformation = append(target.RelatedInformation, protocol.DiagnosticRelatedInformation{
				Location: protocol.Location{URI: uri.File(r.Pos.File), Range: span(r.Pos, r.Pos)}, Message: r.Message,
			})
		}
		out = append(out, target)
	}
	return out
}

// span returns a range of the protocol for positions in UTF-16.
func span(source, target diag.Position) protocol.Range {
	position := func(p diag.Position) protocol.Position {
		return protocol.Position{Line: uint32(max(p.Line-1, 0)), Character: uint32(max(p.Column-1, 0))}
	}
	return protocol.Range{Start: position(source), End: position(target)}
}

// fileName returns the absolute name of the file with a URI.
func fileName(u uri.URI) (string, bool) {
	parsed, err := uri.Parse(string(u))
	if err != nil || parsed.Scheme() != "file" || !filepath.IsAbs(parsed.FsPath()) {
		return "", false
	}
	return filepath.Clean(parsed.FsPath()), true
}

// offset returns the offset of a position, which counts UTF-16. A position after the end of its
// line or of the text is that end.
func offset(text []byte, p protocol.Position) int {
	index := 0
	for range p.Line {
		n := bytes.IndexByte(text[index:], '\n')
		if n < 0 {
			return len(text)
		}
		index += n + 1
	}
	line := text[index:]
	if n := bytes.IndexByte(line, '\n'); n >= 0 {
		line = bytes.TrimSuffix(line[:n], []byte("\r"))
	}
	for units := uint32(0); units < p.Character && len(line) > 0; units++ {
		r, size := utf8.DecodeRune(line)
		if r >= 0x10000 {
			units++ // a surrogate pair
		}
		index = index + size
		line = line[size:]
	}
	return index
}

// position returns the position of an offset.
func position(text []byte, offset int) protocol.Position {
	start := bytes.LastIndexByte(text[:offset], '\n') + 1
	place := protocol.Position{Line: uint32(bytes.Count(text[:start], []byte("\n")))}
	for _, r := range string(text[start:offset]) {
		place.Character += uint32(utf16.RuneLen(r))
	}
	return place
}
