package terminal

import (
	"io"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/schemapath"
	"github.com/schemagen/schemagen/internal/ground/screen"
)

// Findings prints diagnostics for people:
//
//	error[SG203]: field Gadget.Ratio: found float64, whose precision varies across languages
//	  --> api/v1/types.go:18:8
//	   |
//	18 |     Ratio float64 `json:"ratio"`
//	   |           ^^^^^^^
//	   = help: use resource.Quantity or a string
//	   = note: schemagen explain SG203
//
// Related positions follow with their own source. Text is wrapped between words, and long
// lines of source are cut around what is underlined.
type Findings struct {
	w       io.Writer
	paint   screen.Paint
	width   int
	sources *Sources
	// explained are the codes for which the command that explains them was printed.
	explained map[diag.Code]bool
}

// NewFindings returns a printer of findings for a screen with a number of columns. Without
// sources, it prints no excerpts.
func NewFindings(w io.Writer, paint screen.Paint, width int, sources *Sources) *Findings {
	return &Findings{w: w, paint: paint, width: max(width, minWidth), sources: sources, explained: map[diag.Code]bool{}}
}

const (
	// maxTextWidth is the width at which text is wrapped on wider screens.
	maxTextWidth = 120
	// maxIndent is the number of tabs in front of text that are shown.
	maxIndent = 8
	// maxLines is the number of lines of source up to which all are shown.
	maxLines = 5
)

// Write prints further diagnostics.
func (f *Findings) Write(list diag.List) error {
	for _, d := range list.On() {
		p := page{Findings: f}
		p.diagnostic(d)
		if _, err := io.WriteString(f.w, p.String()); err != nil {
			return err
		}
	}
	return nil
}

// Close does nothing: the output is always complete.
func (f *Findings) Close() error { return nil }

// page is the text of one diagnostic.
type page struct {
	*Findings
	strings.Builder
	// gutter is the width of the line numbers.
	gutter int
}

func (p *page) diagnostic(diagnostic diag.Diagnostic) {
	p.gutter = len(strconv.Itoa(max(diagnostic.Pos.Line, diagnostic.End.Line)))
	for _, r := range diagnostic.Related {
		p.gutter = max(p.gutter, len(strconv.Itoa(r.Pos.Line)))
	}
	style := severityStyle(diagnostic.Severity)
	message := diagnostic.Message
	if diagnostic.Cause != "" {
		message = diagnostic.Cause
	}
	p.title(style, diagnostic.Severity.String()+"["+string(diagnostic.Code)+"]", message)
	quoted := p.place(diagnostic.Pos, diagnostic.End, style)
	for _, q := range diagnostic.Quotes {
		if q.Message != "" || !quoted || !diagnostic.QuotesAtPos {
			p.quote(q, style)
		}
	}
	if diagnostic.Path != "" {
		p.advice(screen.Dim, screen.Dim, "path", schemapath.Short(diagnostic.Path))
	}
	if diagnostic.Hint != "" {
		p.advice(screen.Bold, screen.Plain, "help", diagnostic.Hint)
	}
	if diagnostic.Code != "" && !p.explained[diagnostic.Code] {
		p.explained[diagnostic.Code] = true
		p.advice(screen.Bold, screen.Plain, "note", "schemagen explain "+string(diagnostic.Code))
	}
	for _, r := range diagnostic.Related {
		p.title(screen.Advice, "note", r.Message)
		p.place(r.Pos, diag.Position{}, screen.Advice)
	}
	p.WriteString("\n")
}

func severityStyle(s diag.Severity) screen.Style {
	return [...]screen.Style{screen.Alert, screen.Caution, screen.Advice}[s]
}

// title prints a word and a message.
func (p *page) title(style screen.Style, word, message string) {
	const indent = "  "
	width := p.textWidth()
	lines := wrap(screen.Line(message), width-len(word)-len(": "), width-len(indent))
	p.WriteString(p.paint.Text(style, word) + p.paint.Text(screen.Bold, ": "+lines[0]) + "\n")
	for _, line := range lines[1:] {
		p.WriteString(indent + p.paint.Text(screen.Bold, line) + "\n")
	}
}

func (p *page) textWidth() int { return min(p.width, maxTextWidth) }

// line prints a line with a mark in the gutter.
func (p *page) line(mark, text string) {
	p.WriteString(strings.Repeat(" ", p.gutter+1) + p.paint.Text(screen.Cyan, mark))
	if text != "" {
		p.WriteString(" " + text)
	}
	p.WriteString("\n")
}

// advice prints a text after a word, in the gutter, both in a style. The text may have
// several lines, with tabs at their start.
func (p *page) advice(wordStyle, style screen.Style, word, text string) {
	word += ":"
	indent := strings.Repeat(" ", p.gutter+len(" = ")+len(word)+1)
	var lines []string
	for line := range strings.SplitSeq(strings.Trim(text, "\n"), "\n") {
		unindented := strings.TrimLeft(line, "\t")
		deeper := strings.Repeat("  ", min(len(line)-len(unindented), maxIndent))
		width := p.textWidth() - len(indent) - len(deeper)
		for _, line := range wrap(screen.Line(unindented), width, width) {
			lines = append(lines, deeper+p.paint.Text(style, line))
		}
	}
	p.line("=", p.paint.Text(wordStyle, word)+" "+lines[0])
	for _, line := range lines[1:] {
		p.WriteString(indent + line + "\n")
	}
}

// place prints a position and the source there, and reports whether that is known.
func (p *page) place(pos, end diag.Position, style screen.Style) bool {
	if pos.File == "" {
		return false
	}
	p.WriteString(strings.Repeat(" ", p.gutter) + p.paint.Text(screen.Cyan, "-->") + " " + screen.Line(pos.String()) + "\n")
	line, ok := p.sources.line(pos.File, pos.Line)
	if !ok || pos.Column > len(line)+1 {
		return false
	}
	p.line("|", "")
	start := max(pos.Column-1, 0)
	switch {
	case pos.Column == 0: // the line
		start = len(line) - len(strings.TrimLeft(line, " \t"))
		p.source(pos.Line, line, start, len(line), style)
	case end.Line > pos.Line && end.Column > 0:
		p.lines(pos, end, style)
	case end.Line == pos.Line && end.Column > 0:
		p.source(pos.Line, line, start, end.Column-1, style)
	default:
		p.source(pos.Line, line, start, Extent(pos.File, line, start), style)
	}
	return true
}

// lines prints a range of several lines, without its middle if there are too many.
func (p *page) lines(pos, end diag.Position, style screen.Style) {
	for number := pos.Line; number <= end.Line; number++ {
		if skipped := end.Line - pos.Line + 1 - maxLines; skipped > 0 && number == pos.Line+maxLines-2 {
			p.line("|", p.paint.Text(screen.Dim, "… "+strconv.Itoa(skipped+1)+" more lines"))
			number = end.Line
		}
		line, ok := p.sources.line(pos.File, number)
		if !ok {
			return
		}
		start := len(line) - len(strings.TrimLeft(line, " \t"))
		last := len(strings.TrimRight(line, " \t"))
		if number == pos.Line {
			start = pos.Column - 1
		}
		if number == end.Line {
			last = min(last, end.Column-1)
		}
		if start >= last { // nothing of it is in the range
			p.numbered(number, newExcerpt(line, 0, 0, p.width-p.gutter-len(" | ")))
			continue
		}
		p.source(number, line, start, last, style)
	}
}

// source prints a line of source, in which the bytes from start to end are underlined.
func (p *page) source(number int, line string, start, end int, style screen.Style) {
	e := newExcerpt(line, start, end, p.width-p.gutter-len(" | "))
	p.numbered(number, e)
	blanks, carets := e.underline()
	p.line("|", blanks+p.paint.Text(style, carets))
}

// numbered prints a line of source after its number.
func (p *page) numbered(number int, e excerpt) {
	text := strconv.Itoa(number)
	p.WriteString(p.paint.Text(screen.Cyan, strings.Repeat(" ", p.gutter-len(text))+text+" |"))
	if e.text != "" {
		p.WriteString(" " + e.text)
	}
	p.WriteString("\n")
}

// quote prints a text that is in no file, with a mark below it.
func (p *page) quote(q diag.Quote, style screen.Style) {
	if q.Message != "" {
		p.advice(screen.Bold, screen.Plain, "also", q.Message)
	}
	start := 0
	for n := 1; n < q.Column && start < len(q.Text); n++ {
		_, size := utf8.DecodeRuneInString(q.Text[start:])
		start += size
	}
	end := start
	if start < len(q.Text) {
		end = Extent("", q.Text, start)
	}
	e := newExcerpt(q.Text, start, end, p.width-p.gutter-len(" | "))
	blanks, carets := e.underline()
	p.line("|", "")
	p.line("|", e.text)
	p.line("|", blanks+p.paint.Text(style, carets))
}
