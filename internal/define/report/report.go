package report

import (
	"cmp"
	"errors"
	"fmt"
	"go/ast"
	"go/scanner"
	"go/token"
	"io/fs"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/notes"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/source/golist"
)

// Reporter collects diagnostics. Positions are given as token.Pos and resolved immediately.
type Reporter struct {
	Fset *token.FileSet
	List diag.List
	// via are the fields that lead to the type being built, outermost first. An error in a
	// dependency is reported at the innermost of them that is the user's.
	via []step
	// imports are the indexes in List of diagnostics about missing packages, by import path.
	imports map[string]int
}

// step is a field on the way to a type.
type step struct {
	source.Origin
	name string // of the field, with its type; empty for a node of a schema
}

// Enter records that a field is entered. Leave reverts it.
func (r *Reporter) Enter(origin source.Origin, name string) {
	r.via = append(r.via, step{origin, name})
}

func (r *Reporter) Leave() { r.via = r.via[:len(r.via)-1] }

func (r *Reporter) Position(pos token.Pos) diag.Position {
	return diag.PositionOf(r.Fset, pos)
}

// Add adds a diagnostic that does not belong to a package.
func (r *Reporter) Add(d diag.Diagnostic) *diag.Diagnostic {
	r.List = append(r.List, d)
	return &r.List[len(r.List)-1]
}

// Report adds a diagnostic and returns it, so that it can be modified until the next one is
// added. If its package is not the user's, it is reported at the user's field that leads
// there.
func (r *Reporter) Report(kind *diag.Kind, origin source.Origin, hint, format string, args ...any) *diag.Diagnostic {
	d := kind.At(r.Position(origin.Pos), hint, format, args...)
	if !origin.Pos.IsValid() {
		d.Pos = origin.Position
	}
	if origin.Foreign {
		for i := len(r.via) - 1; i >= 0; i-- {
			if sourceStep := r.via[i]; sourceStep.Package != "" && !sourceStep.Foreign {
				d = d.With(diag.Related{Pos: d.Pos, Message: "found here"})
				d.Pos = r.Position(sourceStep.Pos)
				d.Message = "in " + origin.Package + ": " + d.Message
				break
			}
		}
	}
	return r.Add(d)
}

// ReportType is like Report for a type that has no schema, and names the field of that type.
func (r *Reporter) ReportType(kind *diag.Kind, origin source.Origin, hint, format string, args ...any) *diag.Diagnostic {
	if n := len(r.via); n > 0 && r.via[n-1].Package == origin.Package {
		return r.Report(kind, origin, hint, "field %s: %s", r.via[n-1].name, fmt.Sprintf(format, args...))
	}
	return r.Report(kind, origin, hint, format, args...)
}

// MistakeSince returns the mistake to record for a node: InKeywords if an error has been
// reported since there were n diagnostics, else NoMistake.
func (r *Reporter) MistakeSince(n int) notes.Mistake {
	if r.List[n:].HasErrors() {
		return notes.InKeywords
	}
	return notes.NoMistake
}

// Findings returns the number of diagnostics so far.
func (r *Reporter) Findings() int { return len(r.List) }

// BadArguments reports invalid arguments of a marker.
func (r *Reporter) BadArguments(origin source.Origin, hint, format string, args ...any) *diag.Diagnostic {
	return r.Report(MalformedArguments, origin, hint, format, args...)
}

// DoesNotFit reports a marker that does not apply to its node.
func (r *Reporter) DoesNotFit(origin source.Origin, hint, format string, args ...any) {
	r.Report(MarkerDoesNotFit, origin, hint, format, args...)
}

// TagNeedsErased reports a marker that needs a field which a condition removes.
func (r *Reporter) TagNeedsErased(origin source.Origin, marker, field, condition string, erased token.Pos) {
	when := "+" + markers.WhenName + "(" + condition + ")="
	d := r.Report(NeedsErased, origin, "write "+when+" before the marker", "+%s needs field %s, which does not exist here: its condition is %s", marker, field, condition)
	d.Related = []diag.Related{{Pos: r.Position(erased), Message: "the condition"}}
	r.Fix(d, "write "+when, &markers.Edit{Pos: origin.Pos, End: origin.Pos, New: when})
}

// maxRelated is the maximum number of further positions listed for a missing package.
const maxRelated = 3

// MissingImport reports a package that cannot be found, once, by calling report, and relates
// further positions that need it.
func (r *Reporter) MissingImport(importPath string, pos token.Pos, name string, report func()) {
	i, ok := r.imports[importPath]
	if !ok {
		if r.imports == nil {
			r.imports = map[string]int{}
		}
		r.imports[importPath] = len(r.List)
		report()
		return
	}
	if d, position := &r.List[i], r.Position(pos); position != d.Pos && len(d.Related) < maxRelated {
		d.Related = append(d.Related, diag.Related{Pos: position, Message: name + " also needs it"})
	}
}

// Drop removes the diagnostics of a kind.
func (r *Reporter) Drop(kind *diag.Kind) {
	r.List = slices.DeleteFunc(r.List, func(d diag.Diagnostic) bool { return d.Code == kind.Code })
}

// Syntax reports that a file cannot be parsed.
func (r *Reporter) Syntax(p *source.Package, e *scanner.Error) {
	r.Report(syntaxError, p.AtPosition(diag.Position{File: e.Pos.Filename, Line: e.Pos.Line, Column: e.Pos.Column}), "", "%s", e.Msg)
}

// Redeclared reports the second declaration of a type.
func (r *Reporter) Redeclared(first *source.Type, second *ast.TypeSpec) {
	d := r.Report(typeRedeclared, first.Pkg.At(second.Name.Pos()), "", "type %s is redeclared", second.Name.Name)
	d.Related = append(d.Related, diag.Related{Pos: r.Position(first.Spec.Name.Pos()), Message: "the other declaration"})
}

// Unreadable reports that a file cannot be read.
func (r *Reporter) Unreadable(p *source.Package, name string, err error) {
	r.Report(unreadableFile, p.AtPosition(diag.Position{File: name}), "", "cannot read the file: %v", withoutPath(err))
}

// Header returns the text of a header file with " YEAR" replaced; it is empty if the name is. A file
// that cannot be read is reported.
func Header(read func(name string) ([]byte, error), name, year string) (text string, unreadable diag.List) {
	if name == "" {
		return "", nil
	}
	data, err := read(name)
	if err != nil {
		return "", diag.List{UnreadableHeader(name, err)}
	}
	return strings.ReplaceAll(string(data), " YEAR", " "+year), nil
}

// UnreadableHeader returns the diagnostic for a header file that cannot be read. It is the
// same for all generators of a run, so a file that several of them name is reported once.
func UnreadableHeader(name string, err error) diag.Diagnostic {
	return HeaderNotUsed.At(diag.Position{File: name}, "the path of a header file is relative to the working directory", "cannot read the header file: %v", withoutPath(err))
}

// withoutPath returns what is wrong with a file, without its name.
func withoutPath(err error) error {
	if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
		return pathErr.Err
	}
	return err
}

func (r *Reporter) MarkerArguments(p *source.Package, comment markers.Comment, err error) {
	var parseErr *markers.ParseError
	if !errors.As(err, &parseErr) {
		r.Report(MalformedArguments, p.At(comment.Pos), "", "%s: %s", comment.Text, err)
		return
	}
	kind := MalformedArguments
	if parseErr.Name == markers.WhenName || parseErr.Name == markers.DocName {
		kind = InvalidCondition
	}
	d := r.Report(kind, p.At(parseErr.Pos), parseErr.Hint, "+%s: %s", parseErr.Name, err)
	if p.Local() {
		r.Delimit(d, parseErr.End, parseErr.Edit)
	}
}

// Delimit sets the end of the source that a diagnostic in the user's source is about, and
// adds the edit that corrects it, if any.
func (r *Reporter) Delimit(d *diag.Diagnostic, end token.Pos, edit *markers.Edit) {
	d.End = r.Position(end)
	if edit == nil {
		return
	}
	message := "write " + edit.New
	if edit.New == "" {
		message = "remove it"
	}
	d.Fixes = append(d.Fixes, diag.Fix{Message: message,
		Edits: []diag.Edit{{Pos: r.Position(edit.Pos), End: r.Position(edit.End), New: edit.New}}})
}

// Unmatched reports the patterns that match no package. If others match packages, of which there
// are listed, a pattern whose directory exists is only a warning.
func (r *Reporter) Unmatched(patterns []golist.Unmatched, listed int) {
	for _, p := range patterns {
		format := "pattern %q matches no package"
		hint := "give a directory, a directory followed by /..., or an import path"
		switch {
		case p.NoDirectory:
			format += ": no such directory"
		case strings.Contains(p.Pattern, "="):
			hint = "write packages without =, or paths=… for controller-gen's syntax"
		case p.NoPackage && p.IsDirectory:
			format = "%q is an import path, and no package has it"
			hint = "write ./" + p.Pattern + " for the directory"
		case p.NoPackage:
			format = "%q does not exist: it is not a file or directory, nor the import path of a package"
		}
		d := r.Add(patternWithoutPackages.At(diag.Position{}, hint, format, p.Pattern))
		if listed > 0 && !p.NoDirectory && !p.NoPackage {
			d.Severity = diag.Warning
		}
	}
}

// Meant adds to a diagnostic in the user's source the edit that corrects a misspelled word at
// a position.
func (r *Reporter) Meant(d *diag.Diagnostic, pos token.Pos, word string, known []string) {
	if nearest, ok := words.Nearest(word, known); ok {
		end := pos + token.Pos(len(word))
		r.Delimit(d, end, &markers.Edit{Pos: pos, End: end, New: nearest})
	}
}

// PackageErrors reports errors from listing a root package. Errors with a position in a file
// are left to the parser, which reads the files that are needed.
func (r *Reporter) PackageErrors(p *source.Package) {
	for _, e := range p.Errors {
		if pos := diag.ParsePosition(e.Pos); pos.Line == 0 {
			message, hint := listingProblem(OneLine(e.Msg))
			r.Add(packageNotListed.At(pos, cmp.Or(e.Hint, hint), "%s", message))
		}
	}
}

// listingProblem returns what to report for a message of the go command, with a hint if there is
// one.
func listingProblem(message string) (text, hint string) {
	switch {
	case strings.Contains(message, "does not contain main module"):
		return "there is no go.mod in this directory or above it", "create a module with go mod init example.com/project"
	case strings.HasPrefix(message, "no Go files in "):
		return message, "name the packages with API types, such as ./api/... (paths=./api/... in controller-gen's syntax)"
	}
	return message, ""
}

// OneLine joins the lines of a go command message.
func OneLine(message string) string { return strings.Join(strings.Fields(message), " ") }

// ImportHint returns a hint for an import that cannot be found.
func ImportHint(p *source.Package, importPath string) string {
	if listed := p.Import(importPath); listed != nil && len(listed.Errors) > 0 {
		first := listed.Errors[0]
		hint := OneLine(first.Msg)
		if first.Hint != "" {
			hint += "; " + first.Hint
		}
		return hint
	}
	return "add the package's module to go.mod, for example with go mod tidy"
}

// usualImport returns the import path that API packages usually give a name; empty if there is none.
func usualImport(name string) string {
	return map[string]string{
		"apiextensionsv1": "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
		"corev1":          "k8s.io/api/core/v1",
		"intstr":          "k8s.io/apimachinery/pkg/util/intstr",
		"metav1":          source.MetaV1Path,
		"resource":        "k8s.io/apimachinery/pkg/api/resource",
		"runtime":         "k8s.io/apimachinery/pkg/runtime",
	}[name]
}

// Unimported returns a hint, and what is wrong, for the name of a type in a package that its file does not import.
func Unimported(name string) (hint, message string) {
	qualifier, _, _ := strings.Cut(name, ".")
	hint = "import the package " + qualifier
	if path := usualImport(qualifier); path != "" {
		hint = fmt.Sprintf("write: import %s %q", qualifier, path)
	}
	return hint, fmt.Sprintf("unknown type %s: the file does not import package %s", name, qualifier)
}

// CheckImports warns of packages that generated Go imports, by path, and that cannot be found from the
// package that it belongs to. It is a warning, because go mod tidy adds their modules once the Go is
// there.
func (r *Reporter) CheckImports(p *source.Package, pos token.Pos, paths []string) {
	for _, importPath := range paths {
		if listed := p.Import(importPath); listed == nil || len(listed.Errors) == 0 {
			continue // it is found, or not known: the go command lists only what files import already
		}
		d := r.Report(ImportNotFound, p.At(pos), ImportHint(p, importPath), "the generated Go imports %q, which cannot be found", importPath)
		d.Severity = diag.Warning
	}
}
