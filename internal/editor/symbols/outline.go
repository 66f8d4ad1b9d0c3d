package symbols

import (
	"bytes"
	"go/scanner"
	"go/token"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/source"
)

// Outline is what the tokens of a Go file show of its declarations. The file need not be valid:
// a keyword at the beginning of a line ends whatever is not finished before it.
type Outline struct {
	// Decls are the types and fields, in the order of the file.
	Decls []*Decl
	// Markers are the markers, in the order of the file. One that spans several lines has the
	// slashes between them.
	Markers []*Marker
	// Constants are the values of string constants, by the name of their type.
	Constants map[string][]string
	// Imports are import paths by the names that the file has for them.
	Imports map[string]string
	// lines are the offsets of the lines.
	lines []int
}

// Decl is the declaration of a type or a field.
type Decl struct {
	// Key is the name of a type, or "Type.Field"; the fields of a struct without a name
	// are "Type.Field.Field".
	Key string
	// Name is the name in Go, from offset Start to End. Until is the end of the declaration.
	Name              string
	Start, End, Until int
	// Parent is the struct that has the field; nil for types.
	Parent *Decl
	// JSON is the name of a field in JSON; empty if it is inlined, left out or a type.
	JSON string
	// Type is the text of the type.
	Type string
	// Fields are the fields of a struct.
	Fields []*Decl
	// Markers are those above the declaration, and after it in the same line.
	Markers []*Marker
}

// IsKind reports whether a type looks like a kind.
func (d *Decl) IsKind() bool {
	embeds := func(name string) bool {
		return slices.ContainsFunc(d.Fields, func(f *Decl) bool { return f.Name == name })
	}
	return d.Parent == nil && embeds("TypeMeta") && embeds("ObjectMeta")
}

// Marker is a marker comment.
type Marker struct {
	// Text is the marker from its plus sign on, which has offset Start.
	Text  string
	Start int
	// Decl is what the marker is written at; nil if that is neither a type nor a field.
	Decl *Decl
}

// End returns the offset of the marker's end.
func (m *Marker) End() int { return m.Start + len(m.Text) }

// MarkerAt returns the marker at an offset, or nil.
func (o *Outline) MarkerAt(offset int) *Marker {
	for _, m := range o.Markers {
		if m.Start < offset && offset <= m.End() {
			return m
		}
	}
	return nil
}

// Named returns the declaration whose name is at an offset, or nil.
func (o *Outline) Named(offset int) *Decl {
	for _, d := range o.Decls {
		if d.Start <= offset && offset <= d.End {
			return d
		}
	}
	return nil
}

// Find returns the declaration with a key, or nil.
func (o *Outline) Find(key string) *Decl {
	for _, d := range o.Decls {
		if d.Key == key {
			return d
		}
	}
	return nil
}

// offset returns the offset of a line and a column, which count from 1.
func (o *Outline) offset(line, column int) int {
	if line < 1 || line > len(o.lines) {
		return 0
	}
	return o.lines[line-1] + max(column-1, 0)
}

// NewOutline returns the outline of a text.
func NewOutline(text []byte) *Outline {
	p := outliner{text: text, out: &Outline{Constants: map[string][]string{}, Imports: map[string]string{}, lines: []int{0}}}
	for i, c := range text {
		if c == '\n' {
			p.out.lines = append(p.out.lines, i+1)
		}
	}
	p.scan()
	for p.at < len(p.tokens) {
		p.declaration()
	}
	slices.SortStableFunc(p.out.Decls, func(a, b *Decl) int { return a.Start - b.Start })
	return p.out
}

// outliner parses the tokens of a file.
type outliner struct {
	text   []byte
	tokens []word
	at     int
	out    *Outline
	// waiting is the index of the first marker that has no declaration yet.
	waiting int
}

// word is a token with its offsets.
type word struct {
	kind       token.Token
	text       string
	start, end int
}

func (p *outliner) scan() {
	for start := 0; start < len(p.text); {
		start = p.scanFrom(start)
	}
}

// scanFrom scans tokens from an offset on, and returns where it has stopped: at the end of a line
// with a raw string or a comment that is probably not closed, or at the end of the text.
func (p *outliner) scanFrom(first int) int {
	file := token.NewFileSet().AddFile("", -1, len(p.text)-first)
	var s scanner.Scanner
	s.Init(file, p.text[first:], nil, scanner.ScanComments)
	for {
		pos, kind, text := s.Scan()
		if kind == token.EOF {
			return len(p.text)
		}
		start := first + file.Offset(pos)
		line, _, more := strings.Cut(text, "\n")
		open := kind == token.STRING && text[0] == '`' || kind == token.COMMENT && strings.HasPrefix(text, "/*") && !strings.HasSuffix(text, "*/")
		if open && more && kind == token.STRING {
			p.tokens = append(p.tokens, word{kind, line, start, start + len(line)},
				word{kind: token.SEMICOLON, start: start + len(line), end: start + len(line)})
		}
		if open && more {
			return start + len(line) + 1
		}
		if kind == token.COMMENT {
			p.comment(text, start)
			continue
		}
		if kind == token.SEMICOLON && text == "\n" {
			text = ""
		} else if text == "" {
			text = kind.String()
		}
		p.tokens = append(p.tokens, word{kind, text, start, start + len(text)})
	}
}

// isOpen reports whether the text of a marker ends in a raw string.
func isOpen(marker string) bool { return strings.Count(marker, "`")%2 == 1 }

func (p *outliner) comment(text string, start int) {
	rest, ok := strings.CutPrefix(text, "//")
	marker := strings.TrimLeft(rest, " \t")
	if !ok {
		return
	}
	if !strings.HasPrefix(marker, "+") {
		// A raw string in a marker may go on in the next line.
		if n := len(p.out.Markers); n > 0 && isOpen(p.out.Markers[n-1].Text) {
			if last := p.out.Markers[n-1]; len(bytes.Trim(p.text[last.End():start], " \t\r")) == 1 {
				last.Text = strings.TrimRight(string(p.text[last.Start:start+len(text)]), " \t\r")
			}
		}
		return
	}
	start += len(text) - len(marker)
	p.out.Markers = append(p.out.Markers, &Marker{Text: strings.TrimRight(marker, " \t\r"), Start: start})
}

// peek returns the next token; at the end, and before a keyword that begins a declaration of the
// file, it has the kind EOF.
func (p *outliner) peek() word {
	if p.at >= len(p.tokens) || p.begins() {
		return word{kind: token.EOF}
	}
	return p.tokens[p.at]
}

// begins reports whether a declaration of the file begins at the next token.
func (p *outliner) begins() bool {
	w := p.tokens[p.at]
	return slices.Contains([]token.Token{token.TYPE, token.FUNC, token.CONST, token.VAR, token.IMPORT}, w.kind) &&
		(w.start == 0 || p.text[w.start-1] == '\n')
}

// take returns the next token and goes on.
func (p *outliner) take() word {
	w := p.peek()
	if w.kind != token.EOF {
		p.at++
	}
	return w
}

// declaration parses a declaration of the file, or skips a token.
func (p *outliner) declaration() {
	if !p.begins() {
		if p.tokens[p.at].kind == token.PACKAGE {
			p.attach(nil, p.tokens[p.at].start)
		}
		p.at++
		return
	}
	keyword := p.tokens[p.at]
	p.at++
	spec := map[token.Token]func(){token.TYPE: p.typeSpec, token.CONST: p.constSpec, token.IMPORT: p.importSpec}[keyword.kind]
	if keyword.kind != token.TYPE {
		p.attach(nil, keyword.start)
	}
	if spec == nil {
		return
	}
	if p.peek().kind != token.LPAREN {
		spec()
		return
	}
	p.at++
	for p.peek().kind != token.EOF {
		switch p.peek().kind {
		case token.RPAREN:
			p.at++
			return
		case token.SEMICOLON:
			p.at++
		default:
			spec()
		}
	}
}

// statement returns the tokens up to the end of a line or of the struct, without those in the
// braces of a struct, and the fields in these.
func (p *outliner) statement(parent *Decl) (words []word, fields []*Decl) {
	depth := 0
	for {
		w := p.peek()
		switch {
		case w.kind == token.EOF, w.kind == token.SEMICOLON && depth == 0, w.kind == token.RBRACE && depth == 0:
			return words, fields
		case w.kind == token.LBRACE && depth == 0 && len(words) > 0 && words[len(words)-1].kind == token.STRUCT &&
			parent != nil:
			p.at++
			p.fields(parent)
			fields = parent.Fields
			continue
		case w.kind == token.LBRACE:
			depth++
		case w.kind == token.RBRACE:
			depth--
		}
		words = append(words, w)
		p.at++
	}
}

func (p *outliner) typeSpec() {
	name := p.take()
	if name.kind != token.IDENT {
		return
	}
	d := &Decl{Key: name.text, Name: name.text, Start: name.start, End: name.end, Until: name.end}
	p.out.Decls = append(p.out.Decls, d)
	d.Fields = make([]*Decl, 0, 1)
	p.attach(d, d.Start)
	words, _ := p.statement(d)
	d.Type = p.textOf(words)
	if len(words) > 0 {
		d.Until = max(d.Until, words[len(words)-1].end)
	}
	if p.at > 0 && p.at <= len(p.tokens) {
		d.Until = max(d.Until, p.tokens[p.at-1].end)
	}
}

// attach gives the markers before an offset that no declaration has to one.
func (p *outliner) attach(d *Decl, until int) {
	for ; p.waiting < len(p.out.Markers) && p.out.Markers[p.waiting].Start < until; p.waiting++ {
		m := p.out.Markers[p.waiting]
		m.Decl = d
		if d != nil {
			d.Markers = append(d.Markers, m)
		}
	}
}

// fields parses the fields of a struct, after its opening brace.
func (p *outliner) fields(owner *Decl) {
	for {
		switch p.peek().kind {
		case token.EOF:
			return
		case token.RBRACE:
			p.attach(nil, p.peek().start)
			p.at++
			return
		case token.SEMICOLON:
			p.at++
			continue
		}
		if first := p.at; !p.field(owner) && p.at == first {
			p.at++
		}
	}
}

// field parses a field, or the names of several.
func (p *outliner) field(owner *Decl) bool {
	first := p.peek()
	var names []word
	embedded := true
	if first.kind == token.IDENT && p.at+1 < len(p.tokens) {
		switch p.tokens[p.at+1].kind {
		case token.PERIOD, token.STRING, token.SEMICOLON, token.RBRACE:
		default:
			embedded = false
			names = append(names, p.take())
			for p.peek().kind == token.COMMA {
				p.at++
				if p.peek().kind == token.IDENT {
					names = append(names, p.take())
				}
			}
		}
	}
	d := &Decl{Parent: owner, Fields: make([]*Decl, 0, 1)}
	index := len(p.out.Decls)
	if !embedded {
		d.Name = names[0].text
		d.Start = names[0].start
		d.End = names[0].end
		d.Key = owner.Key + "." + d.Name
		p.out.Decls = append(p.out.Decls, d)
		owner.Fields = append(owner.Fields, d)
		p.attach(d, d.Start)
	}
	words, _ := p.statement(d)
	if len(words) == 0 && embedded {
		return false
	}
	d.Until = p.tokens[p.at-1].end
	tag := ""
	if n := len(words); n > 0 && words[n-1].kind == token.STRING {
		tag = strings.Trim(words[n-1].text, "`") // which may not be closed
		words = words[:n-1]
	}
	d.Type = p.textOf(words)
	if embedded {
		for _, w := range words {
			if w.kind == token.IDENT {
				d.Name = w.text
				d.Start = w.start
				d.End = w.end
			}
		}
		if d.Name == "" {
			return false
		}
		d.Key = owner.Key + "." + d.Name
		p.out.Decls = slices.Insert(p.out.Decls, index, d)
		owner.Fields = append(owner.Fields, d)
		p.attach(d, d.Start)
	}
	switch json := source.JSONTagOf(reflect.StructTag(tag)); {
	case json.Excluded:
	case json.Name != "":
		d.JSON = json.Name
	case !embedded && json.IsSet:
		d.JSON = d.Name
	}
	line := len(p.text)
	if n := bytes.IndexByte(p.text[d.Until:], '\n'); n >= 0 {
		line = d.Until + n
	}
	p.attach(d, line)
	for _, name := range names[min(1, len(names)):] {
		other := *d
		other.Name = name.text
		other.Start = name.start
		other.End = name.end
		other.Key = owner.Key + "." + name.text
		p.out.Decls = append(p.out.Decls, &other)
		owner.Fields = append(owner.Fields, &other)
	}
	return true
}

func (p *outliner) textOf(words []word) string {
	if len(words) == 0 {
		return ""
	}
	return string(p.text[words[0].start:words[len(words)-1].end])
}

func (p *outliner) constSpec() {
	words, _ := p.statement(nil)
	if len(words) == 0 {
		p.at++
		return
	}
	equals := slices.IndexFunc(words, func(w word) bool { return w.kind == token.ASSIGN })
	if equals < 0 {
		return
	}
	typeName := ""
	if equals > 1 && words[equals-1].kind == token.IDENT && words[equals-2].kind == token.IDENT {
		typeName = words[equals-1].text
	}
	rest := words[equals+1:]
	if len(rest) == 4 && rest[0].kind == token.IDENT && rest[1].kind == token.LPAREN { // Type("value")
		typeName = rest[0].text
		rest = rest[2:3]
	}
	if len(rest) != 1 || typeName == "" {
		return
	}
	if value, err := strconv.Unquote(rest[0].text); err == nil && rest[0].kind == token.STRING {
		p.out.Constants[typeName] = append(p.out.Constants[typeName], value)
	}
}

func (p *outliner) importSpec() {
	words, _ := p.statement(nil)
	if len(words) == 0 {
		p.at++
		return
	}
	path, err := strconv.Unquote(words[len(words)-1].text)
	if err != nil {
		return
	}
	name := path[strings.LastIndexByte(path, '/')+1:]
	if words[0].kind == token.IDENT {
		name = words[0].text
	}
	p.out.Imports[name] = path
}
