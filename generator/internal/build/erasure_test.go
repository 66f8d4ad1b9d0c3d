package build

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

var erasures = flag.Int("erasures", 300, "number of random sources of TestErasure")

// TestErasure checks the definition of conditions: what is generated for a set of gates is
// what is generated from source without the lines that do not hold, and without the
// conditions of those that do. Sources are random; the erased text comes from the same model,
// not from the code under test.
func TestErasure(t *testing.T) {
	dir, err := filepath.Abs("../../testdata/example")
	if err != nil {
		t.Fatal(err)
	}
	generate := func(text string, set []string) ([]File, string) {
		options := Options{Source: Source{Dir: dir, Overlay: map[string][]byte{filepath.Join(dir, "types.go"): []byte(text)}}}
		options.Gates = set
		files, found, err := generateFiles(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		var findings bytes.Buffer
		if err := found.WriteText(&findings); err != nil {
			t.Fatal(err)
		}
		return files, findings.String()
	}
	differing := 0
	for seed := range *erasures {
		r := rand.New(rand.NewPCG(uint64(seed), 22))
		source := randomSource(r)
		set := slices.DeleteFunc([]string{"A", "B", "C"}, func(string) bool { return r.IntN(2) == 0 })
		written, erased := source.text(nil), source.text(set)
		if set == nil {
			t.Fatal("no set")
		}
		got, findings := generate(written, set)
		want, wanted := generate(erased, nil)
		all, _ := generate(written, []string{"*"})
		if !slices.EqualFunc(got, want, func(a, b File) bool { return a.Name == b.Name && bytes.Equal(a.Data, b.Data) }) || len(got) == 0 {
			t.Fatalf("seed %d, gates %v: generated\n%s%s\nwant\n%s%s\nsource\n%s\nerased\n%s", seed, set, joined(got), findings, joined(want), wanted, written, erased)
		}
		if joined(all) != joined(got) {
			differing++
		}
	}
	if differing < *erasures/3 {
		t.Errorf("gates matter only for %d of %d sources", differing, *erasures)
	}
}

func joined(files []File) string {
	var text strings.Builder
	for _, f := range files {
		text.Write(f.Data)
	}
	return text.String()
}

// testCondition is a condition, with its own evaluation.
type testCondition struct {
	text  string
	holds func(set []string) bool
}

func randomCondition(r *rand.Rand, depth int) *testCondition {
	if depth == 0 || r.IntN(3) == 0 {
		gate := []string{"A", "B", "C"}[r.IntN(3)]
		text := gate
		if r.IntN(5) == 0 {
			text = `"` + gate + `"`
		}
		return &testCondition{text, func(set []string) bool { return slices.Contains(set, gate) }}
	}
	a, b := randomCondition(r, depth-1), randomCondition(r, depth-1)
	switch r.IntN(3) {
	case 0:
		return a.not()
	case 1:
		return &testCondition{"(" + a.text + " && " + b.text + ")", func(set []string) bool { return a.holds(set) && b.holds(set) }}
	}
	return &testCondition{"(" + a.text + "||" + b.text + ")", func(set []string) bool { return a.holds(set) || b.holds(set) }}
}

func (c *testCondition) not() *testCondition {
	return &testCondition{"!(" + c.text + ")", func(set []string) bool { return !c.holds(set) }}
}

// constant reports whether the condition is the same for all sets; such conditions are errors.
func (c *testCondition) constant() bool {
	first := c.holds(nil)
	for set := range 8 {
		var on []string
		for i, gate := range []string{"A", "B", "C"} {
			if set>>i&1 == 1 {
				on = append(on, gate)
			}
		}
		if c.holds(on) != first {
			return false
		}
	}
	return true
}

// sometimes returns a condition, or nil for none.
func sometimes(r *rand.Rand) *testCondition {
	for r.IntN(2) == 0 {
		if c := randomCondition(r, 3); !c.constant() {
			return c
		}
	}
	return nil
}

// testSource is a file of declarations.
type testSource struct{ declarations []testDeclaration }

// testDeclaration is a declaration, or a field or constant in one, between opening and
// closing lines.
type testDeclaration struct {
	condition *testCondition
	above     []testLine // comments
	apart     bool       // the condition is in a comment of its own
	opening   string
	inner     []testDeclaration
	closing   string
}

// testLine is a line of a comment. Of lines with the same slot, a conditional one replaces the
// others. block lines depend on the condition of +schemagen:doc.
type testLine struct {
	condition *testCondition
	text      string
	slot      string
	block     bool
}

// text returns the source; if set is not nil, as erased for the set.
func (s testSource) text(set []string) string {
	var out strings.Builder
	out.WriteString("// +groupName=example.com\npackage example\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n")
	for _, d := range s.declarations {
		d.write(&out, set)
	}
	return out.String()
}

func (d testDeclaration) write(out *strings.Builder, set []string) {
	if set != nil && d.condition != nil && !d.condition.holds(set) {
		return
	}
	if set == nil && d.condition != nil {
		fmt.Fprintf(out, "// +schemagen:when(%s)\n", d.condition.text)
		if d.apart {
			out.WriteString("\n")
		}
	}
	replaced := map[string]bool{}
	for _, l := range d.above {
		if set != nil && l.slot != "" && l.condition != nil && l.condition.holds(set) {
			replaced[l.slot] = true
		}
	}
	for _, l := range d.above {
		switch {
		case set == nil && l.block:
			fmt.Fprintf(out, "// +schemagen:doc(%s)\n// %s\n// +schemagen:doc:end\n", l.condition.text, l.text)
		case set == nil && l.condition != nil:
			// A condition behind a path, or in front of it.
			if path, rest, ok := strings.Cut(l.text, ")="); ok && len(l.text)%2 == 0 {
				fmt.Fprintf(out, "// %s)=+schemagen:when(%s)=%s\n", path, l.condition.text, rest)
			} else {
				fmt.Fprintf(out, "// +schemagen:when(%s)=%s\n", l.condition.text, l.text)
			}
		case set != nil && l.condition != nil && !l.condition.holds(set), set != nil && l.condition == nil && replaced[l.slot]:
		default:
			fmt.Fprintf(out, "// %s\n", l.text)
		}
	}
	out.WriteString(d.opening + "\n")
	for _, inner := range d.inner {
		inner.write(out, set)
	}
	out.WriteString(d.closing + "\n")
}

// randomSource returns a kind with fields of several types, some of which depend on gates.
func randomSource(r *rand.Rand) testSource {
	spec := testDeclaration{opening: "type Spec struct {", closing: "}\n"}
	spec.inner = append(spec.inner, testDeclaration{opening: "Always int32 `json:\"always\"`"})
	if c := sometimes(r); c != nil {
		spec.above = append(spec.above, testLine{condition: c, text: "+kubebuilder:validation:XValidation:rule=\"self.always > 1\""})
	}
	mode := testDeclaration{opening: "// +k8s:enum\ntype Mode string\n"}
	constants := testDeclaration{opening: "const (", closing: ")\n", inner: []testDeclaration{{opening: "ModeAny Mode = \"Any\" // the usual one"}}}
	out := testSource{[]testDeclaration{{opening: "type Widget struct {\nmetav1.TypeMeta `json:\",inline\"`\nmetav1.ObjectMeta `json:\"metadata,omitempty\"`\nSpec Spec `json:\"spec\"`\n}\n"}}}
	for i := range 2 + r.IntN(5) {
		f := testDeclaration{condition: sometimes(r), apart: r.IntN(3) == 0}
		name := fmt.Sprintf("f%d", i)
		switch r.IntN(6) {
		case 0:
			f.opening = fmt.Sprintf("F%d int32 `json:%q` // after it", i, name)
			f.above = randomMarkers(r, "+kubebuilder:validation:Maximum=", "maximum")
		case 1:
			f.opening = fmt.Sprintf("F%d []string `json:%q`", i, name+",omitempty")
			f.above = slices.Concat(randomMarkers(r, "+kubebuilder:validation:MaxItems=", "maxItems"), randomMarkers(r, "+kubebuilder:validation:items:MaxLength=", "itemsMaxLength"))
			if c := sometimes(r); c != nil {
				f.above = append(f.above, testLine{condition: c, text: "+required", slot: "presence"}, testLine{text: "+optional", slot: "presence"})
			}
		case 2:
			f.opening = fmt.Sprintf("F%d string `json:%q`", i, name)
			f.above = []testLine{{text: "+kubebuilder:validation:Enum=a;b"}}
			for _, value := range []string{"c", "d;e"} {
				f.above = append(f.above, testLine{condition: sometimes(r), text: "+schemagen:enumValues=" + value})
			}
		case 3:
			f.opening = fmt.Sprintf("F%d Mode `json:%q`", i, name)
		case 4:
			f.opening = fmt.Sprintf("F%d Part%d `json:%q`", i, i, name)
			f.above = randomMarkers(r, "+schemagen:at(.part)=+kubebuilder:validation:MaxLength=", "at")
			out.declarations = append(out.declarations, testDeclaration{
				condition: f.condition, opening: fmt.Sprintf("type Part%d struct {", i), closing: "}\n",
				inner: []testDeclaration{{opening: "Part string `json:\"part\"`"}, {condition: sometimes(r), opening: "Other struct {", closing: "} `json:\"other\"`",
					inner: []testDeclaration{{condition: sometimes(r), opening: "Deep *bool `json:\"deep,omitempty\"`"}}}},
			})
		case 5:
			f.opening = fmt.Sprintf("Part%dInline `json:\",inline\"`", i)
			out.declarations = append(out.declarations, testDeclaration{
				condition: f.condition, opening: fmt.Sprintf("type Part%dInline struct {", i), closing: "}\n",
				inner: []testDeclaration{{opening: fmt.Sprintf("Inlined%d, More%[1]d string `json:\"inlined%[1]d\"`", i)}},
			})
		}
		for line := range r.IntN(3) {
			l := testLine{condition: sometimes(r), text: fmt.Sprintf("Line %d of it.", line)}
			l.block = l.condition != nil
			f.above = slices.Insert(f.above, r.IntN(len(f.above)+1), l)
		}
		spec.inner = append(spec.inner, f)
		constants.inner = append(constants.inner, testDeclaration{condition: sometimes(r), opening: fmt.Sprintf("Mode%d Mode = %q", i, name)})
	}
	out.declarations = append(out.declarations, spec, mode, constants)
	return out
}

// randomMarkers returns a marker and up to two conditional ones that do not hold together.
func randomMarkers(r *rand.Rand, text, slot string) (lines []testLine) {
	if r.IntN(2) == 0 {
		lines = append(lines, testLine{text: text + "3", slot: slot})
	}
	if c := sometimes(r); c != nil {
		lines = append(lines, testLine{condition: c, text: text + "5", slot: slot})
		if r.IntN(2) == 0 {
			lines = append(lines, testLine{condition: c.not(), text: text + "17", slot: slot})
		}
	}
	r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
	return lines
}
