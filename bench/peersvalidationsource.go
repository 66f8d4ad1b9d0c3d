package main

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"iter"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

const (
	validationScheme = "cmd/validation-gen/testscheme"
	validationTests  = "cmd/validation-gen/output_tests"
	validationModule = "k8s.io/code-generator"
)

// declaredName matches the JSON name of a field, or the name of a type.
var declaredName = regexp.MustCompile(`json:"(\w+)|^(type \w+)`)

// validationSources returns the files of each package of tests with JSON names and options that
// omit what is not set, by package and name.
func (r peerRun) validationSources() (map[string]map[string][]byte, error) {
	out := map[string]map[string][]byte{}
	root := filepath.Join(r.dir, filepath.FromSlash(validationTests), "tags")
	err := filepath.WalkDir(root, func(name string, d os.DirEntry, err error) error {
		if err != nil || d.Name() != "doc.go" {
			return err
		}
		text, err := os.ReadFile(name)
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(r.dir, filepath.Dir(name))
		if err != nil {
			return err
		}
		text, err = omittingSource(text)
		if err != nil {
			return fmt.Errorf("%s: %w", rel, err)
		}
		out[validationModule+"/"+filepath.ToSlash(rel)] = map[string][]byte{"doc.go": text}
		return nil
	})
	return out, err
}

// omittingSource returns Go source in which what a field does not have is omitted in JSON, as in
// types of an API: the zero value if a tag is about its presence, and else nil. Discriminators
// have their constants as values, and members are not empty, as schemagen's unions require.
func omittingSource(text []byte) ([]byte, error) {
	return editedSource(text, func(file *ast.File) []sourceInsertion {
		var out []sourceInsertion
		discriminators := map[string]bool{}
		nilable := nilableTypes(file)
		for f := range structFields(file) {
			doc := commentText(f.Doc)
			end := f.End()
			id, isIdent := f.Type.(*ast.Ident)
			switch {
			case f.Tag == nil && len(f.Names) == 0:
				out = append(out, sourceInsertion{end, " `json:\",inline\"`"})
			case f.Tag == nil && f.Names[0].Name == "TypeMeta":
				out = append(out, sourceInsertion{end, " `json:\"-\"`"})
			case f.Tag == nil:
			case presenceTag.MatchString(doc):
				out = append(out, sourceInsertion{end - 2, ",omitempty"})
			case nilable(f.Type):
				out = append(out, sourceInsertion{end - 2, ",omitzero"})
			}
			if isIdent && strings.Contains(doc, "+k8s:unionDiscriminator") {
				discriminators[id.Name] = true
			}
			if limit := leastMember(f.Type); limit != "" && memberTag.MatchString(doc) {
				out = append(out, sourceInsertion{f.Pos(), limit + "\n\t"})
			}
		}
		for spec, doc := range typeSpecs(file) {
			if discriminators[spec.Name.Name] && !strings.Contains(doc, "+k8s:enum") {
				out = append(out, sourceInsertion{spec.Pos() - token.Pos(len("type ")), "// +k8s:enum\n"})
			}
		}
		return out
	})
}

// leastMember returns a tag by which the value of a union member of a type is not empty.
func leastMember(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.Ident:
		if t.Name == "string" {
			return "// +k8s:minLength=1"
		}
	case *ast.ArrayType:
		return "// +k8s:minItems=1"
	case *ast.MapType:
		return "// +k8s:minProperties=1"
	}
	return ""
}

// boundedSource returns Go source with limits for lists, maps and strings that have none.
func boundedSource(text []byte) ([]byte, error) {
	return editedSource(text, func(file *ast.File) []sourceInsertion {
		var out []sourceInsertion
		for f := range structFields(file) {
			if limits := typeLimits(f.Type); limits != "" && !limitTag.MatchString(commentText(f.Doc)) {
				out = append(out, sourceInsertion{f.Pos(), strings.ReplaceAll(limits, "\n", "\n\t")})
			}
		}
		for spec, doc := range typeSpecs(file) {
			if limits := typeLimits(spec.Type); limits != "" && !limitTag.MatchString(doc) {
				out = append(out, sourceInsertion{spec.Pos() - token.Pos(len("type ")), limits})
			}
		}
		return out
	})
}

var (
	presenceTag = regexp.MustCompile(`\+k8s:(optional|required|forbidden|update|unionMember|zeroOrOneOfMember)\b`)
	memberTag   = regexp.MustCompile(`\+k8s:(unionMember|zeroOrOneOfMember)\b`)
	limitTag    = regexp.MustCompile(`\+k8s:(max\w+|format)=`)
)

// typeLimits returns tags with limits for a type, a line each.
func typeLimits(t ast.Expr) string {
	switch t := t.(type) {
	case *ast.StarExpr:
		return typeLimits(t.X)
	case *ast.Ident:
		if t.Name == "string" {
			return "// +k8s:maxLength=64\n"
		}
	case *ast.ArrayType:
		return "// +k8s:maxItems=16\n" + elementLimits(t.Elt)
	case *ast.MapType:
		return "// +k8s:maxProperties=16\n" + elementLimits(t.Value)
	}
	return ""
}

func elementLimits(t ast.Expr) string {
	return strings.ReplaceAll(typeLimits(t), "+k8s:", "+k8s:eachVal=+k8s:")
}

type sourceInsertion struct {
	pos  token.Pos
	text string
}

// editedSource returns Go source with insertions.
func editedSource(text []byte, edit func(file *ast.File) []sourceInsertion) ([]byte, error) {
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return nil, err
	}
	insertions := edit(file)
	slices.SortStableFunc(insertions, func(a, b sourceInsertion) int { return int(b.pos - a.pos) })
	for _, i := range insertions {
		text = slices.Insert(text, fset.Position(i.pos).Offset, []byte(i.text)...)
	}
	return text, nil
}

// structFields yields the fields of all structs.
func structFields(file *ast.File) iter.Seq[*ast.Field] {
	return func(yield func(*ast.Field) bool) {
		ast.Inspect(file, func(n ast.Node) bool {
			if st, ok := n.(*ast.StructType); ok {
				for _, f := range st.Fields.List {
					if !yield(f) {
						return false
					}
				}
			}
			return true
		})
	}
}

// typeSpecs yields the types that are declared alone, with their comments.
func typeSpecs(file *ast.File) iter.Seq2[*ast.TypeSpec, string] {
	return func(yield func(*ast.TypeSpec, string) bool) {
		for _, d := range file.Decls {
			general, ok := d.(*ast.GenDecl)
			if ok && general.Tok == token.TYPE && !general.Lparen.IsValid() {
				if !yield(general.Specs[0].(*ast.TypeSpec), commentText(general.Doc)) {
					return
				}
			}
		}
	}
}

// nilableTypes returns a function that reports whether values of a type may be nil.
func nilableTypes(file *ast.File) func(ast.Expr) bool {
	declared := map[string]ast.Expr{}
	for spec := range typeSpecs(file) {
		declared[spec.Name.Name] = spec.Type
	}
	var nilable func(e ast.Expr) bool
	nilable = func(e ast.Expr) bool {
		switch e := e.(type) {
		case *ast.StarExpr, *ast.MapType:
			return true
		case *ast.ArrayType:
			return e.Len == nil
		case *ast.Ident:
			return declared[e.Name] != nil && nilable(declared[e.Name])
		}
		return false
	}
	return nilable
}

// fieldDoc has the comments of the fields with a JSON name, and those and the names of their
// types.
type fieldDoc struct {
	text  string
	types []string
}

// fieldDocs returns the comments of fields by their JSON names.
func fieldDocs(text []byte) (map[string]fieldDoc, error) {
	out := map[string]fieldDoc{}
	_, err := editedSource(text, func(file *ast.File) []sourceInsertion {
		types := map[string]string{}
		for spec, doc := range typeSpecs(file) {
			types[spec.Name.Name] = doc
		}
		for f := range structFields(file) {
			if f.Tag == nil {
				continue
			}
			m := declaredName.FindStringSubmatch(f.Tag.Value)
			if m == nil {
				continue
			}
			d := out[m[1]]
			d.text += commentText(f.Doc)
			ast.Inspect(f.Type, func(n ast.Node) bool {
				if id, ok := n.(*ast.Ident); ok {
					d.text += types[id.Name]
					d.types = append(d.types, id.Name)
				}
				return true
			})
			out[m[1]] = d
		}
		return nil
	})
	return out, err
}
