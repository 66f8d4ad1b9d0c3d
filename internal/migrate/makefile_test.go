package migrate

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/internal/terminal/consent"
)

// TestMain runs the shims of dry runs, which are this program.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == ShimCommand {
		os.Exit(Shim(os.Stdout, os.Args[2:]))
	}
	os.Exit(m.Run())
}

// TestMakefiles runs the Makefiles in testdata/makefiles dry: each archive is a project, with the expected
// calls and changes in the file want.
//
// Left out of make generate: the result depends on the make that is installed.
func TestMakefiles(t *testing.T) {
	needsMake(t)
	names, err := filepath.Glob("testdata/makefiles/*.txtar")
	if err != nil || len(names) == 0 {
		t.Fatal("no archives", err)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			name, err := filepath.Abs(name)
			if err != nil {
				t.Fatal(err)
			}
			dir := t.TempDir()
			var want *txtar.File
			for i := range archive.Files {
				if file := &archive.Files[i]; file.Name == "want" {
					want = file
				} else {
					writeFile(t, filepath.Join(dir, file.Name), file.Data)
				}
			}
			commit(t, dir)
			got := describe(t, dir)
			if *update {
				if want == nil {
					archive.Files = append(archive.Files, txtar.File{Name: "want"})
					want = &archive.Files[len(archive.Files)-1]
				}
				want.Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
			}
			if want == nil || got != string(want.Data) {
				t.Errorf("got\n%s", got)
			}
			compareRewrite(t, dir, got)
		})
	}
}

// compareRewrite checks that Rewrite, which only reads the text, changes the Makefile as dry runs have
// proved it, or not at all.
func compareRewrite(t *testing.T, dir, described string) {
	t.Helper()
	name, changed, reason := Rewrite(nil, dir, "v1.2.3")
	if changed == nil {
		t.Logf("%s: not rewritten: %s", name, reason)
		return
	}
	var diff bytes.Buffer
	wd, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	writer := output.Writer{Root: output.Physical(wd)}
	if _, err := writer.Commit(t.Context(), []output.File{{Path: name, Data: changed}}, output.Diff, &diff); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(described, strings.ReplaceAll(diff.String(), "\r", "^M")) {
		t.Errorf("Rewrite makes the change\n%s", diff.String())
	}
	if err := os.WriteFile(filepath.Join(dir, name), changed, 0o666); err != nil {
		t.Fatal(err)
	}
	if _, changed, reason := Rewrite(nil, dir, "v1.2.3"); changed != nil || reason != "" {
		t.Errorf("Rewrite changes its own result, or %s", reason)
	}
}

// commit makes a directory a git repository.
func commit(t *testing.T, dir string) {
	t.Helper()
	for _, arguments := range []string{"init -q", "add -A", "-c user.name=test -c user.email=test commit -q --allow-empty -m test"} {
		cmd := exec.Command("git", strings.Fields(arguments)...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", arguments, err, out)
		}
	}
}

func needsMake(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("make"); err != nil || runtime.GOOS == "windows" {
		t.Skip("needs make")
	}
}

func writeFile(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	mode := os.FileMode(0o666)
	if isShebang(data) {
		mode = 0o777
	}
	// Lines of archives end without a carriage return: ^M is one.
	if err := os.WriteFile(name, bytes.ReplaceAll(data, []byte("^M"), []byte("\r")), mode); err != nil {
		t.Fatal(err)
	}
}

// newMigration returns a migration of a directory that prints to out.
func newMigration(t *testing.T, dir string, out *bytes.Buffer) *migration {
	t.Helper()
	t.Chdir(dir)
	r := &migration{Options: Options{Dir: dir, Consent: consent.Consent{Given: true}}, out: out, pin: "v1.2.3"}
	var err error
	r.project, err = openProject(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(r.project.remove)
	return r
}

// describe describes what is found in a project and how its files would change. Without a command, it is
// what the Makefile makes.
func describe(t *testing.T, dir string, command ...string) string {
	t.Helper()
	var out bytes.Buffer
	r := newMigration(t, dir, &out)
	text := func() string {
		here := strings.NewReplacer(output.Physical(dir), "PROJECT", r.project.temp, "TEMP", "\r", "^M")
		return here.Replace(out.String())
	}
	if len(command) == 0 {
		var err error
		command, err = r.makeGoals(t.Context())
		if err != nil {
			fmt.Fprintln(&out, err)
			return text()
		}
	}
	fmt.Fprintln(&out, strings.Join(command, " "))
	found, err := r.baseline(t.Context(), command)
	if err != nil {
		fmt.Fprintln(&out, err)
		return text()
	}
	for _, call := range found.calls {
		fmt.Fprintf(&out, "%s %s (%s): %s\n", call.tool, call.version, call.how, r.title(call))
	}
	r.reportUnreached(command, found)
	r.differs = false
	if len(found.calls) == 0 {
		if err := r.noCall(t.Context(), command, found); err != nil {
			t.Fatal(err)
		}
		return text()
	}
	if err := r.change(t.Context(), found); err != nil {
		fmt.Fprintln(&out, err)
	}
	return text()
}

// TestWriteProtected checks that --write leaves a read-only or symlinked Makefile unchanged and
// names it.
func TestWriteProtected(t *testing.T) {
	needsMake(t)
	const text = "CONTROLLER_GEN ?= controller-gen\ngen:\n\t$(CONTROLLER_GEN) crd paths=./...\n"
	for want, protect := range map[string]func(dir string) error{
		"": func(string) error { return nil },
		"Makefile is read-only": func(dir string) error {
			return os.Chmod(filepath.Join(dir, "Makefile"), 0o444)
		},
	} {
		t.Run(want, func(t *testing.T) {
			dir := output.Physical(t.TempDir())
			writeFile(t, filepath.Join(dir, "Makefile"), []byte(text))
			if err := protect(dir); err != nil {
				t.Skip(err)
			}
			var out bytes.Buffer
			r := newMigration(t, dir, &out)
			r.Write = true
			found, err := r.baseline(t.Context(), []string{"make", "gen"})
			if err != nil {
				t.Fatal(err)
			}
			if err := r.change(t.Context(), found); err != nil {
				t.Fatal(err)
			}
			data, err := os.ReadFile("Makefile")
			if err != nil {
				t.Fatal(err)
			}
			got := strings.ReplaceAll(out.String(), dir, "PROJECT")
			if unchanged := string(data) == text; unchanged != (want != "") || r.differs != unchanged || !strings.Contains(got, want) {
				t.Errorf("unchanged: %t, fails: %t, printed\n%s", unchanged, r.differs, got)
			}
		})
	}
}

// TestDryRunCancelled checks that an interrupt ends a dry run, together with the programs that it
// started.
func TestDryRunCancelled(t *testing.T) {
	needsMake(t)
	dir := t.TempDir()
	alive := filepath.Join(dir, "alive")
	writeFile(t, filepath.Join(dir, "Makefile"), []byte("X := $(shell sleep 4; touch "+alive+"; echo x)\nall:\n\tcontroller-gen crd paths=$(X)\n"))
	var out bytes.Buffer
	r := newMigration(t, dir, &out)
	ctx, cancel := context.WithTimeout(t.Context(), 2*time.Second)
	defer cancel()
	start := time.Now()
	if _, err := r.baseline(ctx, []string{"make", "all"}); err != context.DeadlineExceeded {
		t.Errorf("got error %v", err)
	}
	time.Sleep(time.Until(start.Add(6 * time.Second)))
	if exists(alive) {
		t.Error("a program started by make went on")
	}
}

// TestNoMake checks the message without make.
func TestNoMake(t *testing.T) {
	var out bytes.Buffer
	r := newMigration(t, t.TempDir(), &out)
	t.Setenv("PATH", t.TempDir())
	if _, err := r.baseline(t.Context(), []string{"make"}); err == nil || !strings.HasPrefix(err.Error(), "make not found;") {
		t.Errorf("got error %v", err)
	}
}

// TestOtherProgramsDoNotRun calls 60 programs that are not allowed, which log that they ran.
func TestOtherProgramsDoNotRun(t *testing.T) {
	needsMake(t)
	programs := strings.Fields(`docker podman kubectl helm kind minikube kustomize terraform ansible aws gcloud az ssh scp
		rsync nc telnet ftp npm npx yarn pnpm node deno bun cargo rustc java javac mvn gradle ruby gem bundle php composer
		dotnet gcc cc clang cmake ninja bazel buf protoc pip pip3 pipx poetry uv conda nix-env brew apt-get dnf sudo su
		systemctl service crontab mail sendmail gpg`)
	if len(programs) < 60 {
		t.Fatal(len(programs), "programs")
	}
	bin := t.TempDir()
	ran := filepath.Join(t.TempDir(), "ran")
	recipe := ""
	for _, program := range programs {
		writeFile(t, filepath.Join(bin, program), []byte("#!/bin/sh\necho "+program+" >> "+ran+"\n"))
		recipe += "\t" + program + " --version\n"
	}
	t.Setenv("PATH", bin+string(filepath.ListSeparator)+os.Getenv("PATH"))
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "Makefile"), []byte("X := $(shell docker version)\nall:\n"+recipe+"\tcontroller-gen crd paths=./...\n"))
	var out bytes.Buffer
	r := newMigration(t, dir, &out)
	found, err := r.baseline(t.Context(), []string{"make", "all"})
	if err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(ran); err == nil {
		t.Errorf("these programs ran: %s", data)
	}
	if len(found.calls) != 1 || len(found.replaced) != len(programs)+1 {
		t.Errorf("got %d calls, and %d replaced programs of %d", len(found.calls), len(found.replaced), len(programs))
	}
}

// TestExecutedPrograms runs TestOtherProgramsDoNotRun below strace: every program that was started is allowed, or
// is this one in the place of another.
func TestExecutedPrograms(t *testing.T) {
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Skip("needs strace")
	}
	if err := exec.Command(strace, "-f", "true").Run(); err != nil {
		t.Skip("strace: ", err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(t.TempDir(), "log")
	traced := exec.Command(strace, "-f", "-qq", "-z", "-e", "trace=execve,execveat", "-o", log, self, "-test.run=^TestOtherProgramsDoNotRun$")
	if out, err := traced.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	data, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	expected := append(allowed(), "go", "git", "mktemp", filepath.Base(self))
	ran := 0
	replaced := 0
	for _, match := range regexp.MustCompile(`execve(?:at)?\([^"\n]*"([^"]*)"`).FindAllStringSubmatch(string(data), -1) {
		name := filepath.Base(match[1])
		switch {
		case slices.Contains(expected, name):
			ran++
		case strings.Contains(match[1], "/dry/"):
			replaced++
		default:
			t.Errorf("%s ran", match[1])
		}
	}
	if ran < 60 || replaced < 60 {
		t.Errorf("%d allowed programs and %d replaced ones are in the log", ran, replaced)
	}
}

// FuzzLiteralCalls checks that any Makefile can be read and rewritten without make.
func FuzzLiteralCalls(f *testing.F) {
	for _, seed := range []string{"all:\n\t@$(CONTROLLER_GEN) crd 'x' paths=\"y\\\"\" $$z; cd a\n", "\tcontroller-gen crd paths={1..9}", "\tfor a in x y; do controller-gen crd paths=$$a; done", "\\\n\\", "\tcontroller-gen crd paths=$(A",
		"CONTROLLER_GEN ?= bin/controller-gen\nV=v0.1.0\nbin/controller-gen:\n\tgo install sigs.k8s.io/controller-tools/cmd/controller-gen@$(V)\n", "define a\n\tx", "\tx \\"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		in := inputs.Overlaid(map[string][]byte{filepath.FromSlash("/none/Makefile"): []byte(text)}, nil)
		if _, changed, reason := Rewrite(in, filepath.FromSlash("/none"), "v1.2.3"); changed != nil && reason != "" {
			t.Errorf("changed, and %s", reason)
		}
		m := &makefile{path: "M"}
		m.addLiteral([]byte(text))
		for _, call := range m.calls {
			if len(call.args) == 0 || call.line < 1 || call.line > strings.Count(text, "\n")+1 {
				t.Errorf("got call %+v", call)
			}
		}
	})
}
