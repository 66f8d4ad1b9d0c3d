package apiserver

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiserver/pkg/cel/environment"
)

func TestNewTarget(t *testing.T) {
	for text, want := range map[string]string{
		"": DefaultVersion, "1.35": "1.35", "v1.35.2": "1.35", "1.25": "1.25", "v1.33.5+k3s1": "1.33", "1.34.2-gke.100": "1.34", newest(): newest(),
	} {
		if got := target(t, text).Version(); got != want {
			t.Errorf("%q: %s", text, got)
		}
	}
	newer := fmt.Sprintf("1.%d", linkedVersion().Minor()+1)
	for _, text := range []string{"v", "1", "1.", "1.x", "1.35.", "1.35.x", "1.35.1.1", "1.35-rc", "2.0", "0.35", "1.+35", "-1.35", "1.35 ", "latest", "1.24", "1.0", newer, "1.9999999"} {
		if target, err := NewTarget(text); err == nil {
			t.Errorf("%q: no error, got %s", text, target.Version())
		} else if !strings.Contains(err.Error(), fmt.Sprintf("%q", text)) {
			t.Errorf("%q: %v", text, err)
		}
	}
}

// TestEnvironmentMatchesServer checks that for the linked version, new rules are compiled
// in the environment that the server's validation uses.
func TestEnvironmentMatchesServer(t *testing.T) {
	target := target(t, newest())
	if got, want := target.compatibility.String(), environment.DefaultCompatibilityVersion().String(); got != want {
		t.Errorf("compatible with %s, but the server with %s", got, want)
	}
	if got, err := target.newRules(); err != nil || got.Env != environment.MustBaseEnvSet(environment.DefaultCompatibilityVersion()).NewExpressionsEnv() {
		t.Error("the environments differ")
	}
}

// TestRulesOfVersions checks the first version that accepts each rule.
func TestRulesOfVersions(t *testing.T) {
	for _, c := range []struct {
		name, rule string
		// since is the first minor version that accepts the rule; 0 means all.
		since uint
	}{
		{"always", "self.s.size() > 0", 0},
		{"join", "self.l.join(',') == ''", 0},
		{"optional types", "optional.of(1).hasValue()", 29},
		{"quantity", "isQuantity(self.s)", 29},
		{"numbers", "self.i < self.num", 29},
		{"sets", "sets.contains(self.l, ['a'])", 30},
		{"format of strings", "'%s'.format([self.s]) == ''", 30},
		{"ip", "isIP(self.s)", 31},
		{"cidr", "cidr(self.s).containsIP('10.0.0.1')", 31},
		{"formats", "!format.named('uuid').hasValue()", 32},
		{"keywords", "self.namespace == ''", 32},
		{"two variables", "self.l.all(i, v, v != '')", 33},
		{"semver", "isSemver(self.s)", 34},
		{"lists", "self.l.distinct() == self.l", 35},
	} {
		crd := widget(t, `
type: object
properties:
  s: {type: string, maxLength: 100}
  i: {type: integer}
  num: {type: number}
  l: {type: array, maxItems: 10, items: {type: string, maxLength: 100}}
  namespace: {type: string, maxLength: 10}
`)
		spec := crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"]
		spec.XValidations = apiextensionsv1.ValidationRules{{Rule: c.rule}}
		crd.Spec.Versions[0].Schema.OpenAPIV3Schema.Properties["spec"] = spec
		for minor := uint(oldestMinor); minor <= linkedVersion().Minor(); minor++ {
			target := target(t, fmt.Sprintf("1.%d", minor))
			findings, err := target.ValidateCreate(context.Background(), crd)
			if err != nil {
				t.Fatal(err)
			}
			if accepted := len(findings) == 0; accepted != (minor >= c.since) {
				t.Errorf("%s: 1.%d reports %v", c.name, minor, findings)
			}
			// Stored rules may use everything that the version supports.
			findings, err = target.ValidateUpdate(context.Background(), crd, crd)
			if err != nil {
				t.Fatal(err)
			}
			if accepted := len(findings) == 0; accepted != (minor+1 >= c.since || minor >= c.since) {
				t.Errorf("%s: 1.%d reports for an update: %v", c.name, minor, findings)
			}
		}
	}
}

// TestLiteralsOfVersions checks that an invalid literal is rejected with the message of the
// version, whether or not there are other errors.
func TestLiteralsOfVersions(t *testing.T) {
	crd := widget(t, `{type: object, properties: {s: {type: string}}, x-kubernetes-validations: [{rule: "self.s.matches('(')"}]}`)
	both := widget(t, `{type: object, properties: {s: {type: string, uniqueItems: true}, t: {type: string, x-kubernetes-validations: [{rule: "self.matches('(')"}]}}}`)
	for minor := uint(oldestMinor); minor <= linkedVersion().Minor(); minor++ {
		want := "program instantiation failed"
		if minor >= 30 {
			want = "invalid matches argument"
		}
		for i, c := range []*apiextensionsv1.CustomResourceDefinition{crd, both} {
			findings, err := target(t, fmt.Sprintf("1.%d", minor)).ValidateCreate(context.Background(), c)
			if err != nil {
				t.Fatal(err)
			}
			if len(findings) != i+1 || !strings.Contains(findings[i].Detail, want) {
				t.Errorf("1.%d: %v", minor, findings)
			}
		}
	}
}

// TestFieldsOfVersions checks that fields are rejected or dropped before a version.
func TestFieldsOfVersions(t *testing.T) {
	for _, c := range []struct {
		name, rule, suffix string
		selectable         bool
		known, on          uint
	}{
		{name: "message expression", rule: `{rule: "true", messageExpression: "'a'"}`, suffix: "x-kubernetes-validations[0].messageExpression", known: 27, on: 27},
		{name: "reason", rule: `{rule: "true", reason: FieldValueInvalid}`, suffix: "x-kubernetes-validations[0].reason", known: 28, on: 28},
		{name: "field path", rule: `{rule: "true", fieldPath: .a}`, suffix: "x-kubernetes-validations[0].fieldPath", known: 28, on: 28},
		{name: "optional old self", rule: `{rule: "oldSelf == self", optionalOldSelf: false}`, suffix: "x-kubernetes-validations[0].optionalOldSelf", known: 29, on: 30},
		{name: "selectable fields", rule: `{rule: "true"}`, selectable: true, suffix: "spec.versions[0].selectableFields", known: 30, on: 31},
	} {
		crd := widget(t, "{type: object, properties: {a: {type: string}}, x-kubernetes-validations: ["+c.rule+"]}")
		if c.selectable {
			crd.Spec.Versions[0].SelectableFields = []apiextensionsv1.SelectableField{{JSONPath: ".spec.a"}}
		}
		for minor := uint(oldestMinor); minor <= linkedVersion().Minor(); minor++ {
			target := target(t, fmt.Sprintf("1.%d", minor))
			findings, err := target.ValidateCreate(context.Background(), crd)
			if err != nil {
				t.Fatal(err)
			}
			if minor >= c.on {
				if len(findings) > 0 {
					t.Errorf("%s: 1.%d reports %v", c.name, minor, findings)
				}
				continue
			}
			if len(findings) != 1 || findings[0].Source != Version || findings[0].Warning != (minor >= c.known) || !strings.HasSuffix(findings[0].Paths[0], c.suffix) {
				t.Errorf("%s: 1.%d reports %v", c.name, minor, findings)
			}
			// A field that is in use is kept if the version knows it.
			if findings, _ = target.ValidateUpdate(context.Background(), crd, crd); minor >= c.known && len(findings) > 0 {
				t.Errorf("%s: 1.%d reports for an update: %v", c.name, minor, findings)
			}
		}
	}
	// A rule that needs the dropped field does not compile.
	crd := widget(t, `{type: object, x-kubernetes-validations: [{rule: "oldSelf.hasValue() || true", optionalOldSelf: true}]}`)
	for version, want := range map[string]int{"1.29": 2, "1.30": 0} {
		if findings, _ := target(t, version).ValidateCreate(context.Background(), crd); len(findings) != want {
			t.Errorf("%s reports %v", version, findings)
		}
	}
}

func TestWarningsOfVersions(t *testing.T) {
	crd := widget(t, `
type: object
properties:
  a: {type: string, format: k8s-short-name}
  b: {type: string, format: nothing}
  c: {type: integer, format: nothing}
  d: {type: integer, format: int32}
  e: {type: array, items: {type: object, x-kubernetes-map-type: atomic}, x-kubernetes-list-type: set}`)
	const set = `x-kubernetes-list-type: set for items of type "object" is not supported by server-side apply or CEL validation rules`
	for version, want := range map[string][]string{
		"1.33": nil,
		"1.34": {"properties[a]: unrecognized format \"k8s-short-name\"", "properties[b]: unrecognized format \"nothing\""},
		"1.35": {"properties[b]: unrecognized format \"nothing\""},
		"1.36": {"properties[b]: unrecognized format \"nothing\"", "properties[c]: unrecognized format \"nothing\""},
		"1.37": {"properties[b]: unrecognized format \"nothing\"", "properties[c]: unrecognized format \"nothing\"", "properties[e]: " + set},
	} {
		findings, err := target(t, version).ValidateCreate(context.Background(), crd)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range findings {
			if !f.Warning {
				t.Errorf("%s: %s is not a warning", version, f)
			}
			got = append(got, strings.TrimPrefix(f.Paths[0], "spec.versions[0].schema.openAPIV3Schema.properties[spec].")+": "+f.String())
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", version, got, want)
		}
	}
}

// TestUpdatesOfVersions checks how older servers validate updates.
func TestUpdatesOfVersions(t *testing.T) {
	costly := widget(t, `{type: object, properties: {a: {type: string}}, x-kubernetes-validations: [{rule: "self.a.matches('a+b+c+d+e+f+g+h+i+j+k+l+m+n+o+p+q+r+s+t+u+v+w+x+y+z+(aa|bb|cc|dd|ee|ff|gg)(aa|bb|cc|dd|ee|ff|gg)(aa|bb|cc|dd|ee|ff|gg)(aa|bb|cc|dd|ee|ff|gg)')"}]}`)
	bundle := widget(t, "type: object")
	webhook("v1")(t, bundle)
	bad := bundle.DeepCopy()
	bad.Spec.Conversion.Webhook.ClientConfig.CABundle = []byte("x")
	for _, c := range []struct {
		version  string
		crd, old *apiextensionsv1.CustomResourceDefinition
		want     int
	}{{"1.28", costly, costly, 1}, {"1.29", costly, costly, 0}, {"1.30", bad, bundle, 0}, {"1.31", bad, bundle, 1}} {
		findings, err := target(t, c.version).ValidateUpdate(context.Background(), c.crd, c.old)
		if err != nil || len(findings) != c.want {
			t.Errorf("%s reports %v, %v", c.version, findings, err)
		}
	}
}

// TestNumberFormatsOfVersions checks that formats of numbers restrict defaults since 1.36.
// Before, such defaults do not prevent the evaluation of rules either.
func TestNumberFormatsOfVersions(t *testing.T) {
	for version, want := range map[string]map[string]int{
		"1.35": {"a: {type: integer, format: int32, default: 3000000000}": 0, "a: {type: integer, format: int64, default: 1.5}": 1, "a: {type: number, format: float, default: 1e300}": 0,
			"a: {type: integer, format: int32, default: 3000000000}, b: {type: string, x-kubernetes-validations: [{rule: \"self.nothing\"}]}": 1},
		"1.36": {"a: {type: integer, format: int32, default: 3000000000}": 1, "a: {type: integer, format: int64, default: 1.5}": 2, "a: {type: number, format: float, default: 1e300}": 1,
			"a: {type: integer, format: int32, default: 3000000000}, b: {type: string, x-kubernetes-validations: [{rule: \"self.nothing\"}]}": 1},
	} {
		for properties, count := range want {
			findings, err := target(t, version).ValidateCreate(context.Background(), widget(t, "{type: object, properties: {"+properties+"}}"))
			if err != nil || len(findings) != count {
				t.Errorf("%s of %s: %v, %v", version, properties, findings, err)
			}
			for _, f := range findings {
				if strings.Contains(properties, "nothing") && strings.Contains(f.Detail, "self.nothing") != (version == "1.35") {
					t.Errorf("%s of %s: %s", version, properties, f)
				}
			}
		}
	}
}

func TestDifferencesAreSorted(t *testing.T) {
	seen := map[string]bool{}
	for _, d := range Differences() {
		minor, err := parseMinor(d.Since)
		if err != nil || minor <= oldestMinor || minor > linkedVersion().Minor() {
			t.Errorf("%s: %v", d.Since, err)
		}
		if d.Subject == "" || d.Before == "" || seen[d.Since+d.Subject] {
			t.Errorf("%+v", d)
		}
		seen[d.Since+d.Subject] = true
	}
}
