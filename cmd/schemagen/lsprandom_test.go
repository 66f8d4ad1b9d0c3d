package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode/utf16"

	"golang.org/x/tools/txtar"
)

var (
	lspEdits  = flag.Int("edits", 120, "edits of TestLSPRandom")
	lspSeed   = flag.Uint64("editseed", 1, "seed of TestLSPRandom")
	lspRecord = flag.Bool("recordedits", false, "write the outcome of TestLSPRandom to testdata/lsp/edits.txt")
)

// TestLSPRandom edits a module at random, and compares what the server publishes with what
// schemagen crd reports about the same texts on disk. Most edits are keystrokes in open files. The
// others are files that appear, change and disappear on disk (those whose names begin with ? in
// testdata/lsp/random.txt), changes of go.mod, of imports and of build tags, and files that are
// closed and opened.
func TestLSPRandom(t *testing.T) {
	e := &randomEditor{random: rand.New(rand.NewPCG(*lspSeed, 0)), counts: map[string]int{}}
	mod, sum := requirements(t)
	files := map[string]string{"go.mod": strings.Replace(string(mod), "module github.com/schemagen/schemagen\n", "module example.com/project\n", 1), "go.sum": string(sum)}
	archive, err := txtar.ParseFile("../../testdata/lsp/random.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		if name, ok := strings.CutPrefix(f.Name, "?"); ok {
			e.others = append(e.others, txtar.File{Name: name, Data: f.Data})
		} else {
			files[f.Name] = string(f.Data)
		}
	}
	e.words = strings.Fields(string(archive.Comment))
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e.testEditor = newTestEditor(t, dir, files)
	e.initialize()
	names := []string{"api/v1/types.go", "api/v1/more.go", "shared/shared.go", "schemagen.yaml"}
	for _, name := range names {
		e.message("open " + name)
	}
	var undo []func()
	checks, withFindings := 0, 0
	check := func(i int) bool {
		e.settle()
		checks++
		found, ok := e.matchesRun(i)
		if found > 0 {
			withFindings++
		}
		return ok
	}
	for i := range *lspEdits {
		undo = append(undo, e.someEdit(names))
		if e.random.IntN(8) > 0 {
			continue // keystrokes follow each other
		}
		if !check(i) {
			return
		}
		for len(undo) > 0 { // most mistakes hide others
			undo[len(undo)-1]()
			undo = undo[:len(undo)-1]
			if e.random.IntN(6) == 0 {
				break
			}
		}
	}
	if !check(*lspEdits) {
		return
	}
	e.end()
	outcome := fmt.Sprintf("%d random edits (seed %d): %d of texts, %d of files on disk, %d of go.mod, %d of imports, %d of build\ntags, %d files closed and opened. After %d of them, %d times with findings, the server had published what\na run reports.\n",
		*lspEdits, *lspSeed, e.counts["text"], e.counts["disk"], e.counts["go.mod"], e.counts["imports"], e.counts["tags"], e.counts["closed"], checks, withFindings)
	t.Log(outcome)
	if *lspRecord {
		if err := os.WriteFile("../../testdata/lsp/edits.txt", []byte(outcome), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// randomEditor is an editor that edits at random.
type randomEditor struct {
	*testEditor
	random *rand.Rand
	words  []string
	// others are files that may be on disk.
	others []txtar.File
	// counts are the numbers of edits by their sort.
	counts map[string]int
}

// someEdit makes an edit, and returns a function that reverts it. names are files that are mostly
// open.
func (e *randomEditor) someEdit(names []string) (undo func()) {
	name := names[e.random.IntN(len(names))]
	before, isOpen := e.texts[name]
	whole := func(text string) func() {
		if text == before {
			return func() {}
		}
		e.edit(name, 0, len(before), text)
		return func() { e.revert(name, before) }
	}
	switch n := e.random.IntN(100); {
	case !isOpen || n == 0:
		e.counts["closed"]++
		e.toggle(name)
		return func() { e.toggle(name) }
	case n < 6:
		e.counts["disk"]++
		other := e.others[e.random.IntN(len(e.others))]
		return e.disk(other.Name, string(other.Data))
	case n < 8:
		e.counts["go.mod"]++
		mod := e.files["go.mod"]
		return e.disk("go.mod", e.oneOf(
			strings.Replace(mod, "module example.com/project\n", "module example.com/other\n", 1),
			strings.Replace(mod, "\ngo 1.", "\n\ngo 1.", 1),
			regexp.MustCompile(`(?m)^go .*`).ReplaceAllString(mod, "go 1.21"),
			regexp.MustCompile(`(?m)^\tk8s.io/apimachinery .*\n`).ReplaceAllString(mod, ""),
			mod+"\nexclude example.com/none v1.0.0\n",
		))
	case n < 11:
		e.counts["imports"]++
		return whole(e.oneOf(
			strings.Replace(before, "\t\"example.com/project/shared\"\n", "", 1),
			strings.Replace(before, "\t\"example.com/project/shared\"\n", "\tother \"example.com/project/shared\"\n", 1),
			strings.Replace(before, "\"example.com/project/shared\"", "\"example.com/other/shared\"", 1),
			strings.Replace(before, "\tmetav1 \"", "\t. \"", 1),
			strings.Replace(before, "package shared\n", "package shared\n\nimport \"example.com/project/api/v1\"\n", 1),
		))
	case n < 14:
		e.counts["tags"]++
		if name == "schemagen.yaml" {
			return whole(before + "\ntags: [" + e.oneOf("extra", "extra, ignore_autogenerated", "") + "]\n")
		}
		return whole("//go:build " + e.oneOf("extra", "!extra", "linux", "ignore_autogenerated", "(") + "\n\n" + before)
	}
	e.counts["text"]++
	from := e.random.IntN(len(before) + 1)
	to := min(len(before), from+e.random.IntN(4)*e.random.IntN(4))
	for from > 0 && from < len(before) && before[from]&0xC0 == 0x80 {
		from--
	}
	for to < len(before) && before[to]&0xC0 == 0x80 {
		to++
	}
	text := ""
	if e.random.IntN(3) > 0 {
		text = e.words[e.random.IntN(len(e.words))] + e.oneOf("", " ", "\n")
	}
	e.edit(name, from, to, text)
	return func() { e.revert(name, before) }
}

func (e *randomEditor) oneOf(texts ...string) string { return texts[e.random.IntN(len(texts))] }

// revert makes a file have a text again, unless it has been closed.
func (e *randomEditor) revert(name, text string) {
	if now, isOpen := e.texts[name]; isOpen {
		e.edit(name, 0, len(now), text)
	}
}

// toggle opens or closes a file.
func (e *randomEditor) toggle(name string) {
	if _, isOpen := e.texts[name]; isOpen {
		e.message("close " + name)
	} else {
		e.message("open " + name)
	}
}

// disk writes a file, or removes it if it has the text already, and returns a function that reverts
// that.
func (e *randomEditor) disk(name, text string) (undo func()) {
	before, exists := e.files[name]
	remove := func() {
		e.message("delete " + name)
		_ = os.Remove(filepath.Dir(filepath.Join(e.dir, name))) // unless there is something else in it
	}
	if exists && before == text && name != "go.mod" {
		remove()
	} else {
		e.write(name, text)
		e.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": e.uri(name), "type": 2}}})
	}
	return func() {
		if now, ok := e.files[name]; ok == exists && now == before {
			return
		}
		if !exists {
			remove()
			return
		}
		e.write(name, before)
		e.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": e.uri(name), "type": 2}}})
	}
}

// matchesRun reports whether what is published is what schemagen crd reports about the texts, and
// how many findings that are.
func (e *testEditor) matchesRun(edit int) (found int, ok bool) {
	e.t.Helper()
	dir, err := os.MkdirTemp(e.t.TempDir(), "")
	if err != nil {
		e.t.Fatal(err)
	}
	defer os.RemoveAll(dir)
	texts := maps.Clone(e.files)
	maps.Copy(texts, e.texts)
	for name, text := range texts {
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			e.t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			e.t.Fatal(err)
		}
	}
	command := exec.Command("schemagen", "crd", "--check", "--no-cache", "--format", "json")
	command.Dir, command.Env = dir, e.command.Env
	var stdout, stderr strings.Builder
	command.Stdout, command.Stderr = &stdout, &stderr
	_ = command.Run() // there are findings
	var run struct {
		Diagnostics []struct {
			Code, Severity, File, Message string
			Line, Column                  int
		}
	}
	// A run may fail, for example because of a vendor directory; then the server has nothing.
	if err := json.NewDecoder(strings.NewReader(stdout.String())).Decode(&run); err != nil && !strings.Contains(stderr.String(), "list packages in") {
		e.t.Fatalf("%v: %s", err, stderr.String())
	}
	want := []string{}
	for _, d := range run.Diagnostics {
		if d.File == "" { // the server has to show it somewhere
			d.File = "schemagen.yaml"
		}
		var line string
		if lines := strings.Split(texts[d.File], "\n"); d.Line > 0 && d.Line <= len(lines) {
			line = strings.TrimSuffix(lines[d.Line-1], "\r")
		}
		if d.Line, d.Column = max(d.Line, 1), d.Column-1; d.Column < 0 {
			d.Column = len(line) - len(strings.TrimLeft(line, " \t"))
		}
		units := len(utf16.Encode([]rune(line[:min(d.Column, len(line))])))
		want = append(want, strings.ReplaceAll(fmt.Sprintf("%s:%d:%d %s[%s]: %s", d.File, d.Line, units+1, d.Severity, d.Code, d.Message), dir, "$DIR"))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	got := []string{}
	finding := regexp.MustCompile(`(?m)^\t(\d+:\d+)-\S+ (\w+\[\w+\]: .*)`)
	for name, text := range e.published {
		for _, m := range finding.FindAllStringSubmatch(text, -1) {
			got = append(got, strings.ReplaceAll(name+":"+m[1]+" "+m[2], e.dir, "$DIR"))
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		e.t.Errorf("after edit %d with -editseed %d, the server has\n\t%s\nand a run\n\t%s", edit, *lspSeed, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
		e.t.Logf("the server has shown %q", e.shown)
		for _, name := range slices.Sorted(maps.Keys(e.texts)) {
			e.t.Logf("%s:\n%s", name, e.texts[name])
		}
	}
	return len(want), slices.Equal(got, want)
}
