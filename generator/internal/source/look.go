package source

import (
	"bytes"
	"slices"
	"unicode"
	"unicode/utf8"

	"github.com/schemagen/schemagen/internal/parallel"
)

// packageMarkers are the texts of markers that describe a package. A file is parsed for
// these markers only if it contains one of the texts.
var packageMarkers = [...]string{"+groupName", "+versionName", "+kubebuilder:skip", "+kubebuilder:validation:Optional", "+schemagen:"}

// Index scans the files of the package once. It parses those with declarations of types
// that the scan cannot recognize, and reports files that cannot be read.
func (p *Package) Index() {
	if p.types != nil {
		return
	}
	p.program.Look([]*Package{p})
	p.types = map[string]*Type{}
	for _, f := range p.Sources {
		if f.unreadable != nil {
			p.program.problems.Unreadable(p, f.Name, f.unreadable)
			f.parsed = true
		} else if f.declaresOtherwise {
			f.Parse()
		}
	}
}

// Look scans the files of packages in parallel, once, and assigns each file its positions
// in the file set, which are the same in every run.
func (w *Program) Look(packages []*Package) {
	var files []*File
	for _, p := range packages {
		if p.hints != nil {
			continue
		}
		p.hints = map[string][]*File{}
		for _, name := range p.Files {
			p.Sources = append(p.Sources, &File{Pkg: p, Name: name})
		}
		files = append(files, p.Sources...)
	}
	parallel.Workers(len(files), func() func(int) {
		var buffer []byte
		return func(i int) { buffer = files[i].look(buffer) }
	})
	for _, f := range files {
		f.base = w.reserve(f.size)
		for _, name := range f.hints {
			f.Pkg.hints[name] = append(f.Pkg.hints[name], f)
		}
	}
}

// look scans the bytes of the file. It reads into buffer and returns a buffer for the next
// file.
func (f *File) look(buffer []byte) []byte {
	src, err := f.Pkg.program.inputs.ReadFile(f.Name, buffer)
	if err != nil {
		f.unreadable = err
		return buffer
	}
	f.size = len(src)
	f.MentionsKind = bytes.Contains(src, []byte("TypeMeta")) && bytes.Contains(src, []byte("ObjectMeta"))
	f.mentionsMarshal = bytes.Contains(src, []byte("MarshalJSON(")) || bytes.Contains(src, []byte("MarshalText("))
	f.MentionsPackage = f.Pkg.program.markers.Corrects(f.Name)
	for _, marker := range packageMarkers {
		f.MentionsPackage = f.MentionsPackage || bytes.Contains(src, []byte(marker))
	}
	f.Doubtful = f.Pkg.Root && f.Pkg.program.table.Doubtful(src)
	f.declaresOtherwise = typeHints(src, func(name string) { f.hints = append(f.hints, name) })
	return src
}

// Read returns the content of a file, which is valid until the next call.
func (w *Program) Read(name string) ([]byte, error) {
	src, err := w.inputs.ReadFile(name, w.buffer)
	if cap(src) > cap(w.buffer) {
		w.buffer = src
	}
	return src, err
}

// typeHints calls hint for each name after the keyword type where a declaration can begin.
// It reports whether there are declarations in other forms: in a group, or with a comment
// after the keyword.
func typeHints(src []byte, hint func(string)) (others bool) {
	for offset := 0; ; {
		i := bytes.Index(src[offset:], []byte("type"))
		if i < 0 {
			return others
		}
		start := offset + i
		offset = start + len("type")
		if !startsDeclaration(src[:start]) || offset == len(src) {
			continue
		}
		rest := bytes.TrimLeft(src[offset:], " \t\r\n")
		if name := identifier(rest); name == "" {
			others = others || bytes.HasPrefix(rest, []byte("(")) || bytes.HasPrefix(rest, []byte("/"))
		} else if len(rest) < len(src[offset:]) { // otherwise it is a longer word
			hint(name)
		}
	}
}

// startsDeclaration reports whether a declaration can begin after the text: at the start of
// a line, or after a semicolon or a comment.
func startsDeclaration(before []byte) bool {
	before = bytes.TrimRight(before, " \t\r")
	n := len(before)
	return n == 0 || before[n-1] == '\n' || before[n-1] == ';' || bytes.HasSuffix(before, []byte("*/")) ||
		string(before) == "\uFEFF"
}

func identifier(src []byte) string {
	n := 0
	for n < len(src) {
		r, size := utf8.DecodeRune(src[n:])
		if r != '_' && !unicode.IsLetter(r) && (n == 0 || !unicode.IsDigit(r)) {
			break
		}
		n += size
	}
	return string(src[:n])
}

// Mentions reports whether is returns true for the content of a file of the package. Files
// that cannot be read are skipped here and reported when the package is indexed.
func (p *Package) Mentions(is func(src []byte) bool) bool {
	return slices.ContainsFunc(p.Files, func(name string) bool {
		src, err := p.program.Read(name)
		return err == nil && is(src)
	})
}
