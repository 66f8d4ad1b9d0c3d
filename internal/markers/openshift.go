package markers

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/internal/ground/gates"
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
	out := fmt.Sprintf("+kubebuilder:validation:XValidation:rule=%q", m.Rule)
	if m.Message != "" {
		out += fmt.Sprintf(",message=%q", m.Message)
	}
	return out
}

// GatedMarker is one of OpenShift's markers, with what its gates mean.
type GatedMarker struct {
	*Marker
	Gated
	// Condition is the condition of the gates, and Base is set if they have the empty name.
	Condition gates.Condition
	Base      bool
}

// AsGated returns a marker as one of OpenShift's; ok is false if it is none. problem is why its
// gates have no meaning, or empty.
func AsGated(m *Marker) (g GatedMarker, problem string, ok bool) {
	if m != nil {
		g.Gated, ok = m.Value.(Gated)
	}
	if !ok {
		return g, "", false
	}
	g.Marker = m
	var conditions []gates.Condition
	for _, names := range g.Alternatives() {
		if names[0] == gates.Base {
			g.Base = true
			names = names[1:]
		}
		if len(names) > 0 {
			var all []gates.Condition
			for _, name := range names {
				all = append(all, gates.Name(name))
			}
			conditions = append(conditions, gates.And(all...))
		}
	}
	g.Condition = gates.Or(conditions...)
	switch names := len(g.Condition.Names()); {
	case names == 0 && !g.Base:
		problem = "a gate is missing"
	case names > gates.MaxNames:
		problem = fmt.Sprintf("it has more than %d gates", gates.MaxNames)
	case g.Base && g.Name == FeatureGateName:
		problem = "the empty name is for markers that validate"
	}
	return g, problem, true
}

// Required returns the number of gates that the marker requires together. It replaces one that
// requires only some of them.
func (g GatedMarker) Required() int { return len(g.Alternatives()[0]) }

// AnyGated returns the condition that that of one of the markers holds.
func AnyGated(all []GatedMarker) gates.Condition {
	var conditions []gates.Condition
	for _, g := range all {
		conditions = append(conditions, g.Condition)
	}
	return gates.Or(conditions...)
}

// RuleCondition returns the condition of a rule, given the other ones of the declaration: with the
// empty name, it also holds where none of theirs does.
func (g GatedMarker) RuleCondition(others []GatedMarker) gates.Condition {
	switch base := gates.Name(gates.Base); {
	case !g.Base:
		return g.Condition
	case len(others) > 0:
		return gates.Or(g.Condition, gates.And(base, gates.Not(AnyGated(others))))
	default:
		return gates.Or(g.Condition, base)
	}
}

// WithGates returns the text of the list of gates of the marker if it consists of the names, and
// the offsets in the marker of the list that it replaces.
func (g GatedMarker) WithGates(names []string) (text string, start, end int) {
	for i, name := range names {
		if i > 0 {
			text += ";"
		}
		text += word(name)
	}
	_, start, end, ok := g.argument("requiredFeatureGate")
	if !ok {
		_, start, end, ok = g.argument("featureGate")
	}
	if !ok {
		start = len("+" + FeatureGateName + "=")
		end = len(g.Text)
	}
	return text, start, end
}

// Ungated returns the text of a marker that does the same without gates. ok is false if it would
// have several lines.
func (g GatedMarker) Ungated() (text string, ok bool) {
	switch value := g.Value.(type) {
	case FeatureGateEnum:
		values := make([]string, len(value.Enum))
		for i, v := range value.Enum {
			values[i] = word(v)
		}
		return "+kubebuilder:validation:Enum=" + strings.Join(values, ";"), true
	case FeatureGateXValidation:
		var arguments []string
		for _, name := range []string{"rule", "message"} {
			if start, _, end, ok := g.argument(name); ok {
				arguments = append(arguments, g.Text[start:end])
			}
		}
		return "+kubebuilder:validation:XValidation:" + strings.Join(arguments, ","), !strings.Contains(g.Text, "\n")
	}
	return g.Plain(), true
}

// word returns a string as an element of a list in a marker: in quotes unless it is a word.
func word(s string) string {
	for i, c := range s {
		if letter := 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z'; !letter &&
			(i == 0 || c != '_' && c != '-' && c != '.' && (c < '0' || '9' < c)) {
			return strconv.Quote(s)
		}
	}
	if s == "" || s == "true" || s == "false" {
		return strconv.Quote(s)
	}
	return s
}
