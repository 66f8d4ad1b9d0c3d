package markers

import (
	"strings"
	"testing"
)

// TestKnownValues parses each known value, and wants each to be that of an argument.
func TestKnownValues(t *testing.T) {
	table, err := NewTable()
	if err != nil {
		t.Fatal(err)
	}
	for _, v := range knownValues() {
		found := false
		for _, target := range []Target{Package, Type, Field} {
			def := table.byTarget[target][v.marker]
			if def == nil {
				continue
			}
			found = true
			if _, ok := def.Fields[v.argument]; !ok && !def.Own() {
				t.Errorf("+%s has no argument %q", v.marker, v.argument)
			}
			for _, value := range v.values {
				text := "+" + v.marker + "=" + value
				switch {
				case v.argument != "" && def.Own(): // after the value of the marker itself
					text = "+" + v.marker + "=.field," + v.argument + "=" + value
				case v.argument != "":
					text = "+" + v.marker + ":" + v.argument + "=" + value
				}
				if _, err := table.ParseAs(def, Comment{Text: text}); err != nil && !strings.HasPrefix(err.Error(), "missing argument ") {
					t.Errorf("%s: %v", text, err)
				}
			}
		}
		if !found {
			t.Errorf("there is no marker +%s", v.marker)
		}
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
