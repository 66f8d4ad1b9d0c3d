package markers

import (
	"errors"
	"fmt"
	"go/token"
	"slices"
	"strings"

	"k8s.io/gengo/v2/codetags"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/notes"
)

// The values of parsed markers that this project adds to those of controller-tools, most of
// them under schemagen:.
type (
	// Enable enables features for a package: +schemagen:enable=enum;k8s.
	Enable []string
	// Allow excludes markers from linting: +schemagen:allow=kubebuilder:mine.
	Allow []string
	// Omit removes a field from the schema: +schemagen:omit.
	Omit struct{}
	// ReadOnly restricts updates of a field: +schemagen:readOnly, +schemagen:readOnly=once.
	ReadOnly notes.ReadOnlyMode
	// AllowChange allows a kind of change that schemagen diff reports, for a field or type
	// and everything below it:
	// +schemagen:allowChange:kind=field-removed,reason="never served".
	AllowChange struct {
		Kind string
		// For is "channels" if the change is allowed from one channel to another, but not
		// from one commit to the next.
		For string `marker:",optional"`
		// Reason is why the change is safe.
		Reason string
	}
	// AllFields counts the fields of a struct that are set: +schemagen:exactlyOneOf:except=name.
	AllFields struct {
		// Except are the JSON names of fields that do not count.
		Except []string `marker:",optional"`
	}
	// EnumValues adds values to the Enum beside it: +schemagen:enumValues=c;d.
	EnumValues []any
	// Unset removes keywords from a schema, by their JSON names: +schemagen:unset=default;maxItems.
	Unset []string
	// Text is a description that a comment cannot have: +schemagen:text="TODO is what is left to do.".
	Text string
	// Recursion bounds a type that contains itself: +schemagen:recursion:depth=3,end=omit.
	Recursion struct {
		// Depth is the number of nested occurrences of the type, including the outermost.
		Depth int
		// End is what replaces the next occurrence: preserve (the default) keeps unknown
		// fields, omit removes the field.
		End string `marker:",optional"`
	}
	// Fragment sets a keyword to a piece of schema in YAML flow style (JSON is YAML):
	// +schemagen:anyOf=[{pattern: "^a"}, {pattern: "^b"}]. The keyword "schema" sets all
	// keywords of the piece.
	Fragment struct {
		Keyword, Text string
		// offset is where Text begins in the marker, in bytes.
		offset int
	}
	// Tag has an argument in parentheses: +schemagen:at(.spec.replicas)=+optional.
	Tag struct {
		// Argument is the text between the parentheses, without quotes. It is empty if there
		// are none.
		Argument string
		// Value is the text after the equals sign.
		Value string

		argument, value int // offsets in the marker
	}
	// Conversion configures how the API server converts between the versions of a kind:
	// +schemagen:conversion:strategy=Webhook,service=NAMESPACE/NAME.
	Conversion struct {
		// Strategy is None or Webhook, as in the CRD.
		Strategy string
		// Service is the webhook's service, as NAMESPACE/NAME.
		Service string `marker:",optional"`
		// Path is the URL path of the webhook; nil means /convert, and empty none.
		Path *string `marker:",optional"`
		// Port is the port of the service; nil means the API server's default, 443.
		Port *int `marker:",optional"`
		// ReviewVersions are the versions of ConversionReview that the webhook accepts, in
		// order of preference; empty means v1.
		ReviewVersions []string `marker:",optional"`
		// Certificate is the cert-manager Certificate that the webhook serves with, as
		// NAMESPACE/NAME. Its CA is injected into the CRD.
		Certificate string `marker:",optional"`
	}
	// Enum restricts a string type to the constants that Go declares for it: +enum.
	Enum struct{}
	// Unions are the forms in which unions are written to schemas: +schemagen:unions=cel.
	Unions []string
	// UnionDiscriminator is +unionDiscriminator (KEP-1027), and +discriminator, the
	// corresponding marker sketched in the structural-schema proposal.
	UnionDiscriminator struct{}
	// UnionMember is +unionMember[=value][,optional] (KEP-1027), and +union, the
	// corresponding marker sketched in the structural-schema proposal.
	UnionMember struct {
		// Value is the discriminator value of the member; empty means its Go name.
		Value    string
		Optional bool
	}
	// UnionDiscriminatedBy is the Go name of the field that is the discriminator of a member.
	UnionDiscriminatedBy string
	// Declarative is one of Kubernetes' declarative-validation tags.
	Declarative struct {
		codetags.Tag

		value int // offset in the marker of the tag after the equals sign; 0 if there is none
	}
)

// Features returns the features that packages can enable with +schemagen:enable.
func Features() []string {
	return []string{FeatureEnum, FeatureK8s, FeatureKEP, FeatureUnsigned, FeatureArrayLength, FeatureStringOption,
		FeatureUnionTransition, FeatureGateway, FeatureOpenShift}
}

// The features.
const (
	// FeatureEnum restricts types marked +enum or +k8s:enum to the constants that Go declares
	// for them.
	FeatureEnum = "enum"
	// FeatureK8s applies Kubernetes' declarative-validation tags.
	FeatureK8s = "k8s"
	// FeatureKEP accepts the marker syntax sketched in the structural-schema proposal.
	FeatureKEP = "kep"
	// FeatureUnsigned sets bounds on unsigned integers.
	FeatureUnsigned = "unsigned"
	// FeatureArrayLength bounds Go arrays to their length.
	FeatureArrayLength = "array-length"
	// FeatureStringOption gives fields with the json option "string" the type string.
	FeatureStringOption = "string-option"
	// FeatureUnionTransition adds a rule to unions that reports a discriminator which did not
	// change together with the members.
	FeatureUnionTransition = "union-transition"
	// FeatureGateway applies the tags of Gateway API in descriptions, as in
	// <gateway:experimental>. With a colon and a name after it, that name is the prefix.
	FeatureGateway = "gateway"
	// FeatureOpenShift applies OpenShift's markers with gates, such as
	// +openshift:enable:FeatureGate.
	FeatureOpenShift = "openshift"
)

// prefixed matches FeatureGateway with another prefix.
var prefixed = lazyregexp.New(PrefixedFeature)

// PrefixedFeature is the pattern of the features that [Features] does not return.
const PrefixedFeature = "^" + FeatureGateway + ":[A-Za-z][A-Za-z0-9-]*$"

// IsFeature reports whether packages can enable a feature.
func IsFeature(name string) bool {
	return slices.Contains(Features(), name) || prefixed().MatchString(name)
}

// TagPrefix returns the prefix of the tags that the last of the features with one applies; empty
// if none does.
func TagPrefix(features []string) (prefix string) {
	for _, feature := range features {
		if name, other, ok := strings.Cut(feature, ":"); name == FeatureGateway {
			prefix = name
			if ok {
				prefix = other
			}
		}
	}
	return prefix
}

// parseFragment reads a piece of schema, which may be enclosed in backquotes.
func parseFragment(text, name string) (value any, offset int, err error) {
	_, schema, ok := strings.Cut(text, "=")
	if !ok || schema == "" {
		return nil, 0, fmt.Errorf("needs a value: +%s={…}", name)
	}
	f := Fragment{Keyword: strings.TrimPrefix(name, "schemagen:"), Text: schema, offset: len(text) - len(schema)}
	if strings.HasPrefix(schema, "`") && strings.HasSuffix(schema, "`") && len(schema) > 1 {
		f.Text = schema[1 : len(schema)-1]
		f.offset = f.offset + 1
	}
	return f, 0, nil
}

func parseReadOnly(text, name string) (value any, offset int, err error) {
	rest := text[1+len(name):]
	if rest == "" {
		return ReadOnly(notes.ReadOnlyAlways), 0, nil
	}
	mode, ok := strings.CutPrefix(rest, "=")
	if !ok || mode != string(notes.ReadOnlyOnce) && mode != string(notes.ReadOnlyStatus) {
		return nil, 1 + len(name), fmt.Errorf("expected +%[1]s, +%[1]s=%[2]s or +%[1]s=%[3]s", name, notes.ReadOnlyOnce, notes.ReadOnlyStatus)
	}
	return ReadOnly(mode), 0, nil
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
	if tag.ValueTag == nil {
		return Declarative{Tag: tag}, 0, nil
	}
	return Declarative{tag, equalsSign(text) + 1}, 0, nil
}

// equalsSign returns the offset of the first equals sign outside quotes.
func equalsSign(text string) int {
	var quote byte
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quote == '"' && c == '\\':
			i++
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '`':
			quote = c
		case c == '=':
			return i
		}
	}
	return -1
}

func parseTag(text, name string) (value any, offset int, err error) {
	tag := Tag{}
	rest := text[1+len(name):]
	if strings.HasPrefix(rest, "(") {
		end := strings.IndexByte(rest, ')')
		if end < 0 {
			return nil, 1 + len(name), errors.New("unclosed parenthesis")
		}
		tag.Argument = strings.Trim(rest[1:end], "\"` ")
		tag.argument = len(text) - len(rest) + 1
		rest = rest[end+1:]
	}
	if !strings.HasPrefix(rest, "=") || len(rest) == 1 {
		return nil, len(text) - len(rest), fmt.Errorf("needs a value: +%s(…)=…", name)
	}
	tag.Value = rest[1:]
	tag.value = len(text) - len(rest) + 1
	return tag, 0, nil
}

// NewTag returns the marker +name(argument)=value, whose argument and value have positions of
// their own.
func NewTag(name, argument, value string, argumentPos, valuePos token.Pos) *Marker {
	head := "+" + name + "("
	text := head + argument + ")="
	c := Comment{Text: text + value, Pos: argumentPos, lines: []line{{len(head), argumentPos}, {len(text), valuePos}}}
	return &Marker{Comment: c, Name: name, Value: Tag{Argument: argument, Value: value, argument: len(head), value: len(text)}}
}

// Inner returns the marker after the equals sign of a tag or of a condition as a separate
// comment. ok is false if there is none.
func (m *Marker) Inner() (c Comment, ok bool) {
	offset, ok := m.InnerOffset()
	if !ok {
		return Comment{}, false
	}
	return m.from(offset), true
}

// ArgumentPos returns the position of a tag's argument.
func (m *Marker) ArgumentPos() token.Pos {
	if tag, ok := m.Value.(Tag); ok {
		return m.PosAt(tag.argument)
	}
	return m.Pos
}

// ValuePos returns the position of the byte at an offset in a tag's value or a fragment's text.
func (m *Marker) ValuePos(offset int) token.Pos {
	switch value := m.Value.(type) {
	case Tag:
		return m.PosAt(value.value + offset)
	case Fragment:
		if value.offset > 0 {
			return m.PosAt(value.offset + offset)
		}
	}
	return m.Pos
}
