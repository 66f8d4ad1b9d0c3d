package golist

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/inputs"
)

// Roots returns the packages that the patterns match, as controller-gen does
// (pkg/loader.LoadRootsWithConfig): import paths are listed from dir, file-system patterns
// from the module that contains them, and a pattern that ends in "..." also matches
// packages of nested modules. Where controller-gen runs one listing for each pattern, Roots
// runs one for each module.
//
// A nested module, or one of several patterns, may have nothing to build: only
// documentation, tests, or files for other build tags.
//
// The roots are in the order of the patterns, then as listed, without duplicates.
// unmatched are the patterns that match no package; this is not an error, because other
// patterns may match.
func Roots(ctx context.Context, reader *inputs.Reader, lister Lister, dir string,
	patterns []string) (roots []*Package, unmatched []Unmatched, err error) {
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	// request is a listing to run: a module directory, the patterns to list in it, and the
	// user's patterns that they implement.
	type request struct {
		dir      string
		patterns []string
		roots    []*rootPattern
	}
	var requests []*request
	var rootPatterns []*rootPattern
	add := func(dir, pattern string) {
		root := rootPatterns[len(rootPatterns)-1]
		for _, req := range requests {
			if req.dir == dir {
				if !slices.Contains(req.patterns, pattern) {
					req.patterns = append(req.patterns, pattern)
				}
				if !slices.Contains(req.roots, root) {
					req.roots = append(req.roots, root)
				}
				return
			}
		}
		requests = append(requests, &request{dir: dir, patterns: []string{pattern}, roots: []*rootPattern{root}})
	}
	for _, pattern := range patterns {
		if !IsFilePattern(pattern) && strings.Contains(pattern, "=") {
			unmatched = append(unmatched, Unmatched{Pattern: pattern}) // go/packages has queries such as file=x
			continue
		}
		if !IsFilePattern(pattern) {
			rootPatterns = append(rootPatterns, &rootPattern{text: pattern})
			add(dir, pattern)
			continue
		}
		target, recursive := fileTarget(dir, pattern)
		info, err := reader.Stat(target)
		if err == nil && !info.IsDir() && strings.HasSuffix(target, ".go") {
			// A file name selects the package of the file.
			target = filepath.Dir(target)
		} else if err != nil || !info.IsDir() {
			unmatched = append(unmatched, Unmatched{Pattern: pattern, NoDirectory: true})
			continue
		}
		rootPatterns = append(rootPatterns, &rootPattern{text: pattern, dir: target, recursive: recursive})
		source, inModule := moduleRoot(reader, target)
		if recursive && isSkipped(filepath.Base(target)) {
			source = target // a wildcard of a parent directory would skip it
		}
		var nested []string
		if recursive {
			nested, err = nestedModules(reader, target)
			if err != nil {
				return nil, nil, err
			}
		}
		// The go command rejects a wildcard in a directory without a module, such as the root of a
		// workspace. If all packages below belong to modules, there is nothing to list in it.
		if inModule || len(nested) == 0 || looseFile(reader, target) != "" {
			pattern := filePattern(source, target)
			if recursive {
				pattern += "/..."
			}
			add(source, pattern)
		}
		for _, module := range nested {
			add(module, "./...")
		}
	}

	seen := map[string]bool{}
	for _, req := range requests {
		listed, err := lister.List(ctx, req.dir, req.patterns)
		if err != nil {
			return nil, nil, err
		}
		for _, p := range listed {
			explainErrors(reader, dir, req.dir, p)
			if len(p.Files) == 0 && len(p.Errors) == 0 {
				continue // the go command also lists packages that only have tests
			}
			if isUnknown(p) {
				for _, root := range req.roots {
					root.unknown = root.unknown || root.text == p.Path
				}
				continue
			}
			if len(req.roots) == 1 {
				req.roots[0].matched = true
			}
			if !seen[p.Path] {
				seen[p.Path] = true
				roots = append(roots, p)
			}
		}
	}
	for _, pattern := range rootPatterns {
		switch {
		case pattern.unknown:
			info, err := reader.Stat(filepath.Join(dir, filepath.FromSlash(pattern.text)))
			unmatched = append(unmatched,
				Unmatched{Pattern: pattern.text, NoPackage: true, IsDirectory: err == nil && info.IsDir()})
		case !pattern.matched && !pattern.matchesAny(reader, roots):
			unmatched = append(unmatched, Unmatched{Pattern: pattern.text})
		}
	}
	return roots, unmatched, nil
}

// Unmatched is a pattern that matches no package.
type Unmatched struct {
	// Pattern is the pattern as the user wrote it.
	Pattern string
	// NoDirectory reports whether the pattern names a directory that does not exist.
	NoDirectory bool
	// NoPackage reports whether the pattern is an import path without a dot, such as api/v1,
	// that no package has. IsDirectory reports whether it is the path of a directory.
	NoPackage, IsDirectory bool
}

// isUnknown reports whether a package is an import path that the go command looked for in the
// standard library, where users have no packages: a path that was meant for a directory.
func isUnknown(p *Package) bool {
	return len(p.Files) == 0 && slices.ContainsFunc(p.Errors, func(e Error) bool { return strings.Contains(e.Msg, "is not in std") })
}

// rootPattern is a pattern as the user wrote it. dir is the directory that a file-system
// pattern names; it is empty for other patterns.
type rootPattern struct {
	text, dir string
	recursive bool
	// matched reports whether a listing for this pattern alone found a package, unknown
	// whether the pattern is an import path that no package has.
	matched, unknown bool
}

// matchesAny reports whether the pattern matches one of the packages. It returns true if
// it cannot be determined: if a package could not be listed, and for patterns that only the go
// command understands, such as "all".
func (r *rootPattern) matchesAny(reader *inputs.Reader, packages []*Package) bool {
	if slices.ContainsFunc(packages, func(p *Package) bool { return len(p.Files) == 0 }) {
		return true
	}
	if r.dir == "" {
		prefix, recursive := strings.CutSuffix(r.text, "/...")
		return strings.Contains(prefix, "...") || !strings.Contains(prefix, ".") && len(packages) > 0 ||
			slices.ContainsFunc(packages, func(p *Package) bool {
				_, isChild := within(p.Path, prefix)
				return p.Path == prefix || recursive && isChild
			})
	}
	dir, err := filepath.Abs(r.dir)
	if err != nil || r.containsAny(dir, packages) {
		return true
	}
	// The go command may follow symbolic links.
	dir, err = reader.EvalSymlinks(dir)
	return err != nil || r.containsAny(dir, packages)
}

func (r *rootPattern) containsAny(root string, packages []*Package) bool {
	child := strings.TrimSuffix(root, string(filepath.Separator)) + string(filepath.Separator)
	return slices.ContainsFunc(packages, func(p *Package) bool {
		dir := filepath.Dir(p.Files[0])
		return dir == root || r.recursive && strings.HasPrefix(dir, child)
	})
}

// IsFilePattern reports whether a pattern names directories rather than import paths. As in
// controller-gen, these are all patterns that begin with a dot: ".api" as well as "./api",
// and "...". The go command takes ".api" for an import path, although no package can have
// it.
func IsFilePattern(pattern string) bool {
	return filepath.IsAbs(pattern) || strings.HasPrefix(pattern, ".")
}

// Directories returns the directories that patterns of packages name.
func Directories(patterns []string) (dirs []string) {
	for _, pattern := range patterns {
		if IsFilePattern(pattern) {
			dir, _, _ := strings.Cut(pattern, "...")
			dirs = append(dirs, filepath.FromSlash(dir))
		}
	}
	return dirs
}

// moduleRoot returns the nearest directory at or above dir that has a go.mod file. If there is
// none, it returns dir itself and false.
func moduleRoot(reader *inputs.Reader, dir string) (root string, ok bool) {
	for d := dir; ; {
		if _, err := reader.Stat(filepath.Join(d, "go.mod")); err == nil {
			return d, true
		}
		parent := filepath.Dir(d)
		if parent == d {
			return dir, false
		}
		d = parent
	}
}

// looseFile returns a Go file in or below dir that wildcards match although it belongs to no
// module, or the empty string. dir itself is not in a module.
func looseFile(reader *inputs.Reader, dir string) string {
	entries, _ := reader.ReadDir(dir) // nestedModules has read it
	if slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "go.mod" && !e.IsDir() }) {
		return ""
	}
	for _, e := range entries {
		name := e.Name()
		file := ""
		switch {
		case e.IsDir() && !isSkipped(name) && name != "vendor":
			file = looseFile(reader, filepath.Join(dir, name))
		case !e.IsDir() && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go"):
			file = filepath.Join(dir, name)
		}
		if file != "" {
			return file
		}
	}
	return ""
}

// explainErrors replaces messages of the go command about a pattern, which name it as it is
// passed on, by ones about the directory in which it was listed. dir is the working directory.
func explainErrors(reader *inputs.Reader, dir, listed string, p *Package) {
	if len(p.Files) > 0 {
		return
	}
	shown := relative(dir, listed)
	_, isModule := moduleRoot(reader, listed)
	loose := ""
	if !isModule {
		nested, _ := nestedModules(reader, listed) // its error has been returned
		if len(nested) > 0 {
			loose = looseFile(reader, listed)
		}
	}
	for i, e := range p.Errors {
		workspace := strings.Contains(e.Msg, "does not contain modules listed in go.work")
		switch {
		case workspace && isModule:
			p.Errors[i].Msg = "go.work does not list the module in " + shown
			p.Errors[i].Hint = "add it with go work use " + shown + ", or set GOWORK=off"
		case loose != "" && (workspace || strings.Contains(e.Msg, "does not contain main module")):
			p.Errors[i].Msg = "no module contains " + relative(dir, loose)
			p.Errors[i].Hint = "create a module for it with go mod init, or name the directories of the modules, such as ./api/..."
		}
	}
}

// relative returns a path as a user in dir writes it.
func relative(dir, path string) string {
	absolute, err := filepath.Abs(dir)
	if err != nil {
		return path
	}
	rel, err := filepath.Rel(absolute, path)
	switch {
	case err != nil || strings.HasPrefix(rel, ".."):
		return path
	case rel == ".":
		return rel
	}
	return "./" + filepath.ToSlash(rel)
}

// fileTarget returns the directory or file that a file pattern names, and whether it also
// matches those below it.
func fileTarget(dir, pattern string) (target string, recursive bool) {
	target, recursive = strings.CutSuffix(filepath.ToSlash(pattern), "/...")
	if pattern == "..." || pattern == "./..." {
		target = "."
		recursive = true
	}
	if !filepath.IsAbs(target) {
		target = filepath.Join(dir, target)
	}
	return filepath.Clean(target), recursive
}

// filePattern returns the pattern that matches dir, relative to its module root.
func filePattern(root, dir string) string {
	rel, err := filepath.Rel(root, dir)
	if err != nil {
		rel = dir
	}
	pattern := "./" + filepath.ToSlash(rel)
	if rel == "." {
		pattern = "."
	}
	return pattern
}

// nestedModules returns the directories below dir, excluding dir, that have a go.mod file.
func nestedModules(reader *inputs.Reader, dir string) ([]string, error) {
	if info, err := reader.Lstat(dir); err != nil || !info.IsDir() {
		return nil, err
	}
	return modulesBelow(reader, dir)
}

// modulesBelow is [nestedModules] for a directory that exists.
func modulesBelow(reader *inputs.Reader, dir string) ([]string, error) {
	entries, err := reader.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("find nested modules: %w", err)
	}
	var out []string
	for _, e := range entries {
		// The .git directory contains no modules and changes with each commit.
		if !e.IsDir() || e.Name() == ".git" {
			continue
		}
		child := filepath.Join(dir, e.Name())
		files, err := reader.ReadDir(child)
		if err != nil {
			return nil, fmt.Errorf("find nested modules: %w", err)
		}
		if slices.ContainsFunc(files, func(f fs.DirEntry) bool { return f.Name() == "go.mod" && !f.IsDir() }) {
			out = append(out, child)
		}
		deeper, err := modulesBelow(reader, child)
		if err != nil {
			return nil, err
		}
		out = append(out, deeper...)
	}
	return out, nil
}
