package deepcopy

import (
	"go/ast"
	"go/token"
	"strings"

	ctmarkers "sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// objectInterface is the value of +k8s:deepcopy-gen:interfaces that generates the methods of
// runtime.Object. code-generator's deepcopy-gen defines the markers that begin with
// +k8s:deepcopy-gen.
const objectInterface = "k8s.io/apimachinery/pkg/runtime.Object"

// selection is the part of a package that methods are generated for.
type selection struct {
	pkg *source.Package
	// types are in the order of files and declarations.
	types []selectedType
}

// selectedType is a type that methods are generated for, unless it turns out not to need
// them.
type selectedType struct {
	spec *ast.TypeSpec
	// object is set if the type implements runtime.Object.
	object bool
}

// values are the values of markers, by name, of which the first one counts.
type values map[string][]any

func (v values) first(name string) any {
	if list := v[name]; len(list) > 0 {
		return list[0]
	}
	return nil
}

// parse parses the markers in comments and reports malformed ones.
func (g *generator) parse(table *markers.Table, comments []markers.Comment, target markers.Target) values {
	out := values{}
	for _, comment := range comments {
		def := table.Lookup(comment.Text, target)
		if def == nil {
			continue
		}
		value, err := def.Parse(comment.Text)
		if err != nil {
			g.report(report.MalformedArguments, argumentsPos(comment), "write true or false", "+%s: %s", def.Name, complaint(err))
			continue
		}
		out[def.Name] = append(out[def.Name], value)
	}
	return out
}

// argumentsPos returns the position of a marker's arguments, or of the marker if it has none.
func argumentsPos(c markers.Comment) token.Pos {
	if i := strings.IndexByte(c.Text, '='); i >= 0 && i+1 < len(c.Text) {
		return c.PosAt(i + 1)
	}
	return c.Pos
}

// complaint returns the message of controller-tools' marker parser, which is in a list and
// ends with a position in the arguments.
func complaint(err error) string {
	message, _, _ := strings.Cut(strings.TrimPrefix(err.Error(), "["), " (at <input>")
	if strings.HasPrefix(message, "missing argument") {
		return "needs a value"
	}
	return message
}

// enabled returns the types of a parsed package that methods are generated for, or nil if there are
// none.
func (g *generator) enabled(pkg *source.Package) (*selection, error) {
	table, err := markers.GeneratorTable("object")
	if err != nil {
		return nil, err
	}
	var comments []markers.Comment
	var parsed []*source.File
	for _, f := range pkg.Sources {
		if f.Syntax != nil {
			parsed = append(parsed, f)
			comments = append(comments, f.Comments.Package...)
		}
	}
	all := enablesPackage(g.parse(table, comments, markers.Package))
	out := &selection{pkg: pkg}
	hasObjects := false
	var silent []*ast.TypeSpec
	for _, f := range parsed {
		for _, spec := range typeSpecs(f.Syntax) {
			found := g.parse(table, f.Comments.Type(spec), markers.Type)
			object := isObject(found)
			hasObjects = hasObjects || object
			if !object && !decidesObject(found) && spec.Name.IsExported() && !spec.Assign.IsValid() {
				silent = append(silent, spec)
			}
			if !enablesType(found, all || object) || !spec.Name.IsExported() || spec.Assign.IsValid() {
				continue // an alias has no methods
			}
			out.types = append(out.types, selectedType{spec, object})
		}
	}
	if hasObjects {
		g.unmarked(pkg, parsed, silent)
	}
	if len(out.types) == 0 {
		return nil, nil
	}
	return out, nil
}

// typeSpecs returns the types that a file declares, in source order.
func typeSpecs(tree *ast.File) (out []*ast.TypeSpec) {
	for _, decl := range tree.Decls {
		gen, ok := decl.(*ast.GenDecl)
		if !ok || gen.Tok != token.TYPE {
			continue
		}
		for _, spec := range gen.Specs {
			if spec, ok := spec.(*ast.TypeSpec); ok {
				out = append(out, spec)
			}
		}
	}
	return out
}

// enablesPackage reports whether the markers of a package ask for methods of all types.
func enablesPackage(v values) bool {
	if generate, ok := v.first(markers.ObjectName).(bool); ok {
		return generate
	}
	legacy, _ := v.first(markers.DeepCopyName).(ctmarkers.RawArguments)
	first, _, _ := strings.Cut(string(legacy), ",")
	return first == "package"
}

// enablesType reports whether the markers of a type ask for methods, or, if they say nothing,
// what is the default.
func enablesType(v values, byDefault bool) bool {
	if generate, ok := v.first(markers.ObjectName).(bool); ok {
		return generate
	}
	if legacy, ok := v.first(markers.DeepCopyName).(ctmarkers.RawArguments); ok {
		return string(legacy) == "true"
	}
	return byDefault
}

// decidesObject reports whether the markers of a type say whether it is an object, or that it gets no methods.
func decidesObject(v values) bool {
	_, hasRoot := v.first(markers.ObjectRootName).(bool)
	return hasRoot || len(v[markers.DeepCopyInterfacesName]) > 0 || !enablesType(v, true)
}

// isObject reports whether the markers of a type ask for the method DeepCopyObject.
func isObject(v values) bool {
	if object, ok := v.first(markers.ObjectRootName).(bool); ok {
		return object
	}
	for _, legacy := range v[markers.DeepCopyInterfacesName] {
		if legacy == objectInterface {
			return true
		}
	}
	return false
}
