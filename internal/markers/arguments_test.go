package markers

import (
	"go/parser"
	"go/token"
	"strings"
	"testing"
)

// TestArguments checks the positions of arguments, and of characters in their values.
func TestArguments(t *testing.T) {
	const source = "package a\n\n" +
		"// +kubebuilder:printcolumn:name=\"A, type=x\",type=string, JSONPath=`.a[?(@.b==\"c,d\")]`,priority=1\n" +
		"// +kubebuilder:resource:scope=Cluster,shortName={a,b},path=c\n" +
		"// +kubebuilder:validation:XValidation:rule=\"self.a == \\\"ä\\\" && x\",message=`m`\n" +
		"// +schemagen:at(a)=+kubebuilder:validation:XValidation:message=m,rule=`self\n" +
		"//   && y`\n" +
		"type A struct{}\n"
	fset := token.NewFileSet()
	file, err := parser.ParseFile(fset, "a.go", source, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) Comment {
		t.Helper()
		c, ok := At(file, token.Pos(fset.File(file.Pos()).Base()+strings.Index(source, text)))
		if !ok {
			t.Fatalf("no marker at %s", text)
		}
		return c
	}
	after := func(pos token.Pos) string { return source[fset.Position(pos).Offset:] }
	for _, test := range []struct{ marker, name, want string }{
		{"+kubebuilder:printcolumn", "name", `name="A`},
		{"+kubebuilder:printcolumn", "type", `type=string`},
		{"+kubebuilder:printcolumn", "JSONPath", "JSONPath=`"},
		{"+kubebuilder:printcolumn", "priority", "priority=1"},
		{"+kubebuilder:printcolumn", "format", ""},
		{"+kubebuilder:resource", "scope", "scope=C"},
		{"+kubebuilder:resource", "path", "path=c"},
		{"+kubebuilder:resource", "singular", ""},
		{"+kubebuilder:validation:XValidation:message", "rule", "rule=`self"},
	} {
		pos, ok := at(test.marker).Argument(test.name)
		if ok != (test.want != "") || ok && !strings.HasPrefix(after(pos), test.want) {
			t.Errorf("%s of %s: got position of %q", test.name, test.marker, after(pos))
		}
	}
	for _, test := range []struct {
		marker       string
		line, column int
		want         string
	}{
		{"+kubebuilder:validation:XValidation:rule", 1, 1, "self.a"},
		{"+kubebuilder:validation:XValidation:rule", 1, 13, `\" && x"`},
		{"+kubebuilder:validation:XValidation:rule", 1, 18, `x"`},
		{"+kubebuilder:validation:XValidation:rule", 1, 19, `",message`},
		{"+kubebuilder:validation:XValidation:rule", 1, 20, ""},
		{"+kubebuilder:validation:XValidation:rule", 2, 1, ""},
		{"+kubebuilder:validation:XValidation:message", 1, 1, "self\n"},
		{"+kubebuilder:validation:XValidation:message", 2, 6, "y`"},
	} {
		pos, ok := at(test.marker).ArgumentPosAt("rule", test.line, test.column)
		if ok != (test.want != "") || ok && !strings.HasPrefix(after(pos), test.want) {
			t.Errorf("%d:%d of %s: got position of %q", test.line, test.column, test.marker, after(pos))
		}
	}
}
