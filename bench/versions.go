package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// releases are the releases of controller-gen whose outputs are compared: the newest patch of
// each minor since v0.14, and v0.16.1, which Kubebuilder's scaffolds pinned; oldest first.
func releases() []string {
	return []string{
		"v0.14.0", "v0.15.0", "v0.16.1", "v0.16.5", "v0.17.3", "v0.18.0", "v0.19.0", "v0.20.1", "v0.21.0", "v0.22.0", "v0.23.0",
	}
}

// versionCases are the cases whose outputs are compared unless -case selects others: those
// with the most features and generators, which every release can load.
const versionCases = "operator,gateway-api,cert-manager,cluster-api-kubeadm,prometheus-operator,source-controller,keda,kueue,jobset,trust-manager"

// changesSources are the lines of a module with a package for each change in the table of
// internal/migrate/peerversions. They are not in the table of cases: schemagen is not compared on them.
func changesSources() []benchCase {
	const module = "internal/migrate/peerversions/testdata/source"
	return []benchCase{{
		name: "changes", local: module, crd: "crd", paths: []string{"./..."}, files: 1,
		manifests: line{commands: []string{"rbac:roleName=manager-role webhook paths=./..."}, files: 1},
		// Older releases panic on some of the other packages.
		object: line{commands: []string{"object paths=./comments/... paths=./defaults/... paths=./rules/... paths=./scalars/..."}, files: 1},
	}, {
		name: "changes-short", local: module, crd: "crd:maxDescLen=20", paths: []string{"./comments/..."}, files: 1,
	}}
}

// selectVersionCases returns the named cases, or changesSources if the name is "changes"; by
// default, these and versionCases.
func selectVersionCases(names string) ([]benchCase, error) {
	if names == "changes" {
		return changesSources(), nil
	}
	selected, err := selectCases(cmp.Or(names, versionCases))
	if names == "" {
		selected = append(changesSources(), selected...)
	}
	return selected, err
}

// writeVersions runs every release on the lines of the cases, and keeps what they write in
// DIR/RELEASE/CASE/LINE. Directories that exist are kept. A release that fails for a line, for
// example because it does not know the generator, leaves its messages in the file FAILED there.
func writeVersions(ctx context.Context, w workspace, selected []benchCase, dir string, out io.Writer) error {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	for _, c := range selected {
		place, err := w.prepare(ctx, c)
		if err != nil {
			return err
		}
		for _, l := range c.lines() {
			if l.line == applyLine {
				continue // code-generator's changes are not in the table
			}
			for _, release := range releases() {
				to := filepath.Join(dir, release, c.name, l.line)
				if _, err := os.Stat(to); err == nil {
					continue
				}
				peer, err := w.release(ctx, release)
				if err != nil {
					return err
				}
				files, err := writeVersion(ctx, l, place, peer, to)
				if err != nil {
					return fmt.Errorf("%s: %s: %w", release, l.name, err)
				}
				fmt.Fprintf(out, "%s\t%s\t%d files\n", release, l.name, files)
			}
		}
	}
	return nil
}

// writeVersion runs controller-gen for a line and moves what it writes to a directory, which
// exists only when everything is there.
func writeVersion(ctx context.Context, l benchCase, place checkoutDir, peer, to string) (files int, err error) {
	temp, err := os.MkdirTemp("", "schemagen-versions-")
	if err != nil {
		return 0, err
	}
	defer os.RemoveAll(temp)
	if err := l.kustomize(place.dir, temp); err != nil {
		return 0, err
	}
	in, err := l.checkouts(place, false, temp)
	if err != nil {
		return 0, err
	}
	written := filepath.Join(temp, "out")
	messages, failed := runAll(ctx, in.theirs.dir, peer, l.arguments(written))
	if err := ctx.Err(); err != nil {
		return 0, err
	}
	if l.inTree != nil {
		written = in.theirs.root
	}
	tree, err := readTree(written, l.inTree)
	if err != nil {
		return 0, err
	}
	if failed != nil {
		tree = []treeFile{{name: "FAILED", content: messages}}
	}
	made := to + ".new"
	if err := os.RemoveAll(made); err != nil {
		return 0, err
	}
	if err := os.MkdirAll(made, 0o755); err != nil { // also if nothing was written
		return 0, err
	}
	for _, f := range tree {
		name := filepath.Join(made, filepath.FromSlash(f.name))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			return 0, err
		}
		if err := os.WriteFile(name, f.content, 0o644); err != nil {
			return 0, err
		}
	}
	return len(tree), os.Rename(made, to)
}

// release returns a release of controller-gen, built with this Go: as users install it, or with
// requirements raised as far as it needs to compile.
func (w workspace) release(ctx context.Context, version string) (string, error) {
	const command = "sigs.k8s.io/controller-tools/cmd/controller-gen"
	goVersion, err := goCommand(ctx, w.bench, "env", "GOVERSION")
	if err != nil {
		return "", err
	}
	dir := filepath.Join(w.cache, "bin", "release-"+version+"-"+strings.TrimSpace(string(goVersion)))
	binary := filepath.Join(dir, "controller-gen")
	if _, err := os.Stat(binary); err == nil {
		return binary, nil
	}
	raised := raisedRequirements(version)
	if raised == nil {
		cmd := exec.CommandContext(ctx, "go", "install", command+"@"+version)
		cmd.Env = append(os.Environ(), "GOBIN="+dir)
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("go install %s@%s: %w\n%s", command, version, err, out)
		}
		return binary, nil
	}
	temp, err := os.MkdirTemp("", "schemagen-release-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	for _, args := range [][]string{
		{"mod", "init", "example.com/release"},
		{"mod", "edit", "-godebug=gotypesalias=0"}, // the default for the Go version of the release
		slices.Concat([]string{"get", command + "@" + version}, raised),
		{"build", "-o", binary, command},
	} {
		if _, err := goCommand(ctx, temp, args...); err != nil {
			return "", err
		}
	}
	return binary, nil
}

// raisedRequirements returns the modules that a release needs in a newer version than it
// requires: the x/tools of the first ones do not compile since Go 1.25.
func raisedRequirements(version string) []string {
	switch version {
	case "v0.14.0", "v0.15.0", "v0.16.1":
		return []string{"golang.org/x/tools@v0.24.1"}
	}
	return nil
}
