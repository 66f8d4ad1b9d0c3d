package controllertools

import (
	"testing"

	upstream "sigs.k8s.io/controller-tools/pkg/markers"

	crdmarkers "github.com/schemagen/schemagen/markers"
)

// TestMarkersOfGenerators wants package markers to know which markers each generator
// defines, since what it does not know it calls misspelt.
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
				continue // it reads crd's, too
			}
			if got := crdmarkers.Generator(def.Name); got != name {
				t.Errorf("+%s is read by %s, package markers knows %s", def.Name, name, got)
			}
			if table.Doubtful([]byte("// +" + def.Name + "=true")) {
				t.Errorf("+%s looks misspelt", def.Name)
			}
		}
	}
}
