// Package prose parses the descriptions of fields: Markdown as in Go comments and in
// Kubernetes' API, without HTML. The result is a small tree of plain data, so whoever
// displays it decides how each element looks, and no text becomes markup.
//
// It knows neither schemas nor how a tree is displayed.
//
// It is the only package that uses a Markdown library, and only its parser: links have one of
// three schemes, images are links, and everything else is text. What is too long or too deeply
// nested is not parsed.
package prose

import (
	"html"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
	"github.com/yuin/goldmark/util"
)

// Block is a paragraph, or something of its size.
type Block struct {
	Kind BlockKind `json:"kind"`
	// Spans are the text of a Paragraph or Heading.
	Spans []Span `json:"spans,omitempty"`
	// Code is the text of a Code block.
	Code string `json:"code,omitempty"`
	// Start is the first number of an Ordered list.
	Start int `json:"start,omitempty"`
	// Blocks are the items of a list, and what is in an Item or Quote.
	Blocks []Block `json:"blocks,omitempty"`
}

// BlockKind is the kind of a [Block].
type BlockKind string

// The kinds of blocks.
const (
	Paragraph BlockKind = "p"
	Heading   BlockKind = "h"
	Code      BlockKind = "code"
	Bullets   BlockKind = "ul"
	Ordered   BlockKind = "ol"
	Item      BlockKind = "li"
	Quote     BlockKind = "quote"
	Rule      BlockKind = "hr"
)

// Span is a part of a paragraph.
type Span struct {
	// Kind is empty for text.
	Kind SpanKind `json:"kind,omitempty"`
	// Text is the text of a span without Spans.
	Text string `json:"text,omitempty"`
	// URL is the destination of a Link: http, https or mailto.
	URL   string `json:"url,omitempty"`
	Spans []Span `json:"spans,omitempty"`
}

// SpanKind is the kind of a [Span].
type SpanKind string

// The kinds of spans.
const (
	CodeSpan SpanKind = "code"
	Emphasis SpanKind = "em"
	Strong   SpanKind = "strong"
	Link     SpanKind = "a"
	Break    SpanKind = "br"
)

// Writer writes spans in a markup language.
type Writer struct {
	// Text and Code escape texts.
	Text, Code func(string) string
	// Link writes a link whose label is already escaped.
	Link func(url, label string) string
}

// Write returns the text of spans, in which only code and links are markup.
func (w Writer) Write(spans []Span) string {
	var b strings.Builder
	for _, span := range spans {
		switch span.Kind {
		case CodeSpan:
			b.WriteString(w.Code(span.Text))
		case Break:
			b.WriteString(" ")
		case Link:
			b.WriteString(w.Link(span.URL, w.Write(span.Spans)))
		case Emphasis:
			b.WriteString(w.Text("*") + w.Write(span.Spans) + w.Text("*"))
		case Strong:
			b.WriteString(w.Text("**") + w.Write(span.Spans) + w.Text("**"))
		default:
			b.WriteString(w.Text(span.Text))
		}
	}
	return b.String()
}

const (
	// maxParsed is the length, in bytes, up to which a description is parsed: the
	// parser takes time that grows with the square of some texts.
	maxParsed = 8 << 10
	// maxDepth is the nesting of blocks and spans up to which the tree is used.
	maxDepth = 24
)

// Parser parses descriptions. Its zero value is ready to use. It remembers descriptions,
// since many fields have the same one.
type Parser struct {
	markdown parser.Parser
	parsed   map[string][]Block
}

// Parse returns the blocks of a description. A text that is too long or too deeply nested
// is returned as paragraphs without markup.
func (p *Parser) Parse(description string) []Block {
	if isPlain(description) {
		return plain(description)
	}
	if out, ok := p.parsed[description]; ok {
		return out
	}
	if p.markdown == nil {
		p.markdown = newMarkdown()
		p.parsed = map[string][]Block{}
	}
	r := reader{source: []byte(description)}
	out := r.blocks(p.markdown.Parse(text.NewReader(r.source)), 0)
	if r.tooDeep {
		out = plain(description)
	}
	p.parsed[description] = out
	return out
}

// newMarkdown returns a parser of CommonMark without HTML, which stays text, and without
// headings underlined with dashes: descriptions use dashes as a separator.
func newMarkdown() parser.Parser {
	return parser.NewParser(
		parser.WithBlockParsers(
			util.Prioritized(parser.NewThematicBreakParser(), 200),
			util.Prioritized(parser.NewListParser(), 300),
			util.Prioritized(parser.NewListItemParser(), 400),
			util.Prioritized(parser.NewCodeBlockParser(), 500),
			util.Prioritized(parser.NewATXHeadingParser(), 600),
			util.Prioritized(parser.NewFencedCodeBlockParser(), 700),
			util.Prioritized(parser.NewBlockquoteParser(), 800),
			util.Prioritized(parser.NewParagraphParser(), 1000)),
		parser.WithInlineParsers(
			util.Prioritized(parser.NewCodeSpanParser(), 100),
			util.Prioritized(parser.NewLinkParser(), 200),
			util.Prioritized(parser.NewAutoLinkParser(), 300),
			util.Prioritized(parser.NewEmphasisParser(), 500)),
		parser.WithParagraphTransformers(parser.DefaultParagraphTransformers()...))
}

// isPlain reports whether a description is paragraphs of text for certain, or has to be
// taken as such.
func isPlain(description string) bool {
	if len(description) > maxParsed {
		return true
	}
	if strings.ContainsAny(description, "*_`[]<>#\\&~\t") || strings.Contains(description, "://") {
		return false
	}
	for line := range strings.SplitSeq(description, "\n") {
		if strings.HasPrefix(line, "   ") || strings.HasSuffix(line, "  ") {
			return false
		}
		line = strings.TrimLeft(line, " ")
		if line != "" && (line[0] == '-' || line[0] == '+' || '0' <= line[0] && line[0] <= '9') {
			return false
		}
	}
	return true
}

// plain returns the paragraphs of a text without markup.
func plain(description string) []Block {
	var out []Block
	var words []string
	end := func() {
		if len(words) > 0 {
			out = append(out, Block{Kind: Paragraph, Spans: []Span{{Text: strings.Join(words, " ")}}})
		}
		words = nil
	}
	for line := range strings.SplitSeq(description, "\n") {
		fields := strings.Fields(line)
		if len(fields) == 0 {
			end()
		}
		words = append(words, fields...)
	}
	end()
	return out
}

// reader turns the parser's tree into ours.
type reader struct {
	source  []byte
	tooDeep bool
}

func (r *reader) blocks(parent ast.Node, depth int) []Block {
	r.tooDeep = r.tooDeep || depth > maxDepth
	if r.tooDeep {
		return nil
	}
	var out []Block
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Paragraph, *ast.TextBlock:
			if spans := r.spans(n, depth+1); len(spans) > 0 {
				out = append(out, Block{Kind: Paragraph, Spans: spans})
			}
		case *ast.Heading:
			out = append(out, Block{Kind: Heading, Spans: r.spans(n, depth+1)})
		case *ast.CodeBlock, *ast.FencedCodeBlock:
			out = append(out, Block{Kind: Code, Code: strings.TrimRight(string(n.Lines().Value(r.source)), "\n")})
		case *ast.List:
			list := Block{Kind: Bullets, Blocks: r.blocks(n, depth+1)}
			if n.IsOrdered() {
				list.Kind = Ordered
				list.Start = n.Start
			}
			out = append(out, list)
		case *ast.ListItem:
			out = append(out, Block{Kind: Item, Blocks: r.blocks(n, depth+1)})
		case *ast.Blockquote:
			out = append(out, Block{Kind: Quote, Blocks: r.blocks(n, depth+1)})
		case *ast.ThematicBreak:
			out = append(out, Block{Kind: Rule})
		}
	}
	return out
}

func (r *reader) spans(parent ast.Node, depth int) []Span {
	r.tooDeep = r.tooDeep || depth > maxDepth
	if r.tooDeep {
		return nil
	}
	var out []Span
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			out = addText(out, unescape(string(n.Value(r.source))))
			switch {
			case n.HardLineBreak():
				out = append(out, Span{Kind: Break})
			case n.SoftLineBreak():
				out = addText(out, " ")
			}
		case *ast.CodeSpan:
			out = append(out, Span{Kind: CodeSpan, Text: r.rawText(n)})
		case *ast.Emphasis:
			kind := Emphasis
			if n.Level > 1 {
				kind = Strong
			}
			out = append(out, Span{Kind: kind, Spans: r.spans(n, depth+1)})
		case *ast.Link:
			out = appendLink(out, unescape(string(n.Destination)), r.spans(n, depth+1))
		case *ast.Image:
			// Nothing is requested: an image is a link to it.
			out = appendLink(out, unescape(string(n.Destination)), r.spans(n, depth+1))
		case *ast.AutoLink:
			out = r.appendAutoLink(out, n)
		}
	}
	return linkURLs(out)
}

// rawText is the text of a code span, with a space for each line break.
func (r *reader) rawText(parent ast.Node) string {
	var b strings.Builder
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		if t, ok := n.(*ast.Text); ok {
			b.Write(t.Value(r.source))
		}
	}
	return strings.ReplaceAll(b.String(), "\n", " ")
}

// addText appends a text, to the last span if that is text.
func addText(spans []Span, text string) []Span {
	if text == "" {
		return spans
	}
	if last := len(spans) - 1; last >= 0 && spans[last].Kind == "" {
		spans[last].Text += text
		return spans
	}
	return append(spans, Span{Text: text})
}

// appendLink appends a link. The destination of a link that nobody may follow, such as
// javascript: or a file relative to an unknown one, is text after the label.
func appendLink(spans []Span, destination string, label []Span) []Span {
	if isAllowed(destination) {
		if len(label) == 0 {
			label = []Span{{Text: destination}}
		}
		for i, s := range label {
			if s.Kind == Link { // URLs are links, but there are none in links
				label = slices.Replace(label, i, i+1, s.Spans...)
			}
		}
		return append(spans, Span{Kind: Link, URL: destination, Spans: label})
	}
	for _, s := range label {
		if s.Kind == "" {
			spans = addText(spans, s.Text)
		} else {
			spans = append(spans, s)
		}
	}
	return addText(spans, " ("+destination+")")
}

// appendAutoLink appends a URL or mail address in angle brackets. What only looks like
// one, for example <group:name>, is text.
func (r *reader) appendAutoLink(spans []Span, n *ast.AutoLink) []Span {
	label := string(n.Label(r.source))
	destination := string(n.URL(r.source))
	if n.AutoLinkType == ast.AutoLinkEmail && !strings.HasPrefix(strings.ToLower(destination), "mailto:") {
		destination = "mailto:" + destination
	}
	if !isAllowed(destination) {
		return addText(spans, "<"+label+">")
	}
	return append(spans, Span{Kind: Link, URL: destination, Spans: []Span{{Text: label}}})
}

// isAllowed reports whether a page may have a link to a URL.
func isAllowed(destination string) bool {
	u, err := url.Parse(destination)
	if err != nil {
		return false
	}
	switch u.Scheme {
	case "http", "https":
		return u.Host != ""
	case "mailto":
		return u.Opaque != ""
	}
	return false
}

// linkURLs turns the URLs in texts into links.
func linkURLs(spans []Span) []Span {
	if !slices.ContainsFunc(spans, func(s Span) bool { return s.Kind == "" && strings.Contains(s.Text, "://") }) {
		return spans
	}
	var out []Span
	for _, s := range spans {
		if s.Kind != "" {
			out = append(out, s)
			continue
		}
		for rest := s.Text; rest != ""; {
			start, end := findURL(rest)
			out = addText(out, rest[:start])
			if end > start {
				found := rest[start:end]
				out = append(out, Span{Kind: Link, URL: found, Spans: []Span{{Text: found}}})
			}
			rest = rest[end:]
		}
	}
	return out
}

// findURL finds the first URL in a text: text[start:end], which is empty and at the end
// of the text if there is none. A URL does not end with punctuation, nor with a
// parenthesis that was opened before it.
func findURL(text string) (start, end int) {
	for offset := 0; ; {
		i := strings.Index(text[offset:], "http")
		if i < 0 {
			return len(text), len(text)
		}
		start = offset + i
		offset = start + len("http")
		rest := strings.TrimPrefix(text[offset:], "s")
		if !strings.HasPrefix(rest, "://") || start > 0 && isWord(text[start-1]) {
			continue
		}
		end = len(text)
		if stop := strings.IndexAny(text[start:], " \t\n\"'`<>|{}\\^"); stop >= 0 {
			end = start + stop
		}
		for end > start {
			last, size := utf8.DecodeLastRuneInString(text[start:end])
			unopened := last == ')' && strings.Count(text[start:end], "(") < strings.Count(text[start:end], ")") ||
				last == ']' && strings.Count(text[start:end], "[") < strings.Count(text[start:end], "]")
			if !unopened && !strings.ContainsRune(".,;:!?*_…", last) {
				break
			}
			end -= size
		}
		if isAllowed(text[start:end]) {
			return start, end
		}
	}
}

func isWord(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9'
}

// unescape resolves backslashes before punctuation, and entities.
func unescape(text string) string {
	if !strings.ContainsAny(text, `\&`) {
		return text
	}
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case c == '\\' && i+1 < len(text) && util.IsPunct(text[i+1]):
			i++
			b.WriteByte(text[i])
		case c == '&':
			end := strings.IndexByte(text[i:min(len(text), i+40)], ';')
			if end < 0 {
				b.WriteByte(c)
				continue
			}
			b.WriteString(html.UnescapeString(text[i : i+end+1]))
			i += end
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
