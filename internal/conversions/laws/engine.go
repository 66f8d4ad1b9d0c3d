package laws

import (
	"bytes"
	_ "embed"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/source/gotext"
)

//go:embed engine_test.go
var historiesText string

//go:embed units_test.go
var unitsText string

// enginePackage is the package that runs the histories, and engineDir its directory below the
// root of a module. Only tests import it, so that it is in no program.
const enginePackage, engineDir = "conversionlaws", "internal/conversionlaws"

// engineFile is a file of the engine. It is the same in every module: if it depended on what
// the tests of a run need, runs for some of the packages of a module would undo each other's.
type engineFile struct {
	name, text string
	doc        string // of the package, or empty
	// uses is what tests contain that need the file.
	uses string
}

func engineFiles() []engineFile {
	return []engineFile{
		{
			name: "zz_generated.laws.go", text: historiesText, uses: "/" + engineDir + `"`,
			doc: "// Package " + enginePackage + " runs histories of random edits through two versions of a kind, for which the\n// laws of conversions have to hold. It is for the generated tests of this module.\n",
		},
		{name: "zz_generated.units.go", text: unitsText, uses: enginePackage + ".Units("},
	}
}

// engines has one engine for each module of a run.
type engines struct {
	in *inputs.Reader
	// dirs are the directories of the packages of the run, by the root of their module.
	dirs map[string][]string
	// written are the roots of modules with tests, in order. With units, the tests are for
	// generated conversions.
	written []string
	units   bool
}

// moduleOf returns the root of a package's module, and the module's path. Without modules, each
// package is one.
func moduleOf(reader *inputs.Reader, p *source.Package) (root, path string) {
	dir := filepath.Dir(p.Files[0])
	for root = dir; ; root = filepath.Dir(root) {
		if text, err := reader.ReadFile(filepath.Join(root, "go.mod"), nil); err == nil {
			return root, modfile.ModulePath(text)
		}
		if root == filepath.Dir(root) {
			return dir, p.Path
		}
	}
}

// add adds a package of the run.
func (e *engines) add(p *source.Package) {
	root, _ := moduleOf(e.in, p)
	if e.dirs == nil {
		e.dirs = map[string][]string{}
	}
	e.dirs[root] = append(e.dirs[root], filepath.Dir(p.Files[0]))
}

// use returns the import path of the engine for a package with tests.
func (e *engines) use(p *source.Package) string {
	root, path := moduleOf(e.in, p)
	if !slices.Contains(e.written, root) {
		e.written = append(e.written, root)
	}
	return path + "/" + engineDir
}

// finish adds the files of the engines, and finds the files that no test needs any more.
func (e *engines) finish(header string, target *Files) {
	for _, root := range e.written {
		for _, f := range engineFiles() {
			if f.doc == "" && !e.units {
				continue
			}
			target.Files = append(target.Files, define.File{Name: filepath.Join(root, engineDir, f.name), Data: f.bytes(header)})
		}
	}
	for root, dirs := range e.dirs {
		for _, f := range engineFiles() {
			name := filepath.Join(root, engineDir, f.name)
			written := slices.ContainsFunc(target.Files, func(file define.File) bool { return file.Name == name })
			if _, err := e.in.Stat(name); err == nil && !written && !imported(e.in, root, dirs, f.uses) {
				target.Unneeded = append(target.Unneeded, name)
			}
		}
	}
	slices.Sort(target.Unneeded)
}

// imported reports whether a test in a module, other than those in some directories, has a text.
func imported(reader *inputs.Reader, dir string, except []string, text string) bool {
	entries, err := reader.ReadDir(dir)
	if err != nil {
		return false
	}
	for _, entry := range entries {
		name := filepath.Join(dir, entry.Name())
		if !entry.IsDir() {
			if entry.Name() != FileName || slices.Contains(except, dir) {
				continue
			}
			if data, err := reader.ReadFile(name, nil); err == nil && bytes.Contains(data, []byte(text)) {
				return true
			}
			continue
		}
		if strings.HasPrefix(entry.Name(), ".") || slices.Contains([]string{"vendor", "node_modules", "testdata"}, entry.Name()) {
			continue
		}
		if _, err := reader.Stat(filepath.Join(name, "go.mod")); err != nil && imported(reader, name, except, text) {
			return true
		}
	}
	return false
}

// bytes returns the file, which is formatted as the one that it is made from.
func (f engineFile) bytes(header string) []byte {
	code := strings.TrimPrefix(f.text, "package laws_test\n")
	return []byte(header + gotext.Comments("go1.22", "", "schemagen") + f.doc + "package " + enginePackage + "\n" + code)
}
