package crdrun

import (
	"bytes"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/inputs"
	"github.com/schemagen/schemagen/internal/lazyregexp"
)

// structName matches the beginning of a struct's declaration.
var structName = lazyregexp.New(`([\pL_][\pL\pN_]*)\s+struct\b`)

// Declaration searches all Go files of the project for a struct that may be a kind of group,
// regardless of build tags and of the packages that the run covers. ok decides whether a
// struct with the given file, name and file content is the one.
func Declaration(in *inputs.Reader, wd, group string, ok func(file, name string, text []byte) bool) (at diag.Position, found bool) {
	ofGroup := regexp.MustCompile(`groupName=["` + "`" + `]?` + regexp.QuoteMeta(group) + `(?:[^\w.-]|$)`)
	var walk func(dir string) bool
	walk = func(dir string) bool {
		entries, _ := in.ReadDir(dir) // unreadable directories have no declarations
		isGroup, texts := false, map[string][]byte{}
		for _, entry := range entries {
			name := filepath.Join(dir, entry.Name())
			if strings.HasSuffix(name, ".go") && !entry.IsDir() {
				texts[name], _ = in.ReadFile(name, nil)
				isGroup = isGroup || ofGroup.Match(texts[name])
			}
		}
		for _, entry := range entries {
			name := filepath.Join(dir, entry.Name())
			if text := texts[name]; isGroup && text != nil {
				for _, match := range structName().FindAllSubmatchIndex(text, -1) {
					if ok(name, string(text[match[2]:match[3]]), text) {
						line := text[:match[2]]
						at = diag.Position{File: name, Line: 1 + bytes.Count(line, []byte("\n")), Column: len(line) - bytes.LastIndexByte(line, '\n')}
						return true
					}
				}
			}
			isSkipped := strings.HasPrefix(entry.Name(), ".") || slices.Contains([]string{"vendor", "node_modules", "testdata"}, entry.Name())
			if entry.IsDir() && !isSkipped && walk(name) {
				return true
			}
		}
		return false
	}
	return at, walk(projectRoot(in, wd))
}

// projectRoot returns the root of the repository that contains wd or, without git, that of
// the outermost module or workspace.
func projectRoot(in *inputs.Reader, wd string) string {
	root := wd
	for dir := wd; ; dir = filepath.Dir(dir) {
		if _, err := in.Stat(filepath.Join(dir, ".git")); err == nil {
			return dir
		}
		for _, name := range []string{"go.mod", "go.work"} {
			if _, err := in.Stat(filepath.Join(dir, name)); err == nil {
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
func StillDeclared(path, kind string, at diag.Position) diag.Diagnostic {
	return StaleOutput.At(diag.Position{File: filepath.ToSlash(path)}, "name all packages in one run, or remove the file if nothing writes it",
		"this run did not write this file; its kind %s is still declared", kind).As(diag.Note).With(diag.Related{Pos: at, Message: "the declaration"})
}
