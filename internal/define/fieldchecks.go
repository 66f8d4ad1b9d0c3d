package define

import (
	"fmt"
	"go/ast"
	"go/token"
	"math"
	"slices"
	"strconv"
	"strings"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/edits"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/notes"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/yamltext"
	"github.com/schemagen/schemagen/structural"
)

// This file checks properties of a field that a schema cannot express: its Go type and its
// tags. Every tool accepts these mistakes, but they have no effect or an unintended one.

// fieldChecker reports mistakes in the tags and markers of fields.
type fieldChecker struct{ *Builder }

// checkField checks the tags and markers of a field in the user's packages.
func (c fieldChecker) checkField(t *source.Type, field *source.Field, tag source.JSONTag) {
	if !t.Pkg.Local() {
		return
	}
	c.checkTag(t, field, tag)
	if !tag.Has("inline") {
		c.checkExported(t, field, "the schema has field %s as %q, but encoding/json ignores it: the field is not exported")
		c.checkName(t, field, tag.Name)
		c.checkYAML(t, field, tag.Name)
	}
	if tag.Name != "" {
		c.checkPresence(t, field)
	}
	if !tag.Has("string") {
		c.checkRange(t.File, field.Type, field.Markers)
	}
	c.checkPatch(t, field)
}

// isJSONOption reports whether an option is known to encoding/json, the Kubernetes
// libraries, or another library that reads json tags.
func isJSONOption(option string) bool {
	switch option {
	case "", "omitempty", "omitzero", "string", "inline",
		"required", "nocopy", "intern", "embed", "unknown", "nocase", "strictcase", "squash", "remain", "flow", "nullable", "optional":
		return true
	}
	return strings.ContainsAny(option, `'":`) // encoding/json/v2
}

// checkTag reports json tag options that are probably misspelled forms of options that change a
// schema. Other unknown options may belong to other libraries.
func (c fieldChecker) checkTag(t *source.Type, field *source.Field, tag source.JSONTag) {
	report := func(should, hint, format string, args ...any) {
		d := c.Reporter.Report(report.MisleadingJSONTag, t.Pkg.At(field.Pos), hint, format, args...)
		c.fixTag(d, t, field, should)
	}
	for option := range strings.SplitSeq(tag.Options, ",") {
		if isJSONOption(option) {
			continue
		}
		word := strings.TrimSpace(option)
		nearest, ok := words.Nearest(strings.ToLower(word), schemaOptions())
		if ok && (strings.HasPrefix(nearest, "omit") || oneOff(word, nearest)) {
			report(strings.Replace(tag.Text, ","+option, ","+nearest, 1), "write "+nearest, "field %s: unknown json tag option %q is ignored", field.Label(), option)
		}
	}
	name := tag.Name
	if name == "inline" && field.Name == "" {
		report(",inline", "write `json:\",inline\"`", "embedded field %s has the JSON name \"inline\"", field.Label())
		return
	}
	end := strings.LastIndexAny(name, ";:| ") + 1
	if option := name[end:]; end > 0 && slices.Contains(schemaOptions(), option) || strings.HasPrefix(name, "omit") && slices.Contains(schemaOptions(), name) && !strings.EqualFold(field.Name, name) {
		should := strings.TrimRight(name[:end], ";:| ")
		if should == "" {
			should = jsonName(field.Label())
		}
		should += "," + option
		report(should, fmt.Sprintf("write `json:\"%s\"`", should), "field %s has the JSON name %q", field.Label(), name)
	}
}

// checkExported reports a field with a JSON name that encoding/json ignores because it is not exported. The
// message has the Go name and the JSON name of the field.
func (c fieldChecker) checkExported(t *source.Type, field *source.Field, message string) {
	tag := field.JSON()
	if tag.Name == "" || tag.Excluded || !t.Pkg.Local() || !isIgnored(t.File, field) || writesItself(t) {
		return
	}
	c.Reporter.Report(report.MisleadingJSONTag, t.Pkg.At(field.Pos), "export the field, or write `json:\"-\"`", message, field.Label(), tag.Name)
}

// isIgnored reports whether encoding/json ignores a field whatever its tag: it is not exported, nor an embedded
// struct, whose fields may be.
func isIgnored(f *source.File, field *source.Field) bool {
	if ast.IsExported(field.GoName()) {
		return false
	}
	return field.Name != "" || source.UnderlyingOf(f, source.Pointee(field.Type)).Kind != source.KindStruct
}

// checkName reports a name that encoding/json ignores because of its characters.
func (c fieldChecker) checkName(t *source.Type, field *source.Field, name string) {
	if name == "" || source.IsJSONName(name) || isIgnored(t.File, field) || writesItself(t) {
		return
	}
	c.Reporter.Report(report.MisleadingJSONTag, t.Pkg.At(field.Pos), "write a name of letters and digits",
		"field %s: encoding/json ignores the name %q because of its characters", field.Label(), name)
}

// checkYAML reports a name that YAML reads as another one.
func (c fieldChecker) checkYAML(t *source.Type, field *source.Field, name string) {
	key, ok := yamltext.KeyOf(name)
	if name == "" || ok && key == name {
		return
	}
	if !ok {
		key = "a value that cannot be a name"
	}
	c.Reporter.Report(report.ConvertedName, t.Pkg.At(field.Pos), "choose another name; in a released API, tell users to write "+strconv.Quote(name),
		"field %s: in YAML, the name %s without quotes is read as %s", field.Label(), name, key)
}

// schemaOptions returns the json tag options that change a schema.
func schemaOptions() []string { return []string{"omitempty", "omitzero", "inline", "string"} }

// oneOff reports whether two words differ only in case, in the order of their letters, or
// in one letter that one of them lacks. Short words are similar to many, so this is
// stricter than words.Nearest.
func oneOff(a, b string) bool {
	letters := func(text string) string {
		out := []byte(strings.ToLower(text))
		slices.Sort(out)
		return string(out)
	}
	x := letters(a)
	y := letters(b)
	if len(x) > len(y) {
		x, y = y, x
	}
	for i := range y {
		if x == y || len(x)+1 == len(y) && x == y[:i]+y[i+1:] {
			return true
		}
	}
	return false
}

// checkPresence reports a field that is marked both optional and required. A field may be
// marked +optional and "+k8s:required": Kubernetes' own tag may refer to the object after
// defaulting. No meaning of "+k8s:optional" allows another marker that requires the field.
func (c fieldChecker) checkPresence(t *source.Type, field *source.Field) {
	if len(field.Markers) < 2 {
		return
	}
	isTag := func(m *markers.Marker) bool { return strings.HasPrefix(m.Name, "k8s:") }
	plain := c.checkPresenceOf(t, field, func(m *markers.Marker) bool { return !isTag(m) })
	tags := c.checkPresenceOf(t, field, isTag)
	if !plain && !tags {
		c.checkPresenceOf(t, field, func(m *markers.Marker) bool { return isTag(m) != m.Presence().Required() })
	}
}

// checkPresenceOf compares the markers of a field that are included, and reports whether they
// contradict each other.
func (c fieldChecker) checkPresenceOf(t *source.Type, field *source.Field, included func(*markers.Marker) bool) bool {
	var first, conflicting *markers.Marker
	for p := markers.KubebuilderOptional; p <= markers.Required; p++ {
		i := slices.IndexFunc(field.Markers, func(m *markers.Marker) bool { return m.Presence() == p && included(m) })
		switch {
		case i < 0:
		case first == nil:
			first = field.Markers[i]
		case conflicting == nil && p.Required() != first.Presence().Required():
			conflicting = field.Markers[i]
		}
	}
	if conflicting == nil {
		return false
	}
	d := c.Reporter.Report(report.OptionalAndRequired, t.Pkg.At(conflicting.Pos), "remove one of the markers",
		"field %s is marked as both optional and required: +%s takes precedence", field.Label(), first.Name)
	written, _ := t.File.Tree()
	c.Reporter.Delimit(d, conflicting.End(), markers.Removal(written, conflicting.Pos))
	d.Related = append(d.Related, diag.Related{Pos: c.Reporter.Position(first.Pos), Message: "the other marker"})
	return true
}

// checkRange reports bounds that do not fit the Go integer type of a declaration. Bounds
// that do not fit the format of the schema are reported during verification.
func (c fieldChecker) checkRange(file *source.File, typ ast.Expr, set source.Markers) {
	if set.Get(markers.SchemaTypeName) != nil {
		return
	}
	for _, marker := range set {
		var value float64
		keyword := ""
		switch v := marker.Value.(type) {
		case crdmarkers.Minimum:
			value = float64(v)
			keyword = "minimum"
			if e := set.Get(strings.Replace(marker.Name, "Minimum", "ExclusiveMinimum", 1)); e != nil && e.Value == crdmarkers.ExclusiveMinimum(true) {
				value++
			}
		case crdmarkers.Maximum:
			value = float64(v)
			keyword = "maximum"
			if e := set.Get(strings.Replace(marker.Name, "Maximum", "ExclusiveMaximum", 1)); e != nil && e.Value == crdmarkers.ExclusiveMaximum(true) {
				value--
			}
		default:
			continue
		}
		if strings.HasPrefix(marker.Name, crdmarkers.ValidationItemsPrefix) {
			body := source.UnderlyingOf(file, source.Pointee(typ))
			list, ok := body.Expr.(*ast.ArrayType)
			if !ok {
				continue
			}
			c.checkBound(body.File, list.Elt, marker, keyword, value, file)
			continue
		}
		c.checkBound(file, typ, marker, keyword, value, file)
	}
}

func (c fieldChecker) checkBound(f *source.File, typ ast.Expr, m *markers.Marker, keyword string, value float64,
	file *source.File) {
	name := plainInteger(f, typ)
	low, high, ok := integerRange(name)
	if !ok || value >= low && value <= high {
		return
	}
	text := fmt.Sprintf("%s %v is out of range for %s: the schema allows values that Go clients cannot decode", keyword, value, name)
	hint := fmt.Sprintf("the range of %s is %.0f to %.0f", name, low, high)
	if math.IsInf(high, 1) {
		hint = name + " cannot hold negative numbers"
	}
	if keyword == "minimum" && value > high || keyword == "maximum" && value < low {
		text = fmt.Sprintf("%s %v is out of range for %s: Go clients cannot decode any allowed value", keyword, value, name)
	}
	c.Reporter.Report(report.BoundOutsideGoType, file.Pkg.At(m.Pos), hint, "%s", text)
}

// plainInteger returns the name of the predeclared type underlying typ, or the empty string
// if there is none or typ has its own JSON encoding.
func plainInteger(file *source.File, typ ast.Expr) string {
	typ = source.Pointee(typ)
	for range 100 {
		if ident, ok := typ.(*ast.Ident); ok {
			if arg, bound := file.Params[ident.Name]; bound {
				file = arg.File
				typ = arg.Expr
				continue
			}
		}
		target, missing := file.Resolve(typ)
		if missing != nil {
			return ""
		}
		if target.Type == nil {
			return target.Predeclared
		}
		for _, method := range []string{"MarshalJSON", "UnmarshalJSON", "MarshalText", "UnmarshalText", "MarshalJSONTo", "UnmarshalJSONFrom"} {
			if target.Type.HasMethod(method) {
				return ""
			}
		}
		file = target.Type.File
		typ = target.Type.Spec.Type
		switch typ.(type) {
		case *ast.Ident, *ast.SelectorExpr:
		default:
			return ""
		}
	}
	return ""
}

// integerRange returns the range of an integer type that no schema format expresses. int32
// and int64 have formats.
func integerRange(name string) (low, high float64, ok bool) {
	switch name {
	case "int8":
		return math.MinInt8, math.MaxInt8, true
	case "int16":
		return math.MinInt16, math.MaxInt16, true
	case "uint8", "byte":
		return 0, math.MaxUint8, true
	case "uint16":
		return 0, math.MaxUint16, true
	case "uint", "uint32", "uint64", "uintptr":
		return 0, math.Inf(1), true
	}
	return 0, 0, false
}

// checkPatch reports an unknown patchStrategy, and a patchMergeKey that is not the name of
// a field, in struct tags and markers. A value that appears in both is reported once.
func (c fieldChecker) checkPatch(t *source.Type, field *source.Field) {
	if len(field.Comments) == 0 && !strings.Contains(string(field.Tag), "patch") {
		return
	}
	for _, name := range []string{"patchStrategy", "patchMergeKey"} {
		check := c.checkStrategy
		if name == "patchMergeKey" {
			check = c.checkMergeKey
		}
		tag := field.Tag.Get(name)
		if tag != "" {
			check(t, field, field.Pos, tag)
		}
		for _, c := range field.Comments {
			if value, ok := strings.CutPrefix(c.Text, "+"+name+"="); ok && strings.TrimSpace(value) != tag {
				check(t, field, c.Pos, strings.TrimSpace(value))
			}
		}
	}
}

func (c fieldChecker) checkStrategy(t *source.Type, field *source.Field, pos token.Pos, value string) {
	known := []string{"merge", "replace", "retainKeys"}
	for strategy := range strings.SplitSeq(value, ",") {
		if !slices.Contains(known, strategy) {
			d := c.Reporter.Report(report.UnknownPatchStrategy, t.Pkg.At(pos), words.DidYouMean(strategy, known, "the patch strategies are merge, replace, retainKeys"),
				"field %s: unknown patchStrategy %q", field.Label(), strategy)
			c.fixPatch(d, t, field, pos, "patchStrategy", value, strategy, known)
		}
	}
}

func (c fieldChecker) checkMergeKey(t *source.Type, field *source.Field, pos token.Pos, key string) {
	list := source.UnderlyingOf(t.File, source.Pointee(field.Type))
	array, ok := list.Expr.(*ast.ArrayType)
	if !ok {
		return
	}
	names, known := jsonNames(list.File, array.Elt, 0)
	if !known || slices.Contains(names, key) {
		return
	}
	d := c.Reporter.Report(report.UnknownPatchStrategy, t.Pkg.At(pos), words.DidYouMean(key, names, "use the JSON name of a field of the elements"),
		"field %s: patchMergeKey %q is not a field of the elements", field.Label(), key)
	c.fixPatch(d, t, field, pos, "patchMergeKey", key, key, names)
}

// fixPatch adds the fix that replaces a word of a value by the one that was probably meant: in
// the marker at a position, or, at that of the field, in its tag and in markers that repeat it.
func (c fieldChecker) fixPatch(d *diag.Diagnostic, t *source.Type, field *source.Field, pos token.Pos,
	key, value, word string, known []string) {
	nearest, ok := words.Nearest(word, known)
	if !ok {
		return
	}
	meant := strings.Replace(value, word, nearest, 1)
	var edits []*markers.Edit
	if pos == field.Pos {
		edits = append(edits, report.SetTag(report.FieldAt(t.File, field.Pos), key, meant))
	}
	for _, m := range field.Comments {
		if m.Text == "+"+key+"="+value && (pos == field.Pos || pos == m.Pos) {
			position := m.PosAt(len("+" + key + "="))
			edits = append(edits, &markers.Edit{Pos: position, End: m.End(), New: meant})
		}
	}
	c.Reporter.Fix(d, "write "+nearest, edits...)
}

// jsonNames returns the JSON names of the fields of a struct, including those of inlined
// structs. known is false if some cannot be determined.
func jsonNames(f *source.File, typ ast.Expr, depth int) (names []string, known bool) {
	body := source.UnderlyingOf(f, source.Pointee(typ))
	st, ok := body.Expr.(*ast.StructType)
	if !ok || depth > 20 {
		return nil, false
	}
	for _, field := range st.Fields.List {
		switch tag := source.JSONTagOf(source.TagOf(field)); {
		case tag.Name == "" && len(field.Names) == 0 || tag.Has("inline"):
			inner, known := jsonNames(body.File, field.Type, depth+1)
			if !known {
				return nil, false
			}
			names = append(names, inner...)
		case tag.Name != "":
			names = append(names, tag.Name)
		default:
			for _, ident := range field.Names {
				names = append(names, ident.Name)
			}
		}
	}
	return names, true
}

// Checks of finished schemas.
type (
	// checkUnsigned warns about an unsigned integer whose schema allows negative numbers.
	checkUnsigned struct {
		*Builder
		file *source.File
		name string
	}
	// checkQuoted warns about a field that is a string in JSON because of its json option,
	// but has another type in its schema.
	checkQuoted struct {
		reporter *report.Reporter
		field    string
	}
	// checkIntegerKeys reports a map with integers as keys whose schema does not keep its entries.
	checkIntegerKeys struct {
		reporter *report.Reporter
		wrong    diag.Diagnostic
	}
)

func (op checkIntegerKeys) Apply(_ *edits.Editor, s *structural.Schema) {
	if s.XPreserveUnknownFields != nil && *s.XPreserveUnknownFields || s.AdditionalProperties != nil || len(s.Properties) > 0 {
		return
	}
	op.reporter.Add(op.wrong)
	s.XPreserveUnknownFields = new(true) // no further findings
	s.Origin.Mistake = notes.InShape
}

func (op checkUnsigned) Apply(e *edits.Editor, s *structural.Schema) {
	if s.Origin.Mistake == notes.NoMistake && s.Type == "integer" && (s.ValueValidation == nil || s.Minimum == nil && len(s.Enum) == 0 && len(s.AllOf) == 0) {
		d := op.Reporter.Report(report.UnsignedWithoutMinimum, e.Pkg.At(e.Pos), "write +kubebuilder:validation:Minimum=0, or +schemagen:enable=unsigned above the package clause",
			"%s has no minimum: the API server accepts negative numbers, which Go cannot decode", op.name)
		op.Reporter.Fix(d, "write a minimum of 0", op.minimumEdit(op.file, e.Pos))
	}
}

func (op checkQuoted) Apply(e *edits.Editor, s *structural.Schema) {
	if s.Origin.Mistake != notes.NoMistake || s.Type == "" || s.Type == "string" || s.XIntOrString {
		return
	}
	op.reporter.Report(report.QuotedField, e.Pkg.At(e.Pos), "remove the json option \"string\", or write // +schemagen:enable=string-option above the package clause",
		"field %s is written as a string in JSON, but its schema type is %s", op.field, s.Type)
}
