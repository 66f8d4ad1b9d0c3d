package markers

import (
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural"
)

// Stage is when a marker acts on the keywords of its own node.
type Stage int

// The stages.
const (
	// NoStage is that of markers that act on more than the keywords of their node.
	NoStage Stage = iota
	// BeforeMerge is when the node has what its declaration says: markers of a field act
	// before the field is merged with its type.
	BeforeMerge
	// AfterMerge is when the schema of the node is finished.
	AfterMerge
)

// SchemaMarker is a marker of controller-tools that acts on keywords, before the merge.
type SchemaMarker interface {
	ApplyToSchema(*crdmarkers.SchemaContext, *apiextensionsv1.JSONSchemaProps) error
}

// Misfit reports why a marker does not fit its node.
type Misfit func(hint, format string, args ...any)

// applyFunc applies the value of a marker to the keywords of its node. It replaces values
// behind pointers and in slices, which others may share, and does not change them.
type applyFunc func(k structural.Keywords, value any, misfit Misfit)

// on is the applyFunc of markers with a value of type V.
func on[V any](apply func(V, structural.Keywords, Misfit)) applyFunc {
	return func(k structural.Keywords, value any, misfit Misfit) { apply(value.(V), k, misfit) }
}

// Stage returns when the marker acts on the keywords of its own node.
func (m *Marker) Stage() Stage {
	if _, ok := m.Value.(SchemaMarker); ok {
		return BeforeMerge
	}
	return m.row().stage
}

// Stage returns when markers of ours act on the keywords of their own node.
func (d *Definition) Stage() Stage { return d.row.stage }

// Apply applies a marker that has a stage and is no [SchemaMarker] to the keywords of its
// node, and notes where those that it sets come from.
func (m *Marker) Apply(k structural.Keywords, misfit Misfit) {
	before := k.Props()
	m.row().apply(k, m.Value, misfit)
	for _, keyword := range structural.ChangedKeywords(before, k.Props()) {
		k.Origin.Keywords = append(k.Origin.Keywords, structural.KeywordOrigin{Keyword: keyword, Pos: m.Pos})
	}
}

// Presence returns what the marker says of the presence of a field.
func (m *Marker) Presence() Presence { return m.row().presence }

// row returns the row of the marker's definition.
func (m *Marker) row() *row {
	if m.def == nil {
		return &row{}
	}
	return m.def.row
}

// Presence says whether a field has to be there. If several markers of a field say so,
// the least counts, which is not NoPresence: Kubebuilder's markers count more than
// Kubernetes' own, and optional counts more than required.
type Presence int

// What markers say of the presence of a field.
const (
	NoPresence Presence = iota
	KubebuilderOptional
	KubebuilderRequired
	Optional
	Required
)

// Required reports whether the field has to be there.
func (p Presence) Required() bool { return p == KubebuilderRequired || p == Required }

// apply removes keywords.
func (u Unset) apply(k structural.Keywords, misfit Misfit) {
	props := k.Props()
	for _, keyword := range u {
		if !structural.ClearKeyword(props, keyword) {
			misfit(diag.DidYouMean(keyword, structural.KeywordNames(), ""), "the schema has no keyword %s to unset here", keyword)
		}
		k.Origin.Keywords = slices.DeleteFunc(slices.Clone(k.Origin.Keywords), func(o structural.KeywordOrigin) bool { return o.Keyword == keyword })
	}
	k.Take(props)
}
