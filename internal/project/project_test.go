package project

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/internal/companions/configgen"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/verify"
)

// allCodes are the codes used by the files in tests.
func allCodes() []*diag.Kind {
	return slices.Concat(passes.Codes(), configgen.Codes(), verify.Codes(), dryrun.Codes(), Codes())
}

// parseIn parses a file in a project with a directory api and a file header.txt.
func parseIn(t *testing.T, text string) (*File, diag.List) {
	t.Helper()
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "api", "legacy"), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "header.txt"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	file, findings := parse(nil, filepath.Join(dir, Name), []byte(text), allCodes())
	if (file == nil) != findings.HasErrors() {
		t.Errorf("got file %v with findings %v, want a file only without errors", file, findings)
	}
	return file, findings.RelativeTo(dir)
}

// TestConfigPage checks that the example in docs/config.md can be read.
func TestConfigPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	example := regexp.MustCompile("(?s)```yaml\n(.*?)```").FindStringSubmatch(string(page))
	if example == nil {
		t.Fatal("docs/config.md has no example")
	}
	file, findings := parseIn(t, example[1])
	if len(findings) > 0 {
		t.Fatalf("%v", findings)
	}
	if len(file.packages) != 1 || len(file.overrides) != 3 || len(file.severities) != 1 || len(file.waivers) != 1 {
		t.Errorf("%+v", file)
	}
}

// TestConfigMistakes checks that each mistake is reported at its position.
func TestConfigMistakes(t *testing.T) {
	deep := strings.Repeat("[", 20_000)
	for _, c := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"nothing but a comment", "# nothing\n", ""},
		{"a byte order mark", "\ufeffstrict: true\n", ""},
		{"not a mapping", "- a\n", "1:1 schemagen.yaml must be a mapping with keys among"},
		{"not YAML", "a: [\n", "1 did not find expected node content"},
		{"two documents", "strict: true\n---\nstrict: false\n", "0 schemagen.yaml must be a single document"},
		{"not UTF-8", "strict: true\nunions: \"\xff\"\n", "2:10 invalid UTF-8"},
		{"UTF-16", "\xff\xfes\x00", "1:1 invalid UTF-8"},
		{"a control character", "strict: true # \x00\n", "1:16 control character"},
		{"a lone carriage return", "strict: true\rlister: go\n", "1:13 invalid line ending: use LF"},
		{"lines of Windows", "strict: true\r\nlister: g\r\n", "2:9 lister: unknown"},
		{"a line separator", "unions: a\u2028b: c\n", "1:10 invalid line ending"},
		{"deep", deep, "0 exceeded max depth of 10000"},
		{"unknown", "stric: true\n", "1:1 schemagen.yaml has no key \"stric\" (did you mean strict?)"},
		{"unknown inside", "crd:\n  maxDescLn: 3\n", "2:3 crd has no key \"maxDescLn\" (did you mean maxDescLen?)"},
		{"duplicate key", "strict: true\nstrict: false\n", "2:1 duplicate key \"strict\""},
		{"after other characters", "{lister: \"ä€\", strict: 3}\n", "1:10 lister: unknown \"ä€\" (one of auto, go)|1:27 must be true or false"},
		{"a look-alike", "ѕtrict: true\n", "1:1 schemagen.yaml has no key \"ѕtrict\" (did you mean strict?)"},
		{"a long key", strings.Repeat("k", 900) + ": 1\n", "1:1 schemagen.yaml has no key \"" + strings.Repeat("k", 80) + "…\""},
		{"a mapping as a key", "? {a: b}\n: c\n", "1:3 schemagen.yaml has no key \"\""},
		{"aliases", "tags: &a [x]\nallow: *a\n", "2:8 aliases are not supported (repeat the value)"},
		{"an alias of itself", "packages: &a [*a]\n", "1:11 an element of packages must be a mapping with keys among|1:15 aliases are not supported (repeat the value)"},
		{"a merge key", "crd: &c {prune: true}\nfunctions:\n  <<: *c\n", "3:3 functions has no key \"<<\"|3:7 aliases are not supported (repeat the value)"},
		{"a billion laughs", "a: &a [x,x]\nb: &b [*a,*a]\nc: [*b,*b]\n", "1:1 schemagen.yaml has no key \"a\"|2:1 schemagen.yaml has no key \"b\"|2:8 aliases are|2:11 aliases are|3:1 schemagen.yaml has no key \"c\"|3:5 aliases are|3:8 aliases are"},
		{"no value", "strict:\n", "1:8 must be true or false"},
		{"yes", "strict: yes\n", "1:9 must be true or false"},
		{"a tag of its own", "lister: !mine go\n", "1:9 must be a string"},
		{"a number out of range", "crd: {maxDescLen: 99999999999999999999}\n", "1:19 must be a number"},
		{"a negative number", "crd: {maxDescLen: -1}\n", "1:19 crd.maxDescLen: must be a number of bytes, 0 or more"},
		{"not a list", "tags: a\n", "1:7 must be a list"},
		{"a list in a list", "tags: [[a]]\n", "1:8 must be a string"},
		{"a feature", "enable: [enums]\n", "1:10 enable: unknown \"enums\" (did you mean enum?)"},
		{"unions", "unions: x-kubernetes-unions\n", "1:9 unions: "},
		{"a version", "kubeVersion: 1.99\n", "1:14 kubeVersion: version \"1.99\": newer than"},
		{"a build tag", "functions: {buildTag: \"a b\"}\n", "1:23 functions.buildTag: \"a b\" is not a build constraint"},
		{"paths", "paths: [./nowhere/..., ./api/..., ./header.txt, api, '', example.com/x/...]\n",
			"1:9 directory \"./nowhere\" does not exist|1:35 directory \"./header.txt\" does not exist|1:49 \"api\" is an import path, not the directory of that name (write ./api)|1:54 must be a package pattern"},
		{"a header", "crd: {headerFile: header}\n", "1:19 crd.headerFile: file \"header\" does not exist (paths are relative to this file)"},
		{"a folder as a header", "crd: {headerFile: api}\n", "1:19 crd.headerFile: file \"api\" does not exist"},
		{"a file as output", "outputs: {crd: header.txt, policies: '-'}\n", "1:16 outputs.crd: \"header.txt\" is not a directory|1:38 outputs.policies: must be a directory"},
		{"packages", "packages:\n- unions: sel\n- path: ./nowhere\n  maxDescLen: x\n  prune: true\n- 3\n",
			"2:3 an element of packages must have a path|2:11 unions: |3:9 directory \"./nowhere\" does not exist|4:15 must be a number|5:3 an element of packages has no key \"prune\"|6:3 an element of packages must be a mapping with"},
		{"types", "types:\n  Container: ['+x']\n  a.b/c.D: [x, 3]\n  e.F: +a\n", "2:3 types: \"Container\" is not a type with its import path|3:13 types: a marker must begin with +|3:16 must be a string|4:8 must be a list"},
		{"descriptions", "descriptions:\n  k8s.io/...: [drop]\n  a: short\n  a: drop\n", "2:15 must be drop, firstSentence|3:6 descriptions: expected drop|4:3 duplicate key \"a\""},
		{"severities", "severities: {SG304: eror, SG999: off, sg304: off, SG301: off, SG306: true}\n",
			"1:21 severities: unknown \"eror\" (did you mean error?)|1:27 unknown code \"SG999\"|1:39 unknown code \"sg304\" (did you mean SG304?)|1:58 SG301 is an error, and its severity cannot change|1:70 must be one of"},
		{"waivers", "waivers:\n- code: SG304\n- {code: SG301, path: ../a, reason: x}\n- {code: SG304, path: '[', reason: x, line: 3}\n",
			"2:3 a waiver must have a path|2:3 a waiver must have a reason|3:10 SG301 is an error, and cannot be waived|3:23 the path of a waiver must be below|4:23 \"[\" is not a file pattern|4:39 a waiver has no key \"line\""},
		{"a waiver of an unknown code", "waivers: [{code: SG30G, path: a, reason: r}]\n", "1:18 unknown code \"SG30G\""},
		{"no reason", "waivers: [{code: SG304, path: a, reason: ' '}]\n", "1:42 the reason is empty"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, findings := parseIn(t, c.text)
			var got []string
			for _, d := range findings.Normalize() {
				line := fmt.Sprintf("%s %s", strings.TrimLeft(strings.TrimPrefix(d.Pos.String(), Name), ":"), d.Message)
				if d.Pos.Line == 0 {
					line = "0 " + d.Message
				}
				if d.Hint != "" {
					line += " (" + d.Hint + ")"
				}
				got = append(got, line)
			}
			var want []string
			if c.want != "" {
				want = strings.Split(c.want, "|")
			}
			if !slices.EqualFunc(got, want, strings.HasPrefix) {
				t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
			}
		})
	}
}

// TestFilePatterns checks that patterns in the file are interpreted as by the generator and
// controller-gen: a pattern that begins with a dot is a directory.
func TestFilePatterns(t *testing.T) {
	dir := t.TempDir()
	for _, folder := range []string{".api/v1", "docs"} {
		if err := os.MkdirAll(filepath.Join(dir, folder), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	text := "paths: [.api/..., .api/v1, ..., ./.api, example.com/x/...]\npackages: [{path: .api/...}, {path: ...}, {path: example.com/x}]\n"
	file, findings := parse(nil, filepath.Join(dir, Name), []byte(text), allCodes())
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	want := []string{"../.api/...", "../.api/v1", "../...", "../.api", "example.com/x/..."}
	physical, err := filepath.EvalSymlinks(dir)
	if err != nil {
		t.Fatal(err)
	}
	file.dir = physical
	if got := file.Paths(filepath.Join(physical, "docs")); !slices.Equal(got, want) {
		t.Errorf("paths from below: %q, want %q", got, want)
	}
	var got []string
	for _, o := range file.packages {
		got = append(got, strings.TrimPrefix(o.Pattern, dir))
	}
	if want := []string{"/.api/...", "/...", "example.com/x"}; !slices.Equal(got, want) {
		t.Errorf("packages: %q, want %q", got, want)
	}
}

// FuzzConfig checks that any file is either read or rejected with valid positions.
func FuzzConfig(f *testing.F) {
	for _, seed := range []string{
		"paths: [./api/...]\ncrd: {maxDescLen: 3}\n", "a: &a [*a]\n", "\ufeff# ü\nstrict: yes\n", "types:\n  a/b.C:\n  - '+x'\n",
		"severities: {SG304: off}\nwaivers:\n- {code: SG304, path: '**/[a-z]?', reason: \"\\u00e4\"}\n", "? [a]\n: |\n  b\n", "packages: [{path: ./..., unions: none}]\r\n",
	} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, findings := parse(nil, "/nowhere/"+Name, data, allCodes())
		if (file == nil) != findings.HasErrors() {
			t.Fatalf("%v, %v", file, findings)
		}
		lines := strings.Split(strings.TrimPrefix(string(data), "\ufeff"), "\n")
		for _, d := range findings {
			if d.Pos.Line > len(lines)+1 || d.Pos.Line > 0 && d.Pos.Line <= len(lines) && d.Pos.Column > len(lines[d.Pos.Line-1])+1 {
				t.Errorf("position outside of the file: %v", d)
			}
		}
		if file != nil {
			for _, o := range file.overrides {
				if o.ArgumentOffset > len(data) || o.ValueOffset > len(data) {
					t.Errorf("offset outside of the file: %+v", o)
				}
			}
		}
	})
}

// TestJudge checks that the file applies to all findings except errors, whatever their code.
func TestJudge(t *testing.T) {
	file, findings := parseIn(t, "severities: {SG303: error, SG304: off, SG703: warning, SG709: off, SG305: note, SG306: off}\n"+
		"waivers: [{code: SG303, path: api/**, reason: x}, {code: SG306, path: '**', reason: x}, {code: SG709, path: '**', reason: x}]\n")
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	at := func(name string) diag.Position { return diag.Position{File: filepath.Join(file.dir, name)} }
	used := map[*Waiver]bool{}
	judged := file.Judge(diag.List{
		{Code: "SG303", Severity: diag.Warning, Pos: at("api/v1/a.go")},
		{Code: "SG303", Severity: diag.Warning, Pos: at("apis/a.go")},
		{Code: "SG304", Severity: diag.Warning, Pos: at("a.go")},
		{Code: "SG305", Severity: diag.Warning, Pos: at("b.go")},
		{Code: "SG306", Severity: diag.Warning},
		{Code: "SG307", Severity: diag.Warning, Pos: at("c.go")},
		{Code: "SG703", Severity: diag.Note, Pos: at("d.go")},
		{Code: "SG709", Severity: diag.Error, Pos: at("e.go")},
		{Code: "SG305", Severity: diag.Warning, Off: true, Pos: at("f.go")}, // enabled by the file
		{Code: "SG308", Severity: diag.Warning, Off: true, Pos: at("g.go")},
	}, used)
	var got []string
	for _, d := range judged.RelativeTo(file.dir) {
		got = append(got, fmt.Sprint(d.Pos.File, " ", d.Severity, " ", d.Code))
	}
	want := []string{"apis/a.go error SG303", "b.go note SG305", "c.go warning SG307", "d.go warning SG703", "e.go error SG709", "f.go note SG305"}
	if !slices.Equal(got, want) {
		t.Errorf("got\n%s\nwant\n%s", strings.Join(got, "\n"), strings.Join(want, "\n"))
	}
	if len(used) != 2 || !used[file.waivers[0]] || !used[file.waivers[1]] {
		t.Errorf("got used waivers %v, want the first two", used)
	}
	var none *File
	off := append(slices.Clip(judged), diag.Diagnostic{Code: "SG308", Off: true})
	if same := none.Judge(off, nil); !slices.EqualFunc(same, judged, func(a, b diag.Diagnostic) bool { return a.Code == b.Code }) {
		t.Error("Judge without a project file changed the findings")
	}
}

// TestWaiverElsewhere checks that the elements of a waiver's path do not match "..", and that
// a waiver for the working directory does not apply to findings without a file.
func TestWaiverElsewhere(t *testing.T) {
	file, findings := parseIn(t, "waivers: [{code: SG303, path: '*/*.go', reason: x}, {code: SG303, path: 'api/**', reason: x}]\n")
	if len(findings) > 0 {
		t.Fatal(findings)
	}
	t.Chdir(filepath.Join(file.dir, "api"))
	list := diag.List{{Code: "SG303", Severity: diag.Warning}, {Code: "SG303", Severity: diag.Warning, Pos: diag.Position{File: filepath.Join(file.dir, "..", "a.go")}}}
	if got := file.Judge(list, map[*Waiver]bool{}); len(got) != len(list) {
		t.Errorf("got findings %v of %v", got, list)
	}
	list[1].Pos.File = "b.go"
	if got := file.Judge(list, map[*Waiver]bool{}); len(got) != 1 {
		t.Errorf("got findings %v of %v", got, list)
	}
}

// TestMatchesFile checks patterns of waivers.
func TestMatchesFile(t *testing.T) {
	for _, c := range []struct {
		pattern, name string
		want          bool
	}{
		{"api/v1/types.go", "api/v1/types.go", true},
		{"api/*.go", "api/v1/types.go", false},
		{"api/*/*.go", "api/v1/types.go", true},
		{"api/**", "api/v1/types.go", true},
		{"api/**", "apis/types.go", false},
		{"**", "types.go", true},
		{"**/types.go", "types.go", true},
		{"**/v1/**/*.go", "api/v1/types.go", true},
		{"**/v1/**/*.go", "api/v1/a/b/types.go", true},
		{"**/v2/**", "api/v1/types.go", false},
		{"**", "../types.go", true},
		{strings.Repeat("**/a/", 20) + "b", strings.Repeat("a/", 60) + "c", false},
	} {
		if got := matchesFile(c.pattern, c.name); got != c.want {
			t.Errorf("matchesFile(%q, %q) = %v", c.pattern, c.name, got)
		}
	}
}

// TestFindConfig checks that the nearest file up to the module's root is found, and none
// above it.
func TestFindConfig(t *testing.T) {
	dir := t.TempDir()
	write := func(name, text string) {
		t.Helper()
		name = filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	find := func(wd string) string {
		t.Helper()
		file, findings := Find(nil, filepath.Join(dir, wd), allCodes())
		if len(findings) > 0 {
			t.Fatal(findings)
		}
		if file == nil {
			return ""
		}
		return screen.Relative(dir, file.Name, 0)
	}
	write("above/schemagen.yaml", "")
	write("above/project/api/v1/types.go", "")
	if got := find("above/project/api/v1"); got != "" && !isInModule(nil, dir) {
		t.Errorf("without a module: got %s, want none", got)
	}
	if got := find("above"); got != "above/schemagen.yaml" {
		t.Errorf("without a module, in the directory itself: got %q", got)
	}
	write("above/project/go.mod", "module m\n")
	if got := find("above/project/api/v1") + find("above/project"); got != "" {
		t.Errorf("above the module: got %s", got)
	}
	write("above/project/schemagen.yaml", "")
	if got := find("above/project/api/v1"); got != "above/project/schemagen.yaml" {
		t.Errorf("in a subdirectory: got %q", got)
	}
	write("above/project/api/schemagen.yaml", "")
	if got := find("above/project/api/v1"); got != "above/project/api/schemagen.yaml" {
		t.Errorf("nearest file: got %q", got)
	}
	write("above/project/api/v1/go.mod", "module m/v1\n")
	if got := find("above/project/api/v1"); got != "" {
		t.Errorf("above a nested module: got %q", got)
	}
}

// TestNewFile checks that a new file can be read: as it is, and without the marks of comments.
func TestNewFile(t *testing.T) {
	for _, values := range [][]Initial{
		nil,
		{{Key: "paths", Value: []string{"./api", "./api/legacy/..."}, Source: "Makefile:1"}, {Key: "crd.year", Value: "2026"}, {Key: "crd.headerFile", Value: "header.txt"}},
		{{Key: "crd.omitToolVersion", Value: true}, {Key: "outputs.rbac", Value: "config/a b: #c"}},
	} {
		text, err := NewFile(values, "config/crd")
		if err != nil {
			t.Fatal(err)
		}
		file, findings := parseIn(t, string(text))
		if len(findings) > 0 {
			t.Fatalf("%v\n%s", findings, text)
		}
		for _, v := range values {
			list, isList := v.Value.([]string)
			if !isList {
				list = []string{fmt.Sprint(v.Value)}
			}
			if got := file.Texts(v.Key, file.dir); !slices.Equal(got, list) {
				t.Errorf("%s: got %v, want %v", v.Key, got, list)
			}
		}
		all := regexp.MustCompile(`(?m)^( *)#(\S|  )`).ReplaceAllString(string(text), "$1$2")
		file, findings = parseIn(t, all)
		if len(findings) > 0 {
			t.Fatalf("%v\n%s", findings, all)
		}
		for _, v := range suggested("config/crd") {
			if file.Texts(v.Key, file.dir) == nil {
				t.Errorf("%s is not set in:\n%s", v.Key, all)
			}
		}
		if len(file.waivers) != 1 {
			t.Errorf("%d waivers in:\n%s", len(file.waivers), all)
		}
	}
}
