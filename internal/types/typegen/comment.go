package typegen

import (
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"strings"

	"github.com/schemagen/schemagen/internal/source"
)

// fieldDoc returns the doc comment of a field with a description or, if a comment cannot have
// that text, the marker that sets it.
func fieldDoc(description string) (doc, marker string) {
	if description == "" || readBack("package p\ntype T struct {\n"+comment(description, "\t")+"\tF int\n}\n") == description {
		return description, ""
	}
	return "", textMarker(description)
}

// typeDoc is fieldDoc for a type, whose doc comment gofmt may change.
func typeDoc(description string) (doc, marker string) {
	if description == "" {
		return "", ""
	}
	formatted, err := format.Source([]byte("package p\n\n" + comment(description, "") + "type T struct {\n\tF int\n}\n"))
	if err == nil && readBack(string(formatted)) == description {
		return description, ""
	}
	return "", textMarker(description)
}

func textMarker(description string) string { return "schemagen:text=" + quoted(description) }

// comment returns lines as a comment.
func comment(text, indent string) string {
	var out strings.Builder
	for line := range strings.SplitSeq(text, "\n") {
		out.WriteString(strings.TrimRight(indent+"// "+line, " ") + "\n")
	}
	return out.String()
}

// readBack returns the description that the generator reads from the first doc comment of a
// type or a field in a file.
func readBack(text string) string {
	file, err := parser.ParseFile(token.NewFileSet(), "", text, parser.ParseComments|parser.SkipObjectResolution)
	if err != nil {
		return ""
	}
	decl, ok := file.Decls[0].(*ast.GenDecl)
	if !ok {
		return ""
	}
	if decl.Doc != nil {
		return source.DocText(decl.Doc)
	}
	st, ok := decl.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType)
	if !ok {
		return ""
	}
	return source.DocText(st.Fields.List[0].Doc)
}
