package commandline

import (
	"testing"

	upstream "sigs.k8s.io/controller-tools/pkg/markers"

	crdmarkers "github.com/schemagen/schemagen/internal/markers"
)

// TestMarkersOfGenerators checks that package markers knows the markers that each generator
// defines, because it reports unknown ones as misspelt.
func TestMarkersOfGenerators(t *testing.T) {
	table, err := crdmarkers.NewTable()
	if err != nil {
		t.Fatal(err)
	}
	for name, g := range Generators() {
		registry := &upstream.Registry{}
		if err := g.RegisterMarkers(registry); err != nil {
			t.Fatal(err)
		}
		for _, def := range registry.AllDefinitions() {
			if name == ApplyConfigurationName && table.Lookup("+"+def.Name, def.Target) != nil {
				continue // applyconfiguration reads crd's markers, too
			}
			if got := crdmarkers.Generator(def.Name); got != name {
				t.Errorf("Generator(%s) = %q, want %q", def.Name, got, name)
			}
			if table.SuspectMarkers([]byte("// +" + def.Name + "=true")) {
				t.Errorf("SuspectMarkers(+%s) = true, want false", def.Name)
			}
		}
	}
}
