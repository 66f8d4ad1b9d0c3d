package golist

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/inputs"
)

// Roots returns the packages that the patterns name, as controller-gen does
// (pkg/loader.LoadRootsWithConfig): import paths are listed from dir;
// file-system patterns are listed from the module that holds them, and a
// pattern that ends in "..." crosses into nested modules. Where controller-gen
// runs one listing for each pattern, this is one for each module.
//
// A nested module, or one of several patterns, may have nothing to build: only
// documentation, tests, or files for other build tags.
//
// The order of the result is the order of the patterns, then of the packages;
// no package is listed twice. unmatched are the patterns that match no package;
// it is not an error, because others may.
func Roots(ctx context.Context, in *inputs.Reader, lister Lister, dir string, patterns []string) (roots []*Package, unmatched []Unmatched, err error) {
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	// requests are the listings to run: a module folder, patterns in it, and the
	// patterns of the user that they are for.
	type request struct {
		dir      string
		patterns []string
		asked    []*rootPattern
	}
	var requests []*request
	var asked []*rootPattern
	add := func(dir, pattern string) {
		forPattern := asked[len(asked)-1]
		for _, req := range requests {
			if req.dir == dir {
				if !slices.Contains(req.patterns, pattern) {
					req.patterns = append(req.patterns, pattern)
				}
				if !slices.Contains(req.asked, forPattern) {
					req.asked = append(req.asked, forPattern)
				}
				return
			}
		}
		requests = append(requests, &request{dir: dir, patterns: []string{pattern}, asked: []*rootPattern{forPattern}})
	}
	for _, pattern := range patterns {
		if !IsFilePattern(pattern) {
			asked = append(asked, &rootPattern{text: pattern})
			add(dir, pattern)
			continue
		}
		folder, recursive := strings.CutSuffix(filepath.ToSlash(pattern), "/...")
		if pattern == "..." || pattern == "./..." {
			folder, recursive = ".", true
		}
		if !filepath.IsAbs(folder) {
			folder = filepath.Join(dir, folder)
		}
		folder = filepath.Clean(folder)
		info, err := in.Stat(folder)
		if err == nil && !info.IsDir() && strings.HasSuffix(folder, ".go") {
			// A single file stands for its package.
			folder = filepath.Dir(folder)
		} else if err != nil || !info.IsDir() {
			unmatched = append(unmatched, Unmatched{Pattern: pattern, NoDirectory: true})
			continue
		}
		asked = append(asked, &rootPattern{text: pattern, folder: folder, recursive: recursive})
		from := moduleRoot(in, folder)
		if recursive && isSkipped(filepath.Base(folder)) {
			from = folder // the go command skips it below another directory
		}
		add(from, filePattern(from, folder, recursive))
		if !recursive {
			continue
		}
		nested, err := nestedModules(in, folder)
		if err != nil {
			return nil, nil, err
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
			if len(p.Files) == 0 && len(p.Errors) == 0 {
				continue // only tests, which the go command lists
			}
			if len(req.asked) == 1 {
				req.asked[0].matched = true
			}
			if !seen[p.Path] {
				seen[p.Path] = true
				roots = append(roots, p)
			}
		}
	}
	for _, pattern := range asked {
		if !pattern.matched && !pattern.matchesOne(in, roots) {
			unmatched = append(unmatched, Unmatched{Pattern: pattern.text})
		}
	}
	return roots, unmatched, nil
}

// Unmatched is a pattern that matches no package.
type Unmatched struct {
	// Pattern is the pattern as the user wrote it.
	Pattern string
	// NoDirectory reports whether it names a directory that does not exist.
	NoDirectory bool
}

// rootPattern is a pattern as the user wrote it, with the folder that it names if
// it is one of the file system.
type rootPattern struct {
	text, folder string
	recursive    bool
	// matched reports whether a listing for this pattern alone found a package.
	matched bool
}

// matchesOne reports whether the pattern names one of the packages. It is true
// where that is not certain: of a package that could not be listed, and of patterns
// that only the go command understands, as "all".
func (r *rootPattern) matchesOne(in *inputs.Reader, packages []*Package) bool {
	if slices.ContainsFunc(packages, func(p *Package) bool { return len(p.Files) == 0 }) {
		return true
	}
	if r.folder == "" {
		prefix, wild := strings.CutSuffix(r.text, "/...")
		return strings.Contains(prefix, "...") || !strings.Contains(prefix, ".") && len(packages) > 0 ||
			slices.ContainsFunc(packages, func(p *Package) bool {
				_, below := within(p.Path, prefix)
				return p.Path == prefix || wild && below
			})
	}
	folder, err := filepath.Abs(r.folder)
	if err != nil || r.holdsOne(folder, packages) {
		return true
	}
	// The go command may follow symbolic links.
	folder, err = in.EvalSymlinks(folder)
	return err != nil || r.holdsOne(folder, packages)
}

func (r *rootPattern) holdsOne(folder string, packages []*Package) bool {
	below := strings.TrimSuffix(folder, string(filepath.Separator)) + string(filepath.Separator)
	return slices.ContainsFunc(packages, func(p *Package) bool {
		dir := filepath.Dir(p.Files[0])
		return dir == folder || r.recursive && strings.HasPrefix(dir, below)
	})
}

// IsFilePattern reports whether a pattern names directories, not import paths. As in
// controller-gen, what begins with a dot does: ".api" as well as "./api", and "...". The go
// command takes ".api" for an import path, which no package can have.
func IsFilePattern(pattern string) bool {
	return filepath.IsAbs(pattern) || strings.HasPrefix(pattern, ".")
}

// moduleRoot returns the nearest folder at or above dir that has a go.mod file,
// or dir itself.
func moduleRoot(in *inputs.Reader, dir string) string {
	for d := dir; ; {
		if _, err := in.Stat(filepath.Join(d, "go.mod")); err == nil {
			return d
		}
		parent := filepath.Dir(d)
		if parent == d {
			return dir
		}
		d = parent
	}
}

// filePattern returns the pattern that names the folder from the root of its module.
func filePattern(root, folder string, recursive bool) string {
	rel, err := filepath.Rel(root, folder)
	if err != nil {
		rel = folder
	}
	pattern := "./" + filepath.ToSlash(rel)
	if rel == "." {
		pattern = "."
	}
	if recursive {
		pattern += "/..."
	}
	return pattern
}

// nestedModules returns the folders below dir, without dir, that hold a go.mod.
func nestedModules(in *inputs.Reader, dir string) ([]string, error) {
	if info, err := in.Lstat(dir); err != nil || !info.IsDir() {
		return nil, err
	}
	entries, err := in.ReadDir(dir)
	if err != nil {
		return nil, fmt.Errorf("look for nested modules: %w", err)
	}
	var out []string
	for _, e := range entries {
		// No module lies in git's own folder, which changes with each commit.
		if !e.IsDir() || e.Name() == ".git" {
			continue
		}
		below := filepath.Join(dir, e.Name())
		files, err := in.ReadDir(below)
		if err != nil {
			return nil, fmt.Errorf("look for nested modules: %w", err)
		}
		if slices.ContainsFunc(files, func(f fs.DirEntry) bool { return f.Name() == "go.mod" && !f.IsDir() }) {
			out = append(out, below)
		}
		deeper, err := nestedModules(in, below)
		if err != nil {
			return nil, err
		}
		out = append(out, deeper...)
	}
	return out, nil
}
