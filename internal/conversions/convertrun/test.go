package convertrun

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/temporary"
)

// Test is the compiled test of a package.
type Test struct{ dir string }

// BuildTest compiles the test of the package in a directory. Close removes it.
func BuildTest(ctx context.Context, code Code, dir string) (*Test, error) {
	if err := code.Consent.RequireCode([]string{dir}); err != nil {
		return nil, err
	}
	built, err := temporary.Dir(ctx, temporary.Mutants)
	if err != nil {
		return nil, err
	}
	t := &Test{dir: built}
	overlay, err := writeOverlay(built, map[string]string{}, code.Files)
	if err == nil {
		cmd := exec.CommandContext(ctx, "go", "test", "-c", "-vet=off", "-tags", strings.Join(code.Tags, ","), "-overlay", overlay, "-o", t.program(), ".")
		cmd.Dir = dir
		keepWithin(built, cmd)
		var out []byte
		out, err = cmd.CombinedOutput()
		if err != nil {
			err = buildError(ctx, "the tests of "+dir, err, out)
		}
	}
	if err != nil {
		return nil, errors.Join(err, t.Close())
	}
	return t, nil
}

func (t *Test) program() string { return filepath.Join(t.dir, "test.exe") }

// Run runs a test with more variables in its environment. failed is set if the test fails.
func (t *Test) Run(ctx context.Context, name string, env ...string) (output string, failed bool, err error) {
	temporary.Use(t.dir)
	cmd := exec.CommandContext(ctx, t.program(), "-test.run", name)
	cmd.Dir = t.dir
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.CombinedOutput()
	var exit *exec.ExitError
	if errors.As(err, &exit) && ctx.Err() == nil {
		return string(out), true, nil
	}
	return string(out), false, errors.Join(ctx.Err(), err)
}

// Close removes the test.
func (t *Test) Close() error { return os.RemoveAll(t.dir) }

// writeOverlay writes files to a directory, and an overlay of the go command that replaces
// those with their names.
func writeOverlay(dir string, replace map[string]string, files map[string][]byte) (name string, err error) {
	for i, file := range slices.Sorted(maps.Keys(files)) {
		replace[file] = filepath.Join(dir, fmt.Sprintf("%d.go", i))
		if err := os.WriteFile(replace[file], files[file], 0o600); err != nil {
			return "", err
		}
	}
	text, err := json.Marshal(map[string]map[string]string{"Replace": replace})
	if err != nil {
		return "", err
	}
	name = filepath.Join(dir, "overlay.json")
	return name, os.WriteFile(name, text, 0o600)
}
