//go:build unix

package main

import (
	"bytes"
	"cmp"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"github.com/schemagen/schemagen/internal/migrate"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/terminal"
)

var randomSeed = flag.Uint64("seed", 1, "of TestRandomChangesAreSeen")

// TestRandomChangesAreSeen repeatedly makes random changes to the inputs of a run: all flags of
// the command, files and directories, the project file, outputs, the environment, the working
// directory, and whether its output can be printed. After each change, a run with a cache must
// have the same exit code, output and files as a run without one in a copy of everything.
func TestRandomChangesAreSeen(t *testing.T) {
	projects, rounds := 10, 10
	if testing.Short() {
		rounds = 6
	}
	seed := *randomSeed
	var labs []*randomLab
	for i := range projects {
		l := newRandomLab(t, rand.New(rand.NewPCG(seed, uint64(i))))
		l.compare("nothing")
		labs = append(labs, l)
	}
	repeated := 0
	for range rounds {
		// By the time of a project's next turn, its files have stamps.
		for _, l := range labs {
			before := l.state()
			var changes []string
			for range 1 + l.random.IntN(2) {
				changes = append(changes, l.change())
			}
			if room := l.room; l.random.IntN(3) == 0 {
				// Output that could not be printed must not be cached as printed.
				l.room[0] = one(l.random, 0, 40)
				l.compare(strings.Join(changes, ", ") + " and no room")
				l.room = room
			}
			failed := l.compare(strings.Join(changes, ", ")) != 0
			if l.random.IntN(2) == 0 {
				l.compare("nothing")
			}
			if l.repeats() {
				repeated++
			}
			// Usually revert the change, so that earlier cache entries are found and errors
			// do not hide each other.
			if failed && l.random.IntN(4) > 0 || l.random.IntN(2) == 0 {
				l.restore(before)
				l.compare("changed back")
			}
			if t.Failed() {
				return
			}
		}
	}
	t.Logf("%d runs of %d would be repeated", repeated, projects*rounds)
	if repeated < projects*rounds/4 {
		t.Error("too few runs were repeated")
	}
}

// randomLab is a project and its twin, in which runs have no cache.
type randomLab struct {
	*sandbox
	random  *rand.Rand
	twin    string
	history []string
	// flags has the given flags by name.
	flags map[string]string
	// room is the capacity of standard error and output; -1 is no limit.
	room [2]int
	// separate runs in processes of their own, which can end early.
	separate bool
}

func newRandomLab(t *testing.T, random *rand.Rand) *randomLab {
	base := t.TempDir()
	p := newProjectIn(t, filepath.Join(base, "one"))
	p.args = []string{"crd", "./api/...", "--quiet"} // a summary has the time
	p.env = map[string]string{}
	p.write("work/schemagen.yaml", "outputs: {crd: ../out}\n")
	if random.IntN(2) == 0 {
		p.write("work/schemagen.yaml", "outputs: {crd: ../out}\nstrict: true\nwaivers: [{code: SG307, path: docs/**, reason: r}]\n")
		p.replace("work/api/types.go", "Maximun", "Maximum")
	}
	p.write("chart/values.yaml", "crds: {install: true, keep: true}\n")
	p.write("out/example.com_old.yaml", staleText("old"))
	if random.IntN(2) == 0 {
		p.remove("out/example.com_old.yaml")
	}
	return &randomLab{sandbox: p, random: random, twin: filepath.Join(base, "two"), flags: map[string]string{}, room: [2]int{-1, -1}}
}

// labState is the state that changes can modify.
type labState struct {
	env, flags map[string]string
	room       [2]int
	from       string
	files      map[string]labFile
}

// labFile is a file, a directory or a link; the meaning of text depends on the type.
type labFile struct {
	mode fs.FileMode
	text string
}

func (l *randomLab) state() labState {
	s := labState{maps.Clone(l.env), maps.Clone(l.flags), l.room, l.from, map[string]labFile{}}
	l.walk(l.dir, func(name string, e fs.DirEntry) {
		info, err := e.Info()
		l.check(err)
		file := labFile{mode: info.Mode()}
		switch e.Type() {
		case fs.ModeSymlink:
			file.text, err = os.Readlink(name)
			l.check(err)
		case 0:
			text, err := os.ReadFile(name)
			l.check(err)
			file.text = string(text)
		}
		s.files[name] = file
	})
	return s
}

// restore reverts differences.
func (l *randomLab) restore(s labState) {
	l.env, l.flags, l.room, l.from = s.env, s.flags, s.room, s.from
	now := l.state().files
	for _, name := range slices.Backward(slices.Sorted(maps.Keys(now))) {
		if was, ok := s.files[name]; !ok || was.mode.Type() != now[name].mode.Type() || was.mode.Type() == fs.ModeSymlink && was != now[name] {
			l.check(os.RemoveAll(name))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.files)) {
		was := s.files[name]
		if _, err := os.Lstat(name); err == nil && was == now[name] {
			continue
		}
		switch was.mode.Type() {
		case fs.ModeDir:
			l.check(os.MkdirAll(name, was.mode.Perm()))
		case fs.ModeSymlink:
			l.check(os.Symlink(was.text, name))
		case fs.ModeNamedPipe:
			l.check(syscall.Mkfifo(name, 0o644))
		default:
			l.check(os.WriteFile(name, []byte(was.text), was.mode.Perm()))
		}
	}
}

// limited is a writer with a limited capacity; -1 is no limit.
type limited struct {
	room int
	text bytes.Buffer
}

func (w *limited) Write(p []byte) (int, error) {
	if w.room < 0 {
		return w.text.Write(p)
	}
	n := min(w.room, len(p))
	w.text.Write(p[:n])
	w.room -= n
	if n < len(p) {
		return n, syscall.ENOSPC
	}
	return n, nil
}

// compare runs in the project and its twin, compares the results, and returns the exit code.
func (l *randomLab) compare(what string) int {
	l.history = append(l.history, what)
	l.check(os.RemoveAll(l.twin))
	l.copy(l.dir, l.twin)
	want := l.runIn(l.twin, "--no-cache")
	got := l.runIn(l.dir, "--set", "cacheDir="+l.at("cache"))
	if got.code != want.code || got.stdout != want.stdout || got.stderr != want.stderr {
		l.t.Errorf("after %s\ngot exit code %d and\n%s%s\nwant, as without a cache, %d and\n%s%s", strings.Join(l.history, "\n"), got.code, got.stdout, got.stderr, want.code, want.stdout, want.stderr)
	}
	for name := range merged(got.files, want.files) {
		if a, b := got.files[name], want.files[name]; a != b {
			l.t.Errorf("after %s\nfile %s: got\n%s\nwant, as without a cache,\n%s", strings.Join(l.history, "\n"), name, a, b)
		}
	}
	return want.code
}

// runIn runs in the project or its twin; in the output, the twin's file names become the
// project's.
func (l *randomLab) runIn(dir string, more ...string) outcome {
	here := func(text string) string { return strings.ReplaceAll(text, l.dir, dir) }
	there := func(text string) string { return strings.ReplaceAll(text, dir, l.dir) }
	p := &sandbox{t: l.t, dir: dir, env: map[string]string{}, from: l.from}
	for name, value := range l.env {
		p.env[name] = here(value)
	}
	p.enter(l.t)
	args := slices.Clone(l.args)
	for _, name := range slices.Sorted(maps.Keys(l.flags)) {
		args = append(args, "--"+name+"="+here(l.flags[name]))
	}
	out := outcome{}
	if l.separate && dir == l.dir {
		p.args = args
		out = p.process(more...)
	} else {
		stderr, stdout := &limited{room: l.room[0]}, &limited{room: l.room[1]}
		out.code = run(l.t.Context(), append(args, more...), stdout, stderr)
		out.stdout, out.stderr = stdout.text.String(), stderr.text.String()
	}
	out.stdout, out.stderr, out.files = there(out.stdout), there(out.stderr), map[string]string{}
	l.walk(dir, func(name string, e fs.DirEntry) {
		if e.Type().IsRegular() {
			text, err := os.ReadFile(name)
			l.check(err)
			out.files[there(name)] = there(string(text))
		}
	})
	return out
}

// walk calls f for everything in a directory except the cache.
func (l *randomLab) walk(dir string, f func(name string, e fs.DirEntry)) {
	l.check(filepath.WalkDir(dir, func(name string, e fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case name == filepath.Join(dir, "cache"):
			return filepath.SkipDir
		case name != dir:
			f(name, e)
		}
		return nil
	}))
}

func (l *randomLab) copy(from, to string) {
	l.check(os.MkdirAll(to, 0o755))
	l.walk(from, func(name string, e fs.DirEntry) {
		target := to + strings.TrimPrefix(name, from)
		info, err := e.Info()
		l.check(err)
		switch e.Type() {
		case fs.ModeDir:
			l.check(os.Mkdir(target, info.Mode()))
		case fs.ModeSymlink:
			link, err := os.Readlink(name)
			l.check(err)
			l.check(os.Symlink(strings.ReplaceAll(link, from, to), target))
		case fs.ModeNamedPipe:
			l.check(syscall.Mkfifo(target, 0o644))
		default:
			text, err := os.ReadFile(name)
			l.check(err)
			l.check(os.WriteFile(target, []byte(strings.ReplaceAll(string(text), from, to)), info.Mode()))
		}
	})
}

// repeats reports whether a run would replay an earlier one.
func (l *randomLab) repeats() bool {
	saved := l.dir + "-saved"
	if err := os.CopyFS(saved, os.DirFS(l.at("cache"))); err != nil {
		return false // nothing is cached
	}
	defer func() {
		l.check(os.RemoveAll(l.at("cache")))
		l.check(os.Rename(saved, l.at("cache")))
	}()
	if l.poison() == 0 || l.room[0] >= 0 {
		return false
	}
	return strings.Contains(l.runIn(l.dir, "--set", "cacheDir="+l.at("cache")).stderr, remembered)
}

func one[T any](r *rand.Rand, of ...T) T { return of[r.IntN(len(of))] }

// change makes a random change and describes it.
func (l *randomLab) change() string {
	r := l.random
	switch r.IntN(16) {
	case 0, 1, 2:
		return l.changeFlag()
	case 3:
		return l.changeProjectFile()
	case 4:
		name := one(r, "GOFLAGS", "GOOS", "GOARCH", "CGO_ENABLED", "CC", "GO111MODULE", "GOEXPERIMENT", "GODEBUG", "GOROOT", "GOWORK", "GOENV", "HOME", "XDG_CONFIG_HOME", "PATH", "GOMODCACHE",
			"KUBE_FEATURE_Anything", "TERM", "COLUMNS", "NO_COLOR", "LC_ALL", "TZ", "GITHUB_ACTIONS")
		if _, set := l.env[name]; set && r.IntN(2) == 0 {
			delete(l.env, name)
			return "unset " + name
		}
		l.env[name] = one(r, "", "off", "1", "dumb", "-tags=tagged", otherOS(), "x\xe9", l.at("newer"), l.at("newer/bin"), l.at("home"), l.at("other"), l.at("mod"))
		return fmt.Sprintf("%s=%q", name, l.env[name])
	case 5:
		i := r.IntN(2)
		l.room[i] = one(r, -1, -1, 0, 40, 400)
		return fmt.Sprint("room ", l.room)
	case 6:
		l.from = one(r, "work", "work", "work/api", ".")
		if _, err := os.Stat(l.at(l.from)); err != nil {
			l.from = "."
		}
		return "in " + l.from
	case 7, 8, 9:
		return l.newFile()
	}
	return l.changeFile()
}

// changeFlag changes the value of a flag or removes the flag.
func (l *randomLab) changeFlag() string {
	r := l.random
	if len(l.flags) > 0 && r.IntN(2) == 0 {
		name := one(r, slices.Sorted(maps.Keys(l.flags))...)
		delete(l.flags, name)
		return "without --" + name
	}
	var flags []*pflag.Flag
	root := newRoot(io.Discard, io.Discard)
	name := "crd"
	if isControllerGenSyntax(root, l.args) {
		name = controllerGenCommand
	}
	command, _, err := root.Find([]string{name})
	l.check(err)
	command.InheritedFlags()
	for _, set := range []*pflag.FlagSet{command.Flags(), root.PersistentFlags()} {
		set.VisitAll(func(f *pflag.Flag) {
			if !slices.Contains([]string{"watch", "no-cache", "help", "which-markers", "quiet"}, f.Name) {
				flags = append(flags, f)
			}
		})
	}
	f := one(r, flags...)
	switch f.Value.Type() {
	case "bool":
		l.flags[f.Name] = one(r, "true", "true", "false")
	case "int":
		l.flags[f.Name] = one(r, "0", "3", "70")
	default:
		known := map[string][]string{
			"output": {"../out", "../out2", "-", ".", l.at("out")},
			"kinds":  {"Widget", "Gadget", "Widget.example.com"}, "groups": {"example.com", "example.org"}, "unions": {"cel", "oneOf", "none"}, "kube-version": {"1.30", "1.33"},
			"format": {"text", "json", "sarif", "github"}, "enable": {"union-transition", "declarative-validation"}, "rules": {"review", "SG240"}, "since": {"git:HEAD"}, "set": {
				"allow=kubebuilder:validation:Maximun", "allow=kubebuilder", "tags=tagged", "tags=ignore_autogenerated,x", "lister=auto", "lister=go", "outputs.helm=../chart/crds",
				"outputs.helm=../chart/templates", "crd.headerFile=header.txt", "crd.headerFile=../work/header.txt", "crd.headerFile=/dev/null", "crd.headerFile=none", "crd.year=2026", "crd.maxDescLen=3",
				"crd.kustomize=true", "crd.omitToolVersion=true", "crd.allowDangerousTypes=true", "crd.embeddedObjectMeta=true", "outputs.crd=../out2", "paths=./...", "strict=true"}, "load-build-tags": {"tagged", "ignore_autogenerated,x"}, migrate.WithinFlag: {".", ".."},
			"color": terminal.Modes(), "gates": {"X", "*,!X", ""}, "channel": {"standard", "standard,wide", "none"}, "config": {"schemagen.yaml", "../other.yaml"},
		}
		l.flags[f.Name] = one(r, append(known[f.Name], known[f.Name]...)...) // an unknown flag panics
	}
	return fmt.Sprintf("--%s=%q", f.Name, l.flags[f.Name])
}

// changeProjectFile writes a project file with random settings from the table, or removes it.
func (l *randomLab) changeProjectFile() string {
	r := l.random
	if r.IntN(6) == 0 {
		l.remove("work/schemagen.yaml")
		return "no schemagen.yaml"
	}
	groups := map[string]string{}
	for range r.IntN(4) {
		s := one(r, project.Settings()...)
		value := one(r, "../out", "header.txt", "'1.30'", "cel", "x")
		switch s.Kind {
		case project.Boolean:
			value = one(r, "true", "false")
		case project.Number:
			value = one(r, "0", "30")
		case project.List, project.Patterns:
			value = one(r, "[./api/...]", "[x]", "[]")
		}
		if s.Key == "cacheDir" || s.Key == "lister" {
			continue
		}
		group, key, nested := strings.Cut(s.Key, ".")
		if !nested {
			groups[s.Key] = value
		} else if !strings.Contains(groups[group], key+":") {
			groups[group] = strings.TrimPrefix(groups[group]+", "+key+": "+value, ", ")
		}
	}
	if r.IntN(2) == 0 {
		groups["waivers"] = fmt.Sprintf("[{code: %s, path: '%s', reason: r}]", one(r, "SG303", "SG307", "SG501"), one(r, "api/**", "docs/**", "more/*.go", "api/types.go", "nothing"))
	}
	if r.IntN(2) == 0 {
		groups["severities"] = "{SG303: " + one(r, project.Severities()...) + ", SG508: " + one(r, project.Severities()...) + "}"
	}
	if r.IntN(3) == 0 {
		groups["strict"] = "true"
	}
	if r.IntN(3) == 0 {
		groups["channels"] = one(r, "{standard: []}", "{standard: [], wide: [X]}", "{standard: {gates: ['*'], crd: ../out2}, wide: {gates: ['@standard', '!X'], suffix: -wide, annotations: {a: b}}}")
		if strings.Contains(groups["channels"], "wide") && r.IntN(2) == 0 {
			groups["contains"] = one(r, "[]", "[{narrow: standard, wide: wide}]", "[{narrow: wide, wide: standard}]")
		}
		if r.IntN(2) == 0 {
			groups["join"] = one(r, "true", "true", "false")
		}
	}
	var text strings.Builder
	for _, key := range slices.Sorted(maps.Keys(groups)) {
		value := groups[key]
		if nested, _ := project.Sections(); slices.Contains(nested, key) {
			value = "{" + value + "}"
		}
		fmt.Fprintf(&text, "%s: %s\n", key, value)
	}
	if info, err := os.Stat(l.at("work/schemagen.yaml")); err == nil && !info.Mode().IsRegular() {
		l.check(os.RemoveAll(l.at("work/schemagen.yaml"))) // opening a pipe would wait for a reader
	}
	l.write("work/schemagen.yaml", text.String())
	return fmt.Sprintf("schemagen.yaml %q", text.String())
}

// newFile creates a file in one of the directories.
func (l *randomLab) newFile() string {
	r := l.random
	var folders []string
	l.walk(l.dir, func(name string, e fs.DirEntry) {
		if e.IsDir() {
			folders = append(folders, name)
		}
	})
	texts := map[string][]string{
		"more.go":                  {"package api\n\nfunc (Spec) MarshalJSON() ([]byte, error) { return nil, nil }\n", "package api", ""},
		"more_test.go":             {"package api\n"},
		"go.mod":                   {"module example.com/other\n\ngo 1.26\n"},
		"go.work":                  {"go 1.26\n\nuse ./work\n"},
		"schemagen.yaml":           {"strict: true\n", "outputs: {crd: ../out}\n"},
		"more/doc.go":              {"// +groupName=example.net\npackage more\n\n// +kubebuilder:validation:Maximun=1\ntype A int\n"},
		"docs/legacy/old.go":       {"package legacy\n"},
		"example.com_stale.yaml":   {staleText("stale")},
		"kustomization.yaml":       {"resources: []\n", "# Code generated by schemagen. DO NOT EDIT.\n"},
		"gopackagesdriver":         {""},
		".schemagen-AAA.tmp":       {"x"},
		"vendor/modules.txt":       {"# example.com/lib v1.0.0\n"},
		"example.com_widgets.yaml": {""},
	}
	base := one(r, slices.Sorted(maps.Keys(texts))...)
	folder := one(r, folders...)
	if r.IntN(3) > 0 { // where it is most likely to matter
		likely := [][2]string{{"work", "docs/legacy/old.go"}, {"work", "docs/legacy/old.go"}, {"work/api", "more.go"}, {"work/api", "go.mod"}, {"work/api", "more/doc.go"}, {"out", "example.com_stale.yaml"}, {"out", "kustomization.yaml"}, {"work/api", "schemagen.yaml"}, {".", "go.work"}}
		at := one(r, likely...)
		folder, base = l.at(at[0]), at[1]
	}
	name := filepath.Join(folder, filepath.FromSlash(base))
	if _, err := os.Lstat(name); err == nil {
		return "nothing"
	}
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		return "nothing"
	}
	l.check(os.WriteFile(name, []byte(one(r, texts[base]...)), one[fs.FileMode](r, 0o644, 0o755)))
	return "new " + name
}

// changeFile changes, moves or removes a file or directory.
func (l *randomLab) changeFile() string {
	r := l.random
	var files, folders []string
	l.walk(l.dir, func(name string, e fs.DirEntry) {
		rel := strings.TrimPrefix(name, l.dir+"/")
		switch {
		case e.Type().IsRegular():
			files = append(files, name)
			if strings.HasPrefix(rel, "out") || strings.HasPrefix(rel, "work/api") {
				files = append(files, name, name, name) // these matter most
			}
		case e.IsDir() && strings.Contains(rel, "/"):
			folders = append(folders, name)
		}
	})
	name := one(r, files...)
	text, err := os.ReadFile(name)
	l.check(err)
	info, err := os.Stat(name)
	l.check(err)
	put := func(what string, text []byte) string {
		l.check(os.WriteFile(name, text, info.Mode()))
		return what + " " + name
	}
	switch r.IntN(13) {
	case 0:
		l.check(os.Remove(name))
		return "removed " + name
	case 1:
		return put("cut", text[:r.IntN(len(text)+1)])
	case 2:
		return put("grown", append(text, one(r, "x", "\n", "// more\n", "# more\n", "type More struct{}\n")...))
	case 3, 4:
		if len(text) > 0 {
			text[r.IntN(len(text))] = byte(one(r, 'x', ' ', '1', 0xff))
		}
		what := put("a byte of", text)
		if r.IntN(2) == 0 {
			l.check(os.Chtimes(name, info.ModTime(), info.ModTime()))
			what += " at its time"
		}
		return what
	case 5, 6, 7:
		pairs := [][2]string{{"int32", "int64"}, {"Maximun", "Maximum"}, {"Maximum", "Maximun"}, {"Extra ", "Missing "}, {"Missing ", "Extra "}, {"example.com", "example.org"}, {"go1.27", "go1.26"}, {"is more", "is less"},
			{"v1.0.0", "v1.1.0"}, {"// end", "func (Spec) MarshalJSON() ([]byte, error) { return nil, nil }"}, {"plural: widgets", "plural: gadgets"}, {"version: schemagen", "version: v0.1"}, {"Copyright", "Copyleft"}, {"Widget", "Gadget"}}
		pair := one(r, pairs...)
		files = slices.DeleteFunc(files, func(name string) bool {
			text, err := os.ReadFile(name)
			return err != nil || !strings.Contains(string(text), pair[0])
		})
		if len(files) == 0 {
			return "nothing"
		}
		name = one(r, files...)
		text, err = os.ReadFile(name)
		l.check(err)
		info, err = os.Stat(name)
		l.check(err)
		return put(pair[0]+" to "+pair[1]+" in", bytes.ReplaceAll(text, []byte(pair[0]), []byte(pair[1])))
	case 8:
		to := filepath.Join(filepath.Dir(name), one(r, "a", "_", "z_")+filepath.Base(name))
		l.check(os.Rename(name, to))
		return "renamed " + name
	case 9:
		other := l.dir + fmt.Sprint("/moved", r.Uint32())
		l.check(errors.Join(os.Rename(name, other), os.Symlink(other, name)))
		return "linked " + name
	case 10:
		l.check(os.Remove(name))
		switch r.IntN(3) {
		case 0:
			l.check(os.Mkdir(name, 0o755))
			return "a folder for " + name
		case 1:
			l.check(os.Symlink("nowhere", name))
			return "a dead link for " + name
		}
		l.check(syscall.Mkfifo(name, 0o644))
		return "a pipe for " + name
	case 11:
		if len(folders) == 0 {
			return "nothing"
		}
		folder := one(r, folders...)
		if folder == l.at(cmp.Or(l.from, "work")) {
			return "nothing"
		}
		if r.IntN(2) == 0 {
			l.check(os.RemoveAll(folder))
			l.from = "."
			return "removed " + folder
		}
		other := l.dir + fmt.Sprint("/moved", r.Uint32())
		l.check(errors.Join(os.Rename(folder, other), os.Symlink(other, folder)))
		return "linked " + folder
	}
	now := time.Now().Add(-time.Duration(r.IntN(100)) * time.Hour)
	l.check(os.Chtimes(name, now, now))
	return "touched " + name
}
