package generator

import (
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
	t.pkg.parseAll()
	var out []string
	for _, f := range t.pkg.files {
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
