package passes_test

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/test/gentest"
	"github.com/schemagen/schemagen/internal/test/typedmodule"
)

// defaultedTypes are types of fields, each with its zero value and another one as defaults. What
// they write is not named if it is opaque.
var defaultedTypes = []struct {
	name, zero, other string
	opaque            bool
}{
	{name: "int32", zero: "0", other: "3"},
	{name: "int64", zero: "0", other: "-1"},
	{name: "Number", zero: "0", other: "4"},
	{name: "bool", zero: "false", other: "true"},
	{name: "string", zero: `""`, other: `"blue"`},
	{name: "Text", zero: `""`, other: `"red"`},
	{name: "Empty", zero: "{}", other: `{"a":1}`},
	{name: "Filled", zero: `{"b":0}`, other: `{"b":2}`},
	{name: "Filled", zero: "{}", other: `{"b":2}`},
	{name: "[]string", zero: "[]", other: `["a"]`},
	{name: "[]byte", zero: `""`, other: `"YQ=="`},
	{name: "[2]int32", zero: "[0,0]", other: "[1,2]", opaque: true},
	{name: "map[string]string", zero: "{}", other: `{"a":"b"}`},
	{name: "metav1.Duration", zero: `"0s"`, other: `"1h0m0s"`},
	{name: "resource.Quantity", zero: `"0"`, other: `"1"`},
	{name: "intstr.IntOrString", zero: "0", other: `"50%"`},
	{name: "Opaque", zero: "0", other: "5", opaque: true},
}

const defaultedDeclarations = `
type Number int32

type Text string

type Empty struct {
	A int32 ¬json:"a,omitempty"¬
}

type Filled struct {
	B int32 ¬json:"b"¬
}

// +kubebuilder:validation:Type=integer
type Opaque struct{}

func (Opaque) MarshalJSON() ([]byte, error) { return []byte("7"), nil }

// F has what every type uses.
type F struct {
	D metav1.Duration    ¬json:"-"¬
	Q resource.Quantity  ¬json:"-"¬
	I intstr.IntOrString ¬json:"-"¬
}
`

// defaultedCell is a field with a default.
type defaultedCell struct {
	typ, value, tag            string
	optional, nullable, opaque bool
}

func (c defaultedCell) String() string {
	return fmt.Sprintf("%s `json:%q` default %s, optional %t, nullable %t", c.typ, "f"+c.tag, c.value, c.optional, c.nullable)
}

// defaultedLines are the lines of a field in defaultedSource.
const defaultedLines = 4

func defaultedSource(cells []defaultedCell) string {
	var out strings.Builder
	out.WriteString("package fields\n\nimport (\n\t\"k8s.io/apimachinery/pkg/api/resource\"\n\tmetav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n" +
		"\t\"k8s.io/apimachinery/pkg/util/intstr\"\n)\n\ntype Fields struct {\n")
	for i, c := range cells {
		optional, nullable := "//", "//"
		if c.optional {
			optional = "// +optional"
		}
		if c.nullable {
			nullable = "// +nullable"
		}
		fmt.Fprintf(&out, "\t// +default=%s\n\t%s\n\t%s\n\tF%d %s `json:\"f%d%s\"`\n", c.value, optional, nullable, i, c.typ, i, c.tag)
	}
	return out.String() + "}\n" + strings.ReplaceAll(defaultedDeclarations, "¬", "`")
}

const defaultedKind = `// +groupName=example.com
// +versionName=v1
package v1

import (
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"` + typedmodule.Path + `/defaulted/fields"
)

type Thing struct {
	metav1.TypeMeta   ¬json:",inline"¬
	metav1.ObjectMeta ¬json:"metadata,omitempty"¬

	Spec fields.Fields ¬json:"spec"¬
}
`

const defaultedProgram = `package main

import (
	"encoding/json"
	"os"

	"` + typedmodule.Path + `/defaulted/fields"
)

func main() { json.NewEncoder(os.Stdout).Encode(fields.Fields{}) }
`

// runDefaulted returns the findings of SG253 about each cell, and what compiled code writes for
// a struct in which no field is set.
func runDefaulted(t *testing.T, cells []defaultedCell) (found map[int]diag.List, written map[string]json.RawMessage) {
	t.Helper()
	archive := &txtar.Archive{Files: []txtar.File{
		{Name: "fields/fields.go", Data: []byte(defaultedSource(cells))},
		{Name: "v1/types.go", Data: []byte(strings.ReplaceAll(defaultedKind, "¬", "`"))},
		{Name: "program/main.go", Data: []byte(defaultedProgram)},
	}}
	dir, listed := gentest.List(t, []*gentest.Case{{Name: "defaulted", Archive: archive}})
	printed, err := typedmodule.Go(dir, "run", "./defaulted/program")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(printed, &written); err != nil {
		t.Fatalf("%s: %v", printed, err)
	}
	options, _ := parseOptions(t, "")
	options.SkipVerify = true
	options.Dir = filepath.Join(dir, "defaulted")
	options.Patterns = []string{"./v1"}
	options.Rules = []diag.Code{"SG253"}
	options.Lister = gentest.Lister{All: listed, Prefix: typedmodule.Path + "/defaulted"}
	_, findings, err := generateFiles(t.Context(), options)
	if err != nil {
		t.Fatal(err)
	}
	found = map[int]diag.List{}
	for _, d := range findings {
		i := (d.Pos.Line - strings.Count(defaultedSource(nil)[:strings.Index(defaultedSource(nil), "Fields struct")], "\n") - 2) / defaultedLines
		if d.Code != "SG253" || i < 0 || i >= len(cells) {
			t.Errorf("unexpected finding %v", d)
			continue
		}
		found[i] = append(found[i], d)
	}
	return found, written
}

var jsonTag = regexp.MustCompile("`json:\"f[0-9]+([^\"]*)\"`")

// TestDefaulted compares what SG253 reports about fields with defaults with what compiled code
// sends if the fields are not set, and follows its hints, after which nothing is to be reported.
func TestDefaulted(t *testing.T) {
	var cells []defaultedCell
	for _, typ := range defaultedTypes {
		for _, pointer := range []string{"", "*"} {
			for _, value := range []string{typ.zero, typ.other} {
				for _, tag := range []string{"", ",omitempty", ",omitzero", ",omitempty,omitzero"} {
					for form := range 4 {
						cells = append(cells, defaultedCell{pointer + typ.name, value, tag, form&1 > 0, form&2 > 0, typ.opaque && pointer == ""})
					}
				}
			}
		}
	}
	found, written := runDefaulted(t, cells)
	counts := map[string]int{}
	fixed := make([]defaultedCell, len(cells))
	for i, c := range cells {
		fixed[i] = c
		sent, isSent := written[fmt.Sprintf("f%d", i)]
		var problems []string
		if !c.optional {
			problems = append(problems, "it is not marked as optional")
		}
		if isSent {
			does := fmt.Sprintf("that do not set it send %s, ", sent)
			consequence := "which the default does not replace"
			switch {
			case c.opaque:
				does = "always write it, "
				consequence = "and the default replaces only a missing field"
			case string(sent) == "null" && !c.nullable:
				consequence = "which the API server replaces with the default only because the field is not nullable"
			case string(sent) == c.value:
				consequence = "which is the default, and own the field in server-side apply"
			}
			counts[consequence]++
			problems = append(problems, "Go clients "+does+consequence)
		}
		if len(problems) == 0 {
			counts["right"]++
			if len(found[i]) > 0 {
				t.Errorf("%s: unexpected %v", c, found[i])
			}
			continue
		}
		counts["reported"]++
		want := fmt.Sprintf("field f%d has a default, but %s", i, strings.Join(problems, ", and "))
		if len(found[i]) != 1 || found[i][0].Message != want {
			t.Errorf("%s: got %v, want %q", c, found[i], want)
			continue
		}
		hint := found[i][0].Hint
		fixed[i].optional = c.optional || strings.Contains(hint, "+optional")
		if tag := jsonTag.FindStringSubmatch(hint); tag != nil {
			fixed[i].tag = tag[1]
		}
		if strings.Contains(hint, "+optional") == c.optional || (fixed[i].tag != c.tag) != isSent {
			t.Errorf("%s: the hint %q is about something else", c, hint)
		}
	}
	t.Log(len(cells), "cells:", counts)

	after, written := runDefaulted(t, fixed)
	for i, c := range fixed {
		if sent, isSent := written[fmt.Sprintf("f%d", i)]; isSent || len(after[i]) > 0 {
			t.Errorf("%s becomes %s: clients send %s, findings %v", cells[i], c, sent, after[i])
		}
	}
}
