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

	"golang.org/x/tools/txtar"
)

var (
	lspEdits = flag.Int("edits", 120, "edits of TestLSPRandom")
	lspSeed  = flag.Uint64("editseed", 1, "seed of TestLSPRandom")
)

// TestLSPRandom edits files at random, and compares what the server publishes with what
// schemagen crd reports about the same texts on disk.
func TestLSPRandom(t *testing.T) {
	random := rand.New(rand.NewPCG(*lspSeed, 0))
	mod, sum := requirements(t)
	files := map[string]string{"go.mod": strings.Replace(string(mod), "module github.com/schemagen/schemagen\n", "module example.com/project\n", 1), "go.sum": string(sum)}
	archive, err := txtar.ParseFile("../../testdata/lsp/random.txt")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range archive.Files {
		files[f.Name] = string(f.Data)
	}
	words := strings.Fields(string(archive.Comment))
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	e := newTestEditor(t, dir, files)
	e.initialize()
	names := []string{"api/v1/types.go", "api/v1/more.go", "schemagen.yaml"}
	for _, name := range names {
		e.message("open " + name)
	}
	var undo []func()
	for i := range *lspEdits {
		name := names[random.IntN(len(names))]
		before := e.texts[name]
		from := random.IntN(len(before) + 1)
		to := min(len(before), from+random.IntN(4)*random.IntN(4))
		for from > 0 && before[from-1] >= 0x80 {
			from--
		}
		for to < len(before) && before[to] >= 0x80 {
			to++
		}
		text := ""
		if random.IntN(3) > 0 {
			text = words[random.IntN(len(words))] + []string{"", " ", "\n"}[random.IntN(3)]
		}
		e.edit(name, from, to, text)
		undo = append(undo, func() { e.edit(name, 0, len(e.texts[name]), before) })
		if random.IntN(8) > 0 {
			continue // keystrokes follow each other
		}
		if e.settle(); !e.matchesRun(i) {
			break
		}
		for len(undo) > 0 { // most mistakes hide others
			undo[len(undo)-1]()
			undo = undo[:len(undo)-1]
			if random.IntN(6) == 0 {
				break
			}
		}
	}
	e.settle()
	e.matchesRun(*lspEdits)
	e.end()
}

// matchesRun reports whether what is published is what schemagen crd reports about the texts.
func (e *testEditor) matchesRun(edit int) bool {
	e.t.Helper()
	dir := e.t.TempDir()
	for name, text := range e.files {
		if now, ok := e.texts[name]; ok {
			text = now
		}
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
	var stderr strings.Builder
	command.Stderr = &stderr
	_ = command.Run() // there are findings
	var run struct {
		Diagnostics []struct{ Code, Severity, File, Message string }
	}
	if err := json.NewDecoder(strings.NewReader(stderr.String())).Decode(&run); err != nil {
		e.t.Fatalf("%v: %s", err, stderr.String())
	}
	want := []string{}
	for _, d := range run.Diagnostics {
		want = append(want, fmt.Sprintf("%s %s[%s]: %s", d.File, d.Severity, d.Code, d.Message))
	}
	e.mu.Lock()
	defer e.mu.Unlock()
	got := []string{}
	finding := regexp.MustCompile(`(?m)^\t\S+ (\w+\[\w+\]: .*)`)
	for name, text := range e.published {
		for _, m := range finding.FindAllStringSubmatch(text, -1) {
			got = append(got, name+" "+m[1])
		}
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		e.t.Errorf("after edit %d with -editseed %d, the server has\n\t%s\nand a run\n\t%s", edit, *lspSeed, strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
		for _, name := range slices.Sorted(maps.Keys(e.texts)) {
			e.t.Logf("%s:\n%s", name, e.texts[name])
		}
	}
	return slices.Equal(got, want)
}
