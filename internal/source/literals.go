package source

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/token"
	"strconv"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
)

// LiteralConstants returns, as JSON texts, the constants that the package declares with
// exactly this type and a string literal.
func (t *Type) LiteralConstants() ([]string, error) {
	t.Pkg.Index()
	var out []string
	for _, f := range t.Pkg.Sources {
		if !f.mayDeclareConstants(t.Spec.Name.Name) {
			continue
		}
		f.Parse()
		if f.Syntax == nil {
			continue
		}
		for _, decl := range f.Syntax.Decls {
			gen, ok := decl.(*ast.GenDecl)
			if !ok || gen.Tok != token.CONST {
				continue
			}
			for _, spec := range gen.Specs {
				spec := spec.(*ast.ValueSpec)
				if name, ok := spec.Type.(*ast.Ident); !ok || name.Name != t.Spec.Name.Name {
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
					out = append(out, plainjson.Text(text))
				}
			}
		}
	}
	return out, nil
}

// mayDeclareConstants reports whether the file seems to declare a constant of the type with a
// string literal. It avoids parsing generated code, which is the largest part of many
// packages.
func (f *File) mayDeclareConstants(typeName string) bool {
	if f.constants == nil {
		f.constants = map[string]bool{}
		if src, err := f.Text(); err == nil {
			constantHints(src, f.constants)
		}
	}
	return f.constants[typeName]
}

// constantHints adds each word that precedes an equals sign and a string literal.
func constantHints(src []byte, words map[string]bool) {
	const blanks = " \t"
	for offset := 0; ; {
		i := bytes.IndexByte(src[offset:], '=')
		if i < 0 {
			return
		}
		head := bytes.TrimRight(src[:offset+i], blanks)
		offset += i + 1
		tail := bytes.TrimLeft(src[offset:], blanks)
		if len(tail) == 0 || tail[0] != '"' && tail[0] != '`' {
			continue
		}
		start := bytes.LastIndexAny(head, " \t\n,(") + 1
		if word := identifier(head[start:]); word != "" && start+len(word) == len(head) {
			words[word] = true
		}
	}
}
