package define

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// applyK8sEnum sets the enum of a string type that is marked +k8s:enum, the one marker of
// controller-tools whose own code needs a type checker. By default the values are the same as with
// controller-tools: constants that the package declares with exactly this type and a string
// literal. If the package enables the enum feature, or controller-tools' code would panic, Go's
// rules decide instead.
func (b *Builder) applyK8sEnum(props *apiextensionsv1.JSONSchemaProps, t *source.Type) error {
	if t == nil {
		return fmt.Errorf("must be set on a type, not a field")
	}
	if !t.IsString() {
		return fmt.Errorf("enum type must be a string")
	}
	if t.Pkg.Local() {
		all := b.constantsOf(t)
		if b.Run.Enabled(t.Pkg, markers.FeatureEnum) ||
			slices.ContainsFunc(all, func(c source.Constant) bool { return c.Repeated }) {
			return setEnum(props, t, goValues(all))
		}
		b.reportOmitted(t, all)
	}
	values, err := t.LiteralConstants()
	if err != nil {
		return err
	}
	return setEnum(props, t, values)
}

// applyEnum sets the enum of a string type that is marked +enum.
func (b *Builder) applyEnum(d *draft, t *source.Type) {
	m := t.Markers.Get(markers.EnumName)
	if m == nil {
		return
	}
	props := d.keywords().Props()
	err := fmt.Errorf("enum type must be a string")
	if t.IsString() {
		err = setEnum(props, t, goValues(b.constantsOf(t)))
	}
	if err != nil {
		b.Reporter.Report(report.MarkerDoesNotFit, t.Pkg.At(m.Pos), "", "+enum: %v", err)
		return
	}
	d.keywords().Take(props)
	d.origin.Keywords = append(d.origin.Keywords, structural.KeywordOrigin{Keyword: "enum", Pos: m.Pos})
}

// setEnum makes the schema a string with the given values, which are JSON texts, in sorted
// order. It returns an error if there are none.
func setEnum(props *apiextensionsv1.JSONSchemaProps, t *source.Type, values []string) error {
	if len(values) == 0 {
		return fmt.Errorf("no enum values found for type %s", t)
	}
	slices.Sort(values)
	props.Type = "string"
	props.Enum = nil
	for _, value := range values {
		props.Enum = append(props.Enum, apiextensionsv1.JSON{Raw: []byte(value)})
	}
	return nil
}

// constantsOf returns the constants of the type by Go's rules, and reports constants that cannot be
// evaluated.
func (b *Builder) constantsOf(t *source.Type) []source.Constant {
	all, errors := t.Constants()
	for _, e := range errors {
		b.Reporter.Report(report.ConstantWithoutValue, e.Pkg.At(e.Pos), "", "a constant of enum %s: %s", t, e.Message)
	}
	return all
}

// checkGatedValues reports constants of a type that conditions remove while an Enum, at the type
// or at a field of the type, keeps their values.
func (b *Builder) checkGatedValues(d *draft, set source.Markers, t *source.Type) {
	if set.Get(markers.ValuesName) == nil || t == nil || d.values == nil {
		return
	}
	for _, a := range absentValues(t) {
		raw := plainjson.Text(a.Name)
		if !slices.ContainsFunc(d.values.Enum, func(v structural.JSON) bool { return string(v.Raw) == raw }) {
			continue
		}
		found := b.Reporter.Report(report.NeedlessCondition, t.Pkg.At(a.Pos), "take it out of the Enum, and add // +"+markers.WhenName+"("+a.Condition+")=+"+markers.EnumValuesName+"="+a.Name,
			"value %q does not exist here, its condition is %s, but the Enum has it", a.Name, a.Condition)
		for _, m := range set {
			if m.Name == markers.ValuesName || m.Name == markers.EnumValuesName &&
				slices.Contains(m.Value.(markers.EnumValues), any(a.Name)) {
				found.Related = []diag.Related{{Pos: b.Reporter.Position(m.Pos), Message: "the Enum"}}
			}
		}
	}
}

// goValues returns the distinct values of the constants as JSON texts.
func goValues(all []source.Constant) []string {
	var out []string
	seen := map[string]bool{}
	for _, c := range all {
		raw, err := plainjson.Marshal(c.Value)
		if err == nil && !c.Excluded && !seen[string(raw)] {
			seen[string(raw)] = true
			out = append(out, string(raw))
		}
	}
	return out
}

// reportOmitted warns about constants that controller-tools does not see.
func (b *Builder) reportOmitted(t *source.Type, all []source.Constant) {
	m := t.Markers.Get(markers.TagEnumName)
	var names []string
	included := map[string]bool{}
	for _, c := range all {
		included[c.Value] = included[c.Value] || c.Literal
	}
	for _, c := range all {
		if !c.Literal && !c.Excluded && !included[c.Value] {
			names = append(names, c.Name)
		}
	}
	if m == nil || len(names) == 0 {
		return
	}
	b.Reporter.Report(report.ConstantsOmitted, t.Pkg.At(m.Pos), "write // +schemagen:enable=enum above the package clause to include all constants, or declare them like const A "+t.Spec.Name.Name+" = \"a\"",
		"the enum of %s leaves out %s: only constants with this type and a string literal are included", t, strings.Join(names, ", "))
}

// describeValues adds the documentation of enum values to a description, in the format of
// Kubernetes' own OpenAPI documents.
func describeValues(text string, all []source.Constant) string {
	documented := slices.ContainsFunc(all, func(c source.Constant) bool { return c.Doc != "" })
	if !documented {
		return text
	}
	// If several constants have the same value, the documented one is used.
	sorted := slices.SortedStableFunc(slices.Values(all), func(a, b source.Constant) int {
		return cmp.Or(strings.Compare(a.Value, b.Value), -strings.Compare(a.Doc, b.Doc))
	})
	var out strings.Builder
	out.WriteString(text)
	if text != "" {
		out.WriteString("\n\n")
	}
	out.WriteString("Possible enum values:")
	for i, c := range sorted {
		if !c.Excluded && (i == 0 || sorted[i-1].Value != c.Value) {
			line := fmt.Sprintf("\n - `%q` %s", c.Value, strings.Join(strings.Fields(c.Doc), " "))
			out.WriteString(strings.TrimRight(line, " "))
		}
	}
	return out.String()
}
