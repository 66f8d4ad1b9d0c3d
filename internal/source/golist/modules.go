package golist

import (
	"bytes"
	"go/version"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"
	"golang.org/x/mod/module"
	"golang.org/x/mod/semver"

	"github.com/schemagen/schemagen/internal/ground/inputs"
)

// moduleSet is the set of modules that a directory can import from, called the build list
// by the go command, with the directory of each module.
type moduleSet struct {
	env     goEnv
	modules []goModule // longest path first
	// vendor is the vendor directory that holds all dependencies, or empty.
	vendor string
	// direct are the paths of modules that the user's modules require directly.
	direct map[string]bool
}

// goModule is one module of a [moduleSet].
type goModule struct {
	path, dir string
	// version is the version in the module cache. It is empty for the user's modules and for
	// directories that replace a module.
	version string
	// main is set for the user's modules.
	main bool
}

// openModules reads the module or workspace that dir belongs to. reason is why it has to be
// left to the go command, or empty.
//
// Since Go 1.17, go.mod lists every module that is needed to build its packages, so no
// other go.mod file has to be read. In a workspace the highest version is selected.
func openModules(env goEnv, dir string) (set *moduleSet, reason string) {
	root, inModule := moduleRoot(env.in, dir)
	mains := []string{root}
	var replaces []*modfile.Replace
	workDir := ""
	if file := workFile(env, dir); file != "" {
		text, err := env.in.ReadFile(file, nil)
		if err != nil {
			return nil, err.Error()
		}
		work, err := modfile.ParseWork(file, text, nil)
		if err != nil {
			return nil, "go.work cannot be parsed"
		}
		if work.Go == nil || newer(work.Go.Version, env.version) {
			return nil, "go.work requires a newer Go toolchain"
		}
		workDir = filepath.Dir(file)
		replaces = work.Replace
		mains = nil
		for _, use := range work.Use {
			used := use.Path
			if !filepath.IsAbs(used) {
				used = filepath.Join(workDir, used)
			}
			mains = append(mains, filepath.Clean(used))
		}
		if inModule && !slices.Contains(mains, root) {
			return nil, "go.work does not use the module"
		}
		if env.mod == "mod" {
			return nil, "-mod=mod is set in a workspace"
		}
	}

	set = &moduleSet{env: env, direct: map[string]bool{}}
	versions := map[string]string{}
	var excluded []module.Version
	for _, main := range mains {
		file := filepath.Join(main, "go.mod")
		text, err := env.in.ReadFile(file, nil)
		if err != nil {
			return nil, "there is no go.mod"
		}
		mod, err := modfile.Parse(file, text, nil)
		if err != nil || mod.Module == nil {
			return nil, "go.mod cannot be parsed"
		}
		switch {
		case mod.Go == nil || minorVersion(mod.Go.Version) < 17:
			return nil, "go.mod has a go version before 1.17"
		case newer(mod.Go.Version, env.version) || mod.Toolchain != nil && newer(strings.TrimPrefix(mod.Toolchain.Name, "go"), env.version):
			return nil, "go.mod requires a newer Go toolchain"
		case len(mod.Ignore) > 0:
			return nil, "go.mod has an ignore directive"
		}
		set.modules = append(set.modules, goModule{path: mod.Module.Mod.Path, dir: main, main: true})
		for _, require := range mod.Require {
			set.direct[require.Mod.Path] = set.direct[require.Mod.Path] || !require.Indirect
			if old, ok := versions[require.Mod.Path]; !ok || semver.Compare(old, require.Mod.Version) < 0 {
				versions[require.Mod.Path] = require.Mod.Version
			}
		}
		for _, exclude := range mod.Exclude {
			excluded = append(excluded, exclude.Mod)
		}
		for _, replace := range mod.Replace {
			// Replacements in go.work take precedence over those in the go.mod files.
			if !isReplaced(replaces, replace.Old) {
				r := *replace
				if modfile.IsDirectoryPath(r.New.Path) && !filepath.IsAbs(r.New.Path) {
					r.New.Path = filepath.Join(main, r.New.Path)
				}
				replaces = append(replaces, &r)
			}
		}
	}
	// The go command replaces an excluded version with the next higher one, which a tidy
	// go.mod then requires.
	if slices.ContainsFunc(excluded, func(m module.Version) bool { return versions[m.Path] == m.Version }) {
		return nil, "go.mod excludes a version that it requires"
	}
	dir = vendorDir(env, workDir, mains)
	if dir == "" && env.mod == "vendor" {
		return nil, "-mod=vendor is set, and there is no vendor directory"
	}
	if dir != "" {
		set.vendor = dir
	} else if reason := set.addRequired(versions, replaces, workDir); reason != "" {
		return nil, reason
	}
	slices.SortStableFunc(set.modules, func(a, b goModule) int { return len(b.path) - len(a.path) })
	return set, ""
}

// ModuleDir is the directory of a module.
type ModuleDir struct {
	Dir string
	// Cached reports whether it is in the module cache, where nothing changes.
	Cached bool
}

// Required returns the directories of the modules that the module or workspace of a directory requires
// directly, and of the other modules of the workspace; of all modules that are vendored, the vendor
// directory. There are none if only the go command can determine them.
func Required(reader *inputs.Reader, dir string) (out []ModuleDir) {
	env, reason := readGoEnv(reader, nil)
	if reason != "" {
		return nil
	}
	set, reason := openModules(env, dir)
	if reason != "" {
		return nil
	}
	if set.vendor != "" {
		out = append(out, ModuleDir{Dir: set.vendor})
	}
	for _, m := range set.modules {
		if m.main || set.direct[m.path] {
			out = append(out, ModuleDir{m.dir, m.version != ""})
		}
	}
	slices.SortFunc(out, func(a, b ModuleDir) int { return strings.Compare(a.Dir, b.Dir) })
	return out
}

// addRequired adds the required modules with their directories. reason is as for
// [openModules].
func (s *moduleSet) addRequired(versions map[string]string, replaces []*modfile.Replace, workDir string) (reason string) {
	for modulePath, v := range versions {
		if slices.ContainsFunc(s.modules, func(m goModule) bool { return m.main && m.path == modulePath }) {
			continue
		}
		place := module.Version{Path: modulePath, Version: v}
		for _, replace := range replaces {
			if replace.Old.Path == modulePath && (replace.Old.Version == "" || replace.Old.Version == v) {
				place = replace.New
			}
		}
		m := goModule{path: modulePath}
		if place.Version == "" {
			m.dir = place.Path
			if !filepath.IsAbs(m.dir) {
				m.dir = filepath.Join(workDir, m.dir)
			}
		} else {
			escapedPath, err := module.EscapePath(place.Path)
			if err != nil {
				return err.Error()
			}
			escapedVersion, err := module.EscapeVersion(place.Version)
			if err != nil {
				return err.Error()
			}
			m.version = place.Version
			m.dir = filepath.Join(s.env.modCache, filepath.FromSlash(escapedPath)+"@"+escapedVersion)
		}
		s.modules = append(s.modules, m)
	}
	return ""
}

func isReplaced(list []*modfile.Replace, old module.Version) bool {
	return slices.ContainsFunc(list, func(r *modfile.Replace) bool {
		return r.Old.Path == old.Path && (r.Old.Version == "" || r.Old.Version == old.Version)
	})
}

// newer reports whether a go or toolchain directive requires a newer version than that of
// the toolchain.
func newer(required, toolchain string) bool {
	return required != "default" && version.Compare("go"+required, "go"+toolchain) > 0
}

// workFile returns the go.work file that applies to dir, or empty.
func workFile(env goEnv, dir string) string {
	switch env.work {
	case "off":
		return ""
	case "":
	default:
		return env.work
	}
	for {
		file := filepath.Join(dir, "go.work")
		if info, err := env.in.Stat(file); err == nil && !info.IsDir() {
			return file
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

// vendorDir returns the vendor directory that the go command would use, or empty.
func vendorDir(env goEnv, workDir string, mains []string) string {
	if env.mod != "" && env.mod != "vendor" {
		return ""
	}
	dir := workDir
	if dir == "" {
		dir = mains[0]
	}
	vendor := filepath.Join(dir, "vendor")
	text, err := env.in.ReadFile(filepath.Join(vendor, "modules.txt"), nil)
	if err != nil {
		return ""
	}
	if workDir != "" && !bytes.HasPrefix(text, []byte("## workspace")) {
		return ""
	}
	return vendor
}

// findDir returns the directory of an import.
func (s *moduleSet) findDir(key importKey) (folder packageFolder, ok bool) {
	importPath := key.path
	source := filepath.Join(s.env.root, "src")
	if key.fromStandard {
		if dir := filepath.Join(source, "vendor", filepath.FromSlash(importPath)); hasGoFiles(s.env.in, dir) {
			return packageFolder{path: importPath, dir: dir}, true
		}
	}
	first, _, _ := strings.Cut(importPath, "/")
	if !strings.Contains(first, ".") {
		if dir := filepath.Join(source, filepath.FromSlash(importPath)); hasGoFiles(s.env.in, dir) {
			return packageFolder{path: importPath, dir: dir}, true
		}
	}
	for _, m := range s.modules {
		rest, ok := within(importPath, m.path)
		if !ok {
			continue
		}
		dir := filepath.Join(m.dir, filepath.FromSlash(rest))
		if hasGoFiles(s.env.in, dir) && !inNestedModule(s.env.in, m.dir, dir) {
			return packageFolder{importPath, dir, m.main}, true
		}
	}
	if s.vendor != "" {
		if dir := filepath.Join(s.vendor, filepath.FromSlash(importPath)); hasGoFiles(s.env.in, dir) {
			return packageFolder{path: importPath, dir: dir}, true
		}
	}
	return folder, false
}

// isMissing reports whether the module is not in the module cache.
func (m goModule) isMissing(reader *inputs.Reader) bool {
	if m.version == "" {
		return false
	}
	_, err := reader.Stat(m.dir)
	return err != nil
}

// within returns the part of importPath below prefix. ok is false if importPath is neither
// prefix nor below it.
func within(importPath, prefix string) (rest string, ok bool) {
	if importPath == prefix {
		return "", true
	}
	rest, ok = strings.CutPrefix(importPath, prefix)
	if !ok || rest[0] != '/' {
		return "", false
	}
	return rest[1:], true
}

// inNestedModule reports whether dir, or a directory between root and dir, is the root of
// a nested module.
func inNestedModule(reader *inputs.Reader, root, dir string) bool {
	for dir != root && len(dir) > len(root) {
		if _, err := reader.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return true
		}
		dir = filepath.Dir(dir)
	}
	return false
}

func hasGoFiles(reader *inputs.Reader, dir string) bool {
	entries, err := reader.ReadDir(dir)
	if err != nil {
		return false
	}
	return slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return path.Ext(e.Name()) == ".go" && !e.IsDir() })
}
