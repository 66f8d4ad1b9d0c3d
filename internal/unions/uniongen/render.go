package uniongen

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/format"
	"go/parser"
	"go/token"
	"path"
	"slices"
	"strconv"
	"strings"
	"text/template"

	"github.com/schemagen/schemagen/internal/source/gotext"
	"github.com/schemagen/schemagen/templates"
)

// fieldPath is the import path of the package that validation errors are from.
const fieldPath = "k8s.io/apimachinery/pkg/util/validation/field"

// render executes the template and returns the formatted file. mustChange is the message for a
// discriminator that was not changed together with the members. It returns an error if one of the
// strings is not valid Go.
func render(f *goFile, mustChange string) ([]byte, error) {
	r := &renderer{
		file: f, mustChange: mustChange, imports: slices.Clone(f.Imports),
		locals: map[string]string{}, given: map[string]bool{},
	}
	t, err := templates.Unions(r.functions())
	if err != nil {
		return nil, err
	}
	var body bytes.Buffer
	if err := t.ExecuteTemplate(&body, "body", f); err != nil {
		return nil, err
	}
	used, err := usedImports(r.imports, body.Bytes())
	if err != nil {
		return nil, fmt.Errorf("%w in:\n%s", err, body.Bytes())
	}
	comments := gotext.Comments(f.BuildTag, strings.TrimSpace(f.Header), "schemagen unions")
	out := gotext.Head(comments, f.Package, used,
		func(path string) bool { return !strings.Contains(path, ".") }) + wrapComments(body.String())
	formatted, err := format.Source([]byte(out))
	if err != nil {
		return nil, fmt.Errorf("%w in:\n%s", err, out)
	}
	return formatted, nil
}

// renderer holds the state of one execution of the template.
type renderer struct {
	file       *goFile
	mustChange string
	imports    []gotext.Import
	// locals maps the preferred names of variables to the names that are used.
	locals map[string]string
	given  map[string]bool
	// usesRoot is set if something is validated relative to the root, usesKeys if values of
	// maps are.
	usesRoot, usesKeys bool
}

// location is a value with the expressions for the new value, its counterpart, and its path.
type location struct {
	*goValue
	Old, New, Path string
	// Nesting is the number of enclosing loops.
	Nesting int
}

// Depth returns a suffix that distinguishes the variables of nested loops.
func (l location) Depth() string {
	if l.Nesting == 0 {
		return ""
	}
	return strconv.Itoa(l.Nesting + 1)
}

// reading has the values for reading a discriminator from the old and the new object.
type reading struct {
	D           *goDiscriminator
	OldMayBeNil bool
	// Old is set if the discriminator of the old object is read as well.
	Old bool
}

// one has the values for reading a discriminator from one object: from the struct In to the
// variable Var.
type one struct {
	D        *goDiscriminator
	Var, In  string
	MayBeNil bool
}

// functions returns the functions of the template that depend on the file. Names of variables are
// functions as well, because the package may already declare the usual names.
func (r *renderer) functions() template.FuncMap {
	out := template.FuncMap{
		"local":    r.local,
		"location": func(v *goValue, old, new string) location { return location{goValue: v, Old: old, New: new} },
		"deeper": func(l location, v *goValue, old, new string) location {
			return location{v, old, new, l.Path, l.Nesting + 1}
		},
		"inside": func(l location, v *goValue, old, new string) location {
			return location{v, old, new, l.Path, l.Nesting}
		},
		"at":      func(l location, path string) location { l.Path = path; return l },
		"reading": func(d *goDiscriminator, oldMayBeNil, old bool) reading { return reading{d, oldMayBeNil, old} },
		"one": func(d *goDiscriminator, target, source string, mayBeNil bool) one {
			return one{d, target, source, mayBeNil}
		},
		"value":       r.value,
		"isSet":       r.isSet,
		"isUnset":     r.isUnset,
		"differs":     r.differs,
		"differences": r.differences,
		"keyIs":       r.keyIs,
		"carryOver":   func() bool { return r.file.CarryOverOnly },
		"ratcheting":  func() bool { return !r.file.NoRatcheting },
		"mustChange":  func() string { return r.mustChange },
		"field":       func() string { return r.importName("field", fieldPath) },
		"root":        r.root,
		"usesRoot":    func() bool { return r.usesRoot },
		"under":       func() string { return r.local("unionsUnder") },
		"underKeys":   r.underKeys,
		"usesKeys":    func() bool { return r.usesKeys },
		"call":        r.call,
	}
	for _, name := range []string{"old", "new", "path", "errs", "changed", "set"} {
		out[name] = func() string { return r.local(name) }
	}
	for _, name := range []string{"maps", "slices", "strings"} {
		out[name] = func() string { return r.importName(name, name) }
	}
	return out
}

// root returns the name of the variable with the path of the validated value.
func (r *renderer) root() string {
	r.usesRoot = true
	return r.local("unionsRoot")
}

// underKeys returns the name of the function that adds errors about the values of a map.
func (r *renderer) underKeys() string {
	r.usesKeys = true
	return r.local("unionsUnderKeys")
}

// call returns a statement that validates a value with a function and appends its errors. The
// path of the value is built only if there are errors.
func (r *renderer) call(p location, function, value string) string {
	errs := r.local("errs")
	found := r.local("found")
	if p.Path == r.local("path") || p.Path == r.local("unionsRoot") {
		return fmt.Sprintf("%s = append(%[1]s, %s(%s, %s, %s)...)", errs, function, p.Old, value, p.Path)
	}
	return fmt.Sprintf("if %s := %s(%s, %s, %s); len(%[1]s) > 0 {\n%[6]s = %[7]s(%[6]s, %[1]s, %[8]s)\n}",
		found, function, p.Old, value, r.root(), errs, r.local("unionsUnder"), p.Path)
}

// keyIs returns the condition that a key is present, or absent.
func (r *renderer) keyIs(k goKey, present bool) string {
	variable := r.local("in") + "."
	operator := " != "
	junction := " && "
	if !present {
		operator = " == "
		junction = " || "
	}
	var out []string
	for _, guard := range k.Guards {
		out = append(out, variable+guard+operator+"nil")
	}
	switch {
	case k.Pointer:
		out = append(out, variable+k.Go+operator+"nil")
	case k.Zero == "false" && present:
		out = append(out, variable+k.Go)
	case k.Zero == "false":
		out = append(out, "!"+variable+k.Go)
	case k.Zero != "":
		out = append(out, variable+k.Go+operator+k.Zero)
	}
	return strings.Join(out, junction)
}

// local returns the name of a variable: the joined parts, with a suffix if the file must not
// use that name.
func (r *renderer) local(parts ...string) string {
	name := strings.Join(parts, "")
	if actual, ok := r.locals[name]; ok {
		return actual
	}
	actual := name
	for i := 1; slices.Contains(r.file.Taken, actual) || r.isImport(actual) || r.given[actual]; i++ {
		actual = name + "Value"
		if i > 1 {
			actual += strconv.Itoa(i)
		}
	}
	r.locals[name] = actual
	r.given[actual] = true
	return actual
}

func (r *renderer) isImport(name string) bool {
	return slices.ContainsFunc(r.imports, func(i gotext.Import) bool { return i.Qualifier() == name })
}

// importName returns the name of an imported package, and adds the import if needed.
func (r *renderer) importName(name, importPath string) string {
	for _, i := range r.imports {
		if i.Path == importPath {
			return i.Qualifier()
		}
	}
	actual := gotext.Unique(name, func(name string) bool { return slices.Contains(r.file.Taken, name) || r.isImport(name) })
	added := gotext.Import{Path: importPath}
	if actual != path.Base(importPath) {
		added.Name = actual
	}
	r.imports = append(r.imports, added)
	return actual
}

// value returns the expression for the effective value of a discriminator of old or new.
func (r *renderer) value(object string, d *goDiscriminator) string {
	if d.Plain() {
		return r.local(object) + "." + d.Go
	}
	return r.local(object, d.Go)
}

// isSet returns the condition that a member of old or new is set.
func (r *renderer) isSet(m goMember, object string) string {
	expr := r.local(object) + "." + m.Go
	switch {
	case m.Counted:
		return "len(" + expr + ") > 0"
	case m.Zero == "false":
		return expr
	case strings.HasSuffix(m.Zero, "}"):
		return expr + " != (" + m.Zero + ")"
	}
	return expr + " != " + m.Zero
}

// isUnset returns the condition that a member of new is not set.
func (r *renderer) isUnset(m goMember) string {
	if m.Zero == "false" {
		return "!" + r.isSet(m, "new")
	}
	return strings.NewReplacer(" != ", " == ", " > ", " == ").Replace(r.isSet(m, "new"))
}

// differs returns the condition that a member is set in exactly one of old and new.
func (r *renderer) differs(m goMember) string {
	new := r.isSet(m, "new")
	old := r.isSet(m, "old")
	if m.Zero == "false" {
		return new + " != " + old
	}
	return "(" + new + ") != (" + old + ")"
}

// differences returns the condition that a discriminator in a struct differs or may differ,
// as far as a single expression can express it.
func (r *renderer) differences(s *goStruct) string {
	old := r.local("old")
	new := r.local("new")
	var out []string
	for _, u := range s.Unions {
		if d := u.Discriminator; d != nil && len(u.Members) > 0 {
			prefix := old + "." + d.Go
			rest := new + "." + d.Go
			if d.Pointer {
				out = append(out, fmt.Sprintf("(%s == nil) != (%s == nil)", rest, prefix))
				out = append(out, fmt.Sprintf("%[1]s != nil && *%[1]s != *%[2]s", rest, prefix))
			} else {
				out = append(out, rest+" != "+prefix)
			}
		}
	}
	for _, f := range s.Fields {
		if !f.Value.Clears() || !f.IsSimple() {
			continue
		}
		prefix := old + "." + f.Go
		rest := new + "." + f.Go
		switch v := f.Value; {
		case v.Kind == kindPointer:
			out = append(out, fmt.Sprintf("%s(%s, %s)", v.Elem.Struct.MayChange, prefix, rest))
		case v.Kind == kindList && v.Array:
			out = append(out, fmt.Sprintf("%s(%s[:], %s[:])", v.List.MayChange, prefix, rest))
		case v.Kind == kindList:
			out = append(out, fmt.Sprintf("%s(%s, %s)", v.List.MayChange, prefix, rest))
		default:
			out = append(out, fmt.Sprintf("%s(&%s, &%s)", v.Struct.MayChange, prefix, rest))
		}
	}
	if len(out) == 0 {
		return "false"
	}
	return strings.Join(out, " ||\n")
}

// usedImports returns the imports that the body refers to.
func usedImports(imports []gotext.Import, body []byte) ([]gotext.Import, error) {
	parsed, err := parser.ParseFile(token.NewFileSet(), "", append([]byte("package p\n"), body...), 0)
	if err != nil {
		return nil, err
	}
	names := map[string]bool{}
	ast.Inspect(parsed, func(n ast.Node) bool {
		if selector, ok := n.(*ast.SelectorExpr); ok {
			if x, ok := selector.X.(*ast.Ident); ok {
				names[x.Name] = true
			}
		}
		return true
	})
	return slices.DeleteFunc(imports, func(i gotext.Import) bool { return !names[i.Qualifier()] }), nil
}

// commentWidth is the line width, in bytes, to which comments of declarations are wrapped.
const commentWidth = 90

// wrapComments wraps the comments of declarations, because the length of the names in them
// varies.
func wrapComments(body string) string {
	var out, comment []string
	flush := func() {
		line := "//"
		for _, word := range comment {
			if len(line)+1+len(word) > commentWidth {
				out = append(out, line)
				line = "//"
			}
			line += " " + word
		}
		if len(comment) > 0 {
			out = append(out, line)
		}
		comment = nil
	}
	for line := range strings.SplitSeq(body, "\n") {
		if text, ok := strings.CutPrefix(line, "// "); ok {
			comment = append(comment, strings.Fields(text)...)
			continue
		}
		flush()
		out = append(out, line)
	}
	flush()
	return strings.Join(out, "\n")
}
