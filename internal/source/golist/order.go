package golist

import (
	"go/parser"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/inputs"
)

// Order returns the roots of the patterns in the order in which controller-gen processes
// them. It matters only if several packages write the same file, of which the last one is
// kept. controller-gen loads each file pattern separately, and go list -deps prints a package after
// its imports.
//
// ok is false if the order is not known: for import paths, nested modules, and packages that a
// pattern matches through symbolic links. Imports through another module that imports
// packages of this one are not followed.
func Order(reader *inputs.Reader, dir string, patterns []string, roots []*Package) (ordered []*Package, ok bool) {
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	left := map[string]*Package{}
	for _, p := range roots {
		if len(p.Files) == 0 {
			return nil, false
		}
		left[p.Path] = p
	}
	for _, pattern := range patterns {
		if !IsFilePattern(pattern) {
			return nil, false
		}
		target, recursive := fileTarget(dir, pattern)
		target, err := filepath.Abs(target)
		if err != nil {
			return nil, false
		}
		matched, module, ok := below(reader, &rootPattern{dir: target, recursive: recursive}, roots)
		if !ok {
			return nil, false
		}
		seen := map[string]bool{}
		var visit func(p *Package)
		visit = func(p *Package) {
			if p == nil || seen[p.Path] {
				return
			}
			seen[p.Path] = true
			for _, path := range importsOf(reader, p) {
				if _, inside := within(path, module); inside || path == module {
					visit(p.Import(path))
				}
			}
			if slices.ContainsFunc(matched, func(m *Package) bool { return m.Path == p.Path }) && left[p.Path] != nil {
				ordered = append(ordered, left[p.Path])
				delete(left, p.Path)
			}
		}
		for _, p := range matched {
			visit(p)
		}
	}
	return ordered, len(left) == 0
}

// below returns the packages that a file pattern matches, in the order in which the go command
// walks their directories, and the path of their module. ok is false if one of them belongs
// to a nested module.
func below(reader *inputs.Reader, pattern *rootPattern,
	roots []*Package) (matched []*Package, module string, ok bool) {
	root, _ := moduleRoot(reader, pattern.dir)
	for _, p := range roots {
		if !pattern.containsAny(pattern.dir, []*Package{p}) {
			continue
		}
		path := filepath.Dir(p.Files[0])
		if own, _ := moduleRoot(reader, path); own != root {
			return nil, "", false
		}
		rel, err := filepath.Rel(root, path)
		if err != nil {
			return nil, "", false
		}
		module = strings.TrimSuffix(strings.TrimSuffix(p.Path, filepath.ToSlash(rel)), "/")
		if rel == "." {
			module = p.Path
		}
		matched = append(matched, p)
	}
	slices.SortFunc(matched, func(a, b *Package) int {
		return slices.Compare(strings.Split(a.Path, "/"), strings.Split(b.Path, "/"))
	})
	return matched, module, true
}

// importsOf returns what the files of a package import, sorted.
func importsOf(reader *inputs.Reader, p *Package) []string {
	imports := map[string]bool{}
	for _, name := range p.Files {
		text, err := reader.ReadFile(name, nil)
		if err != nil {
			continue // reported where the package is read
		}
		file, _ := parser.ParseFile(token.NewFileSet(), name, text, parser.ImportsOnly)
		if file == nil {
			continue
		}
		for _, spec := range file.Imports {
			if path, err := strconv.Unquote(spec.Path.Value); err == nil {
				imports[path] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(imports))
}
