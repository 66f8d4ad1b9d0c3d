package passes_test

import (
	"flag"
	"fmt"
	"maps"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"sigs.k8s.io/controller-tools/pkg/crd"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

var (
	marshalerCells = flag.Int("cells", 150, "number of random cells of the table of marshalers to compare")
	marshalerSeed  = flag.Uint64("cellseed", 1, "seed of the choice of cells")
)

// marshalerShapes are declarations of the type X, by what decides how it is marshaled.
var marshalerShapes = map[string]string{
	"none struct":            "type X struct {\n\tA string `json:\"a\"`\n}\n",
	"none string":            "type X string\n",
	"struct by value":        "type X struct {\n\tA string `json:\"a\"`\n}\n\nfunc (X) MarshalJSON() ([]byte, error) { return nil, nil }\n",
	"struct by pointer":      "type X struct {\n\tA string `json:\"a\"`\n}\n\nfunc (*X) MarshalJSON() ([]byte, error) { return nil, nil }\n",
	"string":                 "type X string\n\nfunc (X) MarshalJSON() ([]byte, error) { return nil, nil }\n",
	"bool by pointer":        "type X bool\n\nfunc (*X) MarshalJSON() ([]byte, error) { return nil, nil }\n",
	"integer":                "type X int32\n\nfunc (X) MarshalJSON() ([]byte, error) { return nil, nil }\n",
	"slice":                  "type X []string\n\nfunc (X) MarshalJSON() ([]byte, error) { return nil, nil }\n",
	"bytes":                  "type X []byte\n\nfunc (X) MarshalJSON() ([]byte, error) { return nil, nil }\n",
	"array":                  "type X [2]string\n\nfunc (X) MarshalJSON() ([]byte, error) { return nil, nil }\n",
	"map":                    "type X map[string]int32\n\nfunc (X) MarshalJSON() ([]byte, error) { return nil, nil }\n",
	"struct without members": "type X struct{}\n\nfunc (X) MarshalJSON() ([]byte, error) { return nil, nil }\n",
	"text string":            "type X string\n\nfunc (X) MarshalText() ([]byte, error) { return nil, nil }\n",
	"text struct":            "type X struct {\n\tA string `json:\"a\"`\n}\n\nfunc (*X) MarshalText() (text []byte, err error) { return nil, nil }\n",
	"text integer":           "type X int64\n\nfunc (X) MarshalText() ([]byte, error) { return nil, nil }\n",
	"both":                   "type X struct {\n\tA string `json:\"a\"`\n}\n\nfunc (X) MarshalText() ([]byte, error) { return nil, nil }\n\nfunc (X) MarshalJSON() ([]byte, error) { return nil, nil }\n",
	"wrong signature":        "type X string\n\nfunc (X) MarshalJSON() []byte { return nil }\n",
	"other file's alias":     "type bytes = []byte\n\ntype X string\n\nfunc (X) MarshalJSON() (bytes, error) { return nil, nil }\n",
	"promoted":               "type Own struct {\n\tA string `json:\"a\"`\n}\n\nfunc (Own) MarshalJSON() ([]byte, error) { return nil, nil }\n\ntype X struct {\n\tOwn `json:\",inline\"`\n\tB string `json:\"b,omitempty\"`\n}\n",
	"promoted by pointer":    "type Own struct {\n\tA string `json:\"a\"`\n}\n\nfunc (*Own) MarshalJSON() ([]byte, error) { return nil, nil }\n\ntype X struct {\n\t*Own `json:\",inline\"`\n}\n",
	"promoted and named":     "type Own string\n\nfunc (Own) MarshalJSON() ([]byte, error) { return nil, nil }\n\ntype X struct {\n\tOwn `json:\"own\"`\n}\n",
	"promoted twice":         "type One struct{}\n\nfunc (One) MarshalJSON() ([]byte, error) { return nil, nil }\n\ntype Two struct{}\n\nfunc (Two) MarshalJSON() ([]byte, error) { return nil, nil }\n\ntype X struct {\n\tOne `json:\",inline\"`\n\tTwo `json:\",inline\"`\n}\n",
	"promoted and hidden":    "type Own struct{}\n\nfunc (Own) MarshalJSON() ([]byte, error) { return nil, nil }\n\ntype X struct {\n\tOwn `json:\",inline\"`\n\tMarshalJSON string `json:\"m\"`\n}\n",
	"promoted deeply":        "type Own struct {\n\tA string `json:\"a\"`\n}\n\nfunc (Own) MarshalJSON() ([]byte, error) { return nil, nil }\n\ntype Inner struct {\n\tOwn `json:\",inline\"`\n}\n\ntype X struct {\n\tInner `json:\",inline\"`\n}\n",
	"promoted with markers":  "// +kubebuilder:validation:Type=string\ntype Own struct {\n\tA string `json:\"a\"`\n}\n\nfunc (Own) MarshalJSON() ([]byte, error) { return nil, nil }\n\ntype X struct {\n\tOwn `json:\",inline\"`\n}\n",
	"promoted text":          "type Own string\n\nfunc (Own) MarshalText() ([]byte, error) { return nil, nil }\n\ntype X struct {\n\tOwn `json:\",inline\"`\n}\n",
	"declared by marshaler":  "type Own struct {\n\tA string `json:\"a\"`\n}\n\nfunc (Own) MarshalJSON() ([]byte, error) { return nil, nil }\n\ntype X Own\n",
	"alias":                  "type Own struct {\n\tA string `json:\"a\"`\n}\n\nfunc (Own) MarshalJSON() ([]byte, error) { return nil, nil }\n\ntype X = Own\n",
	"alias string":           "type Own string\n\nfunc (Own) MarshalJSON() ([]byte, error) { return nil, nil }\n\ntype X = Own\n",
	"generic instance":       "type Own[T any] struct {\n\tA T `json:\"a\"`\n}\n\nfunc (Own[T]) MarshalJSON() ([]byte, error) { return nil, nil }\n\ntype X struct {\n\tOwn[string] `json:\",inline\"`\n}\n",
	"imported promoted":      "type X struct {\n\tlib.Own `json:\",inline\"`\n}\n",
	"imported declared":      "type X lib.Own\n",
	"imported alias":         "type X = lib.Own\n",
	"imported string alias":  "type X = lib.Text\n",
	"imported slice":         "type X lib.List\n",
	"Quantity":               "type X struct {\n\tOriginal string `json:\"-\"`\n\tresource.Quantity `json:\",inline\"`\n}\n",
	"Quantity declared":      "type X resource.Quantity\n",
	"Quantity alias":         "type X = resource.Quantity\n",
	"Quantity field":         "type X struct {\n\tQ resource.Quantity `json:\"q\"`\n}\n",
	"IntOrString":            "type X struct {\n\tintstr.IntOrString `json:\",inline\"`\n}\n",
	"IntOrString declared":   "type X intstr.IntOrString\n",
	"IntOrString alias":      "type X = intstr.IntOrString\n",
	"Time":                   "type X struct {\n\tmetav1.Time `json:\",inline\"`\n}\n",
	"Time alias":             "type X = metav1.Time\n",
	"MicroTime by pointer":   "type X struct {\n\t*metav1.MicroTime `json:\",inline\"`\n}\n",
	"Duration":               "type X struct {\n\tmetav1.Duration `json:\",inline\"`\n}\n",
	"RawExtension":           "type X struct {\n\truntime.RawExtension `json:\",inline\"`\n}\n",
	"JSON":                   "type X struct {\n\tapiextensionsv1.JSON `json:\",inline\"`\n}\n",
	"FieldsV1":               "type X struct {\n\tmetav1.FieldsV1 `json:\",inline\"`\n}\n",
}

// marshalerLibrary is the package lib.
const marshalerLibrary = "package lib\n\ntype Own struct {\n\tA string `json:\"a\"`\n}\n\nfunc (Own) MarshalJSON() ([]byte, error) { return nil, nil }\n\ntype Text string\n\nfunc (Text) MarshalJSON() ([]byte, error) { return nil, nil }\n\ntype List []string\n\nfunc (List) MarshalJSON() ([]byte, error) { return nil, nil }\n"

// marshalerUses are fields of type X.
var marshalerUses = map[string]string{
	"field":    "F X `json:\"f\"`",
	"pointer":  "F *X `json:\"f,omitempty\"`",
	"slice":    "F []X `json:\"f\"`",
	"map":      "F map[string]X `json:\"f\"`",
	"embedded": "X `json:\",inline\"`",
	"inline":   "F X `json:\",inline\"`",
	"named":    "X `json:\"f\"`",
}

// marshalerTypes are the markers that may come first, which decide about the type.
var marshalerTypes = []string{
	"", "Type=string", "Type=object", "Type=integer", "Type=array", `Type=""`, "XIntOrString", "Type=\"\"\nXIntOrString", "Type=string\nXIntOrString",
	"Type=string\nType=\"\"", "Type=\"\"\nType=string",
}

// marshalerArguments are the arguments of the markers that controller-tools applies to a schema.
// Markers without arguments are not listed.
var marshalerArguments = map[string]string{
	"Type": "=string", "Pattern": "=`^x$`", "Format": "=email", "Enum": "=a;b", "Maximum": "=5", "Minimum": "=1", "ExclusiveMaximum": "=true", "ExclusiveMinimum": "=true",
	"MultipleOf": "=2", "MinProperties": "=1", "MaxProperties": "=2", "MaxLength": "=5", "MinLength": "=1", "MaxItems": "=3", "MinItems": "=1", "UniqueItems": "=true",
	"XValidation": `:rule="true",message="m"`, "AtMostOneOf": "=a;b", "ExactlyOneOf": "=a;b", "AtLeastOneOf": "=a;b", "title": `="t"`, "Title": `="t"`, "default": `="d"`,
	"example": `="e"`, "listType": "=atomic", "listMapKey": "=a", "mapType": "=atomic", "structType": "=atomic", "maxLength": "=5", "minLength": "=1",
	"maxItems": "=3", "minItems": "=1", "maximum": "=5", "minimum": "=1", "Default": `="d"`, "Example": `="e"`, "Schemaless": "",
}

// marshalerMarkers returns the markers that controller-tools applies to the schema of a type or a
// field, with arguments.
func marshalerMarkers(t *testing.T, target markers.Target) []string {
	out := []string{""}
	for _, def := range gentest.Table(t).Definitions() {
		if def.Target != target || !def.Output.Implements(reflect.TypeFor[markers.SchemaMarker]()) {
			continue
		}
		arguments, listed := marshalerArguments[def.Name[strings.LastIndexByte(def.Name, ':')+1:]]
		if !listed && def.Output.Kind() != reflect.Struct {
			t.Errorf("marshalerArguments has no arguments for +%s", def.Name)
		}
		out = append(out, def.Name+arguments)
	}
	return out
}

// marshalerCell is a cell of the table: a type, how it is used, and the markers at one place.
type marshalerCell struct{ shape, use, types, marker, place string }

func (c marshalerCell) String() string {
	return fmt.Sprintf("%s, %s, %q and %q at the %s", c.shape, c.use, c.types, c.marker, c.place)
}

// archive returns the package of the cell.
func (c marshalerCell) archive(name string) *txtar.Archive {
	var set strings.Builder
	for line := range strings.SplitSeq(c.types, "\n") {
		if line != "" {
			set.WriteString("// +kubebuilder:validation:" + line + "\n")
		}
	}
	if c.marker != "" {
		set.WriteString("// +" + c.marker + "\n")
	}
	declaration, field := marshalerShapes[c.shape], "\t"+marshalerUses[c.use]+"\n"
	if c.place == "type" {
		declaration = strings.Replace(declaration, "type X ", set.String()+"type X ", 1)
	} else {
		field = "\t" + strings.ReplaceAll(strings.TrimSuffix(set.String(), "\n"), "\n", "\n\t") + "\n" + field
	}
	text := "// +groupName=example.com\n// +versionName=v1\npackage " + name + "\n\nimport (\n"
	for _, path := range []string{
		"lib " + typedmodule.Path + "/" + name + "/lib", "resource k8s.io/apimachinery/pkg/api/resource", "metav1 k8s.io/apimachinery/pkg/apis/meta/v1",
		"intstr k8s.io/apimachinery/pkg/util/intstr", "runtime k8s.io/apimachinery/pkg/runtime", "apiextensionsv1 k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1",
	} {
		qualifier, path, _ := strings.Cut(path, " ")
		if strings.Contains(declaration, qualifier+".") || qualifier == "metav1" {
			text += "\t" + qualifier + " \"" + path + "\"\n"
		}
	}
	text += ")\n\n// +kubebuilder:object:root=true\ntype Thing struct {\n\tmetav1.TypeMeta `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n" + field + "}\n\n" + declaration
	return &txtar.Archive{Files: []txtar.File{{Name: "types.go", Data: []byte(text)}, {Name: "lib/lib.go", Data: []byte(marshalerLibrary)}}}
}

// marshalerCellsOf returns the cells to compare. Half of those of the whole table have only the
// markers that decide about the type, because others seldom fit.
func marshalerCellsOf(t *testing.T) (out []marshalerCell) {
	shapes := slices.Sorted(maps.Keys(marshalerShapes))
	uses := slices.Sorted(maps.Keys(marshalerUses))
	set := map[string][]string{"type": marshalerMarkers(t, markers.Type), "field": marshalerMarkers(t, markers.Field)}
	t.Logf("a table of %d types × %d uses × %d sets of markers × %d markers at types or fields",
		len(shapes), len(uses), len(marshalerTypes), len(set["type"])+len(set["field"]))
	random := rand.New(rand.NewPCG(*marshalerSeed, 0))
	pick := func(list []string) string { return list[random.IntN(len(list))] }
	for range *marshalerCells {
		c := marshalerCell{shape: pick(shapes), use: pick(uses), types: pick(marshalerTypes), place: pick([]string{"type", "type", "field"})}
		if random.IntN(2) == 0 {
			c.marker = pick(set[c.place])
		}
		out = append(out, c)
	}
	return out
}

// TestMarshalers compares with controller-gen what becomes of types that marshal themselves, and
// of those that are known by name, under every marker that changes a schema. Where controller-gen
// writes a file, ours has the same bytes.
func TestMarshalers(t *testing.T) {
	cells := marshalerCellsOf(t)
	verdicts := map[string]int{}
	var cases []*gentest.Case
	for i, c := range cells {
		name := fmt.Sprintf("p%d", i)
		cases = append(cases, &gentest.Case{Name: name, Archive: c.archive(name)})
	}
	options, theirs := parseOptions(t, "")
	options.SkipVerify = true
	dir, listed := gentest.List(t, cases)
	peer := gentest.LoadPeer(t, dir)
	for i, c := range cases {
		options.Dir = filepath.Join(dir, c.Name)
		options.Lister = gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + c.Name}
		files, findings, err := generateFiles(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		got := wanted(files, "")
		verdict, want := compareCell(peer, c, theirs, got, findings)
		for range 8 { // the order of markers of equal priority is random
			if verdict == "different" {
				verdict, _ = compareCell(peer, c, theirs, got, findings)
			}
		}
		verdicts[verdict]++
		if verdict == "different" {
			const name = "example.com_things.yaml"
			t.Errorf("%s\nfindings: %v\ncontroller-gen: %v %v\n%s", cells[i], findings, want.Errors, want.Panic, gentest.Difference(want.Files[name], got[name]))
		}
	}
	t.Log(verdicts)
}

// compareCell compares our files for a cell with those of a run of controller-gen.
func compareCell(peer *gentest.Peer, c *gentest.Case, generator crd.Generator, got map[string]string, findings diag.List) (verdict string, want gentest.PeerResult) {
	want = peer.Run(c, generator)
	for name, text := range want.Files {
		want.Files[name] = versionLine.ReplaceAllString(text, "${1}schemagen-test")
	}
	refused := want.Panic != nil || len(want.Errors) > 0
	switch {
	case refused && findings.HasErrors():
		return "refused by both", want
	case refused:
		return "refused by controller-gen", want
	case maps.Equal(got, want.Files):
		return "equal", want
	}
	return "different", want
}
