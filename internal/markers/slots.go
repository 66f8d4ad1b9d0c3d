package markers

import (
	"strings"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
)

// slot returns what the marker sets: of the markers of one declaration with the same slot, a
// conditional one replaces the others. It is empty for markers that take effect together.
func (d *Definition) slot() string {
	switch {
	case d.row.slot != "":
		return d.row.slot
	case d.row.presence != NoPresence:
		return "presence"
	case d.row.repeatable:
		return ""
	}
	// +k8s:maxItems, +kubebuilder:validation:MaxItems
	name := strings.TrimPrefix(strings.TrimPrefix(d.Name, "k8s:"), "kubebuilder:")
	name = strings.TrimPrefix(name, "validation:")
	return strings.ToLower(name[:1]) + name[1:]
}

// Slots returns what the marker sets: markers of one declaration that set the same are
// alternatives if one of them is conditional. It returns nothing for a marker that takes
// effect together with others of its name.
func (t *Table) Slots(c Comment, target Target) []string {
	marker, err := t.Parse(c, target)
	if marker == nil || err != nil {
		return nil // reported elsewhere
	}
	s := marker.def.slot()
	if s == "" {
		return nil
	}
	switch value := marker.Value.(type) {
	case crdmarkers.PrintColumn:
		return []string{s + ":" + value.Name}
	case crdmarkers.Metadata:
		var slots []string
		for _, annotation := range value.Annotations {
			key, _, _ := strings.Cut(annotation, "=")
			slots = append(slots, s+":annotation:"+key)
		}
		for _, label := range value.Labels {
			key, _, _ := strings.Cut(label, "=")
			slots = append(slots, s+":label:"+key)
		}
		return slots
	case Tag:
		return t.innerSlots(marker, s+"("+strings.TrimSpace(value.Argument)+")")
	}
	return []string{s}
}

// Values returns the values of an enum that a marker lists, if it does.
func (t *Table) Values(c Comment, target Target) []any {
	m, err := t.Parse(c, target)
	if m == nil || err != nil {
		return nil // reported elsewhere
	}
	switch value := m.Value.(type) {
	case crdmarkers.Enum:
		return value
	case EnumValues:
		return value
	}
	return nil
}

// innerSlots returns the slots of the marker after the equals sign of a tag.
func (t *Table) innerSlots(m *Marker, outer string) (slots []string) {
	inner, ok := m.Inner()
	if !ok {
		return []string{outer}
	}
	for _, target := range []Target{Field, Type} {
		if t.Lookup(inner.Text, target) != nil {
			for _, s := range t.Slots(inner, target) {
				slots = append(slots, outer+s)
			}
			return slots
		}
	}
	return nil
}
