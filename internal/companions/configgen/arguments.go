package configgen

import (
	"go/token"
	"strconv"
	"strings"
	"text/scanner"

	ctmarkers "sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/schemagen/schemagen/internal/markers"
)

// Argument is an argument of a marker, as written in the source.
type Argument struct {
	Name string
	// Pos is the position of the name.
	Pos token.Pos
	// Values are the elements of a list, or the only value.
	Values []Value
}

// Value is a value of an argument.
type Value struct {
	// Text is the value, without quotes.
	Text string
	// Pos and End delimit it in the source, with quotes.
	Pos, End token.Pos
	// Quoted is set if it is a string literal.
	Quoted bool
}

// Arguments returns the arguments of a comment that def parses, in source order, up to the
// first error. stray is text in the place of an argument's name, without an equals sign.
func Arguments(def *ctmarkers.Definition, c markers.Comment) (out []Argument, stray Value) {
	start := len("+") + len(def.Name) + len(":")
	if len(c.Text) <= start {
		return nil, Value{}
	}
	a := &argumentScanner{comment: c, start: start, text: c.Text[start:]}
	a.Init(strings.NewReader(a.text))
	a.Mode = scanner.ScanIdents | scanner.ScanStrings | scanner.ScanRawStrings | scanner.SkipComments
	a.Error = func(*scanner.Scanner, string) {} // the marker has been parsed
	for a.Scan() == scanner.Ident {
		name := a.TokenText()
		argument := Argument{Name: name, Pos: a.pos(a.Position.Offset)}
		if a.Scan() != '=' {
			return out, Value{Text: name, Pos: argument.Pos, End: argument.Pos + token.Pos(len(name))}
		}
		if def.Fields[argument.Name].Type == ctmarkers.SliceType {
			argument.Values = a.list()
		} else {
			argument.Values = []Value{a.value()}
		}
		out = append(out, argument)
		if a.Scan() != ',' {
			break
		}
	}
	return out, Value{}
}

// Find returns the last argument with the name, which is the one that takes effect, and nil
// if there is none.
func Find(arguments []Argument, name string) *Argument {
	for i := len(arguments) - 1; i >= 0; i-- {
		if arguments[i].Name == name {
			return &arguments[i]
		}
	}
	return nil
}

// argumentScanner splits arguments like controller-tools' parser (pkg/markers/parse.go).
type argumentScanner struct {
	scanner.Scanner
	comment markers.Comment
	// text are the arguments, which begin at start in the text of the comment.
	text  string
	start int
}

// pos returns the position of an offset in the arguments.
func (a *argumentScanner) pos(offset int) token.Pos { return a.comment.PosAt(a.start + offset) }

// next returns the next character that is not blank, without reading it.
func (a *argumentScanner) next() rune {
	for a.Peek() >= 0 && a.Peek() <= ' ' && scanner.GoWhitespace&(1<<a.Peek()) != 0 {
		a.Next()
	}
	return a.Peek()
}

// list reads a list in braces, separated by commas, or one without, separated by semicolons.
func (a *argumentScanner) list() (out []Value) {
	separator := ';'
	if a.next() == '{' {
		a.Scan()
		separator = ','
	}
	for next := a.next(); next != '}' && next != scanner.EOF && (next != ',' || separator == ','); next = a.next() {
		out = append(out, a.value())
		if a.next() != separator {
			break
		}
		a.Scan()
	}
	if separator == ',' {
		a.Scan()
	}
	return out
}

// value reads a string literal or the text up to a separator.
func (a *argumentScanner) value() Value {
	first := a.Scan()
	start := a.Position.Offset
	if first == scanner.String || first == scanner.RawString {
		if text, err := strconv.Unquote(a.TokenText()); err == nil {
			return Value{text, a.pos(start), a.pos(start + len(a.TokenText())), true}
		}
	}
	for !strings.ContainsRune(",;}", a.next()) && a.next() != scanner.EOF {
		a.Scan()
	}
	end := min(a.Position.Offset+len(a.TokenText()), len(a.text))
	return Value{a.text[start:end], a.pos(start), a.pos(end), false}
}
