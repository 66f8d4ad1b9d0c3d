package symbols

import (
	"fmt"
	"go/token"
	"os"
	"runtime"
	"testing"
	"weak"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/notes"
	"github.com/schemagen/schemagen/structural"
)

// TestProgramsAreForgotten makes mistakes in two kinds by turns, so that each program has a kind of
// the one before, and checks that it does not keep that one.
func TestProgramsAreForgotten(t *testing.T) {
	var r Recorder
	definition := func(name, description string, cut bool) *crd.Definition {
		object := &apiextensionsv1.CustomResourceDefinition{}
		object.Spec.Names.Kind, object.Spec.Versions = name, []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1"}}
		s := &structural.Schema{Generic: structural.Generic{Type: "object", Description: description}}
		if cut {
			s.Origin.Mistake = notes.InShape
		}
		out := &crd.Definition{Schemas: []*structural.Schema{s}}
		out.Provenance().Header = object
		out.Provenance().Resolve = func(token.Pos) diag.Position { return diag.Position{} }
		return out
	}
	var p *Program
	var programs []weak.Pointer[Program]
	for i := range 10 {
		run := fmt.Sprint(i)
		r.definitions = []*crd.Definition{definition("A", run, i%2 == 1), definition("B", run, i > 0 && i%2 == 0)}
		p = r.Program(t.TempDir(), os.ReadFile, p, i > 0)
		programs = append(programs, weak.Make(p))
		want := [2]string{run, run}
		if i > 0 {
			want[(i+1)%2] = fmt.Sprint(i - 1)
		}
		if got := [2]string{p.kinds[0].Schemas[0].Description, p.kinds[1].Schemas[0].Description}; got != want {
			t.Errorf("run %d has the kinds of runs %v, want %v", i, got, want)
		}
	}
	runtime.GC()
	kept := 0
	for _, p := range programs {
		if p.Value() != nil {
			kept++
		}
	}
	if kept > 2 {
		t.Errorf("%d of %d programs are kept", kept, len(programs))
	}
	runtime.KeepAlive(p)
}
