package passes_test

import (
	"bytes"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/gates/gatedsource"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/source/golist"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

var erasures = flag.Int("erasures", 0, "make this number of random sources in TestErasure, and write the outcome to testdata/erasures.txt")

// TestErasure checks the definition of conditions: what is generated for a set of gates is
// what is generated from source without the lines that do not hold, and without the
// conditions of those that do. Sources are random; the erased text comes from the same model,
// not from the code under test.
func TestErasure(t *testing.T) {
	count := 200
	if *erasures > 0 {
		count = *erasures
	}
	const seed = 22
	lab := newErasureLab(t)
	differing, parts := 0, map[string]int{}
	for i := range count {
		r := rand.New(rand.NewPCG(uint64(i), seed))
		source := randomSource(r)
		set := slices.DeleteFunc([]string{"A", "B", "C"}, func(string) bool { return r.IntN(2) == 0 })
		got, findings := lab.generate(source.texts(nil), set)
		want, wanted := lab.generate(source.texts(set), nil)
		if !slices.EqualFunc(got, want, func(a, b define.File) bool { return a.Name == b.Name && bytes.Equal(a.Data, b.Data) }) || len(got) == 0 {
			t.Fatalf("source %d, gates %v: generated\n%s%s\nwant\n%s%s\nsource\n%s\nerased\n%s", i, set, joined(got), findings, joined(want), wanted, source.texts(nil), source.texts(set))
		}
		if !maps.Equal(source.texts(set), source.texts([]string{"A", "B", "C"})) {
			differing++
		}
		for name, has := range map[string]bool{
			"a union":            bytes.Contains(got[0].Data, []byte("must be specified when")),
			"a second version":   bytes.Contains(got[0].Data, []byte("name: v2")),
			"a removed version":  source.packages[1].has(nil) && !bytes.Contains(got[0].Data, []byte("name: v2")),
			"a path in one use":  strings.Contains(source.packages[0].text(set), markerOfOmission),
			"a condition behind": strings.Contains(source.packages[0].text(nil), "=+schemagen:when"),
			"a tag behind":       strings.Contains(source.packages[0].text(nil), "=+k8s:if"),
		} {
			if has {
				parts[name]++
			}
		}
	}
	for name, n := range parts {
		if n < count/20 {
			t.Errorf("only %d of %d sources have %s", n, count, name)
		}
	}
	if differing < count/3 || len(parts) < 5 {
		t.Errorf("gates matter only for %d of %d sources, which have %v", differing, count, parts)
	}
	if *erasures > 0 && !t.Failed() {
		text := fmt.Sprintf("%d random sources of three packages (seed %d, %s, %s): what is generated for a random set of gates\nequals what is generated from the erased text. For %d of them, that is not the text with all gates on.\n",
			count, seed, time.Now().Format(time.DateOnly), runtime.Version(), differing)
		if err := os.WriteFile("../../testdata/erasures.txt", []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// TestWith checks gatedsource: what is generated from a source in which a gate is taken for on
// or off is what is generated for sets in which the gate is on or off. Sources are those of
// TestErasure, with other seeds.
func TestWith(t *testing.T) {
	count := max(200, *erasures)
	table, err := markers.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	lab := newErasureLab(t)
	changed, paths := 0, 0
	for i := range count {
		r := rand.New(rand.NewPCG(uint64(i), 23))
		written := randomSource(r).texts(nil)
		gate := []string{"A", "B", "C"}[r.IntN(3)]
		on := r.IntN(2) == 0
		rest := slices.DeleteFunc([]string{"A", "B", "C"}, func(name string) bool { return name == gate || r.IntN(2) == 0 })
		after, ok := assumed(t, table, written, gate, on)
		if !ok {
			continue // a package would be gone
		}
		with := append(slices.Clone(rest), gate)
		set := map[bool][]string{true: with, false: rest}[on]
		want, wanted := lab.generate(written, set)
		// Whether the gate is on does not matter any more.
		got, findings := lab.generate(after, [][]string{rest, with}[r.IntN(2)])
		if strings.Contains(findings, "error[SG302]") && strings.Contains(findings, "unknown field") {
			paths++ // schemagen gates reports it
			continue
		}
		if joined(got) != joined(want) || len(got) == 0 {
			t.Fatalf("source %d, gate %s is %v, gates %v: generated\n%s%s\nwant\n%s%s\nsource\n%s\nafter\n%s", i, gate, on, rest, joined(got), findings, joined(want), wanted, written, after)
		}
		if !maps.Equal(after, written) {
			changed++
		}
	}
	if changed < count/2 || paths > count/5 {
		t.Errorf("only %d of %d sources changed, and %d have a path that nothing has any more", changed, count, paths)
	}
}

// assumed returns the texts in which a gate is taken for on or off. It checks that no line is
// left that has the gate, and none is changed that did not. ok is false if a text has no result.
func assumed(t *testing.T, table *markers.Table, written map[string]string, gate string, on bool) (after map[string]string, ok bool) {
	name := regexp.MustCompile(`\+(schemagen:(when|doc)|k8s:if(Enabled|Disabled))\([^=]*\b` + gate + `\b`)
	after = maps.Clone(written)
	for p, text := range written {
		file, err := gatedsource.Parse(table, p, []byte(text), []string{markers.FeatureK8s})
		if err != nil {
			t.Fatal(err)
		}
		if file == nil {
			continue
		}
		result, err := file.With(gate, on)
		if err != nil && strings.Contains(err.Error(), "would have no kinds") {
			return nil, false
		} else if err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
		after[p] = string(result.Text)
		for line := range strings.Lines(after[p]) {
			if name.MatchString(line) {
				t.Fatalf("gate %s is left in %s", gate, line)
			}
			if !strings.Contains(line, "+") && !strings.Contains(text, line) {
				t.Fatalf("the line %s was changed", line)
			}
		}
	}
	return after, true
}

// erasureLab generates definitions of packages v1 and v2, which use package shared.
type erasureLab struct {
	t     *testing.T
	dir   string
	roots []*golist.Package
	// server evaluates the rules of unions.
	server define.Server
}

func newErasureLab(t *testing.T) *erasureLab {
	c := &gentest.Case{Name: "erasure", Archive: &txtar.Archive{}}
	for _, p := range randomSource(rand.New(rand.NewPCG(0, 0))).packages {
		c.Archive.Files = append(c.Archive.Files, txtar.File{Name: p.name + "/types.go", Data: []byte(p.text(nil))})
	}
	dir, listed := gentest.List(t, []*gentest.Case{c})
	roots := slices.DeleteFunc(listed, func(p *golist.Package) bool { return p.Name == "shared" })
	return &erasureLab{t, dir, roots, gentest.Server(t, "")}
}

// options are those for the texts of packages, by name.
func (lab *erasureLab) options(texts map[string]string, set []string) define.Options {
	overlay := map[string][]byte{}
	for name, text := range texts {
		overlay[filepath.Join(lab.dir, "erasure", name, "types.go")] = []byte(text)
	}
	options := define.Options{Passes: passes.All(), Source: define.Source{Dir: lab.dir, Overlay: overlay, Lister: gentest.Lister{All: lab.roots, Prefix: typedmodule.Path + "/erasure"}}}
	options.Server, options.SkipVerify, options.Gates = lab.server, true, set
	return options
}

// generate returns the files and findings for the texts of packages, by name.
func (lab *erasureLab) generate(texts map[string]string, set []string) ([]define.File, string) {
	files, found, err := generateFiles(lab.t.Context(), lab.options(texts, set))
	if err != nil {
		lab.t.Fatal(err)
	}
	var findings bytes.Buffer
	if err := found.WriteText(&findings); err != nil {
		lab.t.Fatal(err)
	}
	return files, findings.String()
}

func joined(files []define.File) string {
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

// testSource is a set of packages.
type testSource struct{ packages []testPackage }

// texts returns the text of each package; if set is not nil, as erased for the set.
func (s testSource) texts(set []string) map[string]string {
	out := map[string]string{}
	for _, p := range s.packages {
		out[p.name] = p.text(set)
	}
	return out
}

// testPackage is a package of one file. Its condition removes the declarations of kinds.
type testPackage struct {
	name         string
	condition    *testCondition
	above        []testLine
	declarations []testDeclaration
}

// has reports whether the package has kinds, or, if set is nil, may have them.
func (p testPackage) has(set []string) bool {
	return p.condition == nil || set == nil || p.condition.holds(set)
}

func (p testPackage) text(set []string) string {
	var out strings.Builder
	if set == nil && p.condition != nil {
		fmt.Fprintf(&out, "// +schemagen:when(%s)\n", p.condition.text)
	}
	writeLines(&out, p.above, set)
	fmt.Fprintf(&out, "package %s\n\nimport (\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n", p.name)
	for _, name := range []string{"shared", "v1"} {
		if name < p.name || p.name == "v1" && name == "shared" || p.name == "v2" {
			fmt.Fprintf(&out, "\t%q\n", importPath(name))
		}
	}
	out.WriteString(")\n\nvar _ metav1.Time\n\n")
	for _, d := range p.declarations {
		if !d.kind || p.has(set) {
			d.write(&out, set)
		}
	}
	return out.String()
}

func importPath(name string) string { return typedmodule.Path + "/erasure/" + name }

// testDeclaration is a declaration, or a field or constant in one, between opening and
// closing lines.
type testDeclaration struct {
	condition *testCondition
	kind      bool
	above     []testLine // comments
	apart     bool       // the condition is in a comment of its own
	opening   string
	inner     []testDeclaration
	closing   string
}

// testLine is a line of a comment. Of lines with the same slot, a conditional one replaces the
// others. block lines depend on the condition of +schemagen:doc. A line with needs exists only
// where that holds, too, without saying so: the path at its beginning does not exist elsewhere.
// The text of an omission is a path that is omitted where the condition does not hold.
type testLine struct {
	condition, needs *testCondition
	text             string
	slot             string
	block, omission  bool
	// tag is a condition as Kubernetes' tags write it, with its equals sign. It is the same as
	// condition.
	tag string
}

const markerOfOmission = "=+schemagen:omit"

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
	writeLines(out, d.above, set)
	out.WriteString(d.opening + "\n")
	for _, inner := range d.inner {
		inner.write(out, set)
	}
	out.WriteString(d.closing + "\n")
}

// writeLines writes comments; if set is not nil, as erased for the set.
func writeLines(out *strings.Builder, lines []testLine, set []string) {
	replaced := map[string]bool{}
	for _, l := range lines {
		if set != nil && l.slot != "" && l.condition != nil && l.condition.holds(set) {
			replaced[l.slot] = true
		}
	}
	for _, l := range lines {
		holds := set != nil && (l.condition == nil || l.condition.holds(set))
		switch path, rest, isAt := strings.Cut(l.text, ")="); {
		case set == nil && l.omission:
			fmt.Fprintf(out, "// %s=+schemagen:when(%s)\n", l.text, l.condition.text)
		case set == nil && l.tag != "" && isAt:
			fmt.Fprintf(out, "// %s)=%s%s\n", path, l.tag, rest)
		case set == nil && l.tag != "":
			fmt.Fprintf(out, "// %s%s\n", l.tag, l.text)
		case set == nil && l.block:
			fmt.Fprintf(out, "// +schemagen:doc(%s)\n// %s\n// +schemagen:doc:end\n", l.condition.text, l.text)
		case set == nil && l.condition != nil && isAt && len(l.text)%2 == 0:
			fmt.Fprintf(out, "// %s)=+schemagen:when(%s)=%s\n", path, l.condition.text, rest) // instead of before the path
		case set == nil && l.condition != nil:
			fmt.Fprintf(out, "// +schemagen:when(%s)=%s\n", l.condition.text, l.text)
		case set == nil:
			fmt.Fprintf(out, "// %s\n", l.text)
		case l.needs != nil && !l.needs.holds(set):
		case l.omission && !holds:
			fmt.Fprintf(out, "// %s%s\n", l.text, markerOfOmission)
		case l.omission, !holds, l.condition == nil && replaced[l.slot]:
		default:
			fmt.Fprintf(out, "// %s\n", l.text)
		}
	}
}

// and returns the conjunction of conditions, without those that are nil; nil if there are none.
func and(conditions ...*testCondition) *testCondition {
	conditions = slices.DeleteFunc(conditions, func(c *testCondition) bool { return c == nil })
	if len(conditions) == 0 {
		return nil
	}
	out := conditions[0]
	for _, c := range conditions[1:] {
		first := out
		out = &testCondition{"(" + first.text + " && " + c.text + ")", func(set []string) bool { return first.holds(set) && c.holds(set) }}
	}
	return out
}

// randomSource returns two versions of a kind, which use a type of a third package.
func randomSource(r *rand.Rand) testSource {
	extra := sometimes(r)
	shared := testPackage{name: "shared", declarations: []testDeclaration{
		{opening: "type Box struct {", closing: "}\n", inner: []testDeclaration{
			{opening: "Always string `json:\"always\"`"},
			{condition: extra, opening: "Extra string `json:\"extra,omitempty\"`", above: randomMarkers(r, "+kubebuilder:validation:MinLength=", "minLength")},
		}},
	}}
	v1 := testPackage{name: "v1", above: []testLine{{text: "+groupName=example.com"}, {text: "+schemagen:unions=cel"}, {text: "+schemagen:enable=k8s"}}}
	if c := sometimes(r); c != nil {
		v1.above = append(v1.above, testLine{condition: c, text: "+schemagen:type(" + importPath("shared") + ".Box)=+schemagen:at(.always)=+kubebuilder:validation:MaxLength=7"})
	}
	v1.declarations = randomSpec(r, extra)
	v2 := testPackage{name: "v2", above: []testLine{{text: "+groupName=example.com"}}, condition: sometimes(r)}
	if c := sometimes(r); c != nil {
		v2.above = append(v2.above, testLine{condition: c, text: "+kubebuilder:validation:Optional"})
	}
	second := testDeclaration{condition: sometimes(r), kind: true,
		opening: "type Widget struct {\nmetav1.TypeMeta `json:\",inline\"`\nmetav1.ObjectMeta `json:\"metadata,omitempty\"`\nSpec v1.Spec `json:\"spec\"`\nBox shared.Box `json:\"box\"`\n}\n"}
	first := testDeclaration{kind: true,
		opening: "type Widget struct {\nmetav1.TypeMeta `json:\",inline\"`\nmetav1.ObjectMeta `json:\"metadata,omitempty\"`\nSpec Spec `json:\"spec\"`\n}\n"}
	// One version is stored: this one, unless the other exists and is.
	stored := testLine{text: "+kubebuilder:storageversion"}
	if c := and(v2.condition, second.condition); c != nil && !c.constant() && r.IntN(2) == 0 {
		second.above = append(second.above, stored)
		stored.condition = c.not()
	}
	first.above = append(first.above, stored)
	v1.declarations, v2.declarations = append(v1.declarations, first), append(v2.declarations, second)
	return testSource{[]testPackage{v1, v2, shared}}
}

// randomSpec returns a struct with fields of several types, some of which depend on gates, and
// what it needs. extra is the condition of a field of shared.Box.
func randomSpec(r *rand.Rand, extra *testCondition) (out []testDeclaration) {
	spec := testDeclaration{opening: "type Spec struct {", closing: "}\n"}
	spec.inner = append(spec.inner, testDeclaration{opening: "Always int32 `json:\"always\"`"})
	if c := sometimes(r); c != nil {
		spec.above = append(spec.above, testLine{condition: c, text: "+kubebuilder:validation:XValidation:rule=\"self.always > 1\""})
	}
	mode := testDeclaration{opening: "// +k8s:enum\ntype Mode string\n"}
	constants := testDeclaration{opening: "const (", closing: ")\n", inner: []testDeclaration{{opening: "ModeAny Mode = \"Any\" // the usual one"}}}
	for i := range 2 + r.IntN(5) {
		f := testDeclaration{condition: sometimes(r), apart: r.IntN(3) == 0}
		name := fmt.Sprintf("f%d", i)
		switch r.IntN(8) {
		case 0:
			f.opening = fmt.Sprintf("F%d int32 `json:%q` // after it", i, name)
			f.above = append(randomMarkers(r, "+kubebuilder:validation:Maximum=", "maximum"), testLine{text: "+k8s:minimum=1", slot: "minimum"},
				randomTag(r, testLine{text: "+k8s:minimum=0", slot: "minimum"}), randomTag(r, testLine{text: `+k8s:beta(since: "1.36")=+k8s:neq=7`}))
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
			out = append(out, testDeclaration{
				condition: f.condition, opening: fmt.Sprintf("type Part%d struct {", i), closing: "}\n",
				inner: []testDeclaration{{opening: "Part string `json:\"part\"`"}, {condition: sometimes(r), opening: "Other struct {", closing: "} `json:\"other\"`",
					inner: []testDeclaration{{condition: sometimes(r), opening: "Deep *bool `json:\"deep,omitempty\"`"}}}},
			})
		case 5:
			f.opening = fmt.Sprintf("Part%dInline `json:\",inline\"`", i)
			out = append(out, testDeclaration{
				condition: f.condition, opening: fmt.Sprintf("type Part%dInline struct {", i), closing: "}\n",
				inner: []testDeclaration{{opening: fmt.Sprintf("Inlined%d, More%[1]d string `json:\"inlined%[1]d\"`", i)}},
			})
		case 6:
			f.opening = fmt.Sprintf("F%d []shared.Box `json:%q`", i, name+",omitempty")
			used := sometimes(r)
			f.above = []testLine{{needs: and(extra, used), text: "+schemagen:at([*].extra)=+kubebuilder:validation:MaxLength=5"}}
			if c := sometimes(r); c != nil {
				f.above = append(f.above, testLine{condition: c, needs: and(extra, used), text: "+schemagen:at([*].extra)=+required"})
			}
			if used != nil {
				at := r.IntN(len(f.above) + 1)
				f.above = slices.Insert(f.above, at, testLine{condition: used, needs: extra, text: "+schemagen:at([*].extra)", omission: true})
			}
		case 7:
			f.opening = fmt.Sprintf("F%d Union%d `json:%q`", i, i, name)
			out = append(out, randomUnion(r, i, f.condition)...)
		}
		for line := range r.IntN(3) {
			l := testLine{condition: sometimes(r), text: fmt.Sprintf("Line %d of it.", line)}
			l.block = l.condition != nil
			f.above = slices.Insert(f.above, r.IntN(len(f.above)+1), l)
		}
		spec.inner = append(spec.inner, f)
		constants.inner = append(constants.inner, testDeclaration{
			condition: sometimes(r), opening: fmt.Sprintf("Mode%d Mode = %q", i, name), above: []testLine{randomTag(r, testLine{text: "+k8s:enumExclude"})},
		})
	}
	return append(out, spec, mode, constants)
}

// randomTag returns a line that depends on a gate by one of Kubernetes' tags.
func randomTag(r *rand.Rand, l testLine) testLine {
	l.condition = randomCondition(r, 0)
	l.tag = "+k8s:ifEnabled(" + l.condition.text + ")="
	if r.IntN(2) == 0 {
		l.tag = "+k8s:ifDisabled(" + l.condition.text + ")="
		l.condition = l.condition.not()
	}
	return l
}

// randomUnion returns a struct with a union, whose members are removed with their values.
func randomUnion(r *rand.Rand, i int, condition *testCondition) []testDeclaration {
	union := testDeclaration{condition: condition, opening: fmt.Sprintf("type Union%d struct {", i), closing: "}\n"}
	union.inner = []testDeclaration{{above: []testLine{{text: "+unionDiscriminator"}}, opening: fmt.Sprintf("Type Fill%d `json:\"type\"`", i)}}
	fill := testDeclaration{opening: fmt.Sprintf("// +enum\ntype Fill%d string\n", i)}
	values := testDeclaration{opening: "const (", closing: ")\n", inner: []testDeclaration{{opening: fmt.Sprintf("Fill%dNone Fill%[1]d = \"None\"", i)}}}
	for m := range 1 + r.IntN(3) {
		c := sometimes(r)
		if m == 0 {
			c = nil
		}
		union.inner = append(union.inner, testDeclaration{condition: c, above: []testLine{{text: "+unionMember"}}, opening: fmt.Sprintf("M%d *int32 `json:\"m%[1]d,omitempty\"`", m)})
		values.inner = append(values.inner, testDeclaration{condition: c, opening: fmt.Sprintf("Fill%dM%d Fill%[1]d = \"M%[2]d\"", i, m)})
	}
	return []testDeclaration{union, fill, values}
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
