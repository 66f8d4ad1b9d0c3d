package configgen

import (
	"go/ast"
	"path/filepath"

	ctmarkers "sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// Marker is a parsed marker that describes a package.
type Marker struct {
	*markers.Marker
	File *source.File
}

// Package is a root package with its markers, in the order of the files and, in a file, of
// [markers.File].
type Package struct {
	*source.Package
	Markers []Marker
}

// Reader reads the markers of packages.
type Reader struct {
	Program *source.Program
	// Table has the definitions of the markers. All describe packages.
	Table *markers.Table
	// Report collects the findings.
	Report *report.Reporter
	// Broken is set if a file cannot be parsed, which the program reports.
	Broken bool
	// dirs are the directories of the root packages.
	dirs map[string]bool
}

// NewReader returns a reader for markers of the table.
func NewReader(p *source.Program, table *markers.Table) *Reader {
	return &Reader{Program: p, Table: table, Report: &report.Reporter{Fset: p.Fset}}
}

// file is what a file has to do with the markers.
type file struct {
	*source.File
	tree     *ast.File
	comments *markers.File
}

// Packages returns the root packages that have markers, in the order of roots. Only the trees
// of files whose text mentions a marker of a configuration generator are kept; the syntax of
// all is checked.
//
// controller-gen ignores all markers of a package in which one cannot be parsed. Here, each
// is reported, which is an error, and the others are returned for further checks.
func (r *Reader) Packages(roots []*source.Package) []Package {
	r.Program.Scan(roots)
	var sources []*source.File
	r.dirs = map[string]bool{}
	for _, root := range roots {
		for _, name := range root.Files {
			r.dirs[filepath.Dir(name)] = true
		}
		for _, f := range root.Sources {
			if f.MentionsConfig {
				sources = append(sources, f)
			}
		}
	}
	files := make([]file, len(sources))
	r.Program.Trees(sources, func(i int, tree *ast.File) {
		files[i] = file{sources[i], tree, r.Table.Collect(tree)}
	})
	r.Broken = !r.Program.CheckRelevantSyntax(roots)
	var out []Package
	for _, f := range files {
		if f.tree == nil {
			continue // it cannot be parsed
		}
		r.misplaced(f)
		found := r.markers(f)
		switch {
		case len(found) == 0:
		case len(out) > 0 && out[len(out)-1].Package == f.Pkg:
			out[len(out)-1].Markers = append(out[len(out)-1].Markers, found...)
		default:
			out = append(out, Package{f.Pkg, found})
		}
	}
	return out
}

// malformed reports a marker that cannot be parsed.
func (r *Reader) malformed(f file, comment markers.Comment, err error) {
	def := r.Table.Lookup(comment.Text, markers.Package)
	arguments, stray := Arguments(def.Definition, comment)
	if d := r.missingComma(f.Pkg, def.Definition, arguments); d != nil {
		d.Severity = diag.Error
		return
	}
	if len(arguments) > 0 && stray.Text != "" {
		last := arguments[len(arguments)-1]
		if values := last.Values; len(values) > 0 && def.Fields[last.Name].Type == ctmarkers.SliceType {
			d := r.Report.BadArguments(f.Pkg.At(stray.Pos), "separate values by semicolons: "+last.Name+"="+values[len(values)-1].Text+";"+stray.Text,
				"+%s: %q is not an argument", def.Name, stray.Text)
			end := values[len(values)-1].End
			r.Report.Delimit(d, stray.End, &markers.Edit{Pos: end, End: stray.Pos, New: ";"})
			return
		}
	}
	r.Report.MarkerArguments(f.Pkg, comment, err)
}

// markers parses the markers of a file.
func (r *Reader) markers(f file) (out []Marker) {
	for _, comment := range f.comments.Package {
		marker, err := r.Table.Parse(comment, markers.Package)
		if err != nil {
			r.malformed(f, comment, err)
		} else if marker != nil {
			out = append(out, Marker{marker, f.File})
		}
	}
	return out
}

// Failed reports whether there is an error, so that no file may be written.
func (r *Reader) Failed() bool { return r.Broken || r.Report.List.HasErrors() }

// Position returns the position of the marker.
func (r *Reader) Position(m Marker) diag.Position { return r.Report.Position(m.Pos) }
