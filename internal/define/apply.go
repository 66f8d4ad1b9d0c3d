package define

import (
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"cmp"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/define/edits"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/internal/source"
)

// applyMarkers applies the markers of a declaration to its node, ordered by priority and
// then by position. owner is the type that the markers are declared on, or nil for a field.
func (b *Builder) applyMarkers(d *draft, set source.Markers, owner *source.Type) {
	if d.failed {
		return
	}
	start := b.Reporter.Findings()
	defer func() { d.origin.Mistake = max(d.origin.Mistake, b.Reporter.MistakeSince(start)) }()
	var own, items source.Markers
	for _, m := range set {
		if m.Stage() != markers.BeforeMerge {
			continue
		}
		if strings.HasPrefix(m.Name, crdmarkers.ValidationItemsPrefix) {
			items = append(items, m)
		} else {
			own = append(own, m)
		}
	}
	own = b.takeKeys(d, own, set)
	isUntyped := d.integerKeys && d.Type == ""
	if isUntyped {
		d.Type = "object" // so that markers for maps fit
	}
	if len(own) > 0 {
		b.applyAll(d, own, owner)
		b.escapeOneOf(d, own)
	}
	if isUntyped && !slices.ContainsFunc(own, func(m *markers.Marker) bool { _, ok := m.Value.(crdmarkers.Type); return ok }) {
		d.Type = ""
	}
	d.edits = append(d.edits, b.Run.edits.Own(d.pkg, set)...)
	b.checkGatedValues(d, set, cmp.Or(owner, d.ref))
	if owner != nil {
		if owner.Pkg.Local() {
			fieldChecker{b}.checkRange(owner.File, owner.Spec.Type, set)
		}
		b.applyEnum(d, owner)
		if d.values != nil && len(d.values.Enum) > 0 && set.Get(markers.ValuesName) == nil {
			d.origin.Absent = append(d.origin.Absent, absentValues(owner)...)
		}
		if b.Run.Enabled(owner.Pkg, markers.FeatureEnum) &&
			(set.Get(markers.EnumName) != nil || set.Get(markers.TagEnumName) != nil) && owner.IsString() {
			d.constants = b.constantsOf(owner)
		}
		own, _ := b.Run.edits.Declarative(d.pkg, set, "")
		d.edits = append(d.edits, own...)
	}
	d.noteConstants(cmp.Or(owner, d.ref))
	if len(items) == 0 {
		return
	}
	if d.Type != "array" || d.items == nil {
		hint := "markers of items belong on a slice"
		if d.Type == "array" && d.ref != nil {
			hint = fmt.Sprintf("the elements are declared at %s: put the marker there", d.ref)
		}
		for _, m := range items {
			b.Reporter.Report(report.MarkerDoesNotFit, d.pkg.At(m.Pos), hint,
				"+%s: must apply to an array value, found %s", m.Name, edits.TypeOrNone(d.Type))
		}
		return
	}
	// The node of the elements is not shared with other declarations.
	b.applyAll(d.items, items, owner)
	d.items.noteConstants(d.items.ref)
}

// noteConstants notes the type whose constants are the values of the node's enum, if it has one.
func (d *draft) noteConstants(t *source.Type) {
	if t != nil && d.values != nil && len(d.values.Enum) > 0 {
		d.origin.Constants = t
	}
}

// takeKeys sets the keys of a list that is marked +k8s:unique=map but has no listType=map
// marker: controller-tools rejects keys of such a list. It returns the remaining markers.
func (b *Builder) takeKeys(d *draft, own, set source.Markers) source.Markers {
	if !slices.ContainsFunc(set, func(m *markers.Marker) bool {
		value, ok := m.Value.(markers.Declarative)
		tag := edits.WithoutLevel(value.Tag)
		return ok && tag.Name == markers.TagUniqueName && tag.Value == "map"
	}) || slices.ContainsFunc(own, func(m *markers.Marker) bool { return m.Value == crdmarkers.ListType("map") }) {
		return own
	}
	return slices.DeleteFunc(own, func(m *markers.Marker) bool {
		key, ok := m.Value.(crdmarkers.ListMapKey)
		if ok {
			d.XListMapKeys = append(slices.Clip(d.XListMapKeys), string(key))
		}
		return ok
	})
}

func (b *Builder) applyAll(d *draft, set source.Markers, owner *source.Type) {
	if len(set) > 0 {
		edits.ApplyMarkers(b.Reporter, d.keywords(), d.ref != nil, d.pkg, set,
			func(props *apiextensionsv1.JSONSchemaProps) error { return b.applyK8sEnum(props, owner) })
	}
}

func (d *draft) keywords() keywords.Node {
	return keywords.Node{Generic: &d.Generic, Extensions: &d.Extensions, Values: &d.values, Origin: &d.origin}
}
