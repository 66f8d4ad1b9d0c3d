package define_test

import (
	"context"
	"fmt"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
	"github.com/schemagen/schemagen/markers"
)

// planted is a valid package and a copy of it with one mistake.
type planted struct {
	name  string
	right *gentest.Case
	wrong *gentest.Case
	// file and line are the position of the mistake.
	file string
	line int
}

// markerLine matches a comment with a marker. Its groups are the text before the name, the
// name, and the text after it.
var markerLine = regexp.MustCompile(`^(\s*// \+)([A-Za-z0-9:]+)(.*)$`)

// plantMarkers returns copies of the case in which one marker each is misspelled.
func plantMarkers(right *gentest.Case) []*planted {
	var out []*planted
	for f, file := range right.Archive.Files {
		lines := strings.Split(string(file.Data), "\n")
		for i, line := range lines {
			m := markerLine.FindStringSubmatch(line)
			if m == nil {
				continue
			}
			wrong := slices.Clone(lines)
			wrong[i] = m[1] + misspell(m[2]) + m[3]
			archive := &txtar.Archive{Files: slices.Clone(right.Archive.Files)}
			archive.Files[f].Data = []byte(strings.Join(wrong, "\n"))
			out = append(out, &planted{
				name: strings.TrimSpace(wrong[i]), right: right, wrong: &gentest.Case{Archive: archive},
				file: file.Name, line: i + 1,
			})
		}
	}
	return out
}

// misspell swaps two letters in the last part of a name.
func misspell(name string) string {
	start := strings.LastIndexByte(name, ':') + 1
	b := []byte(name)
	for i := len(b) - 2; i > start; i-- {
		if b[i] != b[i+1] {
			b[i], b[i+1] = b[i+1], b[i]
			return string(b)
		}
	}
	return name + "x"
}

// unmarked reports whether a misspelled marker is not recognized as one: a short word without
// a prefix may be a marker of another tool.
func unmarked(name string) bool {
	return slices.Contains([]string{"// +enmu", "// +unino", "// +k8s:enumExclued"}, name)
}

// TestOneFindingForOneMistake plants one mistake in a valid package. It requires exactly
// one finding, at the position of the mistake.
func TestOneFindingForOneMistake(t *testing.T) {
	var all []*planted
	var cases []*gentest.Case
	chapters, err := markers.New()
	if err != nil {
		t.Fatal(err)
	}
	for _, chapter := range chapters {
		for _, m := range chapter.Markers {
			right := gentest.Example(fmt.Sprintf("right%d", len(cases)), m)
			cases = append(cases, right)
			all = append(all, plantMarkers(right)...)
		}
	}
	times := map[string]int{}
	all = slices.DeleteFunc(all, func(p *planted) bool {
		name, _, _ := strings.Cut(p.name, "=")
		times[name]++
		return times[name] > 3 || unmarked(name)
	})
	mistakes := plantMistakes(t)
	cases = append(cases, mistakes[0].right)
	all = append(mistakes, all...)
	for i, p := range all {
		p.wrong.Name = fmt.Sprintf("wrong%d", i)
		cases = append(cases, p.wrong)
	}
	dir, listed := gentest.List(t, cases)
	generate := func(t *testing.T, c *gentest.Case) diag.List {
		root := filepath.Join(dir, c.Name)
		_, findings, err := define.Make(t.Context(), define.Options{Passes: passes.All(), Source: define.Source{Dir: root, Lister: gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + c.Name}}, Output: define.Output{ToolVersion: "schemagen"}, Server: gentest.Server(t, "")})
		if err != nil {
			t.Fatal(err)
		}
		return findings.RelativeTo(root)
	}
	for _, p := range all {
		t.Run(p.name, func(t *testing.T) {
			var found diag.List
			right := generate(t, p.right)
			for _, d := range generate(t, p.wrong) {
				if d.Off {
					continue // such findings are about rules as they are
				}
				if !slices.ContainsFunc(right, func(o diag.Diagnostic) bool {
					return o.Code == d.Code && o.Pos.File == d.Pos.File && o.Pos.Line == d.Pos.Line
				}) {
					found = append(found, d)
				}
			}
			if len(found) != 1 || found[0].Pos.File != p.file || found[0].Pos.Line != p.line {
				var text strings.Builder
				_ = found.WriteText(&text) // a strings.Builder does not fail
				t.Errorf("got %d findings, want one at %s:%d\n%s", len(found), p.file, p.line, &text)
			}
		})
	}
}

// validPackage is a package without mistakes that covers most features of packages.
const validPackage = `// +groupName=example.com
// +versionName=v1
// +schemagen:unions=cel
// +schemagen:enable=enum;k8s
package v1

import (
	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:subresource:scale:specpath=.spec.replicas,statuspath=.status.replicas
// +kubebuilder:resource:scope=Cluster,shortName=w
// +kubebuilder:printcolumn:name=Size,type=string,JSONPath=.spec.size
// +kubebuilder:selectablefield:JSONPath=.spec.size
type Widget struct {
	metav1.TypeMeta   ~json:",inline"~
	metav1.ObjectMeta ~json:"metadata,omitempty"~

	Spec   Spec   ~json:"spec"~
	Status Status ~json:"status,omitempty"~
}

// +kubebuilder:validation:XValidation:rule="!has(self.limit) || size(self.name) <= self.limit",message="the name is too long"
// +kubebuilder:validation:XValidation:rule="self.ports.all(p, self.ports.exists_one(q, q.number == p.number))"
// +kubebuilder:validation:AtMostOneOf=first;second
type Spec struct {
	// +kubebuilder:validation:MinLength=1
	// +kubebuilder:validation:MaxLength=63
	// +kubebuilder:validation:Pattern="^[a-z]+$"
	Name Name ~json:"name"~
	// +optional
	Limit *int32 ~json:"limit,omitempty"~
	// +kubebuilder:default=1
	// +kubebuilder:validation:Minimum=0
	// +kubebuilder:validation:Maximum=100
	Replicas int32 ~json:"replicas,omitempty"~
	Size     Size  ~json:"size"~
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=10
	Ports []Port ~json:"ports"~
	// +listType=set
	// +kubebuilder:validation:MaxItems=10
	// +kubebuilder:validation:items:MaxLength=5
	// +kubebuilder:validation:XValidation:rule="self.all(x, self.all(y, x == y || !x.startsWith(y)))"
	Names []string ~json:"names,omitempty"~
	// +optional
	First *string ~json:"first,omitempty"~
	// +optional
	Second *string ~json:"second,omitempty"~

	Source    Source                      ~json:"source"~
	Other     Source                      ~json:"other"~
	Resources corev1.ResourceRequirements ~json:"resources,omitempty"~
	Volumes   corev1.VolumeMount          ~json:"volumes,omitempty"~
	Quantity  resource.Quantity           ~json:"quantity"~
	Amount    *resource.Quantity          ~json:"amount,omitempty"~
	Timeout   metav1.Duration             ~json:"timeout"~
	// +kubebuilder:validation:MaxProperties=3
	Labels map[string]Name ~json:"labels,omitempty"~
	// +kubebuilder:validation:Enum=x;y
	// +kubebuilder:default=x
	Letter string ~json:"letter,omitempty"~
	// +kubebuilder:validation:Format=date-time
	When string ~json:"when,omitempty"~
	// +k8s:maxLength=5
	Short string ~json:"short,omitempty"~
	// +schemagen:at(.number)=+kubebuilder:validation:Maximum=9
	Port Port ~json:"port"~
	// +kubebuilder:default={name: a, number: 5}
	Defaulted Port ~json:"defaulted,omitempty"~
	Base      ~json:",inline"~
	Tree      Tree ~json:"tree,omitempty"~
}

// +kubebuilder:validation:MaxLength=64
type Name string

type Base struct {
	// +kubebuilder:validation:XPreserveUnknownFields
	Anything map[string]string ~json:"anything,omitempty"~
}

type Port struct {
	Name string ~json:"name"~
	// +kubebuilder:validation:Minimum=1
	Number int32 ~json:"number"~
}

// +enum
type Size string

const (
	Small Size = "S"
	Large Size = "L"
)

type Source struct {
	// +unionDiscriminator
	// +required
	Type SourceType ~json:"type,omitempty"~
	// +unionMember
	// +optional
	Git *Git ~json:"git,omitempty"~
	// +unionMember
	// +optional
	Image *Image ~json:"image,omitempty"~
}

// +kubebuilder:validation:Enum=Git;Image;None
type SourceType string

type Git struct {
	// +kubebuilder:validation:Pattern="^http"
	URL string ~json:"url"~
}

type Image struct {
	Name Name ~json:"name"~
}

// +schemagen:recursion:depth=2
type Tree struct {
	Children []Tree ~json:"children,omitempty"~
}

type Status struct {
	Replicas int32 ~json:"replicas,omitempty"~
	// +listType=map
	// +listMapKey=type
	Conditions []metav1.Condition ~json:"conditions,omitempty"~
}
`

// TestConsequencesInFewKinds plants mistakes in a package with several kinds, and compares the
// consequences that are found by asking the kinds that have the type first with those that all
// kinds together have.
func TestConsequencesInFewKinds(t *testing.T) {
	const others = `
// +kubebuilder:resource:path=gadgets
type Gadget struct {
	metav1.TypeMeta   ~json:",inline"~
	metav1.ObjectMeta ~json:"metadata,omitempty"~

	Spec GadgetSpec ~json:"spec"~
}

type GadgetSpec struct {
	// +listType=map
	// +listMapKey=name
	Ports []Port ~json:"ports"~
	// +kubebuilder:validation:MaxLength=9
	// +kubebuilder:validation:Pattern="(?i)x"
	Name Name ~json:"name"~
	Source Source ~json:"source"~
	Note   Note   ~json:"note"~
}

type Gizmo struct {
	metav1.TypeMeta   ~json:",inline"~
	metav1.ObjectMeta ~json:"metadata,omitempty"~

	// +kubebuilder:validation:MaxItems=4
	// +kubebuilder:validation:XValidation:rule="self.all(x, self.all(y, x == y || !x.startsWith(y)))"
	Names []string ~json:"names"~
}

type Gimmick struct {
	metav1.TypeMeta   ~json:",inline"~
	metav1.ObjectMeta ~json:"metadata,omitempty"~

	// +kubebuilder:validation:MaxLength=2
	Name string ~json:"name"~
}
`
	const comments = `package v1

// +kubebuilder:validation:MinProperties=1

type Note struct {
	// Text is the text.

	Text string ~json:"text"~
	/* +kubebuilder:validation:MinLength=1 */
	Title string ~json:"title"~
	// +kubebuilder:validation:Minimum:
	Size int32 ~json:"size"~
	// +kubebuilder:resource:scope=Cluster
	Scope string ~json:"scope"~
}
`
	right := &gentest.Case{Name: "right", Archive: &txtar.Archive{Files: []txtar.File{
		{Name: "v1/types.go", Data: []byte(strings.ReplaceAll(validPackage+others, "~", "`"))},
		{Name: "v1/note.go", Data: []byte(strings.ReplaceAll(comments, "~", "`"))},
	}}}
	all := plantMarkers(right)
	cases := []*gentest.Case{right}
	for i, p := range all {
		p.wrong.Name = fmt.Sprintf("wrong%d", i)
		cases = append(cases, p.wrong)
	}
	dir, listed := gentest.List(t, cases)
	server := gentest.Server(t, "")
	few, withConsequences := 0, 0
	for _, p := range all {
		options := define.Options{Passes: passes.All(), Source: define.Source{Dir: filepath.Join(dir, p.wrong.Name), Lister: gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + p.wrong.Name}}, Server: server}
		run, err := define.Unfolded(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		before := run.Reporter.List.Normalize()
		got, err := run.Fold(t.Context(), slices.Clone(before), false)
		if err != nil {
			t.Fatal(err)
		}
		if run.FewKinds() {
			few++
			if len(got) < len(before) {
				withConsequences++
			}
		}
		want, err := run.Fold(t.Context(), slices.Clone(before), true)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got\n%v\nwant\n%v", p.name, got, want)
		}
	}
	if few < 15 || withConsequences < 3 || few == withConsequences {
		t.Errorf("%d of %d mistakes are in few kinds, %d of them with consequences", few, len(all), withConsequences)
	}
}

// countingServer counts the calls of Check.
type countingServer struct {
	define.Server
	checks int
}

func (s *countingServer) Check(ctx context.Context, definitions []*crd.Definition) (diag.List, error) {
	s.checks++
	return s.Server.Check(ctx, definitions)
}

// TestNoConsequences misspells a marker beside other findings. Only where these may be its consequences is it
// necessary to generate again.
func TestNoConsequences(t *testing.T) {
	const types = `// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Gadget struct {
	metav1.TypeMeta   ~json:",inline"~
	metav1.ObjectMeta ~json:"metadata,omitempty"~

	Spec Spec ~json:"spec"~
}

type Spec struct {
	// +MARKER
	Name string ~json:"name"~
	Note Note   ~json:"note"~
}
`
	const note = `package v1

// Note is lost.

type Note struct {
	/* +kubebuilder:validation:MinLength=1 */
	Title string ~json:"title"~
}
`
	const gizmo = `package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:printcolumn:name=A,type=string,JSONPath=.spec.missing
type Gizmo struct {
	metav1.TypeMeta   ~json:",inline"~
	metav1.ObjectMeta ~json:"metadata,omitempty"~
	// +kubebuilder:printcolumn:name=A,type=string,JSONPath=.spec

	Spec GizmoSpec ~json:"spec"~
}

type GizmoSpec struct {
	// +kubebuilder:validation:Pattern="(?i)x"
	Name string ~json:"name"~
}
`
	const limit = "kubebuilder:validation:maxLength=5"
	var cases []*gentest.Case
	for _, c := range []struct{ name, marker, others string }{
		{"once: presence", "Optional", note},
		{"again: a limit", limit, note},
		{"once: a kind that does not have the type", limit, gizmo + "\ntype Note struct{}\n"},
		{"again: a kind that has the type", limit, strings.ReplaceAll(gizmo, "Name string", "Others []Spec") + "\ntype Note struct{}\n"},
	} {
		cases = append(cases, &gentest.Case{Name: strings.NewReplacer(" ", "", ":", "").Replace(c.name), Archive: &txtar.Archive{Files: []txtar.File{
			{Name: "v1/types.go", Data: []byte(strings.NewReplacer("~", "`", "MARKER", c.marker).Replace(types))},
			{Name: "v1/others.go", Data: []byte(strings.ReplaceAll(c.others, "~", "`"))},
		}}})
	}
	dir, listed := gentest.List(t, cases)
	for _, c := range cases {
		server := &countingServer{Server: gentest.Server(t, "")}
		options := define.Options{Passes: passes.All(), Source: define.Source{Dir: filepath.Join(dir, c.Name), Lister: gentest.Lister{All: listed, Prefix: typedmodule.Path + "/" + c.Name}}, Server: server}
		_, found, err := define.Make(t.Context(), options)
		if err != nil {
			t.Fatal(err)
		}
		if again := server.checks > 1; len(found) < 2 || again != strings.HasPrefix(c.Name, "again") {
			t.Errorf("%s: %d checks, found\n%v", c.Name, server.checks, found)
		}
	}
}

// plants are mistakes: wrong replaces right in the valid package. The finding is expected
// at the first line that differs or, if at is set, at the line that contains it.
var plants = []struct{ name, right, wrong, at string }{
	{"missing group", "// +groupName=example.com\n", "//\n", "type Widget"},
	{"malformed version", "// +versionName=v1", "// +versionName", ""},
	{"unknown form of unions", "unions=cel", "unions=cell", ""},
	{"unknown feature", "enable=enum;k8s", "enable=enum;k8s;all", ""},
	{"syntax", "type Base struct {", "type Base struct", "Anything map"},
	{"missing import", "k8s.io/api/core/v1", "k8s.io/api/croe/v1", "Resources corev1."},
	{"missing import of metav1", "k8s.io/apimachinery/pkg/apis/meta/v1", "k8s.io/apimachinery/pkg/api/meta/v1", "metav1.TypeMeta"},
	{"missing import of a leaf", "k8s.io/apimachinery/pkg/api/resource", "k8s.io/apimachinery/pkg/api/resources", "Quantity  resource"},
	{"import that is not there", "\t\"k8s.io/apimachinery/pkg/api/resource\"\n", "\n", "Quantity  resource"},
	{"unknown type of a struct", "Spec   Spec   ~", "Spec   Spce   ~", ""},
	{"unknown type of a field", "Name Name ~json:\"name\"~\n\t// +optional", "Name Nmae ~json:\"name\"~\n\t// +optional", ""},
	{"unknown type of a list", "Ports []Port", "Ports []Prot", ""},
	{"unknown type of the values of a map", "map[string]Name", "map[string]Nmae", ""},
	{"unknown type of a key", "map[string]Name", "map[strnig]Name", ""},
	{"non-string key", "map[string]Name", "map[int]Name", ""},
	{"unknown type of an embedded struct", "Base      ~", "Bsae      ~", ""},
	{"unknown type below a type", "type Name string", "type Name strnig", ""},
	{"unknown type of a discriminator", "Type SourceType", "Type SourecType", ""},
	{"unknown type of a member", "Git *Git ", "Git *Gti ", ""},
	{"unknown type in a member", "URL string", "URL strnig", ""},
	{"float", "Limit *int32", "Limit *float32", ""},
	{"interface", "First *string", "First interface{}", ""},
	{"channel", "First *string", "First chan int", ""},
	{"function in a member", "URL string", "URL func()", ""},
	{"number as a discriminator", "type SourceType string", "type SourceType int", "// +unionDiscriminator"},
	{"missing tag", "Limit *int32 ~json:\"limit,omitempty\"~", "Limit *int32", ""},
	{"missing tag of a key", "Name string ~json:\"name\"~\n\t// +kubebuilder:validation:Minimum=1", "Name string\n\t// +kubebuilder:validation:Minimum=1", ""},
	{"missing tag of an embedded struct", "Base      ~json:\",inline\"~", "Base", ""},
	{"missing tag of a discriminator", "Type SourceType ~json:\"type,omitempty\"~", "Type SourceType", ""},
	{"missing tag of a member", "Git *Git ~json:\"git,omitempty\"~", "Git *Git", ""},
	{"recursion", "// +schemagen:recursion:depth=2\n", "//\n", "Children []Tree"},
	{"bad depth", "depth=2", "depth=0", ""},
	{"conflicting type", "// +kubebuilder:validation:MinLength=1", "// +kubebuilder:validation:Type=integer", "Name Name"},
	{"conflicting type of a discriminator", "// +unionDiscriminator\n", "// +kubebuilder:validation:Type=integer\n\t// +unionDiscriminator\n", "Type SourceType"},
	{"type redeclared", "type Base struct {", "type Image struct{}\n\ntype Base struct {", "type Image struct {\n"},
	{"malformed number", "MaxLength=63", "MaxLength=many", ""},
	{"malformed limit of a type", "MaxLength=64", "MaxLength=many", ""},
	{"malformed limit of a list", "MaxItems=10\n\tPorts", "MaxItems=ten\n\tPorts", ""},
	{"malformed limit of items", "items:MaxLength=5", "items:MaxLength=x", ""},
	{"limit of the wrong kind", "// +kubebuilder:validation:MaxProperties=3", "// +kubebuilder:validation:MaxLength=3", ""},
	{"limit on a struct", "type Port struct {", "// +kubebuilder:validation:MaxLength=3\ntype Port struct {", ""},
	{"items of a non-list", "// +kubebuilder:validation:MaxProperties=3", "// +kubebuilder:validation:items:MaxLength=3", ""},
	{"malformed list type", "// +listType=map\n\t// +listMapKey=name", "// +listType=mapp\n\t// +listMapKey=name", ""},
	{"wrong list key", "// +listMapKey=name", "// +listMapKey=nam", ""},
	{"missing list key", "// +listType=map\n\t// +listMapKey=name\n", "// +listType=map\n\t//\n", "Ports []Port"},
	{"missing list type", "// +listType=map\n\t// +listMapKey=name\n", "// +listMapKey=name\n\t//\n", ""},
	{"set of structs", "// +listType=map\n\t// +listMapKey=name\n", "// +listType=set\n\t//\n", ""},
	{"malformed enum", "+kubebuilder:validation:Enum=Git;Image;None", "+kubebuilder:validation:Enum", ""},
	{"malformed rule", "XValidation:rule=\"!has", "XValidation:rul=\"!has", ""},
	{"rule with a syntax error", "size(self.name) <= self.limit", "size(self.name <= self.limit", ""},
	{"rule with an unknown field", "size(self.name) <= self.limit", "size(self.nam) <= self.limit", ""},
	{"rule of the wrong type", "size(self.name) <= self.limit", "self.name <= self.limit", ""},
	{"rule that is not a condition", "rule=\"!has(self.limit) || size(self.name) <= self.limit\"", "rule=\"size(self.name)\"", ""},
	{"rule that costs too much", "// +kubebuilder:validation:MaxItems=10\n\t// +kubebuilder:validation:items", "//\n\t// +kubebuilder:validation:items", "XValidation:rule=\"self.all(x"},
	{"rules that cost too much together", "// +kubebuilder:validation:MaxItems=10\n\tPorts", "// +kubebuilder:validation:MaxItems=2000\n\tPorts", "XValidation:rule=\"self.ports"},
	{"pattern", "^[a-z]+$", "^[a-z+$", ""},
	{"pattern of a type with two uses", "^http", "^(http", ""},
	{"default of the wrong type", "// +kubebuilder:default=1\n", "// +kubebuilder:default=x\n", ""},
	{"default that is rejected", "// +kubebuilder:default=1\n", "// +kubebuilder:default=101\n", ""},
	{"default of an enum", "// +kubebuilder:default=x\n", "// +kubebuilder:default=z\n", ""},
	{"default that lacks a field", "default={name: a, number: 5}", "default={name: a}", ""},
	{"malformed default", "default={name: a, number: 5}", "default={name: a, number: 5", ""},
	{"minimum above the maximum", "// +kubebuilder:default=1\n\t// +kubebuilder:validation:Minimum=0", "//\n\t// +kubebuilder:validation:Minimum=101", "// +kubebuilder:validation:Minimum=101"},
	{"unknown format", "Format=date-time", "Format=datetim", ""},
	{"field of a one-of", "AtMostOneOf=first;second", "AtMostOneOf=first;secnod", ""},
	{"nested field of a one-of", "AtMostOneOf=first;second", "AtMostOneOf=first;base.second", ""},
	{"required field of a one-of", "// +optional\n\tFirst *string ~json:\"first,omitempty\"~", "//\n\tFirst *string ~json:\"first\"~", "First *string"},
	{"column", "JSONPath=.spec.size\n// +kubebuilder:selectablefield", "JSONPath=.spec.siez\n// +kubebuilder:selectablefield", ""},
	{"column without a path", "printcolumn:name=Size,type=string,JSONPath=.spec.size", "printcolumn:name=Size,type=string", ""},
	{"type of a column", "name=Size,type=string", "name=Size,type=strnig", ""},
	{"selectable field", "selectablefield:JSONPath=.spec.size", "selectablefield:JSONPath=.spec.siez", ""},
	{"scale", "specpath=.spec.replicas", "specpath=.spec.replica", ""},
	{"argument of scale", "specpath=.spec.replicas", "specpth=.spec.replicas", ""},
	{"argument of resource", "scope=Cluster", "scop=Cluster", ""},
	{"scope", "scope=Cluster", "scope=Clustre", ""},
	{"short name", "shortName=w", "shortName=W_", ""},
	{"no discriminator", "// +unionDiscriminator\n", "//\n", "\t// +unionMember"},
	{"two discriminators", "// +unionMember\n\t// +optional\n\tGit", "// +unionDiscriminator\n\t// +optional\n\tGit", "// +unionMember\n\t// +optional\n\tImage"},
	{"discriminator of another union", "// +unionMember\n\t// +optional\n\tGit", "// +unionMember\n\t// +unionDiscriminatedBy=Tpye\n\t// +optional\n\tGit", "unionDiscriminatedBy"},
	{"discriminator that may be absent", "// +required\n\tType SourceType", "// +optional\n\tType SourceType", "\t// +unionDiscriminator"},
	{"open discriminator", "// +kubebuilder:validation:Enum=Git;Image;None\n", "//\n", "\t// +unionDiscriminator"},
	{"misspelled value of a member", "Enum=Git;Image;None", "Enum=Gti;Image;None", "// +unionMember\n\t// +optional\n\tGit"},
	{"misspelled value at a member", "// +unionMember\n\t// +optional\n\tImage", "// +unionMember=Iamge\n\t// +optional\n\tImage", ""},
	{"required member", "// +optional\n\tGit *Git", "// +required\n\tGit *Git", "// +unionMember\n\t// +required"},
	{"member that is always set", "Git *Git ~json:\"git,omitempty\"~", "Git Git ~json:\"git\"~", "// +unionMember\n\t// +optional\n\tGit"},
	{"constant without a value", "Large Size = \"L\"", "Large Size = unknown", "unknown"},
	{"tag of the wrong kind", "// +k8s:maxLength=5", "// +k8s:maxItems=5", ""},
	{"malformed tag", "// +k8s:maxLength=5", "// +k8s:maxLength=x", ""},
	{"path of at", "at(.number)", "at(.numbr)", ""},
	{"marker of at", "+kubebuilder:validation:Maximum=9", "+kubebuilder:validation:Maximun=9", ""},
	{"duplicate json name", "json:\"when,omitempty\"", "json:\"letter,omitempty\"", ""},
	{"duration", "metav1.Duration ", "time.Duration ", ""},
	{"option string", "json:\"limit,omitempty\"", "json:\"limit,omitempty,string\"", ""},
	{"space after the plus", "// +kubebuilder:validation:MinLength=1", "// + kubebuilder:validation:MinLength=1", ""},
	{"type marker on a field", "// +kubebuilder:validation:MinLength=1", "// +kubebuilder:resource:scope=Cluster", ""},
	{"duplicate marker", "// +kubebuilder:validation:MinLength=1", "// +kubebuilder:validation:MaxLength=62", ""},
}

// plantMistakes returns copies of the valid package with one mistake each.
func plantMistakes(t *testing.T) []*planted {
	source := func(text string) *gentest.Case {
		return &gentest.Case{Archive: &txtar.Archive{Files: []txtar.File{{Name: "v1/types.go", Data: []byte(strings.ReplaceAll(text, "~", "`"))}}}}
	}
	right := source(validPackage)
	right.Name = "valid"
	var out []*planted
	for _, plant := range plants {
		if strings.Count(validPackage, plant.right) != 1 {
			t.Fatalf("%s: %q occurs %d times in the valid package, want once", plant.name, plant.right, strings.Count(validPackage, plant.right))
		}
		text := strings.Replace(validPackage, plant.right, plant.wrong, 1)
		at := 0
		for at < len(text) && text[at] == validPackage[at] {
			at++
		}
		if plant.at != "" {
			at = strings.Index(text, plant.at) + len(plant.at) - len(strings.TrimLeft(plant.at, "\t"))
		}
		out = append(out, &planted{name: plant.name, right: right, wrong: source(text), file: "v1/types.go", line: 1 + strings.Count(text[:at], "\n")})
	}
	return out
}
