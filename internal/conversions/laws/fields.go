package laws

import (
	"fmt"
	"go/ast"
	"regexp"
	"slices"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/conversions/written"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/edits"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// field is what markers say about the values of a field or a type: a Field of the engine.
type field struct {
	// required and optional are set if the tag of a field would say otherwise.
	required, optional bool

	values   []string
	min, max *float64
	keys     []string

	// least and most are numbers of elements, and none is set if no valid value is known.
	// They are read for generated conversions only, which do not restore what is invalid.
	least, most int
	none        bool
}

// String returns the fields of the literal.
func (f field) String() string {
	var parts []string
	if f.required {
		parts = append(parts, "Required: true")
	}
	if f.optional {
		parts = append(parts, "Optional: true")
	}
	for _, list := range []struct {
		name   string
		values []string
	}{{"Values", f.values}, {"Keys", f.keys}} {
		if len(list.values) > 0 {
			quoted := make([]string, len(list.values))
			for i, value := range list.values {
				quoted[i] = strconv.Quote(value)
				if strconv.CanBackquote(value) {
					quoted[i] = "`" + value + "`"
				}
			}
			parts = append(parts, fmt.Sprintf("%s: []string{%s}", list.name, strings.Join(quoted, ", ")))
		}
	}
	for _, count := range []struct {
		name  string
		value int
	}{{"Least", f.least}, {"Most", f.most}} {
		if count.value > 0 {
			parts = append(parts, fmt.Sprintf("%s: %d", count.name, count.value))
		}
	}
	if f.none {
		parts = append(parts, "None: true")
	}
	for _, bound := range []struct {
		name  string
		value *float64
	}{{"Min", f.min}, {"Max", f.max}} {
		if bound.value != nil {
			parts = append(parts, fmt.Sprintf("%s: %q", bound.name, strconv.FormatFloat(*bound.value, 'f', -1, 64)))
		}
	}
	return strings.Join(parts, ", ")
}

// fields collects the fields and types below the roots for which there is something to say.
type fields struct {
	builder *define.Builder
	// found are the fields of literals, by name.
	found map[string]string
	seen  map[*source.Type]bool
	// near are the beginnings of the import paths whose types the user probably maintains
	// together with the conversions, in several modules of one repository.
	near map[string]bool
	// roots are the kinds, and rules is set to read all rules of values.
	roots []*written.Pair
	rules bool
	// matching are strings by the rules that they fulfil.
	matching map[textRules][]string
}

func newFields(b *define.Builder) *fields {
	return &fields{builder: b, found: map[string]string{}, seen: map[*source.Type]bool{}, near: map[string]bool{},
		matching: map[textRules][]string{}}
}

// all reads the types of the kinds.
func (fs *fields) all() map[string]string {
	for _, k := range fs.roots {
		fs.near[beginning(k.Spoke.Pkg.Path)] = true
		fs.near[beginning(k.Hub.Pkg.Path)] = true
	}
	for _, k := range fs.roots {
		fs.visit(k.Spoke)
		fs.visit(k.Hub)
	}
	return fs.found
}

// beginning returns the first two elements of an import path.
func beginning(path string) string {
	host, rest, _ := strings.Cut(path, "/")
	owner, _, _ := strings.Cut(rest, "/")
	return host + "/" + owner
}

// described reports whether the markers of a package are read.
func (fs *fields) described(p *source.Package) bool { return p.Local() || fs.near[beginning(p.Path)] }

// visit reads a type and all that it leads to.
func (fs *fields) visit(t *source.Type) {
	if fs.seen[t] {
		return
	}
	fs.seen[t] = true
	name := t.Pkg.Path + "." + t.Label()
	if _, ok := t.Spec.Type.(*ast.StructType); !ok {
		if !fs.described(t.Pkg) {
			return
		}
		f := fs.read(t, schemaType(t.File, t.Spec.Type), t.Load().Markers)
		if t.IsString() && len(f.values) == 0 {
			constants, _ := t.Constants()
			for _, c := range constants {
				f.values = append(f.values, strconv.Quote(c.Value))
			}
		}
		fs.add(name, f)
		fs.expr(t.File, t.Spec.Type)
		return
	}
	optional := fs.builder.Optional(t.Pkg)
	for _, member := range t.Fields() {
		if fs.described(t.Pkg) {
			f := fs.read(t, schemaType(t.File, member.Type), member.Markers)
			omitted := member.JSON().Omits() || member.Name == ""
			required, _ := fs.builder.Requires(member, optional, omitted)
			f.required = required && omitted && member.Name != ""
			f.optional = !required && !omitted
			fs.add(name+"."+member.GoName(), f)
		}
		fs.expr(t.File, member.Type)
	}
}

func (fs *fields) add(name string, f field) {
	if text := f.String(); text != "" {
		fs.found[name] = text
	}
}

// expr visits the types in a type expression.
func (fs *fields) expr(f *source.File, expr ast.Expr) {
	f, expr = f.ResolveExpr(expr)
	if dict, ok := expr.(*ast.MapType); ok {
		fs.expr(f, dict.Key)
	}
	if elem := source.Elem(expr); elem != nil {
		fs.expr(f, elem)
	} else if name, why := f.Resolve(expr); why == nil && name.Type != nil && name.Type.Pkg.Path != source.MetaV1Path {
		fs.visit(name.Type)
	}
}

// schemaType returns the type of a Go type in schemas, or the empty string.
func schemaType(f *source.File, expr ast.Expr) string {
	for range 20 {
		f, expr = f.ResolveExpr(expr)
		switch typed := expr.(type) {
		case *ast.StarExpr:
			expr = typed.X
			continue
		case *ast.ArrayType:
			return "array"
		case *ast.MapType, *ast.StructType:
			return "object"
		}
		name, why := f.Resolve(expr)
		switch basic := name.Predeclared; {
		case why != nil:
			return ""
		case name.Type != nil:
			f = name.Type.File
			expr = name.Type.Spec.Type
			continue
		case basic == "string":
			return "string"
		case basic == "bool":
			return "boolean"
		case strings.HasPrefix(basic, "float"):
			return "number"
		default:
			return "integer"
		}
	}
	return ""
}

// read returns what markers say about values.
func (fs *fields) read(t *source.Type, schemaType string, set source.Markers) (out field) {
	set = slices.DeleteFunc(slices.Clone(set), func(m *markers.Marker) bool { return m.Stage() == markers.NoStage })
	if len(set) == 0 {
		return out
	}
	schema := &structural.Schema{}
	schema.Type = schemaType
	enum := func(*apiextensionsv1.JSONSchemaProps) error { return nil }
	// Markers that do not fit are reported when the definitions are generated.
	unread := &report.Reporter{Fset: fs.builder.Reporter.Fset}
	edits.ApplyMarkers(unread, keywords.Of(schema), false, t.Pkg, set, enum)
	switch schema.XListType {
	case "map":
		out.keys = schema.XListMapKeys
	case "set":
		out.keys = []string{"."}
	}
	validation := schema.ValueValidation
	if validation == nil {
		return out
	}
	out.min = validation.Minimum
	out.max = validation.Maximum
	for _, value := range validation.Enum {
		out.values = append(out.values, string(value.Raw))
	}
	if schemaType == "string" && len(out.values) == 0 {
		out.values = fs.texts(validation)
	}
	if !fs.rules {
		return out
	}
	switch schemaType {
	case "string":
		restricted := validation.Pattern != "" || validation.Format != "" || validation.MinLength != nil && *validation.MinLength > 1 || validation.MaxLength != nil && *validation.MaxLength < 2
		out.none = restricted && len(out.values) == 0
		if validation.MinLength != nil && *validation.MinLength > 0 && len(out.values) == 0 {
			out.least = 1
		}
	case "array":
		out.least, out.most = counts(validation.MinItems, validation.MaxItems)
		out.none = out.least > 5 || validation.MaxItems != nil && *validation.MaxItems == 0
	case "object":
		out.least, out.most = counts(validation.MinProperties, validation.MaxProperties)
		out.none = out.least > 5 || validation.MaxProperties != nil && *validation.MaxProperties == 0
	}
	return out
}

// counts returns bounds that none to three elements may not fulfil, or 0.
func counts(minimum, maximum *int64) (least, most int) {
	if minimum != nil {
		least = int(*minimum)
	}
	if maximum != nil && *maximum < 3 {
		most = int(*maximum)
	}
	return least, most
}

// textRules are the rules of strings, with -1 for lengths without a bound.
type textRules struct {
	pattern, format string
	least, most     int64
}

// texts is textsOf, which is called once for the same rules: many fields have those of
// Kubernetes' names.
func (fs *fields) texts(v *structural.ValueValidation) []string {
	rules := textRules{v.Pattern, v.Format, -1, -1}
	if v.MinLength != nil {
		rules.least = *v.MinLength
	}
	if v.MaxLength != nil {
		rules.most = *v.MaxLength
	}
	known, ok := fs.matching[rules]
	if !ok {
		known = fs.textsOf(v)
		fs.matching[rules] = known
	}
	return known
}

// textsOf returns strings that fulfil the rules of a node, if simple ones may not.
func (fs *fields) textsOf(validation *structural.ValueValidation) (out []string) {
	pattern, err := regexp.Compile(validation.Pattern)
	short := fs.rules && validation.MaxLength != nil && *validation.MaxLength < 2
	if err != nil || validation.Pattern == "" && validation.Format == "" && (validation.MinLength == nil || *validation.MinLength <= 1) && !short {
		return nil
	}
	candidates := []string{
		"a", "b", "10", "5m", "1h", "1Gi", "10%", "1.2.3", "v1.2.3", "10.0.0.1", "10.0.0.2", "10.0.0.0/8", "10.1.0.0/16", "fd00::1", "fd00::/64",
		"a.example.com", "b.example.com", "example.com/a", "https://example.com/a", "https://example.com/b", "2024-01-02T03:04:05Z", "2024-01-02",
		"123e4567-e89b-42d3-a456-426614174000", "YQ==", "A", "B", "ab", "abc", "a-b", "subnet-0a", "ami-0a", "arn:aws:iam::123456789012:role/a",
		"sha256:" + strings.Repeat("0", 64), strings.Repeat("a", 20), strings.Repeat("b", 20),
	}
	if text, ok := unions.TextMatching(validation.Pattern); fs.rules && ok && validation.Pattern != "" {
		candidates = append(candidates, text)
	}
	if fs.rules && validation.MinLength != nil {
		candidates = append(candidates, strings.Repeat("a", int(min(*validation.MinLength, 1000))))
	}
	formats := map[string]string{
		"date-time": `^\d{4}-\d\d-\d\dT`, "date": `^\d{4}-\d\d-\d\d$`, "duration": `^\d+[mh]$`, "ipv4": `^\d+\.\d+\.\d+\.\d+$`, "ipv6": `^fd00::\d$`,
		"cidr": `/\d+$`, "uri": `^https:`, "uuid": `^123e`, "byte": `==$`, "hostname": `example\.com$`,
	}
	format, err := regexp.Compile(formats[validation.Format])
	if err != nil {
		return nil
	}
	for _, text := range candidates {
		if len(out) < 4 && pattern.MatchString(text) && format.MatchString(text) && (validation.MinLength == nil ||
			len(text) >= int(*validation.MinLength)) && (validation.MaxLength == nil || len(text) <= int(*validation.MaxLength)) {
			out = append(out, plainjson.Text(text))
		}
	}
	return out
}

// dropped returns the paths below a type whose loss is documented.
func dropped(t *source.Type) (out []string) {
	var visit func(f *source.File, expr ast.Expr, path string, depth int)
	members := func(t *source.Type, path string, depth int) {
		for _, member := range t.Fields() {
			location := path
			if name := member.JSON().Name; name != "" {
				location += "." + name
			}
			if member.Markers.Get(markers.ConvertPrefix+"drop") != nil {
				out = append(out, location)
				continue
			}
			visit(t.File, member.Type, location, depth+1)
		}
	}
	visit = func(f *source.File, expr ast.Expr, path string, depth int) {
		if depth > 12 {
			return
		}
		f, expr = f.ResolveExpr(expr)
		switch expr := expr.(type) {
		case *ast.StarExpr:
			visit(f, expr.X, path, depth)
		case *ast.ArrayType:
			visit(f, expr.Elt, path+"[]", depth)
		case *ast.MapType:
			visit(f, expr.Value, path+"[]", depth)
		case *ast.Ident, *ast.SelectorExpr:
			if name, why := f.Resolve(expr); why == nil && name.Type != nil && name.Type.Pkg.Local() {
				if _, ok := name.Type.Spec.Type.(*ast.StructType); ok {
					members(name.Type, path, depth)
				} else {
					visit(name.Type.File, name.Type.Spec.Type, path, depth+1)
				}
			}
		}
	}
	members(t, "", 0)
	return out
}
