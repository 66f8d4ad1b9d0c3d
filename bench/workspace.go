package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strings"
)

// A workspace holds the directories of the harness.
type workspace struct {
	bench string // the directory of this package, with the nested modules
	cache string // built and copied files; may be deleted at any time
}

// checkoutDir is the directory in which the command line of a case runs.
type checkoutDir struct {
	root     string // of the checkout, or of the nested module
	dir      string
	listings []listing // with absolute directories
}

// copyTo copies the root of the place and returns the place in the copy.
func (p checkoutDir) copyTo(root string) (checkoutDir, error) {
	if err := os.CopyFS(root, os.DirFS(p.root)); err != nil {
		return checkoutDir{}, err
	}
	copied := checkoutDir{root: root, dir: root + strings.TrimPrefix(p.dir, p.root)}
	for _, l := range p.listings {
		copied.listings = append(copied.listings, listing{root + strings.TrimPrefix(l.dir, p.root), l.patterns})
	}
	return copied, nil
}

// checkoutDirs are the places in which each tool runs.
type checkoutDirs struct{ theirs, ours checkoutDir }

// checkoutDirs returns p for both tools, or, for lines that write next to the packages, a copy for
// each of them below temp, without the files that the line writes there. edits is set if
// files of the places will be edited, so that at least one copy is needed.
func (c benchCase) checkouts(p checkoutDir, edits bool, temp string) (checkoutDirs, error) {
	if c.inTree == nil && !edits {
		return checkoutDirs{p, p}, nil
	}
	copied := func(name string) (checkoutDir, error) {
		q, err := p.copyTo(filepath.Join(temp, name))
		if err == nil && c.inTree != nil {
			err = outputs{q.root, c.inTree, c.imported}.remove()
		}
		return q, err
	}
	ours, err := copied("ours")
	if err != nil || c.inTree == nil {
		return checkoutDirs{ours, ours}, err
	}
	theirs, err := copied("theirs")
	return checkoutDirs{theirs, ours}, err
}

func openWorkspace() (workspace, error) {
	wd, err := os.Getwd()
	if err != nil {
		return workspace{}, err
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		return workspace{}, err
	}
	for _, dir := range []string{wd, filepath.Join(wd, "bench")} {
		if _, err := os.Stat(filepath.Join(dir, "peer", "go.mod")); err == nil {
			return workspace{bench: dir, cache: filepath.Join(cache, "schemagen-bench")}, nil
		}
	}
	return workspace{}, errors.New("must be run in bench/ of the repository")
}

// goCommand runs the go command in dir and returns its output.
func goCommand(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	if err := cmd.Run(); err != nil {
		// go mod download -json reports its error on stdout.
		return nil, fmt.Errorf("go %s in %s: %w\n%s%s", strings.Join(args, " "), dir, err, stderr.Bytes(), stdout.Bytes())
	}
	return stdout.Bytes(), nil
}

// product returns the binary to test: the given one, or one built from the repository, which
// the build cache makes cheap.
func (w workspace) product(ctx context.Context, given string) (string, error) {
	if given != "" {
		return filepath.Abs(given)
	}
	binary := filepath.Join(w.cache, "bin", "schemagen")
	root := filepath.Dir(w.bench)
	cmd := exec.CommandContext(ctx, "go", "build", "-o", binary, "./cmd/schemagen")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0") // as README.md installs it
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("go build in %s: %w\n%s", root, err, out)
	}
	return binary, nil
}

// tools returns the binaries of both tools, and builds them if needed.
func (w workspace) tools(ctx context.Context, given string) (peer, product string, err error) {
	if peer, err = w.peer(ctx); err != nil {
		return "", "", err
	}
	product, err = w.product(ctx, given)
	return peer, product, err
}

// peer returns controller-gen, which is built from the nested module peer once for each
// version of it and of Go.
func (w workspace) peer(ctx context.Context) (string, error) {
	dir := filepath.Join(w.bench, "peer")
	version, err := goCommand(ctx, dir, "list", "-m", "-f", "{{.Version}}", "sigs.k8s.io/controller-tools")
	if err != nil {
		return "", err
	}
	goVersion, err := goCommand(ctx, dir, "env", "GOVERSION")
	if err != nil {
		return "", err
	}
	// The name of the command is part of the apply configurations that it writes.
	binary := filepath.Join(w.cache, "bin", fmt.Sprintf("%s-%s", bytes.TrimSpace(version), bytes.TrimSpace(goVersion)), "controller-gen")
	if _, err := os.Stat(binary); err == nil {
		return binary, nil
	}
	_, err = goCommand(ctx, dir, "build", "-o", binary, "sigs.k8s.io/controller-tools/cmd/controller-gen")
	return binary, err
}

// A module is a module of the build list as reported by the go command.
type module struct{ Path, Version, Dir string }

// download downloads a module in the build list of a nested module to the module cache. Its
// checksum is verified with the go.sum of the nested module.
func (w workspace) download(ctx context.Context, pins, path string) (module, error) {
	out, err := goCommand(ctx, filepath.Join(w.bench, pins), "mod", "download", "-json", path)
	if err != nil {
		return module{}, err
	}
	var m module
	if err := json.Unmarshal(out, &m); err != nil {
		return module{}, err
	}
	if m.Dir == "" {
		return module{}, fmt.Errorf("module %s of %s has no directory", path, pins)
	}
	return m, nil
}

// prepare makes the packages of a case available and, with a final go list, everything that
// they import, so that no timed run needs the network.
func (w workspace) prepare(ctx context.Context, c benchCase) (checkoutDir, error) {
	root := filepath.Join(w.bench, c.pins)
	var err error
	switch {
	case c.generated != nil:
		root, err = w.synthesize(c)
	case c.local != "":
		root = filepath.Join(filepath.Dir(w.bench), filepath.FromSlash(c.local))
	case c.checkout != nil:
		root, err = w.checkOut(ctx, c)
	}
	if err != nil {
		return checkoutDir{}, fmt.Errorf("%s: %w", c.name, err)
	}
	p := checkoutDir{root: root, dir: filepath.Join(root, c.dir)}
	for _, l := range c.goLists() {
		p.listings = append(p.listings, listing{filepath.Join(root, l.dir), l.patterns})
	}
	for _, l := range p.listings {
		if _, err := goCommand(ctx, l.dir, append([]string{"list", "-deps"}, l.patterns...)...); err != nil {
			return checkoutDir{}, fmt.Errorf("%s: %w", c.name, err)
		}
	}
	return p, nil
}

// checkOut copies the modules of a case to the cache, in the layout of their repository, and
// returns the root. An existing checkout is used unchanged: its name includes the versions
// and the added groups.
func (w workspace) checkOut(ctx context.Context, c benchCase) (string, error) {
	var modules []module
	var names []string
	for _, m := range c.checkout {
		found, err := w.download(ctx, c.pins, m.module)
		if err != nil {
			return "", err
		}
		modules = append(modules, found)
		names = append(names, strings.ReplaceAll(found.Path, "/", "_")+"@"+found.Version)
	}
	if c.groups != nil {
		sum := sha256.Sum256(fmt.Append(nil, c.groups))
		names = append(names, fmt.Sprintf("groups-%x", sum[:4]))
	}
	return w.once(strings.Join(names, "+"), func(dir string) error {
		for i, m := range c.checkout {
			if err := os.CopyFS(filepath.Join(dir, m.at), os.DirFS(modules[i].Dir)); err != nil {
				return err
			}
		}
		// A go.work names other modules of the repository, which are not in the module's
		// archive.
		for _, name := range []string{"go.work", "go.work.sum"} {
			if err := os.Remove(filepath.Join(dir, name)); err != nil && !errors.Is(err, fs.ErrNotExist) {
				return err
			}
		}
		for _, g := range c.groups {
			source := fmt.Sprintf("// +groupName=%s\n\npackage %s\n", g.group, path.Base(g.dir))
			if err := os.WriteFile(filepath.Join(dir, g.dir, "bench_group.go"), []byte(source), 0o644); err != nil {
				return err
			}
		}
		return nil
	})
}

// once returns the directory with the given name in the cache. If it does not exist, it is
// created atomically with the files that fill writes.
func (w workspace) once(name string, fill func(dir string) error) (string, error) {
	parent := filepath.Join(w.cache, "src")
	dir := filepath.Join(parent, name)
	if _, err := os.Stat(dir); err == nil {
		return dir, nil
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	temp, err := os.MkdirTemp(parent, ".new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	if err := fill(temp); err != nil {
		return "", err
	}
	if err := os.Rename(temp, dir); err != nil {
		if _, statErr := os.Stat(dir); statErr == nil {
			return dir, nil // a concurrent run created it first
		}
		return "", err
	}
	return dir, nil
}

// versions returns the modules of a case with their versions.
func (w workspace) versions(ctx context.Context, c benchCase) (string, error) {
	query := []string{"list", "-m", "-f", "{{.Path}} {{.Version}}"}
	dir := filepath.Join(w.bench, c.pins)
	switch {
	case c.local != "":
		return "this repository's " + c.local, nil
	case c.generated != nil:
		query = append(query, "k8s.io/api")
	case c.checkout != nil:
		for _, m := range c.checkout {
			query = append(query, m.module)
		}
	default:
		query = []string{"list", "-f", "{{.Module.Path}} {{.Module.Version}}"}
		for _, l := range c.goLists() {
			query = append(query, l.patterns...)
		}
	}
	out, err := goCommand(ctx, dir, query...)
	if err != nil {
		return "", err
	}
	var distinct []string
	last := ""
	for line := range strings.Lines(string(out)) {
		if line = strings.TrimSpace(line); line != last {
			distinct = append(distinct, line)
			last = line
		}
	}
	return strings.Join(distinct, ", "), nil
}
