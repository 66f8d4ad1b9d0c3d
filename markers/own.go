package markers

import (
	"fmt"
	"go/token"
	"reflect"
	"strings"

	"k8s.io/gengo/v2/codetags"
	"sigs.k8s.io/controller-tools/pkg/markers"
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

// fragmentKeywords are the keywords that have a marker of this project.
func fragmentKeywords() []string {
	return []string{"additionalProperties", "allOf", "anyOf", "items", "not", "oneOf", "properties", "schema"}
}

// own returns the definitions of this project's words.
func own() ([]*Definition, error) {
	var out []*Definition
	var failed error
	define := func(name string, value any, targets ...Target) {
		for _, target := range targets {
			def, err := markers.MakeDefinition(name, target, value)
			if err != nil {
				failed = fmt.Errorf("marker %s: %w", name, err)
				return
			}
			out = append(out, def)
		}
	}
	// Grammars of our own are parsed by us: the definition only says the type.
	ours := func(name string, value any, targets ...Target) {
		for _, target := range targets {
			out = append(out, &Definition{Name: name, Target: target, Output: reflect.TypeOf(value)})
		}
	}
	define("schemagen:enable", Enable(nil), Package)
	define("schemagen:allow", Allow(nil), Package)
	define("enum", Enum{}, Type)
	define("schemagen:unions", Unions(nil), Package, Type)
	define("unionDiscriminator", UnionDiscriminator{}, Field)
	define("discriminator", UnionDiscriminator{}, Field)
	define("unionDiscriminatedBy", UnionDiscriminatedBy(""), Field)
	ours("unionMember", UnionMember{}, Field)
	ours("union", UnionMember{}, Field)
	define("schemagen:omit", Omit{}, Field)
	define("schemagen:allowChange", AllowChange{}, Type, Field)
	define("schemagen:unset", Unset(nil), Type, Field)
	define("schemagen:recursion", Recursion{}, Type)
	define("schemagen:conversion", Conversion{}, Package, Type)
	ours("schemagen:at", Tag{}, Type, Field)
	ours("schemagen:type", Tag{}, Package)
	ours("schemagen:descriptions", Tag{}, Package, Field)
	for _, keyword := range fragmentKeywords() {
		ours("schemagen:"+keyword, Fragment{}, Type, Field)
	}
	for _, keyword := range sketchKeywords() {
		ours("kubebuilder:"+keyword, Fragment{}, Type, Field)
	}
	for _, tag := range DeclarativeTags() {
		ours(tag.Name, Declarative{}, tag.Targets...)
	}
	return out, failed
}

// Feature returns the feature that a package has to switch on before a marker
// of the definition means anything; empty if it needs none.
func Feature(def *Definition) string {
	switch {
	case def.Output == reflect.TypeFor[Declarative]() && !isUnionTag(def.Name):
		return FeatureK8s
	case def.Output == reflect.TypeFor[Fragment]() && strings.HasPrefix(def.Name, "kubebuilder:"):
		return FeatureKEP
	case def.Name == "enum":
		return FeatureEnum
	}
	return ""
}

// isUnionTag reports whether a declarative-validation tag is about unions, which
// are switched on in another way.
func isUnionTag(name string) bool {
	return name == "k8s:unionDiscriminator" || name == "k8s:unionMember" || name == "k8s:zeroOrOneOfMember"
}

// isOwn reports whether the grammar of a definition is ours.
func isOwn(def *Definition) bool {
	return def.Output == reflect.TypeFor[UnionMember]() || def.Output == reflect.TypeFor[Tag]() || def.Output == reflect.TypeFor[Fragment]() || def.Output == reflect.TypeFor[Declarative]()
}

// parseOwn parses a marker whose grammar is ours.
func parseOwn(def *Definition, c Comment) (any, *ParseError) {
	fail := func(offset int, format string, args ...any) (any, *ParseError) {
		return nil, &ParseError{Name: def.Name, Pos: c.Place(offset), Msg: fmt.Sprintf(format, args...)}
	}
	switch def.Output {
	case reflect.TypeFor[Fragment]():
		if strings.HasPrefix(def.Name, "kubebuilder:") {
			text, offset, err := sketch(c.Text, strings.TrimPrefix(def.Name, "kubebuilder:"))
			if err != nil {
				return fail(offset, "%v", err)
			}
			return Fragment{Keyword: "schema", Text: text}, nil
		}
		_, value, ok := strings.Cut(c.Text, "=")
		if !ok || value == "" {
			return fail(0, "needs a value: +%s={…}", def.Name)
		}
		f := Fragment{Keyword: strings.TrimPrefix(def.Name, "schemagen:"), Text: value, offset: len(c.Text) - len(value)}
		if strings.HasPrefix(value, "`") && strings.HasSuffix(value, "`") && len(value) > 1 {
			f.Text, f.offset = value[1:len(value)-1], f.offset+1
		}
		return f, nil
	case reflect.TypeFor[UnionMember]():
		rest := c.Text[1+len(def.Name):]
		var m UnionMember
		rest, m.Optional = strings.CutSuffix(rest, ",optional")
		switch value, ok := strings.CutPrefix(rest, "="); {
		case rest == "":
		case !ok:
			return fail(1+len(def.Name), "expected +%s[=value][,optional]", def.Name)
		case value == "" || strings.ContainsAny(value, ", "):
			return fail(2+len(def.Name), "expected one value of the discriminator, got %q", value)
		default:
			m.Value = strings.Trim(value, "\"`")
		}
		return m, nil
	case reflect.TypeFor[Declarative]():
		tag, err := codetags.Parse(c.Text[1:])
		if err != nil {
			return fail(0, "%v", err)
		}
		return Declarative{tag}, nil
	}
	tag := Tag{}
	rest := c.Text[1+len(def.Name):]
	if strings.HasPrefix(rest, "(") {
		end := strings.IndexByte(rest, ')')
		if end < 0 {
			return fail(1+len(def.Name), "the parenthesis is not closed")
		}
		tag.Argument = strings.Trim(rest[1:end], "\"` ")
		tag.argument = len(c.Text) - len(rest) + 1
		rest = rest[end+1:]
	}
	if !strings.HasPrefix(rest, "=") || len(rest) == 1 {
		return fail(len(c.Text)-len(rest), "needs a value: +%s(…)=…", def.Name)
	}
	tag.Value, tag.value = rest[1:], len(c.Text)-len(rest)+1
	return tag, nil
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
