package golist

import (
	"bytes"
	"context"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/parallel"
)

// Modules is a [Lister] that does without the go command: it reads go.mod, go.work,
// vendor/modules.txt and the module cache itself. A listing that it cannot complete with
// certainty is left to the fallback as a whole.
//
// It does not verify go.sum: the module cache was verified when it was filled. It accepts a
// go.mod file that the go command would require to be tidied first.
type Modules struct {
	Inputs *inputs.Reader
	// Tags are the build tags.
	Tags     []string
	Fallback Lister
	// Toolchain is the Go installation. If it is nil, the one that the go command would use is found.
	Toolchain *Toolchain
	// OnFallback, if not nil, is called with the reason that a listing was left to the
	// fallback.
	OnFallback func(dir, reason string)
}

// List implements Lister.
func (l *Modules) List(ctx context.Context, dir string, patterns []string) ([]*Package, error) {
	listing, reason := l.open(ctx, dir)
	var packages []*Package
	if reason == "" {
		packages, reason = listing.list(patterns)
	}
	if reason == "" {
		return packages, nil
	}
	if l.OnFallback != nil {
		l.OnFallback(dir, reason)
	}
	packages, err := l.Fallback.List(ctx, dir, patterns)
	if listing != nil {
		for _, p := range packages {
			listing.explain(p)
		}
	}
	return packages, err
}

// open starts a listing in a directory. It is nil if there is a reason to leave the listing to the
// fallback.
func (l *Modules) open(ctx context.Context, dir string) (listing *moduleListing, reason string) {
	env, reason := l.Toolchain.env(l.Inputs, l.Tags)
	if reason != "" {
		return nil, reason
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err.Error()
	}
	modules, reason := openModules(env, dir)
	if reason != "" {
		return nil, reason
	}
	return &moduleListing{
		moduleSet: modules, ctx: ctx, fallback: l.Fallback, dir: dir, packages: map[string]*Package{}, imports: map[importKey]*Package{},
	}, ""
}

// list returns the packages that the patterns match. reason is as for match.
func (l *moduleListing) list(patterns []string) (packages []*Package, reason string) {
	for _, pattern := range patterns {
		found, reason := l.match(pattern)
		if reason != "" {
			return nil, reason
		}
		for _, p := range found {
			if !slices.Contains(packages, p) {
				packages = append(packages, p)
			}
		}
	}
	slices.SortFunc(packages, func(a, b *Package) int { return strings.Compare(a.Path, b.Path) })
	return packages, ""
}

// moduleListing is the state of one call of List. It holds each package once.
type moduleListing struct {
	*moduleSet
	ctx      context.Context
	fallback Lister
	dir      string
	packages map[string]*Package // by directory
	imports  map[importKey]*Package
}

// importKey identifies an import. The standard library may resolve a path to a package of
// its own vendor directory for its own packages.
type importKey struct {
	path         string
	fromStandard bool
}

// match returns the packages that a pattern matches. reason is why the listing has to be
// left to the fallback, or empty.
func (l *moduleListing) match(pattern string) (packages []*Package, reason string) {
	prefix, recursive := strings.CutSuffix(pattern, "/...")
	if pattern == "..." || strings.Contains(prefix, "...") {
		return nil, "wildcard before the end of pattern " + pattern
	}
	if !IsFilePattern(pattern) {
		if recursive {
			return l.matchPaths(prefix)
		}
		folder, ok := l.findDir(importKey{path: pattern})
		if !ok {
			return nil, "package " + pattern + " was not found"
		}
		p := l.load(folder)
		if p == nil {
			return nil, "package " + pattern + " has no files"
		}
		return []*Package{p}, ""
	}
	dir := filepath.Clean(filepath.Join(l.dir, filepath.FromSlash(prefix)))
	if filepath.IsAbs(prefix) {
		dir = filepath.Clean(prefix)
	}
	for _, m := range l.modules {
		rel, err := filepath.Rel(m.dir, dir)
		if err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator)) || !m.main {
			continue
		}
		if inNestedModule(l.env.in, m.dir, dir) {
			continue
		}
		if recursive {
			return l.walk(m, dir)
		}
		p := l.load(m.folder(dir))
		if p == nil {
			return nil, "directory " + dir + " has no files"
		}
		return []*Package{p}, ""
	}
	return nil, "directory " + dir + " is outside of the module"
}

// packageFolder is the directory of a package. It is local if it belongs to one of the user's modules.
type packageFolder struct {
	path, dir string
	local     bool
}

// folder returns a directory in the module.
func (m goModule) folder(dir string) packageFolder {
	rel, err := filepath.Rel(m.dir, dir)
	if err != nil || rel == "." {
		return packageFolder{m.path, dir, m.main}
	}
	return packageFolder{m.path + "/" + filepath.ToSlash(rel), dir, m.main}
}

// matchPaths returns the packages of all modules whose import path is prefix or is below
// it.
func (l *moduleListing) matchPaths(prefix string) (out []*Package, reason string) {
	isMain := false
	for _, m := range l.modules {
		dir := m.dir
		if _, ok := within(m.path, prefix); !ok {
			rest, ok := within(prefix, m.path)
			if !ok {
				continue
			}
			isMain = isMain || m.main
			dir = filepath.Join(m.dir, filepath.FromSlash(rest))
		}
		if m.isMissing(l.env.in) {
			return nil, "module " + m.path + " is not downloaded"
		}
		if dir != m.dir {
			if info, err := l.env.in.Lstat(dir); err != nil || !info.IsDir() {
				continue // a symlink below the root of a module
			}
		}
		found, reason := l.walk(m, dir)
		if reason != "" {
			return nil, reason
		}
		out = append(out, found...)
	}
	if l.vendor != "" && !isMain {
		return nil, "pattern " + prefix + "/... matches packages in the vendor directory"
	}
	return out, ""
}

// walk returns the packages of a module in and below a directory, which may be a symlink. It skips the
// directories that the go command skips.
func (l *moduleListing) walk(m goModule, dir string) (out []*Package, reason string) {
	if info, err := l.env.in.Stat(dir); err != nil || !info.IsDir() {
		return nil, ""
	}
	dirs := l.subdirs(m, dir)
	found := make([]packageFiles, len(dirs))
	parallel.Workers(len(dirs), func() func(int) {
		return func(i int) { found[i] = l.files(dirs[i]) }
	})
	for i, dir := range dirs {
		if found[i].unclear {
			return nil, "the files in " + dir + " have no package clause in common"
		}
		if p := l.add(m.folder(dir), found[i]); p != nil {
			out = append(out, p)
		}
	}
	return out, ""
}

// subdirs returns dir and the directories below it that belong to the module.
func (l *moduleListing) subdirs(m goModule, dir string) []string {
	entries, _ := l.env.in.ReadDir(dir) // the go command ignores the error, too
	if dir != m.dir && slices.ContainsFunc(entries, func(e fs.DirEntry) bool { return e.Name() == "go.mod" }) {
		return nil
	}
	out := []string{dir}
	for _, e := range entries {
		if base := e.Name(); e.IsDir() && !isSkipped(base) && base != "vendor" {
			out = append(out, l.subdirs(m, filepath.Join(dir, base))...)
		}
	}
	return out
}

// isSkipped reports whether wildcards of the go command skip directories named base.
func isSkipped(base string) bool {
	return base[0] == '.' || base[0] == '_' || base == "testdata"
}

// load returns the package in a directory, or nil if the build constraints exclude all of
// its files.
func (l *moduleListing) load(folder packageFolder) *Package {
	if p, ok := l.packages[folder.dir]; ok {
		return p
	}
	return l.add(folder, l.files(folder.dir))
}

// add registers the package in a directory, once. It returns nil if no files were found.
func (l *moduleListing) add(folder packageFolder, found packageFiles) *Package {
	dir := folder.dir
	if p, ok := l.packages[dir]; ok {
		return p
	}
	if len(found.files) == 0 {
		l.packages[dir] = nil
		return nil
	}
	standard := strings.HasPrefix(dir, filepath.Join(l.env.root, "src")+string(filepath.Separator))
	p := &Package{Path: folder.path, Name: found.name, Files: found.files, Local: folder.local, Standard: standard}
	p.Import = func(path string) *Package {
		key := importKey{path, standard}
		imported, ok := l.imports[key]
		if !ok {
			imported = l.imported(key)
			l.imports[key] = imported
		}
		return imported
	}
	p.Foreign = l.foreign
	l.packages[dir] = p
	return p
}

// foreign implements [Package.Foreign].
func (l *moduleListing) foreign(path string) bool {
	return !slices.ContainsFunc(l.modules, func(m goModule) bool {
		_, ok := within(path, m.path)
		return m.main && ok
	})
}

// imported returns the package of an import. A package that is not found is left to the
// fallback: it may only need to be downloaded, and if not, the fallback reports the reason.
func (l *moduleListing) imported(key importKey) *Package {
	switch key.path {
	case "C":
		return nil
	case "unsafe":
		return &Package{Path: "unsafe", Name: "unsafe", Standard: true}
	}
	if folder, ok := l.findDir(key); ok {
		if p := l.load(folder); p != nil {
			return p
		}
	}
	if found, err := l.fallback.List(l.ctx, l.dir, []string{key.path}); err == nil && len(found) == 1 {
		l.explain(found[0])
		return found[0]
	}
	return nil
}

// explain adds to the errors about a package that the fallback did not find either that its module is
// not downloaded. The path of a package that stands for a pattern is the pattern.
func (l *moduleListing) explain(p *Package) {
	prefix, recursive := strings.CutSuffix(p.Path, "/...")
	i := slices.IndexFunc(l.modules, func(m goModule) bool {
		_, inside := within(p.Path, m.path)
		_, isParent := within(m.path, prefix)
		return (inside || recursive && isParent) && m.isMissing(l.env.in)
	})
	if i < 0 || len(p.Files) > 0 {
		return
	}
	m := l.modules[i]
	for j := range p.Errors {
		p.Errors[j].Msg = "module " + m.path + " " + m.version + " is not downloaded: " + p.Errors[j].Msg
		p.Errors[j].Hint = "download it with go mod download " + m.path
	}
}

// packageFiles holds the name of the package in a directory and the files that the build
// constraints select. Files that use cgo come last, as in the output of the go command. There
// are none if no file has a package clause, or if the clauses differ.
type packageFiles struct {
	name  string
	files []string
	// unclear is set if there are files without a package clause in common.
	unclear bool
}

func (l *moduleListing) files(dir string) packageFiles {
	entries, err := l.env.in.ReadDir(dir)
	if err != nil {
		return packageFiles{}
	}
	var found packageFiles
	var head []byte
	context := l.env.context
	context.OpenFile = func(path string) (io.ReadCloser, error) {
		head = head[:0]
		if clause, ok := l.env.in.RecallHead(path); ok {
			return &headRecorder{io.NopCloser(strings.NewReader(clause)), &head}, nil
		}
		f, err := l.env.in.Open(path, throughFirstFunc)
		if err != nil {
			return nil, err
		}
		return &headRecorder{f, &head}, nil
	}
	var cgo []string
	for _, entry := range entries {
		base := entry.Name()
		if !strings.HasSuffix(base, ".go") || strings.HasSuffix(base, "_test.go") || base[0] == '_' || base[0] == '.' || entry.IsDir() {
			continue
		}
		full := filepath.Join(dir, base)
		match, err := context.MatchFile(dir, base)
		if err != nil {
			// The file has a syntax error in its header, which the parser reports later.
			found.files = append(found.files, full)
			continue
		}
		if !match {
			continue
		}
		usesC := bytes.Contains(head, []byte(`"C"`))
		if found.name == "" || usesC || !hasClause(head, found.name) {
			parsed, _ := parser.ParseFile(token.NewFileSet(), full, head, parser.ImportsOnly)
			switch {
			case parsed == nil || parsed.Name == nil:
				found.files = append(found.files, full)
				continue
			case parsed.Name.Name == "documentation":
				continue // by convention not part of any package
			case found.name != "" && parsed.Name.Name != found.name:
				return packageFiles{unclear: true}
			}
			found.name = parsed.Name.Name
			if slices.ContainsFunc(parsed.Imports, func(i *ast.ImportSpec) bool { return i.Path.Value == `"C"` }) {
				if context.CgoEnabled {
					cgo = append(cgo, full)
				}
				continue
			}
		}
		found.files = append(found.files, full)
		if !bytes.Contains(head, []byte("build")) { // a clause is as good as a head without constraints
			l.env.in.DeriveHead(full, len(head), clauseOf(found.name))
		}
	}
	if found.name == "" {
		return packageFiles{unclear: len(found.files) > 0}
	}
	found.files = append(found.files, cgo...)
	return found
}

// throughFirstFunc returns the length of the text before the first function and of the byte that
// shows that no more imports follow. A change of the functions then does not change what was
// read.
func throughFirstFunc(text []byte) int {
	if i := bytes.Index(text, []byte("\nfunc ")); i >= 0 {
		return i + len("\nf")
	}
	return len(text)
}

// hasClause reports whether the text is certain to have the package clause. It may return
// false even if there is one.
func hasClause(text []byte, name string) bool {
	clause := []byte(clauseOf(name))
	return bytes.HasPrefix(text, clause) || bytes.Contains(text, append([]byte{'\n'}, clause...))
}

func clauseOf(name string) string { return "package " + name + "\n" }

// headRecorder records the bytes that are read from a file.
type headRecorder struct {
	io.ReadCloser
	head *[]byte
}

func (t *headRecorder) Read(p []byte) (int, error) {
	n, err := t.ReadCloser.Read(p)
	*t.head = append(*t.head, p[:n]...)
	return n, err
}
