package conversions

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/test/gentest"
)

// receivers are types that encode themselves, one for each way in which Go finds the method. The JSON of
// the text a is "=a". What the fields have without the method does not decode.
var receivers = []receiver{
	{name: "Pointer", addressed: true},
	{name: "Value"},
	{name: "Both", addressed: true},
	{name: "Embedded", addressed: true},
	{name: "EmbeddedPointer"},
	{name: "EmbeddedTwice", addressed: true},
	{name: "Generic", argument: "[string]", addressed: true},
	{name: "GenericValue", argument: "[int32]"},
	{name: "GenericTwo", argument: "[string, []int32]", addressed: true},
	{name: "Alias", addressed: true},
	{name: "TextPointer", addressed: true},
	{name: "TextValue", key: true},
	{name: "TextBoth"},
	{name: "Word", addressed: true},
	{name: "TextWord", addressed: true},
}

type receiver struct {
	// name is that of a type in testdata/receivers.go.txt, and argument that of a generic type.
	name, argument string
	// addressed is set if encoding/json calls the method only for values with an address.
	addressed bool
	// key is set if the type is that of the keys of a map, too.
	key bool
}

// position is where a type is used. In its texts, T is the type, and HubR
// and others are structs with fields of it.
type position struct {
	// name is that of the field of the hub, or of the spoke if the hub has none.
	name string
	// hub and spoke are the fields of the versions, and both the field of either. A field is left out of a
	// version for which there is none.
	hub, spoke, both string
	// want is the JSON of the field.
	want string
	// byValue is set if values have no address in the JSON, so that types whose method has a pointer
	// receiver cannot be there.
	byValue bool
	// key is set if the type is that of keys.
	key bool
}

var positions = []position{
	{name: "value", both: `Value T "value"`, want: `"=a"`},
	{name: "valueZero", both: `ValueZero T "valueZero,omitzero"`, want: `"=a"`},
	{name: "pointer", both: `Pointer *T "pointer,omitempty"`, want: `"=a"`},
	{name: "list", both: `List []T "list,omitempty"`, want: `["=a","=b"]`},
	{name: "pointers", both: `Pointers map[string]*T "pointers,omitempty"`, want: `{"k":"=a"}`},
	{name: "values", both: `Values map[string]T "values,omitempty"`, want: `{"k":"=a"}`, byValue: true},
	{name: "keys", both: `Keys map[T]string "keys,omitempty"`, want: `{"=a":"b"}`, key: true},
	{
		name:  "moved",
		hub:   `Moved *MovedR "moved,omitempty"`,
		spoke: "// +schemagen:convert:to=.moved.inner\n" + `Moving T "moving,omitzero"`,
		want:  `{"inner":"=a"}`,
	},
	{
		name:  "wrapped",
		hub:   `Wrapped *HubR "wrapped,omitempty"`,
		spoke: `Wrapped SpokeR "wrapped,omitzero"`,
		want:  `{"name":"n","inner":"=a","extra":"=b"}`,
	},
	{name: "hubValue", hub: `HubValue T "hubValue"`, want: `"=a"`},
	{name: "hubZero", hub: `HubZero T "hubZero,omitzero"`, want: `"=a"`},
	{name: "hubPointer", hub: `HubPointer *T "hubPointer,omitempty"`, want: `"=a"`},
	{name: "hubEmpty", hub: `HubEmpty *T "hubEmpty,omitempty"`, want: `"="`},
	{name: "hubList", hub: `HubList []T "hubList,omitempty"`, want: `["=a","="]`},
	{name: "hubPointers", hub: `HubPointers map[string]*T "hubPointers,omitempty"`, want: `{"k":"=a"}`},
	{name: "hubValues", hub: `HubValues map[string]T "hubValues,omitempty"`, want: `{"k":"=a"}`, byValue: true},
	{name: "hubKeys", hub: `HubKeys map[T]string "hubKeys,omitempty"`, want: `{"=a":"b"}`, key: true},
	{name: "hubStruct", hub: `HubStruct HubR "hubStruct,omitzero"`, want: `{"name":"","inner":"=","extra":"=a"}`},
	{name: "hubArray", hub: `HubArray [2]T "hubArray"`, want: `["=a","="]`},
	{name: "hubUnnamed", hub: `HubUnnamed struct{ X T $json:"x"$ } "hubUnnamed"`, want: `{"x":"=a"}`},
	{
		name: "hubStructs",
		hub:  `HubStructs []HubR "hubStructs,omitempty"`,
		want: `[{"name":"n","inner":"=a","extra":"=b"}]`,
	},
	{
		name:  "elements",
		hub:   `Elements []HubR "elements,omitempty"`,
		spoke: `Elements []SpokeR "elements,omitempty"`,
		want: `[{"name":"n","inner":"=a","extra":"=b"},{"name":"n","inner":"=a","extra":"="},` +
			`{"name":"n","inner":"=b","extra":"=c"}]`,
	},
	{
		name:  "keyed",
		hub:   "// +listType=map\n// +listMapKey=name\n" + `Keyed []HubR "keyed,omitempty"`,
		spoke: `Keyed []SpokeR "keyed,omitempty"`,
		want:  `[{"name":"n","inner":"=a","extra":"=b"},{"name":"m","inner":"=b","extra":"=c"}]`,
	},
	{
		name:  "structs",
		hub:   `Structs map[string]*HubR "structs,omitempty"`,
		spoke: `Structs map[string]*SpokeR "structs,omitempty"`,
		want:  `{"k":{"name":"n","inner":"=a","extra":"=b"}}`,
	},
	{
		name:    "structValues",
		hub:     `StructValues map[string]HubR "structValues,omitempty"`,
		spoke:   `StructValues map[string]SpokeR "structValues,omitempty"`,
		want:    `{"k":{"name":"n","inner":"=a","extra":"=b"}}`,
		byValue: true,
	},
	{
		name:    "mapped",
		hub:     `Mapped []HubR "mapped,omitempty"`,
		spoke:   "// +schemagen:convert:to=.mapped,as=map,key=.name\n" + `Mapping map[string]UnnamedR "mapping,omitempty"`,
		want:    `[{"name":"n","inner":"=a","extra":"=b"},{"name":"m","inner":"=b","extra":"=c"}]`,
		byValue: true,
	},
	{
		name:  "pointed",
		hub:   `Pointed *[]HubR "pointed,omitempty"`,
		spoke: `Pointed []SpokeR "pointed,omitempty"`,
		want:  `[{"name":"n","inner":"=a","extra":"=b"}]`,
	},
	{
		name:  "text",
		hub:   `Text HubR "text,omitzero"`,
		spoke: "// +schemagen:convert:to=.text,as=json\n" + `Texted string "texted,omitempty"`,
		want:  `{"name":"n","inner":"=a","extra":"=b"}`,
	},
	{
		name:  "textInner",
		hub:   `TextInner HubR "textInner,omitzero"`,
		spoke: "// +schemagen:convert:to=.textInner,as=json\n" + `TextedInner string "textedInner,omitempty"`,
		want:  `{"name":"","inner":"=","extra":"=b"}`,
	},
	{
		name:  "textPointer",
		hub:   `TextPointer *HubR "textPointer,omitempty"`,
		spoke: "// +schemagen:convert:to=.textPointer,as=json\n" + `TextedPointer string "textedPointer,omitempty"`,
		want:  `{"name":"n","inner":"=a","extra":"=b"}`,
	},
	{
		name:  "textList",
		hub:   `TextList []T "textList,omitempty"`,
		spoke: "// +schemagen:convert:to=.textList,as=json\n" + `TextedList string "textedList,omitempty"`,
		want:  `["=a"]`,
	},
	{
		name:  "document",
		hub:   `Document string "document,omitempty"`,
		spoke: "// +schemagen:convert:to=.document,as=json\n" + `Documented SpokeR "documented,omitzero"`,
		want:  `"{\"name\":\"n\",\"inner\":\"=a\"}"`,
	},
	{name: "guard", both: `Guard T "guard"`, want: `"=a"`},
	{name: "guarded", hub: `Guarded string "guarded,omitempty"`, want: `"g"`},
	{name: "spokeValue", spoke: "// +schemagen:convert:keep\n" + `SpokeValue T "spokeValue"`, want: `"=a"`},
	{name: "spokeZero", spoke: "// +schemagen:convert:keep\n" + `SpokeZero T "spokeZero,omitzero"`, want: `"=a"`},
	{
		name:  "spokeElements",
		hub:   `SpokeElements []NamedR "spokeElements,omitempty"`,
		spoke: `SpokeElements []KeepingR "spokeElements,omitempty"`,
		want:  `[{"name":"n","extra":"=a"},{"name":"n","extra":"="},{"name":"m","extra":"=b"}]`,
	},
}

// receiverImports, receiverHub and receiverSpoke are the source of two versions of a kind, which is KindR for
// the receiver R. T is the type of the receiver, and $ a back quote.
const receiverImports = `// +groupName=example.com
package VERSION

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"cases.test/receivers/ext"
)
`

const receiverKind = `
// +kubebuilder:object:root=true
// +schemagen:conversion:strategy=Webhook,service=system/webhook
MARKERS
type KindR struct {
	metav1.TypeMeta   $json:",inline"$
	metav1.ObjectMeta $json:"metadata,omitempty"$

	Spec SpecR $json:"spec,omitempty"$
}
`

const receiverHub = receiverKind + `
type SpecR struct {
	Note string $json:"note,omitempty"$
FIELDS}

type HubR struct {
	Name string $json:"name"$
	// +optional
	Inner T $json:"inner"$
	// +optional
	Extra T $json:"extra"$
}

type MovedR struct {
	// +optional
	Inner T $json:"inner,omitzero"$
}

type NamedR struct {
	Name string $json:"name"$
}
`

const receiverSpoke = receiverKind + `
// +schemagen:convert:hubOnly=.guarded,guard=.guard
type SpecR struct {
	Note string $json:"note,omitempty"$
FIELDS}

type SpokeR struct {
	Name string $json:"name"$
	// +optional
	Inner T $json:"inner"$
}

type UnnamedR struct {
	// +optional
	Inner T $json:"inner"$
}

type KeepingR struct {
	Name string $json:"name"$
	// +optional
	// +schemagen:convert:keep
	Extra T $json:"extra"$
}
`

func (p position) ofHub() string { return p.hub + p.both }

func (p position) ofSpoke() string { return p.spoke + p.both }

// fills reports whether the field is in the object that begins as the hub's.
func (p position) fills() bool { return p.ofHub() != "" && !strings.HasPrefix(p.name, "spoke") }

// fits reports whether a type of the receiver can be in the position.
func (r receiver) fits(p position) bool { return !(p.byValue && r.addressed) && (!p.key || r.key) }

// lines returns a field as lines of a struct.
func lines(field string) (out string) {
	for line := range strings.Lines(field + "\n") {
		if name, tag, ok := strings.Cut(line, ` "`); ok {
			line = "// +optional\n" + name + " $json:\"" + strings.TrimSpace(tag) + "$\n"
		}
		out += line
	}
	return out
}

// cell is what is checked of a kind: a field that comes back.
type cell struct{ kind, field string }

// receiverSources are the source of both versions, the calls for the program, and what it should print.
type receiverSources struct {
	hubs, spokes, trips string
	want                map[cell]string
}

func newReceiverSources() (s receiverSources) {
	structs, types := regexp.MustCompile(`\b([A-Z][a-z]+)R\b`), regexp.MustCompile(`\bT\b`)
	s.hubs = strings.Replace(receiverImports, "VERSION", "v1", 1)
	s.spokes = strings.Replace(receiverImports, "VERSION", "v1beta1", 1)
	s.want = map[cell]string{}
	for _, r := range receivers {
		write := func(text, fields, markers string) string {
			text = strings.NewReplacer("MARKERS", markers, "FIELDS", fields).Replace(text)
			text = structs.ReplaceAllString(text, "${1}"+r.name)
			text = types.ReplaceAllString(text, "ext."+r.name+r.argument)
			return strings.ReplaceAll(text, "$", "`")
		}
		hubFields, spokeFields := "", ""
		hubObject, spokeObject := `"note":"x"`, `"note":"x"`
		for _, p := range positions {
			if !r.fits(p) {
				continue
			}
			s.want[cell{r.name, p.name}] = p.want
			if p.ofHub() != "" {
				hubFields += lines(p.ofHub())
			}
			if p.ofSpoke() != "" {
				spokeFields += lines(p.ofSpoke())
			}
			if value := fmt.Sprintf(",%q:%s", p.name, p.want); p.fills() {
				hubObject += value
			} else {
				spokeObject += value
			}
		}
		s.want[cell{r.name, "changed"}] = `"=z"`
		s.want[cell{r.name, "unguarded"}] = "null"
		s.hubs += write(receiverHub, hubFields, "// +kubebuilder:storageversion")
		s.spokes += write(receiverSpoke, spokeFields, "//")
		s.trips += fmt.Sprintf("\ttrip(%q, `{\"spec\":{%s}}`, `{\"spec\":{%s}}`, ", r.name, hubObject, spokeObject) +
			fmt.Sprintf("v1beta1.ConvertKind%[1]sToHub, v1beta1.ConvertKind%[1]sFromHub)\n", r.name)
	}
	return s
}

// TestReceivers generates conversions with each type of testdata/receivers.go.txt in each position, and
// converts an object of each there and back, in the JSON of webhooks. A cell is the field that comes back.
func TestReceivers(t *testing.T) {
	declarations, err := os.ReadFile("testdata/receivers.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	program, err := os.ReadFile("testdata/receivers_main.go.txt")
	if err != nil {
		t.Fatal(err)
	}
	sources := newReceiverSources()
	c := &gentest.Case{Name: "receivers", Archive: &txtar.Archive{Files: []txtar.File{
		{Name: "ext/ext.go", Data: declarations},
		{Name: "api/v1/types.go", Data: []byte(sources.hubs)},
		{Name: "api/v1beta1/types.go", Data: []byte(sources.spokes)},
	}}}
	dir, listed := gentest.List(t, []*gentest.Case{c})
	source := define.Source{Dir: dir, Lister: gentest.Lister{All: listed, Prefix: "cases.test/receivers/api"}}
	options := define.Options{Passes: passes.All(), Source: source, Server: gentest.Server(t, "")}
	generated, findings, err := generate(t.Context(), options, Options{Functions: true})
	if err != nil {
		t.Fatal(err)
	}
	if findings.HasErrors() {
		t.Fatal(findings)
	}
	for _, f := range generated.Files {
		if err := os.WriteFile(f.Name, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	main := strings.Replace(string(program), "\tKINDS\n", sources.trips, 1)
	if err := os.WriteFile(filepath.Join(dir, "receivers", "main.go"), []byte(main), 0o666); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), "go", "run", "-mod=mod", "./receivers")
	cmd.Dir = dir
	var problems bytes.Buffer
	cmd.Stderr = &problems
	out, err := cmd.Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, problems.String())
	}
	seen := map[cell]bool{}
	for line := range strings.Lines(string(out)) {
		var got struct{ Kind, Step, Field, Text string }
		if err := json.Unmarshal([]byte(line), &got); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		text, ok := sources.want[cell{got.Kind, got.Field}]
		seen[cell{got.Kind, got.Field}] = true
		switch {
		case !ok:
			t.Errorf("%s: %s is not a cell", got.Kind, got.Field)
		case got.Text != text:
			t.Errorf("%s, %s: %s came back as %s, want %s", got.Kind, got.Step, got.Field, got.Text, text)
		}
	}
	if len(seen) != len(sources.want) {
		t.Errorf("%d of %d cells came back", len(seen), len(sources.want))
	}
	t.Logf("%d receivers, %d positions, %d cells", len(receivers), len(positions), len(sources.want))
}
