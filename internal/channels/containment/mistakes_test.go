package containment_test

import (
	"reflect"
	"regexp"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/channels/containment"
	"github.com/schemagen/schemagen/internal/test/containmenttest"
)

// mistake is a spec whose experimental channel does not contain the standard one.
type mistake struct {
	// source is the Go type Spec, with ' for a backquote.
	source string
	// want is a part of the only finding; empty if there is none.
	want string
	// object is a spec in YAML that the standard channel accepts, and the experimental one does
	// not or stores otherwise.
	object string
	// stored is set if the experimental channel accepts the object.
	stored bool
}

func mistakes() map[string]mistake {
	return map[string]mistake{
		"required": {source: `type Spec struct {
	// +schemagen:when(X)
	// +required
	Zone string 'json:"zone"'
	Rate int32 'json:"rate"'
}`, want: "required and gated by X: every object of standard with .spec is refused", object: `{rate: 1}`},
		"requiredlater": {source: `type Spec struct {
	// +optional
	// +schemagen:when(X)=+required
	Zone string 'json:"zone"'
	Rate int32 'json:"rate"'
}`, want: "required-added (zone): objects without zone are rejected (gate X)", object: `{rate: 1}`},
		"bound": {source: `type Spec struct {
	// +kubebuilder:validation:MaxItems=5
	// +schemagen:when(X)=+kubebuilder:validation:MaxItems=3
	Names []string 'json:"names"'
}`, want: "maxItems-lowered (5 → 3)", object: `{names: [a, b, c, d]}`},
		"minimum": {source: `type Spec struct {
	// +schemagen:when(X)=+kubebuilder:validation:Minimum=1
	Rate int32 'json:"rate"'
}`, want: "minimum-added (1)", object: `{rate: 0}`},
		"enum": {source: `type Spec struct {
	// +kubebuilder:validation:Enum=Solid;Image
	// +schemagen:when(!X)=+schemagen:enumValues=Old
	Fill string 'json:"fill"'
}`, want: `enum-value-removed (was "Old"): objects with "Old" are rejected (gate !X)`, object: `{fill: Old}`},
		"pattern": {source: `type Spec struct {
	Name Name 'json:"name"'
}

// +schemagen:when(X)=+kubebuilder:validation:Pattern="^[a-z]+$"
type Name string`, want: "pattern-added (^[a-z]+$)", object: `{name: A1}`},
		"rule": {source: `// +schemagen:when(X)=+kubebuilder:validation:XValidation:rule="has(self.burst) && self.burst >= self.rate || self.rate < 5"
type Spec struct {
	Rate int32 'json:"rate"'
	// +schemagen:when(X)
	Burst *int32 'json:"burst,omitempty"'
}`, want: "rule-added", object: `{rate: 5}`},
		"rulereplaced": {source: `type Spec struct {
	// +schemagen:when(!X)=+kubebuilder:validation:XValidation:rule="self.size() < 4"
	// +schemagen:when(X)=+kubebuilder:validation:XValidation:rule="self.size() < 2"
	Name string 'json:"name"'
}`, want: "rule-added (self.size() < 2)", object: `{name: abc}`},
		"ruledefault": {source: `// +schemagen:when(X)=+kubebuilder:validation:XValidation:rule="!has(self.burst) || self.burst >= self.rate"
type Spec struct {
	Rate int32 'json:"rate"'
	// +schemagen:when(X)
	// +kubebuilder:default=7
	Burst *int32 'json:"burst,omitempty"'
}`, want: "rule-added", object: `{rate: 8}`},
		"ruleenum": {source: `// +schemagen:when(X)=+kubebuilder:validation:XValidation:rule="self.mode != 'Fast' || self.rate > 1"
type Spec struct {
	Rate int32 'json:"rate"'
	// +kubebuilder:validation:Enum=Slow;Fast
	// +schemagen:when(X)=+schemagen:enumValues=Faster
	Mode string 'json:"mode"'
}`, want: "rule-added", object: `{rate: 1, mode: Fast}`},
		"set": {source: `type Spec struct {
	// +schemagen:when(X)=+listType=set
	Names []string 'json:"names"'
}`, want: "list-type-changed (atomic → set)", object: `{names: [a, a]}`},
		"keys": {source: `type Spec struct {
	// +listType=map
	// +listMapKey=name
	// +listMapKey=port
	// +schemagen:when(!X)=+listMapKey=zone
	Items []Item 'json:"items"'
}
type Item struct {
	Name string 'json:"name"'
	Port int32 'json:"port"'
	Zone string 'json:"zone"'
}`, want: "list-map-keys-changed", object: `{items: [{name: a, port: 1, zone: x}, {name: a, port: 1, zone: w}]}`},
		"count": {source: `// +kubebuilder:validation:MaxProperties=2
type Spec struct {
	Name string 'json:"name"'
	Rate int32 'json:"rate"'
	// +schemagen:when(X)
	// +kubebuilder:default=any
	Zone string 'json:"zone"'
}`, want: "field-added (string): its default adds a field to every object", object: `{name: a, rate: 1}`},
		"nested": {source: `type Spec struct {
	Parts []Part 'json:"parts,omitempty"'
}
type Part struct {
	Name string 'json:"name"'
	// +schemagen:when(X)
	Size int32 'json:"size"'
}`, want: "every object of standard with .spec.parts[*] is refused", object: `{parts: [{name: a}]}`},
		"dropped": {source: `type Spec struct {
	Name string 'json:"name"'
	// +schemagen:when(!X)
	Old string 'json:"old,omitempty"'
}`, want: "stores otherwise what standard accepts: widgets.dropped.example.com v1 .spec.old: field-removed", object: `{name: a, old: b}`, stored: true},
		"defaulted": {source: `type Spec struct {
	Name string 'json:"name"'
	// +schemagen:when(X)=+kubebuilder:default=any
	Zone string 'json:"zone,omitempty"'
}`, want: "stores otherwise what standard accepts: widgets.defaulted.example.com v1 .spec.zone: default-added", object: `{name: a}`, stored: true},
		"null": {source: `type Spec struct {
	// +schemagen:when(!X)=+nullable
	Name *string 'json:"name"'
	Rate int32 'json:"rate"'
}`, want: "nullable-removed", object: `{name: null, rate: 1}`},
		"constant": {source: `type Spec struct {
	Mode Mode 'json:"mode"'
}

// +enum
type Mode string

const (
	ModeSlow Mode = "Slow"
	// +schemagen:when(!X)
	ModeFast Mode = "Fast"
)`, want: `enum-value-removed (was "Fast"): objects with "Fast" are rejected (gate !X)`, object: `{mode: Fast}`},
		"good": {source: `// +schemagen:when(X)=+kubebuilder:validation:XValidation:rule="!has(self.burst) || self.burst >= self.rate"
// +schemagen:when(X)=+kubebuilder:validation:XValidation:rule="self.fill == 'Gradient' ? has(self.burst) : true"
type Spec struct {
	Rate int32 'json:"rate"'
	// +schemagen:when(X)
	Burst *int32 'json:"burst,omitempty"'
	// +schemagen:when(X)
	// +required
	// +kubebuilder:default=any
	Zone string 'json:"zone"'
	// +kubebuilder:validation:Enum=Solid;Image
	// +schemagen:when(X)=+schemagen:enumValues=Gradient
	Fill string 'json:"fill"'
	// +kubebuilder:validation:MaxItems=3
	// +schemagen:when(X)=+kubebuilder:validation:MaxItems=5
	Names []string 'json:"names"'
}`},
	}
}

// TestMistakes checks that each mistake is found, and that it is one: an object shows it.
func TestMistakes(t *testing.T) {
	specs, tags := map[string]string{}, regexp.MustCompile(`'(json:"[^"]*")'`)
	for name, m := range mistakes() {
		specs[name] = tags.ReplaceAllString(m.source, "`$1`")
	}
	p := generate(t, specs)
	refusals := 0
	findings := containment.Findings(p.Changes, &p.Narrow, &p.Wide, diag.Error)
	for name, m := range mistakes() {
		t.Run(name, func(t *testing.T) {
			var of diag.List
			for _, d := range findings {
				if strings.Contains(d.Message, "widgets."+name+".example.com") {
					of = append(of, d)
				}
			}
			if m.want == "" {
				if len(of) > 0 {
					t.Error(of)
				}
				return
			}
			if len(of) != 1 || !strings.Contains(of[0].Message, m.want) {
				t.Fatalf("got %v, want %s", of, m.want)
			}
			if of[0].Related == nil || !strings.Contains(of[0].Pos.File, name) {
				t.Errorf("no place: %+v", of[0])
			}
			var spec map[string]any
			if err := yaml.Unmarshal([]byte(m.object), &spec); err != nil {
				t.Fatal(err)
			}
			narrow, wide := kinds(t, p, name)
			object := containmenttest.Widget(name, integers(spec))
			stored, refused := create(t.Context(), t, narrow, object)
			if refused != "" || !reflect.DeepEqual(stored["spec"], object["spec"]) {
				t.Fatalf("standard stores %v: %s", stored, refused)
			}
			other, refused := create(t.Context(), t, wide, object)
			if !m.stored {
				refusals++
			}
			if m.stored != (refused == "") || reflect.DeepEqual(stored, other) {
				t.Errorf("experimental stores %v: %s", other, refused)
			}
		})
	}
	if refusals < 10 {
		t.Errorf("only %d mistakes make the experimental channel refuse an object", refusals)
	}
}

// integers returns a value of a YAML document with the numbers as JSON of an API server.
func integers(value any) any {
	switch value := value.(type) {
	case float64:
		return int64(value)
	case []any:
		for i := range value {
			value[i] = integers(value[i])
		}
	case map[string]any:
		for k := range value {
			value[k] = integers(value[k])
		}
	}
	return value
}
