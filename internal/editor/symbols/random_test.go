package symbols

import (
	"context"
	"errors"
	"go/token"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/schemas/provenance"
	"github.com/schemagen/schemagen/structural"
)

const randomFile = "/project/api/v1/types.go"

// program returns a program of the kind in a text, whose schema has the named paths at the
// declarations with the keys.
func program(t *testing.T, text []byte) *Program {
	t.Helper()
	fset := token.NewFileSet()
	file := fset.AddFile(randomFile, -1, len(text))
	file.SetLinesForContent(text)
	outline := NewOutline(text)
	node := func(key, kind string, properties ...structural.Property) *structural.Schema {
		d := outline.Find(key)
		if d == nil {
			t.Fatal("there is no", key)
		}
		return &structural.Schema{Generic: structural.Generic{Type: kind}, Properties: properties, Origin: structural.Origin{Pos: file.Pos(d.Start)}}
	}
	ports := node("Spec.Ports", "array")
	ports.Items = &structural.Schema{Generic: structural.Generic{Type: "object"}, Properties: []structural.Property{{Name: "name", Schema: node("Port.Name", "string")}}}
	kind := node("Spec.Type", "string")
	kind.ValueValidation = &structural.ValueValidation{Enum: []structural.JSON{{Raw: []byte(`"Git"`)}, {Raw: []byte(`"Image"`)}}}
	spec := node("Widget.Spec", "object", structural.Property{Name: "name", Schema: node("Spec.Name", "string")},
		structural.Property{Name: "ports", Schema: ports}, structural.Property{Name: "type", Schema: kind})
	object := &apiextensionsv1.CustomResourceDefinition{}
	object.Spec.Names.Kind, object.Spec.Versions = "Widget", []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1"}}
	definition := &crd.Definition{Schemas: []*structural.Schema{node("Widget", "object", structural.Property{Name: "spec", Schema: spec})}}
	*definition.Provenance() = provenance.Record{
		Header: object, Text: []byte("kind: CustomResourceDefinition\n"),
		Resolve: func(pos token.Pos) diag.Position { return diag.PositionOf(fset, pos) },
	}
	recorder := &Recorder{definitions: []*crd.Definition{definition}}
	return recorder.Program("/project", func(name string) ([]byte, error) {
		if name == randomFile {
			return text, nil
		}
		return nil, os.ErrNotExist
	}, nil, false)
}

// TestRandom asks everything about a text that is edited at random, at random places: whatever it
// has become, there is an answer, and its places are in the text.
func TestRandom(t *testing.T) {
	original := `// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Port struct { // +listType=atomic
	Name string ` + "`json:\"name\"`" + `
}

const (
	A Kind = "Git"
)

// +kubebuilder:validation:XValidation:rule="self.ports.all(p, p.name != '\"') && self.ports[0].name == oldSelf.?name.orValue('')",message="😀"
type Spec struct {
	/* 😀 */ Name string ` + "`json:\"name\"`" + `
	// +listMapKey=name
	Ports []Port ` + "`json:\"ports\"`" + `
	// +unionDiscriminator
	Type string ` + "`json:\"type\"`" + `
	// +unionMember=Git,optional
	// +k8s:unionMember(union: "a", memberName: "Git")
	// +schemagen:at(.name)=+optional
	Git *string ` + "`json:\"git\"`" + `
}

// +kubebuilder:printcolumn:name=A,type=string,JSONPath=` + "`.spec.ports[?(@.name==\"x\")].name`" + `
// +kubebuilder:rbac:groups="",resources=pods;widgets,verbs=get;list
type Widget struct {
	metav1.TypeMeta
	metav1.ObjectMeta
	Spec Spec ` + "`json:\"spec\"`" + `
}
`
	random := rand.New(rand.NewPCG(1, 0))
	programs := []*Program{program(t, []byte(original))}
	pieces := append(strings.FieldsFunc(original, func(r rune) bool { return r == ' ' || r == '\n' }),
		"/*", "*/", "`", "\"", "'", "{", "}", "(", ")", "[", "]", "\n", "\r\n", "type ", "struct {", "// +", "=", ",", ".", ":", "\x00", "é", "\xff")
	text := original
	answers := 0
	for range 5000 {
		if random.IntN(40) == 0 {
			text = original
		}
		from := random.IntN(len(text) + 1)
		to := min(len(text), from+random.IntN(8)*random.IntN(2))
		text = text[:from] + pieces[random.IntN(len(pieces))] + text[to:]
		p := At(programs, func(string) ([]byte, error) { return nil, errors.New("no other file") }, randomFile, []byte(text), random.IntN(len(text)+1))
		in := func(what string, start, end int) {
			if answers++; start < 0 || end < start || end > len(text) {
				t.Fatalf("%s from %d to %d in a text of %d:\n%s", what, start, end, len(text), text)
			}
		}
		for _, c := range p.Complete() {
			in("a completion", c.Start, c.End)
		}
		if _, start, end, ok := p.Hover(); ok {
			in("hover", start, end)
		}
		p.Effect()
		for _, l := range append(p.Definition(), p.References(true)...) {
			in("a link", l.Start, l.End)
		}
		for _, s := range p.Kinds() {
			in("a kind", s.Start, s.Until)
		}
		if _, err := p.Costs(context.Background(), 0, len(text)); err != nil {
			t.Fatal(err)
		}
		p.CRD()
	}
	if answers < 1000 {
		t.Errorf("there were only %d answers", answers)
	}
}
