package typegen

import (
	"bytes"
	"crypto/sha256"
	"fmt"
	"go/format"
	"go/parser"
	"go/token"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/inputs"
)

// digestMark begins the first line of a generated file. The digest of the other lines follows
// it, so that a later run notices if people have edited them.
const digestMark = "//schemagen:types sha256:"

// signedLines is the number of lines that signed adds.
const signedLines = 2

// signed returns Go source below a line with its digest.
func signed(source []byte) []byte {
	return slices.Concat([]byte(digestMark+digestOf(source)+"\n\n"), source)
}

// digestOf returns the digest of Go source as gofmt writes it, with Unix line endings: gofmt
// and Git may have rewritten a file that nobody has edited.
func digestOf(source []byte) string {
	source = bytes.ReplaceAll(source, []byte("\r\n"), []byte("\n"))
	if formatted, err := format.Source(source); err == nil {
		source = formatted
	}
	return fmt.Sprintf("%x", sha256.Sum256(bytes.TrimSpace(source)))
}

// signature returns the digest of a file when Generate wrote it, which is empty if it did not,
// and the digest of the file now.
func signature(data []byte) (written, now string) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", data, parser.PackageClauseOnly|parser.ParseComments)
	if err != nil {
		return "", ""
	}
	for _, group := range file.Comments {
		for _, c := range group.List {
			digest, found := strings.CutPrefix(c.Text, digestMark)
			if !found || c.Pos() > file.Package {
				continue
			}
			head := data[:fset.Position(c.Pos()).Offset]
			_, tail, _ := bytes.Cut(data[len(head):], []byte("\n"))
			return strings.TrimSpace(digest), digestOf(slices.Concat(head, tail))
		}
	}
	return "", ""
}

// toWrite returns the files without the ones that people have edited, if Generate would write the
// source again that they have edited. If it would overwrite their work, the file is reported.
func toWrite(files []writtenFile, options *Options) ([]writtenFile, diag.List, error) {
	var out []writtenFile
	var found diag.List
	var disk *inputs.Reader
	for _, f := range files {
		if info, err := disk.Stat(f.name); err != nil || !info.Mode().IsRegular() {
			out = append(out, f) // whether it can be written there is not known here
			continue
		}
		data, err := disk.ReadFile(f.name, nil)
		if err != nil {
			return nil, nil, err
		}
		position := diag.Position{File: options.shown(f.name), Line: 1, Column: 1}
		written, now := signature(data)
		next, _ := signature(f.data)
		switch {
		case options.Overwrite:
			out = append(out, f)
		case written == next && written == now:
			f.data = data // gofmt or Git may have rewritten it
			out = append(out, f)
		case written == next:
			found = append(found, editedFile.At(position, "", "this file has been edited since schemagen types wrote it; it is kept, because the CRDs have not changed it").As(diag.Note))
		case written != "" && written == now:
			out = append(out, f)
		default:
			message := "this file has been edited since schemagen types wrote it"
			if written == "" {
				message = "schemagen types did not write this file"
			}
			d := editedFile.At(position, "--diff shows what would be overwritten, --overwrite writes the file", "%s", message)
			if options.Preview {
				d = d.As(diag.Warning)
			}
			out = append(out, f)
			found = append(found, d)
		}
	}
	return out, found, nil
}

// leftover is a file that Generate has written and that the package no longer has.
type leftover struct {
	name   string
	edited bool
}

// leftovers returns those in the directory of a package with these files.
func (p *groupVersion) leftovers(files []writtenFile) ([]leftover, error) {
	var disk *inputs.Reader
	entries, err := disk.ReadDir(p.dir)
	if err != nil && !inputs.IsAbsent(err) {
		return nil, err
	}
	var out []leftover
	for _, entry := range entries {
		name := filepath.Join(p.dir, entry.Name())
		if !entry.Type().IsRegular() || filepath.Ext(name) != ".go" || slices.ContainsFunc(files, func(f writtenFile) bool { return f.name == name }) {
			continue
		}
		data, err := disk.ReadFile(name, nil)
		if err != nil {
			return nil, err
		}
		if written, now := signature(data); written != "" {
			out = append(out, leftover{name, written != now})
		}
	}
	return out, nil
}

// stale returns the paths of unedited leftovers and reports the others.
func stale(builders []*builder, files []writtenFile, options *Options) (paths []string, found diag.List, err error) {
	for _, b := range builders {
		left, err := b.leftovers(files)
		if err != nil {
			return nil, nil, err
		}
		for _, l := range left {
			path := options.shown(l.name)
			if l.edited {
				found = append(found, editedFile.At(diag.Position{File: path, Line: 1, Column: 1}, "remove it if its declarations are not needed",
					"schemagen types no longer writes this file, which has been edited").As(diag.Warning))
			} else {
				paths = append(paths, path)
			}
		}
	}
	return paths, found, nil
}
