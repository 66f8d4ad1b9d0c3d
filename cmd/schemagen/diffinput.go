package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/verify"
)

// gitPrefix begins a name of something in a commit: git:REF or git:REF:PATH.
const gitPrefix = "git:"

// diffInput reads one side of a comparison.
type diffInput struct {
	*definitionFlags
	dir    string
	stdin  io.Reader
	stderr io.Writer
	// made are folders to remove.
	made []string
}

func (in *diffInput) close() {
	for _, dir := range in.made {
		os.RemoveAll(dir)
	}
}

// read returns the definitions that a name stands for; other is the name of the other
// side, whose path a commit without one has.
func (in *diffInput) read(ctx context.Context, name, other string) ([]*verify.Subject, error) {
	rest, ok := strings.CutPrefix(name, gitPrefix)
	if !ok {
		if err := refuseMissing(name); err != nil {
			return nil, err
		}
		subjects, findings, err := in.subjects(ctx, in.dir, []string{name}, in.stdin, lenientSubjects)
		return subjects, in.check(name, findings, err)
	}
	ref, path, _ := strings.Cut(rest, ":")
	if path == "" {
		_, path, _ = strings.Cut(strings.TrimPrefix(other, gitPrefix), ":")
		if !strings.HasPrefix(other, gitPrefix) {
			path = other
		}
	}
	if path == "" || path == "-" {
		return nil, fmt.Errorf("%s needs a path: git:REF:PATH", name)
	}
	return in.commit(ctx, name, ref, path)
}

// refuseMissing refuses a name that is meant to be a file and is none: what is not there would
// be taken for an import path.
func refuseMissing(name string) error {
	if ext := filepath.Ext(name); ext == ".yaml" || ext == ".yml" || ext == ".json" {
		_, err := os.Stat(name)
		return err
	}
	return nil
}

// packages makes the definitions of Go packages.
func (in *diffInput) packages(ctx context.Context, dir string, patterns []string) ([]*verify.Subject, error) {
	subjects, findings, err := in.fromPackages(ctx, dir, patterns)
	return subjects, in.check(strings.Join(patterns, " "), findings, err)
}

// check prints errors: nothing can be said of what cannot be read.
func (in *diffInput) check(name string, findings diag.List, err error) error {
	findings = slices.DeleteFunc(slices.Clone(findings), func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
	if err != nil || len(findings) == 0 {
		return err
	}
	if err := findings.Normalize().RelativeTo(in.dir).WriteText(in.stderr); err != nil {
		return err
	}
	return fmt.Errorf("%s cannot be compared", name)
}

// commit reads what a path has in a commit; nothing if the path is not in it.
func (in *diffInput) commit(ctx context.Context, name, ref, path string) ([]*verify.Subject, error) {
	if filepath.IsAbs(path) {
		relative, err := filepath.Rel(in.dir, path)
		if err != nil {
			return nil, err
		}
		path = relative
	}
	// Of packages, everything that they may import is needed.
	isPattern := strings.HasSuffix(path, "...")
	wanted := path
	if isPattern {
		wanted = ":/"
	}
	tree, err := in.checkout(ctx, ref, wanted)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	at := filepath.Join(tree.dir, tree.prefix)
	var patterns []string
	var files []manifestSource
	switch full := filepath.Join(at, path); {
	case isPattern:
		patterns = []string{path}
	default:
		if _, err := os.Stat(full); errors.Is(err, os.ErrNotExist) {
			return nil, nil
		}
		if files, patterns, err = in.find([]string{full}); err != nil {
			return nil, err
		}
		if len(patterns) > 0 {
			if tree, err = in.checkout(ctx, ref, ":/"); err != nil {
				return nil, err
			}
			at, patterns = filepath.Join(tree.dir, tree.prefix), []string{"./" + filepath.ToSlash(filepath.Clean(path))}
		}
	}
	subjects, findings, err := subjectsIn(files, in.stdin, lenientSubjects)
	if err != nil {
		return nil, err
	}
	made, found, err := in.fromPackages(ctx, at, patterns)
	if err != nil {
		return nil, err
	}
	subjects, findings = append(subjects, made...), append(findings, found...)
	for i := range findings {
		findings[i].Pos = tree.named(ref, findings[i].Pos)
	}
	for _, s := range subjects {
		place := s.Place
		s.Place = func(path string) (diag.Position, []diag.Related) {
			pos, _ := place(path)
			return tree.named(ref, pos), nil
		}
	}
	return subjects, in.check(name, findings, nil)
}

// checkedOut is a folder with files of a commit.
type checkedOut struct {
	dir string
	// prefix is the working directory in the repository.
	prefix string
}

// named is a place in a commit as git names it: REF:PATH.
func (t checkedOut) named(ref string, pos diag.Position) diag.Position {
	if relative, err := filepath.Rel(t.dir, pos.File); err == nil && pos.File != "" {
		pos.File = ref + ":" + filepath.ToSlash(relative)
	}
	return pos
}

// checkout writes the files of a commit that a path names to a folder that is removed at
// the end. The repository's index and working tree are left alone.
func (in *diffInput) checkout(ctx context.Context, ref, path string) (checkedOut, error) {
	dir, err := os.MkdirTemp("", "schemagen-diff-")
	if err != nil {
		return checkedOut{}, err
	}
	in.made = append(in.made, dir)
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		return checkedOut{}, err
	}
	index := filepath.Join(dir, "index")
	git := func(stdin []byte, args ...string) ([]byte, error) {
		var stderr bytes.Buffer
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Env = append(os.Environ(), "GIT_INDEX_FILE="+index)
		cmd.Stdin, cmd.Stderr = bytes.NewReader(stdin), &stderr
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
		return checkedOut{}, errors.New("there is no such commit")
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
	tree := checkedOut{dir: filepath.Join(dir, "tree"), prefix: strings.TrimSpace(string(prefix))}
	_, err = git(names, "checkout-index", "-z", "--stdin", "--prefix="+tree.dir+"/")
	return tree, err
}
