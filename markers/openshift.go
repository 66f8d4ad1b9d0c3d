package markers

import (
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
)

// The values of OpenShift's markers with gates. Conditions are applied before a marker is, so
// their effect does not depend on the gates.
type (
	// FeatureGate makes a field or a kind depend on gates, of which one has to be on:
	// +openshift:enable:FeatureGate=A.
	FeatureGate []string
	// FeatureGateEnum is an Enum:
	// +openshift:validation:FeatureGateAwareEnum:featureGate=A;B,enum=c;d.
	FeatureGateEnum struct {
		FeatureGate         []string `marker:"featureGate,optional"`
		RequiredFeatureGate []string `marker:"requiredFeatureGate,optional"`
		Enum                []string `marker:"enum"`
	}
	// FeatureGateMaxItems is a MaxItems:
	// +openshift:validation:FeatureGateAwareMaxItems:featureGate=A,maxItems=5.
	FeatureGateMaxItems struct {
		FeatureGate         []string `marker:"featureGate,optional"`
		RequiredFeatureGate []string `marker:"requiredFeatureGate,optional"`
		MaxItems            int      `marker:"maxItems"`
	}
	// FeatureGateXValidation is an XValidation, before those without gates:
	// +openshift:validation:FeatureGateAwareXValidation:featureGate=A,rule="self > 1".
	FeatureGateXValidation struct {
		FeatureGate         []string `marker:"featureGate,optional"`
		RequiredFeatureGate []string `marker:"requiredFeatureGate,optional"`
		Rule                string   `marker:"rule"`
		Message             string   `marker:"message,optional"`
	}
)

// ApplyToSchema implements [SchemaMarker].
func (m FeatureGateEnum) ApplyToSchema(ctx *crdmarkers.SchemaContext, props *apiextensionsv1.JSONSchemaProps) error {
	values := make(crdmarkers.Enum, len(m.Enum))
	for i, value := range m.Enum {
		values[i] = value
	}
	return values.ApplyToSchema(ctx, props)
}

// ApplyToSchema implements [SchemaMarker].
func (m FeatureGateMaxItems) ApplyToSchema(ctx *crdmarkers.SchemaContext, props *apiextensionsv1.JSONSchemaProps) error {
	return crdmarkers.MaxItems(m.MaxItems).ApplyToSchema(ctx, props)
}

// ApplyToSchema implements [SchemaMarker].
func (m FeatureGateXValidation) ApplyToSchema(ctx *crdmarkers.SchemaContext, props *apiextensionsv1.JSONSchemaProps) error {
	return crdmarkers.XValidation{Rule: m.Rule, Message: m.Message}.ApplyToSchema(ctx, props)
}

// ApplyPriority implements controller-tools' interface.
func (FeatureGateXValidation) ApplyPriority() crdmarkers.ApplyPriority {
	return crdmarkers.ApplyPriorityFirst
}

// Gated is a marker of OpenShift's with gates.
type Gated interface {
	// Alternatives are the gates of which one has to be on or, with several names, all of
	// them. [gates.Base] is among the names.
	Alternatives() [][]string
	// Plain returns the marker that does the same without gates; empty if there is none.
	Plain() string
}

// Alternatives implements [Gated].
func (m FeatureGate) Alternatives() [][]string { return alternatives(m, nil) }
func (m FeatureGateEnum) Alternatives() [][]string {
	return alternatives(m.FeatureGate, m.RequiredFeatureGate)
}
func (m FeatureGateMaxItems) Alternatives() [][]string {
	return alternatives(m.FeatureGate, m.RequiredFeatureGate)
}
func (m FeatureGateXValidation) Alternatives() [][]string {
	return alternatives(m.FeatureGate, m.RequiredFeatureGate)
}

func alternatives(any, required []string) (out [][]string) {
	if len(required) > 0 {
		return [][]string{slices.Compact(slices.Sorted(slices.Values(required)))}
	}
	for _, name := range any {
		out = append(out, []string{name})
	}
	return out
}

// Plain implements [Gated].
func (FeatureGate) Plain() string { return "" }
func (m FeatureGateEnum) Plain() string {
	return "+kubebuilder:validation:Enum=" + strings.Join(m.Enum, ";")
}
func (m FeatureGateMaxItems) Plain() string {
	return fmt.Sprintf("+kubebuilder:validation:MaxItems=%d", m.MaxItems)
}
func (m FeatureGateXValidation) Plain() string {
	return fmt.Sprintf("+kubebuilder:validation:XValidation:rule=%q,message=%q", m.Rule, m.Message)
}
