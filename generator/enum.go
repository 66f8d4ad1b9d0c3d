package generator

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/markers"
	"github.com/schemagen/schemagen/structural"
)

// applyK8sEnum gives a schema the values of a string type marked +k8s:enum, the
// one marker of controller-tools whose own code wants a type checker. Those
// are controller-tools' values: the constants that the package declares with
// exactly this type and a string literal. Where the package wants it, or where
// controller-tools' code panics, they are Go's.
func (b *builder) applyK8sEnum(props *apiextensionsv1.JSONSchemaProps, t *typeDecl) error {
	if t == nil {
		return fmt.Errorf("must be set on a type, not a field")
	}
	if !t.isString() {
		return fmt.Errorf("enum type must be a string")
	}
	if t.pkg.local() {
		all := b.constantsOf(t)
		if t.pkg.enabled(markers.FeatureEnum) || slices.ContainsFunc(all, func(c enumConstant) bool { return c.repeated }) {
			return setEnum(props, t, goValues(all))
		}
		b.leftOut(t, all)
	}
	values, err := t.literalConstants()
	if err != nil {
		return err
	}
	return setEnum(props, t, values)
}

// applyEnum gives a schema the values of a string type marked +enum.
func (b *builder) applyEnum(d *draft, t *typeDecl) {
	m := t.markers.get("enum")
	if m == nil {
		return
	}
	props := d.keywords().props()
	err := fmt.Errorf("enum type must be a string")
	if t.isString() {
		err = setEnum(props, t, goValues(b.constantsOf(t)))
	}
	if err != nil {
		b.reporter.errorf(codeApply, t.pkg, m.Pos, "", "+enum: %v", err)
		return
	}
	d.keywords().take(props)
	d.origin.Keywords = append(d.origin.Keywords, structural.KeywordOrigin{Keyword: "enum", Pos: m.Pos})
}

// isString reports whether the type is a string, and one of its own.
func (t *typeDecl) isString() bool {
	if t.unalias() == nil {
		return false
	}
	body := underlyingOf(t.file, t.spec.Type)
	return body.kind == kindBasic && body.basic == "string"
}

// setEnum makes the schema a string with the values, given as JSON texts,
// sorted.
func setEnum(props *apiextensionsv1.JSONSchemaProps, t *typeDecl, values []string) error {
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

// constantsOf returns the constants of the type by Go's rules, and reports
// those that cannot be computed.
func (b *builder) constantsOf(t *typeDecl) []enumConstant {
	all, errors := t.constants()
	for _, e := range errors {
		b.reporter.errorf(codeConstant, e.pkg, e.pos, "", "a constant of enum %s: %s", t, e.message)
	}
	return all
}

// goValues returns the JSON texts of the constants, each once.
func goValues(all []enumConstant) []string {
	var out []string
	for _, c := range all {
		raw, err := json.Marshal(c.value)
		if err == nil && !c.excluded && !slices.Contains(out, string(raw)) {
			out = append(out, string(raw))
		}
	}
	return out
}

// leftOut warns of constants that controller-tools does not see.
func (b *builder) leftOut(t *typeDecl, all []enumConstant) {
	m := t.markers.get("k8s:enum")
	var names []string
	for _, c := range all {
		if !c.literal && !c.excluded && !slices.ContainsFunc(all, func(o enumConstant) bool { return o.literal && o.value == c.value }) {
			names = append(names, c.name)
		}
	}
	if m == nil || len(names) == 0 {
		return
	}
	b.reporter.add(codeLeftOut, diag.Warning, t.pkg, m.Pos,
		fmt.Sprintf("the enum of %s leaves out %s: only constants with this type and a string literal count", t, strings.Join(names, ", ")),
		"write // +schemagen:enable=enum beside the package clause for all of them, or declare them as in const A "+t.spec.Name.Name+" = \"a\"")
}

// describeValues adds what the values of an enum stand for to a description, in
// the words of Kubernetes' own OpenAPI.
func describeValues(text string, all []enumConstant) string {
	documented := slices.ContainsFunc(all, func(c enumConstant) bool { return c.doc != "" })
	if !documented {
		return text
	}
	// Of several constants with one value the documented one counts.
	sorted := slices.SortedStableFunc(slices.Values(all), func(a, b enumConstant) int {
		return cmp.Or(strings.Compare(a.value, b.value), -strings.Compare(a.doc, b.doc))
	})
	var out strings.Builder
	out.WriteString(text)
	if text != "" {
		out.WriteString("\n\n")
	}
	out.WriteString("Possible enum values:")
	for i, c := range sorted {
		if !c.excluded && (i == 0 || sorted[i-1].value != c.value) {
			line := fmt.Sprintf("\n - `%q` %s", c.value, strings.Join(strings.Fields(c.doc), " "))
			out.WriteString(strings.TrimRight(line, " "))
		}
	}
	return out.String()
}

// literalConstants returns the JSON texts of the constants that the package
// declares with the type and a string literal.
func (t *typeDecl) literalConstants() ([]string, error) {
	t.pkg.index()
	var out []string
	for _, f := range t.pkg.files {
		if !f.declaresConstants(t.spec.Name.Name) {
			continue
		}
		f.parse()
		if f.ast == nil {
			continue
		}
		for _, decl := range f.ast.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.CONST {
				continue
			}
			for _, spec := range gen.Specs {
				spec := spec.(*ast.ValueSpec)
				if name, ok := spec.Type.(*ast.Ident); !ok || name.Name != t.spec.Name.Name {
					continue
				}
				for _, value := range spec.Values {
					literal, ok := value.(*ast.BasicLit)
					if !ok || literal.Kind != token.STRING {
						continue
					}
					text, err := strconv.Unquote(literal.Value)
					if err != nil {
						return nil, fmt.Errorf("constant %s: %w", literal.Value, err)
					}
					raw, err := json.Marshal(text)
					if err != nil {
						return nil, fmt.Errorf("constant %s: %w", literal.Value, err)
					}
					out = append(out, string(raw))
				}
			}
		}
	}
	return out, nil
}

// declaresConstants reports whether the file seems to declare a constant of the
// type with a string literal. It spares parsing generated code, which is most
// of a large package.
func (f *file) declaresConstants(typeName string) bool {
	if f.constants == nil {
		f.constants = map[string]bool{}
		if src, err := f.pkg.world.read(f.name); err == nil {
			constantHints(src, f.constants)
		}
	}
	return f.constants[typeName]
}

// constantHints adds each word that stands in front of an equals sign and a
// string literal.
func constantHints(src []byte, words map[string]bool) {
	const blanks = " \t"
	for offset := 0; ; {
		i := bytes.IndexByte(src[offset:], '=')
		if i < 0 {
			return
		}
		before := bytes.TrimRight(src[:offset+i], blanks)
		offset += i + 1
		after := bytes.TrimLeft(src[offset:], blanks)
		if len(after) == 0 || after[0] != '"' && after[0] != '`' {
			continue
		}
		start := bytes.LastIndexAny(before, " \t\n,(") + 1
		if word := identifier(before[start:]); word != "" && start+len(word) == len(before) {
			words[word] = true
		}
	}
}
