package main

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	_ "embed"
	"encoding/json"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/snapshot"
	"github.com/schemagen/schemagen/internal/run/runcache"
)

// sandbox is a module with everything that a run may depend on.
//
//	go/         the Go toolchain: a command that does nothing, and VERSION
//	mod/        the module cache
//	home/
//	meta/       a substitute for apimachinery
//	work/       the module
//	out/        the output
type sandbox struct {
	t    *testing.T
	dir  string
	args []string
	// env has variables that differ from those of other projects.
	env map[string]string
	// from is the working directory, if it differs from the module's.
	from string
}

const metaPackage = "package v1\n\ntype TypeMeta struct{}\ntype ObjectMeta struct{}\n"

//go:embed testdata/sandbox.txtar
var sandboxText []byte

func projectFiles() map[string]string {
	out := map[string]string{
		"work/api/long.go":                 "package api\n\n" + strings.Repeat("var _ = 1\n", 1000) + "// end\n",
		"work/api/os_" + otherOS() + ".go": "package api\n\nfunc (Spec) MarshalJSON() ([]byte, error) { return nil, nil }\n",
	}
	for _, file := range txtar.Parse(sandboxText).Files {
		out[file.Name] = string(file.Data)
	}
	return out
}

func otherOS() string {
	if runtime.GOOS == "windows" {
		return "linux"
	}
	return "windows"
}

func newProject(t *testing.T) *sandbox { return newProjectIn(t, t.TempDir()) }

func newProjectIn(t *testing.T, dir string) *sandbox {
	p := &sandbox{t: t, dir: dir, args: []string{"crd", "./api/...", "-o", "../out"}}
	for name, text := range projectFiles() {
		p.write(name, text)
	}
	for _, command := range []string{"go/bin/go", "newer/bin/go"} {
		p.check(os.Chmod(p.at(command), 0o755))
	}
	// The output is beside the module, in the same repository.
	p.check(os.MkdirAll(p.at(".git"), 0o755))
	p.enter(t)
	return p
}

// enter makes the project the environment of a test.
func (p *sandbox) enter(t *testing.T) {
	p.t = t
	for _, name := range []string{"GOFLAGS", "GOENV", "GOROOT", "GOPATH", "GOWORK", "GOOS", "GOARCH", "CGO_ENABLED", "CC", "GO111MODULE", "GOEXPERIMENT", "GOPACKAGESDRIVER", "GODEBUG"} {
		t.Setenv(name, "")
		os.Unsetenv(name)
	}
	t.Setenv("PATH", p.at("go/bin"))
	t.Setenv("HOME", p.at("home"))
	t.Setenv("XDG_CONFIG_HOME", "")
	t.Setenv("GOMODCACHE", p.at("mod"))
	for name, value := range p.env {
		t.Setenv(name, value)
	}
	t.Chdir(p.at(cmp.Or(p.from, "work")))
}

func (p *sandbox) check(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

func (p *sandbox) at(name string) string { return filepath.Join(p.dir, filepath.FromSlash(name)) }

func (p *sandbox) write(name, text string) {
	p.t.Helper()
	p.check(os.MkdirAll(filepath.Dir(p.at(name)), 0o755))
	p.check(os.WriteFile(p.at(name), []byte(text), 0o644))
}

func (p *sandbox) replace(name, old, new string) {
	p.t.Helper()
	text, err := os.ReadFile(p.at(name))
	p.check(err)
	if !strings.Contains(string(text), old) {
		p.t.Fatalf("%s has no %q", name, old)
	}
	p.write(name, strings.ReplaceAll(string(text), old, new))
}

func (p *sandbox) remove(name string) {
	p.t.Helper()
	p.check(os.RemoveAll(p.at(name)))
}

// outcome is the observable result of a run.
type outcome struct {
	code           int
	stdout, stderr string
	files          map[string]string
}

func (p *sandbox) run(more ...string) outcome {
	var stdout, stderr strings.Builder
	code := run(p.t.Context(), slices.Concat(p.args, more), &stdout, &stderr)
	return p.outcome(code, stdout.String(), stderr.String())
}

// process is run in a process of its own, which can end early.
func (p *sandbox) process(more ...string) outcome {
	program, err := os.Executable()
	p.check(err)
	command := exec.Command(program, slices.Concat(p.args, more)...)
	command.Args[0] = "schemagen-main" // see TestMain
	var stdout, stderr strings.Builder
	command.Stdout, command.Stderr = &stdout, &stderr
	if err := command.Run(); command.ProcessState == nil {
		p.check(err)
	}
	return p.outcome(command.ProcessState.ExitCode(), stdout.String(), stderr.String())
}

// outcome returns the result of a run that has ended.
func (p *sandbox) outcome(code int, stdout, stderr string) outcome {
	out := outcome{code: code, stdout: stdout, stderr: stderr, files: map[string]string{}}
	_ = filepath.WalkDir(p.dir, func(name string, e fs.DirEntry, err error) error {
		if err == nil && e.Type().IsRegular() && !strings.HasPrefix(name, p.at("cache")) {
			text, err := os.ReadFile(name)
			p.check(err)
			out.files[name] = string(text)
		}
		return nil
	})
	return out
}

func (o outcome) equal(other outcome) bool {
	return o.code == other.code && o.stdout == other.stdout && o.stderr == other.stderr && maps.Equal(o.files, other.files)
}

// staleText is a definition that schemagen wrote for a kind that no longer exists.
func staleText(plural string) string {
	return "---\napiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  annotations:\n    controller-gen.kubebuilder.io/version: schemagen\n  name: " + plural +
		".example.com\nspec:\n  group: example.com\n  names:\n    kind: Stale\n    plural: " + plural + "\n"
}

// remembered is the message of a run that replays a poisoned cache entry.
const remembered = "reported by an earlier run"

// cacheHeader is the first line of each file in the cache.
const cacheHeader = "schemagen cache 1\n"

// cacheEntry returns a cache file with data: the header is followed by a checksum that
// includes the file's name.
func cacheEntry(name string, data []byte) []byte {
	sum := sha256.Sum256(append([]byte(filepath.Base(name)), data...))
	return slices.Concat([]byte(cacheHeader), sum[:], data)
}

// poison changes the messages of cached runs, so that a replay can be detected. It returns
// the number of cached runs.
func (p *sandbox) poison() int {
	n := 0
	p.check(os.MkdirAll(p.at("cache"), 0o755))
	p.check(filepath.WalkDir(p.at("cache"), func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		data, err := os.ReadFile(name)
		p.check(err)
		if !bytes.HasPrefix(data, []byte(cacheHeader)) {
			return nil
		}
		_, record, ok := bytes.Cut(data[len(cacheHeader)+sha256.Size:], []byte("\n"))
		if !ok || !bytes.HasPrefix(record, []byte("dir 0 ")) && !bytes.Contains(record, []byte("\nkind 0 ")) {
			return nil
		}
		n++
		verdict, err := json.Marshal(runcache.Verdict{Findings: diag.List{{Code: "SG000", Severity: diag.Warning, Message: remembered}}})
		p.check(err)
		p.check(os.WriteFile(name, cacheEntry(name, slices.Concat(verdict, []byte("\n"), record)), 0o644))
		return nil
	}))
	return n
}

// rememberedEnd is what a process prints that ends early, with the exit code for findings,
// because of a poisoned cache entry.
const rememberedEnd = "an earlier process said this\n"

// poisonEnds changes how processes end early, so that this can be detected. It returns the
// number of command lines for which they would.
func (p *sandbox) poisonEnds() int {
	n := 0
	p.check(filepath.WalkDir(p.at("cache"), func(name string, e fs.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(name)
		p.check(err)
		if end, ok := snapshot.Parse(name, string(text)); ok {
			n++
			end.Code, end.Stderr = reporting.ExitFindings, rememberedEnd
			p.check(os.WriteFile(name, []byte(end.Text(name)), 0o600))
		}
		return nil
	}))
	return n
}

// pastRunChanges returns all kinds of changes after which a run must not replay an
// earlier one.
func pastRunChanges() []pastRunChange {
	always := func(args ...string) func(p *sandbox) {
		return func(p *sandbox) { p.args = append(p.args, args...) }
	}
	env := func(name, value string) func(p *sandbox) {
		return func(p *sandbox) { p.t.Setenv(name, value) }
	}
	return []pastRunChange{
		// The source.
		{"a type", func(p *sandbox) { p.replace("work/api/types.go", "int32", "int64") }},
		{"a type, size and time kept", func(p *sandbox) {
			info, err := os.Stat(p.at("work/api/types.go"))
			p.check(err)
			p.replace("work/api/types.go", "int32", "int64")
			p.check(os.Chtimes(p.at("work/api/types.go"), info.ModTime(), info.ModTime()))
		}},
		{"a description", func(p *sandbox) { p.replace("work/api/extra.go", "is more", "is less") }},
		{"a marker", func(p *sandbox) { p.replace("work/api/types.go", "Maximun", "Maximum") }},
		{"the group", func(p *sandbox) { p.replace("work/api/doc.go", "example.com", "example.org") }},
		{"a syntax error", func(p *sandbox) { p.replace("work/api/doc.go", "package", "pakcage") }},
		{"an ignoring comment", func(p *sandbox) {
			p.replace("work/api/types.go", "package api", "// schemagen:ignore-file SG304 it is a joke\n// schemagen:ignore-file SG303 it is a joke\n\npackage api")
		}},
		{"another file", func(p *sandbox) {
			p.write("work/api/more.go", "package api\n\nfunc (Spec) MarshalJSON() ([]byte, error) { return nil, nil }\n")
		}},
		{"a file less", func(p *sandbox) { p.remove("work/api/extra.go") }},
		{"a file renamed", func(p *sandbox) { p.check(os.Rename(p.at("work/api/extra.go"), p.at("work/api/extra_test.go"))) }},
		{"a build constraint", func(p *sandbox) { p.replace("work/api/tagged.go", "//go:build tagged", "//go:build !tagged") }},
		{"a file that is not used", func(p *sandbox) { p.replace("work/api/newer.go", "go1.27", "go1.26") }},
		{"another package", func(p *sandbox) {
			p.write("work/api/more/doc.go", "// +groupName=example.net\npackage more\n\n// +kubebuilder:validation:Maximun=1\ntype A int\n")
		}},
		{"a package moved", func(p *sandbox) { p.check(os.Rename(p.at("work/api"), p.at("work/apis"))) }},
		{"the end of a long file", func(p *sandbox) {
			p.replace("work/api/long.go", "// end", "func (Spec) MarshalJSON() ([]byte, error) { return nil, nil }")
		}},
		{"a package that is a symlink", func(p *sandbox) {
			p.check(os.Rename(p.at("work/api"), p.at("api")))
			p.check(os.Symlink(p.at("api"), p.at("work/api")))
		}},
		{"a folder hidden", func(p *sandbox) { p.check(os.Rename(p.at("work/api"), p.at("work/_api"))) }},
		{"a nested module", func(p *sandbox) { p.write("work/api/go.mod", "module example.com/m/api\n\ngo 1.26\n") }},
		// Other inputs.
		{"a package beside", func(p *sandbox) { p.write("meta/pkg/apis/meta/v1/types.go", "package v1\n\ntype TypeMeta struct{}\n") }},
		{"a package of the module cache", func(p *sandbox) { p.replace("mod/example.com/lib@v1.0.0/l.go", "string", "int64") }},
		{"another file of a package of the module cache", func(p *sandbox) {
			p.write("mod/example.com/lib@v1.0.0/m.go", "package lib\n\nfunc (Size) MarshalJSON() ([]byte, error) { return nil, nil }\n")
		}},
		{"another version", func(p *sandbox) { p.replace("work/go.mod", "v1.0.0", "v1.1.0") }},
		{"a replacement", func(p *sandbox) {
			p.replace("work/go.mod", "=> ../meta", "=> ../meta\n\nreplace example.com/lib => ../mod/example.com/lib@v1.1.0")
		}},
		{"a vendor folder", func(p *sandbox) {
			p.write("work/vendor/modules.txt", "# example.com/lib v1.0.0\n")
			p.write("work/vendor/example.com/lib/l.go", "package lib\n\ntype Size bool\n")
			p.write("work/vendor/k8s.io/apimachinery/pkg/apis/meta/v1/t.go", metaPackage)
		}},
		{"a workspace", func(p *sandbox) {
			p.write("work/header.txt", "// Copyright\n")
			p.write("lib/go.mod", "module example.com/lib\n\ngo 1.26\n")
			p.write("lib/l.go", "package lib\n\ntype Size bool\n")
			p.write("go.work", "go 1.26\n\nuse (\n\t./work\n\t./lib\n)\n")
		}},
		{"the module's name", func(p *sandbox) { p.replace("work/go.mod", "example.com/m", "example.com/n") }},
		{"the module is gone", func(p *sandbox) { p.remove("work/go.mod") }},
		// The Go toolchain.
		{"the release of the toolchain", func(p *sandbox) { p.write("go/VERSION", "go1.27.0\n") }},
		{"another toolchain in PATH", func(p *sandbox) { p.t.Setenv("PATH", p.at("newer/bin")+string(os.PathListSeparator)+p.at("go/bin")) }},
		{"a driver in PATH", func(p *sandbox) {
			p.write("go/bin/gopackagesdriver", "")
			p.check(os.Chmod(p.at("go/bin/gopackagesdriver"), 0o755))
		}},
		{"a C compiler in PATH", func(p *sandbox) {
			for _, name := range []string{"gcc", "clang"} {
				p.write("go/bin/"+name, "")
				p.check(os.Chmod(p.at("go/bin/"+name), 0o755))
			}
		}},
		{"go env -w", func(p *sandbox) { p.write("home/.config/go/env", "GOOS="+otherOS()+"\n") }},
		{"another home", func(p *sandbox) {
			p.write("home2/.config/go/env", "GOOS="+otherOS()+"\n")
			p.t.Setenv("HOME", p.at("home2"))
		}},
		{"another folder for configuration", func(p *sandbox) {
			p.write("config/go/env", "GOOS="+otherOS()+"\n")
			p.t.Setenv("XDG_CONFIG_HOME", p.at("config"))
		}},
		{"GOROOT", func(p *sandbox) { p.t.Setenv("GOROOT", p.at("newer")) }},
		{"GOENV", env("GOENV", "off")},
		{"GOFLAGS", env("GOFLAGS", "-tags=tagged")},
		{"GOOS", env("GOOS", otherOS())},
		{"GOARCH", env("GOARCH", "riscv64")},
		{"CGO_ENABLED", env("CGO_ENABLED", "1")},
		{"CC", func(p *sandbox) {
			p.write("go/bin/mycc", "")
			p.check(os.Chmod(p.at("go/bin/mycc"), 0o755))
			p.t.Setenv("CC", "mycc")
		}},
		{"GOWORK", env("GOWORK", "off")},
		{"GO111MODULE", env("GO111MODULE", "auto")},
		{"GOMODCACHE", func(p *sandbox) { p.t.Setenv("GOMODCACHE", p.at("other")) }},
		{"GOEXPERIMENT", env("GOEXPERIMENT", "jsonv2")},
		{"a variable of the server's code", env("KUBE_FEATURE_Anything", "true")},
		// The project file.
		{"a project file", func(p *sandbox) { p.write("work/schemagen.yaml", "crd: {maxDescLen: 3}\n") }},
		{"a project file with a mistake", func(p *sandbox) { p.write("work/schemagen.yaml", "crds: {}\n") }},
		{"a folder named as one", func(p *sandbox) { p.check(os.Mkdir(p.at("work/schemagen.yaml"), 0o755)) }},
		{"--config", func(p *sandbox) {
			p.write("other.yaml", "strict: true\n")
			p.args = append(p.args, "--config", "../other.yaml")
		}},
		// The output.
		{"an output edited", func(p *sandbox) { p.replace("out/example.com_widgets.yaml", "plural: widgets", "plural: gadgets") }},
		{"an output removed", func(p *sandbox) { p.remove("out/example.com_widgets.yaml") }},
		{"all outputs removed", func(p *sandbox) { p.remove("out") }},
		{"a stale file", func(p *sandbox) {
			p.write("out/example.com_old.yaml", staleText("old"))
		}},
		{"a stale file that was none", func(p *sandbox) {
			p.write("out/example.com_none.yaml", staleText("none"))
		}},
		// The options.
		{"patterns", func(p *sandbox) { p.args[1] = "./api/../api" }},
		{"the output", always("-o", "elsewhere")},
		{"--set crd.headerFile", always("--set", "crd.headerFile=header.txt")},
		{"--set crd.year", always("--set", "crd.headerFile=header.txt", "--set", "crd.year=2026")},
		{"--kinds", always("--kinds", "Gadget")},
		{"--groups", always("--groups", "example.org")},
		{"--enable", always("--enable", "union-transition")},
		{"--unions", always("--unions", "cel")},
		{"--kube-version", always("--kube-version", "1.30")},
		{"--skip-verify", always("--skip-verify")},
		{"--set allow", always("--set", "allow=kubebuilder:validation:Maximun")},
		{"--set tags", always("--set", "tags=tagged")},
		{"--set lister", always("--set", "lister=go")},
		{"--set crd.maxDescLen", always("--set", "crd.maxDescLen=3")},
		{"--set crd.embeddedObjectMeta", always("--set", "crd.embeddedObjectMeta=true")},
		{"--set crd.allowDangerousTypes", always("--set", "crd.allowDangerousTypes=true")},
		{"--set crd.ignoreUnexportedFields", always("--set", "crd.ignoreUnexportedFields=true")},
		{"--set crd.preserveUnknownFields", always("--set", "crd.preserveUnknownFields=true")},
		{"--set crd.omitToolVersion", always("--set", "crd.omitToolVersion=true")},
		{"--strict", always("--strict")},
		{"--prune", always("--prune")},
		{"--set crd.kustomize", always("--set", "crd.kustomize=true")},
		{"--set outputs.helm", always("--set", "outputs.helm=../chart/crds")},
		{"the working directory", func(p *sandbox) {
			p.check(os.CopyFS(p.at("copy"), os.DirFS(p.at("work"))))
			p.t.Chdir(p.at("copy"))
		}},
		{"-o -", always("-o", "-")},
	}
}

type pastRunChange struct {
	name   string
	change func(p *sandbox)
}

// TestChangesAreSeen makes one change after another. The next run must not replay the
// earlier one, and must do the same as a run without a cache.
func TestChangesAreSeen(t *testing.T) {
	changesAreSeen(t, pastRunChanges(), func(p *sandbox) {
		p.write("out/example.com_none.yaml", "---\nkind: Something\n")
	}, func(p *sandbox, first outcome) bool {
		return first.code == 0 && strings.Contains(first.stderr, "SG303") && first.files[p.at("out/example.com_widgets.yaml")] != ""
	})
}

// TestReuseWithFlags checks that a run is reused whatever GOFLAGS contains that does not change which
// packages are found, or how is known. The go command of the project does nothing.
func TestReuseWithFlags(t *testing.T) {
	for _, flags := range []string{"-mod=mod", "-mod=readonly", "--mod=mod -trimpath", "-modcacherw", "-tags=tagged", "-buildvcs=false -p=1"} {
		t.Run(flags, func(t *testing.T) {
			p := newProject(t)
			t.Setenv("GOFLAGS", flags)
			p.args = append(p.args, "--set", "cacheDir="+p.at("cache"))
			if first := p.run(); first.code != 0 || first.files[p.at("out/example.com_widgets.yaml")] == "" {
				t.Fatalf("exit code %d: %s", first.code, first.stderr)
			}
			p.run()
			if n := p.poison(); n != 1 {
				t.Fatalf("%d runs were kept, want 1", n)
			}
			if again := p.run(); !strings.Contains(again.stderr, remembered) {
				t.Errorf("the run was not reused: %s", again.stderr)
			}
		})
	}
}

// TestChangesOfInstallManifestsAreSeen does so for the files for installing CRDs.
func TestChangesOfInstallManifestsAreSeen(t *testing.T) {
	changes := []pastRunChange{
		{"the kustomization edited", func(p *sandbox) { p.replace("out/kustomization.yaml", "example.com_widgets", "example.com_gadgets") }},
		{"the kustomization removed", func(p *sandbox) { p.remove("out/kustomization.yaml") }},
		{"another kustomization", func(p *sandbox) { p.write("out/Kustomization", "resources: []\n") }},
		{"another CRD", func(p *sandbox) { p.write("out/more.yaml", "---\nkind: CustomResourceDefinition\n") }},
		{"a file that becomes a CRD", func(p *sandbox) { p.write("out/other.yaml", "---\nkind: CustomResourceDefinition\n") }},
		{"a template edited", func(p *sandbox) {
			p.replace("chart/templates/crds/example.com_widgets.yaml", "plural: widgets", "plural: gadgets")
		}},
		{"a template removed", func(p *sandbox) { p.remove("chart/templates/crds") }},
		{"the values", func(p *sandbox) { p.replace("chart/values.yaml", "keep: true", "keep: 1") }},
		{"the values removed", func(p *sandbox) { p.remove("chart/values.yaml") }},
		{"a stale template", func(p *sandbox) {
			p.write("chart/templates/crds/example.com_old.yaml", staleText("old"))
		}},
		{"another chart", func(p *sandbox) { p.args = append(p.args, "--set", "outputs.helm=../other/crds") }},
		{"no kustomization", func(p *sandbox) { p.args = append(p.args, "--set", "crd.kustomize=false") }},
	}
	changesAreSeen(t, changes, func(p *sandbox) {
		p.write("chart/values.yaml", "crds:\n  install: true\n  keep: true\n")
		p.write("out/other.yaml", "---\nkind: Something\n")
		p.args = append(p.args, "--set", "crd.kustomize=true", "--set", "outputs.helm=../chart/templates/crds")
	}, func(p *sandbox, first outcome) bool {
		return first.code == 0 && first.files[p.at("out/kustomization.yaml")] != "" && first.files[p.at("chart/templates/crds/example.com_widgets.yaml")] != ""
	})
}

// TestChangesOfConversionAreSeen does so for the inputs that show that a webhook converts
// a kind.
func TestChangesOfConversionAreSeen(t *testing.T) {
	const patch = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata:\n  name: widgets.example.com\nspec:\n  conversion:\n    strategy: Webhook\n"
	changes := []pastRunChange{
		{"a kustomization that patches", func(p *sandbox) { p.write("kustomization.yaml", "patches:\n- path: patches/webhook.yaml\n") }},
		{"a kustomization in the output", func(p *sandbox) { p.write("out/Kustomization", "patchesStrategicMerge: [../patches/webhook.yaml]\n") }},
		{"a kustomization in default", func(p *sandbox) { p.write("default/kustomization.yml", "patches: [{path: ../patches/webhook.yaml}]\n") }},
		{"a component", func(p *sandbox) { p.write("part/kustomization.yaml", "patches: [{path: ../patches/webhook.yaml}]\n") }},
		{"the patch that was missing", func(p *sandbox) { p.write("patches/missing.yaml", patch) }},
		{"the patch that did something else", func(p *sandbox) { p.write("patches/other.yaml", patch) }},
		{"a method", func(p *sandbox) {
			p.write("work/api/v2/more.go", "package v2\n\nfunc (*Widget) ConvertTo(any) error { return nil }\n")
		}},
	}
	changesAreSeen(t, changes, func(p *sandbox) {
		p.write("work/api/v2/types.go", "// +groupName=example.com\npackage v2\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n")
		p.write("out/kustomization.yaml", "patches: [{path: ../patches/missing.yaml}, {path: ../patches/other.yaml}]\ncomponents: [../part]\n")
		p.write("patches/webhook.yaml", patch)
		p.write("patches/other.yaml", "kind: CustomResourceDefinition\nmetadata: {name: widgets.example.com, labels: {a: b}}\n")
	}, func(p *sandbox, first outcome) bool {
		return first.code == 0 && strings.Contains(first.stderr, "SG930")
	})
}

// changesAreSeen does so with projects whose files have just been written, so that their
// content is compared, and with files old enough to have stamps.
func changesAreSeen(t *testing.T, changes []pastRunChange, prepare func(p *sandbox), good func(p *sandbox, first outcome) bool) {
	runAndRepeat := func(p *sandbox) {
		prepare(p)
		p.args = append(p.args, "--set", "cacheDir="+p.at("cache"))
		first := p.run()
		if !good(p, first) {
			p.t.Fatalf("exit code %d: %s", first.code, first.stderr)
		}
		// Run again, because the first run created a file in a directory that it had read.
		if second := p.run(); second.stderr != first.stderr {
			p.t.Fatalf("the second run: %+v", second)
		}
	}
	change := func(p *sandbox, c pastRunChange) {
		if p.poison() != 1 {
			p.t.Fatal("no run was kept")
		}
		if same := p.run(); !strings.Contains(same.stderr, remembered) {
			p.t.Fatalf("an unchanged run was not answered from the cache: %s", same.stderr)
		}
		c.change(p)
		got := p.run()
		if strings.Contains(got.stderr, remembered) {
			p.t.Error("the change was not noticed")
		}
		if want := p.run("--no-cache"); !got.equal(want) {
			p.t.Errorf("got\n%s\nwant, as without a cache,\n%s", got.stderr, want.stderr)
		}
	}
	// The same for processes, which end early.
	changeEarly := func(p *sandbox, c pastRunChange) {
		p.poison()
		p.poisonEnds()
		if same := p.process(); same.code != reporting.ExitFindings || same.stdout != "" || same.stderr != rememberedEnd {
			p.t.Fatalf("a process after no change did not end early: %s", same.stderr)
		}
		c.change(p)
		got := p.process()
		if strings.Contains(got.stderr, rememberedEnd) || strings.Contains(got.stderr, remembered) {
			p.t.Error("the change was not seen")
		}
		if want := p.run("--no-cache"); !got.equal(want) {
			p.t.Errorf("the run says\n%s\nand a run that knows nothing\n%s", got.stderr, want.stderr)
		}
	}
	settled, early := map[string]*sandbox{}, map[string]*sandbox{}
	for _, c := range changes {
		dir, dir2 := t.TempDir(), t.TempDir()
		t.Run("new/"+c.name, func(t *testing.T) {
			p := newProject(t)
			runAndRepeat(p)
			change(p, c)
		})
		t.Run("prepare/"+c.name, func(t *testing.T) {
			p := newProjectIn(t, dir)
			runAndRepeat(p)
			settled[c.name] = p
			p = newProjectIn(t, dir2)
			runAndRepeat(p)
			early[c.name] = p
		})
	}
	time.Sleep(2100 * time.Millisecond)
	for _, c := range changes {
		t.Run("settled/"+c.name, func(t *testing.T) {
			p := settled[c.name]
			if p == nil {
				t.Fatal("preparation failed")
			}
			p.enter(t)
			p.run() // renews the stamps
			change(p, c)
		})
		t.Run("early/"+c.name, func(t *testing.T) {
			p := early[c.name]
			if p == nil {
				t.Fatal("it could not be prepared")
			}
			p.enter(t)
			p.process() // renews the stamps
			changeEarly(p, c)
		})
	}
}

// TestChangesOfConfigAreSeen is TestChangesAreSeen for runs below a project file, in a
// directory of the module that could have its own.
func TestChangesOfConfigAreSeen(t *testing.T) {
	changesAreSeen(t, []pastRunChange{
		{"an option", func(p *sandbox) { p.replace("work/schemagen.yaml", "year: '1'", "year: '2'") }},
		{"a severity", func(p *sandbox) { p.replace("work/schemagen.yaml", "SG303: note", "SG303: error") }},
		{"a waiver", func(p *sandbox) {
			p.replace("work/schemagen.yaml", "path: other", "path: api/types.go")
		}},
		{"an option of a package", func(p *sandbox) {
			p.replace("work/schemagen.yaml", "packages: []", "packages: [{path: ./api, maxDescLen: 3}]")
		}},
		{"a type of another module", func(p *sandbox) {
			p.replace("work/schemagen.yaml", "types: {}", "types: {example.com/lib.Size: ['+kubebuilder:validation:MaxLength=3']}")
		}},
		{"its paths", func(p *sandbox) { p.replace("work/schemagen.yaml", "./api/...", "./...") }},
		{"a mistake", func(p *sandbox) { p.replace("work/schemagen.yaml", "year", "yaer") }},
		{"it is gone", func(p *sandbox) { p.remove("work/schemagen.yaml") }},
		{"it is elsewhere", func(p *sandbox) { p.check(os.Rename(p.at("work/schemagen.yaml"), p.at("schemagen.yaml"))) }},
		{"another one nearer by", func(p *sandbox) { p.write("work/api/schemagen.yaml", "paths: [.]\noutputs: {crd: ../../out}\n") }},
		{"a module nearer by", func(p *sandbox) { p.write("work/api/go.mod", "module example.com/m/api\n\ngo 1.26\n") }},
		{"its header", func(p *sandbox) { p.replace("work/header.txt", "Copyright", "Copyleft") }},
		{"--no-config", func(p *sandbox) { p.args = append(p.args, "--no-config") }},
		{"a flag that says otherwise", func(p *sandbox) { p.args = append(p.args, "--set", "crd.year=3") }},
	}, func(p *sandbox) {
		p.write("work/schemagen.yaml", "paths: [./api/...]\noutputs: {crd: ../out}\ncrd: {headerFile: header.txt, year: '1'}\nseverities: {SG303: note}\npackages: []\ntypes: {}\nwaivers:\n- {code: SG303, path: other, reason: none}\n")
		p.args = []string{"crd"}
		p.from = "work/api"
		p.enter(p.t)
	}, func(p *sandbox, first outcome) bool {
		return first.code == 0 && strings.Contains(first.stderr, "note[SG303]") && strings.Contains(first.stderr, "SG508") && first.files[p.at("out/example.com_widgets.yaml")] != ""
	})
}

// TestStdoutAndModes checks that output that is not written is printed each time.
func TestStdoutAndModes(t *testing.T) {
	p := newProject(t)
	cached := []string{"--set", "cacheDir=" + p.at("cache")}
	first := p.run(append(cached, "-o", "-")...)
	if again := p.run(append(cached, "-o", "-")...); !again.equal(first) || !strings.Contains(again.stdout, "plural: widgets") {
		t.Errorf("the second time: %s", again.stdout)
	}
	for _, mode := range []string{"--diff", "--check"} {
		first := p.run(append(cached, mode)...)
		if again := p.run(append(cached, mode)...); !again.equal(first) || !strings.Contains(again.stdout, "+    plural: widgets") {
			t.Errorf("%s the second time: %s", mode, again.stdout)
		}
	}
	p.run(cached...)
	time.Sleep(2100 * time.Millisecond) // from now on files have stamps
	p.replace("work/api/extra.go", "is more", "is less")
	for _, mode := range []string{"--diff", "--check"} {
		if out := p.run(append(cached, mode)...); !strings.Contains(out.stdout, "is less") {
			t.Errorf("%s after a change: %s", mode, out.stdout)
		}
	}
	if out := p.run(cached...); !strings.Contains(out.files[p.at("out/example.com_widgets.yaml")], "is less") {
		t.Error("files that were only printed count as written")
	}
	if out := p.run(append(cached, "--check")...); out.code != 0 || out.stdout != "" {
		t.Errorf("--check after a run: %d, %s", out.code, out.stdout)
	}
}

// TestErrorsAreRepeated checks that a run with errors reports them again, and writes once
// they are fixed.
func TestErrorsAreRepeated(t *testing.T) {
	p := newProject(t)
	p.replace("work/api/types.go", "Extra Extra", "Extra Missing")
	cached := []string{"--set", "cacheDir=" + p.at("cache")}
	first := p.run(cached...)
	if first.code != reporting.ExitFindings || p.poison() != 1 {
		t.Fatalf("exit code %d", first.code)
	}
	if again := p.run(cached...); !strings.Contains(again.stderr, remembered) {
		t.Error(again.stderr)
	}
	p.replace("work/api/types.go", "Extra Missing", "Extra Extra")
	if fixed := p.run(cached...); fixed.code != 0 || fixed.files[p.at("out/example.com_widgets.yaml")] == "" {
		t.Error(fixed.stderr)
	}
}

// TestWhatWasNotPrintedIsNotRemembered checks that a run whose warnings could not be
// printed, and which therefore wrote nothing, is not cached.
func TestWhatWasNotPrintedIsNotRemembered(t *testing.T) {
	p := newProject(t)
	cached := slices.Concat(p.args, []string{"--set", "cacheDir=" + p.at("cache")})
	closed, stderr := io.Pipe()
	p.check(closed.Close())
	if code := run(t.Context(), cached, io.Discard, stderr); code != reporting.ExitFailure {
		t.Fatalf("exit code %d", code)
	}
	if p.poison() != 0 {
		t.Error("the run was kept")
	}
	if out := p.run("--set", "cacheDir="+p.at("cache")); out.code != 0 || out.files[p.at("out/example.com_widgets.yaml")] == "" {
		t.Errorf("exit code %d: %s", out.code, out.stderr)
	}
	// A replayed run must print, too.
	if code := run(t.Context(), cached, io.Discard, stderr); code != reporting.ExitFailure {
		t.Errorf("exit code %d", code)
	}
}

// TestFilesOfWaiversAreSeen checks that a run that failed because no file matches a waiver
// is not replayed once a file does.
func TestFilesOfWaiversAreSeen(t *testing.T) {
	p := newProject(t)
	p.replace("work/api/types.go", "Maximun", "Maximum")
	p.write("work/schemagen.yaml", "strict: true\npaths: [./api/...]\noutputs: {crd: ../out}\nwaivers: [{code: SG303, path: docs/legacy/**, reason: legacy}]\n")
	p.check(os.MkdirAll(p.at("work/docs/legacy"), 0o755))
	p.args = []string{"crd"}
	cached := []string{"--set", "cacheDir=" + p.at("cache")}
	if out := p.run(cached...); out.code != reporting.ExitFindings || !strings.Contains(out.stderr, "SG508") || p.poison() != 1 {
		t.Fatalf("exit code %d: %s", out.code, out.stderr)
	}
	if again := p.run(cached...); !strings.Contains(again.stderr, remembered) {
		t.Error(again.stderr)
	}
	p.write("work/docs/legacy/readme.txt", "hi")
	if out := p.run(cached...); out.code != 0 || out.stderr != "" || out.files[p.at("out/example.com_widgets.yaml")] == "" {
		t.Errorf("exit code %d: %s", out.code, out.stderr)
	}
}

// TestNamesThatAreNoText checks that modules in directories whose names differ in a byte
// that is not UTF-8 have separate cache entries.
func TestNamesThatAreNoText(t *testing.T) {
	p := newProject(t)
	cached := []string{"--set", "cacheDir=" + p.at("cache")}
	for _, name := range []string{"x\xe9", "x\xe8"} {
		if err := os.CopyFS(p.at(name), os.DirFS(p.at("work"))); err != nil {
			t.Skip(err) // the file system does not allow such names
		}
	}
	t.Chdir(p.at("x\xe9"))
	first := p.run(cached...)
	if again := p.run(cached...); again.stderr != first.stderr {
		t.Errorf("got\n%q\nand then\n%q", first.stderr, again.stderr)
	}
	p.replace("x\xe8/api/types.go", "int32", "int64")
	t.Chdir(p.at("x\xe8"))
	if out := p.run(cached...); !strings.Contains(out.files[p.at("out/example.com_widgets.yaml")], "int64") {
		t.Errorf("exit code %d: %s", out.code, out.stderr)
	}
}

// TestGoCommandIsNotRemembered checks that a run whose listing used the go command is not
// cached.
func TestGoCommandIsNotRemembered(t *testing.T) {
	path, home := os.Getenv("PATH"), os.Getenv("HOME")
	p := newProject(t)
	t.Setenv("PATH", path)
	t.Setenv("HOME", home)
	p.write("work/go.mod", "module example.com/m\n\ngo 1.26\n")
	p.write("work/api/types.go", "package api\n")
	if out := p.run("--set", "lister=go", "--set", "cacheDir="+p.at("cache")); !strings.Contains(out.stderr, "no kind found") {
		t.Fatal(out.stderr)
	}
	if p.poison() != 0 {
		t.Error("the run was kept")
	}
}

// TestBrokenCache checks that runs work without cache files that cannot be read or written.
func TestBrokenCache(t *testing.T) {
	entries := func(p *sandbox, do func(name string, data []byte)) func() {
		return func() {
			found := 0
			p.check(filepath.WalkDir(p.at("cache"), func(name string, e fs.DirEntry, err error) error {
				if err == nil && !e.IsDir() {
					data, err := os.ReadFile(name)
					p.check(err)
					do(name, data)
					found++
				}
				return err
			}))
			if found == 0 {
				p.t.Error("the cache is empty")
			}
		}
	}
	for name, breaking := range map[string]func(p *sandbox) func(){
		"cut off": func(p *sandbox) func() {
			return entries(p, func(name string, data []byte) { p.check(os.WriteFile(name, data[:len(data)/2], 0o644)) })
		},
		"emptied": func(p *sandbox) func() {
			return entries(p, func(name string, _ []byte) { p.check(os.WriteFile(name, nil, 0o644)) })
		},
		"a bit flipped": func(p *sandbox) func() {
			return entries(p, func(name string, data []byte) {
				if len(data) > 0 {
					data[len(data)/2] ^= 1
				}
				p.check(os.WriteFile(name, data, 0o644))
			})
		},
		"of another format": func(p *sandbox) func() {
			return entries(p, func(name string, _ []byte) {
				p.check(os.WriteFile(name, cacheEntry(name, []byte("{}\nfile x y z\n")), 0o644))
			})
		},
		"without a record": func(p *sandbox) func() {
			return entries(p, func(name string, _ []byte) {
				p.check(os.WriteFile(name, cacheEntry(name, []byte("{}\n")), 0o644))
			})
		},
		"files where folders were": func(p *sandbox) func() {
			return func() {
				folders, err := os.ReadDir(p.at("cache/schemagen-cache"))
				p.check(err)
				if len(folders) == 0 {
					p.t.Error("the cache is empty")
				}
				for _, f := range folders {
					p.remove("cache/schemagen-cache" + "/" + f.Name())
					p.write("cache/schemagen-cache"+"/"+f.Name(), "")
				}
			}
		},
		"a file itself": func(p *sandbox) func() {
			return func() {
				p.remove("cache")
				p.write("cache", "")
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			cached := []string{"--set", "cacheDir=" + p.at("cache")}
			first := p.run(cached...)
			breaking(p)()
			p.replace("work/api/types.go", "Maximun=3", "Maximun=4")
			if got, want := p.run(cached...), p.run("--no-cache"); !got.equal(want) {
				t.Errorf("got %+v, want %+v", got, want)
			}
			breaking(p)()
			p.replace("work/api/types.go", "Maximun=4", "Maximun=3")
			if got := p.run(cached...); got.stderr != first.stderr || got.code != first.code {
				t.Errorf("got %+v, want %+v", got, first)
			}
		})
	}
}

// TestTwoRunsAtOnce runs many at once with one cache while a type changes. Each must
// write the same as a run without a cache.
func TestTwoRunsAtOnce(t *testing.T) {
	p := newProject(t)
	for i := range 4 {
		var group sync.WaitGroup
		p.replace("work/api/extra.go", "is more", "is more and more")
		for range 4 {
			group.Go(func() {
				var stdout, stderr strings.Builder
				if code := run(t.Context(), append(slices.Clone(p.args), "--set", "cacheDir="+p.at("cache")), &stdout, &stderr); code != 0 {
					t.Errorf("exit code %d: %s", code, stderr.String())
				}
			})
		}
		group.Wait()
		if out := p.run("--check", "--no-cache"); out.code != 0 {
			t.Errorf("round %d: %s", i, out.stdout)
		}
	}
}

func merged(a, b map[string]string) map[string]string {
	out := maps.Clone(a)
	maps.Copy(out, b)
	return out
}

// TestChangesWithCompanionsAreSeen is TestChangesAreSeen for the generators of
// controller-tools, whose loader is the go command.
func TestChangesWithCompanionsAreSeen(t *testing.T) {
	path, home, modules := os.Getenv("PATH"), os.Getenv("HOME"), goEnv(t, "GOMODCACHE")
	changes := []pastRunChange{
		{"a marker", func(p *sandbox) { p.replace("work/api/roles.go", "verbs=get", "verbs=list") }},
		{"a type", func(p *sandbox) { p.replace("work/api/types.go", "int32", "*int32") }},
		{"a type that is imported", func(p *sandbox) { p.replace("work/base/base.go", "type Size int", "type Size []int") }},
		{"a type imported by what is imported", func(p *sandbox) { p.replace("lib/lib.go", "type Unit int", "type Unit []int") }},
		{"another file", func(p *sandbox) { p.write("work/api/more.go", "package api\n\ntype More struct{ A []string }\n") }},
		{"the header", func(p *sandbox) { p.replace("work/header.txt", "Copyright", "Copyleft") }},
		{"an output edited", func(p *sandbox) { p.replace("work/config/rbac/role.yaml", "get", "watch") }},
		{"generated code removed", func(p *sandbox) { p.remove("work/api/zz_generated.deepcopy.go") }},
		{"an option of a generator", func(p *sandbox) { p.args[1] = "rbac:roleName=another" }},
		{"a generator less", func(p *sandbox) { p.args = slices.Delete(p.args, 1, 2) }},
		{"an output rule", func(p *sandbox) { p.args = append(p.args, "output:rbac:dir=roles") }},
		{"crd, too", func(p *sandbox) { p.args = append(p.args, "crd") }},
		{"a field of a kind", func(p *sandbox) { p.replace("work/kinds/kinds.go", "Size string", "Size *string") }},
		{"apply configurations removed", func(p *sandbox) { p.remove("work/kinds/applyconfiguration/utils.go") }},
	}
	changesAreSeen(t, changes, func(p *sandbox) {
		p.env = map[string]string{"PATH": path, "HOME": home, "GOMODCACHE": modules, "GOPROXY": "off"}
		p.enter(p.t)
		p.write("work/header.txt", "// Copyright\n")
		p.write("lib/go.mod", "module example.com/lib\n\ngo 1.26\n")
		p.write("lib/lib.go", "package lib\n\ntype Unit int\n")
		p.write("work/go.mod", "module example.com/m\n\ngo 1.26\n\nrequire (\n\texample.com/lib v0.0.0\n\tk8s.io/apimachinery v0.0.0\n)\n\n"+
			"replace example.com/lib => ../lib\n\nreplace k8s.io/apimachinery => ../meta\n")
		p.write("work/kinds/kinds.go", "// +groupName=example.com\n// +kubebuilder:ac:generate=true\npackage kinds\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n"+
			"// +kubebuilder:resource\ntype Kind struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata\"`\n\tSize string `json:\"size\"`\n}\n\nvar SchemeGroupVersion = 1\n")
		p.write("work/base/base.go", "package base\n\nimport \"example.com/lib\"\n\ntype Size int\n\ntype Unit = lib.Unit\n\ntype Both struct{ Unit lib.Unit }\n")
		p.write("work/api/doc.go", "// +kubebuilder:object:generate=true\npackage api\n")
		p.write("work/api/roles.go", "package api\n\n// +kubebuilder:rbac:groups=a,resources=b,verbs=get\n\ntype Roles struct{}\n")
		p.write("work/api/types.go", "package api\n\nimport \"example.com/m/base\"\n\ntype A struct {\n\tN int32\n\tS base.Size\n\tU base.Unit\n}\n")
		p.args = []string{"object:headerFile=header.txt", "rbac:roleName=r", "applyconfiguration", "paths=./api/...", "paths=./kinds"}
	}, func(_ *sandbox, first outcome) bool { return first.code == 0 && first.stderr == "" })
}

// TestChangesAreSeenBySchemapatch is TestChangesAreSeen for the additional inputs of
// schemapatch.
func TestChangesAreSeenBySchemapatch(t *testing.T) {
	const definition = "apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: widgets.example.com}\nspec:\n" +
		"  group: example.com\n  names: {kind: Widget, plural: widgets}\n  scope: Namespaced\n  versions:\n  - {name: api, served: true, storage: true}\n"
	changes := []pastRunChange{
		{"a type", func(p *sandbox) { p.replace("work/api/types.go", "Count int32", "Count int64") }},
		{"a definition", func(p *sandbox) { p.replace("work/manifests/widgets.yaml", "Namespaced", "Cluster") }},
		{"another definition", func(p *sandbox) { p.write("work/manifests/more.yaml", definition) }},
		{"a definition less", func(p *sandbox) { p.remove("work/manifests/widgets.yaml") }},
		{"another directory", func(p *sandbox) { p.args[0] = "schemapatch:manifests=." }},
		{"an option", func(p *sandbox) { p.args[0] += ",maxDescLen=0" }},
		{"an output rule", func(p *sandbox) { p.args = append(p.args, "output:schemapatch:dir=patched") }},
		{"an output edited", func(p *sandbox) { p.replace("out/widgets.yaml", "Namespaced", "Cluster") }},
		{"crd, too", func(p *sandbox) { p.args = append(p.args, "crd") }},
	}
	changesAreSeen(t, changes, func(p *sandbox) {
		p.replace("work/api/types.go", "Count int32", "// Count is a number.\n\tCount int32")
		p.write("work/manifests/widgets.yaml", definition)
		p.args = []string{"schemapatch:manifests=manifests", "paths=./api/...", "output:dir=../out"}
	}, func(_ *sandbox, first outcome) bool { return first.code == 0 })
}
