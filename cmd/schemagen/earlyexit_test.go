//go:build linux || darwin

package main

import (
	"math/rand/v2"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
)

// newEarlyProject returns a project whose next process with the arguments ends early.
func newEarlyProject(t *testing.T, args ...string) *sandbox {
	p := newProject(t)
	p.args = slices.Concat(p.args, args, []string{"--set", "cacheDir=" + p.at("cache")})
	p.run()
	p.run() // the first run created a file in a directory that it had read
	time.Sleep(2100 * time.Millisecond)
	p.process()
	return p
}

// TestEarlyExitIsTaken counts the packages that are initialized before a process ends
// early: hundreds are linked.
func TestEarlyExitIsTaken(t *testing.T) {
	t.Setenv("GODEBUG", "")
	initialized := func(p *sandbox) (n int) {
		for line := range strings.Lines(p.process().stderr) {
			if strings.HasPrefix(line, "init ") {
				n++
			}
		}
		return n
	}
	p := newProject(t)
	p.args = append(p.args, "--set", "cacheDir="+p.at("cache"))
	t.Setenv("GODEBUG", "inittrace=1")
	p.run()
	p.run()
	time.Sleep(2100 * time.Millisecond)
	before, early := initialized(p), initialized(p)
	if before < 300 || early == 0 || early > 40 {
		t.Errorf("%d packages are initialized before an early exit, and %d before a run", early, before)
	}
	p.check(os.Rename(p.at("cache/schemagen-cache/CACHEDIR.TAG"), p.at("tag")))
	if n := initialized(p); n < 300 {
		t.Errorf("%d packages are initialized before a run whose cache is none", n)
	}
	p.check(os.Rename(p.at("tag"), p.at("cache/schemagen-cache/CACHEDIR.TAG")))
	if n := initialized(p); n != early {
		t.Errorf("%d packages are initialized before another early exit, and %d before the first", n, early)
	}
	p.replace("work/api/types.go", "int32", "int64")
	if n := initialized(p); n < 300 {
		t.Errorf("%d packages are initialized before a run after a change", n)
	}
}

// TestEarlyExitsPrintTheSame wants a process that ends early to print the same bytes, with
// the same exit code, in each format.
func TestEarlyExitsPrintTheSame(t *testing.T) {
	projects := map[string]*sandbox{}
	for _, broken := range []bool{false, true} {
		for _, format := range []string{"text", "json", "sarif", "github"} {
			p := newProject(t)
			p.args = append(p.args, "--set", "cacheDir="+p.at("cache"), "--format", format)
			if broken {
				p.replace("work/api/types.go", "Extra Extra", "Extra Missing")
				format += " with errors"
			}
			p.run()
			p.run()
			projects[format] = p
		}
	}
	time.Sleep(2100 * time.Millisecond)
	for name, p := range projects {
		t.Run(name, func(t *testing.T) {
			p.enter(t)
			want := p.process("--no-cache")
			p.process()
			if p.poisonEnds(); p.process().stderr != rememberedEnd {
				t.Fatal("it did not end early")
			}
			for range 2 {
				p.check(os.RemoveAll(p.at("cache"))) // with what was poisoned
				p.process()
				p.process()
				if got := p.process(); !got.equal(want) {
					t.Errorf("got %d and\n%s\nwant %d and\n%s", got.code, got.stderr, want.code, want.stderr)
				}
			}
		})
	}
}

// TestEarlyExitOfAnotherProgram wants a process not to end like that of a program which was
// in its place, even if only the file is another one.
func TestEarlyExitOfAnotherProgram(t *testing.T) {
	p := newProject(t)
	p.args = append(p.args, "--set", "cacheDir="+p.at("cache"))
	program, err := os.Executable()
	p.check(err)
	text, err := os.ReadFile(program)
	p.check(err)
	install := func() {
		_ = os.Remove(p.at("program"))
		p.check(os.WriteFile(p.at("program"), text, 0o755))
		time.Sleep(2100 * time.Millisecond)
	}
	run := func() string {
		command := exec.Command(p.at("program"), p.args...)
		command.Args[0] = "schemagen-main"
		text, _ := command.CombinedOutput()
		return string(text)
	}
	p.run()
	p.run()
	install()
	run()
	if p.poisonEnds() != 1 || run() != rememberedEnd {
		t.Fatal("it did not end early")
	}
	install()
	if out := run(); strings.Contains(out, rememberedEnd) {
		t.Error("another program ended like it")
	}
}

// TestEarlyExitsOfEqualRequests wants a process to depend on its own command line where it
// repeats the run of another one, for which a project file does not matter.
func TestEarlyExitsOfEqualRequests(t *testing.T) {
	p := newEarlyProject(t, "--no-config")
	p.args = slices.DeleteFunc(p.args, func(arg string) bool { return arg == "--no-config" })
	if p.poison() != 1 {
		t.Fatal("another run was kept")
	}
	if out := p.process(); !strings.Contains(out.stderr, remembered) {
		t.Fatalf("the run is not repeated: %s", out.stderr)
	}
	if p.poisonEnds() != 2 || p.process().stderr != rememberedEnd {
		t.Fatal("it did not end early")
	}
	p.write("work/schemagen.yaml", "crd: {maxDescLen: 3}\n")
	if got, want := p.process(), p.run("--no-cache"); !got.equal(want) {
		t.Errorf("got\n%s\nwant\n%s", got.stderr, want.stderr)
	}
}

// TestEarlyExitsOfOtherDirectories wants a process in the root of a project not to end like one below it,
// for which a path of --set is another one.
func TestEarlyExitsOfOtherDirectories(t *testing.T) {
	p := newProject(t)
	p.args = []string{"generate", "--set", "outputs.crd=crds", "--set", "cacheDir=" + p.at("cache")}
	p.write("work/schemagen.yaml", "paths: [./api/...]\n")
	t.Chdir(p.at("work/api"))
	p.run()
	p.run()
	time.Sleep(2100 * time.Millisecond)
	p.process()
	t.Chdir(p.at("work"))
	got := p.process()
	if _, ok := got.files[p.at("work/crds/example.com_widgets.yaml")]; !ok || got.code != 0 {
		t.Errorf("no file is written, with exit code %d and\n%s", got.code, got.stderr)
	}
}

// TestEarlyExitsThatCannotPrint wants a process whose standard error is full to fail as it
// does without a cache.
func TestEarlyExitsThatCannotPrint(t *testing.T) {
	full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
	if err != nil {
		t.Skip(err)
	}
	defer full.Close()
	p := newEarlyProject(t)
	program, err := os.Executable()
	p.check(err)
	command := exec.Command(program, p.args...)
	command.Args[0], command.Stderr = "schemagen-main", full
	_ = command.Run()
	if code := command.ProcessState.ExitCode(); code != reporting.ExitFailure {
		t.Errorf("exit code %d", code)
	}
}

// TestRandomChangesAreSeenEarly is TestRandomChangesAreSeen for processes that end early
// whenever they can. Each change is made to a project whose next process would.
func TestRandomChangesAreSeenEarly(t *testing.T) {
	projects, rounds := 8, 8
	if testing.Short() {
		rounds = 3
	}
	var labs []*randomLab
	for i := range projects {
		l := newRandomLab(t, rand.New(rand.NewPCG(*randomSeed, 1000+uint64(i))))
		l.separate = true
		if i%2 == 1 {
			l.write("work/schemagen.yaml", "crd: {maxDescLen: 100}\n")
			l.write("work/api/roles.go", "// +kubebuilder:object:generate=true\npackage api\n\n// +kubebuilder:rbac:groups=example.com,resources=widgets,verbs=get\n\ntype Role struct{ Names []string }\n")
			l.args = []string{"object", "rbac:roleName=r", "crd", "paths=./api/...", "output:crd:dir=../out", "--quiet"}
		}
		l.compare("nothing")
		if code := l.compare("nothing"); code != 0 && i%2 == 1 {
			t.Fatalf("project %d: exit code %d", i, code)
		}
		labs = append(labs, l)
	}
	early := [2]int{} // of crd, and of several generators
	changed := make([]time.Time, projects)
	for range rounds {
		for i, l := range labs {
			time.Sleep(time.Until(changed[i].Add(2100 * time.Millisecond)))
			l.compare("time") // keeps how it ends
			if l.endsEarly() {
				early[i%2]++
			}
			before := l.state()
			var changes []string
			for range 1 + l.random.IntN(2) {
				changes = append(changes, l.change())
			}
			l.room = [2]int{-1, -1} // a process has no limit
			failed := l.compare(strings.Join(changes, ", ")) != 0
			if failed && l.random.IntN(4) > 0 || l.random.IntN(2) == 0 {
				l.restore(before)
				l.compare("changed back")
			}
			l.compare("nothing")
			changed[i] = time.Now()
			if t.Failed() {
				return
			}
		}
	}
	t.Logf("%v processes of %d would end early", early, projects*rounds)
	if min(early[0], early[1]) < projects*rounds/8 {
		t.Error("too few to tell anything")
	}
}

// endsEarly reports whether a process would end early.
func (l *randomLab) endsEarly() bool {
	saved := l.dir + "-saved"
	if err := os.CopyFS(saved, os.DirFS(l.at("cache"))); err != nil {
		return false // nothing is cached
	}
	defer func() {
		l.check(os.RemoveAll(l.at("cache")))
		l.check(os.Rename(saved, l.at("cache")))
	}()
	return l.poisonEnds() > 0 && l.runIn(l.dir, "--set", "cacheDir="+l.at("cache")).stderr == rememberedEnd
}
