package generator

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strconv"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// applyK8sEnum gives a schema the values of a string type marked +k8s:enum: the
// constants of its package that are declared with exactly this type and a
// string literal, sorted by their JSON text. It is the one marker of
// controller-tools whose own code wants a type checker.
func (b *builder) applyK8sEnum(props *apiextensionsv1.JSONSchemaProps, t *typeDecl) error {
	if t == nil {
		return fmt.Errorf("must be set on a type, not a field")
	}
	if body := underlyingOf(t.file, t.spec.Type); body.kind != kindBasic || body.basic != "string" {
		return fmt.Errorf("enum type must be a string")
	}
	values, err := t.literalConstants()
	if err != nil {
		return err
	}
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
