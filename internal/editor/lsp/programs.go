package lsp

import (
	"context"
	"path"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/schemagen/schemagen/internal/editor/symbols"
)

// definition returns the declarations that a name in a marker refers to.
func (d *documents) definition(p *protocol.DefinitionParams) (any, error) {
	place, ok := d.place(p.TextDocument.URI, p.Position)
	if !ok {
		return protocol.LocationSlice{}, nil
	}
	return locations(place, place.Definition()), nil
}

// references returns the names in markers that refer to a field.
func (d *documents) references(p *protocol.ReferenceParams) (any, error) {
	place, ok := d.place(p.TextDocument.URI, p.Position)
	if !ok {
		return protocol.LocationSlice{}, nil
	}
	return locations(place, place.References(p.Context.IncludeDeclaration)), nil
}

func locations(place *symbols.Place, found []symbols.Location) any {
	out := protocol.LocationSlice{}
	for _, l := range found {
		text := place.Text(l.File)
		end := min(l.End, len(text))
		out = append(out, protocol.Location{URI: uri.File(l.File),
			Range: protocol.Range{Start: position(text, min(l.Start, end)), End: position(text, end)}})
	}
	return out
}

// symbols returns the kinds in a file.
func (d *documents) symbols(p *protocol.DocumentSymbolParams) (any, error) {
	place, ok := d.place(p.TextDocument.URI, protocol.Position{})
	if !ok {
		return protocol.DocumentSymbolSlice{}, nil
	}
	name, _ := fileName(p.TextDocument.URI)
	return documentSymbols(place.Text(name), place.Kinds(), protocol.SymbolKindStruct), nil
}

func documentSymbols(text []byte, found []symbols.Symbol, kind protocol.SymbolKind) protocol.DocumentSymbolSlice {
	out := protocol.DocumentSymbolSlice{}
	for _, s := range found {
		start := position(text, s.Start)
		symbol := protocol.DocumentSymbol{
			Name: s.Name, Kind: kind,
			Range:          protocol.Range{Start: start, End: position(text, s.Until)},
			SelectionRange: protocol.Range{Start: start, End: position(text, s.End)},
		}
		if s.Detail != "" {
			symbol.Detail = &s.Detail
		}
		if len(s.Fields) > 0 {
			symbol.Children = documentSymbols(text, s.Fields, protocol.SymbolKindField)
		}
		out = append(out, symbol)
	}
	return out
}

// hints returns the costs of the rules in a range.
func (d *documents) hints(ctx context.Context, p *protocol.InlayHintParams) (any, error) {
	out := []protocol.InlayHint{}
	place, ok := d.place(p.TextDocument.URI, protocol.Position{})
	if !ok {
		return out, nil
	}
	name, _ := fileName(p.TextDocument.URI)
	text := place.Text(name)
	padding := true
	found, err := place.Costs(ctx, offset(text, p.Range.Start), offset(text, p.Range.End))
	for _, h := range found {
		out = append(out, protocol.InlayHint{
			Position: position(text,
				h.At), Label: protocol.String(h.Label), Tooltip: protocol.String(h.Tooltip), PaddingLeft: &padding,
		})
	}
	return out, err
}

// showCRD is the command that returns the CRD of the kind at a position, which is its second
// argument, in the document that is the first one.
const showCRD = "schemagen.showCRD"

// crdScheme is the scheme of the documents that are CRDs. They are no files.
const crdScheme = "schemagen-crd"

// shown is the result of [showCRD].
type shown struct {
	URI  uri.URI `json:"uri"`
	Text string  `json:"text"`
	// Range has the lines of the part that the position is in.
	Range protocol.Range `json:"range"`
}

// command executes a command.
func (d *documents) command(ctx context.Context, p *protocol.ExecuteCommandParams) (any, error) {
	if p.Command != showCRD || len(p.Arguments) != 2 {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the only command is %s, with the URI of a document and a position", showCRD)
	}
	var command string
	var position protocol.Position
	if protocol.Unmarshal(p.Arguments[0], &command) != nil || protocol.Unmarshal(p.Arguments[1], &position) != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "the arguments of %s are the URI of a document and a position", showCRD)
	}
	place, ok := d.place(uri.URI(command), position)
	if !ok {
		return nil, nil
	}
	crd, ok := place.CRD()
	if !ok {
		return nil, nil
	}
	out := &shown{uri.URI(crdScheme + ":///" + crd.Name), crd.Text, protocol.Range{
		Start: protocol.Position{Line: uint32(crd.First)}, End: protocol.Position{Line: uint32(crd.Last + 1)},
	}}
	if d.show != nil {
		focus := false
		if err := d.show(ctx, &protocol.ShowDocumentParams{URI: out.URI, TakeFocus: &focus,
			Selection: &out.Range}); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// content returns the text of a CRD that was shown.
func (d *documents) content(p *protocol.TextDocumentContentParams) (any, error) {
	text, ok := d.CRD(path.Base(string(p.URI)))
	if !ok {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "there is no %s", p.URI)
	}
	return &protocol.TextDocumentContentResult{Text: text}, nil
}
