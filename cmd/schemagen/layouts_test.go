package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// moduleLayout is a tree of modules with API types, and the environment in which they are listed.
type moduleLayout struct {
	name string
	// files is a txtar archive, in which a line "MODULE path name" is a module: see expand.
	files string
	// dir is the working directory, relative to the root of the tree.
	dir string
	env []string
}

// moduleLayouts are the layouts of [TestModuleLayouts]. TREE is the root of the tree.
func moduleLayouts() []moduleLayout {
	const vendored = "-- vendor/modules.txt --\n# k8s.io/apimachinery v0.1.0 => ../stub\n## explicit; go 1.22\nk8s.io/apimachinery/pkg/apis/meta/v1\n# k8s.io/apimachinery => ../stub\n" +
		"-- vendor/k8s.io/apimachinery/pkg/apis/meta/v1/types.go --\n" + stubTypes
	modules := "MODULE a\nMODULE b\n"
	work := "-- go.work --\ngo 1.22\n\nuse (\n\t./a\n\t./b\n)\n"
	partial := "-- go.work --\ngo 1.22\n\nuse ./a\n"
	rootWork := "-- go.work --\ngo 1.22\n\nuse (\n\t.\n\t./a\n\t./b\n)\n"
	return []moduleLayout{
		{name: "workspace", files: modules + work},
		{name: "workspace, GOWORK=off", files: modules + work, env: []string{"GOWORK=off"}},
		{name: "workspace elsewhere", files: modules + strings.ReplaceAll(strings.Replace(work, "go.work", "elsewhere/go.work", 1), "./", "../"), env: []string{"GOWORK=TREE/elsewhere/go.work"}},
		{name: "workspace with a directory that has no module", files: strings.ReplaceAll(modules, "MODULE ", "MODULE sub/") + strings.ReplaceAll(work, "./", "./sub/"), dir: "sub"},
		{name: "workspace without b", files: modules + partial},
		{name: "workspace with a module in its root", files: "MODULE .\n" + modules + rootWork},
		{name: "workspace with a module in its root, GOWORK=off", files: "MODULE .\n" + modules + rootWork, env: []string{"GOWORK=off"}},
		{name: "workspace with a package outside of modules", files: modules + work + "-- loose/api/loose.go --\npackage api\n"},
		{name: "workspace with -mod=mod", files: modules + work, env: []string{"GOFLAGS=-mod=mod"}},
		{name: "workspace with -mod=readonly", files: modules + work, env: []string{"GOFLAGS=-mod=readonly"}},
		{name: "nested modules", files: "MODULE .\n" + modules},
		{name: "nested modules with -mod=mod", files: "MODULE .\n" + modules, env: []string{"GOFLAGS=-mod=mod"}},
		{name: "build tags in GOFLAGS", files: "MODULE a\n-- a/api/v1/tagged.go --\n//go:build tagged\n\npackage v1\n\n// +kubebuilder:rbac:groups=apps,resources=tagged,verbs=get\n", env: []string{"GOFLAGS=-tags=tagged"}},
		{name: "modules side by side", files: modules},
		{name: "vendor", files: "MODULE .\nMODULE a\n" + vendored},
		{name: "vendor with -mod=mod", files: "MODULE .\nMODULE a\n" + vendored, env: []string{"GOFLAGS=-mod=mod"}},
		{name: "vendor with -mod=readonly", files: "MODULE .\nMODULE a\n" + vendored, env: []string{"GOFLAGS=-mod=readonly"}},
		{name: "vendor with -mod=vendor", files: "MODULE .\nMODULE a\n" + vendored, env: []string{"GOFLAGS=-mod=vendor"}},
	}
}

// stubTypes are the types that make a struct a kind.
const stubTypes = `package v1

type TypeMeta struct {
	Kind       string ` + "`json:\"kind,omitempty\"`" + `
	APIVersion string ` + "`json:\"apiVersion,omitempty\"`" + `
}

type ObjectMeta struct {
	Name string ` + "`json:\"name,omitempty\"`" + `
}

func (in *ObjectMeta) DeepCopyInto(out *ObjectMeta) { *out = *in }
`

// layoutAPI is a package with markers of all generators.
const layoutAPI = `// +groupName=NAME.example.com
// +kubebuilder:object:generate=true
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:rbac:groups=apps,resources=NAME,verbs=get

// +kubebuilder:webhook:path=/NAME,mutating=true,failurePolicy=fail,groups=apps,resources=NAME,verbs=create,versions=v1,name=NAME.example.com,sideEffects=None,admissionReviewVersions=v1

type NAMEKind struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `
	Spec              Spec ` + "`json:\"spec,omitempty\"`" + `
}

type Spec struct {
	Sizes map[string]int32 ` + "`json:\"sizes,omitempty\"`" + `
}
`

// write writes the files of a layout below root. Each module has a package api/v1 and requires a
// stub of apimachinery, which is outside of the tree that a wildcard in root walks.
func (l moduleLayout) write(t *testing.T, root string) {
	t.Helper()
	var text strings.Builder
	for line := range strings.Lines(l.files) {
		dir, ok := strings.CutPrefix(strings.TrimSpace(line), "MODULE ")
		if !ok {
			text.WriteString(line)
			continue
		}
		name := filepath.Base(filepath.Join("/root", dir))
		stub, err := filepath.Rel(filepath.Join("tree", dir), "stub")
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "-- %s/go.mod --\nmodule example.com/%s\n\ngo 1.22\n\nrequire k8s.io/apimachinery v0.1.0\n\nreplace k8s.io/apimachinery => %s\n", dir, name, filepath.ToSlash(stub))
		fmt.Fprintf(&text, "-- %s/api/v1/types.go --\n%s", dir, strings.ReplaceAll(layoutAPI, "NAME", name))
	}
	archive := txtar.Parse([]byte(text.String()))
	for i, f := range archive.Files {
		archive.Files[i].Name = "tree/" + f.Name
	}
	archive.Files = append(archive.Files,
		txtar.File{Name: "stub/go.mod", Data: []byte("module k8s.io/apimachinery\n\ngo 1.22\n")},
		txtar.File{Name: "stub/pkg/apis/meta/v1/types.go", Data: []byte(stubTypes)})
	for _, f := range archive.Files {
		name := filepath.Join(root, f.Name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// layoutPatterns are the patterns of [TestModuleLayouts], separated by blanks. WORK is the working
// directory.
func layoutPatterns() []string {
	return []string{"./...", ".", "./a/...", "./b/...", "./a/api/...", "./a/api/v1", "./a/... ./b/...", "WORK/...", "WORK/a/api/...", "example.com/root/...", "example.com/a/...", "example.com/a/api/v1"}
}

// TestModuleLayouts runs the generators on every pattern in every layout of modules, with
// controller-gen's code and with ours, in its syntax and in our own. Where ours succeeds, its files
// are those of controller-gen, which fails for a wildcard in a directory without a module although
// it writes the files; where ours fails, controller-gen fails, too, or writes nothing. The golden
// file has the outcomes.
//
// Left out of make generate: it runs commands for half a minute.
func TestModuleLayouts(t *testing.T) {
	patterns := layoutPatterns()
	layouts := moduleLayouts()
	outcomes := make([][]string, len(layouts))
	t.Run("group", func(t *testing.T) {
		for i, layout := range layouts {
			outcomes[i] = make([]string, len(patterns))
			t.Run(strings.NewReplacer(", ", " ", "=", " ").Replace(layout.name), func(t *testing.T) {
				t.Parallel()
				root, err := filepath.EvalSymlinks(t.TempDir())
				if err != nil {
					t.Fatal(err)
				}
				layout.write(t, root)
				for j, pattern := range patterns {
					outcomes[i][j] = layout.run(t, root, pattern)
				}
			})
		}
	})
	var text strings.Builder
	for i, layout := range layouts {
		fmt.Fprintf(&text, "%s\n", layout.name)
		for j, pattern := range patterns {
			fmt.Fprintf(&text, "\t%-22s %s\n", pattern, outcomes[i][j])
		}
	}
	golden := filepath.Join("testdata", "layouts.txt")
	if *update {
		if err := os.WriteFile(golden, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got := text.String(); got != string(want) {
		t.Errorf("outcomes differ from %s:\n%s", golden, got)
	}
}

// run runs the generators in a layout with a pattern, compares the files, and returns the outcome:
// the number of files, or the errors.
func (l moduleLayout) run(t *testing.T, root, pattern string) string {
	t.Helper()
	tree := filepath.Join(root, "tree")
	dir := filepath.Join(tree, l.dir)
	var peerArguments []string
	var own []string
	for p := range strings.FieldsSeq(pattern) {
		p = strings.ReplaceAll(p, "WORK", dir)
		peerArguments = append(peerArguments, "paths="+p)
		own = append(own, p)
	}
	execute := func(name string, arguments ...string) (files map[string]string, stderr string, code int) {
		out := filepath.Join(root, "out")
		defer func() {
			if err := os.RemoveAll(out); err != nil {
				t.Error(err)
			}
		}()
		cmd := exec.CommandContext(t.Context(), name, arguments...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOWORK=")
		for _, set := range l.env {
			cmd.Env = append(cmd.Env, strings.ReplaceAll(set, "TREE", tree))
		}
		var buffer bytes.Buffer
		cmd.Stderr = &buffer
		err := cmd.Run()
		if exit, ok := errors.AsType[*exec.ExitError](err); ok {
			code = exit.ExitCode()
		} else if err != nil {
			t.Fatal(err)
		}
		return outputs(t, root), strings.ReplaceAll(buffer.String(), root, "ROOT"), code
	}
	rule := "dir=" + filepath.Join(root, "out")
	generators := []string{"crd", "rbac:roleName=r", "object", "webhook", "output:crd:" + rule, "output:rbac:" + rule, "output:webhook:" + rule}
	peer, _, failed := execute("controller-gen", append(generators, peerArguments...)...)
	ours, stderr, code := execute("schemagen", append(generators, peerArguments...)...)
	definitions := maps.Clone(peer)
	maps.DeleteFunc(definitions, func(name, _ string) bool { return !strings.Contains(name, ".example.com_") })
	native, nativeErrors, nativeCode := execute("schemagen", append([]string{"crd", "--no-cache", "-o", filepath.Join(root, "out")}, own...)...)
	if code != nativeCode {
		t.Errorf("%s: got exit code %d in controller-gen's syntax, %d in our own\n%s%s", pattern, code, nativeCode, stderr, nativeErrors)
	}
	if code == 0 {
		if !maps.Equal(ours, peer) {
			t.Errorf("%s: got files %v, want %v, as from controller-gen", pattern, slices.Sorted(maps.Keys(ours)), slices.Sorted(maps.Keys(peer)))
		}
		if !maps.Equal(native, definitions) {
			t.Errorf("%s: got files %v in our own syntax, want %v", pattern, slices.Sorted(maps.Keys(native)), slices.Sorted(maps.Keys(definitions)))
		}
		outcome := fmt.Sprintf("%d files", len(ours))
		if failed != 0 {
			outcome += "; controller-gen fails"
		}
		return outcome
	}
	if failed == 0 && len(peer) > 0 { // a pattern that matches nothing is only here an error
		t.Errorf("%s: got exit code %d, want 0, as from controller-gen\n%s", pattern, code, stderr)
	}
	if len(ours)+len(native) > 0 {
		t.Errorf("%s: files were written despite errors: %v %v", pattern, ours, native)
	}
	first, _, _ := strings.Cut(stderr, "\n\thint: ")
	first, _, failedGo := strings.Cut(first, ": go: ")
	if failedGo {
		return first // the rest is a message of the go command
	}
	return strings.Join(strings.Fields(stderr), " ")
}

// outputs returns the generated files below a directory, without the names of the tools. It removes
// those that object writes next to its packages.
func outputs(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		isObject := entry.Name() == "zz_generated.deepcopy.go"
		if !isObject && filepath.Base(filepath.Dir(path)) != "out" {
			return nil
		}
		text, err := os.ReadFile(path)
		var kept []string
		for line := range strings.Lines(string(text)) {
			if !strings.Contains(line, "controller-gen.kubebuilder.io/version:") && !strings.HasPrefix(line, "// Code generated by") {
				kept = append(kept, line)
			}
		}
		out[strings.TrimPrefix(path, dir)] = strings.Join(kept, "")
		if isObject && err == nil {
			err = os.Remove(path)
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
