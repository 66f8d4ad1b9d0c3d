//go:build unix

package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/internal/companions/commandline"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/run/output"
)

// writes are how a command changes its files.
type writes int

const (
	generates writes = iota
	edits            // files that people write
	removes          // files of kinds that no longer exist
)

// writingRow is a command line that changes files. DIR in it is a directory.
type writingRow struct {
	args   string
	writes writes
	// project is schemagen.yaml, or empty.
	project string
	// before are command lines that run before anything is measured.
	before []string
	// file is the beginning of the path that is attacked, among the files that change.
	file string
}

func writingRows() []writingRow {
	const crd, policy = "crd ./api/v1", "unions ./api/v1 --no-functions"
	return []writingRow{
		{args: crd + " -o DIR"},
		{args: crd, project: "outputs: {crd: DIR}"},
		{args: crd + " -o DIR --set crd.kustomize=true", file: "DIR/kust"},
		{args: crd + " -o out --set outputs.helm=DIR", file: "DIR"},
		{args: crd + " -o out", project: "outputs: {helm: DIR}", file: "DIR"},
		{args: "crd ./fixed -o DIR --prune", before: []string{"crd ./fixed -o DIR", "copy renamed.txt fixed/types.go"}, file: "DIR/fixed.example.com_fixeds", writes: removes},
		{args: "crd ./fixed --fix -o -", writes: edits},
		{args: "crd paths=./api/v1 output:crd:dir=DIR"},
		{args: "rbac:roleName=r paths=./api/v1 output:rbac:dir=DIR"},
		{args: "rbac:roleName=r paths=./api/v1", project: "outputs: {rbac: DIR}"},
		{args: "webhook paths=./api/v1 output:webhook:dir=DIR"},
		{args: "webhook paths=./api/v1", project: "outputs: {webhook: DIR}"},
		{args: "object paths=./api/v1 output:dir=DIR"},
		{args: "object paths=./api/v1"},
		{args: "applyconfiguration paths=./api/v1"},
		{args: "schemapatch:manifests=man paths=./api/v1 output:dir=DIR", before: []string{"crd paths=./api/v1 output:dir=man"}},
		{args: "unions ./api/v1"},
		{args: "unions ./unionless --prune", before: []string{"unions ./unionless", "remove unionless/types.go"}, writes: removes},
		{args: "unions ./ruled --suggest --write", writes: edits},
		{args: policy + " --set outputs.policies=DIR"},
		{args: policy, project: "outputs: {policies: DIR}"},
		{args: "conversions ./api/v1 ./api/v2 --set conversions.style=functions"},
		{args: "conversions ./api/v1 ./api/v2 --set conversions.style=functions --set outputs.policies=DIR", file: "DIR"},
		{args: "conversions ./hand/... --laws-only", file: "hand"},
		{args: "conversions ./api/v1 ./api/v2 --set conversions.style=functions --prune", before: []string{"conversions ./api/v1 ./api/v2 --set conversions.style=functions", "copy empty.txt api/v2/types.go"}, writes: removes},
		{args: "conversions ./api/v1 ./api/v2 --set conversions.style=functions --rehub v2 --write", writes: edits},
		{args: "gates graduate Burst ./gated --write", writes: edits},
		{args: "gates retire Burst ./gated --write", writes: edits},
		{args: "types crd.yaml -o DIR --overwrite", before: []string{"crd paths=./api/v1 output:dir=man", "copy man/example.com_widgets.yaml crd.yaml"}},
		{args: "types crd.yaml -o DIR --prune", before: []string{"crd paths=./api/v1 output:dir=man", "copy man/example.com_widgets.yaml crd.yaml", "types crd.yaml -o DIR", "copy other.txt crd.yaml", "types crd.yaml -o DIR"}, writes: removes},
		{args: "generate --only docs", project: "paths: [./api/v1]\noutputs: {docs: DIR}"},
		{args: "generate --only jsonschema", project: "paths: [./api/v1]\noutputs: {jsonschema: DIR}"},
		{args: "generate --only openapi", project: "paths: [./api/v1]\noutputs: {openapi: DIR}"},
		{args: "docs ./api/v1 -o DIR"},
		{args: "docs ./api/v1 -o DIR --format markdown"},
		{args: "docs ./api/v1", file: "docs"},
		{args: "jsonschema ./api/v1 -o DIR"},
		{args: "openapi ./api/v1 -o DIR"},
		{args: "diff crd.yaml ./api/v1 --format html -o DIR/page.html", before: []string{"crd paths=./api/v1 output:dir=man", "copy man/example.com_widgets.yaml crd.yaml"}},
	}
}

// hazard is what a path that a command writes to may be. make replaces the file, if there is one,
// where old is its content; away is a directory outside of the repository.
type hazard struct {
	name string
	make func(t *testing.T, file, away string, old []byte)
	// safe is set if the file may be written. only are the kinds of commands that it is for; nil for
	// all.
	safe bool
	only []writes
}

func hazards() []hazard {
	link := func(t *testing.T, to, file string) {
		t.Helper()
		must(t, os.RemoveAll(file))
		must(t, os.MkdirAll(filepath.Dir(file), 0o777))
		must(t, os.Symlink(to, file))
	}
	write := func(t *testing.T, file string, data []byte, mode fs.FileMode) {
		t.Helper()
		must(t, os.RemoveAll(file))
		must(t, os.MkdirAll(filepath.Dir(file), 0o777))
		must(t, os.WriteFile(file, data, mode))
	}
	linkDir := func(t *testing.T, file, dir string, old []byte) {
		t.Helper()
		must(t, os.MkdirAll(filepath.Dir(file), 0o777))
		must(t, os.Rename(filepath.Dir(file), filepath.Join(dir, "moved")))
		must(t, os.Symlink(filepath.Join(dir, "moved"), filepath.Dir(file)))
	}
	output := []writes{generates}
	return []hazard{
		{"a symlink out of the repository", func(t *testing.T, file, away string, old []byte) {
			write(t, filepath.Join(away, "file"), old, 0o666)
			link(t, filepath.Join(away, "file"), file)
		}, false, nil},
		{"a symlink of its directory", func(t *testing.T, file, away string, old []byte) { linkDir(t, file, away, old) }, false, nil},
		{"a symlink of its directory into .git", func(t *testing.T, file, away string, old []byte) { linkDir(t, file, ".git", old) }, false, nil},
		{"a symlink to nothing outside", func(t *testing.T, file, away string, old []byte) { link(t, filepath.Join(away, "none"), file) }, false, output},
		{"a symlink to nothing", func(t *testing.T, file, away string, old []byte) { link(t, "none", file) }, false, output},
		{"a symlink to itself", func(t *testing.T, file, away string, old []byte) { link(t, filepath.Base(file), file) }, false, output},
		{"a symlink to a hook", func(t *testing.T, file, away string, old []byte) {
			write(t, ".git/hooks/pre-commit", old, 0o777)
			wd, err := os.Getwd()
			must(t, err)
			link(t, filepath.Join(wd, ".git/hooks/pre-commit"), file)
		}, false, nil},
		{"a hard link", func(t *testing.T, file, away string, old []byte) {
			write(t, filepath.Join(away, "file"), old, 0o666)
			must(t, os.RemoveAll(file))
			must(t, os.MkdirAll(filepath.Dir(file), 0o777))
			must(t, os.Link(filepath.Join(away, "file"), file))
		}, true, nil},
		{"a read-only file", func(t *testing.T, file, away string, old []byte) { write(t, file, old, 0o444) }, false, nil},
		{"a directory", func(t *testing.T, file, away string, old []byte) {
			write(t, filepath.Join(file, "inside"), nil, 0o666)
		}, false, output},
		{"a pipe", func(t *testing.T, file, away string, old []byte) {
			must(t, os.RemoveAll(file))
			must(t, os.MkdirAll(filepath.Dir(file), 0o777))
			must(t, syscall.Mkfifo(file, 0o666))
		}, false, output},
		{"a file of another program", func(t *testing.T, file, away string, old []byte) {
			mark := "// Code generated by mapper. DO NOT EDIT.\n\n"
			if filepath.Ext(file) != ".go" {
				mark = "# Code generated by mapper. DO NOT EDIT.\n"
			}
			if bytes.Contains(old, []byte("DO NOT EDIT")) || bytes.Contains(old, []byte("controller-gen.kubebuilder.io/version")) {
				old = []byte("package " + filepath.Base(filepath.Dir(file)) + "\n")
			}
			if bytes.Contains(old, []byte("\nkind: ")) {
				old = []byte("apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: mapper\n")
			}
			write(t, file, slices.Concat([]byte(mark), old), 0o666)
		}, false, []writes{generates, edits}},
		{"a file in place of its directory", func(t *testing.T, file, away string, old []byte) {
			write(t, filepath.Dir(file), nil, 0o666)
		}, false, output},
		{"a symlink in the repository", func(t *testing.T, file, away string, old []byte) {
			write(t, "elsewhere/file", old, 0o666)
			wd, err := os.Getwd()
			must(t, err)
			link(t, filepath.Join(wd, "elsewhere/file"), file)
		}, true, nil},
		{"a symlink of its directory in the repository", func(t *testing.T, file, away string, old []byte) {
			must(t, os.MkdirAll("elsewhere", 0o777))
			wd, err := os.Getwd()
			must(t, err)
			linkDir(t, file, filepath.Join(wd, "elsewhere"), old)
		}, true, []writes{edits}},
		{"a symlink to it in another package", func(t *testing.T, file, away string, old []byte) {
			wd, err := os.Getwd()
			must(t, err)
			link(t, filepath.Join(wd, file), "another/types.go")
		}, true, []writes{edits}},
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// writtenTree returns all files below a directory: mode and content by name.
func writtenTree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := map[string]string{}
	must(t, filepath.WalkDir(dir, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		text := info.Mode().String()
		if info.Mode().IsRegular() {
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			text += " " + string(data)
		} else if info.Mode()&fs.ModeSymlink != 0 {
			to, err := os.Readlink(name)
			if err != nil {
				return err
			}
			text += " -> " + to
		}
		rel, err := filepath.Rel(dir, name)
		out[filepath.ToSlash(rel)] = text
		return err
	}))
	return out
}

// differing returns the names of files that two trees do not have in the same state.
func differing(before, after map[string]string) (out []string) {
	all := maps.Clone(before)
	maps.Copy(all, after)
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if before[name] != after[name] {
			out = append(out, name)
		}
	}
	return out
}

// writersBase returns the files of a repository.
func writersBase(t *testing.T) *txtar.Archive {
	t.Helper()
	base, err := txtar.ParseFile("testdata/writers.txtar")
	must(t, err)
	mod, sum := requirements(t)
	base.Files = append(base.Files, txtar.File{Name: "go.mod", Data: mod}, txtar.File{Name: "go.sum", Data: sum})
	return base
}

// newRepository makes a repository and a directory outside of it, and runs the command lines
// before a row. It returns both, and the command line of the row for a directory.
func newRepository(t *testing.T, row writingRow, dir string, base *txtar.Archive) (repository, away string) {
	t.Helper()
	root := t.TempDir()
	repository = filepath.Join(root, "repository")
	away = filepath.Join(root, "away")
	files := map[string][]byte{".git/HEAD": nil, ".git/hooks/pre-commit": []byte("#!/bin/sh\n")}
	for _, f := range base.Files {
		files[f.Name] = f.Data
	}
	if row.project != "" {
		files["schemagen.yaml"] = slices.Concat(files["schemagen.yaml"], []byte(strings.ReplaceAll(row.project, "DIR", dir)+"\n"))
	}
	for name, data := range files {
		name = filepath.Join(repository, name)
		must(t, os.MkdirAll(filepath.Dir(name), 0o777))
		must(t, os.WriteFile(name, data, 0o666))
	}
	must(t, os.MkdirAll(away, 0o777))
	t.Chdir(repository)
	for _, line := range row.before {
		words := strings.Fields(strings.ReplaceAll(line, "DIR", dir))
		switch words[0] {
		case "remove":
			must(t, os.Remove(words[1]))
		case "copy":
			data, err := os.ReadFile(words[1])
			must(t, err)
			must(t, os.WriteFile(words[2], data, 0o666))
		default:
			if code, text := runLine(t, line, dir); code != 0 {
				t.Fatalf("%s: %s", line, text)
			}
		}
	}
	return repository, away
}

func runLine(t *testing.T, line, dir string) (code int, text string) {
	t.Helper()
	var stdout, stderr bytes.Buffer
	args := strings.Fields(strings.ReplaceAll(line, "DIR", dir))
	if slices.Contains([]string{"crd", "rbac:roleName=r"}, args[0]) {
		args = append(args, "--no-cache")
	}
	code = run(t.Context(), args, &stdout, &stderr)
	return code, stderr.String()
}

// TestWriters runs every command that writes files on every kind of path. It may write in the
// repository, or write nothing at all; testdata/writers.txt has the exit code and the codes.
//
// Left out of make generate: it runs commands for half a minute.
func TestWriters(t *testing.T) {
	base := writersBase(t)
	const golden = "testdata/writers.txt"
	want, err := os.ReadFile(golden)
	must(t, err)
	goldenFile, err := filepath.Abs(golden)
	must(t, err)
	var got strings.Builder
	for _, row := range writingRows() {
		name := strings.TrimSpace(row.args + " " + row.project)
		repository, _ := newRepository(t, row, writersDir, base)
		before := writtenTree(t, repository)
		if code, text := runLine(t, row.args, writersDir); code != 0 {
			t.Errorf("%s: exit code %d: %s", name, code, text)
			continue
		}
		after := writtenTree(t, repository)
		changed := differing(before, after)
		i := slices.IndexFunc(changed, func(file string) bool {
			isFile := strings.HasPrefix(after[file], "-") || after[file] == "" && strings.HasPrefix(before[file], "-")
			return isFile && strings.HasPrefix(file, strings.ReplaceAll(row.file, "DIR", writersDir))
		})
		if i < 0 {
			t.Errorf("%s: changes only %q", name, changed)
			continue
		}
		old := after[changed[i]]
		if row.writes != generates {
			old = before[changed[i]]
		}
		_, old, _ = strings.Cut(old, " ")
		if row.writes == generates && strings.HasSuffix(changed[i], ".go") {
			old += "// old\n"
		} else if row.writes == generates {
			old += "# old\n"
		}
		fmt.Fprintf(&got, "%s: %s\n", name, changed[i])
		for _, h := range hazards() {
			if h.only == nil || slices.Contains(h.only, row.writes) {
				t.Run(name+", "+h.name, func(t *testing.T) {
					fmt.Fprintf(&got, "\t%s: %s\n", h.name, row.attack(t, h, changed[i], []byte(old), base))
					if row.writes == edits {
						wantEdited(t, changed[i], after[changed[i]], old)
					}
				})
			}
		}
	}
	if *update {
		must(t, os.WriteFile(goldenFile, []byte(got.String()), 0o666))
	} else if got.String() != string(want) {
		t.Errorf("%s differs: go test -run TestWriters -update\n%s", golden, got.String())
	}
}

// writersDir is the directory of outputs.
const writersDir = "config/crds"

// attack runs a row with a hazard in place of a file. It returns the exit code, and the codes of
// the errors and of files that were left.
func (row writingRow) attack(t *testing.T, h hazard, file string, old []byte, base *txtar.Archive) string {
	repository, away := newRepository(t, row, writersDir, base)
	h.make(t, file, away, old)
	root := filepath.Dir(repository)
	before := writtenTree(t, root)
	code, text := runLine(t, row.args, writersDir)
	changed := differing(before, writtenTree(t, root))
	for _, name := range changed {
		if !strings.HasPrefix(name, "repository") || strings.HasPrefix(name, "repository/.git") {
			t.Errorf("%s has changed", name)
		}
	}
	codes := regexp.MustCompile(`error\[SG\d+\]|SG511`).FindAllString(text, -1)
	slices.Sort(codes)
	codes = slices.Compact(codes)
	touched := slices.Contains(changed, "repository/"+file)
	switch {
	case code > 1 || code == 1 && (len(codes) == 0 || len(changed) > 0):
		t.Errorf("exit code %d, changed %q: %s", code, changed, text)
	case code == 0 && !h.safe && (touched || row.writes == generates && len(changed) > 0):
		t.Errorf("written, changed %q: %s", changed, text)
	case h.safe && row.writes == generates && (code != 0 || len(changed) == 0):
		t.Errorf("not written, exit code %d: %s", code, text)
	}
	out := strings.Join(append([]string{fmt.Sprint(code)}, codes...), " ")
	if row.writes != edits {
		return out
	}
	for _, name := range changed {
		out += "\n\t\tchanged " + strings.TrimPrefix(name, "repository/")
	}
	for _, d := range regexp.MustCompile(`(?m)^.*(?:error\[SG\d+\]|SG511\]): .*`).FindAllString(text, -1) {
		out += "\n\t\t" + strings.ReplaceAll(d, output.Physical(root), "ROOT")
	}
	return out
}

// wantEdited wants the file of an attack to have been edited as in a run without a hazard, or to be as
// it was, below the comment that another program may have written.
func wantEdited(t *testing.T, file, edited, old string) {
	t.Helper()
	_, edited, _ = strings.Cut(edited, " ")
	data, err := os.ReadFile(file)
	if errors.Is(err, fs.ErrNotExist) {
		return // the symlink of its directory does not lead to it
	}
	must(t, err)
	got := strings.TrimPrefix(string(data), "// Code generated by mapper. DO NOT EDIT.\n\n")
	if got != edited && got != old {
		t.Errorf("%s is\n%s", file, data)
	}
}

// TestWritersNamed has every command write to a directory outside of the repository, and to one
// in .git: only if the command line names it, it may.
func TestWritersNamed(t *testing.T) {
	base := writersBase(t)
	for _, row := range writingRows() {
		named := strings.Contains(row.args, "DIR")
		if !named && !strings.Contains(row.project, "DIR") {
			continue
		}
		for _, dir := range []string{"../away/crds", ".git/crds"} {
			if strings.HasPrefix(row.args, "types ") && dir != ".git/crds" {
				continue // the directory has to be in a module
			}
			t.Run(row.args+" "+row.project+" "+dir, func(t *testing.T) {
				repository, _ := newRepository(t, row, dir, base)
				before := writtenTree(t, filepath.Dir(repository))
				code, text := runLine(t, row.args, dir)
				changed := differing(before, writtenTree(t, filepath.Dir(repository)))
				position := regexp.MustCompile(`(?m)^schemagen\.yaml:\d+:\d+: error\[SG517\]: `).MatchString(text)
				if named && (code != 0 || len(changed) == 0) || !named && (code != 1 || len(changed) > 0 || !position) {
					t.Errorf("exit code %d, changed %q: %s", code, changed, text)
				}
			})
		}
	}
}

// TestWritersAreAll wants a row for every flag with which a command writes files, for every
// generator, and for every directory in schemagen.yaml.
func TestWritersAreAll(t *testing.T) {
	var lines, settings string
	for _, row := range writingRows() {
		lines += row.args + " \n"
		settings += row.project + "\n"
	}
	lines = strings.ReplaceAll(lines, " -o ", " --output ")
	elsewhere := map[string]string{
		"migrate --write":              "TestScripts/migrate-outside: it runs make and controller-gen",
		"generate --fix":               "crd --fix has a row, and its function corrects the sources here as well",
		"kubebuilder-plugin --install": "TestInstall of package kubebuilder: the file is in the user's directory",
	}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		cmd.LocalFlags().VisitAll(func(f *pflag.Flag) {
			line := strings.TrimPrefix(cmd.CommandPath(), "schemagen ") + " --" + f.Name
			writesFiles := slices.Contains([]string{"output", "write", "fix", "prune", "install"}, f.Name)
			readsOnly := slices.Contains([]string{"try", "test", "config", "lsp", "controller-gen"}, cmd.Name())
			if !writesFiles || readsOnly || elsewhere[line] != "" {
				return
			}
			covered := regexp.MustCompile(`(?m)^` + strings.TrimPrefix(cmd.CommandPath(), "schemagen ") + ` .*--` + f.Name + ` `)
			if !covered.MatchString(lines) {
				t.Errorf("no row has %s", line)
			}
		})
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(newRoot(&bytes.Buffer{}, &bytes.Buffer{}))
	for _, name := range commandline.Names() {
		if !regexp.MustCompile(`(?m)^` + name + `[ :]`).MatchString(lines) {
			t.Errorf("no row has the generator %s", name)
		}
	}
	for _, s := range project.Settings() {
		section, key, _ := strings.Cut(s.Key, ".")
		if section == "outputs" && !strings.Contains(settings, fmt.Sprintf("{%s: DIR}", key)) {
			t.Errorf("no row has the setting %s", s.Key)
		}
	}
}

// TestHeaders gives every command a header file in every place, and wants its text only where it
// may be read: neither in files, nor in the output of --check.
func TestHeaders(t *testing.T) {
	base := writersBase(t)
	rows := []struct{ args, project string }{
		{"crd ./api/v1 -o DIR --set crd.headerFile=HEADER", ""},
		{"crd ./api/v1 -o DIR", "crd: {headerFile: HEADER}"},
		{"crd:headerFile=HEADER paths=./api/v1 output:dir=DIR", ""},
		{"object:headerFile=HEADER paths=./api/v1", ""},
		{"rbac:roleName=r,headerFile=HEADER paths=./api/v1", ""},
		{"webhook:headerFile=HEADER paths=./api/v1", ""},
		{"applyconfiguration:headerFile=HEADER paths=./api/v1", ""},
		{"unions ./api/v1 --set functions.headerFile=HEADER", ""},
		{"unions ./api/v1", "functions: {headerFile: HEADER}"},
		{"conversions ./api/v1 ./api/v2 --set conversions.style=functions --set functions.headerFile=HEADER", ""},
	}
	// Places are the file, and where a symlink to it is, if not empty.
	places := []struct {
		name, file, link string
		// safe is set if the header may be read, also if schemagen.yaml names it.
		safe, named bool
	}{
		{"in the repository", "hack/header.txt", "", true, true},
		{"through a symlink in the repository", "hack/header.txt", "api/link.txt", true, true},
		{"outside", "../away/header.txt", "", false, true},
		{"outside, through a symlink", "../away/header.txt", "hack/link.txt", false, false},
		{"in .git", ".git/config", "", false, true},
		{"in .git, through a symlink", ".git/config", "hack/link.txt", false, false},
		{"outside, through a symlink outside", "../away/header.txt", "../away/link.txt", false, true},
	}
	const secret = "owner's text"
	for _, row := range rows {
		for _, place := range places {
			for _, mode := range []string{"", " --check"} {
				t.Run(row.args+" "+row.project+mode+", "+place.name, func(t *testing.T) {
					header := place.file
					if place.link != "" {
						header = place.link
					}
					writing := writingRow{args: row.args + mode, project: strings.ReplaceAll(row.project, "HEADER", header)}
					writing.args = strings.ReplaceAll(writing.args, "HEADER", header)
					comment := "// "
					if !regexp.MustCompile(`^(object|applyconf|unions|conv)`).MatchString(row.args) {
						comment = "# "
					}
					repository, _ := newRepository(t, writingRow{args: writing.args, project: ""}, writersDir, base)
					must(t, os.MkdirAll(filepath.Dir(place.file), 0o777))
					must(t, os.WriteFile(place.file, []byte(comment+secret+"\n"), 0o666))
					if place.link != "" {
						to, err := filepath.Abs(place.file)
						must(t, err)
						must(t, os.MkdirAll(filepath.Dir(place.link), 0o777))
						must(t, os.Symlink(to, place.link))
					}
					must(t, os.WriteFile("schemagen.yaml", []byte("gates: {Burst: {}}\n"+writing.project+"\n"), 0o666))
					before := writtenTree(t, filepath.Dir(repository))
					var stdout, stderr bytes.Buffer
					args := strings.Fields(strings.ReplaceAll(writing.args, "DIR", writersDir))
					if strings.HasPrefix(row.args, "crd") {
						args = append(args, "--no-cache")
					}
					code := run(t.Context(), args, &stdout, &stderr)
					after := writtenTree(t, filepath.Dir(repository))
					changed := differing(before, after)
					read := strings.Contains(stdout.String()+stderr.String(), secret) ||
						slices.ContainsFunc(changed, func(name string) bool { return strings.Contains(after[name], secret) })
					allowed := place.safe || place.named && row.project == ""
					refused := strings.Contains(stderr.String(), "error[SG517]") && code == 1 && len(changed) == 0
					if read != allowed || refused == allowed {
						t.Errorf("read: %t, exit code %d, changed %q\n%s%s", read, code, changed, &stdout, &stderr)
					}
				})
			}
		}
	}
}

// TestEditsKeepStyle runs every command that changes Go source on files in every style, and wants
// the same changes as in a plain file.
func TestEditsKeepStyle(t *testing.T) {
	windows := func(text string) string { return strings.ReplaceAll(text, "\n", "\r\n") }
	styles := map[string]func(string) string{
		"plain":                func(text string) string { return text },
		"ends of Windows":      windows,
		"a byte order mark":    func(text string) string { return "\ufeff" + text },
		"both":                 func(text string) string { return "\ufeff" + windows(text) },
		"unformatted at end":   func(text string) string { return text + "\ntype  U   int" },
		"one end of Windows":   func(text string) string { return text + "\n// U is a type.\r\ntype U int\n" },
		"no end at the end":    func(text string) string { return strings.TrimSuffix(text, "\n") },
		"a return in a string": func(text string) string { return text + "\nconst S = `a\r\nb`\n" },
	}
	base := writersBase(t)
	rows := 0
	for _, row := range writingRows() {
		if row.writes != edits {
			continue
		}
		rows++
		newRepository(t, row, writersDir, base)
		before := writtenTree(t, ".")
		if code, text := runLine(t, row.args, writersDir); code != 0 {
			t.Fatalf("%s: %s", row.args, text)
		}
		after := writtenTree(t, ".")
		for style, styled := range styles {
			t.Run(row.args+", "+style, func(t *testing.T) {
				newRepository(t, row, writersDir, base)
				for _, name := range differing(before, after) {
					_, text, _ := strings.Cut(before[name], " ")
					must(t, os.WriteFile(name, []byte(styled(text)), 0o666))
					must(t, os.Chmod(name, 0o640))
				}
				if code, text := runLine(t, row.args, writersDir); code != 0 {
					t.Fatalf("exit code %d: %s", code, text)
				}
				for _, name := range differing(before, after) {
					_, want, _ := strings.Cut(after[name], " ")
					data, err := os.ReadFile(name)
					must(t, err)
					if string(data) != styled(want) {
						t.Errorf("%s is\n%q, want\n%q", name, data, styled(want))
					}
					info, err := os.Stat(name)
					must(t, err)
					if info.Mode().Perm() != 0o640 {
						t.Errorf("mode %v", info.Mode())
					}
				}
			})
		}
	}
	if rows < 4 {
		t.Errorf("%d rows", rows)
	}
}
