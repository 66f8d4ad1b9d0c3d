package markers

import (
	"errors"
	"fmt"
	"go/token"
	"strings"

	"k8s.io/gengo/v2/codetags"
)

// The words of this project, under schemagen:, beside those of controller-tools.
// The types are the values of parsed markers.
type (
	// Enable switches features on for a package: +schemagen:enable=enum;k8s.
	Enable []string
	// Allow leaves markers alone that look like mistakes: +schemagen:allow=kubebuilder:mine.
	Allow []string
	// Omit leaves a field out of the schema: +schemagen:omit.
	Omit struct{}
	// AllowChange allows a kind of change, which schemagen diff finds, for the field or
	// the type and what is below: +schemagen:allowChange:kind=field-removed,reason="never served".
	AllowChange struct {
		Kind string
		// Reason says why.
		Reason string
	}
	// Unset removes keywords from a schema, by their JSON names: +schemagen:unset=default;maxItems.
	Unset []string
	// Recursion bounds a type that contains itself: +schemagen:recursion:depth=3,end=omit.
	Recursion struct {
		// Depth is how many of the type stand inside of each other, the outermost included.
		Depth int
		// End is what stands where the next one would: preserve (the default)
		// keeps unknown fields there, omit leaves the field out.
		End string `marker:",optional"`
	}
	// Fragment sets one keyword to a piece of schema in YAML flow style (JSON
	// is YAML): +schemagen:anyOf=[{pattern: "^a"}, {pattern: "^b"}]. The
	// keyword "schema" means all of them.
	Fragment struct {
		Keyword, Text string
		// offset of Text in the marker.
		offset int
	}
	// Tag has an argument in parentheses: +schemagen:at(.spec.replicas)=+optional.
	Tag struct {
		// Argument is what stands between the parentheses, without quotes;
		// empty if there are none.
		Argument string
		// Value is what stands behind the equals sign.
		Value string

		argument, value int // offsets in the marker
	}
	// Conversion says how the API server converts between the versions of a kind:
	// +schemagen:conversion:strategy=Webhook,service=NAMESPACE/NAME.
	Conversion struct {
		// Strategy is None or Webhook, as in the CRD.
		Strategy string
		// Service of the webhook, as NAMESPACE/NAME.
		Service string `marker:",optional"`
		// Path at the service; empty means /convert.
		Path string `marker:",optional"`
		// Port of the service; nil means the API server's default, 443.
		Port *int `marker:",optional"`
		// ReviewVersions are those of ConversionReview that the webhook takes, the
		// preferred one first; none means v1.
		ReviewVersions []string `marker:",optional"`
		// Certificate is the Certificate of cert-manager that the webhook serves
		// with, as NAMESPACE/NAME: its authority is injected into the CRD.
		Certificate string `marker:",optional"`
	}
	// Enum gives a string type the constants that Go declares for it: +enum.
	Enum struct{}
	// Unions says how unions are written into schemas: +schemagen:unions=cel.
	Unions []string
	// UnionDiscriminator is +unionDiscriminator (KEP-1027), and +discriminator, the
	// structural-schema proposal's sketch of it.
	UnionDiscriminator struct{}
	// UnionMember is +unionMember[=value][,optional] (KEP-1027), and +union, the
	// structural-schema proposal's sketch of it.
	UnionMember struct {
		// Value is the value of the discriminator; empty means the Go name.
		Value    string
		Optional bool
	}
	// UnionDiscriminatedBy names the Go field of a member's discriminator.
	UnionDiscriminatedBy string
	// Declarative is one of Kubernetes' declarative-validation tags.
	Declarative struct{ codetags.Tag }
)

// Features are what packages can switch on with +schemagen:enable.
func Features() []string {
	return []string{FeatureEnum, FeatureK8s, FeatureKEP, FeatureUnsigned, FeatureArrayLength, FeatureStringOption, FeatureUnionTransition}
}

// The features.
const (
	// FeatureEnum gives types marked +enum or +k8s:enum the constants that Go
	// declares for them.
	FeatureEnum = "enum"
	// FeatureK8s gives Kubernetes' declarative-validation tags their meaning.
	FeatureK8s = "k8s"
	// FeatureKEP reads the spelling that the structural-schema proposal sketches.
	FeatureKEP = "kep"
	// FeatureUnsigned bounds unsigned integers.
	FeatureUnsigned = "unsigned"
	// FeatureArrayLength bounds arrays to their length.
	FeatureArrayLength = "array-length"
	// FeatureStringOption makes fields with the json option "string" strings.
	FeatureStringOption = "string-option"
	// FeatureUnionTransition adds to unions the rule that explains a discriminator
	// which did not change with the members.
	FeatureUnionTransition = "union-transition"
)

// parseFragment reads a piece of schema, which may stand in backquotes.
func parseFragment(text, name string) (value any, offset int, err error) {
	_, schema, ok := strings.Cut(text, "=")
	if !ok || schema == "" {
		return nil, 0, fmt.Errorf("needs a value: +%s={…}", name)
	}
	f := Fragment{Keyword: strings.TrimPrefix(name, "schemagen:"), Text: schema, offset: len(text) - len(schema)}
	if strings.HasPrefix(schema, "`") && strings.HasSuffix(schema, "`") && len(schema) > 1 {
		f.Text, f.offset = schema[1:len(schema)-1], f.offset+1
	}
	return f, 0, nil
}

func parseUnionMember(text, name string) (value any, offset int, err error) {
	rest := text[1+len(name):]
	var m UnionMember
	rest, m.Optional = strings.CutSuffix(rest, ",optional")
	switch value, ok := strings.CutPrefix(rest, "="); {
	case rest == "":
	case !ok:
		return nil, 1 + len(name), fmt.Errorf("expected +%s[=value][,optional]", name)
	case value == "" || strings.ContainsAny(value, ", "):
		return nil, 2 + len(name), fmt.Errorf("expected one value of the discriminator, got %q", value)
	default:
		m.Value = strings.Trim(value, "\"`")
	}
	return m, 0, nil
}

func parseDeclarative(text, _ string) (value any, offset int, err error) {
	tag, err := codetags.Parse(text[1:])
	if err != nil {
		return nil, 0, err
	}
	return Declarative{tag}, 0, nil
}

func parseTag(text, name string) (value any, offset int, err error) {
	tag := Tag{}
	rest := text[1+len(name):]
	if strings.HasPrefix(rest, "(") {
		end := strings.IndexByte(rest, ')')
		if end < 0 {
			return nil, 1 + len(name), errors.New("the parenthesis is not closed")
		}
		tag.Argument = strings.Trim(rest[1:end], "\"` ")
		tag.argument = len(text) - len(rest) + 1
		rest = rest[end+1:]
	}
	if !strings.HasPrefix(rest, "=") || len(rest) == 1 {
		return nil, len(text) - len(rest), fmt.Errorf("needs a value: +%s(…)=…", name)
	}
	tag.Value, tag.value = rest[1:], len(text)-len(rest)+1
	return tag, 0, nil
}

// NewTag returns the marker +name(argument)=value, whose argument and value stand
// at places of their own.
func NewTag(name, argument, value string, argumentPos, valuePos token.Pos) *Marker {
	head := "+" + name + "("
	text := head + argument + ")="
	c := Comment{Text: text + value, Pos: argumentPos, lines: []line{{len(head), argumentPos}, {len(text), valuePos}}}
	return &Marker{Comment: c, Name: name, Value: Tag{Argument: argument, Value: value, argument: len(head), value: len(text)}}
}

// Inner returns the marker that stands behind the equals sign of a tag, as a
// comment of its own; ok is false if there is none.
func (m *Marker) Inner() (c Comment, ok bool) {
	tag, isTag := m.Value.(Tag)
	if !isTag || !strings.HasPrefix(tag.Value, "+") {
		return Comment{}, false
	}
	return m.from(tag.value), true
}

// ArgumentPos is the place of a tag's argument.
func (m *Marker) ArgumentPos() token.Pos {
	if tag, ok := m.Value.(Tag); ok {
		return m.Place(tag.argument)
	}
	return m.Pos
}

// ValuePos is the place of the byte at an offset in a tag's value or a
// fragment's text.
func (m *Marker) ValuePos(offset int) token.Pos {
	switch value := m.Value.(type) {
	case Tag:
		return m.Place(value.value + offset)
	case Fragment:
		if value.offset > 0 {
			return m.Place(value.offset + offset)
		}
	}
	return m.Pos
}
