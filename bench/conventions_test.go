package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestGoFields reads fields with their comments, and finds reasons for differences.
func TestGoFields(t *testing.T) {
	dir := t.TempDir()
	const text = `package a

// Spec is a struct.
// +kubebuilder:validation:MinProperties=1
type Spec struct {
	Embedded
	// name is a name.
	// +optional
	Name string ` + "`json:\"name,omitempty\"`" + `

	Parts []Part ` + "`json:\"parts\"`" + `
	Other Named
}

type Part struct {
	Number int ` + "`json:\"number\"`" + `
}

type Empty struct{}

type Named Empty

type Encoded struct{ A *int ` + "`json:\"a,omitempty\"`" + ` }

func (e *Encoded) MarshalJSON() ([]byte, error) { return nil, nil }
`
	if err := os.WriteFile(filepath.Join(dir, "a.go"), []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	fields, err := goFields(dir, []string{"a.go"})
	if err != nil {
		t.Fatal(err)
	}
	byName := map[string]*goField{}
	for _, f := range fields["a.go"] {
		f.reached = true
		byName[f.owner+"."+f.name] = f
	}
	name := byName["Spec.Name"]
	if name == nil || name.line != 9 || name.from != 7 || name.json != "name" || name.options != "omitempty" || !strings.Contains(name.doc, "+optional") {
		t.Errorf("got %+v", name)
	}
	for typ, want := range map[string]string{
		"[]Part":        "a field of the struct is required by its json tag, without a marker",
		"*Named":        "a struct without fields",
		"Encoded":       "a struct that encodes itself",
		"Spec":          "a marker of the struct refuses an empty object",
		"[]corev1.Port": "a type of another package",
		"Unknown":       "",
	} {
		if got := classOfStruct(&goField{file: "a.go", typ: typ}, fields); got != want {
			t.Errorf("%s: got %q, want %q", typ, got, want)
		}
	}
}
