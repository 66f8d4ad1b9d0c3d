package suggest

import (
	"flag"
	"fmt"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/source/golist"
	"github.com/schemagen/schemagen/internal/test/gentest"
)

var update = flag.Bool("update", false, "rewrite the expectations in testdata")

// The codes of diagnostics about unions that suggestions must avoid, and of one about syntax.
const (
	invalidUnion          = "SG311"
	unionsOff             = "SG312"
	handWrittenUnionRules = "SG315"
	syntaxError           = "SG102"
)

// readSuggestCases reads testdata/suggest: Go packages, and the expected suggestions in
// want/suggestions. Without that file, none are expected. A line "by hand: …" in the comment
// means that the edits alone are not sufficient.
func readSuggestCases(t *testing.T) []*gentest.Case {
	t.Helper()
	return gentest.Read(t, "../../../testdata/suggest/*.txtar")
}

// suggestIn returns the suggestions for the packages below a directory, which must have no
// errors.
func suggestIn(t *testing.T, dir string) []Suggestion {
	t.Helper()
	got, findings, err := suggestUnions(t.Context(), define.Options{Passes: passes.All(), Source: define.Source{Dir: dir, Patterns: []string{"./..."}}})
	if err != nil || len(findings) > 0 {
		t.Fatal(err, findings)
	}
	return got
}

// generateIn generates, with unions enabled for the run unless unions is empty, and with features.
func generateIn(t *testing.T, dir, unions string, features ...string) (string, diag.List) {
	t.Helper()
	language := define.Language{Unions: unions, Enable: features}
	made, findings, err := define.Make(t.Context(), define.Options{Passes: passes.All(), Source: define.Source{Dir: dir, Patterns: []string{"./..."}}, Language: language, Output: define.Output{ToolVersion: "schemagen-test"}, Server: gentest.Server(t, "")})
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	for _, m := range made {
		out.Write(m.File.Data)
	}
	return out.String(), findings
}

// write writes the files with the suggestions applied.
func write(t *testing.T, suggestions []Suggestion, optIn bool) {
	t.Helper()
	edited, err := Apply(suggestions, optIn, os.ReadFile)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range edited {
		if err := os.WriteFile(f.Name, f.New, 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

func ofUnions(findings diag.List) diag.List {
	return slices.DeleteFunc(slices.Clone(findings), func(d diag.Diagnostic) bool {
		return d.Severity != diag.Error && d.Code != invalidUnion && d.Code != unionsOff
	})
}

func TestSuggestUnions(t *testing.T) {
	cases := readSuggestCases(t)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	gentest.WriteModule(t, dir, cases)
	for _, c := range cases {
		t.Run(c.Name, func(t *testing.T) {
			root := filepath.Join(dir, c.Name)
			got := suggestIn(t, root)
			var text strings.Builder
			if err := Write(&text, got, root); err != nil {
				t.Fatal(err)
			}
			files := map[string]string{}
			if text.Len() > 0 {
				files["suggestions"] = text.String()
			}
			c.Compare(t, *update, files)
			if len(got) == 0 || strings.Contains(string(c.Archive.Comment), "\nby hand: ") {
				return
			}
			lacksOptIn := func(s Suggestion) bool { return !s.IsReplacement() && len(s.OptIn) == 0 }
			if slices.ContainsFunc(got, lacksOptIn) {
				t.Error("no edit enables unions in the package")
			}

			// The suggestions are accepted, and applying them leaves nothing to suggest.
			write(t, got, false)
			var features []string
			if strings.Contains(text.String(), "+schemagen:enable=k8s") {
				features = append(features, markers.FeatureK8s)
			}
			crds, findings := generateIn(t, root, "cel", features...)
			if wrong := ofUnions(findings); len(wrong) > 0 {
				t.Errorf("the generator rejects the suggested edits: %v\n%s", wrong, readAll(t, root))
			}
			for _, s := range got {
				for _, m := range s.Members {
					if rule := fmt.Sprintf("is %q", m.Value); m.Value != "" && s.Type != "Lonely" && !strings.Contains(crds, rule) {
						t.Errorf("rule of %s not found: %s", s.Type, rule)
					}
				}
			}
			if again := suggestIn(t, root); len(again) > 0 {
				t.Errorf("got suggestions %+v after applying the edits, want none", again)
			}

			// The package can also enable unions itself.
			gentest.WriteModule(t, dir, []*gentest.Case{c})
			write(t, got, true)
			own, findings := generateIn(t, root, "")
			if wrong := ofUnions(findings); len(wrong) > 0 {
				t.Error(wrong)
			}
			if own != crds {
				t.Errorf("the output differs if the package enables unions:\n%s", gentest.Difference(crds, own))
			}
		})
	}
}

// readAll returns the Go files below a directory.
func readAll(t *testing.T, dir string) string {
	t.Helper()
	var out strings.Builder
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, readErr := os.ReadFile(path)
			fmt.Fprintf(&out, "-- %s --\n%s", path, data)
			return readErr
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out.String()
}

// verdictsFile lists the suggestions for k8s.io/api with a verdict, based on the
// documentation of each type: "union", "doubtful: why" or "no: why".
const verdictsFile = "../../../testdata/suggest/kubernetes.txt"

// TestSuggestForKubernetes checks the rules of evidence on every package of k8s.io/api. There
// is a verdict on each suggestion.
func TestSuggestForKubernetes(t *testing.T) {
	got, findings, err := suggestUnions(t.Context(), define.Options{Passes: passes.All(), Source: define.Source{Dir: "../../..", Patterns: []string{"k8s.io/api/..."}}})
	if err != nil || len(findings) > 0 {
		t.Fatal(err, findings)
	}
	data, err := os.ReadFile(verdictsFile)
	if err != nil && !*update {
		t.Fatal(err)
	}
	verdicts := map[string]string{}
	for line := range strings.Lines(string(data)) {
		name, verdict, ok := strings.Cut(strings.TrimSpace(line), ": ")
		if !ok {
			t.Errorf("no verdict: %s", line)
		}
		verdicts[name] = verdict
	}
	var text strings.Builder
	wrong := 0
	for _, s := range got {
		name := strings.TrimPrefix(s.Package, "k8s.io/api/") + " " + s.Type
		if s.Discriminator != "" {
			name += "." + s.Discriminator
		}
		verdict, known := verdicts[name]
		if !known {
			verdict = "?"
		}
		word, why, _ := strings.Cut(verdict, ": ")
		switch {
		case word == "union":
		case (word == "doubtful" || word == "no") && why != "":
			wrong++
		default:
			t.Errorf("%s has no verdict in %s", name, verdictsFile)
		}
		fmt.Fprintf(&text, "%s: %s\n", name, verdict)
		delete(verdicts, name)
	}
	for name := range verdicts {
		t.Errorf("%s is no longer suggested", name)
	}
	if wrong*10 > len(got) {
		t.Errorf("%d of %d suggestions are not right", wrong, len(got))
	}
	if *update {
		if err := os.WriteFile(verdictsFile, []byte(text.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// describe summarizes a suggestion in one line.
func (s *Suggestion) describe() string {
	var members []string
	for _, m := range s.Members {
		name := m.Field
		if m.Value != "" && m.Value != m.Field {
			name += "=" + m.Value
		}
		if m.Optional {
			name += ",optional"
		}
		members = append(members, name)
	}
	return fmt.Sprintf("%s.%s atMostOne=%v marked=%v members=%s empty=%s", s.Type, s.Discriminator, s.AtMostOne, s.Marked, strings.Join(members, " "), strings.Join(s.Empty, " "))
}

// TestSuggestKnownUnions checks the suggestions for the types that KEP-1027 lists for
// migration, and for other well-known ones.
func TestSuggestKnownUnions(t *testing.T) {
	metrics := "atMostOne=false marked=false members=Object Pods Resource ContainerResource External empty="
	for _, c := range []struct {
		pkg  string
		want []string
	}{
		{"k8s.io/api/autoscaling/v2", []string{"MetricSpec.Type " + metrics, "MetricStatus.Type " + metrics}},
		{"k8s.io/api/apps/v1", []string{"DeploymentStrategy.Type atMostOne=false marked=false members=RollingUpdate,optional empty=Recreate"}},
		{"k8s.io/api/core/v1", []string{
			"ContainerState. atMostOne=true marked=false members=Waiting Running Terminated empty=",
			"ProbeHandler. atMostOne=false marked=false members=Exec HTTPGet TCPSocket GRPC empty=",
			"SeccompProfile.Type atMostOne=false marked=true members=LocalhostProfile=Localhost empty=Unconfined RuntimeDefault",
		}},
		{"k8s.io/api/flowcontrol/v1", []string{
			"PriorityLevelConfigurationSpec.Type atMostOne=false marked=true members=Limited Exempt,optional empty=",
			"LimitResponse.Type atMostOne=false marked=true members=Queuing=Queue empty=Reject",
		}},
		{"sigs.k8s.io/gateway-api/apis/v1", []string{
			"HTTPRouteFilter.Type atMostOne=false marked=true members=RequestHeaderModifier ResponseHeaderModifier RequestMirror RequestRedirect URLRewrite CORS ExtensionRef empty=",
			"HTTPPathModifier.Type atMostOne=false marked=false members=ReplaceFullPath ReplacePrefixMatch empty=",
		}},
	} {
		t.Run(c.pkg, func(t *testing.T) {
			dir := moduleWith(t, c.pkg)
			got, findings, err := suggestUnions(t.Context(), define.Options{Passes: passes.All(), Source: define.Source{Dir: dir, Patterns: []string{c.pkg}}})
			if err != nil || findings.HasErrors() {
				t.Fatal(err, findings)
			}
			var lines []string
			for _, s := range got {
				lines = append(lines, s.describe())
			}
			for _, want := range c.want {
				if !slices.Contains(lines, want) {
					t.Errorf("missing %s, got\n%s", want, strings.Join(lines, "\n"))
				}
			}
		})
	}
}

// moduleWith returns the directory of a module whose requirements include a package. Only the
// benchmarks require Gateway API, which may not have been downloaded.
func moduleWith(t *testing.T, pkg string) string {
	t.Helper()
	if !strings.HasPrefix(pkg, "sigs.k8s.io/gateway-api/") {
		return "../../.."
	}
	if found, _ := filepath.Glob(filepath.Join(gentest.GoVariable(t, "GOMODCACHE"), "sigs.k8s.io/gateway-api@*/apis/v1")); len(found) == 0 {
		t.Skip("the modules of the benchmarks are not downloaded")
	}
	return "../../../bench/apis"
}

// TestSuggestedEditsOfRealPackages applies the suggestions for real packages to copies of
// them, and checks that the generator accepts their unions.
func TestSuggestedEditsOfRealPackages(t *testing.T) {
	for _, c := range []struct {
		pkg   string
		rules []string
	}{
		{"k8s.io/api/autoscaling/v2", []string{"`type` is \"ContainerResource\"", "`type` is \"Utilization\""}},
		{"k8s.io/api/apps/v1", []string{"`type` is \"RollingUpdate\""}},
		{"k8s.io/api/core/v1", []string{"`type` is \"Localhost\""}},
		{"k8s.io/api/flowcontrol/v1", []string{"`kind` is \"ServiceAccount\"", "`type` is \"Queue\""}},
		// Its existing rules are equivalent to the union, which replaces them.
		{"sigs.k8s.io/gateway-api/apis/v1", []string{"`type` is \"RequestHeaderModifier\""}},
	} {
		t.Run(c.pkg, func(t *testing.T) {
			listed, err := golist.GoCommand{Tags: []string{"ignore_autogenerated"}}.List(t.Context(), moduleWith(t, c.pkg), []string{c.pkg})
			if err != nil || len(listed) != 1 {
				t.Fatal(err, listed)
			}
			dir := t.TempDir()
			copied := *listed[0]
			copied.Local, copied.Files = true, nil
			for _, name := range listed[0].Files {
				if data, err := os.ReadFile(name); err != nil {
					t.Fatal(err)
				} else if strings.HasPrefix(filepath.Base(name), "generated.") {
					continue
				} else if err := os.WriteFile(filepath.Join(dir, filepath.Base(name)), data, 0o666); err != nil {
					t.Fatal(err)
				}
				copied.Files = append(copied.Files, filepath.Join(dir, filepath.Base(name)))
			}
			group := filepath.Join(dir, "group.go")
			if err := os.WriteFile(group, []byte("// +groupName=example.com\npackage "+copied.Name+"\n"), 0o666); err != nil {
				t.Fatal(err)
			}
			copied.Files = append(copied.Files, group)
			options := define.Options{Passes: passes.All(), Source: define.Source{Lister: gentest.Lister{All: []*define.Package{&copied}, Prefix: copied.Path}}, Language: define.Language{AllowDangerousTypes: true}, Server: gentest.Server(t, ""), SkipVerify: true}

			got, _, err := suggestUnions(t.Context(), options)
			if err != nil {
				t.Fatal(err)
			}
			write(t, got, true)
			if again, _, err := suggestUnions(t.Context(), options); err != nil || len(again) > 0 {
				t.Error(err, again)
			}
			// Other diagnostics are unrelated: these packages were not written for CRDs.
			made, findings, err := define.Make(t.Context(), options)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range findings {
				if d.Code == handWrittenUnionRules && strings.Contains(d.Message, " accept ") {
					t.Error(d)
				}
				if d.Code == invalidUnion || d.Code == unionsOff || d.Code == syntaxError {
					t.Error(d)
				}
			}
			var all strings.Builder
			for _, m := range made {
				all.Write(m.File.Data)
			}
			for _, rule := range c.rules {
				if !strings.Contains(all.String(), rule) {
					t.Errorf("rule not found: %s", rule)
				}
			}
		})
	}
}

func TestEditLines(t *testing.T) {
	edits := []Edit{
		{Line: 1, Text: "\tnew"}, {Line: 1, Text: "\tnew"},
		{Line: 2, Text: "before"}, {Line: 2, Old: "b", Text: "B"},
		{Line: 3, Old: "c"},
	}
	for text, want := range map[string]string{
		"a\nb\nc\nd\n":    "\tnew\na\nbefore\nB\nd\n",
		"a\r\nb\r\nc\r\n": "\tnew\r\na\r\nbefore\r\nB\r\n",
		"a\nb\nc":         "\tnew\na\nbefore\nB\n",
	} {
		got, err := editLines(text, edits)
		if err != nil || got != want {
			t.Errorf("%q: got %q, %v, want %q", text, got, err, want)
		}
	}
	if got, err := editLines("a", []Edit{{Line: 2, Text: "b"}}); err != nil || got != "a\nb\n" {
		t.Errorf("after the last line: got %q, %v", got, err)
	}
	for _, text := range []string{"a\nx\nc\n", "a\nb\n", ""} {
		if got, err := editLines(text, edits); err == nil {
			t.Errorf("%q became %q, though it is not what the edits are about", text, got)
		}
	}
}

func TestOneOf(t *testing.T) {
	fields := []*unionField{{field: &source.Field{Name: "Alpha"}, name: "alpha"}, {field: &source.Field{Name: "Beta"}, name: "beta"}}
	for doc, want := range map[string]string{
		"Only one of its members may be specified.":                                "at most one",
		"It is a source. Exactly one of these must be set.":                        "exactly one",
		"Exactly one of these can be set. If none is specified, alpha is.":         "at most one",
		"One and only one of the fields\nmust be specified.":                       "exactly one",
		"One of its fields may be set.":                                            "at most one",
		"One of the fields below must be set.":                                     "exactly one",
		"Must have exactly one field set.":                                         "exactly one",
		"Either: at most one of Alpha or beta may be set.":                         "at most one",
		"Its fields are mutually exclusive.":                                       "at most one",
		"At most one of these filters may be used on a rule.":                      "",
		"Only one of alpha or gamma may be set.":                                   "",
		"Only one of its members, except beta, may be set.":                        "",
		"Exactly one of its members must be set. If both are set, alpha is taken.": "",
		"At least one of its members must be set.":                                 "",
		"It is one of the kinds of sources.":                                       "",
		"Only one pod runs.":                                                       "",
		"":                                                                         "",
	} {
		atMostOne, quoted := oneOf(doc, fields)
		got := ""
		switch {
		case quoted != "" && atMostOne:
			got = "at most one"
		case quoted != "":
			got = "exactly one"
		}
		if got != want {
			t.Errorf("%q: got %q, want %q", doc, got, want)
		}
	}
}

func TestMayBeAbsent(t *testing.T) {
	for doc, want := range map[string]bool{
		"":                                                          false,
		"Parameters of the update.":                                 false,
		"Present only if type is Update.":                           true,
		"Present only if type is Other.":                            false,
		"If not specified, the default is 25%.":                     true,
		"When unset, the platform chooses.":                         true,
		"It may be omitted.":                                        true,
		"It MAY be non-empty if type is Update.":                    true,
		"It may be non-empty only if type is Update.":               false,
		"Must be set if type is Update. If unset, it is an error.":  false,
		"It is required if type is Update.":                         false,
		"Set only if, and if and only if, type is Update.":          false,
		"It must not be empty when type is Update; may be empty.":   false,
		"It has replicas. When the list of them is empty, nothing.": false,
	} {
		f := &unionField{field: &source.Field{Doc: doc}, name: "update"}
		if got := mayBeAbsent(f, "Update"); (got != "") != want {
			t.Errorf("%q: got %q, want %v", doc, got, want)
		}
	}
}

func TestDocumentedDefault(t *testing.T) {
	for doc, want := range map[string]string{
		"":                                    "",
		"Can be A or B. Default is A.":        "A",
		"Defaults to \"B\".":                  "B",
		"The default value is `B`.":           "B",
		"B (default) or A.":                   "B",
		"'A' is the default\nmode.":           "A",
		"If not set, it assumes the `B` one.": "B",
		"Default is C.":                       "",
		"Default is A, or the default is B.":  "",
		"The default. A is another.":          "",
	} {
		c := &candidate{unionField: &unionField{field: &source.Field{Doc: doc}, name: "type"}, choices: choices{values: []string{"A", "B"}}}
		if got := c.documentedDefault(); got != want {
			t.Errorf("%q: got %q, want %q", doc, got, want)
		}
	}
}

func TestAffixOf(t *testing.T) {
	for _, c := range []struct{ value, name, want string }{
		{"Secret", "SecretRef", "Ref"}, {"secret", "SecretRef", "Ref"}, {"config-map", "ConfigMapRef", "Ref"},
		{"Utilization", "AverageUtilization", "Average…"}, {"Secret", "Secret", ""}, {"Secret", "Secretive", ""},
		{"ration", "Configuration", ""}, {"A", "ARef", ""}, {"Secret", "", ""}, {"Ref", "Größe", ""},
	} {
		if got, _ := affixOf(c.value, c.name); got != c.want {
			t.Errorf("%s in %s: got %q, want %q", c.value, c.name, got, c.want)
		}
	}
}

// FuzzSuggestUnions checks that a file that parses still does after applying its suggestions,
// and that then there is nothing left to suggest.
func FuzzSuggestUnions(f *testing.F) {
	files, err := filepath.Glob("../../../testdata/suggest/*.txtar")
	if err != nil || len(files) == 0 {
		f.Fatalf("no cases: %v", err)
	}
	for _, name := range files {
		archive, err := txtar.ParseFile(name)
		if err != nil {
			f.Fatal(err)
		}
		for _, file := range archive.Files {
			if strings.HasSuffix(file.Name, ".go") {
				f.Add(file.Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, src []byte) {
		name := filepath.Join(t.TempDir(), "types.go")
		if err := os.WriteFile(name, src, 0o666); err != nil {
			t.Fatal(err)
		}
		p := &define.Package{Path: "p", Name: "p", Files: []string{name}, Local: true, Import: func(string) *define.Package { return nil }}
		options := define.Options{Passes: passes.All(), Source: define.Source{Lister: gentest.Lister{All: []*define.Package{p}, Prefix: "p"}}}
		got, findings, err := suggestUnions(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		if findings.HasErrors() || len(got) == 0 {
			return
		}
		edited, err := Apply(got, true, os.ReadFile)
		if err != nil {
			t.Fatal(err)
		}
		for _, f := range edited {
			if _, err := parser.ParseFile(token.NewFileSet(), f.Name, f.New, parser.ParseComments); err != nil {
				t.Errorf("%v\n%s", err, f.New)
			}
		}
	})
}
