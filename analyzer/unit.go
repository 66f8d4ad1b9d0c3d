package analyzer

import (
	"go/ast"
	"go/build"
	"go/build/constraint"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/analysis"

	"github.com/schemagen/schemagen/diag"
)

// unit is the package of a pass: its own files, without those of tests. A variant of a package
// for tests has the same ones, and one with only tests has none. Files that cgo rewrites are left
// out: the pass does not have their text.
type unit struct {
	pass  *analysis.Pass
	dir   string
	files map[string]*token.File
	// tags are build tags without which files are not part of the package.
	tags []string
}

func unitOf(pass *analysis.Pass) *unit {
	u := &unit{pass: pass, files: map[string]*token.File{}}
	for _, f := range pass.Files {
		file := pass.Fset.File(f.FileStart)
		if file == nil || !filepath.IsAbs(file.Name()) || !strings.HasSuffix(file.Name(), ".go") || strings.HasSuffix(file.Name(), "_test.go") ||
			strings.HasSuffix(file.Name(), ".cgo1.go") || filepath.Base(file.Name()) == "_cgo_gotypes.go" {
			continue
		}
		u.files[file.Name()] = file
		if u.dir == "" {
			u.dir = filepath.Dir(file.Name())
		}
		u.tags = append(u.tags, tagsOf(f)...)
	}
	return u
}

// tagsOf returns the build tags that the driver must have been given to select a file.
func tagsOf(f *ast.File) []string {
	for _, group := range f.Comments {
		for _, c := range group.List {
			expr, err := constraint.Parse(c.Text)
			if c.Pos() > f.Package || err != nil {
				continue
			}
			var named []string
			byDefault := expr.Eval(func(tag string) bool {
				named = append(named, tag)
				return tag == build.Default.GOOS || tag == build.Default.GOARCH || slices.Contains(build.Default.ReleaseTags, tag) || slices.Contains([]string{"cgo", "gc", "unix"}, tag)
			})
			if !byDefault && expr.Eval(func(tag string) bool { return slices.Contains(named, tag) }) {
				return named
			}
		}
	}
	return nil
}

// matters reports whether the package may have API types or markers: it saves most packages of a
// program the reading of their dependencies.
func (u *unit) matters() bool {
	if u.dir == "" {
		return false
	}
	for _, f := range u.pass.Files {
		for _, spec := range f.Imports {
			if strings.HasPrefix(spec.Path.Value, `"k8s.io/apimachinery/`) {
				return true
			}
		}
		for _, group := range f.Comments {
			if hasMarker(group) {
				return true
			}
		}
	}
	return false
}

func hasMarker(group *ast.CommentGroup) bool {
	for _, c := range group.List {
		text := strings.TrimLeft(strings.TrimPrefix(strings.TrimPrefix(c.Text, "//"), "/*"), " \t\n*")
		if strings.HasPrefix(text, "+") || strings.Contains(text, "\n+") || strings.Contains(text, "+kubebuilder:") {
			return true
		}
	}
	return false
}

// overlay returns the contents that the driver has of the files, which may not be saved. Nobody
// edits a module with a version, and the go command refuses other contents of its files.
func (u *unit) overlay() map[string][]byte {
	out := map[string][]byte{}
	if u.pass.Module != nil && u.pass.Module.Version != "" {
		return out
	}
	for name := range u.files {
		if text, err := u.pass.ReadFile(name); err == nil {
			out[name] = text
		}
	}
	return out
}

// report reports a finding in a file of the package.
func (u *unit) report(d diag.Diagnostic) {
	pos := u.pos(d.Pos)
	if !pos.IsValid() {
		return
	}
	out := analysis.Diagnostic{Pos: pos, End: u.pos(d.End), Category: string(d.Code), Message: message(d)}
	for _, r := range d.Related {
		if position := u.pos(r.Pos); position.IsValid() {
			out.Related = append(out.Related, analysis.RelatedInformation{Pos: position, Message: r.Message})
		}
	}
	seen := map[string]bool{}
	for _, fix := range d.Fixes {
		if edits := u.edits(fix); edits != nil && !seen[fix.Message] {
			seen[fix.Message] = true
			out.SuggestedFixes = append(out.SuggestedFixes, analysis.SuggestedFix{Message: fix.Message, TextEdits: edits})
		}
	}
	u.pass.Report(out)
}

// message returns the message of a finding with its code and a hint of one line.
func message(d diag.Diagnostic) string {
	out := string(d.Code) + ": " + d.Message
	if d.Hint != "" && !strings.Contains(d.Hint, "\n") {
		out += " (" + d.Hint + ")"
	}
	return out
}

// edits returns the edits of a fix, or nil if they are not all in files of the package.
func (u *unit) edits(fix diag.Fix) (out []analysis.TextEdit) {
	for _, e := range fix.Edits {
		start := u.pos(e.Pos)
		end := u.pos(e.End)
		if !start.IsValid() || !end.IsValid() {
			return nil
		}
		out = append(out, analysis.TextEdit{Pos: start, End: end, NewText: []byte(e.New)})
	}
	return out
}

// pos returns a position in a file of the package, or token.NoPos for any other.
func (u *unit) pos(p diag.Position) token.Pos {
	name := filepath.FromSlash(p.File)
	if !filepath.IsAbs(name) {
		name = filepath.Join(u.dir, name)
	}
	file := u.files[name]
	if file == nil || p.Line < 1 || p.Line > file.LineCount() {
		return token.NoPos
	}
	offset := file.Offset(file.LineStart(p.Line)) + max(p.Column, 1) - 1
	if offset > file.Size() {
		return token.NoPos
	}
	return file.Pos(offset)
}
