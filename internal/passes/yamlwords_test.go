package passes_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// yamlWords are words that a JSON name and a value of an enum may be, and that YAML 1.1 may read as something
// else than text.
func yamlWords() []string {
	out := []string{
		"~", "null", "Null", "NULL", "nil", "None", "1", "12", "01", "0x10", "0x1g", "0b11", "0o7", "1_000", "+1", "-1", "1.0", "1e3", ".5", ".inf", "-.Inf", ".nan", "1:30",
		"2001-01-01", "a", "x", "yes1", "On-", "name", "YeS", "nO", "oN", "tRue", "1.2.3", "0.10", "9223372036854775808", "status", "enabled",
	}
	for _, word := range []string{"y", "n", "yes", "no", "on", "off", "true", "false", "t", "f"} {
		out = append(out, word, strings.ToUpper(word), strings.ToUpper(word[:1])+word[1:])
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// yamlTags are the ways in which a field has a JSON name.
var yamlTags = []struct {
	field, tag string
	isNamed    bool
}{
	{"F%d string", "%s", true},
	{"F%d *int32", "%s,omitempty", true},
	{"F%d []string", "%s,omitzero", true},
	{"Embedded%d", "%s", true},
	{"Embedded%d", ",inline", false},
}

// TestYAMLNames compares the JSON names that SG279 reports with those that sigs.k8s.io/yaml, which kubectl
// and the API server use, reads as other names.
func TestYAMLNames(t *testing.T) {
	type cell struct{ word, read string }
	var cells []cell
	var fields, embedded strings.Builder
	for _, word := range yamlWords() {
		for _, form := range yamlTags {
			read := word
			if data, err := yaml.YAMLToJSON([]byte(word + ": 1")); err != nil {
				read = "a value that cannot be a name"
			} else {
				var object map[string]int
				if err := json.Unmarshal(data, &object); err != nil {
					t.Fatal(err)
				}
				for read = range object {
				}
			}
			if !form.isNamed {
				read = word
			}
			i := len(cells)
			cells = append(cells, cell{word, read})
			field, tag := form.field, form.tag
			if strings.Contains(field, "%") {
				field = fmt.Sprintf(field, i)
			}
			if form.isNamed {
				tag = fmt.Sprintf(tag, word)
			}
			fmt.Fprintf(&fields, "type S%d struct {\n\t%s `json:%q`\n}\n\n", i, field, tag)
			fmt.Fprintf(&embedded, "\tC%d S%d `json:\"c%d\"`\n", i, i, i)
			if strings.HasPrefix(field, "Embedded") {
				fmt.Fprintf(&embedded, "\tE%d Embedded%d `json:\"e%d\"`\n", i, i, i)
			}
		}
	}
	source := "// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n" + fields.String() +
		"type Thing struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n" + embedded.String() + "}\n"
	for i := range cells {
		source += fmt.Sprintf("\ntype Embedded%d struct {\n\tA string `json:\"a\"`\n}\n", i)
	}
	found := yamlFindings(t, source, nil)
	reported := 0
	for i, c := range cells {
		var got []string
		for _, d := range found[i] {
			if d.Code != "SG279" || d.Hint == "" {
				t.Errorf("%s: unexpected %v", c.word, d)
			}
			got = append(got, d.Message[strings.Index(d.Message, ":"):])
		}
		var want []string
		if c.read != c.word {
			reported++
			want = []string{fmt.Sprintf(": in YAML, the name %s without quotes is read as %s", c.word, c.read)}
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", c.word, got, want)
		}
	}
	t.Logf("%d names, %d reported", len(cells), reported)
}

// yamlFindings returns the findings at each struct Si of a source.
func yamlFindings(t *testing.T, source string, rules []diag.Code) map[int]diag.List {
	t.Helper()
	dir, listed := gentest.List(t, []*gentest.Case{{Name: "yamlwords", Archive: &txtar.Archive{Files: []txtar.File{{Name: "v1/types.go", Data: []byte(source)}}}}})
	options, _ := parseOptions(t, "")
	options.SkipVerify = true
	options.Rules = rules
	options.Dir = filepath.Join(dir, "yamlwords")
	options.Lister = gentest.Lister{All: listed, Prefix: typedmodule.Path + "/yamlwords"}
	_, findings, err := generateFiles(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(source, "\n")
	out := map[int]diag.List{}
	for _, d := range findings {
		line := d.Pos.Line - 1
		for !strings.HasPrefix(lines[line], "type S") {
			line--
		}
		var i int
		if _, err := fmt.Sscanf(lines[line], "type S%d ", &i); err != nil {
			t.Fatal(err)
		}
		out[i] = append(out[i], d)
	}
	return out
}

// TestYAMLValues compares the values of enums that SG267 reports with those that sigs.k8s.io/yaml reads as
// something else than a string.
func TestYAMLValues(t *testing.T) {
	var source, fields strings.Builder
	words := yamlWords()
	forms := []string{
		"type S%[1]d struct {\n\t// +kubebuilder:validation:Enum=first;%[2]q\n\tF string `json:\"f\"`\n}\n",
		"type S%[1]d struct {\n\tF S%[1]dType `json:\"f\"`\n}\n\n// +kubebuilder:validation:Enum=first;%[2]q\ntype S%[1]dType string\n",
		"type S%[1]d struct {\n\t// +kubebuilder:validation:items:Enum=first;%[2]q\n\tF []string `json:\"f\"`\n}\n",
		"type S%[1]d struct {\n\tF map[string]S%[1]dType `json:\"f\"`\n}\n\n// +kubebuilder:validation:Enum=first;%[2]q\ntype S%[1]dType string\n",
		"type S%[1]d struct {\n\t// +kubebuilder:validation:Enum=first;%[2]q\n\tF S%[1]dType `json:\"f\"`\n}\n\n// +kubebuilder:validation:Enum=first;%[2]q;third\ntype S%[1]dType string\n",
		"type S%[1]d struct {\n\t// %[2]s\n\t// +kubebuilder:validation:Enum=1;2\n\tF int32 `json:\"f\"`\n}\n",
	}
	for i := range len(words) * len(forms) {
		fmt.Fprintf(&source, forms[i%len(forms)]+"\n", i, words[i/len(forms)])
		fmt.Fprintf(&fields, "\tC%d S%d `json:\"c%d\"`\n", i, i, i)
	}
	found := yamlFindings(t, "// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n"+source.String()+
		"type Thing struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n"+fields.String()+"}\n", []diag.Code{"SG267"})
	reported := 0
	for i := range len(words) * len(forms) {
		word := words[i/len(forms)]
		var value any
		if err := yaml.Unmarshal([]byte(word), &value); err != nil {
			value = nil
		}
		var want []string
		if _, isText := value.(string); !isText && i%len(forms) < len(forms)-1 {
			want = []string{fmt.Sprintf("field f: in YAML, the value %s without quotes is not read as text", word)}
			reported++
		}
		var got []string
		for _, d := range found[i] {
			got = append(got, d.Message)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", word, got, want)
		}
	}
	t.Logf("%d enums, %d reported", len(words)*len(forms), reported)
}
