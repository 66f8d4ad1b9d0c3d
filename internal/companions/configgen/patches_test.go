package configgen_test

import (
	"bytes"
	"fmt"
	"os"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	admissionv1 "k8s.io/api/admissionregistration/v1"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// patchValues are values of the fields of a webhook, right and wrong ones.
func patchValues() map[string][]string {
	expressions := []string{
		`true`, ` `, ``, `object.spec.x == 1`, `request.userInfo.username != 'a'`, `oldObject == null`, `authorizer.group('').resource('pods').check('get').allowed()`,
		`has(object.metadata.labels) && 'a' in object.metadata.labels`, `namespaceObject.metadata.name == 'a'`, `'<&>' != ''`,
		`1 +`, `request.foo == 'a'`, `1`, `'a' == 1`, `params.x`, `variables.x`, `self.x`, `nothing && other`, `object.spec.matches('[')`,
		`[1, 2].all(x, x > 0)`, `object.all(x, y)`, `"a" == 'b'`, `"é" == 1`,
	}
	var conditions []string
	for _, e := range expressions {
		conditions = append(conditions, fmt.Sprintf(`[{"name":"a","expression":%q}]`, e))
	}
	var many []string
	for i := range 65 {
		many = append(many, fmt.Sprintf(`{"name":"c%d","expression":"true"}`, i))
	}
	conditions = append(conditions, `[]`, `null`, `[{"expression":"true"}]`, `[{"name":"","expression":"true"}]`, `[{"name":"a b","expression":"true"}]`, `[{"name":"a"}]`,
		`[{"name":"a.b/c-d","expression":"true"}]`, `[{"name":"a/b/c","expression":"true"}]`, `[{"name":"a","expression":"true"},{"name":"a","expression":"false"}]`,
		`[{"name":"a","expression":"true"},{"name":"b","expression":"x"},{"name":"b","expression":"y"}]`, "["+strings.Join(many, ",")+"]")
	selectors := []string{
		`{}`, `null`, `{"matchLabels":{"a":"b"}}`, `{"matchLabels":{"a b":"c"}}`, `{"matchLabels":{"a":"b c"}}`, `{"matchLabels":{"a":""}}`, `{"matchLabels":{"a/b/c":"d"}}`,
		`{"matchExpressions":[{"key":"a","operator":"In","values":["b"]}]}`, `{"matchExpressions":[{"key":"a","operator":"In"}]}`,
		`{"matchExpressions":[{"key":"a","operator":"NotIn","values":[]}]}`, `{"matchExpressions":[{"key":"a","operator":"Exists"}]}`,
		`{"matchExpressions":[{"key":"a","operator":"Exists","values":["b"]}]}`, `{"matchExpressions":[{"key":"a","operator":"DoesNotExist","values":["b"]}]}`,
		`{"matchExpressions":[{"key":"a","operator":"in","values":["b"]}]}`, `{"matchExpressions":[{"key":"a"}]}`, `{"matchExpressions":[{"operator":"Exists"}]}`,
		`{"matchExpressions":[{"key":"a b","operator":"Exists"}]}`, `{"matchExpressions":[{"key":"a","operator":"In","values":["b c"]}]}`,
		`{"matchExpressions":[{"key":"a","operator":"Exists"},{"key":"-","operator":"Is","values":["b"]}]}`,
	}
	words := func(list ...string) (out []string) {
		for _, word := range list {
			out = append(out, fmt.Sprintf("%q", word))
		}
		return append(out, "null")
	}
	rule := func(fields string) string {
		return `[{"apiGroups":["a"],"apiVersions":["v1"],"resources":["b"],"operations":["CREATE"]` + fields + `}]`
	}
	return map[string][]string{
		"name":                    words("a.b.d", "a.b", "a", "", "A.b.c", "a..c"),
		"failurePolicy":           words("Fail", "Ignore", "fail", ""),
		"matchPolicy":             words("Exact", "Equivalent", "exact", ""),
		"sideEffects":             words("None", "NoneOnDryRun", "Some", "Unknown", ""),
		"reinvocationPolicy":      words("Never", "IfNeeded", "never", ""),
		"timeoutSeconds":          {"1", "30", "0", "31", "-1", "null"},
		"admissionReviewVersions": {`["v1"]`, `["v1","v1beta1"]`, `["v2"]`, `["v2","v1"]`, `["v1","v1"]`, `["v1","V2"]`, `["v1","a.b"]`, `["v1",""]`, `[]`, `null`},
		"rules": {
			rule(""), `[]`, `null`, `[{}]`, rule(`,"scope":"*"`), rule(`,"scope":"Cluster"`), rule(`,"scope":"Namespaced"`), rule(`,"scope":"namespaced"`), rule(`,"scope":""`),
			rule(`,"operations":["create"]`), rule(`,"operations":["*"]`), rule(`,"operations":["*","CREATE"]`), rule(`,"resources":["*/*","b"]`), rule(`,"resources":["b/c"]`),
			rule(`,"apiVersions":["*","v1"]`), rule(`,"apiGroups":[]`), rule(`,"apiGroups":[""]`), rule(`,"resources":[""]`),
		},
		"clientConfig": {
			`{}`, `null`, `{"service":null}`, `{"url":"https://a.b/c"}`, `{"service":null,"url":"https://a.b/c"}`, `{"service":null,"url":"http://a.b"}`, `{"service":null,"url":""}`,
			`{"service":{"name":""}}`, `{"service":{"namespace":""}}`, `{"service":{"path":"x"}}`, `{"service":{"path":null}}`, `{"service":{"port":0}}`, `{"service":{"port":null}}`,
			`{"service":{"name":null,"namespace":null}}`, `{"caBundle":"Cg=="}`,
		},
		"namespaceSelector": selectors,
		"objectSelector":    selectors,
		"matchConditions":   conditions,
	}
}

// patchCell is a webhook with a patch.
type patchCell struct {
	mutating bool
	patch    string
}

func (c patchCell) marker() string {
	return fmt.Sprintf("+kubebuilder:webhook:path=/validate-a,mutating=%t,failurePolicy=fail,sideEffects=None,groups=a,resources=b,verbs=create,versions=v1,name=a.b.c,admissionReviewVersions=v1,patch=`%s`", c.mutating, c.patch)
}

// patchCells are the patches of each field of the two types of webhooks with each value.
func patchCells(t *testing.T) (out []patchCell) {
	values := patchValues()
	for _, mutating := range []bool{false, true} {
		typ := reflect.TypeFor[admissionv1.ValidatingWebhook]()
		if mutating {
			typ = reflect.TypeFor[admissionv1.MutatingWebhook]()
		}
		for i := range typ.NumField() {
			name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
			if len(values[name]) == 0 {
				t.Errorf("patchValues has no values of %s", name)
			}
			for _, value := range values[name] {
				out = append(out, patchCell{mutating, fmt.Sprintf(`{%q: %s}`, name, value)})
			}
		}
	}
	return append(out, patchCell{false, `{`}, patchCell{false, `{"unknown": 1}`}, patchCell{true, `{"timeoutSeconds": "1"}`}, patchCell{true, `[]`},
		patchCell{false, `{"namespaceSelector":{"matchLabels":{"a b":"c"}},"matchConditions":[{"name":"a","expression":"x"}]}`})
}

// TestPatches compares what is reported about each patch, and where, with testdata/config/patches.txt.
// A test of e2e compares that with the validation of kube-apiserver.
//
// Left out of make generate: it generates each of hundreds of patches twice.
func TestPatches(t *testing.T) {
	cells := patchCells(t)
	var cases []*gentest.Case
	for i, c := range cells {
		source := "package a\n\n// " + c.marker() + "\n"
		cases = append(cases, &gentest.Case{Name: fmt.Sprintf("patch%d", i), Archive: &txtar.Archive{Files: []txtar.File{{Name: "a/a.go", Data: []byte(source)}}}})
	}
	dir, listed := gentest.List(t, cases)
	var out strings.Builder
	for i, c := range cells {
		lister := gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + cases[i].Name}
		files, _ := generators{skipVerify: true}.run(t, dir, lister)
		_, findings := generators{}.run(t, dir, lister)
		fmt.Fprintf(&out, "mutating=%t %s\n%s\n", c.mutating, c.patch, objectOf(t, files))
		for _, d := range findings {
			out.WriteString(describe(d, "// "+c.marker()))
		}
		out.WriteByte('\n')
	}
	const name = "../../../testdata/config/patches.txt"
	if *update {
		if err := os.WriteFile(name, []byte(out.String()), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if out.String() != string(want) {
		t.Errorf("%s differs:\n%s", name, gentest.Difference(string(want), out.String()))
	}
}

// objectOf returns the written configuration in JSON.
func objectOf(t *testing.T, files map[string]string) string {
	t.Helper()
	text, ok := files["manifests.yaml"]
	if !ok {
		return "no object"
	}
	object, err := yaml.YAMLToJSON([]byte(text))
	if err != nil {
		t.Fatal(err)
	}
	return string(bytes.TrimSpace(object))
}

// describe returns a diagnostic with the text of the source that it is about.
func describe(d diag.Diagnostic, source string) string {
	at := source[d.Pos.Column-1:]
	if d.End.Column > d.Pos.Column {
		at = source[d.Pos.Column-1 : d.End.Column-1]
	}
	lines := []string{fmt.Sprintf("%s[%s] at %s: %s", d.Severity, d.Code, at, d.Message)}
	if d.Hint != "" {
		lines = append(lines, "hint: "+d.Hint)
	}
	return strings.Join(slices.DeleteFunc(strings.Split(strings.Join(lines, "\n"), "\n"), func(line string) bool { return line == "" }), "\n") + "\n"
}
