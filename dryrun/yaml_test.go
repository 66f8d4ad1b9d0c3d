package dryrun

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/structural"
)

// TestOrderedYAMLIsRead checks that Kubernetes, which uses YAML 1.1, decodes printed objects
// to the same values.
func TestOrderedYAMLIsRead(t *testing.T) {
	texts := []string{
		"", " ", "a", "a b", "a: b", "- a", "#a", "a #b", "'a'", `"a"`, "null", "~", "true", "True", "yes", "Yes", "no", "NO", "on", "Off", "y", "N",
		"1", "-1", "+1", "1.0", "1e3", "1_000", "0x1f", "0o7", "017", "0b1", ".5", ".inf", "-.INF", ".nan", "1:20", "1:20:30.5", "2001-01-01", "2001-01-01T00:00:00Z",
		"a\nb", "a\nb\n", "\na", " a\nb", "a\n b\n\n", "\ta", "a\tb", "a\rb", "\x00", "\x7f", "ä", "\u2028", "\u0085", "\ufeff", "😀", "!a", "&a", "*a", "%a", "@a", "`a", "{a", "[a", "|", ">", "?", "? a", "-", "---", "...", "<<", "=",
		strings.Repeat("long ", 50),
	}
	list := []any{int64(math.MaxInt64), int64(math.MinInt64), 1.5, -0.5, 1e100, nil, true, false, []any{}, map[string]any{}, []any{[]any{nil}}}
	object := map[string]any{"list": list}
	for _, text := range texts {
		object[text] = text
		list = append(list, text)
	}
	object["list"] = list
	text, err := orderedYAML(func(*structural.ObjectPath) []string { return nil }, nil, object)
	if err != nil {
		t.Fatal(err)
	}
	var got map[string]any
	if err := yaml.Unmarshal(text, &got); err != nil {
		t.Fatalf("%v:\n%s", err, text)
	}
	for _, text := range texts {
		if got[text] != text {
			t.Errorf("%q becomes %#v", text, got[text])
		}
	}
	for i, value := range got["list"].([]any) {
		want := list[i]
		if n, ok := want.(int64); ok {
			want = float64(n)
		}
		if !reflect.DeepEqual(value, want) {
			t.Errorf("%#v becomes %#v", want, value)
		}
	}
}
