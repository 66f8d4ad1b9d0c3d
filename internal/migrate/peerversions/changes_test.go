package peerversions

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/mod/semver"
	"golang.org/x/tools/txtar"
)

// TestTable checks the rows of the table, and that each was measured: it explains a
// difference in versions.tsv.
func TestTable(t *testing.T) {
	data, err := os.ReadFile(measured)
	if err != nil {
		t.Fatal(err)
	}
	seen := map[string]bool{}
	for line := range strings.Lines(string(data)) {
		fields := strings.Split(strings.TrimSuffix(line, "\n"), "\t")
		if strings.HasPrefix(line, "#") {
			continue
		}
		if len(fields) != 8 {
			t.Fatalf("%s: %q has %d fields", measured, line, len(fields))
		}
		if fields[6] != "0" && fields[6] != "-" {
			t.Errorf("%s: not everything is explained: %s", measured, line)
		}
		for _, name := range strings.Fields(fields[7]) {
			seen[name] = true
		}
	}
	names := map[string]bool{}
	for _, c := range Changes() {
		if !seen[c.Name] {
			t.Errorf("%s: explains nothing in %s", c.Name, measured)
		}
		if names[c.Name] {
			t.Errorf("%s: two changes have this name", c.Name)
		}
		names[c.Name] = true
		if !semver.IsValid(c.Since) || semver.Compare(c.Since, Oldest) <= 0 {
			t.Errorf("%s: since %s", c.Name, c.Since)
		}
		if c.Summary == "" || strings.HasSuffix(c.Summary, ".") || c.Before == c.After || c.rewrite == nil {
			t.Errorf("%s: incomplete", c.Name)
		}
	}
}

// pairs are files with what neighbouring releases wrote for the module in testdata/source,
// reduced to what differs. TestMeasured records them.
const pairs = "testdata/pairs/*.txtar"

// TestPairs checks that the recorded differences are explained, by the recorded changes, each
// of which is needed.
func TestPairs(t *testing.T) {
	for _, p := range recorded(t) {
		e, err := between(p.name, p.from, p.to, p.before, p.after)
		if err != nil {
			t.Error(err)
			continue
		}
		if !e.Complete() {
			t.Errorf("%s %s: not explained: %q", p.from, p.name, e.Unexplained)
		}
		if got := strings.Join(namesOf(e.Changes), " "); got != p.changes {
			t.Errorf("%s %s: explained by %s; recorded are %s", p.from, p.name, got, p.changes)
		}
		if len(e.Changes) == 0 {
			t.Errorf("%s %s: nothing differs", p.from, p.name)
		}
	}
}

// TestReleasesCount checks that changes count only between the releases.
func TestReleasesCount(t *testing.T) {
	for _, p := range recorded(t) {
		if e, err := between(p.name, p.to, p.to, p.before, p.after); err != nil || e.Complete() {
			t.Errorf("%s %s: explained without a change of release: %v", p.from, p.name, err)
		}
	}
}

// TestUnexplained checks that changes explain only what they are about: other differences
// between the same files stay unexplained.
func TestUnexplained(t *testing.T) {
	for _, test := range []struct{ name, before, after, want string }{
		{"another type", "type: string", "type: integer", "CustomResourceDefinition things: spec.type"},
		{"a field more", "properties: {a: {type: string}}", "properties: {a: {type: string}, b: {type: string}}", "CustomResourceDefinition things: spec.properties.b"},
		{"another title", "title: a", "title: b", "CustomResourceDefinition things: spec.title"},
		{"another limit", "minLength: 1", "minLength: 2", "CustomResourceDefinition things: spec.minLength"},
		{"another order", "required: [a, b]", "required: [b, a]", "CustomResourceDefinition things: spec.required"},
		{"another text", "description: a", "description: b", "CustomResourceDefinition things: spec.description"},
		{"another rule", "x-kubernetes-validations: [{rule: a}]", "x-kubernetes-validations: [{rule: b}]", "CustomResourceDefinition things: spec.x-kubernetes-validations"},
		{"one of two", "title: a\n  type: string", "title: b\n  type: integer", "CustomResourceDefinition things: spec.title, CustomResourceDefinition things: spec.type"},
	} {
		t.Run(test.name, func(t *testing.T) {
			file := func(spec string) []byte {
				return []byte("kind: CustomResourceDefinition\nmetadata: {name: things}\nspec:\n  " + spec + "\n")
			}
			e, err := Explain("x.yaml", Oldest, file(test.before), file(test.after))
			if err != nil {
				t.Fatal(err)
			}
			if got := strings.Join(e.Unexplained, ", "); got != test.want || len(e.Changes) > 0 {
				t.Errorf("unexplained %q, changes %q; want %q", got, namesOf(e.Changes), test.want)
			}
		})
	}
	for _, release := range []string{"v0.13.0", "(devel)", ""} {
		if _, err := Explain("x.yaml", release, nil, nil); err == nil {
			t.Errorf("no error for release %q", release)
		}
	}
	crd := []byte("kind: CustomResourceDefinition\nmetadata: {name: things}\n")
	for _, only := range [][2][]byte{{crd, nil}, {nil, crd}} {
		if e, err := Explain("x.yaml", Oldest, only[0], only[1]); err != nil || strings.Join(e.Unexplained, "") != "CustomResourceDefinition things" {
			t.Errorf("a file that only one writes: %v, %v", e, err)
		}
	}
	quoted := bytes.ReplaceAll(crd, []byte("things"), []byte(`"things"`))
	if e, err := Explain("x.yaml", Oldest, crd, quoted); err != nil || strings.Join(e.Unexplained, "") != layout {
		t.Errorf("a file with another layout: %v, %v", e, err)
	}
}

func namesOf(changes []Change) (names []string) {
	for _, c := range changes {
		names = append(names, c.Name)
	}
	return names
}

// recordedPair is a file of two releases.
type recordedPair struct {
	from, to, name, changes string
	before, after           []byte
}

func recorded(t *testing.T) (out []recordedPair) {
	t.Helper()
	files, err := filepath.Glob(pairs)
	if err != nil || len(files) == 0 {
		t.Fatalf("no file %s: %v", pairs, err)
	}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		from, to, _ := strings.Cut(strings.TrimSuffix(filepath.Base(file), ".txtar"), "-")
		for chunk := range slices.Chunk(archive.Files, 3) {
			if len(chunk) < 3 {
				t.Fatalf("%s: %s is not three files", file, chunk[0].Name)
			}
			p := recordedPair{from: from, to: to, name: strings.TrimSuffix(chunk[0].Name, " changes"), changes: strings.TrimSpace(string(chunk[0].Data))}
			for i, data := range []*[]byte{&p.before, &p.after} {
				if *data = chunk[i+1].Data; len(*data) == 0 {
					*data = nil
				}
			}
			out = append(out, p)
		}
	}
	return out
}

// record writes the pairs of two releases.
func record(t *testing.T, from, to string, list []recordedPair) {
	t.Helper()
	archive := &txtar.Archive{Comment: fmt.Appendf(nil, "What %s and %s write differently for testdata/source.\n\n", from, to)}
	for _, p := range list {
		archive.Files = append(archive.Files,
			txtar.File{Name: p.name + " changes", Data: []byte(p.changes + "\n")},
			txtar.File{Name: p.name + " before", Data: p.before},
			txtar.File{Name: p.name + " after", Data: p.after})
	}
	if err := os.WriteFile(strings.Replace(pairs, "*", from+"-"+to, 1), txtar.Format(archive), 0o644); err != nil {
		t.Fatal(err)
	}
}
