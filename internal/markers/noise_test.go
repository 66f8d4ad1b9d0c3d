package markers

import (
	"fmt"
	"go/parser"
	"go/token"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
)

// lintSource returns the findings for a file.
func lintSource(t *testing.T, table *Table, src string) []Finding {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "x.go", src, parser.ParseComments)
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return table.Lint(file, table.Collect(file), LintOptions{Features: Features()})
}

// TestCommentedOut checks that a marker that was commented out together with its code is not
// reported, and that it is reported as floating if only prose follows.
func TestCommentedOut(t *testing.T) {
	table := table(t)
	line := func(lines ...string) string { return "\t// " + strings.Join(lines, "\n\t// ") + "\n" }
	block := func(lines ...string) string { return "\t/*\n\t" + strings.Join(lines, "\n\t") + "\n\t*/\n" }
	tight := func(lines ...string) string { return "\t//" + strings.Join(lines, "\n\t//") + "\n" }
	codes := []string{"Old string `json:\"old,omitempty\"`", "Old []*other.Type `protobuf:\"bytes,1\" json:\"old\"`", "type Old struct {", "type Old = string", "func (o *Old) Hub() {}", "const old = 1"}
	texts := []string{"The old field was removed.", "type of the thing", "variables are json: yes", "func is a word", "constant = 1"}
	for _, c := range vocabulary(t, table) {
		if c.target != Field {
			continue
		}
		for _, layout := range []func(...string) string{line, block, tight} {
			for _, below := range append(slices.Clone(codes), texts...) {
				for _, lines := range [][]string{{c.text, below}, {c.text, "", "Text.", "---", below}, {"Text.", c.text, c.text, below, "}"}} {
					src := "package x\n\ntype T struct {\n\tA int `json:\"a\"`\n\n" + layout(lines...) + "}\n"
					found := lintSource(t, table, src)
					if want := slices.Contains(texts, below); want != (len(found) > 0) {
						t.Fatalf("got findings %+v for\n%s", found, src)
					}
				}
			}
		}
	}
}

// TestRepeatedResources applies all combinations of two or three resource markers as
// controller-tools does, and checks that there is a finding for each marker that loses
// arguments.
func TestRepeatedResources(t *testing.T) {
	table := table(t)
	var texts []string
	for _, path := range []string{"", "path=a", "path=b"} {
		for _, scope := range []string{"", "scope=Cluster", "scope=Namespaced"} {
			for _, names := range []string{"", "shortName=s", "shortName=s;t", "categories=c", "singular=x", "singular=y,shortName=s"} {
				arguments := slices.DeleteFunc([]string{path, scope, names}, func(s string) bool { return s == "" })
				texts = append(texts, strings.TrimSuffix("+kubebuilder:resource:"+strings.Join(arguments, ","), ":"))
			}
		}
	}
	parse := func(text string) crdmarkers.Resource {
		m, err := table.Parse(Comment{Text: text, Pos: 1}, Type)
		if err != nil || m == nil {
			t.Fatal(text, err)
		}
		return m.Value.(crdmarkers.Resource)
	}
	apply := func(texts ...string) string {
		var spec apiextensionsv1.CustomResourceDefinitionSpec
		for _, text := range texts {
			if err := parse(text).ApplyToCRD(&spec, ""); err != nil {
				t.Fatal(err)
			}
		}
		return fmt.Sprintf("%+v %v", spec.Names, spec.Scope)
	}
	check := func(texts ...string) {
		t.Helper()
		found := lintSource(t, table, "package x\n\n// "+strings.Join(texts, "\n// ")+"\ntype T struct{}\n")
		all := apply(texts...)
		var want int
		for i := range texts {
			// A marker loses nothing if applying it again, together with the combined result
			// of the others, changes nothing.
			var spec apiextensionsv1.CustomResourceDefinitionSpec
			for _, text := range texts {
				_ = parse(text).ApplyToCRD(&spec, "")
			}
			r := parse(texts[i])
			again := crdmarkers.Resource{Path: spec.Names.Plural, Singular: spec.Names.Singular, ShortName: spec.Names.ShortNames, Categories: spec.Names.Categories, Scope: string(spec.Scope)}
			if r.Path != "" {
				again.Path = r.Path
			}
			if r.Singular != "" {
				again.Singular = r.Singular
			}
			if len(r.ShortName) > 0 {
				again.ShortName = r.ShortName
			}
			if len(r.Categories) > 0 {
				again.Categories = r.Categories
			}
			if r.Scope != "" {
				again.Scope = r.Scope
			}
			_ = again.ApplyToCRD(&spec, "")
			if fmt.Sprintf("%+v %v", spec.Names, spec.Scope) != all {
				want++
			}
		}
		if len(found) != want {
			t.Errorf("%q: got %d findings, want %d: %+v", texts, len(found), want, found)
		}
	}
	for i, a := range texts {
		for j, b := range texts {
			check(a, b)
			if (i+j)%7 == 0 {
				check(a, b, texts[(3*i+5*j)%len(texts)])
			}
		}
	}
}

// TestSpaceAfterPlusWithTag checks that a word with a space after the plus sign is not reported if
// it repeats what the json tag of the field implies.
func TestSpaceAfterPlusWithTag(t *testing.T) {
	table := table(t)
	for _, test := range []struct {
		word, tag string
		silent    bool
	}{
		{"optional", `json:"a,omitempty"`, true}, {"optional", `json:"a,omitzero"`, true}, {"optional", `json:"a"`, false}, {"optional", ``, false},
		{"required", `json:"a"`, true}, {"required", `json:"a,omitempty"`, false},
		{"kubebuilder:validation:Optional", `json:"a,omitempty"`, true}, {"kubebuilder:validation:Required", `json:"a"`, true},
		{"k8s:optional", `json:"a,omitempty"`, true}, {"k8s:required", `json:"a"`, true},
		{"kubebuilder:validation:MinLength=1", `json:"a,omitempty"`, false}, {"nullable", `json:"a,omitempty"`, false},
	} {
		// Nor is a bare word followed by text.
		if word := test.word; !strings.Contains(word, ":") {
			found := lintSource(t, table, "package x\n\ntype T struct {\n\t// +"+word+". Text\n\t// +"+word+" - text\n\t// +"+word+".\n\tA string `"+test.tag+"`\n}\n")
			if test.silent != (len(found) == 0) {
				t.Errorf("%s and text with tag %s: got %+v", word, test.tag, found)
			}
		}
		for _, blank := range []string{" ", "\t", "  "} {
			tag := ""
			if test.tag != "" {
				tag = " `" + test.tag + "`"
			}
			found := lintSource(t, table, "package x\n\ntype T struct {\n\t// +"+blank+test.word+"\n\tA string"+tag+"\n}\n")
			if test.silent != (len(found) == 0) {
				t.Errorf("%s with tag %s: got %+v", test.word, test.tag, found)
			}
		}
	}
}
