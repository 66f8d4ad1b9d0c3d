package migrate

import (
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/tools/txtar"
)

// TestScaffolds migrates projects like those of Kubebuilder, in each layout with one group, with several and
// with webhooks. On a machine with neither tool, make then generates the files that controller-gen generated.
// With -real, the GOPROXY serves this module; without, a program that starts the one built here.
func TestScaffolds(t *testing.T) {
	needsMake(t)
	if testing.Short() {
		t.Skip("it links both tools")
	}
	bin := t.TempDir()
	build := exec.Command("go", "build", "-o", bin+string(filepath.Separator), "../../cmd/schemagen", toolPackage)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("go build: %v\n%s", err, out)
	}
	proxy := t.TempDir()
	product := module.Version{Path: "github.com/schemagen/schemagen", Version: "v1.2.3"}
	if *realProjects {
		addModule(t, proxy, product, filepath.Join("..", ".."))
	} else {
		addForwarder(t, proxy, product, filepath.Join(bin, productName))
	}
	for _, version := range []string{"v0.2.5", "v0.7.0", "v0.20.0"} {
		addForwarder(t, proxy, module.Version{Path: toolModule, Version: version}, filepath.Join(bin, peerName))
	}
	cache, err := exec.Command("go", "env", "GOMODCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	temp := t.TempDir()
	environment := append(cleanEnvironment(t, temp, proxy),
		"GOPROXY=file://"+proxy+",file://"+filepath.Join(strings.TrimSpace(string(cache)), "cache", "download"))
	for i, layout := range []string{"v2", "v3", "v4"} {
		for j, kind := range []string{"plain", "multigroup", "webhooks"} {
			if i != j && !*realProjects {
				continue // make migrate-real makes all
			}
			t.Run(layout+"/"+kind, func(t *testing.T) {
				dir := filepath.Join(t.TempDir(), "project")
				for _, name := range []string{layout, kind} {
					archive, err := txtar.ParseFile(filepath.Join("testdata", "scaffolds", name+".txtar"))
					if err != nil {
						t.Fatal(err)
					}
					for _, file := range archive.Files {
						writeFile(t, filepath.Join(dir, file.Name), file.Data)
					}
				}
				for _, name := range []string{"go.mod", "go.sum"} {
					data, err := os.ReadFile(filepath.Join("..", "..", name))
					if err != nil {
						t.Fatal(err)
					}
					writeFile(t, filepath.Join(dir, name), []byte(strings.Replace(string(data), "module github.com/schemagen/schemagen\n", "module example.com/boats\n", 1)))
				}
				commit(t, dir)
				run := func(words ...string) string {
					cmd := exec.Command(words[0], words[1:]...)
					cmd.Dir = dir
					cmd.Env = append(environment, "PWD="+dir)
					out, err := cmd.CombinedOutput()
					if err != nil {
						t.Fatalf("%v: %v\n%s", words, err, out)
					}
					return string(out)
				}
				// The first layouts install by go get, which no longer does so.
				run("make", "CONTROLLER_GEN="+filepath.Join(bin, peerName), "-o", "controller-gen", "manifests", "generate")
				want := generated(t, dir)
				if len(want) < 3 {
					t.Fatal("controller-gen generated", want)
				}
				run("git", "clean", "-fdxq")
				printed := run(filepath.Join(bin, productName), "migrate", "--yes", "--write", "--pin", "v1.2.3")
				if !strings.Contains(printed, "wrote Makefile\n") {
					t.Fatal(printed)
				}
				made := run("make", "manifests", "generate")
				run("grep", "-rq", "controller-gen.kubebuilder.io/version: schemagen", "config/crd")
				if got := generated(t, dir); !maps.Equal(got, want) {
					t.Errorf("got %v, want %v\n%s", got, want, made)
				}
			})
		}
	}
}

// addForwarder adds a module to a proxy whose program starts another one, except to print its own version.
func addForwarder(t *testing.T, proxy string, version module.Version, program string) {
	t.Helper()
	source := t.TempDir()
	printed := version.Version
	name := filepath.Base(program)
	if name == productName {
		printed = productName + "-" + printed
	}
	writeFile(t, filepath.Join(source, "go.mod"), []byte("module "+version.Path+"\n\ngo 1.17\n"))
	writeFile(t, filepath.Join(source, "cmd", name, "main.go"), fmt.Appendf(nil, `package main

import (
	"fmt"
	"os"
	"syscall"
)

func main() {
	if len(os.Args) == 2 && os.Args[1] == "--version" {
		fmt.Println("Version: %s")
		return
	}
	panic(syscall.Exec(%q, os.Args, os.Environ()))
}
`, printed, program))
	addModule(t, proxy, version, source)
}

// generated returns the generated files of a project without the line that names the tool's version.
func generated(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	err := fs.WalkDir(os.DirFS(dir), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || !strings.HasSuffix(name, ".yaml") && !strings.HasPrefix(filepath.Base(name), "zz_") {
			return err
		}
		data, err := os.ReadFile(filepath.Join(dir, name))
		out[name] = string(withoutVersion(data))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}
