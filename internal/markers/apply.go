package markers

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/structural"
)

// Stage is the point at which a marker acts on the keywords of its own node.
type Stage int

// The stages.
const (
	// NoStage is the stage of markers that act on more than the keywords of their node.
	NoStage Stage = iota
	// BeforeMerge is the stage at which the node has only the keywords of its declaration:
	// markers of a field are applied before the field is merged with its type.
	BeforeMerge
	// AfterMerge is the stage at which the schema of the node is complete.
	AfterMerge
)

// SchemaMarker is a controller-tools marker that changes keywords before the merge.
type SchemaMarker interface {
	ApplyToSchema(*crdmarkers.SchemaContext, *apiextensionsv1.JSONSchemaProps) error
}

// Misfit reports why a marker does not fit its node.
type Misfit func(hint, format string, args ...any)

// applyFunc applies the value of a marker to the keywords of its node. It replaces values
// behind pointers and in slices instead of modifying them, because they may be shared.
type applyFunc func(k keywords.Node, value any, misfit Misfit)

// on returns the applyFunc of markers whose value has type V.
func on[V any](apply func(V, keywords.Node, Misfit)) applyFunc {
	return func(k keywords.Node, value any, misfit Misfit) { apply(value.(V), k, misfit) }
}

// Stage returns the stage at which the marker acts on the keywords of its own node.
func (m *Marker) Stage() Stage {
	if _, ok := m.Value.(SchemaMarker); ok {
		return BeforeMerge
	}
	return m.row().stage
}

// Stage returns the stage at which markers of the definition's row act on the keywords of
// their own node.
func (d *Definition) Stage() Stage { return d.row.stage }

// Apply applies a marker that has a stage and is not a [SchemaMarker] to the keywords of its
// node, and records the marker as the origin of the keywords that it sets.
func (m *Marker) Apply(k keywords.Node, misfit Misfit) {
	oldJSONSchemaProps := k.Props()
	m.row().apply(k, m.Value, misfit)
	for _, keyword := range keywords.Changed(oldJSONSchemaProps, k.Props()) {
		k.Origin.Keywords = append(k.Origin.Keywords, structural.KeywordOrigin{Keyword: keyword, Pos: m.Pos})
	}
}

// Presence returns whether the marker makes a field required or optional.
func (m *Marker) Presence() Presence { return m.row().presence }

// Presence is [Marker.Presence] for each marker with the definition.
func (d *Definition) Presence() Presence { return d.row.presence }

// row returns the row of the marker's definition.
func (m *Marker) row() *row {
	if m.def == nil {
		return &row{}
	}
	return m.def.row
}

// Presence is whether a field is required. If several markers of a field set it, the smallest
// value other than NoPresence wins: Kubebuilder's markers take precedence over Kubernetes'
// own, and optional takes precedence over required.
type Presence int

// The values of Presence, in order of precedence.
const (
	NoPresence Presence = iota
	KubebuilderOptional
	KubebuilderRequired
	Optional
	Required
)

// Required reports whether the field is required.
func (p Presence) Required() bool { return p == KubebuilderRequired || p == Required }

// apply removes the keywords from the node.
func (u Unset) apply(k keywords.Node, misfit Misfit) {
	props := k.Props()
	for _, keyword := range u {
		if !keywords.Clear(props, keyword) {
			misfit(words.DidYouMean(keyword, keywords.Names(), ""), "the schema has no keyword %s to unset here", keyword)
		}
		k.Origin.Keywords = slices.DeleteFunc(slices.Clone(k.Origin.Keywords),
			func(o structural.KeywordOrigin) bool { return o.Keyword == keyword })
	}
	k.Take(props)
}

// apply sets the description.
func (t Text) apply(k keywords.Node, _ Misfit) { k.Generic.Description = string(t) }

// ApplyPriority makes the marker apply after the Enum whose values it adds to. It implements
// controller-tools' interface.
func (EnumValues) ApplyPriority() crdmarkers.ApplyPriority {
	return crdmarkers.ApplyPriorityDefault + 1
}

// apply adds the values that the node does not have to its enum.
func (v EnumValues) apply(k keywords.Node, misfit Misfit) {
	props := k.Props()
	if len(props.Enum) == 0 {
		misfit("list the other values with +kubebuilder:validation:Enum=… beside it", "there is no Enum to add to")
		return
	}
	props.Enum = slices.Clone(props.Enum)
	for _, value := range v {
		raw, err := plainjson.Marshal(value)
		if err != nil {
			misfit("", "%v", err)
			return
		}
		if !slices.ContainsFunc(props.Enum, func(other apiextensionsv1.JSON) bool { return string(other.Raw) == string(raw) }) {
			props.Enum = append(props.Enum, apiextensionsv1.JSON{Raw: raw})
		}
	}
	k.Take(props)
}
