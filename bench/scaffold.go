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
	for name, tool := range map[string]string{"controller-gen": peer, "schemagen": product} {
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
	made, err := readTree(filepath.Join(temp, "schemagen", "config"))
	if err != nil {
		return problem("harness: %v", err)
	}
	if len(made) != 4 { // two definitions, a role, the webhooks
		r.problems = append(r.problems, fmt.Sprintf("harness: %d files in config", len(made)))
	}
	return r
}

// removeGenerated removes what the Makefile's targets make.
func removeGenerated(dir string) error {
	generated, err := filepath.Glob(filepath.Join(dir, "api/*/*/zz_generated.deepcopy.go"))
	if err != nil {
		return err
	}
	for _, name := range append(generated, filepath.Join(dir, "config")) {
		if err := os.RemoveAll(name); err != nil {
			return err
		}
	}
	return nil
}
