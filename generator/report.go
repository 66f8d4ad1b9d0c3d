package generator

import (
	"errors"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"io/fs"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/markers"
)

// reporter collects diagnostics. Places are given as token.Pos and resolved at once.
type reporter struct {
	fset *token.FileSet
	list diag.List
	// via are the places of the fields that lead to the type being built,
	// outermost first. A mistake in a dependency is reported at the innermost
	// one that is the user's.
	via []step
}

// step is one field on the way to a type.
type step struct {
	pkg  *pkg
	pos  token.Pos
	name string // of the field, with its type; empty for a node of a schema
}

func (r *reporter) position(pos token.Pos) diag.Position {
	if !pos.IsValid() {
		return diag.Position{}
	}
	p := r.fset.PositionFor(pos, false)
	return diag.Position{File: p.Filename, Line: p.Line, Column: p.Column}
}

// add reports a finding at a place in a package. If the package is not the
// user's, the place is related to the user's field that leads there.
func (r *reporter) add(code diag.Code, severity diag.Severity, p *pkg, pos token.Pos, message, hint string) {
	r.addAt(code, severity, p, r.position(pos), message, hint)
}

func (r *reporter) addAt(code diag.Code, severity diag.Severity, p *pkg, pos diag.Position, message, hint string) {
	d := diag.Diagnostic{Code: code, Severity: severity, Pos: pos, Message: message, Hint: hint}
	if p != nil && !p.local() {
		for i := len(r.via) - 1; i >= 0; i-- {
			if r.via[i].pkg.local() {
				d.Pos = r.position(r.via[i].pos)
				d.Message = "in " + p.Path + ": " + message
				d.Related = append(d.Related, diag.Related{Pos: pos, Message: "found here"})
				break
			}
		}
	}
	r.list = append(r.list, d)
}

// errorf reports an error at a place in a package.
func (r *reporter) errorf(code diag.Code, p *pkg, pos token.Pos, hint, format string, args ...any) {
	r.add(code, diag.Error, p, pos, fmt.Sprintf(format, args...), hint)
}

// typeErrorf reports that a type has no schema, and names the field that wants one.
func (r *reporter) typeErrorf(code diag.Code, p *pkg, pos token.Pos, hint, format string, args ...any) {
	message := fmt.Sprintf(format, args...)
	if n := len(r.via); n > 0 && r.via[n-1].pkg == p {
		message = "field " + r.via[n-1].name + ": " + message
	}
	r.add(code, diag.Error, p, pos, message, hint)
}

// didYouMean is the hint for a word that is not one of the candidates: the
// nearest of them, or else another text.
func didYouMean(word string, candidates []string, otherwise string) string {
	if near, ok := markers.Nearest(word, candidates); ok {
		return "did you mean " + near + "?"
	}
	return otherwise
}

// listing reports a problem that has no place in a file.
func (r *reporter) listing(code diag.Code, message, hint string) {
	r.list = append(r.list, diag.Diagnostic{Code: code, Severity: diag.Error, Message: message, Hint: hint})
}

func (r *reporter) syntax(p *pkg, e *scanner.Error) {
	r.addAt(codeSyntax, diag.Error, p, diag.Position{File: e.Pos.Filename, Line: e.Pos.Line, Column: e.Pos.Column}, e.Msg, "")
}

// twice reports the second declaration of a type.
func (r *reporter) twice(first *typeDecl, second *ast.TypeSpec) {
	r.errorf(codeTwice, first.pkg, second.Name.Pos(), "", "type %s is declared twice", second.Name.Name)
	d := &r.list[len(r.list)-1]
	d.Related = append(d.Related, diag.Related{Pos: r.position(first.spec.Name.Pos()), Message: "the first declaration"})
}

func (r *reporter) unreadable(p *pkg, name string, err error) {
	var pathErr *fs.PathError
	if errors.As(err, &pathErr) {
		err = pathErr.Err
	}
	r.addAt(codeUnreadable, diag.Error, p, diag.Position{File: name}, "cannot read the file: "+err.Error(), "")
}

func (r *reporter) markerArguments(p *pkg, comment markers.Comment, err error) {
	pos := comment.Pos
	name := comment.Text
	var parseErr *markers.ParseError
	if errors.As(err, &parseErr) {
		pos = parseErr.Pos
		name = "+" + parseErr.Name
	}
	r.errorf(codeArguments, p, pos, argumentHint(name, comment.Text, err.Error()), "%s: %s", name, err)
}

// argumentHint says what was probably meant by a marker that cannot be parsed.
func argumentHint(name, text, message string) string {
	_, value, _ := strings.Cut(text, "=")
	switch {
	case message == "needs a value":
		return "write " + name + "=…"
	case name == "+default":
		return "it takes JSON, as in +default=\"a\" or +default=[1, 2]"
	case name == "+kubebuilder:resource" && strings.Contains(value, ","):
		return "several values of one argument are separated by semicolons, as in shortName=a;b"
	case name == "+kubebuilder:default" && strings.HasPrefix(value, "["):
		return "lists are written {1, 2} here; +default takes JSON"
	case strings.HasPrefix(message, "extra arguments provided") && (strings.HasSuffix(name, "Pattern") || strings.HasSuffix(name, "title")):
		return "put quotes around the value: " + name + "=\"" + value + "\""
	}
	return ""
}

// packageErrors reports what the listing says about a root package. What has a
// place in a file is left to the parser, which reads the files that are needed.
func (r *reporter) packageErrors(p *pkg) {
	for _, e := range p.Errors {
		if diag.ParsePosition(e.Pos).Line > 0 {
			continue
		}
		r.list = append(r.list, diag.Diagnostic{Code: codeListing, Severity: diag.Error, Pos: diag.ParsePosition(e.Pos), Message: oneLine(e.Msg)})
	}
}

// oneLine folds a message of the go command into one line.
func oneLine(message string) string { return strings.Join(strings.Fields(message), " ") }
