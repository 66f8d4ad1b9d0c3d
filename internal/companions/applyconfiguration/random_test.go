package applyconfiguration

import (
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

var (
	randomPackages = flag.Int("random", 40, "packages for TestRandom")
	randomSeed     = flag.Uint64("seed", 1, "seed for TestRandom")
)

// TestRandom compares what is generated for random packages from our universe and from
// gengo's.
func TestRandom(t *testing.T) {
	dir := t.TempDir()
	if err := typedmodule.Requirements(dir); err != nil {
		t.Fatal(err)
	}
	reasons, failures := map[string]string{}, map[string]string{}
	write := func(name, text string) {
		file := filepath.Join(dir, filepath.FromSlash(name))
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o777), os.WriteFile(file, []byte(text), 0o666)); err != nil {
			t.Fatal(err)
		}
	}
	write("shared/shared.go", randomShared)
	for i := range *randomPackages {
		g := &randomPackage{Rand: rand.New(rand.NewPCG(*randomSeed, uint64(i)))}
		name := fmt.Sprintf("p%d/v1", i)
		for n, text := range g.files() {
			write(fmt.Sprintf("%s/f%d.go", name, n), text)
		}
		reasons[typedmodule.Path+"/"+name] = ""
	}
	t.Chdir(dir)
	compareModule(t, reasons, failures)
}

const randomShared = `package shared

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// Flat is inline.
type Flat struct {
	// FlatA has a comment.
	FlatA string ` + "`json:\"flatA,omitempty\"`" + `
	FlatB []Part ` + "`json:\"flatB,omitempty\"`" + ` // beside
	FlatC *Part ` + "`json:\"flatC,omitempty\"`" + `
	FlatD map[string]Part ` + "`json:\"flatD,omitempty\"`" + `
	FlatE metav1.Time ` + "`json:\"flatE,omitempty\"`" + `
	Inner ` + "`json:\",inline\"`" + `
	hidden func()
}

// Inner is inline, too.
type Inner struct {
	InnerA Mode ` + "`json:\"innerA,omitempty\"`" + `
	InnerB [2]Part ` + "`json:\"innerB,omitempty\"`" + `
}

// Part is a part.
type Part struct {
	Name string ` + "`json:\"name,omitempty\"`" + `
	Next *Part ` + "`json:\"next,omitempty\"`" + `
}

type (
	Mode string
	Parts []Part
	ByName map[string]Part
	Pointer *Part
	Alias = Part
	Aliases = []*Part
	Iface interface{ Get() Part }
	Set[T comparable] map[T]bool
)
`

// randomPackage generates the files of a package. Structs only contain structs with greater
// indexes by value.
type randomPackage struct {
	*rand.Rand
	structs, names int
	fields         int
}

func (g *randomPackage) chance(percent int) bool { return g.IntN(100) < percent }

func (g *randomPackage) pick(list ...string) string { return list[g.IntN(len(list))] }

// files returns one or two files.
func (g *randomPackage) files() []string {
	g.structs, g.names = 3+g.IntN(5), 6
	var decls []string
	for i := range 1 + g.IntN(2) {
		decls = append(decls, g.kind(i))
	}
	for i := range g.structs {
		decls = append(decls, g.declaration(fmt.Sprintf("S%d", i), g.structType(i)))
	}
	for i, underlying := range []string{"string", "[]" + g.typ(0, 2), "map[string]" + g.typ(0, 2), "*" + g.typ(0, 1), "[3]" + g.typ(g.structs, 1), g.pick("interface{ Get() S0 }", "func(S0) error", "chan S0", "int64")} {
		decls = append(decls, g.declaration(fmt.Sprintf("N%d", i), underlying))
	}
	for i := range 3 {
		decls = append(decls, g.declaration(fmt.Sprintf("A%d", i), "= "+g.pick("S0", "shared.Flat", "[]S1", "*S0", "string", "N0", "map[string]S1", "metav1.Time")))
	}
	decls = append(decls,
		g.declaration(g.pick("Zed", "Alpha"), "= "+g.pick("S0", "S1", "S2")),
		g.declaration("Copy", g.pick("S0", "shared.Flat", "shared.Part", "N1", "shared.Parts", "corev1.LocalObjectReference")),
		g.declaration("Set[T comparable]", g.pick("[]T", "map[string]T", "map[T]S0")),
		"func Function(s *S0, f func(N1) A0) (N2, error) { return nil, nil }\n",
		"var SchemeGroupVersion, variable = 1, map[string]S0{}\n",
		"func (s *S0) Method(a *S1) S2 { panic(a) }\n",
	)
	g.Shuffle(len(decls), func(i, j int) { decls[i], decls[j] = decls[j], decls[i] })
	cut := g.IntN(len(decls))
	return []string{g.file(true, decls[:cut]), g.file(false, decls[cut:])}
}

func (g *randomPackage) file(first bool, decls []string) string {
	var b strings.Builder
	if first {
		b.WriteString("// +groupName=example.com\n// +kubebuilder:ac:generate=true\n")
	}
	b.WriteString("package v1\n\nimport (\n\tcorev1 \"k8s.io/api/core/v1\"\n\t\"k8s.io/apimachinery/pkg/api/resource\"\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\t\"k8s.io/apimachinery/pkg/util/intstr\"\n\n\t\"" + typedmodule.Path + "/shared\"\n)\n")
	for _, decl := range decls {
		b.WriteString(g.pick("", "\n", "\n\n") + decl)
	}
	return b.String()
}

func (g *randomPackage) kind(i int) string {
	spec := fmt.Sprintf("struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\tSpec S%d `json:\"spec,omitempty\"`\n", i)
	if g.chance(50) {
		spec += "\tStatus *S1 `json:\"status,omitempty\"`\n"
	}
	return g.comment("") + "\n// Kind is a kind.\n// +kubebuilder:resource" + g.pick("", ":scope=Cluster") + fmt.Sprintf("\ntype Kind%d %s}\n", i, spec)
}

func (g *randomPackage) declaration(name, of string) string {
	if g.chance(20) {
		return g.comment("") + "type (\n" + g.comment("\t") + "\t" + name + " " + of + "\n)\n"
	}
	return g.comment("") + "type " + name + " " + of + g.pick("", " // behind", "\n// below") + "\n"
}

// comment returns comments above a declaration: none, adjacent, detached, in a block.
func (g *randomPackage) comment(indent string) string {
	text := g.pick("Text is text.", "+marker=value", "TODO: later", "", "Several words\n"+indent+"// in lines", "+optional", "Deprecated: no.")
	switch g.IntN(8) {
	case 0, 1:
		return ""
	case 2:
		return indent + "// " + text + "\n\n"
	case 3:
		return indent + "/* " + strings.ReplaceAll(text, "// ", "") + " */\n"
	case 4:
		return indent + "// far\n\n" + indent + "// " + text + "\n"
	case 5:
		return indent + "//" + text + "\n" + indent + "//\n" + indent + "// end\n"
	}
	return indent + "// " + text + "\n"
}

func (g *randomPackage) structType(index int) string {
	var b strings.Builder
	b.WriteString("struct {\n")
	embedded := map[string]bool{}
	for range 1 + g.IntN(6) {
		b.WriteString(g.comment("\t"))
		g.fields++
		name := fmt.Sprintf("F%d", g.fields)
		switch {
		case g.chance(15):
			typ := g.pick("shared.Flat", "*shared.Part", "shared.Inner", "metav1.ListMeta")
			if index+1 < g.structs && g.chance(60) {
				typ = g.pick("", "*") + fmt.Sprintf("S%d", index+1)
			}
			if base := strings.TrimPrefix(typ, "*"); embedded[base] {
				continue
			} else {
				embedded[base] = true
			}
			b.WriteString("\t" + typ + g.pick(" `json:\",inline\"`", " `json:\",inline\"`", "", " `json:\"-\"`"))
		case g.chance(8):
			b.WriteString("\t" + strings.ToLower(name) + " " + g.pick("func() S0", "chan S1", "interface{ X() }", "error"))
		case g.chance(8):
			b.WriteString("\t" + name + "a, " + name + "b " + g.typ(index+1, 2) + " `json:\"-\"`")
		default:
			tag := g.pick("`json:\"%s,omitempty\"`", "`json:\"%s\"`", "`json:\"%s,omitempty\" protobuf:\"x\"`", "`json:\"%s,omitzero\"`")
			b.WriteString("\t" + name + " " + g.typ(index+1, 3) + " " + fmt.Sprintf(tag, strings.ToLower(name)))
		}
		b.WriteString(g.pick("", "", " // beside") + "\n" + g.pick("", "", "\n"))
	}
	return b.String() + "}"
}

// typ returns a type that contains, by value, no struct below an index.
func (g *randomPackage) typ(from, depth int) string {
	if depth > 0 {
		switch g.IntN(10) {
		case 0, 1:
			return "[]" + g.typ(0, depth-1)
		case 2:
			return "map[string]" + g.typ(0, depth-1)
		case 3:
			return "*" + g.typ(0, depth-1)
		case 4:
			return "[2]" + g.typ(from, depth-1)
		}
	}
	switch g.IntN(8) {
	case 0, 1:
		if from < g.structs {
			return fmt.Sprintf("S%d", from+g.IntN(g.structs-from))
		}
	case 2:
		return g.pick("N0", "shared.Mode", "shared.Set[string]", "Set[int32]", "shared.Parts", "shared.ByName", "shared.Pointer")
	case 3:
		return g.pick("shared.Part", "shared.Flat", "shared.Alias", "shared.Aliases", "shared.Iface")
	case 4:
		return g.pick("metav1.Time", "metav1.LabelSelector", "metav1.Condition", "metav1.Duration", "resource.Quantity", "intstr.IntOrString")
	case 5:
		return g.pick("corev1.LocalObjectReference", "corev1.ResourceList", "corev1.PullPolicy", "corev1.ResourceRequirements")
	case 6:
		return g.pick("struct{ X string }", "any", "interface{}", "[]byte", "rune", "int8", "struct{ shared.Part }", "float64")
	}
	return g.pick("string", "int32", "int64", "bool", "byte", "uint")
}
