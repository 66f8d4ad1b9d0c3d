package manifest

import (
	"encoding/json"
	"fmt"
	"go/token"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

// ambiguousWords are what YAML 1.1 may read as something else than text. NaN is not among them: it equals no key, so that
// its position is not known.
func ambiguousWords() []string {
	out := []string{
		"~", "null", "Null", "NULL", "1", "01", "0x10", "0b11", "0o7", "1_000", "+1", "-1", "1.0", "1e3", ".5", ".inf", "-.Inf", "1:30",
		"2001-01-01", "a", "yes1", "On-", "name", "YeS", "nO", "oN", "tRue", "<", "=", "1.2.3", "0.10", "1e400",
	}
	for _, word := range []string{"y", "n", "yes", "no", "on", "off", "true", "false"} {
		out = append(out, word, strings.ToUpper(word), strings.ToUpper(word[:1])+word[1:])
	}
	return out
}

// TestConvertedKeys reads each word as the name of a property, with and without quotes, in block and flow style.
// A problem is reported if and only if sigs.k8s.io/yaml, which kubectl and the API server use, reads
// another name.
func TestConvertedKeys(t *testing.T) {
	converted := 0
	for _, word := range ambiguousWords() {
		for _, form := range []string{"%s", `"%s"`, "'%s'"} {
			key := fmt.Sprintf(form, word)
			for _, schema := range []string{"properties:\n  " + key + ": {type: string}\n", "properties: {" + key + ": {type: string}}\n", "properties:\n  b: &b\n    " + key + ": 1\n  c: *b\n"} {
				text := crdWith(schema)
				_, problems := Read(token.NewFileSet(), "crd.yaml", []byte(text))
				var got []string
				for _, p := range problems {
					if p.Kind == ConvertedKey {
						got = append(got, p.Message+"; "+p.Hint)
					}
				}
				name := ""
				if data, err := yaml.YAMLToJSON([]byte(key + ": 1")); err == nil {
					var object map[string]any
					if err := json.Unmarshal(data, &object); err != nil {
						t.Fatal(err)
					}
					for name = range object {
					}
				}
				var want []string
				if name != word && name != "" {
					want = []string{fmt.Sprintf("the key %s is read as %q; write it in quotes: %q", word, name, word)}
					converted++
				}
				if fmt.Sprint(got) != fmt.Sprint(want) {
					t.Errorf("%s:\ngot  %q\nwant %q", text, got, want)
				}
			}
		}
	}
	if converted < 60 {
		t.Errorf("only %d converted keys", converted)
	}
}

// TestConvertedValues reads each word in a list of names. If it is not read as text, the problem says how to
// write it.
func TestConvertedValues(t *testing.T) {
	for _, word := range ambiguousWords() {
		_, problems := Read(token.NewFileSet(), "crd.yaml", []byte(crdWith("required: ["+word+"]\n")))
		var values []any
		if err := yaml.Unmarshal([]byte("["+word+"]"), &values); err != nil {
			continue
		}
		_, isText := values[0].(string)
		for _, p := range problems {
			if p.Kind == WrongType && p.Hint != fmt.Sprintf("write it in quotes: %q", word) {
				t.Errorf("%s: %s; %s", word, p.Message, p.Hint)
			}
		}
		if isText != (len(problems) == 0) && values[0] != nil {
			t.Errorf("%s: got %v", word, problems)
		}
	}
}
