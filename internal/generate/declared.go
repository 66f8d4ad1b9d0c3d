package generate

import (
	"bytes"
	"iter"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/companions/configgen"
	"github.com/schemagen/schemagen/internal/define/plurals"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/source/golist"
)

// structName matches the beginning of a struct's declaration.
var structName = lazyregexp.New(`([\pL_][\pL\pN_]*)\s+struct\b`)

// structOf is a struct that is found by the text of its declaration.
type structOf struct {
	file, name string
	// text is the content of the file, and offset the position of the name in it.
	text   []byte
	offset int
}

func (s structOf) position() diag.Position {
	head := s.text[:s.offset]
	return diag.Position{File: s.file, Line: 1 + bytes.Count(head, []byte("\n")), Column: len(head) - bytes.LastIndexByte(head, '\n')}
}

// groupFinder finds the structs in packages of a group, regardless of build tags.
type groupFinder struct {
	in    *inputs.Reader
	group *regexp.Regexp
}

func newGroupFinder(reader *inputs.Reader, group string) groupFinder {
	return groupFinder{reader, regexp.MustCompile(`groupName=["` + "`" + `]?` + regexp.QuoteMeta(group) + `(?:[^\w.-]|$)`)}
}

// walk yields the structs of the group in and below a directory. It returns false if yield did.
func (f groupFinder) walk(dir string, yield func(structOf) bool) bool {
	for s := range f.inside(dir) {
		if !yield(s) {
			return false
		}
	}
	entries, _ := f.in.ReadDir(dir) // unreadable directories have no declarations
	for _, entry := range entries {
		isSkipped := strings.HasPrefix(entry.Name(), ".") || slices.Contains([]string{"vendor", "node_modules", "testdata"}, entry.Name())
		if entry.IsDir() && !isSkipped && !f.walk(filepath.Join(dir, entry.Name()), yield) {
			return false
		}
	}
	return true
}

// inside yields the structs of the group in the files of a directory.
func (f groupFinder) inside(dir string) iter.Seq[structOf] {
	return func(yield func(structOf) bool) {
		entries, _ := f.in.ReadDir(dir)
		isGroup := false
		var files []structOf
		for _, entry := range entries {
			name := filepath.Join(dir, entry.Name())
			if strings.HasSuffix(name, ".go") && !entry.IsDir() {
				text, _ := f.in.ReadFile(name, nil)
				files = append(files, structOf{file: name, text: text})
				isGroup = isGroup || f.group.Match(text)
			}
		}
		if !isGroup {
			return
		}
		for _, file := range files {
			for _, match := range structName().FindAllSubmatchIndex(file.text, -1) {
				file.name = string(file.text[match[2]:match[3]])
				file.offset = match[2]
				if !yield(file) {
					return
				}
			}
		}
	}
}

// structsOf yields the structs in packages of a group: in the project, then in the modules that it
// requires directly.
func structsOf(reader *inputs.Reader, wd, group string) iter.Seq[structOf] {
	return func(yield func(structOf) bool) {
		finder := newGroupFinder(reader, group)
		root := projectRoot(reader, wd)
		if !finder.walk(root, yield) {
			return
		}
		for _, module := range golist.Required(reader, wd) {
			if module.Dir == root {
				continue
			}
			finder.in = reader
			if module.Cached {
				finder.in = nil // what does not change need not be recorded
			}
			if !finder.walk(module.Dir, yield) {
				return
			}
		}
	}
}

// Declaration searches all Go files of the project, and of the modules that it requires directly, for a
// struct that may be a kind of group, regardless of build tags and of the packages that the run
// covers. ok decides whether a struct with the given file, name and file content is the one.
func Declaration(reader *inputs.Reader, wd, group string,
	ok func(file, name string, text []byte) bool) (position diag.Position, found bool) {
	for s := range structsOf(reader, wd, group) {
		if ok(s.file, s.name, s.text) {
			return s.position(), true
		}
	}
	return diag.Position{}, false
}

// resourcePath matches the plural name in a marker.
var resourcePath = lazyregexp.New(`\+kubebuilder:resource:(?:.*,)?path="?([\w.-]+)`)

// declaredKinds returns the structs that may be kinds of a group, in the project and in the modules
// that it requires directly, which are read once for each group.
func (r *runner) declaredKinds(group string) []configgen.Declared {
	known, ok := r.declared[group]
	if ok {
		return known
	}
	var out []configgen.Declared
	for s := range structsOf(r.in, r.Dir, group) {
		dir := filepath.Dir(s.file)
		out = append(out, configgen.Declared{Dir: dir, Kind: s.name, Resource: plurals.Of(s.name)})
		for _, match := range resourcePath().FindAllSubmatch(s.text, -1) {
			out = append(out, configgen.Declared{Dir: dir, Kind: s.name, Resource: string(match[1])})
		}
	}
	if r.declared == nil {
		r.declared = map[string][]configgen.Declared{}
	}
	r.declared[group] = out
	return out
}

// projectRoot returns the root of the repository that contains wd or, without git, that of
// the outermost module or workspace.
func projectRoot(reader *inputs.Reader, wd string) string {
	root := wd
	for dir := wd; ; dir = filepath.Dir(dir) {
		if _, err := reader.Stat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		for _, name := range []string{"go.mod", "go.work"} {
			if _, err := reader.Stat(filepath.Join(dir, name)); err == nil {
				root = dir
			}
		}
		if dir == filepath.Dir(dir) {
			return root
		}
	}
}

// StillDeclared returns the finding about a stale file that is kept because its kind is still
// declared, in a package that the run did not cover or that it excluded.
func StillDeclared(path, kind string, position diag.Position) diag.Diagnostic {
	return StaleOutput.At(diag.Position{File: filepath.ToSlash(path)}, "name all packages in one run, or remove the file if nothing writes it",
		"this run did not write this file; its kind %s is still declared", kind).As(diag.Note).With(diag.Related{Pos: position, Message: "the declaration"})
}
