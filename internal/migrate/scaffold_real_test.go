package migrate

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// pinned is the version of schemagen that the projects install.
const pinned = "v1.2.3"

// kubebuilderVersion is the release of Kubebuilder that makes the projects of TestKubebuilder.
const kubebuilderVersion = "v4.15.0"

// TestKubebuilder has kubebuilder make projects, with one and with several groups, and does what
// docs/migration.md says: migrate --yes --write, make manifests generate, and the commands
// without arguments. make test is left to the tests with a server, since it downloads one.
func TestKubebuilder(t *testing.T) {
	if !*realProjects {
		t.Skip("needs -real")
	}
	bin := t.TempDir()
	build(t, bin, "sigs.k8s.io/kubebuilder/v4", kubebuilderVersion, "sigs.k8s.io/kubebuilder/v4", "kubebuilder")
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	schemagen := filepath.Join(bin, "schemagen")
	command(t, repository, "go", "build", "-o", schemagen, "./cmd/schemagen")
	for _, groups := range [][]string{{"apps"}, {"apps", "batch"}} {
		t.Run(fmt.Sprint(len(groups)), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "widgets") // kubebuilder names the project after it
			if err := os.Mkdir(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			kubebuilder := filepath.Join(bin, "kubebuilder")
			command(t, dir, "git", "init", "-q")
			command(t, dir, kubebuilder, "init", "--domain", "example.com", "--repo", "example.com/project", "--skip-go-version-check", "--fetch-deps=false")
			if len(groups) > 1 {
				command(t, dir, kubebuilder, "edit", "--multigroup=true")
			}
			for _, group := range groups {
				command(t, dir, kubebuilder, "create", "api", "--group", group, "--version", "v1", "--kind", "Widget", "--resource", "--controller", "--make=false")
			}
			out := command(t, dir, schemagen, "migrate", "--yes", "--write", "--pin", pinned)
			if strings.Count(out, " equal") != 2 || !strings.Contains(out, "+CONTROLLER_GEN ?= $(LOCALBIN)/schemagen") {
				t.Errorf("migrate printed\n%s", out)
			}
			installAs(t, dir, schemagen, pinned)
			if out := command(t, dir, "make", "manifests", "generate"); strings.Contains(out, "Downloading") {
				t.Errorf("make printed\n%s", out)
			}
			if crds, _ := filepath.Glob(filepath.Join(dir, "config/crd/bases/*.yaml")); len(crds) != len(groups) {
				t.Errorf("got CRDs %v", crds)
			}
			// A server rejects the samples, whose spec is null, until fields are added.
			samples, _ := filepath.Glob(filepath.Join(dir, "config/samples/*_widget.yaml"))
			if len(samples) != len(groups) {
				t.Errorf("got samples %v", samples)
			}
			for _, name := range samples {
				text, err := os.ReadFile(name)
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(name, append(text, "  foo: bar\n"...), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			command(t, dir, "git", "add", "-A")
			command(t, dir, "git", "-c", "user.name=a", "-c", "user.email=a@example.com", "commit", "-q", "-m", "first")
			for _, name := range []string{"verify", "docs", "jsonschema", "try", "init", "diff"} {
				command(t, dir, schemagen, name)
			}
		})
	}
}

// TestKubebuilderPlugin makes a project with the plugin and adds it to another one, with the
// real kubebuilder; then make generates with schemagen.
func TestKubebuilderPlugin(t *testing.T) {
	if !*realProjects {
		t.Skip("needs -real")
	}
	bin := t.TempDir()
	build(t, bin, "sigs.k8s.io/kubebuilder/v4", kubebuilderVersion, "sigs.k8s.io/kubebuilder/v4", "kubebuilder")
	repository, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	kubebuilder, schemagen := filepath.Join(bin, "kubebuilder"), filepath.Join(bin, "schemagen")
	command(t, repository, "go", "build", "-o", schemagen, "./cmd/schemagen")
	plugins := filepath.Join(bin, "plugins")
	if err := os.Mkdir(plugins, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("EXTERNAL_PLUGINS_PATH", plugins)
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	command(t, bin, schemagen, "kubebuilder-plugin", "--install")
	const plugin = "schemagen.github.io/v1"
	initArgs := []string{"init", "--domain", "example.com", "--repo", "example.com/project", "--skip-go-version-check", "--fetch-deps=false"}
	for _, onInit := range []bool{true, false} {
		t.Run(fmt.Sprint("init=", onInit), func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "widgets")
			if err := os.Mkdir(dir, 0o777); err != nil {
				t.Fatal(err)
			}
			command(t, dir, "git", "init", "-q")
			before := ""
			if onInit {
				before = command(t, dir, kubebuilder, append(initArgs, "--plugins", "go.kubebuilder.io/v4,"+plugin)...)
			} else {
				command(t, dir, kubebuilder, initArgs...)
			}
			command(t, dir, kubebuilder, "create", "api", "--group", "apps", "--version", "v1", "--kind", "Widget", "--resource", "--controller", "--make=false")
			if !onInit {
				before = command(t, dir, kubebuilder, "edit", "--plugins", plugin)
			}
			for _, name := range []string{".github/workflows/schemagen.yml", ".pre-commit-config.yaml", "Makefile", "schemagen.yaml"} {
				if _, err := os.Stat(filepath.Join(dir, name)); err != nil || !strings.Contains(before, "schemagen: "+name+": written") {
					t.Errorf("%s: %v\n%s", name, err, before)
				}
			}
			if out := command(t, dir, kubebuilder, "edit", "--plugins", plugin); strings.Contains(out, "written") {
				t.Errorf("again:\n%s", out)
			}
			installAs(t, dir, schemagen, "latest") // the plugin of a development build does
			if out := command(t, dir, "make", "manifests", "generate"); strings.Contains(out, "Downloading") {
				t.Errorf("make printed\n%s", out)
			}
			command(t, dir, schemagen, "crd", "--check") // the settings are those of the Makefile
			data, err := os.ReadFile(filepath.Join(dir, "config/crd/bases/apps.example.com_widgets.yaml"))
			if err != nil || !strings.Contains(string(data), "controller-gen.kubebuilder.io/version: schemagen") {
				t.Errorf("got %s, %v", data, err)
			}
			if out := command(t, dir, kubebuilder, "edit", "--plugins", plugin, "--help"); !strings.Contains(out, "use schemagen in place of controller-gen") {
				t.Errorf("help is\n%s", out)
			}
		})
	}
}

// installAs puts schemagen where and under which name the Makefile installs a version: no release has it.
func installAs(t *testing.T, dir, schemagen, version string) {
	t.Helper()
	local := filepath.Join(dir, "bin")
	data, err := os.ReadFile(schemagen)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(local, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(local, "schemagen-"+version), data, 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(filepath.Join(local, "schemagen-"+version), filepath.Join(local, "schemagen")); err != nil {
		t.Fatal(err)
	}
}

// build builds a program of a module in a directory.
func build(t *testing.T, bin, module, version, program, name string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), []byte("module build\n\ngo 1.26\n\nrequire "+module+" "+version+"\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	command(t, dir, "go", "build", "-mod=mod", "-o", filepath.Join(bin, name), program)
}

// command runs a command, which must succeed, and returns its output.
func command(t *testing.T, dir, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "PWD="+dir, "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", filepath.Base(name), strings.Join(args, " "), err, out)
	}
	return string(out)
}
