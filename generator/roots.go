package generator

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/inputs"
)

// listRoots finds the packages that the patterns name, as controller-gen does
// (pkg/loader.LoadRootsWithConfig): import paths are listed from dir;
// file-system patterns are listed from the module that holds them, and a
// pattern that ends in "..." crosses into nested modules. Where controller-gen
// runs one listing for each pattern, this is one for each module.
//
// The order of the result is the order of the patterns, then of the packages;
// no package stands twice.
func listRoots(ctx context.Context, in *inputs.Reader, lister Lister, dir string, patterns []string, r *reporter) ([]*Package, error) {
	if len(patterns) == 0 {
		patterns = []string{"."}
	}
	// requests are the listings to run: a module folder, and patterns in it.
	type request struct {
		dir      string
		patterns []string
	}
	var requests []*request
	add := func(dir, pattern string) {
		for _, req := range requests {
			if req.dir == dir {
				if !slices.Contains(req.patterns, pattern) {
					req.patterns = append(req.patterns, pattern)
				}
				return
			}
		}
		requests = append(requests, &request{dir: dir, patterns: []string{pattern}})
	}
	for _, pattern := range patterns {
		if !isFilePattern(pattern) {
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
			r.listing(codeNoPackages, fmt.Sprintf("pattern %q matches nothing: there is no such directory", pattern), patternHint)
			continue
		}
		add(moduleRoot(in, folder), filePattern(moduleRoot(in, folder), folder, recursive))
		if !recursive {
			continue
		}
		nested, err := nestedModules(in, folder)
		if err != nil {
			return nil, err
		}
		for _, module := range nested {
			add(module, "./...")
		}
	}

	var roots []*Package
	seen := map[string]bool{}
	for _, req := range requests {
		listed, err := lister.List(ctx, req.dir, req.patterns)
		if err != nil {
			return nil, err
		}
		if len(listed) == 0 {
			r.listing(codeNoPackages, fmt.Sprintf("no package matches %s in %s", strings.Join(req.patterns, " "), req.dir), patternHint)
		}
		for _, p := range listed {
			if !seen[p.Path] {
				seen[p.Path] = true
				roots = append(roots, p)
			}
		}
	}
	return roots, nil
}

const patternHint = "give a directory, a directory followed by /..., or an import path"

// isFilePattern tells file-system patterns from import paths by the rules of
// the go command, see "go help packages".
func isFilePattern(pattern string) bool {
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
