package manifest

import (
	"go/token"
	"strings"
	"testing"
)

// TestPositionAllocations looks up deep paths of properties, of which reports have one for each change:
// the steps allocate nothing, also if a name looks like an index.
func TestPositionAllocations(t *testing.T) {
	for _, name := range []string{"next", "12"} {
		t.Run(name, func(t *testing.T) {
			const depth = 100
			schema := strings.Repeat(`{"type":"object","properties":{"`+name+`":`, depth) + `{"type":"string"}` + strings.Repeat("}}", depth)
			text := `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition","spec":{"versions":[{"name":"v1","schema":{"openAPIV3Schema":` + schema + `}}]}}`
			fset := token.NewFileSet()
			manifests, _ := Read(fset, "crd.json", []byte(text))
			path := "spec.versions[0].schema.openAPIV3Schema" + strings.Repeat(".properties["+name+"]", depth)
			if got, want := fset.Position(manifests[0].Position(path)).Column, strings.LastIndex(text, `"`+name+`"`)+1; got != want {
				t.Fatalf("got column %d, want %d", got, want)
			}
			if n := testing.AllocsPerRun(100, func() { manifests[0].Position(path) }); n > 2 {
				t.Errorf("%v allocations for a path of %d properties", n, depth)
			}
		})
	}
}
