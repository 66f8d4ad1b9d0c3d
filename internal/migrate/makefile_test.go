package migrate

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/internal/terminal/consent"
)

// TestMakefiles asks make about the Makefiles in testdata/makefiles: each archive is a
// project, with the expected calls and changes in the file want.
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

// compareRewrite checks that Rewrite, which only reads the text, changes the Makefile as make
// has verified it, or not at all.
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

func needsMake(t *testing.T) {
	t.Helper()
	if _, err := makeProgram(); err != nil {
		t.Skip("needs make")
	}
}

func writeFile(t *testing.T, name string, data []byte) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		t.Fatal(err)
	}
	// Lines of archives end without a carriage return: ^M is one.
	if err := os.WriteFile(name, bytes.ReplaceAll(data, []byte("^M"), []byte("\r")), 0o666); err != nil {
		t.Fatal(err)
	}
}

// describe describes what is found in a project and how its Makefiles would change.
func describe(t *testing.T, dir string) string {
	t.Helper()
	t.Chdir(dir)
	var out bytes.Buffer
	r := migration{Options: Options{Dir: dir, Version: "schemagen-v1.2.3", Consent: consent.Consent{Given: true}}, out: &out}
	var err error
	if r.project, err = openProject(t.Context(), dir); err != nil {
		t.Fatal(err)
	}
	defer r.project.remove()
	m, err := r.askForCalls(t.Context())
	if err != nil {
		return strings.ReplaceAll(err.Error(), r.project.temp, "TEMP") + "\n"
	}
	r.reportUnread(m)
	for _, call := range m.calls {
		fmt.Fprintf(&out, "%s(cd %s) %s%s: %s\n", call.where(), call.dir, strings.Join(append(call.env, ""), " "), strings.Join(call.tool, " "), strings.Join(call.args, " "))
	}
	fmt.Fprintf(&out, "controller-gen %q\n", r.pinnedVersion(m))
	r.differs = false
	if err := r.change(t.Context(), m); err != nil {
		fmt.Fprintln(&out, err)
	}
	text := strings.ReplaceAll(out.String(), output.Physical(dir), "PROJECT")
	return strings.ReplaceAll(text, "\r", "^M")
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
		"Makefile is a symlink to PROJECT/real.mk": func(dir string) error {
			name := filepath.Join(dir, "Makefile")
			if err := os.Rename(name, filepath.Join(dir, "real.mk")); err != nil {
				return err
			}
			return os.Symlink("real.mk", name)
		},
	} {
		t.Run(want, func(t *testing.T) {
			dir := output.Physical(t.TempDir())
			writeFile(t, filepath.Join(dir, "Makefile"), []byte(text))
			if err := protect(dir); err != nil {
				t.Skip(err)
			}
			t.Chdir(dir)
			var out bytes.Buffer
			r := migration{Options: Options{Dir: dir, Write: true, Consent: consent.Consent{Given: true}}, out: &out}
			var err error
			if r.project, err = openProject(t.Context(), dir); err != nil {
				t.Fatal(err)
			}
			defer r.project.remove()
			m, err := r.askForCalls(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if err := r.change(t.Context(), m); err != nil {
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

// TestMakeTakesTooLong checks that a Makefile that waits is given up, together with the
// programs that it started.
func TestMakeTakesTooLong(t *testing.T) {
	needsMake(t)
	dir := t.TempDir()
	alive := filepath.Join(dir, "alive")
	writeFile(t, filepath.Join(dir, "Makefile"), []byte("X := $(shell sleep 2; touch "+alive+"; echo x)\nall:\n\tcontroller-gen crd paths=$(X)\n"))
	start := time.Now()
	_, err := askMake(t.Context(), dir, "Makefile", 300*time.Millisecond, "all")
	if err == nil || !strings.Contains(err.Error(), "make -n did not end within 300ms") {
		t.Errorf("got error %v", err)
	}
	if took := time.Since(start); took > 1900*time.Millisecond {
		t.Errorf("took %v", took)
	}
	time.Sleep(time.Until(start.Add(2500 * time.Millisecond)))
	if exists(alive) {
		t.Error("a program started by make went on")
	}
}

// TestMakeCancelled checks that an interrupt is not a timeout.
func TestMakeCancelled(t *testing.T) {
	needsMake(t)
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "Makefile"), []byte("X := $(shell sleep 5)\nall:\n"))
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := askMake(ctx, dir, "Makefile", time.Minute, "all"); err != context.DeadlineExceeded {
		t.Errorf("got error %v", err)
	}
}

// TestNoMake checks the message without make, and with a program of that name.
func TestNoMake(t *testing.T) {
	empty := t.TempDir()
	t.Setenv("PATH", empty)
	if _, err := askMake(t.Context(), empty, "Makefile", time.Minute); err == nil || !strings.HasPrefix(err.Error(), "make not found;") {
		t.Errorf("got error %v", err)
	}
	if err := os.WriteFile(filepath.Join(empty, "make"), []byte("#!/bin/sh\necho usage: make\n"), 0o777); err != nil {
		t.Fatal(err)
	}
	if _, err := exec.LookPath("make"); err != nil {
		t.Skip("needs a system with scripts")
	}
	if _, err := askMake(t.Context(), empty, "Makefile", time.Minute); err == nil || !strings.HasSuffix(err.Error(), "make is not GNU make") {
		t.Errorf("got error %v", err)
	}
}

// TestReadOldMake reads the output of GNU make 3.81, which macOS has.
func TestReadOldMake(t *testing.T) {
	const text = "# GNU Make 3.81\n# Copyright (C) 2006  Free Software Foundation, Inc.\nReading makefiles...\nUpdating goal targets....\n File `gen' does not exist.\nMust remake target `gen'.\n# make: Entering directory `/p'\n/p/bin/controller-gen crd \\\n  paths=./...\nSuccessfully remade target file `gen'.\n" +
		"# Make data base, printed on Sun Nov 22 23:08:36 2026\n\n# Variables\n\n# makefile (from `Makefile', line 2)\nCONTROLLER_GEN = bin/controller-gen\n# makefile\nCURDIR := /p\n\n# Files\n\n# Phony target (prerequisite of .PHONY).\ngen: tool\n#  Implicit rule search has not been done.\n#  commands to execute (from `Makefile', line 4):\n\t$(CONTROLLER_GEN) crd \\\n\t  paths=./...\n\t\n\n# Finished Make data base on Sun Nov 22 23:08:36 2026\n\n# make: Leaving directory `/p'\n"
	var a makeAnswer
	a.read("/p", text)
	if len(a.databases) != 1 || len(a.databases[0].rules) != 1 || len(a.recipes) != 1 {
		t.Fatalf("got %+v", a)
	}
	db := a.databases[0]
	if got := fmt.Sprint(db.rules, db.variables, db.goals(), a.recipes, db.dir); got !=
		"[{gen Makefile 4 [$(CONTROLLER_GEN) crd \\\n\t  paths=./... ]}] map[CONTROLLER_GEN:{bin/controller-gen Makefile 2 }] [gen] [{/p gen [/p/bin/controller-gen crd \\\n  paths=./...]}]/p" {
		t.Errorf("got %s", got)
	}
}

// FuzzLiteralCalls checks that any Makefile can be read without make.
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
		for _, call := range literalCalls("M", []byte(text)).calls {
			if len(call.args) == 0 || call.line < 1 || call.line > strings.Count(text, "\n")+1 {
				t.Errorf("got call %+v", call)
			}
		}
	})
}
