package convertprove

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/tools/txtar"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/ground/progress"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// wide returns a schema of objects with optional objects, to a depth.
func wide(depth int) *structural.Schema {
	s := &structural.Schema{}
	s.Type = "object"
	if depth == 0 {
		s.Type = "string"
		return s
	}
	s.ValueValidation = &structural.ValueValidation{Required: []string{"a0"}}
	for i := range 6 {
		s.Properties = append(s.Properties, structural.Property{Name: fmt.Sprintf("a%d", i), Schema: wide(depth - 1)})
	}
	return s
}

// TestPart wants small parts of large values, with what is required, that have all of the value
// between them.
func TestPart(t *testing.T) {
	s := wide(4)
	whole := unions.Sample(s, true)
	seen := map[string]bool{}
	for n := range uint64(2000) {
		part := editor{rand.New(rand.NewPCG(1, n))}.part(whole, s)
		if c := count(part); c > 2*large || c < large/4 {
			t.Errorf("part %d has %d values", n, c)
		}
		var visit func(value any, path string)
		visit = func(value any, path string) {
			object, ok := value.(map[string]any)
			if !ok {
				seen[path] = true
				return
			}
			if object["a0"] == nil {
				t.Errorf("part %d: %s lacks what is required", n, path)
			}
			for name, below := range object {
				visit(below, path+"."+name)
			}
		}
		visit(part, "")
	}
	if want := 6 * 6 * 6 * 6; len(seen) < want {
		t.Errorf("the parts have %d of %d values", len(seen), want)
	}
	small := map[string]any{"a0": "a"}
	if part := (editor{rand.New(rand.NewPCG(1, 1))}).part(small, wide(1)); count(part) != 2 {
		t.Errorf("a small value became %v", part)
	}
}

// TestProblems wants errors about the whole object without a path that is none.
func TestProblems(t *testing.T) {
	for want, e := range map[problem]*field.Error{
		{"spec.size", "spec.size: Required value"}:       field.Required(field.NewPath("spec", "size"), ""),
		{"spec.size", "must be an integer in spec.size"}: field.Invalid(nil, "", "must be an integer in spec.size"),
		{"", "metadata is not an object"}:                field.Invalid(nil, "", "metadata is not an object"),
	} {
		if got := problemOf(e); got != want {
			t.Errorf("got %v, want %v", got, want)
		}
	}
}

// TestProgress wants all histories to be counted.
func TestProgress(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs conversions")
	}
	run, options := generated(t, "union", false)
	var err error
	if run.Definitions, _, err = define.Definitions(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	run.Cases = 5
	meter := &progress.Meter{}
	found, err := run.Prove(progress.With(t.Context(), meter))
	if err != nil || len(found) > 0 {
		t.Fatal(found, err)
	}
	if got := meter.String(); got != "proving histories: 5 of 5" {
		t.Errorf("got %q", got)
	}
}

// broken has a function that makes something else of a value each time, below a map.
const broken = `
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Parts map[string]Part ` + "`json:\"parts,omitempty\"`" + `
}

type Part struct {
	Size int32 ` + "`json:\"size,omitempty\"`" + `
}
-- v1beta1/types.go --
// +groupName=example.com
package v1beta1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ` + "`json:\",inline\"`" + `
	metav1.ObjectMeta ` + "`json:\"metadata,omitempty\"`" + `

	Parts map[string]Part ` + "`json:\"parts,omitempty\"`" + `
}

type Part struct {
	// +schemagen:convert:func=Size,fields=.size,to=.size
	Size int32 ` + "`json:\"size,omitempty\"`" + `
}

var sizes int32

func SizeTo(size int32) int32 {
	sizes++
	return sizes % 1000
}

func SizeFrom(size int32) int32 { return size }
`

// TestInterrupted wants what was found until then.
func TestInterrupted(t *testing.T) {
	if testing.Short() {
		t.Skip("builds and runs conversions")
	}
	run, options := generatedFrom(t, "broken", txtar.Parse([]byte(broken)), false)
	var err error
	if run.Definitions, _, err = define.Definitions(t.Context(), options); err != nil {
		t.Fatal(err)
	}
	run.Cases = 1_000_000
	meter := &progress.Meter{}
	ctx, cancel := context.WithCancel(progress.With(t.Context(), meter))
	go func() {
		defer cancel()
		for t.Context().Err() == nil && !strings.HasPrefix(meter.String(), "proving histories: ") {
			time.Sleep(10 * time.Millisecond)
		}
		for t.Context().Err() == nil && strings.HasPrefix(meter.String(), "proving histories: 0 ") {
			time.Sleep(10 * time.Millisecond)
		}
	}()
	found, err := run.Prove(ctx)
	if !errors.Is(err, context.Canceled) {
		t.Errorf("the error is %v", err)
	}
	if !slices.ContainsFunc(found, func(d diag.Diagnostic) bool { return d.Code == brokenLaw.Code && strings.Contains(d.Message, ".size") }) {
		t.Errorf("got %v", found)
	}
	seen := map[string]bool{}
	for _, d := range found {
		key := regexp.MustCompile(`parts\.\w+|(is|becomes) .*`).ReplaceAllString(d.Message, "") + d.Message[len(d.Message)-4:]
		if seen[key] {
			t.Errorf("again: %s", d.Message)
		}
		seen[key] = true
	}
}
