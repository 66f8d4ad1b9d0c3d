package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"golang.org/x/mod/modfile"
)

// copiedProject is a folder of which two copies are made, one for each tool.
type copiedProject struct {
	// root is what is copied, start is the folder in it that commands run in.
	root, start string
	// temp holds the copies.
	temp string
}

// generatorRun is what a tool did to its copy.
type generatorRun struct {
	tool string
	// said is what it printed, with the project in the place of the copy.
	said string
	// failed is its exit code in words.
	failed error
	// files are those that it made or changed, by their name in the project.
	files map[string][]byte
}

// openProject finds the project around a folder: up to where git keeps its data,
// or, without git, to the nearest go.work or go.mod.
func openProject(dir string) (*copiedProject, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return nil, err
	}
	p := &copiedProject{root: dir}
	for _, mark := range []string{".git", "go.work", "go.mod"} {
		if d := holding(mark, dir); d != "" {
			p.root = d
			break
		}
	}
	if p.start, err = filepath.Rel(p.root, dir); err != nil {
		return nil, err
	}
	if p.temp, err = os.MkdirTemp("", "schemagen-migrate-"); err != nil {
		return nil, err
	}
	p.temp, err = filepath.EvalSymlinks(p.temp)
	return p, err
}

// holding is the nearest folder, from dir upwards, that has an entry of the name;
// empty if none has.
func holding(name, dir string) string {
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

// run copies the project, runs a command line there, and returns what it did.
func (p *copiedProject) run(ctx context.Context, tool, program string, c generatorCommand, more []string) (*generatorRun, error) {
	copied, err := os.MkdirTemp(p.temp, tool+"-")
	if err != nil {
		return nil, err
	}
	if err := p.copyTo(ctx, copied); err != nil {
		return nil, fmt.Errorf("copy the project: %w", err)
	}
	cmd := exec.CommandContext(ctx, program, append(c.args[:len(c.args):len(c.args)], more...)...)
	cmd.Dir = filepath.Join(copied, p.start, filepath.FromSlash(c.dir))
	cmd.Env = append(os.Environ(), "PWD="+cmd.Dir)
	said, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return nil, fmt.Errorf("%s: %w", tool, err)
	}
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	r := &generatorRun{tool: tool, said: strings.ReplaceAll(string(said), copied+string(filepath.Separator), ""), failed: err}
	r.files, err = p.changes(copied)
	if err != nil {
		return nil, err
	}
	return r, os.RemoveAll(copied)
}

// left reports whether a folder is not copied: git's own, and that of the copies.
func (p *copiedProject) left(name string, d fs.DirEntry) bool {
	return d.IsDir() && (d.Name() == ".git" || name == p.temp)
}

// copyTo copies the project. Paths in go.mod and go.work that lead out of it become
// absolute.
func (p *copiedProject) copyTo(ctx context.Context, to string) error {
	return filepath.WalkDir(p.root, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if p.left(name, d) {
			return filepath.SkipDir
		}
		rel, err := filepath.Rel(p.root, name)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch {
		case d.IsDir():
			return os.MkdirAll(target, 0o755)
		case d.Type()&fs.ModeSymlink != 0:
			link, err := os.Readlink(name)
			if err != nil {
				return err
			}
			if !filepath.IsAbs(link) && p.outside(filepath.Join(filepath.Dir(name), link)) {
				link = filepath.Join(filepath.Dir(name), link)
			}
			return os.Symlink(link, target)
		case !d.Type().IsRegular():
			return nil
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		return os.WriteFile(target, p.absolute(name, data), info.Mode().Perm()|0o200)
	})
}

func (p *copiedProject) outside(name string) bool {
	rel, err := filepath.Rel(p.root, name)
	return err != nil || rel == ".." || strings.HasPrefix(rel, ".."+string(filepath.Separator))
}

// absolute returns a file as the copy has it: paths in go.mod and go.work that lead
// out of the project are absolute. A file that cannot be parsed stays as it is, for
// the tools to complain of.
func (p *copiedProject) absolute(name string, data []byte) []byte {
	dir := filepath.Dir(name)
	leads := func(path string) bool {
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
			if leads(r.New.Path) {
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
			if leads(r.New.Path) && work.AddReplace(r.Old.Path, r.Old.Version, filepath.Join(dir, r.New.Path), "") != nil {
				return data
			}
		}
		for _, u := range work.Use {
			if leads(u.Path) {
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

// file is a file as a run left it; nil if there is none.
func (p *copiedProject) file(r *generatorRun, name string) []byte {
	if data, ok := r.files[name]; ok {
		return data
	}
	data, err := os.ReadFile(filepath.Join(p.root, filepath.FromSlash(name)))
	if err != nil {
		return nil
	}
	return data
}

// changes returns the files of a copy that the project does not have, or has with
// another content.
func (p *copiedProject) changes(copied string) (map[string][]byte, error) {
	out := map[string][]byte{}
	err := filepath.WalkDir(copied, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if p.left(name, d) {
			return filepath.SkipDir
		}
		if !d.Type().IsRegular() {
			return nil
		}
		rel, err := filepath.Rel(copied, name)
		if err != nil {
			return err
		}
		data, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		original := filepath.Join(p.root, rel)
		before, err := os.ReadFile(original)
		if err != nil || !bytes.Equal(p.absolute(original, before), data) {
			out[filepath.ToSlash(rel)] = data
		}
		return nil
	})
	return out, err
}
