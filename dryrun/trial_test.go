package dryrun

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/verify"
)

// thingCRD returns a definition with a value of each type.
func thingCRD(t testing.TB) string {
	t.Helper()
	text, err := os.ReadFile("../testdata/thing.yaml")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// tryAll tries the objects in a text, formats the results, and returns all findings.
func tryAll(t *testing.T, trial *Trial, text string) diag.List {
	t.Helper()
	objects, findings := ReadObjects(crd.File{Name: "object.yaml", Data: []byte(text)})
	for _, o := range objects {
		if o.IsDefinition() {
			continue
		}
		r, err := trial.Try(t.Context(), o)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		findings = append(findings, r.Findings...)
		for _, render := range []func() ([]byte, error){r.GivenYAML, r.StoredYAML} {
			if _, err := render(); err != nil {
				t.Fatalf("%s: %v", text, err)
			}
		}
	}
	return findings
}

// TestHints checks that hints name only flags of the program that tries objects.
func TestHints(t *testing.T) {
	text := strings.Replace(thingCRD(t), "    storage: true\n", "    storage: true\n    subresources: {status: {}}\n", 1)
	definitions, findings := verify.Read(crd.File{Name: "crd.yaml", Data: []byte(strings.Replace(text, "          spec:\n", "          status: {type: object}\n          spec:\n", 1))})
	if findings.HasErrors() {
		t.Fatal(findings)
	}
	trial := New(definitions...)
	hintsOf := func() string {
		_, found := trial.ReadSuite("suite", []byte("crdName: a.b\ntests: {}\n"))
		found = append(found, tryAll(t, trial, "apiVersion: example.org/v1\nkind: Nowhere\nmetadata: {name: a}\n")...)
		found = append(found, tryAll(t, trial, "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\nstatus: {}\n")...)
		var hints []string
		for _, d := range found {
			hints = append(hints, d.Hint)
		}
		return strings.Join(hints, "|")
	}
	if got := hintsOf(); got != "name its CRD|name its CRD|" {
		t.Errorf("the hints of the library are %s", got)
	}
	trial.Hints = Hints{CRD: "as a file", Status: "write it"}
	if got := hintsOf(); got != "name its CRD as a file|name its CRD as a file|write it" {
		t.Errorf("the hints of a program are %s", got)
	}
}

// TestTryWrongTypes puts values of each type at each position, on every level, and checks
// that they are stored or rejected with their line.
func TestTryWrongTypes(t *testing.T) {
	values := []string{"null", "a", `"1"`, "1", "-1", "1.5", "true", "[]", "[a]", "[[a]]", "{}", "{a: b}", "{a: {b: c}}", "[{name: a}]", "[{name: 1}]", "[null]"}
	places := []string{
		"@", "apiVersion: @", "kind: @", "metadata: @", "spec: @",
		"metadata: {name: @}", "metadata: {name: a, namespace: @}", "metadata: {name: a, labels: @}", "metadata: {name: a, labels: {a: @}}",
		"metadata: {name: a, ownerReferences: @}", "metadata: {name: a, creationTimestamp: @}", "metadata: {name: a, generation: @}",
		"spec: {text: @}", "spec: {integer: @}", "spec: {small: @}", "spec: {number: @}", "spec: {flag: @}", "spec: {either: @}",
		"spec: {list: @}", "spec: {list: [a, @]}", "spec: {map: @}", "spec: {map: {a: @}}",
		"spec: {keyed: @}", "spec: {keyed: [@]}", "spec: {keyed: [{name: @}]}", "spec: {any: @}", "spec: {any: {a: @}}",
	}
	trial := fuzzedCRDs(t)
	for _, place := range places {
		rejected := 0
		for _, value := range values {
			text := strings.ReplaceAll(place, "@", value) + "\n"
			for _, line := range []string{"metadata: {name: a}\n", "kind: Thing\n", "apiVersion: example.com/v1\n"} {
				if key, _, _ := strings.Cut(line, ":"); place != "@" && !strings.HasPrefix(place, key+":") {
					text = line + text
				}
			}
			at := strings.Count(text, "\n")
			for key := range strings.Lines(text) {
				if strings.Contains(key, value) && strings.HasPrefix(place, strings.SplitN(key, ":", 2)[0]) {
					at = 1 + strings.Count(text[:strings.Index(text, key)], "\n")
				}
			}
			for _, d := range tryAll(t, trial, text) {
				if d.Severity == diag.Error {
					rejected++
				}
				if d.Pos.File != "object.yaml" || d.Pos.Line != at && d.Pos.Line != 1 && !strings.Contains(d.Message, "gets its default") {
					t.Errorf("%s: not at line %d: %v", text, at, d)
				}
			}
		}
		if rejected == 0 && !strings.Contains(place, "any: {a:") {
			t.Errorf("nothing is wrong at %s", place)
		}
	}
}

// fuzzedCRDs returns the kinds of the objects in FuzzTry: values of each type, the same with
// rules about changes, and unions in both forms that servers enforce.
func fuzzedCRDs(t testing.TB) *Trial {
	t.Helper()
	union := func(forms string) string {
		schema := `
                type: object
                required: [type]
                properties:
                  type: {type: string, enum: [None, Solid, Image]}
                  solid: {type: object, properties: {color: {type: string, default: red}}}
                  image: {type: object, required: [url], properties: {url: {type: string, maxLength: 5}}}
` + forms
		before, _, _ := strings.Cut(strings.NewReplacer("Thing", "Fill", "things", "fills").Replace(thingCRD(t)), "              text:")
		return before + "              fill:" + schema + "              layers:\n                type: array\n                maxItems: 9\n                items:" + strings.ReplaceAll(schema, "\n", "\n  ")
	}
	var definitions []*crd.Definition
	for _, text := range []string{
		thingCRD(t),
		strings.NewReplacer("Thing", "Ruled", "things", "ruleds", "type: string", "type: string, maxLength: 9, x-kubernetes-validations: [{rule: 'self == oldSelf'}, {rule: 'self.size() < 5'}]").Replace(thingCRD(t)),
		union("                x-kubernetes-validations:\n" + unionRules("solid", "Solid") + unionRules("image", "Image")),
	} {
		read, findings := verify.Read(crd.File{Name: "crd.yaml", Data: []byte(text)})
		if findings.HasErrors() || len(read) != 1 {
			t.Fatalf("%v\n%s", findings, text)
		}
		definitions = append(definitions, read...)
	}
	trial := New(definitions...)
	for _, kind := range trial.kinds {
		if _, err := kind.server(); err != nil {
			t.Fatal(err)
		}
	}
	return trial
}

// unionRules returns the rules for a member in the cel form.
func unionRules(member, value string) string {
	selected := "(has(self.type) && self.type == \"" + value + "\")"
	return fmt.Sprintf(`                - {rule: '!%s || has(self.%s)', fieldPath: .%[2]s, message: must be specified when %[3]q}
                - {rule: '!has(self.%[2]s) || %[1]s', fieldPath: .%[2]s, message: may only be specified when %[3]q}
`, selected, member, "`type` is "+value)
}

// FuzzTry tries any object, as a new one and as an update of another, and checks that each
// finding has a position. CRDs are not fuzzed, because the server's code takes milliseconds
// to prepare one.
func FuzzTry(f *testing.F) {
	const thing = "apiVersion: example.com/v1\nkind: Thing\nmetadata: {name: a}\n"
	const fill = "apiVersion: example.com/v1\nkind: Fill\nmetadata: {name: a}\n"
	for _, seed := range [][2]string{
		{thing + "spec: {text: null, integer: 9223372036854775808, keyed: [{name: a}, {name: a}], x: {}}\n", thing + "spec: {number: 1e400, small: 2147483648}\n"},
		{`{"apiVersion":"example.com/v1","kind":"ThingList","items":[{"metadata":{"name":1}},{"spec":{"either":true,"map":{"a.b[0]":"c"}}}]}`, ""},
		{strings.ReplaceAll(thing, "Thing", "Ruled") + "spec: {text: b, keyed: [{name: c}]}\n", strings.ReplaceAll(thing, "Thing", "Ruled") + "spec: {text: c}\n"},
		{fill + "spec: {fill: {type: Solid, solid: {}, image: {url: a}}, layers: [{type: None}, {type: Image, image: {urll: a}}]}\n", fill + "spec: {fill: {type: Image, image: {url: a}}}\n---\n" + thing},
		{thing + "---\n# a\n- b\n---\napiVersion: v1\nkind: Node\n", "a: [b"},
	} {
		f.Add([]byte(seed[0]), []byte(seed[1]))
	}
	kinds := fuzzedCRDs(f)
	f.Fuzz(func(t *testing.T, object, old []byte) {
		if len(object)+len(old) > 1<<14 {
			return // long objects are slow and find nothing more
		}
		olds := map[Key]map[string]any{}
		stored, _ := ReadObjects(crd.File{Name: "old.yaml", Data: old})
		for _, o := range stored {
			olds[o.Key()] = o.Value
		}
		trial := *kinds
		trial.Stored = func(key Key) (map[string]any, error) { return runtime.DeepCopyJSON(olds[key]), nil }
		for _, d := range tryAll(t, &trial, string(object)) {
			if d.Pos.Line == 0 {
				t.Errorf("no place: %v", d)
			}
		}
	})
}
