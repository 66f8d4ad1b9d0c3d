package main

import (
	"bytes"
	"cmp"
	"fmt"
	"strings"
)

// A tree has the sizes of a generated module whose kinds share only small types, so that
// twice as many kinds need twice as much work.
type tree struct {
	kinds int
	// depth is the number of levels of the binary tree of structs below the spec of a kind.
	// One child of a struct is a struct, the other a list of structs.
	depth int
	// width is the number of fields of each struct that are not structs.
	width int
	// unions and rules are the numbers of structs of a kind, from the top, that have a
	// discriminated union and a CEL rule.
	unions, rules int
	// description is the length of a field's description in bytes.
	description int
	// perGroup is the number of kinds that share a package and a group, 25 by default.
	perGroup int
}

func (t tree) benchCase() benchCase {
	return benchCase{
		name: fmt.Sprintf("tree-%d", t.kinds), pins: "apis", generated: t.files,
		crd: "crd", paths: []string{"./..."}, files: t.kinds,
	}
}

// groupOfTree is the source shared by the kinds of a group. The marker for unions is
// schemagen's; for controller-gen it is a comment.
const groupOfTree = `// Package v1 is the API group %[1]s of a generated module.
//
// +groupName=%[1]s.synthetic.example.com
// +schemagen:unions=cel
// +kubebuilder:object:generate=true
package v1

// Level is a string with values.
// +kubebuilder:validation:Enum=Low;Middle;High
type Level string

// Member is what a union selects.
type Member struct {
	// +kubebuilder:validation:MaxLength=63
	// +optional
	Value string ` + "`json:\"value,omitempty\"`" + `
}
`

const kindOfTree = `package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// %[1]s is a kind of the generated module.
//
// +kubebuilder:object:root=true
// +kubebuilder:subresource:status
// +kubebuilder:printcolumn:name="Ready",type=boolean,JSONPath=` + "`.status.ready`" + `
type %[1]s struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Spec   %[1]sNode1  ` + "`json:\"spec\"`" + `
	Status %[1]sStatus ` + "`json:\"status,omitempty\"`" + `
}

// %[1]sList is a list of %[1]s.
//
// +kubebuilder:object:root=true
type %[1]sList struct {
	metav1.TypeMeta ` + "`json:\",inline\"`" + `
	metav1.ListMeta ` + "`json:\"metadata,omitempty\"`" + `

	Items []%[1]s ` + "`json:\"items\"`" + `
}

// %[1]sStatus is what is seen of a %[1]s.
type %[1]sStatus struct {
	// +optional
	Ready bool ` + "`json:\"ready,omitempty\"`" + `
	// +listType=map
	// +listMapKey=type
	// +optional
	Conditions []metav1.Condition ` + "`json:\"conditions,omitempty\"`" + `
}
`

// files returns the sources of the module, which depend only on the sizes.
func (t tree) files() ([]sourceFile, error) {
	var files []sourceFile
	perGroup := cmp.Or(t.perGroup, 25)
	for i := range t.kinds {
		group, kind := fmt.Sprintf("g%03d", i/perGroup), fmt.Sprintf("Kind%04d", i)
		dir := "api/" + group + "/v1/"
		if i%perGroup == 0 {
			files = append(files, sourceFile{dir + "groupversion_info.go", fmt.Appendf(nil, groupOfTree, group)})
		}
		var text bytes.Buffer
		fmt.Fprintf(&text, kindOfTree, kind)
		for node := 1; node < 1<<t.depth; node++ {
			t.writeStruct(&text, kind, i, node)
		}
		files = append(files, sourceFile{dir + strings.ToLower(kind) + "_types.go", text.Bytes()})
	}
	return files, nil
}

// writeStruct writes a struct of a kind. Structs are numbered as in a heap: the children of
// struct i are 2i and 2i+1.
func (t tree) writeStruct(text *bytes.Buffer, kind string, number, node int) {
	fmt.Fprintf(text, "\n// %sNode%d is the struct %d of a %s.\n", kind, node, node, kind)
	if node <= t.rules && t.width > 1 {
		// All rules are different, so that each of them is compiled.
		fmt.Fprintf(text, "// +kubebuilder:validation:XValidation:rule=\"!has(self.field1) || self.field1 < %d\",message=\"field1 is too large\"\n", 1000*number+node)
	}
	fmt.Fprintf(text, "type %sNode%d struct {\n", kind, node)
	field := func(name, goType string, markers ...string) {
		if t.description > 0 {
			fmt.Fprintf(text, "\t// %s\n", prose(t.description))
		}
		for _, m := range markers {
			fmt.Fprintf(text, "\t// +%s\n", m)
		}
		fmt.Fprintf(text, "\t// +optional\n\t%s %s `json:\"%s,omitempty\"`\n", name, goType, strings.ToLower(name))
	}
	for i := range t.width {
		name := fmt.Sprintf("Field%d", i)
		switch i % 6 {
		case 0:
			field(name, "string", "kubebuilder:validation:MaxLength=63", "kubebuilder:validation:Pattern=^[a-z0-9]([-a-z0-9]*[a-z0-9])?$")
		case 1:
			field(name, "int32", "kubebuilder:validation:Minimum=0")
		case 2:
			field(name, "*bool", "kubebuilder:default=true")
		case 3:
			field(name, "Level", "kubebuilder:default=Low")
		case 4:
			field(name, "[]string", "listType=set", "kubebuilder:validation:MaxItems=16", "kubebuilder:validation:items:MaxLength=63")
		default:
			field(name, "map[string]string")
		}
	}
	if node <= t.unions {
		fmt.Fprint(text, "\t// +unionDiscriminator\n\t// +kubebuilder:validation:Enum=Alpha;Beta;Gamma\n\tType string `json:\"type\"`\n")
		for _, name := range []string{"Alpha", "Beta", "Gamma"} {
			field(name, "*Member", "unionMember")
		}
	}
	if 2*node < 1<<t.depth {
		field("One", fmt.Sprintf("*%sNode%d", kind, 2*node))
		field("Many", fmt.Sprintf("[]%sNode%d", kind, 2*node+1), "listType=atomic", "kubebuilder:validation:MaxItems=8")
	}
	fmt.Fprint(text, "}\n")
}

// prose returns a text of the given length in bytes.
func prose(bytes int) string {
	const sentence = "The value says how the part that it belongs to is set up and what becomes of it. "
	return strings.Repeat(sentence, bytes/len(sentence)) + strings.TrimSpace(sentence[:bytes%len(sentence)])
}
