package main

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"schemagen": func() {
			os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
		},
	})
}

// TestScripts runs the command lines of testdata/script. A script starts in a
// module whose requirements are this module's, as are those of the modules
// nested in it, and has no network.
func TestScripts(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	sum, err := os.ReadFile("../../go.sum")
	if err != nil {
		t.Fatal(err)
	}
	moduleLine := regexp.MustCompile(`(?m)^module .*`)
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: false,
		RequireUniqueNames:  true,
		Setup: func(env *testscript.Env) error {
			for _, name := range []string{"GOMODCACHE", "GOCACHE"} {
				env.Setenv(name, goEnv(t, name))
			}
			env.Setenv("GOPROXY", "off")
			env.Setenv("GOFLAGS", "")
			// Folders that are named for it are modules of their own.
			for dir, module := range map[string]string{
				".": "example.com/project", "nested": "example.com/nested", "nested/deeper": "example.com/deeper",
			} {
				dir = filepath.Join(env.WorkDir, dir)
				if _, err := os.Stat(dir); err != nil {
					continue
				}
				named := moduleLine.ReplaceAll(mod, []byte("module "+module))
				if err := os.WriteFile(filepath.Join(dir, "go.mod"), named, 0o666); err != nil {
					return err
				}
				if err := os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o666); err != nil {
					return err
				}
			}
			return nil
		},
	})
}

// goEnv asks the go command for one of its variables.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}
