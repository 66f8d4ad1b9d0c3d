package deepcopy_test

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/go/packages"
	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/companions/deepcopy"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/source/golist"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// compileErrors type-checks the packages of a module with generated files, by directory below dir, and
// returns the first error in each of these files, by the same directories.
func compileErrors(t *testing.T, dir string, files map[string]string) map[string]string {
	t.Helper()
	overlay := map[string][]byte{}
	for below, text := range files {
		overlay[filepath.Join(dir, filepath.FromSlash(below), deepcopy.FileName)] = []byte(text)
	}
	loaded, err := packages.Load(&packages.Config{
		Context: t.Context(), Dir: dir, Overlay: overlay, Mode: packages.LoadSyntax,
	}, "./...")
	if err != nil {
		t.Fatal(err)
	}
	out := map[string]string{}
	for _, p := range loaded {
		for _, e := range p.Errors {
			name, _, _ := strings.Cut(e.Pos, ":")
			if filepath.Base(name) != deepcopy.FileName {
				continue // the packages have errors of their own
			}
			if !filepath.IsAbs(name) {
				name = filepath.Join(dir, name)
			}
			below, err := filepath.Rel(dir, filepath.Dir(name))
			if err != nil {
				t.Fatal(err)
			}
			if key := filepath.ToSlash(below); out[key] == "" {
				out[key] = e.Error()
			}
		}
	}
	return out
}

// reasons type-checks the files that are generated for listed packages, and fails if one has an error and
// no reason to be checked. It adds the number of files for each reason to counts, and of those without.
func reasons(t *testing.T, listed []*golist.Package, options deepcopy.Options, counts map[string]int) {
	t.Helper()
	p, _, roots := program(t, listed)
	files, err := deepcopy.CheckAll(t.Context(), p, roots, options)
	var unsure *source.Unsure
	if err != nil && !errors.As(err, &unsure) {
		t.Fatal(err)
	}
	for _, f := range files {
		counts[cmp.Or(f.Reason, "none")]++
		if f.Reason == "" && len(f.Errors) > 0 {
			t.Errorf("%s: there is no reason to check the file, but it has errors: %v", listed[0].Path, f.Errors)
		}
	}
}

// shape is a field type that needs more than controller-gen's copy, with declarations and imports. If
// refused is not empty, it is a part of the message about the field.
type shape struct {
	field, declarations, imports string
	refused                      string
}

// shapes are generic and foreign types. controller-gen's copies of all but the last do not
// compile.
var shapes = map[string]shape{
	"set":                        {field: "sets.Set[string]", imports: "k8s.io/apimachinery/pkg/util/sets"},
	"pointer to set":             {field: "*sets.Set[string]", imports: "k8s.io/apimachinery/pkg/util/sets"},
	"sets":                       {field: "map[string]sets.Set[string]", imports: "k8s.io/apimachinery/pkg/util/sets"},
	"generic map":                {field: "M[string, *int]", declarations: "// +kubebuilder:object:generate=false\ntype M[K ~string, V any] map[K]V"},
	"generic map of a map":       {field: "M[string, M[string, *int]]", declarations: "// +kubebuilder:object:generate=false\ntype M[K ~string, V any] map[K]V"},
	"generic slice":              {field: "L[string]", declarations: "// +kubebuilder:object:generate=false\ntype L[T any] []T"},
	"slices of generic slices":   {field: "[]L[*int]", declarations: "// +kubebuilder:object:generate=false\ntype L[T any] []T"},
	"pointer to generic slice":   {field: "*L[string]", declarations: "// +kubebuilder:object:generate=false\ntype L[T any] []T"},
	"plain generic":              {field: "*G[string]", declarations: "// +kubebuilder:object:generate=false\ntype G[T any] struct{ V T }"},
	"slice of plain generics":    {field: "[]G[string]", declarations: "// +kubebuilder:object:generate=false\ntype G[T any] struct{ V T }"},
	"generic with methods":       {field: "G[string]", declarations: "type G[T any] struct{ N *int }"},
	"generic without use":        {field: "[]G[string, int]", declarations: "type G[K comparable, V any] struct{ N map[string][]int }"},
	"generic without a marker":   {field: "G[*int]", declarations: "// +kubebuilder:object:generate=false\ntype G[T any] struct{ V T }", refused: "struct G[*int] has no method DeepCopyInto"},
	"foreign generic":            {field: "lib.Box[*int]", imports: "LIB", refused: "struct lib.Box[*int] has no method DeepCopyInto"},
	"unexported generic":         {field: "g[*int]", declarations: "type g[T any] struct{ V T }"},
	"time":                       {field: "time.Time", imports: "time"},
	"pointer to time":            {field: "*time.Time", imports: "time"},
	"times":                      {field: "[]time.Time", imports: "time"},
	"times by name":              {field: "map[string]time.Time", imports: "time"},
	"pointers to times":          {field: "[]*time.Time", imports: "time"},
	"URL":                        {field: "*url.URL", imports: "net/url"},
	"URLs":                       {field: "[]url.URL", imports: "net/url"},
	"URLs by name":               {field: "map[string]url.URL", imports: "net/url"},
	"URL value":                  {field: "url.URL", imports: "net/url"},
	"big integer":                {field: "*big.Int", imports: "math/big"},
	"big integers":               {field: "map[string]big.Int", imports: "math/big"},
	"big float":                  {field: "[]big.Float", imports: "math/big"},
	"big rational":               {field: "big.Rat", imports: "math/big"},
	"net":                        {field: "net.IPNet", imports: "net"},
	"nets":                       {field: "map[string]*net.IPNet", imports: "net"},
	"address":                    {field: "netip.Prefix", imports: "net/netip"},
	"certificate":                {field: "*pem.Block", imports: "encoding/pem"},
	"own":                        {field: "Own", declarations: "// +kubebuilder:object:generate=false\ntype Own struct{ P *int }", refused: "struct Own has no method DeepCopyInto"},
	"owns":                       {field: "map[string][]Own", declarations: "// +kubebuilder:object:generate=false\ntype Own struct{ P *int }", refused: "struct Own has no method DeepCopyInto"},
	"unexported":                 {field: "own", declarations: "type own struct{ p *int; l []string }"},
	"pointer to unexported":      {field: "*own", declarations: "type own struct{ p map[string]*int }"},
	"nested unexported":          {field: "[]own", declarations: "type own struct{ i inner }\n\ntype inner struct{ p *int }"},
	"unexported that recurs":     {field: "own", declarations: "type own struct{ p *own }", refused: "own contains itself"},
	"struct without a name":      {field: "struct{ P *int }"},
	"struct of structs":          {field: "struct{ S struct{ P []string } }"},
	"of the library":             {field: "lib.Deep", imports: "LIB", refused: "struct lib.Deep has no method DeepCopyInto"},
	"location":                   {field: "*time.Location", imports: "time", refused: "time.Location is a struct with fields"},
	"regular expression":         {field: "*regexp.Regexp", imports: "regexp", refused: "regexp.Regexp is a struct with fields"},
	"lock":                       {field: "*sync.Map", imports: "sync", refused: "sync.Map is a struct with fields"},
	"client":                     {field: "*http.Client", imports: "net/http", refused: "http.Client is a struct with fields"},
	"only DeepCopy":              {field: "[]Own", declarations: "// +kubebuilder:object:generate=false\ntype Own struct{ P *int }\n\nfunc (o *Own) DeepCopy() *Own { return o }", refused: "the generated copy does not compile"},
	"only DeepCopyInto":          {field: "*Own", declarations: "// +kubebuilder:object:generate=false\ntype Own map[string]*int\n\nfunc (o Own) DeepCopyInto(out *Own) {}", refused: "the generated copy does not compile"},
	"promoted methods":           {field: "Own", declarations: "// +kubebuilder:object:generate=false\ntype Own struct{ metav1.LabelSelector }", imports: "metav1 k8s.io/apimachinery/pkg/apis/meta/v1", refused: "struct Own has no method DeepCopyInto"},
	"methods of another package": {field: "map[string]metav1.LabelSelector", imports: "metav1 k8s.io/apimachinery/pkg/apis/meta/v1"},
}

// testCase returns a case with a struct that has a field of the shape.
func (s shape) testCase(name string) *gentest.Case {
	imports := strings.Replace(s.imports, "LIB", "lib "+typedmodule.Path+"/"+name+"/lib", 1)
	if imports != "" {
		qualifier, path, named := strings.Cut(imports, " ")
		if !named {
			qualifier, path = "", imports
		}
		imports = "import " + qualifier + " \"" + path + "\"\n\n"
	}
	text := "// +kubebuilder:object:generate=true\npackage " + name + "\n\n" + imports + "type Thing struct {\n\tF " + s.field + "\n}\n\n" + s.declarations + "\n"
	return &gentest.Case{Name: name, Archive: &txtar.Archive{Files: []txtar.File{{Name: "types.go", Data: []byte(text)}, {Name: "lib/lib.go", Data: []byte(library)}}}}
}

// generateCase returns the files that are generated for a case, by directory below it. It adds the
// reasons to check them to counts.
func generateCase(t *testing.T, dir string, listed []*golist.Package, c *gentest.Case, counts map[string]int) (map[string]string, diag.List, error) {
	t.Helper()
	packages, err := gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + c.Name}.List(t.Context(), dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	reasons(t, packages, deepcopy.Options{}, counts)
	files, findings, unsure := generate(t, packages, deepcopy.Options{})
	out := map[string]string{}
	for _, f := range files {
		below, err := filepath.Rel(filepath.Join(dir, c.Name), f.PackageDir)
		if err != nil {
			t.Fatal(err)
		}
		out[filepath.ToSlash(below)] = string(f.Data)
	}
	return out, findings, unsure
}

// TestShapes copies fields of generic and foreign types. What is generated compiles, and nothing is
// generated where nothing can be.
func TestShapes(t *testing.T) {
	names := slices.Sorted(maps.Keys(shapes))
	var cases []*gentest.Case
	for i, name := range names {
		cases = append(cases, shapes[name].testCase(fmt.Sprintf("p%d", i)))
	}
	dir, listed := gentest.List(t, cases)
	counts := map[string]int{}
	all := map[string]string{}
	for i, c := range cases {
		want := shapes[names[i]].refused
		files, findings, err := generateCase(t, dir, listed, c, counts)
		switch {
		case err != nil, want == "" && len(findings) > 0, want != "" && (len(findings) != 1 || !strings.Contains(findings[0].Message, want)):
			t.Errorf("%s: got findings %v, want %q; %v", names[i], findings, want, err)
		case (len(files) == 1) != (want == ""):
			t.Errorf("%s: got %d files", names[i], len(files))
		}
		for below, text := range files {
			all[path.Join(c.Name, below)] = text
		}
	}
	broken := compileErrors(t, dir, all)
	for i, c := range cases {
		if message := broken[c.Name]; message != "" {
			t.Errorf("%s: %s\n%s", names[i], message, all[c.Name])
		}
	}
	t.Logf("%d shapes, %d files, %v", len(shapes), len(all), counts)
}
