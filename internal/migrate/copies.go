package migrate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"golang.org/x/mod/modfile"

	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/ground/temporary"
	"github.com/schemagen/schemagen/internal/run/output"
)

// copiedProject is a directory that is copied twice, once for each tool.
type copiedProject struct {
	// root is the directory to copy; unresolved is the same with its symlinks.
	root, unresolved string
	// temp contains the copies.
	temp string
}

// runResult is the result of a run in its copy.
type runResult struct {
	// files are the files that it wrote, by their path in the project.
	files map[string][]byte
	// stderr is its output, with positions relative to the project.
	stderr string
	// failed is set if it exited with an error.
	failed bool
}

// openProject finds the project that contains a directory: the root of the git repository or,
// without git, the directory of the nearest go.work or go.mod.
func openProject(ctx context.Context, dir string) (*copiedProject, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	p := &copiedProject{unresolved: dir}
	for _, mark := range []string{".git", "go.work", "go.mod"} {
		if d := findUp(mark, dir); d != "" {
			p.unresolved = d
			break
		}
	}
	p.root, err = filepath.EvalSymlinks(p.unresolved)
	if err != nil {
		return nil, err
	}
	p.temp, err = temporary.Dir(ctx, temporary.Migrate)
	if err != nil {
		return nil, err
	}
	p.temp, err = filepath.EvalSymlinks(p.temp)
	return p, err
}

// findUp returns the nearest directory, from dir upwards, that has an entry with the name, or
// "".
func findUp(name, dir string) string {
	for {
		if exists(filepath.Join(dir, name)) {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return ""
		}
		dir = parent
	}
}

func exists(name string) bool {
	_, err := os.Lstat(name)
	return err == nil
}

func (p *copiedProject) remove() { os.RemoveAll(p.temp) }

// escapeError names the argument or marker that leads out of the project.
type escapeError string

func (e escapeError) Error() string { return screen.Line(string(e)) }

// run copies the project, runs a tool in the copy of a directory, with arguments of
// controller-gen and additional ones, and returns the result. If the tool would write outside
// of the copy, it is not run and the error is an escapeError.
func (p *copiedProject) run(ctx context.Context, dir string, env, command, args, more []string) (runResult, error) {
	copied, err := p.newCopy(ctx)
	if err != nil {
		return runResult{}, err
	}
	defer os.RemoveAll(copied)
	dir, err = filepath.EvalSymlinks(dir)
	if err != nil {
		return runResult{}, err
	}
	if p.outside(dir) {
		return runResult{}, fmt.Errorf("%s is outside of the project in %s", dir, p.root)
	}
	rel, err := filepath.Rel(p.root, dir)
	if err != nil {
		return runResult{}, err
	}
	// Paths of the project are replaced with those of the copy.
	here := func(words []string) (out []string) {
		for _, word := range words {
			const mark = "\x00" // the copy may be in the project
			word = replacePath(replacePath(word, p.unresolved, mark), p.root, mark)
			out = append(out, strings.ReplaceAll(word, mark, copied))
		}
		return out
	}
	sandbox := confined{copy: copied, dir: filepath.Join(copied, rel)}
	sandbox.env = append(append(os.Environ(), here(env)...), "PWD="+sandbox.dir)
	escape, err := sandbox.escape(ctx, here(args))
	if err != nil {
		return runResult{}, err
	}
	if escape != "" {
		return runResult{}, escapeError(strings.ReplaceAll(escape, copied, p.unresolved))
	}
	cmd := exec.CommandContext(ctx, command[0], slices.Concat(command[1:], here(args), here(more))...)
	cmd.Dir = sandbox.dir
	cmd.Env = sandbox.env
	var stdout, stderr strings.Builder
	cmd.Stdout = &stdout
	cmd.Stderr = &stderr
	err = cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return runResult{}, err
	}
	if ctx.Err() != nil {
		return runResult{}, ctx.Err()
	}
	out := runResult{stderr: strings.ReplaceAll(stderr.String(), copied+string(filepath.Separator), ""), failed: err != nil}
	out.files, err = p.written(copied)
	if stdout.Len() > 0 {
		out.files["standard output"] = []byte(stdout.String())
	}
	return out, err
}

// newCopy returns a new copy of the project.
func (p *copiedProject) newCopy(ctx context.Context) (string, error) {
	copied, err := os.MkdirTemp(p.temp, "")
	if err != nil {
		return "", err
	}
	if err := p.copyTo(ctx, copied); err != nil {
		return "", fmt.Errorf("copy the project: %w", err)
	}
	return copied, nil
}

// newGitCopy returns a new copy of the project which, like the project, is a git repository,
// but without its settings and hooks: Makefiles ask git for directories and versions. A
// repository that cannot be cloned is reported.
func (p *copiedProject) newGitCopy(ctx context.Context, report io.Writer) (string, error) {
	copied, err := os.MkdirTemp(p.temp, "")
	if err != nil {
		return "", err
	}
	if git, err := exec.LookPath("git"); err == nil && exists(filepath.Join(p.root, ".git")) {
		for _, args := range [][]string{{"clone", "--quiet", "--shared", "--no-checkout", p.root, copied}, {"-C", copied, "reset", "--quiet"}} {
			if out, err := exec.CommandContext(ctx, git, args...).CombinedOutput(); err != nil && ctx.Err() == nil {
				fmt.Fprintf(report, "git %s failed; commands of the Makefile that use git may fail as well:\n%s", args[0], indented(string(out)))
				break
			}
		}
	}
	if err := p.copyTo(ctx, copied); err != nil {
		return "", fmt.Errorf("copy the project: %w", err)
	}
	return copied, nil
}

// replacePath replaces a path, unless it is only a prefix of another name, as /a/b is of
// /a/b-c.
func replacePath(text, path, name string) string {
	var out strings.Builder
	for {
		head, tail, found := strings.Cut(text, path)
		out.WriteString(head)
		if !found {
			return out.String()
		}
		begins := head == "" || strings.ContainsRune(",;:={\"'`", rune(head[len(head)-1]))
		ends := tail == "" || os.IsPathSeparator(tail[0]) || strings.ContainsRune(",;:=}\"'`", rune(tail[0]))
		if begins && ends {
			out.WriteString(name)
		} else {
			out.WriteString(path)
		}
		text = tail
	}
}

// isSkipped reports whether a directory is not copied: git's own, and that of the copies.
func (p *copiedProject) isSkipped(name string, d fs.DirEntry) bool {
	return d.IsDir() && (d.Name() == ".git" || name == p.temp)
}

// copyTo copies the project. Paths in go.mod and go.work that lead out of it become
// absolute.
func (p *copiedProject) copyTo(ctx context.Context, destination string) error {
	return filepath.WalkDir(p.root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if p.isSkipped(name, d) {
			return filepath.SkipDir
		}
		rel, err := filepath.Rel(p.root, name)
		if err != nil {
			return err
		}
		target := filepath.Join(destination, rel)
		switch {
		case d.IsDir():
			return os.MkdirAll(target, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			// Files that a tool writes through a link stay in the copy: only directories lead
			// out of it, which confined checks.
			resolved := output.Physical(name)
			if !p.outside(resolved) {
				rel, err = filepath.Rel(p.root, resolved)
				if err != nil {
					return err
				}
				return os.Symlink(filepath.Join(destination, rel), target)
			}
			info, err := os.Stat(resolved)
			switch {
			case err == nil && info.IsDir():
				return os.Symlink(resolved, target)
			case err != nil || !info.Mode().IsRegular():
				return nil
			}
			return p.copyFile(resolved, target, info)
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		return p.copyFile(name, target, info)
	})
}

func (p *copiedProject) copyFile(name, target string, info fs.FileInfo) error {
	data, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	if err := os.WriteFile(target, p.absolute(name, data), info.Mode().Perm()|0o200); err != nil {
		return err
	}
	return os.Chtimes(target, copyTime(), copyTime())
}

func (p *copiedProject) outside(name string) bool { return !output.IsBelow(p.root, name) }

// absolute returns a file with the content for the copy: paths in go.mod and go.work that lead
// out of the project become absolute. A file that cannot be parsed is left unchanged, for the
// tools to report.
func (p *copiedProject) absolute(name string, data []byte) []byte {
	dir := filepath.Dir(name)
	leadsOutside := func(path string) bool {
		return modfile.IsDirectoryPath(path) && !filepath.IsAbs(path) && p.outside(filepath.Join(dir, path))
	}
	switch filepath.Base(name) {
	case "go.mod":
		mod, err := modfile.Parse(name, data, nil)
		if err != nil {
			return data
		}
		changed := false
		for _, r := range mod.Replace {
			if leadsOutside(r.New.Path) {
				changed = mod.AddReplace(r.Old.Path, r.Old.Version, filepath.Join(dir, r.New.Path), "") == nil || changed
			}
		}
		if changed {
			return modfile.Format(mod.Syntax)
		}
	case "go.work":
		work, err := modfile.ParseWork(name, data, nil)
		if err != nil {
			return data
		}
		for _, r := range work.Replace {
			if leadsOutside(r.New.Path) && work.AddReplace(r.Old.Path, r.Old.Version, filepath.Join(dir, r.New.Path), "") != nil {
				return data
			}
		}
		for _, u := range work.Use {
			if leadsOutside(u.Path) {
				old := u.Path
				if work.AddUse(filepath.Join(dir, old), u.ModulePath) != nil || work.DropUse(old) != nil {
					return data
				}
			}
		}
		work.Cleanup()
		return modfile.Format(work.Syntax)
	}
	return data
}

// copyTime returns the modification time of all files of a copy before a run.
func copyTime() time.Time { return time.Unix(1e9, 0) }

// file returns a file as a run left it, or nil if there is none.
func (p *copiedProject) file(run runResult, name string) []byte {
	if data, ok := run.files[name]; ok {
		return data
	}
	data, err := os.ReadFile(filepath.Join(p.root, filepath.FromSlash(name)))
	if err != nil {
		return nil
	}
	return data
}

// written returns the files of a copy that a run wrote, even if they did not change.
func (p *copiedProject) written(copied string) (map[string][]byte, error) {
	out := map[string][]byte{}
	err := filepath.WalkDir(copied, func(name string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		info, err := d.Info()
		if err != nil || info.ModTime().Equal(copyTime()) {
			return err
		}
		rel, err := filepath.Rel(copied, name)
		if err != nil {
			return err
		}
		out[filepath.ToSlash(rel)], err = os.ReadFile(name)
		return err
	})
	return out, err
}
