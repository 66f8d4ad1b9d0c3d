package typegen_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/internal/types/typegen"
)

// A version is one version of a definition that definitionsOf writes.
type version struct {
	group, kind, name string
	// spec has the properties of the spec in YAML.
	spec string
}

// definitionsOf returns a file with a definition for each version.
func definitionsOf(versions ...version) string {
	var out strings.Builder
	for i, v := range versions {
		fmt.Fprintf(&out, `---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[5]q}
spec:
  group: %[1]q
  names: {kind: %[2]q, plural: plural%[6]d, listKind: %[7]q, singular: %[8]q}
  scope: Namespaced
  versions:
  - name: %[3]q
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          apiVersion: {type: string}
          kind: {type: string}
          metadata: {type: object}
          spec: {type: object, properties: %[4]s}
`, v.group, v.kind, v.name, v.spec, fmt.Sprintf("plural%d.%s", i, v.group), i, v.kind+"List", strings.ToLower(v.kind))
	}
	return out.String()
}

// TestClashes generates definitions of which each has Go types alone.
func TestClashes(t *testing.T) {
	for _, test := range []struct {
		name     string
		versions []version
		// want are the packages with their directories and types, and diagnostics.
		want []string
	}{
		{
			"groups with the same first label",
			[]version{{"sched.one.io", "A", "v1", `{x: {type: string}}`}, {"sched.two.io", "B", "v1", `{x: {type: string}}`}, {"apps.two.io", "C", "v1", `{x: {type: string}}`}},
			[]string{"api/apps/v1: C CList CSpec", "api/sched.one.io/v1: A AList ASpec", "api/sched.two.io/v1: B BList BSpec"},
		},
		{
			"a struct named as a kind of another version",
			[]version{{"one.io", "Claim", "v1alpha1", `{x: {type: string}}`}, {"one.io", "Cluster", "v1", `{claims: {type: array, items: {type: object, properties: {name: {type: string}}}}}`}},
			[]string{"api/v1: Cluster ClusterClaim ClusterList ClusterSpec", "api/v1alpha1: Claim ClaimList ClaimSpec"},
		},
		{
			"a struct named as a kind of another group",
			[]version{{"one.io", "Claim", "v1", `{x: {type: string}}`}, {"two.io", "Cluster", "v1", `{claims: {type: array, items: {type: object, properties: {name: {type: string}}}}}`}},
			[]string{"api/one/v1: Claim ClaimList ClaimSpec", "api/two/v1: Claim Cluster ClusterList ClusterSpec"},
		},
		{
			"kinds named as what packages declare",
			[]version{{"one.io", "GroupVersion", "v1", `{x: {type: string}}`}, {"one.io", "AddToScheme", "v1", `{x: {type: string}}`}, {"one.io", "SchemeBuilder", "v1", `{x: {type: string}}`}},
			[]string{"api/v1: AddToScheme AddToSchemeList AddToSchemeSpec GroupVersion GroupVersionList GroupVersionSpec SchemeBuilder SchemeBuilderList SchemeBuilderSpec"},
		},
		{
			"a kind and the list of another",
			[]version{{"one.io", "Job", "v1", `{x: {type: string}}`}, {"one.io", "JobList", "v1", `{x: {type: string}}`}},
			[]string{"crd.yaml:27:11: error[SG413]: kind JobList has the name of the list type of kind Job; crd.yaml:7:11"},
		},
		{
			"a kind and the list of another, in other versions",
			[]version{{"one.io", "Job", "v1", `{x: {type: string}}`}, {"one.io", "JobList", "v2", `{x: {type: string}}`}},
			[]string{"crd.yaml:27:11: error[SG413]: kind JobList has the name of the list type of kind Job; crd.yaml:7:11"},
		},
		{
			"a kind and the list of another, in other groups",
			[]version{{"one.io", "Job", "v1", `{x: {type: string}}`}, {"two.io", "JobList", "v1", `{x: {type: string}}`}},
			[]string{"api/one/v1: Job JobList JobSpec", "api/two/v1: JobList JobListList JobListSpec"},
		},
		{
			"two definitions of a kind",
			[]version{{"one.io", "Job", "v1", `{x: {type: string}}`}, {"one.io", "Job", "v1", `{y: {type: string}}`}},
			[]string{"crd.yaml:27:11: error[SG413]: kind Job of group one.io is defined twice; crd.yaml:7:11"},
		},
		{
			"two kinds with one plural",
			[]version{{"one.io", "Job", "v1", `{x: {type: string}}`}, {"one.io", "Task", "v1", `{y: {type: string}}`}},
			[]string{`crd.yaml:27:11: error[SG413]: kind Task has the plural "plural0", which is that of kind Job; crd.yaml:7:11`},
		},
	} {
		t.Run(test.name, func(t *testing.T) {
			for _, reverse := range []bool{false, true} {
				text := definitionsOf(test.versions...)
				if test.name == "two kinds with one plural" {
					text = strings.ReplaceAll(text, "plural1", "plural0")
				}
				definitions := read(t, "crd.yaml", []byte(text))
				if reverse {
					slices.Reverse(definitions)
				}
				result, found, err := moduleOf(t).Generate(context.Background(), definitions, typegen.Options{Dir: root(t), Output: "api"})
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, d := range found {
					line := fmt.Sprintf("%s: %s[%s]: %s", d.Pos, d.Severity, d.Code, d.Message)
					for _, r := range d.Related {
						line += fmt.Sprintf("; %s", r.Pos)
					}
					got = append(got, line)
				}
				if result != nil {
					got = append(got, typesIn(result)...)
				}
				if !slices.Equal(got, test.want) {
					t.Errorf("reversed %t: got %q, want %q", reverse, got, test.want)
				}
			}
		})
	}
}

// typesIn returns the names of the types in each directory.
func typesIn(result *typegen.Result) []string {
	names := map[string][]string{}
	for _, f := range result.Files {
		dir := f.Path[:strings.LastIndexByte(f.Path, '/')]
		for line := range strings.Lines(string(f.Data)) {
			if text, ok := strings.CutPrefix(line, "type "); ok {
				name, _, _ := strings.Cut(text, " ")
				names[dir] = append(names[dir], name)
			}
		}
	}
	var out []string
	for dir, list := range names {
		slices.Sort(list)
		out = append(out, dir+": "+strings.Join(list, " "))
	}
	slices.Sort(out)
	return out
}

// TestRefusedNames generates definitions with a name that Go cannot have, which is refused at
// its position before there is any Go source.
func TestRefusedNames(t *testing.T) {
	good := version{"one.io", "Job", "v1", `{x: {type: string}}`}
	at := func(change func(*version)) version {
		out := good
		change(&out)
		return out
	}
	property := func(name string) version {
		return at(func(v *version) { v.spec = fmt.Sprintf("{x: {type: string}, %s: {type: string}}", name) })
	}
	group := func(name string) version { return at(func(v *version) { v.group = name }) }
	kind := func(name string) version { return at(func(v *version) { v.kind = name }) }
	named := func(name string) version { return at(func(v *version) { v.name = name }) }
	for _, test := range []struct {
		version version
		want    string
	}{
		{property(`"a` + "`" + `b"`), "20:64: no json tag can have the name \"a`b\""},
		{property(`'a"b'`), `20:64: no json tag can have the name "a\"b"`},
		{property(`'a\b'`), `20:64: no json tag can have the name "a\\b"`},
		{property(`"a,b"`), `20:64: no json tag can have the name "a,b"`},
		{property(`"a\nb"`), `20:64: no json tag can have the name "a\nb"`},
		{property(`"e\u0301"`), "20:64: no json tag can have the name \"e\u0301\""},
		{property(`""`), `20:64: no json tag can have the name ""`},
		{kind("type"), `7:11: "type" is not an exported Go name`},
		{kind("Foo-Bar"), `7:11: "Foo-Bar" is not an exported Go name`},
		{kind("A\nB"), `7:11: "A\nB" is not an exported Go name`},
		{named("v1/../../../evil"), `10:5: version "v1/../../../evil" is not the name of a Go package`},
		{named("func"), `10:5: version "func" is not the name of a Go package`},
		{named("main"), `10:5: version "main" is not the name of a Go package that others can import`},
		{named("internal"), `10:5: version "internal" is not the name of a Go package that others can import`},
		{named("vendor"), `10:5: version "vendor" is not the name of a Go package that others can import`},
		{named("testdata"), `10:5: version "testdata" is not the name of a Go package that others can import`},
		{named("con"), `10:5: version "con" is not the name of a Go package that others can import`},
		{named("_"), `10:5: version "_" is not the name of a Go package that others can import`},
		{group("\n//go:generate rm -rf x\n"), `6:3: group "\n//go:generate rm -rf x\n" is not a DNS subdomain`},
		{group("../x.io"), `6:3: group "../x.io" is not a DNS subdomain`},
		{group("One.io"), `6:3: group "One.io" is not a DNS subdomain`},
	} {
		definitions := read(t, "crd.yaml", []byte(definitionsOf(test.version)))
		result, found, err := moduleOf(t).Generate(context.Background(), definitions, typegen.Options{Dir: root(t), Output: "api"})
		if err != nil || result != nil || len(found) != 1 || !strings.HasPrefix(fmt.Sprintf("%s: %s", found[0].Pos, found[0].Message), "crd.yaml:"+test.want) {
			t.Errorf("%q: got %v, %v, want %s", test.version, found, err, test.want)
		}
	}
	// Groups are directories if there are several.
	for name, want := range map[string]string{
		"internal.io": "api/internal.io/v1", "vendor.io": "api/vendor.io/v1", "testdata.io": "api/testdata.io/v1", "type.io": "api/type/v1",
		"con.io": `group "con.io" cannot be the name of a directory with Go packages, which it needs beside other groups`,
	} {
		definitions := read(t, "crd.yaml", []byte(definitionsOf(good, group(name))))
		result, found, err := moduleOf(t).Generate(context.Background(), definitions, typegen.Options{Dir: root(t), Output: "api"})
		switch {
		case err != nil:
			t.Errorf("%s: %v", name, err)
		case result == nil:
			if len(found) != 1 || found[0].Message != want || found[0].Pos.Line != 26 {
				t.Errorf("%s: got %v, want %s", name, found, want)
			}
		default:
			if got := typesIn(result); !slices.Contains(got, want+": Job JobList JobSpec") {
				t.Errorf("%s: got %q, want %s", name, got, want)
			}
		}
	}
}

// TestKeptOnce keeps the schema of a field of a struct that two kinds share, but not those of
// the fields that have the struct.
func TestKeptOnce(t *testing.T) {
	spec := `{insert: {type: object, properties: {scrape: {type: object, required: [endpoints], x-kubernetes-preserve-unknown-fields: true}}}}`
	definitions := read(t, "crd.yaml", []byte(definitionsOf(version{"one.io", "Cluster", "v1", spec}, version{"one.io", "Single", "v1", spec})))
	result, found, err := moduleOf(t).Generate(context.Background(), definitions, typegen.Options{Dir: root(t), Output: "api"})
	if err != nil || result == nil {
		t.Fatal(found, err)
	}
	if got := result.Packages[0].Kept; !slices.Equal(got, []string{"Insert.scrape"}) {
		t.Errorf("got %q", got)
	}
}
