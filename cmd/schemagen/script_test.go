package main

import (
	"cmp"
	"context"
	"crypto/rand"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"sigs.k8s.io/controller-tools/pkg/crd"
	"sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/markers"
	"sigs.k8s.io/controller-tools/pkg/rbac"
	"sigs.k8s.io/controller-tools/pkg/webhook"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/internal/migrate"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

func TestMain(m *testing.M) {
	testscript.Main(m, map[string]func(){
		"schemagen": func() {
			os.Exit(run(context.Background(), os.Args[1:], os.Stdout, os.Stderr))
		},
		"schemagen-main": main,
		"controller-gen": func() {
			if err := controllerGen(os.Args[1:]); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		},
	})
}

// controllerGen is controller-gen, assembled as in its main package. With PEER_ADDS, it
// also adds a line to each CRD in config/crd, a different one each time if the value is
// "random". With PEER_FAILS, it fails once it has written everything.
func controllerGen(args []string) error {
	if slices.Contains(args, "--version") {
		fmt.Println("Version: " + cmp.Or(os.Getenv("PEER_VERSION"), migrate.EqualVersion()))
		return nil
	}
	registry := &markers.Registry{}
	rules := map[string]genall.OutputRule{
		"dir": genall.OutputToDirectory(""), "none": genall.OutputToNothing, "stdout": genall.OutputToStdout, "artifacts": genall.OutputArtifacts{},
	}
	for name, rule := range rules {
		if err := registry.Define("output:"+name, markers.DescribesPackage, rule); err != nil {
			return err
		}
	}
	for name, generator := range map[string]genall.Generator{"crd": crd.Generator{}, "rbac": rbac.Generator{}, "object": deepcopy.Generator{}, "webhook": webhook.Generator{}} {
		if err := registry.Define(name, markers.DescribesPackage, generator); err != nil {
			return err
		}
		for form, rule := range rules {
			if err := registry.Define("output:"+name+":"+form, markers.DescribesPackage, rule); err != nil {
				return err
			}
		}
	}
	if err := genall.RegisterOptionsMarkers(registry); err != nil {
		return err
	}
	runtime, err := genall.FromOptions(registry, args)
	if err != nil {
		return err
	}
	if failed := runtime.Run(); failed {
		return errors.New("not all generators ran successfully")
	}
	if os.Getenv("PEER_FAILS") != "" {
		return errors.New("failed after all")
	}
	adds := os.Getenv("PEER_ADDS")
	if adds == "" {
		return nil
	}
	if adds == "random" {
		adds = rand.Text()
	}
	names, err := filepath.Glob("config/crd/*.yaml")
	if err != nil {
		return err
	}
	for _, name := range names {
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		if err := os.WriteFile(name, append(text, "# "+adds+"\n"...), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// edit replaces text in a file: edit FILE OLD NEW.
func edit(ts *testscript.TestScript, _ bool, args []string) {
	text := ts.ReadFile(args[0])
	if !strings.Contains(text, args[1]) {
		ts.Fatalf("%s does not contain %q", args[0], args[1])
	}
	ts.Check(os.WriteFile(ts.MkAbs(args[0]), []byte(strings.ReplaceAll(text, args[1], args[2])), 0o666))
}

// TestScripts runs the command lines in testdata/script. A script starts in a module with
// the requirements of this module, as do its nested modules, and has no network. REPO is
// the directory of this module.
func TestScripts(t *testing.T) {
	mod, sum := requirements(t)
	repo, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	moduleLine := regexp.MustCompile(`(?m)^module .*`)
	testscript.Run(t, testscript.Params{
		Dir:                 "../../testdata/script",
		UpdateScripts:       *update,
		RequireExplicitExec: false,
		RequireUniqueNames:  true,
		Cmds:                map[string]func(ts *testscript.TestScript, neg bool, args []string){"edit": edit},
		Setup: func(env *testscript.Env) error {
			// What scripts build has been built for the tests, unless these have other settings.
			for _, name := range []string{"GOMODCACHE", "GOCACHE", "CGO_ENABLED"} {
				env.Setenv(name, goEnv(t, name))
			}
			env.Setenv("GOPROXY", "off")
			env.Setenv("GOFLAGS", "")
			env.Setenv("REPO", repo)
			// Folders with these names become modules.
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

// requirements are go.mod and go.sum of this module.
func requirements(t *testing.T) (mod, sum []byte) {
	t.Helper()
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if sum, err = os.ReadFile("../../go.sum"); err != nil {
		t.Fatal(err)
	}
	return mod, sum
}

// goEnv returns a variable of the go command.
func goEnv(t *testing.T, name string) string {
	t.Helper()
	out, err := exec.Command("go", "env", name).Output()
	if err != nil {
		t.Fatal(err)
	}
	return strings.TrimSpace(string(out))
}

// moduleProxies returns a GOPROXY for commands that resolve modules: the module cache
// first, then the user's own, since building this test downloads only the modules of the
// packages that it links.
func moduleProxies(t *testing.T) string {
	t.Helper()
	return "file://" + filepath.Join(goEnv(t, "GOMODCACHE"), "cache", "download") + "," + goEnv(t, "GOPROXY")
}

// TestInterrupted checks that nothing on disk changes after an interrupt.
func TestInterrupted(t *testing.T) {
	dir := t.TempDir()
	t.Chdir(dir)
	for name, text := range map[string]string{
		"go.mod":   "module example.com/m\n\ngo 1.26\n",
		"types.go": "// +groupName=example.com\npackage v1\n",
		"old.yaml": "old",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var stdout, stderr strings.Builder
	if code := run(ctx, []string{"crd", ".", "-o", "out"}, &stdout, &stderr); code != reporting.ExitFailure {
		t.Errorf("exit code %d", code)
	}
	if !strings.Contains(stderr.String(), "interrupted; nothing was written") {
		t.Errorf("stderr: %s", stderr.String())
	}
	if _, err := os.Stat("out"); err == nil {
		t.Error("the output directory was created")
	}
}
