//go:build unix

package main

import (
	"cmp"
	"io/fs"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
)

// TestGenerateNoticesChanges changes a Kubebuilder project at random: a generated file is edited,
// removed, made executable or added, a marker is removed, or something changes that no output
// depends on. schemagen generate --check must name exactly the files that schemagen generate then
// writes or removes.
func TestGenerateNoticesChanges(t *testing.T) {
	rounds := 150
	if testing.Short() {
		rounds = 20
	}
	p := newScaffold(t)
	original := p.tree()
	kinds := map[string]int{}
	for round := range rounds {
		random := rand.New(rand.NewPCG(*randomSeed, uint64(round)))
		var history []string
		harmless := true
		for range 1 + random.IntN(2) {
			kind := one(random, slices.Sorted(maps.Keys(p.changes()))...)
			what := p.changes()[kind](random)
			history = append(history, kind+" "+what)
			harmless = harmless && kind == "harmless"
			kinds[kind]++
		}
		before := p.tree()
		code, named, text := p.generate("--check")
		if !maps.Equal(before, p.tree()) {
			t.Fatalf("%d: %s: --check changed files", round, history)
		}
		writes, _, _ := p.generate()
		changed := differing(before, p.tree())
		switch {
		case code == 1 && writes == 1: // a mistake in the source, of which no file is written
			changed = named
		case code != min(len(changed), 1) || writes != 0:
			t.Errorf("%d: %s: exit codes %d and %d, changed: %q\n%s", round, history, code, writes, changed, text)
		}
		// A file that may be in use is kept, and reported.
		kept := strings.Contains(text, "warning[SG501]: no marker asks for")
		if !slices.Equal(named, changed) || harmless != (code == 0) && !kept {
			t.Errorf("%d: %s: exit code %d, named %q, changed %q\n%s", round, history, code, named, changed, text)
		}
		p.restore(original)
		if code, _, text := p.generate("--check"); code != 0 {
			t.Fatalf("%d: changed back: %s", round, text)
		}
	}
	for kind := range p.changes() {
		if kinds[kind] == 0 {
			t.Errorf("no change of the kind %s", kind)
		}
	}
}

// scaffold is a Kubebuilder project, which is the working directory.
type scaffold struct {
	t *testing.T
	// generated are the files that schemagen generate wrote.
	generated []string
	// gadgets is a definition that schemagen wrote for a kind that no longer exists.
	gadgets string
}

// newScaffold returns the project of testdata/script/generate.txtar, with its files generated.
func newScaffold(t *testing.T) *scaffold {
	archive, err := txtar.ParseFile("../../testdata/script/generate.txtar")
	if err != nil {
		t.Fatal(err)
	}
	mod, sum := requirements(t)
	files := map[string]string{
		"go.mod": regexp.MustCompile(`(?m)^module .*`).ReplaceAllString(string(mod), "module example.com/project"),
		"go.sum": string(sum), "README.md": "A project.\n", "internal/other/other.go": "package other\n",
	}
	for _, f := range archive.Files {
		switch top, _, _ := strings.Cut(f.Name, "/"); top {
		case "PROJECT", "api", "hack", "internal":
			files[f.Name] = string(f.Data)
		}
	}
	dir := t.TempDir()
	t.Setenv("GOPROXY", "off")
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	t.Chdir(dir)
	p := &scaffold{t: t}
	for name, text := range files {
		p.write(name, text)
	}
	before := p.tree()
	if code, _, text := p.generate(); code != 0 {
		t.Fatal(text)
	}
	p.generated = differing(before, p.tree())
	if len(p.generated) < 5 {
		t.Fatalf("generated only %q", p.generated)
	}
	p.gadgets = strings.NewReplacer("widget", "gadget", "Widget", "Gadget").Replace(p.read("config/crd/bases/example.com_widgets.yaml"))
	return p
}

// changes returns the kinds of changes. A change returns what it did.
func (p *scaffold) changes() map[string]func(*rand.Rand) string {
	return map[string]func(*rand.Rand) string{
		"edit": func(r *rand.Rand) string {
			name := p.existing(r)
			lines := strings.SplitAfter(p.read(name), "\n")
			at := len(lines)/2 + r.IntN(len(lines)/2) // the beginning of Go files says who wrote them
			lines[at] = one(r, "# other\n", lines[at]+lines[at]+"\n")
			p.write(name, strings.Join(lines, ""))
			return name
		},
		"remove": func(r *rand.Rand) string {
			name := p.existing(r)
			p.check(os.Remove(name))
			return name
		},
		"chmod": func(r *rand.Rand) string {
			name := p.existing(r)
			p.check(os.Chmod(name, 0o755))
			return name
		},
		"add": func(r *rand.Rand) string {
			switch name := p.existing(r); {
			case strings.HasSuffix(name, ".go"):
				text := regexp.MustCompile(`(?s)\npackage .*`).ReplaceAllString(p.read(name), "\npackage other\n")
				p.write("internal/other/"+filepath.Base(name), text)
				return name
			default:
				p.write("config/crd/bases/example.com_gadgets.yaml", p.gadgets)
				return "gadgets"
			}
		},
		"marker": func(r *rand.Rand) string {
			name := one(r, "api/v1/types.go", "api/v1beta1/types.go", "internal/controller.go")
			marker := one(r, regexp.MustCompile(`(?m)^\s*// \+(kubebuilder|groupName|required).*\n`).FindAllString(p.read(name), -1)...)
			p.write(name, strings.Replace(p.read(name), marker, "", 1))
			return name + ": " + strings.TrimSpace(marker)
		},
		"harmless": func(r *rand.Rand) string {
			name := one(r, "README.md", "internal/controller.go", "api/v1/more.go", "config/crd/kustomization.yaml", "internal/other/other.go", p.existing(r))
			switch {
			case slices.Contains(p.generated, name):
				p.write(name, p.read(name))
			case strings.HasSuffix(name, ".go"):
				text, _ := os.ReadFile(name)
				p.write(name, cmp.Or(string(text), "package v1\n")+"\nfunc init() {\n\t// +kubebuilder:other\n}\n")
			default:
				p.write(name, "resources: []\n")
			}
			return name
		},
	}
}

// existing returns a generated file that exists.
func (p *scaffold) existing(r *rand.Rand) string {
	return one(r, slices.DeleteFunc(slices.Clone(p.generated), func(name string) bool {
		_, err := os.Stat(name)
		return err != nil
	})...)
}

// generate runs schemagen generate. It returns the exit code, the files that
// it names, sorted, and its output.
func (p *scaffold) generate(more ...string) (code int, named []string, text string) {
	var stdout, stderr strings.Builder
	code = run(p.t.Context(), append([]string{"generate"}, more...), &stdout, &stderr)
	for _, match := range regexp.MustCompile(`(?m)^schemagen: (\S+)(?:: run .*| is stale: run schemagen generate)$`).FindAllStringSubmatch(stderr.String(), -1) {
		named = append(named, match[1])
	}
	slices.Sort(named)
	return code, named, stdout.String() + stderr.String()
}

func (p *scaffold) check(err error) {
	p.t.Helper()
	if err != nil {
		p.t.Fatal(err)
	}
}

// read returns the content of a file.
func (p *scaffold) read(name string) string {
	p.t.Helper()
	text, err := os.ReadFile(name)
	p.check(err)
	return string(text)
}

func (p *scaffold) write(name, text string) {
	p.t.Helper()
	p.check(os.MkdirAll(filepath.Dir(name), 0o755))
	p.check(os.WriteFile(name, []byte(text), 0o644))
}

// tree returns the files of the project, with whether they are executable.
func (p *scaffold) tree() map[string]string {
	out := map[string]string{}
	p.check(filepath.WalkDir(".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		p.check(err)
		if info.Mode()&0o111 != 0 {
			out[name] = "executable "
		}
		out[name] += p.read(name)
		return nil
	}))
	return out
}

// restore makes the files those of a tree, none of which is executable.
func (p *scaffold) restore(tree map[string]string) {
	now := p.tree()
	for _, name := range differing(now, tree) {
		text, ok := tree[name]
		if !ok {
			p.check(os.Remove(name))
			continue
		}
		p.write(name, text)
		p.check(os.Chmod(name, 0o644))
	}
}
