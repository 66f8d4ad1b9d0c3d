package markers

import (
	"slices"
	"strings"
	"testing"
)

// TestRowArguments wants each argument of a row to be one of the marker's, and its known values to
// parse.
func TestRowArguments(t *testing.T) {
	table := table(t)
	checked := 0
	for _, r := range rows() {
		for _, a := range r.arguments {
			for _, target := range []Target{Package, Type, Field} {
				def := table.byTarget[target][r.name]
				if def == nil {
					continue
				}
				checked++
				if _, ok := def.Fields[a.name]; !ok && !def.Own() || a.name != "" && def.Own() && !slices.Contains(def.ConvertArguments(), a.name) {
					t.Errorf("+%s has no argument %q", r.name, a.name)
				}
				for _, value := range a.values {
					text := "+" + r.name + "=" + value
					switch {
					case a.name != "" && def.Own(): // after the value of the marker itself
						text = "+" + r.name + "=.field," + a.name + "=" + value
					case a.name != "":
						text = "+" + r.name + ":" + a.name + "=" + value
					}
					if _, err := table.ParseAs(def, Comment{Text: text}); err != nil && !strings.HasPrefix(err.Error(), "missing argument ") {
						t.Errorf("%s: %v", text, err)
					}
				}
			}
		}
	}
	if checked < 60 {
		t.Errorf("got %d arguments of markers, want at least 60", checked)
	}
}

// TestOnlyKinds wants the markers of CRDs to be for kinds, and others not to be.
func TestOnlyKinds(t *testing.T) {
	table, err := NewTable()
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]bool{
		ResourceName: true, PrintColumnName: true, StatusSubresourceName: true, StorageVersionName: true, MetadataName: true, ConversionName: true,
		SchemaTypeName: false, "kubebuilder:validation:XValidation": false, EnumName: false,
	} {
		if got := table.byTarget[Type][name].OnlyKinds(); got != want {
			t.Errorf("+%s: %v", name, got)
		}
	}
}
