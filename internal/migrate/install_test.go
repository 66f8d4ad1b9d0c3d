package migrate

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/module"
	"golang.org/x/mod/zip"
	"golang.org/x/tools/txtar"
)

// standIn is a program in the place of schemagen that logs its version, its directory and its arguments.
const standIn = `package main

import (
	"fmt"
	"os"
	"runtime/debug"
	"strings"
)

func main() {
	info, _ := debug.ReadBuildInfo()
	if len(os.Args) > 1 && os.Args[1] == "--version" {
		fmt.Println("Version: schemagen-" + info.Main.Version)
		return
	}
	log, err := os.OpenFile(os.Getenv("CALLS"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		panic(err)
	}
	dir, _ := os.Getwd()
	fmt.Fprintln(log, info.Main.Version+"\t"+dir+"\t"+strings.Join(os.Args[1:], " "))
	log.Close()
}
`

// TestInstalls runs the changed Makefiles of testdata/makefiles for real, with a GOPROXY that serves this
// module in the version to install: on a machine without tools, on one with a controller-gen and on
// one with another schemagen in PATH. All recorded calls are then made by the installed version.
func TestInstalls(t *testing.T) {
	needsMake(t)
	if testing.Short() {
		t.Skip("it installs programs")
	}
	source := t.TempDir()
	writeFile(t, filepath.Join(source, "go.mod"), []byte("module github.com/schemagen/schemagen\n\ngo 1.24\n"))
	writeFile(t, filepath.Join(source, "cmd", "schemagen", "main.go"), []byte(standIn))
	proxy := t.TempDir()
	addModule(t, proxy, module.Version{Path: "github.com/schemagen/schemagen", Version: "v1.2.3"}, source)
	names, err := filepath.Glob("testdata/makefiles/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	proved := 0
	for _, name := range names {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			t.Fatal(err)
		}
		last := archive.Files[len(archive.Files)-1]
		if last.Name != "want" || !strings.HasSuffix(string(last.Data), "schemagen migrate --write makes this change.\n") || strings.Contains(string(last.Data), "skipped: a call outside") {
			continue
		}
		proved++
		for _, w := range []struct{ name, tool string }{{"none", ""}, {"controller-gen", peerName}, {"schemagen", productName}} {
			t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar")+"/"+w.name, func(t *testing.T) {
				installs(t, archive, proxy, w.tool)
			})
		}
	}
	if proved < 10 {
		t.Errorf("only %d archives have changes", proved)
	}
}

// addModule adds a version of a module, whose files are in source, to a directory that is a GOPROXY with
// the prefix file://.
func addModule(t *testing.T, proxy string, version module.Version, source string) {
	t.Helper()
	name := filepath.Join(proxy, filepath.FromSlash(version.Path), "@v", version.Version)
	mod, err := os.ReadFile(filepath.Join(source, "go.mod"))
	if err != nil {
		t.Fatal(err)
	}
	writeFile(t, name+".mod", mod)
	writeFile(t, name+".info", []byte(`{"Version":"`+version.Version+`"}`))
	writeFile(t, filepath.Join(filepath.Dir(name), "list"), []byte(version.Version+"\n"))
	var archive bytes.Buffer
	if err := zip.CreateFromDir(&archive, version, source); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(name+".zip", archive.Bytes(), 0o666); err != nil {
		t.Fatal(err)
	}
}

// installs runs the command of an archive with its change. other is a tool in PATH that must not run.
func installs(t *testing.T, archive *txtar.Archive, proxy, other string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "project")
	var want string
	for _, file := range archive.Files {
		if file.Name == "want" {
			want = strings.ReplaceAll(string(file.Data), "^M", "\r")
		} else {
			writeFile(t, filepath.Join(dir, file.Name), file.Data)
		}
	}
	commit(t, dir)
	described, diff, _ := strings.Cut(want, "\n\n")
	apply := exec.Command("git", "apply", "--whitespace=nowarn", "-")
	apply.Dir = dir
	diff, _, _ = strings.Cut(diff, "not run by this command")
	apply.Stdin = strings.NewReader(strings.TrimSuffix(diff, "schemagen migrate --write makes this change.\n"))
	if out, err := apply.CombinedOutput(); err != nil {
		t.Fatalf("git apply: %v\n%s", err, out)
	}
	temp := t.TempDir()
	environment := cleanEnvironment(t, temp, proxy)
	calls := filepath.Join(temp, "calls")
	if !strings.Contains(diff, productPackage) { // the project expects schemagen in PATH
		install := exec.Command("go", "install", productPackage+"@v1.2.3")
		install.Env = append(environment, "GOBIN="+filepath.Join(temp, "path"))
		if out, err := install.CombinedOutput(); err != nil {
			t.Fatalf("go install: %v\n%s", err, out)
		}
		if other == productName {
			t.Skip("the project expects schemagen in PATH")
		}
	}
	if other != "" {
		writeFile(t, filepath.Join(temp, "path", other), []byte("#!/bin/sh\n[ \"$1\" = --version ] && echo Version: schemagen-v0.0.0-other && exit\necho other >> "+calls+"\n"))
	}
	command, titles, _ := strings.Cut(described, "\n")
	words := strings.Fields(command)
	cmd := exec.Command(words[0], words[1:]...)
	cmd.Dir = dir
	cmd.Env = append(environment, "PWD="+dir, "CALLS="+calls)
	out, _ := cmd.CombinedOutput() // with -k, a target that cannot be made is no obstacle
	wanted := map[string]bool{}
	for _, match := range regexp.MustCompile(`(?m)^`+peerName+` .*?\): (?:in (\S+): )?((?:[A-Z0-9]+=\S* )*)(.*)$`).FindAllStringSubmatch(titles, -1) {
		wanted[called("v1.2.3", filepath.Join(dir, match[1]), match[3])] = true
	}
	got := map[string]bool{}
	data, err := os.ReadFile(calls)
	if err != nil {
		t.Fatalf("nothing was called:\n%s", out)
	}
	for line := range strings.Lines(string(data)) {
		parts := strings.SplitN(strings.TrimSpace(line)+"\t\t", "\t", 3)
		got[called(parts[0], parts[1], strings.TrimSpace(parts[2]))] = true
	}
	if !maps.Equal(got, wanted) {
		t.Errorf("got calls\n%s\nwant\n%s\n%s", strings.Join(slices.Sorted(maps.Keys(got)), "\n"), strings.Join(slices.Sorted(maps.Keys(wanted)), "\n"), out)
	}
}

// called describes a call without the random directory of its output.
func called(version, dir, arguments string) string {
	return fmt.Sprintf("%s in %s: %s", version, dir, regexp.MustCompile(` output:dir=\S+`).ReplaceAllString(arguments, ""))
}

// cleanEnvironment returns an environment whose PATH has only plain tools and go, which downloads from a proxy.
func cleanEnvironment(t *testing.T, temp, proxy string) []string {
	t.Helper()
	bin := filepath.Join(temp, "path")
	for _, dir := range []string{bin, filepath.Join(temp, "tmp")} {
		if err := os.MkdirAll(dir, 0o777); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range append(allowed(), "mktemp", "go", "git") {
		if program, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(program, filepath.Join(bin, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	return []string{
		"PATH=" + bin + string(filepath.ListSeparator) + filepath.Join(temp, "gopath", "bin"), "HOME=" + temp, "TMPDIR=" + filepath.Join(temp, "tmp"), "GOPATH=" + filepath.Join(temp, "gopath"),
		"GOCACHE=" + strings.TrimSpace(string(cache)), "GOPROXY=file://" + proxy, "GOSUMDB=off", "GOTOOLCHAIN=local",
		"GOFLAGS=-modcacherw", "CGO_ENABLED=0", "LC_ALL=C",
	}
}
