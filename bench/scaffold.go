package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
)

// scaffoldDir is a project as Kubebuilder lays it out, with its Makefile.
const scaffoldDir = "../examples/operator"

// compareScaffold makes what the project's Makefile makes, from nothing, with each
// tool as its CONTROLLER_GEN, and compares all files of the project.
func compareScaffold(ctx context.Context, peer, product string) comparison {
	problem := func(format string, args ...any) comparison {
		return comparison{problems: []string{fmt.Sprintf(format, args...)}}
	}
	temp, err := os.MkdirTemp("", "schemagen-scaffold-")
	if err != nil {
		return problem("harness: %v", err)
	}
	defer os.RemoveAll(temp)
	// The name of the command is in the apply configurations that it writes.
	named := filepath.Join(temp, "bin", "controller-gen")
	if err := os.Mkdir(filepath.Dir(named), 0o777); err != nil {
		return problem("harness: %v", err)
	}
	if err := os.Symlink(peer, named); err != nil {
		return problem("harness: %v", err)
	}
	for name, tool := range map[string]string{"controller-gen": named, "schemagen": product} {
		dir := filepath.Join(temp, name)
		if err := os.CopyFS(dir, os.DirFS(scaffoldDir)); err != nil {
			return problem("harness: %v", err)
		}
		if err := removeGenerated(dir); err != nil {
			return problem("harness: %v", err)
		}
		for _, target := range []string{"generate", "manifests"} {
			if _, messages, err := execute(ctx, dir, "make", []string{target, "CONTROLLER_GEN=" + tool}); err != nil {
				return problem("make %s with %s: %v\n%s", target, name, err, head(messages, 20))
			}
		}
	}
	r, err := compareTrees(filepath.Join(temp, "controller-gen"), filepath.Join(temp, "schemagen"))
	if err != nil {
		return problem("harness: %v", err)
	}
	// Two definitions and a patched one, a role, the webhooks; a file for each type
	// of a group, and two for all of them.
	for dir, files := range map[string]int{"config": 5, "api/apps/v1/applyconfiguration": 5} {
		made, err := readTree(filepath.Join(temp, "schemagen", dir))
		if err != nil {
			return problem("harness: %v", err)
		}
		if len(made) != files {
			r.problems = append(r.problems, fmt.Sprintf("harness: %d files in %s", len(made), dir))
		}
	}
	return r
}

// removeGenerated removes what the Makefile's targets make.
func removeGenerated(dir string) error {
	for _, pattern := range []string{"api/*/*/zz_generated.deepcopy.go", "api/*/*/applyconfiguration", "config"} {
		names, err := filepath.Glob(filepath.Join(dir, pattern))
		if err != nil {
			return err
		}
		for _, name := range names {
			if err := os.RemoveAll(name); err != nil {
				return err
			}
		}
	}
	return nil
}
