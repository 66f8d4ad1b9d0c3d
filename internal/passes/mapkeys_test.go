package passes_test

import (
	"fmt"
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// mapKeys are types of map keys. A key is an integer if encoding/json writes it as a string although
// its type is not one, and wrong if encoding/json refuses it.
var mapKeys = []struct {
	name             string
	integer, refused bool
}{
	{name: "string"}, {name: "Name"}, {name: "Text"}, {name: "TextStruct"}, {name: "NameAlias", refused: true},
	{name: "int", integer: true}, {name: "int8", integer: true}, {name: "int16", integer: true}, {name: "int32", integer: true}, {name: "int64", integer: true},
	{name: "uint", integer: true}, {name: "uint8", integer: true}, {name: "uint16", integer: true}, {name: "uint32", integer: true}, {name: "uint64", integer: true},
	{name: "uintptr", integer: true}, {name: "byte", integer: true}, {name: "rune", integer: true},
	{name: "Number", integer: true}, {name: "NumberOfNumber", integer: true}, {name: "NumberAlias", integer: true}, {name: "time.Duration", integer: true},
	{name: "bool", refused: true}, {name: "float64", refused: true}, {name: "Point", refused: true}, {name: "[2]string", refused: true}, {name: "*string", refused: true},
}

// mapMarkers are markers of a field or type that is a map. They are open if the field keeps what its
// schema does not have, so that the API server stores the entries.
var mapMarkers = []struct {
	name, text string
	open       bool
}{
	{name: "None"},
	{name: "Object", text: "+kubebuilder:validation:Type=object"},
	{name: "Open", text: "+kubebuilder:validation:XPreserveUnknownFields", open: true},
	{name: "Pruning", text: "+kubebuilder:pruning:PreserveUnknownFields", open: true},
	{name: "ObjectOpen", text: "+kubebuilder:validation:Type=object\n+kubebuilder:validation:XPreserveUnknownFields", open: true},
	{name: "OpenObject", text: "+kubebuilder:pruning:PreserveUnknownFields\n+kubebuilder:validation:Type=object", open: true},
	{name: "IntOrString", text: "+kubebuilder:validation:XIntOrString"},
	{name: "Optional", text: "+optional"},
	{name: "Counted", text: "+kubebuilder:validation:MaxProperties=8"},
	{name: "ObjectOpenCounted", text: "+kubebuilder:validation:Type=object\n+kubebuilder:pruning:PreserveUnknownFields\n+kubebuilder:validation:MaxProperties=8", open: true},
}

// mapForms are the ways to declare a field that is a map. K is the name of the kind, KEY the type of
// the keys, and MARKERS those of the map.
var mapForms = []struct{ name, text string }{
	{"Field", "type K struct {\nTYPE\nMARKERS\nM map[KEY]Value `json:\"m,omitempty\"`\n}"},
	{"Type", "type K struct {\nTYPE\nM KMap `json:\"m,omitempty\"`\n}\n\nMARKERS\ntype KMap map[KEY]Value"},
	{"Use", "type K struct {\nTYPE\nMARKERS\nM KMap `json:\"m,omitempty\"`\n}\n\ntype KMap map[KEY]Value"},
	{"Schemaless", "type K struct {\nTYPE\n// +kubebuilder:validation:Schemaless\nMARKERS\nM map[KEY]Value `json:\"m,omitempty\"`\n}"},
}

const mapKeyTypes = `// +groupName=example.com
package v1

import (
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var _ time.Duration

type Value string

type Name string

type NameAlias = Name

type Text int

func (Text) MarshalText() ([]byte, error) { return nil, nil }

type TextStruct struct{ X int }

func (TextStruct) MarshalText() ([]byte, error) { return nil, nil }

type Number int32

type NumberOfNumber Number

type NumberAlias = Number

type Point struct {
	X int32 ` + "`json:\"x\"`" + `
}
`

// TestMapKeys generates a kind for every key, marker and form, and requires that a kind is generated
// exactly if its schema stores the entries of the map, with controller-gen's bytes, also where
// controller-gen fails.
func TestMapKeys(t *testing.T) {
	type cell struct {
		kind        string
		want        bool
		first, last int // lines
	}
	var source strings.Builder
	var cells []cell
	source.WriteString(mapKeyTypes)
	names := strings.NewReplacer(".", "", "[2]", "Array", "*", "Pointer")
	for _, key := range mapKeys {
		for _, marker := range mapMarkers {
			for _, form := range mapForms {
				kind := "K" + names.Replace(key.name) + marker.name + form.name
				comments := ""
				if marker.text != "" {
					comments = "// " + strings.ReplaceAll(marker.text, "\n", "\n// ")
				}
				replacer := strings.NewReplacer("KMap", kind+"Map", "type K ", "type "+kind+" ", "MARKERS", comments, "KEY", key.name,
					"TYPE", "metav1.TypeMeta `json:\",inline\"`\nmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n")
				first := strings.Count(source.String(), "\n") + 1
				fmt.Fprintf(&source, "\n%s\n", replacer.Replace(form.text))
				want := !key.integer && !key.refused || key.integer && marker.open
				if form.name == "Schemaless" {
					want = marker.name != "None" && marker.name != "Optional" && marker.name != "Counted"
				}
				cells = append(cells, cell{kind, want, first, strings.Count(source.String(), "\n")})
			}
		}
	}
	archive := &txtar.Archive{Files: []txtar.File{{Name: "v1/types.go", Data: []byte(source.String())}}}
	c := &gentest.Case{Name: "mapkeys", Archive: archive}
	dir, listed := gentest.List(t, []*gentest.Case{c})
	options, peerOptions := parseOptions(t, "")
	peer := gentest.LoadPeer(t, dir).Run(c, peerOptions)
	options.Dir = filepath.Join(dir, c.Name)
	options.Lister = gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + c.Name}
	generate := func(want bool) (map[string]string, diag.List) {
		options.Kinds = nil
		for _, cell := range cells {
			if cell.want == want {
				options.Kinds = append(options.Kinds, cell.kind)
			}
		}
		files, findings, err := generateFiles(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		return wanted(files, ""), findings
	}
	files, findings := generate(true)
	if findings.HasErrors() || len(files) != len(options.Kinds) {
		t.Errorf("got %d files, want %d\n%s", len(files), len(options.Kinds), findingsText(findings))
	}
	for name, got := range files {
		want := versionLine.ReplaceAllString(peer.Files[name], "${1}schemagen-test")
		if got != want {
			t.Errorf("%s: differs from controller-gen's\n%s", name, gentest.Difference(want, got))
		}
	}
	none, findings := generate(false)
	if len(none) > 0 {
		t.Errorf("got %d files despite errors", len(none))
	}
	for _, cell := range cells {
		var found diag.List
		for _, d := range findings {
			if d.Severity == diag.Error && cell.first <= d.Pos.Line && d.Pos.Line <= cell.last {
				found = append(found, d)
			}
		}
		if !cell.want && len(found) != 1 {
			t.Errorf("%s: got %d errors, want 1\n%s", cell.kind, len(found), findingsText(found))
		}
	}
	t.Logf("%d of %d kinds are generated", len(files), len(cells))
}

func findingsText(list diag.List) string {
	var text strings.Builder
	_ = list.WriteText(&text) // a builder does not fail
	return text.String()
}
