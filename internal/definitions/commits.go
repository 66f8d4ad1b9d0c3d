package definitions

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/api/equality"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/ground/temporary"
	"github.com/schemagen/schemagen/internal/source/golist"
)

// gitPrefix is the prefix of the name of a file or directory in a commit: git:REF or
// git:REF:PATH.
const gitPrefix = "git:"

// Commits is a [Reader] that also reads definitions from commits.
type Commits struct {
	Reader
	// made are the temporary directories to remove, and trees those with the files of a commit.
	made  []string
	trees []checkedOut
}

// Close removes the temporary files.
func (c *Commits) Close() {
	for _, dir := range c.made {
		os.RemoveAll(dir)
	}
}

// Path returns where a file is, which may be one of a commit, REF:PATH, until Close.
func (c *Commits) Path(name string) string {
	for _, tree := range c.trees {
		if path, ok := strings.CutPrefix(name, tree.ref+":"); ok {
			path = filepath.Join(tree.dir, path)
			if _, err := os.Stat(path); err == nil {
				return path
			}
		}
	}
	return name
}

// Side is what one side of a comparison consists of: names as for [Reader.Read], or of commits.
type Side []string

func (s Side) String() string { return strings.Join(s, " ") }

// Read is what one side of a comparison has.
type Read struct {
	Side        Side
	Definitions []*crd.Definition
	Findings    diag.List
}

// Both reads both sides of a comparison, which args name as for [Commits.Sides].
func (c *Commits) Both(ctx context.Context, args []string) (old, new Read, err error) {
	old.Side, new.Side, err = c.Sides(ctx, args)
	if err != nil {
		return old, new, err
	}
	old.Definitions, old.Findings, err = c.Read(ctx, old.Side, new.Side)
	if err != nil {
		return old, new, err
	}
	new.Definitions, new.Findings, err = c.Read(ctx, new.Side, old.Side)
	if err == nil {
		err = c.checkFlags(old.Side.String(), new.Side.String())
	}
	if err == nil && len(old.Definitions) == 0 && len(new.Definitions) == 0 && !old.Findings.HasErrors() &&
		!new.Findings.HasErrors() {
		err = fmt.Errorf("no CRD found in %s and %s", old.Side, new.Side)
	}
	return old, new, err
}

// Read reads the definitions of one side of a comparison. The paths of the other side are used
// for a commit without a path. Definitions of one name that differ are findings.
func (c *Commits) Read(ctx context.Context, side, other Side) (out []*crd.Definition, findings diag.List, err error) {
	for _, name := range side {
		more, found, err := c.readName(ctx, name, other)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, more...)
		findings = append(findings, found...)
	}
	return out, append(findings, repeated(out)...), nil
}

func (c *Commits) readName(ctx context.Context, name string,
	other Side) (out []*crd.Definition, findings diag.List, err error) {
	rest, ok := strings.CutPrefix(name, gitPrefix)
	if !ok {
		sources, packages, err := findDefinitions([]string{name}, c.Skip)
		if err != nil {
			return nil, nil, err
		}
		c.note([]string{name}, packages)
		return c.read(ctx, sources, c.Dir, packages)
	}
	ref, path, _ := strings.Cut(rest, ":")
	paths := []string{path}
	if path == "" {
		paths = other.paths()
	}
	for _, path := range paths {
		if path == "" || path == "-" {
			return nil, nil, fmt.Errorf("%s needs a path: git:REF:PATH", name)
		}
		more, found, err := c.commit(ctx, name, ref, path)
		if err != nil {
			return nil, nil, err
		}
		out = append(out, more...)
		findings = append(findings, found...)
	}
	return out, findings, nil
}

// paths returns the names without commits.
func (s Side) paths() (out []string) {
	for _, name := range s {
		if rest, ok := strings.CutPrefix(name, gitPrefix); ok {
			_, name, _ = strings.Cut(rest, ":")
		}
		out = append(out, name)
	}
	return out
}

// repeated reports definitions that have the name of an earlier one, but differ.
func repeated(all []*crd.Definition) (out diag.List) {
	const path = "metadata.name"
	first := map[string]*crd.Definition{}
	for _, d := range all {
		other, ok := first[d.CRD.Name]
		if !ok {
			first[d.CRD.Name] = d
			continue
		}
		if !equality.Semantic.DeepEqual(other.CRD.Spec, d.CRD.Spec) {
			out = append(out, conflictingDefinitions.At(positionIn(d)(path), "name the file or directory of one of them, or Go packages such as ./api/...",
				"%s is defined twice, and differently", d.CRD.Name).With(diag.Related{Pos: positionIn(other)(path), Message: "the other definition"}))
		}
	}
	return out
}

// Sides returns the two sides of a comparison: those in args, or by default the commit HEAD and
// what the reader reads by default. One argument alone is OLD, and must be a commit or standard
// input: a file or directory may as well be meant as NEW.
func (c *Commits) Sides(ctx context.Context, args []string) (old, new Side, err error) {
	old = Side{gitPrefix + "HEAD"}
	new = c.defaults()
	if len(args) > 0 {
		old = Side{name(ctx, args[0])}
	}
	switch {
	case len(args) > 1:
		new = Side{name(ctx, args[1])}
	case !strings.HasPrefix(old[0], gitPrefix) && old[0] != "-":
		example := old[0] + " " + new[0]
		if old[0] == new[0] {
			example = "git:HEAD " + old[0]
		}
		return nil, nil, fmt.Errorf("diff needs OLD and NEW: %s is not a commit\nexample: schemagen diff %s", old[0], example)
	}
	return old, new, nil
}

// name returns the name of one side of a comparison with the prefix that marks commits, if it
// is a commit or REF:PATH and neither exists as a file nor names Go packages.
func name(ctx context.Context, name string) string {
	if strings.HasPrefix(name, gitPrefix) || name == "-" || golist.IsFilePattern(name) {
		return name
	}
	if _, err := os.Stat(name); err == nil {
		return name
	}
	ref, _, _ := strings.Cut(name, ":")
	if exec.CommandContext(ctx, "git", "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}").Run() != nil {
		return name
	}
	return gitPrefix + name
}

// commit reads the definitions at a path in a commit. It returns none if the commit does not
// have the path.
func (c *Commits) commit(ctx context.Context, name, ref, path string) ([]*crd.Definition, diag.List, error) {
	if filepath.IsAbs(path) {
		relative, err := filepath.Rel(c.Dir, path)
		if err != nil {
			return nil, nil, err
		}
		path = relative
	}
	// Packages may import anything else in the repository.
	isPattern := strings.HasSuffix(path, "...")
	wanted := path
	if isPattern {
		wanted = ":/"
	}
	tree, err := c.checkout(ctx, ref, wanted)
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", name, err)
	}
	location := filepath.Join(tree.dir, tree.prefix)
	var patterns []string
	var files []Source
	switch full := filepath.Join(location, path); {
	case isPattern:
		patterns = []string{path}
		if _, err := os.Stat(strings.TrimSuffix(full, "...")); err == nil && filepath.IsLocal(path) {
			patterns = []string{folderPattern(path)}
		}
	default:
		if _, err := os.Stat(full); errors.Is(err, os.ErrNotExist) {
			return nil, nil, nil
		}
		if isFolder(full) {
			c.noteFolder(path)
		}
		var skip func(dir, file string) bool
		if c.Skip != nil {
			skip = func(_, file string) bool {
				relative, err := filepath.Rel(location, file)
				return err == nil && c.Skip(path, relative)
			}
		}
		files, patterns, err = findDefinitions([]string{full}, skip)
		if err != nil {
			return nil, nil, err
		}
		if len(patterns) > 0 {
			child := strings.TrimPrefix(patterns[0], folderPattern(full)) // "/..." for all packages
			if filepath.Clean(path) == "." && child != "" {
				return nil, nil, nil // they have to be named, as in the working tree
			}
			tree, err = c.checkout(ctx, ref, ":/")
			if err != nil {
				return nil, nil, err
			}
			patterns = []string{folderPattern(path) + child}
		}
	}
	return c.readTree(ctx, tree, files, patterns)
}

// ReadPackages reads the definitions of packages as they are in a commit, whose name may begin
// with git:. Those that it does not have are left out.
func (c *Commits) ReadPackages(ctx context.Context, name string, patterns []string) ([]*crd.Definition, diag.List, error) {
	ref := strings.TrimPrefix(name, gitPrefix)
	tree, err := c.checkout(ctx, ref, ":/")
	if err != nil {
		return nil, nil, fmt.Errorf("%s%s: %w", gitPrefix, ref, err)
	}
	var has []string
	for _, pattern := range patterns {
		if filepath.IsAbs(pattern) {
			if relative, err := filepath.Rel(c.Dir, pattern); err == nil {
				pattern = "./" + filepath.ToSlash(relative)
			}
		}
		dir, all := strings.CutSuffix(filepath.Join(tree.dir, tree.prefix, pattern), "...")
		entries, _ := os.ReadDir(dir)
		hasGo := slices.ContainsFunc(entries, func(e os.DirEntry) bool { return filepath.Ext(e.Name()) == ".go" })
		if !golist.IsFilePattern(pattern) || hasGo || all && hasGoBelow(dir) {
			has = append(has, pattern)
		}
	}
	if len(has) == 0 {
		return nil, nil, nil
	}
	return c.readTree(ctx, tree, nil, has)
}

// Commit returns the hash of a commit, whose name may begin with git:.
func Commit(ctx context.Context, name string) (string, error) {
	ref := strings.TrimPrefix(name, gitPrefix)
	hash, err := exec.CommandContext(ctx, "git", "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}").Output()
	if err != nil {
		return "", fmt.Errorf("%s%s: no such commit", gitPrefix, ref)
	}
	return strings.TrimSpace(string(hash)), nil
}

// readTree reads the definitions of files and packages in a commit, with positions there.
func (c *Commits) readTree(ctx context.Context, tree checkedOut, files []Source,
	patterns []string) ([]*crd.Definition, diag.List, error) {
	subjects, findings, err := c.read(ctx, files, filepath.Join(tree.dir, tree.prefix), patterns)
	if err != nil {
		return nil, nil, err
	}
	for i := range findings {
		findings[i].Pos = tree.named(findings[i].Pos)
		for n := range findings[i].Related {
			findings[i].Related[n].Pos = tree.named(findings[i].Related[n].Pos)
		}
	}
	for _, s := range subjects {
		place := s.Position
		s.Position = func(path string) (diag.Position, []diag.Related) {
			pos, related := place(path)
			related = slices.Clone(related)
			for i := range related {
				related[i].Pos = tree.named(related[i].Pos)
			}
			return tree.named(pos), related
		}
	}
	return subjects, findings, nil
}

// checkedOut is a directory with files of a commit.
type checkedOut struct {
	ref, dir string
	// prefix is the path of the working directory relative to the repository's root.
	prefix string
}

// named returns a position in the commit with the file named as in git, REF:PATH. Positions
// elsewhere, such as in the module cache, are returned unchanged.
func (t checkedOut) named(pos diag.Position) diag.Position {
	if relative := screen.Relative(t.dir, pos.File, 0); relative != pos.File {
		pos.File = t.ref + ":" + relative
	}
	return pos
}

// checkout writes the files at a path in a commit to a temporary directory, which Close
// removes. The repository's index and working tree are not changed.
func (c *Commits) checkout(ctx context.Context, ref, path string) (checkedOut, error) {
	dir, err := temporary.Dir(ctx, temporary.Diff)
	if err != nil {
		return checkedOut{}, err
	}
	c.made = append(c.made, dir)
	dir, err = filepath.EvalSymlinks(dir)
	if err != nil {
		return checkedOut{}, err
	}
	index := filepath.Join(dir, "index")
	git := func(stdin []byte, args ...string) ([]byte, error) {
		var stderr bytes.Buffer
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+index)
		cmd.Stdin = bytes.NewReader(stdin)
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
		}
		return out, nil
	}
	if _, err := git(nil, "rev-parse", "--git-dir"); err != nil {
		return checkedOut{}, err
	}
	commit, err := git(nil, "rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}")
	if err != nil {
		return checkedOut{}, errors.New("no such commit")
	}
	prefix, err := git(nil, "rev-parse", "--show-prefix")
	if err != nil {
		return checkedOut{}, err
	}
	if _, err := git(nil, "read-tree", strings.TrimSpace(string(commit))); err != nil {
		return checkedOut{}, err
	}
	names, err := git(nil, "ls-files", "-z", "--", path)
	if err != nil {
		return checkedOut{}, err
	}
	tree := checkedOut{ref: ref, dir: filepath.Join(dir, "tree"), prefix: strings.TrimSpace(string(prefix))}
	c.trees = append(c.trees, tree)
	_, err = git(names, "checkout-index", "-z", "--stdin", "--prefix="+tree.dir+"/")
	return tree, err
}

// fileInCommit returns the content of a file in a commit, or nil if the commit does not have
// it.
func fileInCommit(ctx context.Context, ref, name string) ([]byte, error) {
	if name == "-" {
		return nil, fmt.Errorf("--old git:%s needs files, not standard input", ref)
	}
	git := func(args ...string) ([]byte, error) {
		var stderr bytes.Buffer
		cmd := exec.CommandContext(ctx, "git", append([]string{"-C", filepath.Dir(name)}, args...)...)
		cmd.Stderr = &stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(stderr.String()))
		}
		return out, nil
	}
	if _, err := git("rev-parse", "--verify", "--quiet", "--end-of-options", ref+"^{commit}"); err != nil {
		return nil, fmt.Errorf("--old git:%s: no such commit", ref)
	}
	listed, err := git("ls-tree", "--name-only", ref, "--", filepath.Base(name))
	if err != nil || len(bytes.TrimSpace(listed)) == 0 {
		return nil, err
	}
	return git("show", ref+":./"+filepath.Base(name))
}
