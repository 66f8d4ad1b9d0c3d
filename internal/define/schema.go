package define

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/define/edits"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/notes"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// Builder builds the drafts of types. A type is built once, when the first reference to it
// is found.
type Builder struct {
	// Run is the run that the builder belongs to.
	Run *Run
	// Reporter collects the findings of the run.
	Reporter *report.Reporter
	// Options are the options of the run.
	Options *Options
	// declaredObjectMeta builds the schema of ObjectMeta from its declaration.
	declaredObjectMeta bool
	types              map[*source.Type]*draft
	// overrides are the markers of the kinds' package about types of other packages.
	overrides []*override
	// reached are the packages whose types have been used, in the order of first use. Their
	// groups determine which versions a kind has, so the order matters. All builders of a
	// run share the list.
	reached *[]*source.Package
}

// reject reports a schema that the API server would reject but controller-gen writes. With
// SkipVerify it is only a warning and the schema is written, since the project may replace
// it later.
func (b *Builder) reject(kind *diag.Kind, origin source.Origin, hint, format string, args ...any) *diag.Diagnostic {
	if !b.Options.SkipVerify && !b.Options.Final {
		hint += "; --skip-verify writes it as controller-gen does"
	}
	d := b.Reporter.Report(kind, origin, hint, format, args...)
	if b.Options.SkipVerify {
		d.Severity = diag.Warning
	}
	return d
}

// reach records that a type of the package is used.
func (b *Builder) reach(p *source.Package) {
	if !slices.Contains(*b.reached, p) {
		*b.reached = append(*b.reached, p)
	}
}

// build returns the draft of a declared type. It builds it on the first call.
func (b *Builder) build(t *source.Type) *draft {
	if d, ok := b.types[t]; ok {
		return d
	}
	b.Run.usesOf(t).built = true
	if t.Generic != nil {
		b.Run.usesOf(t.Generic).built = true
	}
	if len(b.overrides) > 0 {
		if d := b.buildOverridden(t); d != nil {
			return d
		}
	}
	if d := b.known(t); d != nil {
		d.pkg = t.Pkg
		d.origin.Pos = t.Spec.Name.Pos()
		b.types[t] = d
		return d
	}
	b.reach(t.Pkg)
	b.types[t] = &draft{pkg: t.Pkg} // placeholder for types that contain themselves
	d := b.declared(t.Load())
	d.origin.Mistake = max(d.origin.Mistake, mistakeOf(t.Malformed))
	if len(b.overrides) > 0 {
		d.edits = append(d.edits, b.overrideEdits(t)...)
	}
	b.types[t] = d
	return d
}

// known returns the draft of a type whose schema does not follow from its declaration, or
// nil.
func (b *Builder) known(t *source.Type) *draft {
	if b.declaredObjectMeta && t.Pkg.Path == metav1Path && t.Spec.Name.Name == "ObjectMeta" {
		return nil
	}
	if b.Options.EmbeddedObjectMeta && t.Pkg.Path == metav1Path && t.Spec.Name.Name == "ObjectMeta" {
		return objectMeta()
	}
	return KnownType(t.Pkg.Path, t.Spec.Name.Name)
}

// buildOverridden returns the draft of a type whose schema is replaced by an override, or
// nil.
func (b *Builder) buildOverridden(t *source.Type) *draft {
	o := b.overridden(t)
	if o == nil {
		return nil
	}
	inner, _ := o.marker.Inner()
	set, _ := b.Run.ParseMarkers(o.pkg, []markers.Comment{inner}, markers.Type)
	if len(set) == 0 {
		return nil
	}
	d := b.schemaNode(t.File, t.Spec.Name.Pos(), o.pkg, set[0])
	d.Description = cmp.Or(d.Description, t.Load().Doc)
	b.types[t] = d
	return d
}

// schemaNode returns the draft of a node whose schema is given by a marker in package p.
func (b *Builder) schemaNode(f *source.File, pos token.Pos, p *source.Package, m *markers.Marker) *draft {
	fragment := b.Run.edits.Fragment(p, m)
	if fragment == nil {
		return b.failed(f, pos)
	}
	d := draftOf(fragment, f.Pkg)
	d.origin.Pos = pos
	return d
}

// declared returns the draft of a type based on its declaration. The schema of a type with
// its own marshaling is determined by its markers or is a string.
func (b *Builder) declared(t *source.Type) *draft {
	b.checkRecursion(t)
	if m := t.Markers.Get(markers.SchemaName); m != nil {
		d := b.schemaNode(t.File, t.Spec.Name.Pos(), t.Pkg, m)
		d.Description = cmp.Or(d.Description, t.Doc)
		b.applyMarkers(d, t.Markers, t)
		return d
	}
	switch {
	case (setsType(t.Markers) || isUntaggedIntOrString(t)) && t.Marshals("MarshalJSON"):
		d := b.node(t.File, t.Spec.Name.Pos())
		b.applyMarkers(d, t.Markers, t)
		return d
	case t.Marshals("MarshalText") && !t.Marshals("MarshalJSON"): // MarshalText is the rarer one and is checked first
		d := b.node(t.File, t.Spec.Name.Pos())
		d.Type = "string"
		b.applyMarkers(d, t.Markers, t)
		if d.Type != "string" {
			b.Reporter.Report(report.TextMarshalerNotString, t.Pkg.At(d.origin.Of("type")), "remove the marker, or add a MarshalJSON method",
				"%s implements encoding.TextMarshaler but its schema type is not string: %q", t, d.Type)
		}
		return d
	}
	return b.expr(t.File, t.Spec.Type, t)
}

// setsType reports whether the markers of a type set the type of its schema. XIntOrString does
// not.
func setsType(set source.Markers) bool {
	sets := false
	for _, m := range set {
		switch value := m.Value.(type) {
		case crdmarkers.Type:
			if !strings.HasPrefix(m.Name, crdmarkers.ValidationItemsPrefix) {
				sets = value != "" // the last marker takes precedence
			}
		case crdmarkers.K8sEnum:
			return true
		}
	}
	return sets
}

// isUntaggedIntOrString reports whether a type is marked as an integer or a string, and has fields
// that are not part of its JSON. controller-gen, which goes through the fields, rejects it.
func isUntaggedIntOrString(t *source.Type) bool {
	isMarked := slices.ContainsFunc(t.Markers, func(m *markers.Marker) bool {
		_, ok := m.Value.(crdmarkers.XIntOrString)
		return ok && !strings.HasPrefix(m.Name, crdmarkers.ValidationItemsPrefix)
	})
	return isMarked && slices.ContainsFunc(t.Fields(), func(f *source.Field) bool { return !f.JSON().IsSet })
}

// failed returns the draft for a declaration without a schema, after the error has been
// reported. It accepts any value, to avoid further findings.
func (b *Builder) failed(f *source.File, pos token.Pos) *draft {
	d := b.node(f, pos)
	d.XPreserveUnknownFields = new(true)
	d.failed = true
	d.origin.Mistake = notes.InShape
	return d
}

// node returns an empty draft for a position in a file.
func (b *Builder) node(f *source.File, pos token.Pos) *draft {
	return &draft{pkg: f.Pkg, origin: structural.Origin{Pos: pos}}
}

// expr returns the draft of a type expression. If the expression is the declaration of a
// type, that is owner, whose documentation and markers apply; otherwise owner is nil.
func (b *Builder) expr(file *source.File, expr ast.Expr, owner *source.Type) *draft {
	var d *draft
	switch typed := expr.(type) {
	case *ast.Ident:
		if arg, ok := file.Params[typed.Name]; ok {
			d = b.expr(arg.File, arg.Expr, nil)
			d.pkg = file.Pkg
			break
		}
		d = b.ident(file, typed)
	case *ast.SelectorExpr:
		d = b.qualified(file, typed)
		b.checkDuration(typed, d, owner)
	case *ast.ArrayType:
		d = b.array(file, typed)
	case *ast.MapType:
		d = b.mapType(file, typed)
	case *ast.StarExpr:
		d = b.expr(file, typed.X, nil)
	case *ast.StructType:
		if owner == nil {
			d = b.structType(source.AnonymousStruct(file, typed))
			break
		}
		d = b.structType(owner)
	case *ast.InterfaceType:
		b.Reporter.ReportType(report.TypeWithoutSchema, file.Pkg.At(expr.Pos()), interfaceHint, "interface types have no schema")
		return b.failed(file, expr.Pos())
	case *ast.IndexExpr, *ast.IndexListExpr:
		d = b.instance(file, typed)
	default:
		b.Reporter.ReportType(report.TypeWithoutSchema, file.Pkg.At(expr.Pos()), "", "%s has no schema", GoSyntax(expr))
		return b.failed(file, expr.Pos())
	}
	if owner != nil {
		d.origin.Pos = owner.Spec.Name.Pos()
		d.Description = owner.Doc
		b.applyMarkers(d, owner.Markers, owner)
	}
	return d
}

const interfaceHint = "use apiextensionsv1.JSON for arbitrary JSON, runtime.RawExtension for an embedded object, or write the schema yourself: +schemagen:schema={x-kubernetes-preserve-unknown-fields: true}"

// GoSyntax describes a type expression for messages.
func GoSyntax(expr ast.Expr) string {
	switch expr.(type) {
	case *ast.FuncType:
		return "a function type"
	case *ast.ChanType:
		return "a channel type"
	case *ast.ParenExpr:
		return "a type in parentheses"
	}
	return fmt.Sprintf("this type expression (%T)", expr)
}

// missing reports a name that cannot be resolved.
func (b *Builder) missing(file *source.File, expr ast.Expr, why *source.Unresolved) *draft {
	if why.ImportPath == "" {
		if qualifier := source.UnimportedQualifier(file, expr); qualifier != "" && excludedHint(file, expr) == "" {
			b.Reporter.MissingImport(file.Name+" "+qualifier, expr.Pos(), source.ExprName(expr), func() {
				hint, message := report.Unimported(source.ExprName(expr))
				b.Reporter.ReportType(report.UnknownType, file.Pkg.At(expr.Pos()), hint, "%s", message)
			})
			return b.failed(file, expr.Pos())
		}
		if _, erased := file.ErasedType(expr); erased != nil {
			marker := "+" + markers.WhenName + "(" + erased.Condition + ")"
			what := "the field"
			hint := "write above the field: // " + marker
			edit := (*markers.Edit)(nil)
			if field := report.FieldAt(file, expr.Pos()); field == nil {
				what = "the type"
				hint = "write above the type: // " + marker
			} else if isConditional(file, field) {
				hint = "the condition of the field has to require " + erased.Condition + ", too"
			} else {
				edit = b.Reporter.MarkerAbove(file, field.Pos(), marker)
			}
			d := b.Reporter.Report(report.NeedsErased, file.Pkg.At(expr.Pos()), hint,
				"%s needs type %s, which does not exist here: its condition is %s", what, source.ExprName(expr), erased.Condition)
			d.Related = []diag.Related{{Pos: b.Reporter.Position(erased.Pos), Message: "the condition"}}
			b.Reporter.Fix(d, "write // "+marker, edit)
			return b.failed(file, expr.Pos())
		}
		b.Reporter.ReportType(report.UnknownType, file.Pkg.At(expr.Pos()), excludedHint(file, expr), "unknown type %s", source.ExprName(expr))
		return b.failed(file, expr.Pos())
	}
	b.Reporter.MissingImport(why.ImportPath, expr.Pos(), source.ExprName(expr), func() {
		b.Reporter.ReportType(report.ImportNotFound, file.Pkg.At(expr.Pos()), report.ImportHint(file.Pkg, why.ImportPath),
			"cannot find package %q, which declares %s", why.ImportPath, source.ExprName(expr))
	})
	return b.failed(file, expr.Pos())
}

// excludedHint returns a hint if the type is declared in a file that is not part of the
// build, or the empty string.
func excludedHint(f *source.File, expr ast.Expr) string {
	switch name := f.Excluded(expr); {
	case name == "":
		return ""
	case strings.HasSuffix(name, "_test.go"):
		return "it is declared in " + name + ", a test file"
	default:
		return "it is declared in " + name + ", which the build constraints of this run exclude: see tags in schemagen.yaml, GOOS and GOARCH"
	}
}

// reportMissing reports an unresolved import without which a type may not be recognized as
// a kind.
func reportMissing(t *source.Type, r *report.Reporter, expr ast.Expr, importPath string) {
	r.MissingImport(importPath, expr.Pos(), source.ExprName(expr), func() {
		r.Report(report.ImportNotFound, t.Pkg.At(expr.Pos()), report.ImportHint(t.Pkg, importPath),
			"cannot find package %q, which declares %s", importPath, source.ExprName(expr))
	})
}

// predeclared returns the draft of a predeclared type.
func (b *Builder) predeclared(f *source.File, expr ast.Expr, name string) *draft {
	d := b.node(f, expr.Pos())
	typ, format := BasicSchema(name)
	switch {
	case typ == "number" && !*b.Run.settingsOf(f.Pkg).AllowDangerousTypes:
		b.Reporter.ReportType(report.FloatField, f.Pkg.At(expr.Pos()), "use resource.Quantity or a string, or allow floats with crd.allowDangerousTypes: true in schemagen.yaml (crd:allowDangerousTypes=true)",
			"found %s, whose precision varies across languages", name)
		d.origin.Mistake = notes.InKeywords // rules around it are still checked
	case name == "any" || name == "error" || name == "comparable":
		b.Reporter.ReportType(report.TypeWithoutSchema, f.Pkg.At(expr.Pos()), interfaceHint, "interface type %s has no schema", name)
		return b.failed(f, expr.Pos())
	case typ == "":
		b.Reporter.ReportType(report.TypeWithoutSchema, f.Pkg.At(expr.Pos()), "", "type %s has no schema", name)
		return b.failed(f, expr.Pos())
	}
	d.Type = typ
	if format != "" {
		d.validation().Format = format
	}
	if strings.HasPrefix(name, "u") || name == "byte" {
		b.unsigned(d, f, name)
	}
	return d
}

// unsigned sets the bounds of an unsigned integer if the package enables that. Otherwise it
// adds a check that the finished schema has a minimum.
func (b *Builder) unsigned(d *draft, f *source.File, name string) {
	if !b.Run.Enabled(f.Pkg, markers.FeatureUnsigned) {
		if f.Pkg.Local() {
			d.edits = append(d.edits, &edits.Edit{Pkg: f.Pkg, Pos: d.origin.Pos, Op: checkUnsigned{b, f, name}})
		}
		return
	}
	bounds := edits.NumberBounds{Minimum: new(0.0)}
	switch name {
	case "uint8", "byte":
		bounds.Maximum = new(255.0)
	case "uint16":
		bounds.Maximum = new(65535.0)
	case "uint32":
		// The format int32 would not cover the range of the type.
		bounds.Maximum = new(4294967295.0)
		d.values.Format = "int64"
	}
	d.edits = append(d.edits, &edits.Edit{Pkg: f.Pkg, Pos: d.origin.Pos, Name: markers.EnableName, Op: bounds})
}

// ident returns the draft of an unqualified name. A reference to a basic type, slice or map
// has its type and format, for the markers of a field that check them.
func (b *Builder) ident(f *source.File, ident *ast.Ident) *draft {
	name, why := f.Resolve(ident)
	if why != nil {
		return b.missing(f, ident, why)
	}
	if name.Type == nil {
		return b.predeclared(f, ident, name.Predeclared)
	}
	return b.local(f, ident, name.Type)
}

// local returns the draft of a reference to a type by an unqualified name or an
// instantiation.
func (b *Builder) local(file *source.File, expr ast.Expr, target *source.Type) *draft {
	if target.Spec.Assign.IsValid() {
		// An alias is resolved by one step. An alias of a predeclared or unnamed type is
		// used itself, so that its markers apply; any other is replaced by its target.
		switch target.Spec.Type.(type) {
		case *ast.Ident, *ast.SelectorExpr, *ast.IndexExpr, *ast.IndexListExpr:
			rhs, why := target.File.Resolve(target.Spec.Type)
			if why != nil {
				return b.missing(target.File, target.Spec.Type, why)
			}
			if rhs.Type == nil {
				d := b.predeclared(target.File, target.Spec.Type, rhs.Predeclared)
				d.pkg = file.Pkg
				d.origin.Pos = expr.Pos()
				return b.refer(d, target)
			}
			target = rhs.Type
		}
	}
	if target.Spec.TypeParams.NumFields() > 0 {
		return b.uninstantiated(file, expr)
	}
	d := b.node(file, expr.Pos())
	switch body := source.UnderlyingOf(target.File, target.Spec.Type); body.Kind {
	case source.KindSlice:
		d.Type = "array"
	case source.KindMap:
		d.Type = "object"
	case source.KindBasic:
		if shown := b.build(target); shown != nil {
			d.Type = shown.Type
			if shown.values != nil && shown.values.Format != "" {
				d.validation().Format = shown.values.Format
			}
		}
	}
	return b.refer(d, target)
}

// describeType describes a type expression for messages.
func describeType(expr ast.Expr) string {
	switch expr.(type) {
	case *ast.ArrayType:
		return "a slice or array"
	case *ast.MapType:
		return "a map"
	case *ast.StructType:
		return "a struct"
	case *ast.StarExpr:
		return "a pointer"
	case *ast.InterfaceType:
		return "an interface"
	case *ast.IndexExpr, *ast.IndexListExpr:
		return "a generic type"
	}
	return GoSyntax(expr)
}

// qualified returns the draft of a qualified name. Only slices and maps have their type
// set.
func (b *Builder) qualified(f *source.File, sel *ast.SelectorExpr) *draft {
	name, why := f.Resolve(sel)
	if why != nil {
		return b.missing(f, sel, why)
	}
	if name.Type == nil {
		return b.predeclared(f, sel, name.Predeclared)
	}
	if name.Type.Pkg.Path == "time" && name.Type.Spec.Name.Name == "Time" {
		b.Reporter.ReportType(report.TypeWithoutSchema, f.Pkg.At(sel.Pos()), "use metav1.Time", "time.Time has no schema")
		return b.failed(f, sel.Pos())
	}
	if name.Type.Spec.TypeParams.NumFields() > 0 {
		return b.uninstantiated(f, sel)
	}
	d := b.node(f, sel.Pos())
	switch source.UnderlyingOf(name.Type.File, name.Type.Spec.Type).Kind {
	case source.KindSlice:
		d.Type = "array"
	case source.KindMap:
		d.Type = "object"
	}
	return b.refer(d, name.Type)
}

// refer turns the node into a reference to a type, and builds the type.
func (b *Builder) refer(d *draft, target *source.Type) *draft {
	p := target.Pkg
	if b.known(target) == nil && (onlyKnownTypes(p.Path) || b.Run.Describe(p).Skip) {
		b.Reporter.ReportType(report.UnknownType, d.pkg.At(d.origin.Pos), "", "unknown type %s.%s: its package has no types with a schema", p.Path, target.Spec.Name.Name)
		d.origin.Mistake = notes.InShape
		return &draft{Extensions: structural.Extensions{XPreserveUnknownFields: new(true)}, failed: true,
			pkg: d.pkg, origin: d.origin}
	}
	d.ref = target
	b.Run.usesOf(target).references++
	if p.Path == metav1Path && target.Spec.Name.Name == "ObjectMeta" && !b.Options.EmbeddedObjectMeta && !b.declaredObjectMeta {
		d.metadata = &checks.MetadataUse{Pkg: d.pkg, Pos: d.origin.Pos}
	}
	if built := b.build(target); built.failed {
		d.failed = true
		d.origin.Mistake = notes.InShape
	}
	return d
}

// checkDuration warns about time.Duration in the user's packages, unless the declared type
// has its own marshaling.
func (b *Builder) checkDuration(expr ast.Expr, d *draft, owner *source.Type) {
	if d.ref == nil || d.ref.Pkg.Path != "time" || d.ref.Spec.Name.Name != "Duration" || !d.pkg.Local() {
		return
	}
	if owner != nil && (owner.Marshals("MarshalJSON") || owner.Marshals("MarshalText")) {
		return
	}
	b.Reporter.Report(report.DurationField, d.pkg.At(expr.Pos()), "use metav1.Duration, which is written as \"1h30m\"",
		"time.Duration is a number of nanoseconds in JSON")
}

// array returns the draft of a slice or an array. A []byte is a base64 string.
func (b *Builder) array(f *source.File, array *ast.ArrayType) *draft {
	d := b.node(f, array.Pos())
	if elem, ok := array.Elt.(*ast.Ident); ok && array.Len == nil && elem.Name == "byte" {
		if name, why := f.Resolve(elem); why == nil && name.Type == nil {
			d.Type = "string"
			d.validation().Format = "byte"
			return d
		}
	}
	d.Type = "array"
	d.items = b.expr(f, array.Elt, nil)
	if array.Len != nil && b.Run.Enabled(f.Pkg, markers.FeatureArrayLength) {
		if n, ok := f.ArrayLength(array.Len); ok {
			d.validation().MinItems = &n
			d.validation().MaxItems = new(n)
		}
	}
	return d
}

// mapType returns the draft of a map, whose keys must be strings in JSON.
func (b *Builder) mapType(file *source.File, m *ast.MapType) *draft {
	d := b.node(file, m.Pos())
	if name := m.Key; source.IsName(name) {
		if _, why := file.Resolve(name); why != nil {
			return b.missing(file, name, why)
		}
	}
	if !b.stringKey(file, m.Key) {
		key := source.UnderlyingOf(file, m.Key)
		typ, _ := BasicSchema(key.Basic)
		if key.Kind == source.KindBasic && typ == "integer" {
			return b.integerKeys(file, m)
		}
		b.wrongKey(file, m, "use a string type, or one that implements encoding.TextMarshaler")
		d.origin.Mistake = notes.InKeywords // rules around it are still checked
	}
	switch m.Value.(type) {
	case *ast.Ident, *ast.SelectorExpr, *ast.ArrayType, *ast.StarExpr, *ast.MapType, *ast.StructType,
		*ast.IndexExpr, *ast.IndexListExpr:
		d.additional = b.expr(file, m.Value, nil)
	case *ast.InterfaceType:
		b.Reporter.ReportType(report.TypeWithoutSchema, file.Pkg.At(m.Value.Pos()), interfaceHint, "interface types have no schema")
		return b.failed(file, m.Pos())
	default:
		b.Reporter.ReportType(report.TypeWithoutSchema, file.Pkg.At(m.Value.Pos()), "", "%s has no schema as the value of a map", GoSyntax(m.Value))
		return b.failed(file, m.Pos())
	}
	d.Type = "object"
	return d
}

// wrongKey reports the keys of a map.
func (b *Builder) wrongKey(f *source.File, m *ast.MapType, hint string) *diag.Diagnostic {
	return b.Reporter.ReportType(report.MapKeyNotString, f.Pkg.At(m.Key.Pos()), hint,
		"map keys must be strings or implement encoding.TextMarshaler, not %s", keyName(m.Key))
}

// integerKeys returns the draft of a map with integers as keys, which encoding/json writes as
// strings. As in controller-gen, the schema is only what markers set. If the finished schema does not
// keep the entries, an error is reported: the one that is reported here, where the fields that lead to
// the type are known, and taken back.
func (b *Builder) integerKeys(f *source.File, m *ast.MapType) *draft {
	start := len(b.Reporter.List)
	wrong := *b.wrongKey(f, m, "use a string type, or describe the map with +kubebuilder:validation:Type=object and +kubebuilder:pruning:PreserveUnknownFields")
	b.Reporter.List = b.Reporter.List[:start]
	d := b.node(f, m.Pos())
	d.integerKeys = true
	d.edits = append(d.edits, &edits.Edit{Pkg: f.Pkg, Pos: m.Key.Pos(), Op: checkIntegerKeys{b.Reporter, wrong}})
	return d
}

// stringKey reports whether a map key is a string in JSON. For a defined type, its
// underlying type is checked first and then its methods; for an alias, only the methods.
func (b *Builder) stringKey(f *source.File, key ast.Expr) bool {
	if star, ok := key.(*ast.StarExpr); ok {
		name, why := f.Resolve(star.X)
		return why == nil && name.Type != nil && name.Type.Marshals("MarshalText")
	}
	name, why := f.Resolve(key)
	if why != nil {
		return false
	}
	if name.Type == nil {
		return name.Predeclared == "string"
	}
	if !name.Type.Spec.Assign.IsValid() {
		if body := source.UnderlyingOf(name.Type.File, name.Type.Spec.Type); body.Kind == source.KindBasic && body.Basic == "string" {
			return true
		}
	}
	return name.Type.Marshals("MarshalText")
}

func keyName(key ast.Expr) string {
	if source.IsName(key) {
		return source.ExprName(key)
	}
	return describeType(key)
}

// BasicSchema returns the schema type and format of a predeclared type. typ is "number" for
// floats, and empty if the type has no schema.
func BasicSchema(name string) (typ, format string) {
	switch name {
	case "bool":
		return "boolean", ""
	case "string":
		return "string", ""
	case "int32", "uint32", "rune":
		return "integer", "int32"
	case "int64", "uint64":
		return "integer", "int64"
	case "int", "int8", "int16", "uint", "uint8", "uint16", "uintptr", "byte":
		return "integer", ""
	case "float32", "float64":
		return "number", ""
	}
	return "", ""
}
