package markers

import (
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/internal/ground/words"
)

// canonical is a marker as written in the reference, with its target there.
type canonical struct {
	text   string
	name   string
	target Target
}

// rest returns the text after the name.
func (c canonical) rest() string { return c.text[1+len(c.name):] }

// vocabulary returns one marker for each definition, from the examples of the reference.
func vocabulary(t *testing.T, table *Table) []canonical {
	t.Helper()
	var out []canonical
	for _, e := range examples(t) {
		for _, target := range []Target{Package, Type, Field} {
			if table.byTarget[target][e.name] == nil {
				continue
			}
			for line := range strings.Lines(e.goText) {
				text, _, ok := markerText(strings.TrimSpace(line))
				if !ok {
					continue
				}
				if m, err := table.Parse(Comment{Text: text, Pos: 1}, target); err == nil && m != nil && m.Name == e.name {
					out = append(out, canonical{text, e.name, target})
					break
				}
			}
		}
	}
	return out
}

// example is an entry of reference.txtar.
type example struct{ name, text, goText string }

// examples returns the entries of reference.txtar, which the public package markers parses
// completely; it imports this package.
func examples(t *testing.T) []example {
	t.Helper()
	var out []example
	for _, section := range txtar.Parse([]byte(Documentation())).Files {
		switch name, ok := strings.CutPrefix(section.Name, "+"); {
		case ok:
			out = append(out, example{name: name, text: string(section.Data)})
		case section.Name == "go":
			out[len(out)-1].goText = string(section.Data)
		}
	}
	return out
}

// hintFor returns the hint for a marker. ok reports whether the text was accepted as a
// marker, without a finding.
func hintFor(t *testing.T, table *Table, text string, target Target, features []string) (hint string, value any, ok bool) {
	t.Helper()
	if m, err := table.Parse(Comment{Text: text, Pos: 1}, target); err != nil {
		var parseErr *ParseError
		if !errors.As(err, &parseErr) {
			t.Fatal(err)
		}
		return parseErr.Hint, nil, false
	} else if m != nil {
		return "", m.Value, true
	}
	tag := "" // it must not imply the same as the marker
	if strings.HasPrefix(text, "+required") {
		tag = " `json:\"a,omitempty\"`"
	}
	src := map[Target]string{
		Package: "// " + text + "\npackage x\n",
		Type:    "package x\n\n// " + text + "\ntype T struct{}\n",
		Field:   "package x\n\ntype T struct {\n\t// " + text + "\n\tA int" + tag + "\n}\n",
	}[target]
	file, err := parser.ParseFile(token.NewFileSet(), "x.go", src, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range table.Lint(file, table.Collect(file), LintOptions{Features: features}) {
		return f.Hint, nil, false
	}
	return "", nil, false
}

// isOther reports whether a marker is a different one of the vocabulary.
func isOther(table *Table, text, name string) bool {
	for _, target := range []Target{Package, Type, Field} {
		if def := table.Lookup(text, target); def != nil && def.Name != name {
			return true
		}
	}
	return false
}

// sameMarker reports whether a hint suggests a marker equivalent to another one.
func sameMarker(table *Table, hint string, target Target, want *Marker) bool {
	text, ok := strings.CutPrefix(hint, "write ")
	if !ok {
		return false
	}
	m, err := table.Parse(Comment{Text: text, Pos: 1}, target)
	return err == nil && m != nil && m.Name == want.Name && reflect.DeepEqual(m.Value, want.Value)
}

// mayHaveNoHint reports whether no hint is required: for what resembles other tools' names, prose,
// the end of a tag whose arguments only another tool knows, or a name that is equally near to
// another one.
func mayHaveNoHint(table *Table, c canonical, wrong string) bool {
	if !strings.Contains(c.name, ":") && !slices.Contains(table.bare, c.name) || strings.HasPrefix(wrong, c.text) && table.byTarget[c.target][c.name].Own() {
		return true
	}
	if !strings.Contains(c.name, ":") && strings.Count(wrong, " ") > 1 {
		return true
	}
	misspelled, ok := strings.CutSuffix(wrong[1:], c.rest())
	return ok && slices.ContainsFunc(table.Definitions(), func(other *Definition) bool {
		return other.Name != c.name && words.EditDistance(misspelled, other.Name, 5) <= words.EditDistance(misspelled, c.name, 5)
	})
}

// misspellings returns misspellings of the last part of a name: a letter left out, doubled,
// swapped with its neighbor, or replaced.
func misspellings(name string) []string {
	var out []string
	for i := strings.LastIndexByte(name, ':') + 1; i < len(name); i++ {
		out = append(out, name[:i]+name[i+1:], name[:i]+name[i:i+1]+name[i:], name[:i]+"x"+name[i+1:])
		if i+1 < len(name) && name[i] != name[i+1] {
			out = append(out, name[:i]+name[i+1:i+2]+name[i:i+1]+name[i+2:])
		}
	}
	return out
}

// TestHints writes every marker of the vocabulary in common wrong ways, and checks that the
// hint is the right one, or that there is none.
func TestHints(t *testing.T) {
	table := table(t)
	for _, class := range []struct {
		name  string
		wrong func(c canonical) []string
	}{
		{"misspelled", func(c canonical) (out []string) {
			for _, name := range misspellings(c.name) {
				out = append(out, "+"+name+c.rest())
			}
			return out
		}},
		{"case", func(c canonical) []string {
			i := strings.LastIndexByte(c.name, ':') + 1
			return []string{
				"+" + c.name[:i] + strings.ToLower(c.name[i:]) + c.rest(),
				"+" + c.name[:i] + strings.ToUpper(c.name[i:i+1]) + c.name[i+1:] + c.rest(),
				"+" + c.name[:i] + strings.ToLower(c.name[i:i+1]) + c.name[i+1:] + c.rest(),
			}
		}},
		{"namespace", func(c canonical) []string {
			i := strings.IndexByte(c.name, ':')
			if i < 4 {
				return nil
			}
			var out []string
			for _, space := range misspellings(c.name[:i]) {
				out = append(out, "+"+space+c.text[1+i:])
			}
			return out
		}},
		{"without validation:", func(c canonical) []string {
			name, ok := strings.CutPrefix(c.name, "kubebuilder:validation:")
			if !ok {
				return nil
			}
			return []string{"+kubebuilder:" + name + c.rest()}
		}},
		{"with validation:", func(c canonical) []string {
			name, ok := strings.CutPrefix(c.name, "kubebuilder:")
			if !ok || strings.HasPrefix(name, "validation:") || table.byTarget[c.target][c.name].Feature() == FeatureKEP {
				return nil // the name differs from that of another marker only in case
			}
			return []string{"+kubebuilder:validation:" + name + c.rest()}
		}},
		{"colon", func(c canonical) []string {
			if rest, ok := strings.CutPrefix(c.rest(), "="); ok {
				return []string{"+" + c.name + ":" + rest, "+" + c.name + ": " + rest}
			}
			return nil
		}},
		{"equals", func(c canonical) []string {
			if rest, ok := strings.CutPrefix(c.rest(), ":"); ok {
				return []string{"+" + c.name + "=" + rest, "+" + c.name + " " + rest}
			}
			return nil
		}},
		{"blank", func(c canonical) []string {
			if rest, ok := strings.CutPrefix(c.rest(), "="); ok {
				return []string{"+" + c.name + " " + rest, "+" + c.name + " = " + rest, "+" + c.name + " =" + rest, "+" + c.name + "= " + rest}
			}
			return nil
		}},
		{"quotes", func(c canonical) []string {
			if rest, ok := strings.CutPrefix(c.rest(), "="); ok && !strings.ContainsAny(rest, "\"`'") {
				return []string{"+" + c.name + "=\"" + rest + "\"", "+" + c.name + "='" + rest + "'", "+" + c.name + "=\"" + rest, "+" + c.name + ":\"" + rest + "\""}
			}
			return nil
		}},
		{"trailing text", func(c canonical) []string {
			return []string{c.text + " // as it is", c.text + " # as it is", c.text + " (as it is)", c.text + ".", c.text + ";", c.text + ","}
		}},
		{"unexpected value", func(c canonical) []string {
			if c.rest() != "" {
				return nil
			}
			return []string{c.text + "=true", c.text + ":true", c.text + "=", c.text + ":"}
		}},
	} {
		t.Run(class.name, func(t *testing.T) {
			counts := map[string]int{}
			for _, c := range vocabulary(t, table) {
				want, err := table.Parse(Comment{Text: c.text, Pos: 1}, c.target)
				if err != nil {
					t.Fatal(err)
				}
				features := Features()
				if table.byTarget[c.target][c.name].Feature() != FeatureKEP {
					// The name differs from that of another marker only in case.
					features = slices.DeleteFunc(features, func(feature string) bool { return feature == FeatureKEP })
				}
				for _, wrong := range class.wrong(c) {
					if isOther(table, wrong, c.name) {
						continue
					}
					hint, value, ok := hintFor(t, table, wrong, c.target, features)
					verdict := "right"
					switch {
					case ok && reflect.DeepEqual(value, want.Value):
						verdict = "same"
					case ok:
						verdict = "another value"
					case hint == "":
						verdict = "none"
						if !mayHaveNoHint(table, c, wrong) {
							verdict = "NONE"
						}
					case sameMarker(table, hint, c.target, want) || strings.Contains(hint, "+"+c.name+"?") && strings.HasSuffix(wrong, c.rest()):
					case hint == "write "+strings.Replace(wrong, ":\"", "=\"", 1): // the quotes may be intended
					default:
						verdict = "WRONG"
					}
					counts[verdict]++
					if verdict == "NONE" || verdict == "WRONG" {
						t.Errorf("%-12s %-8s %s\n\t%s\n\t%s", verdict, c.target, c.text, wrong, hint)
					}
				}
			}
			if counts["right"] == 0 {
				t.Errorf("no marker was misspelled: %v", counts)
			}
		})
	}
}

// TestGeneratorMarkerHints is TestHints for the markers of other generators, at any position. It
// also checks that SuspectMarkers finds those that the generators would ignore.
func TestGeneratorMarkerHints(t *testing.T) {
	table := table(t)
	for _, other := range known().generators {
		argument := map[string]string{"=": "true", ":": "groups=apps,verbs=get"}[other.separator]
		right := "+" + other.name + other.separator + argument
		if hint, _, ok := hintFor(t, table, right, Package, nil); hint != "" || ok || table.SuspectMarkers([]byte("//"+right)) {
			t.Errorf("%s: got hint %q, want none", right, hint)
		}
		wrongs := []string{"+" + other.name + " " + argument, "+ " + other.name + other.separator + argument}
		if other.separator == "=" && !strings.HasPrefix(other.name, "k8s:") { // those of k8s: are accepted in any form
			wrongs = append(wrongs, "+"+other.name+": "+argument)
		}
		for _, name := range misspellings(other.name) {
			wrongs = append(wrongs, "+"+name+other.separator+argument)
		}
		for _, space := range misspellings("kubebuilder") {
			if rest, ok := strings.CutPrefix(right, "+kubebuilder"); ok {
				wrongs = append(wrongs, "+"+space+rest)
			}
		}
		for _, wrong := range wrongs {
			if isOtherGeneratorMarker(wrong, other.name) {
				continue
			}
			hint, _, ok := hintFor(t, table, wrong, Package, nil)
			if ok || hint != "write "+right && hint != "did you mean +"+other.name+"?" {
				t.Errorf("%s\n\t%s\n\t%s", right, wrong, hint)
			}
			for _, source := range []string{"//" + wrong, "package x\n\n\t// " + wrong + "\r\nvar y = 1 + 2", "//\t" + wrong + "\n// +"} {
				if !table.SuspectMarkers([]byte(source)) {
					t.Errorf("SuspectMarkers(%q) = false, want true", source)
				}
			}
		}
	}
	for _, source := range []string{
		"", "+", "//+", "// +", "// +:", "x + kubebuilder:y", "// see +kubebuilder:rbca:a=b", "// +optinal", "// +k8s:deepcopy-gen=package", "//go:build a+b",
		"// +kubebuilder:scaffold:imports", "// +kubebuilder:validation:Optional", "// +kubebuilder:validation:MaxLength=3", "// +other:rbca:groups=x", `"+kubebuilder:rbca"`,
		"// +build !ignore", "// + a: b", "// +a:b:c=d", "// +kubernetes:x=y",
	} {
		if table.SuspectMarkers([]byte(source)) {
			t.Errorf("SuspectMarkers(%q) = true, want false", source)
		}
	}
}

// isOtherGeneratorMarker reports whether a marker has the name of a different marker of another
// generator.
func isOtherGeneratorMarker(text, name string) bool {
	full, short, _ := splitName(text)
	return full != name && isForeign(full) || short != name && isForeign(short)
}

// TestQuotesInBareValues writes patterns with quotes, backticks and delimiters without quotes around them. What
// is accepted has the bytes that were written; the hint for what is refused keeps them.
func TestQuotesInBareValues(t *testing.T) {
	table, err := NewTable()
	if err != nil {
		t.Fatal(err)
	}
	texts := []string{"a", "^", "["}
	for i := 0; i < len(texts); i++ {
		if len(texts[i]) < 5 {
			for _, next := range []string{"a", "`", `"`, `\`, ",", " ", "'"} {
				texts = append(texts, texts[i]+next)
			}
		}
	}
	counts := map[string]int{}
	for _, name := range []string{"+kubebuilder:validation:Pattern", "+kubebuilder:validation:items:Pattern"} {
		for _, text := range texts {
			text = strings.TrimSpace(text)
			isTail := !strings.ContainsAny(strings.TrimRight(text, "\"`'"), "\"`,")
			hint, value, ok := hintFor(t, table, name+"="+text, Field, nil)
			switch {
			case ok && fmt.Sprint(value) == text:
				counts["accepted"]++
			case ok:
				t.Errorf("%s=%s is read as %q", name, text, value)
			case hint == "" || !strings.ContainsAny(text, "\"`,"):
				t.Errorf("%s=%s: hint %q", name, text, hint)
			default:
				written := strings.TrimPrefix(strings.TrimPrefix(hint, "write "), "put quotes around the value: ")
				m, err := table.Parse(Comment{Text: written, Pos: 1}, Field)
				if err != nil || m == nil {
					t.Errorf("%s=%s: hint %q: %v", name, text, hint, err)
					continue
				}
				switch got := fmt.Sprint(m.Value); {
				case got == text:
					counts["kept"]++
				case isTail && strings.TrimSpace(got) == strings.TrimSpace(strings.TrimRight(text, "\"`'")):
					counts["without the quotes at the end"]++
				default:
					t.Errorf("%s=%s: the hint %q changes the value to %q", name, text, hint, got)
				}
			}
		}
	}
	t.Log(len(texts), "values:", counts)
}

// TestHintForLastPart checks hints for names of which only the last part is right: a marker of the same tool comes
// first, and names of the schema's keywords are those of their markers.
func TestHintForLastPart(t *testing.T) {
	table, err := NewTable()
	if err != nil {
		t.Fatal(err)
	}
	for wrong, want := range map[string]string{
		"+kubebuilder:value:Enum=a;b":                                  "did you mean +kubebuilder:validation:Enum?",
		"+kubebuilder:validation:X-KubernetesListType=set":             "did you mean +listType?",
		"+kubebuilder:validation:x-kubernetes-map-type=atomic":         "did you mean +mapType?",
		"+kubebuilder:validation:X-Kubernetes-Preserve-Unknown-Fields": "did you mean +kubebuilder:pruning:PreserveUnknownFields?",
		"+kubebuilder:x-kubernetes-embedded-resource":                  "did you mean +kubebuilder:validation:EmbeddedResource?",
	} {
		if hint, _, _ := hintFor(t, table, wrong, Field, nil); hint != want {
			t.Errorf("%s: got hint %q, want %q", wrong, hint, want)
		}
	}
}
