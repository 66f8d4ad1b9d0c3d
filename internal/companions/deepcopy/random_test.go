package deepcopy_test

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
	ctdeepcopy "sigs.k8s.io/controller-tools/pkg/deepcopy"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/companions/deepcopy"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

var (
	randomPackages = flag.Int("packages", 0, "number of random packages; with -update, the outcome is recorded. By default, 120 are compared")
	seed           = flag.Uint64("seed", 1, "seed of the random packages")
)

// TestRandom compares the files for random packages with controller-gen's, and type-checks both. If
// controller-gen refuses a package, or panics, we refuse it or are unsure; if its file does not compile,
// we refuse the package, or write one that does. With -packages and -update, the outcome is
// written to testdata/deepcopy/random.txt.
//
// Left out of make generate: make parity-object records it.
func TestRandom(t *testing.T) {
	const batch = 1000
	count := cmp.Or(*randomPackages, 120)
	verdicts := map[string]int{}
	counts := map[string]int{}
	for first := 0; first < count; first += batch {
		var cases []*gentest.Case
		for n := first; n < min(first+batch, count); n++ {
			r := &randomPackage{Rand: rand.New(rand.NewPCG(*seed, uint64(n))), name: fmt.Sprintf("p%d", n)}
			cases = append(cases, &gentest.Case{Name: r.name, Archive: r.archive()})
		}
		dir, listed := gentest.List(t, cases)
		peer := gentest.LoadPeer(t, dir)
		ours, theirs := map[string]string{}, map[string]string{}
		var compared []comparison
		for _, c := range cases {
			got, findings, unsure := generateCase(t, dir, listed, c, counts)
			want := peer.Run(c, ctdeepcopy.Generator{})
			for name, text := range want.Files {
				theirs[path.Join(c.Name, path.Dir(name))] = text
			}
			for below, text := range got {
				ours[path.Join(c.Name, below)] = text
			}
			compared = append(compared, comparison{c, got, findings, unsure, want})
		}
		broken, theirsBroken := compileErrors(t, dir, ours), compileErrors(t, dir, theirs)
		for _, c := range compared {
			verdict := c.verdict(theirsBroken[c.Name])
			if message := broken[c.Name]; message != "" {
				verdict = "does not compile"
			}
			if slices.Contains([]string{"different", "unsure", "does not compile"}, verdict) {
				t.Errorf("%s: seed %d, %s: %v %s\nfindings: %v\ncontroller-gen: %v %v %s\n%s%s", c.Name, *seed, verdict, c.unsure, broken[c.Name], c.findings, c.want.Errors, c.want.Panic,
					theirsBroken[c.Name], txtar.Format(c.Archive), gentest.Difference(c.want.Files[deepcopy.FileName], c.got["."]))
			}
			verdicts[verdict]++
		}
		if t.Failed() {
			break
		}
	}
	t.Log(verdicts, counts)
	if counts["none"] < count/20 {
		t.Errorf("too few files without a reason to check them: %v", counts)
	}
	if verdicts["equal"] < count/5 {
		t.Errorf("too few packages that are not refused: %v", verdicts)
	}
	if *update && *randomPackages > 0 && !t.Failed() {
		writeOutcome(t, verdicts)
	}
}

// comparison is what is generated for a case, by us and by controller-gen.
type comparison struct {
	*gentest.Case
	got      map[string]string
	findings diag.List
	unsure   error
	want     gentest.PeerResult
}

// verdict compares the results. broken is the first error in controller-gen's file, or empty.
func (c comparison) verdict(broken string) string {
	refused := c.want.Panic != nil || len(c.want.Errors) > 0
	equal := len(c.got) == len(c.want.Files) && c.got["."] == c.want.Files[deepcopy.FileName]
	switch {
	case c.unsure != nil && refused:
		return "unsure, refused by controller-gen"
	case c.unsure != nil && strings.Contains(c.unsure.Error(), "cgo"):
		return "unsure because of cgo"
	case c.unsure != nil:
		return "unsure"
	case refused && len(c.findings) > 0:
		return "refused by both"
	case broken != "" && len(c.findings) > 0:
		return "refused, controller-gen's does not compile"
	case broken != "" && !equal:
		return "compiles, controller-gen's does not"
	case !refused && len(c.findings) == 0 && equal:
		return "equal"
	}
	return "different"
}

// writeOutcome records what was compared, and the number of packages for each verdict.
func writeOutcome(t *testing.T, verdicts map[string]int) {
	t.Helper()
	version, err := exec.CommandContext(t.Context(), "go", "list", "-m", "-f", "{{.Version}}", "sigs.k8s.io/controller-tools").Output()
	if err != nil {
		t.Fatal(err)
	}
	var text strings.Builder
	fmt.Fprintf(&text, "%d random packages, seed %d, compared with controller-gen %s, built with %s, on %s.\n",
		*randomPackages, *seed, bytes.TrimSpace(version), runtime.Version(), time.Now().UTC().Format(time.DateOnly))
	for _, verdict := range slices.Sorted(maps.Keys(verdicts)) {
		fmt.Fprintf(&text, "%6d %s\n", verdicts[verdict], verdict)
	}
	if err := os.WriteFile("../../../testdata/deepcopy/random.txt", []byte(text.String()), 0o666); err != nil {
		t.Fatal(err)
	}
}

// randomPackage generates the source of a package, which imports another one.
type randomPackage struct {
	*rand.Rand
	name  string
	kinds []string // of the types T0, T1, …
	wild  bool     // types that cannot be copied are used
	dot   bool
}

func (r *randomPackage) chance(percent int) bool { return r.IntN(100) < percent }

func pick[T any](r *randomPackage, list ...T) T { return list[r.IntN(len(list))] }

// library is the package that random packages import.
const library = `package lib

import "time"

type (
	Plain   struct{ A int; N Name; D time.Duration }
	Deep    struct{ Plain; p *int }
	Aliased struct{ S Same }
	Name    string
	Same    = string
	Strings []string
	Deeps   map[string]Deep
	Pointer *Deep
	DeepAlias = Deep
	List[T any] []T
	Box[T any] struct{ V T }
	Boxed[K comparable, V any] struct{ m map[K]V }
	Many [3]int
	Copier interface{ DeepCopy() Copier; Other(x Undeclared) }
	Embeds struct{ ByPointer }
)

type ByPointer struct{ p *int }
func (b *ByPointer) DeepCopy() *ByPointer { return b }
type ByValue struct{ p []int }
func (b ByValue) DeepCopy() ByValue { return b }
type Into map[string]*int
func (i Into) DeepCopyInto(out *Into) {}
type Both struct{ p *int }
func (b *Both) DeepCopyInto(out *Both) {}
func (b *Both) DeepCopy() *Both { return b }
type Wrong struct{ p *int }
func (w *Wrong) DeepCopy() Wrong { return *w }
func (w *Wrong) DeepCopyInto(out *Wrong) error { return nil }
type Generic[T any] struct{ p *T }
func (g *Generic[X]) DeepCopy() *Generic[X] { return g }
type Basic int
func (b *Basic) DeepCopyInto(out *Basic) {}
`

// generatedLibrary has methods of the library that another run has generated.
const generatedLibrary = `//go:build !ignore_autogenerated

package lib

func (in *Deep) DeepCopyInto(out *Deep) {
}

func (in *Deep) DeepCopy() *Deep {
	return in
}

func (in *Embeds) DeepCopyInto(out *Embeds) {
}

func (in *Embeds) DeepCopy() *Embeds {
	return in
}

func (in *Aliased) DeepCopyInto(out *Aliased) {
}

func (in *Aliased) DeepCopy() *Aliased {
	return in
}
`

func (r *randomPackage) archive() *txtar.Archive {
	r.wild, r.dot = r.chance(15), r.chance(10)
	for range 2 + r.IntN(8) {
		r.kinds = append(r.kinds, pick(r, "struct", "struct", "struct", "named", "slice", "map", "pointer", "alias", "generic", "basic"))
	}
	imports := "\nimport (\n\tlib \"" + typedmodule.Path + "/" + r.name + "/lib\"\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\t\"time\"\n)\n\nvar _ metav1.Time\nvar _ time.Time\nvar _ lib.Plain\n"
	if r.dot {
		imports = strings.ReplaceAll(strings.ReplaceAll(imports, "\tlib \"", "\t. \""), "var _ lib.Plain\n", "var _ Plain\n")
	}
	head := "package " + r.name + "\n" + imports
	switch {
	case r.chance(70):
		head = "// +kubebuilder:object:generate=true\n" + head
	case r.chance(50):
		head = "// +k8s:deepcopy-gen=package,register\n" + head
	}
	files := []string{head, "package " + r.name + "\n" + imports}
	for i := range r.kinds {
		files[r.IntN(2)] += r.declaration(i)
	}
	if r.chance(10) {
		files[r.IntN(2)] += pick(r, "\ntype string struct{ p *int }\n", "\ntype int = "+r.lib("Deep")+"\n", "\ntype any interface{ M() }\n", "\ntype byte []uint8\n",
			"\nfunc F() {\n\ttype T0 struct{ X NotThere }\n\ttype string int\n}\n", "\nvar text = `\ntype T1 struct { X NotThere }\n`\n")
	}
	if r.chance(1) {
		files[1] = strings.Replace(files[1], "import (", "import \"C\"\n\nimport (", 1)
	}
	out := &txtar.Archive{Files: []txtar.File{
		{Name: "a.go", Data: []byte(files[0])}, {Name: "b.go", Data: []byte(files[1])}, {Name: "lib/lib.go", Data: []byte(library)},
	}}
	if r.chance(70) {
		out.Files = append(out.Files, txtar.File{Name: "lib/zz_generated.go", Data: []byte(generatedLibrary)})
	}
	return out
}

// declaration returns the declaration of the type Ti, with comments and methods.
func (r *randomPackage) declaration(i int) string {
	out := "\n"
	if r.chance(25) {
		out += pick(r, "// +kubebuilder:object:root=true\n", "// +kubebuilder:object:generate=true\n", "// +kubebuilder:object:generate=false\n",
			"// +kubebuilder:object:root=false\n", "// +k8s:deepcopy-gen=true\n", "// +k8s:deepcopy-gen=false\n",
			"// +k8s:deepcopy-gen:interfaces=k8s.io/apimachinery/pkg/runtime.Object\n", "// +kubebuilder:object:generate=true\n\n// Doc.\n")
	}
	name := fmt.Sprintf("T%d", i)
	receiver := name
	switch r.kinds[i] {
	case "struct":
		out += "type " + name + " struct {\n" + r.fields(i) + "}\n"
	case "generic":
		out += "type " + name + "[P any] struct {\n" + r.fields(i) + "}\n"
		receiver += "[Q]"
	case "named":
		out += "type " + name + " " + r.namedType(i, i) + "\n"
	case "slice":
		out += "type " + name + " []" + r.typ(i, 2, false) + "\n"
	case "map":
		out += "type " + name + " map[" + r.key(i) + "]" + r.typ(i, 2, false) + "\n"
	case "pointer":
		return out + "type " + name + " *" + r.typ(i, 2, false) + "\n"
	case "basic":
		out += "type " + name + " " + pick(r, "int", "string", "byte", "float64") + "\n"
	case "alias":
		out += "type " + name + " = " + r.typ(i, 2, false) + "\n"
		return out
	}
	if r.chance(25) && r.kinds[i] != "named" {
		if r.chance(20) && r.kinds[i] != "generic" {
			out += "type A" + name + " = " + name + "\ntype AA" + name + " = (A" + name + ")\n"
			receiver = pick(r, "A", "AA") + name
		}
		out += r.methods(receiver)
	}
	return out
}

// methods returns methods written by hand, mostly with the right signatures.
func (r *randomPackage) methods(t string) (out string) {
	star := pick(r, "*", "*", "")
	if r.chance(70) {
		result := star + t
		if r.chance(15) {
			result = pick(r, "*"+t, t, "(*"+t+", error)", "any")
		}
		out += "func (in " + star + t + ") DeepCopy() " + result + " { panic(0) }\n"
	}
	if out == "" || r.chance(40) {
		param := "*" + t
		if r.chance(15) {
			param = pick(r, t, "**"+t, "any", "*"+t+", x int")
		}
		out += "func (in " + star + t + ") DeepCopyInto(out " + param + ") {}\n"
	}
	return out
}

func (r *randomPackage) fields(i int) (out string) {
	for n := range r.IntN(6) {
		if r.chance(10) {
			out += "\t" + pick(r, "metav1.ObjectMeta", "metav1.TypeMeta", "*metav1.LabelSelector", r.lib("Deep"), "*"+r.lib("ByPointer"), r.lib("Strings")) + "\n"
			break // a second one may have the same name
		}
		out += fmt.Sprintf("\tF%d %s\n", n, r.typ(i, 3, true))
	}
	return out
}

// lib returns the text of a type of the library.
func (r *randomPackage) lib(name string) string {
	if r.dot {
		return name
	}
	return "lib." + name
}

// local returns a type of the package below limit, and a string if there is none. For a field
// the types may be any, behind a reference.
func (r *randomPackage) local(limit, depth int) string {
	if limit == 0 {
		return "string"
	}
	j := r.IntN(limit)
	if r.kinds[j] == "generic" {
		return fmt.Sprintf("T%d[%s]", j, r.typ(j, depth-1, false))
	}
	return fmt.Sprintf("T%d", j)
}

func (r *randomPackage) key(limit int) string {
	return pick(r, "string", "int", "string", r.lib("Name"), "bool", "metav1.ConditionStatus")
}

// namedType returns a type that another type can be declared with.
func (r *randomPackage) namedType(i, limit int) string {
	return pick(r, r.local(limit, 1), r.local(limit, 1), r.lib(pick(r, "Plain", "Deep", "Strings", "Deeps", "ByPointer", "Into", "Both", "Embeds", "DeepAlias", "Aliased")),
		"metav1.ObjectMeta", "metav1.Time", "struct{ p *int }", r.lib("List")+"["+r.local(limit, 1)+"]")
}

// typ returns a type that refers to types of the package below i, or to any behind a
// reference if it is the type of a field.
func (r *randomPackage) typ(i, depth int, field bool) string {
	limit := i
	if depth <= 0 {
		return pick(r, "string", "int", "*int")
	}
	n := r.IntN(100)
	switch {
	case n < 15:
		return pick(r, "string", "int", "byte", "bool", "time.Duration", "uintptr", "rune", "complex128")
	case n < 30:
		return r.local(limit, depth)
	case n < 42:
		return r.lib(pick(r, "Plain", "Deep", "Aliased", "Name", "Same", "Strings", "Deeps", "Pointer", "DeepAlias", "Embeds", "ByPointer", "ByValue", "Into", "Both", "Wrong", "Basic"))
	case n < 46:
		return r.lib(pick(r, "List", "Box", "Generic")) + "[" + r.typ(i, depth-1, false) + "]"
	case n < 48:
		return r.lib("Boxed") + "[string, " + r.typ(i, depth-1, false) + "]"
	case n < 54:
		return pick(r, "metav1.Time", "metav1.ObjectMeta", "metav1.Duration", "metav1.Condition", "metav1.LabelSelector", "time.Time", "metav1.TypeMeta", "metav1.MicroTime")
	case n < 68:
		if field && r.chance(40) {
			return "*" + r.structType()
		}
		return "*" + r.typ(i, depth-1, false)
	case n < 82:
		if field && r.chance(40) {
			return "[]" + r.structType()
		}
		return "[]" + r.typ(i, depth-1, false)
	case n < 94:
		return "map[" + r.key(i) + "]" + r.typ(i, depth-1, false)
	case n < 96:
		return "struct{ X " + r.typ(i, depth-1, false) + " }"
	case r.wild:
		return pick(r, "any", "error", "interface{ M() }", "[2]int", "chan int", "func(lib int) string", r.lib("Many"), r.lib("Copier"), "map["+r.lib("Same")+"]int", "map[string]"+r.lib("Same"), "[]any")
	}
	return "string"
}

// structType returns a struct type of the package, of which there may be none yet.
func (r *randomPackage) structType() string {
	j := r.IntN(len(r.kinds))
	if r.kinds[j] == "struct" {
		return fmt.Sprintf("T%d", j)
	}
	return "string"
}
