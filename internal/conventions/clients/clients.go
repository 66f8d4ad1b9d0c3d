package clients

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/parallel"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// Trip is an object that went through the types of a kind.
type Trip struct {
	// Root is the type of the kind.
	Root *source.Type
	// In is the object that a client reads, and Out what it sends. Out is nil if it cannot read
	// In.
	In, Out map[string]any
}

// Unknown stands in a [Trip] for JSON of types whose methods are not known.
const Unknown = "\x00unknown"

// Checker compares clients and servers.
type Checker struct {
	Reporter *report.Reporter
	// Codes selects the findings to report.
	Codes []diag.Code
	// Handler returns the server's handling of a version of a kind. It is called concurrently.
	Handler func(definition *checks.Definition, version int) (crd.Handle, error)
	// Observe is called for every object that goes through the types; it may be nil.
	Observe func(Trip)

	types *types
	// reported are the findings so far, of which each field has at most one of a kind.
	reported map[reportKey]bool
}

type reportKey struct {
	pos  token.Pos
	kind *diag.Kind
}

// ask finds out one thing about a field.
type ask struct {
	kinds []*diag.Kind
	find  func(*field) error
}

func asks() []ask {
	return []ask{
		{[]*diag.Kind{unsetRefused, defaultOverridden, nilRefused}, (*field).unset},
		{[]*diag.Kind{zeroOmitted}, (*field).zero},
		{[]*diag.Kind{unreadable}, (*field).extremes},
		{[]*diag.Kind{lost}, (*field).losses},
		{[]*diag.Kind{rewritten, rewrittenRefused}, (*field).rewrites},
	}
}

// Check reports what clients of the definitions cannot say. Definitions that no server would
// serve are skipped, because that is reported elsewhere.
func (c *Checker) Check(ctx context.Context, definitions []*checks.Definition) error {
	var wanted []ask
	for _, a := range asks() {
		if slices.ContainsFunc(a.kinds, func(k *diag.Kind) bool { return slices.Contains(c.Codes, k.Code) }) {
			wanted = append(wanted, a)
		}
	}
	if len(wanted) == 0 {
		return nil
	}
	c.types = newTypes()
	c.reported = map[reportKey]bool{}
	type served struct {
		*checks.Definition
		version int
	}
	var all []served
	for _, d := range definitions {
		for i := range d.Object.Spec.Versions {
			if !d.Flawed && d.Schemas[i] != nil && i < len(d.Roots) {
				all = append(all, served{d, i})
			}
		}
	}
	// Preparing a version takes longer than asking about it.
	handles := parallel.Ahead(len(all), func(n int) crd.Handle {
		handle, err := c.Handler(all[n].Definition, all[n].version)
		if err != nil || ctx.Err() != nil {
			return nil
		}
		return handle
	})
	for n, handle := range handles {
		if handle == nil {
			continue
		}
		d := all[n].Definition
		i := all[n].version
		spec := &d.Object.Spec
		subresources := spec.Versions[i].Subresources
		k := &kind{
			Checker: c, name: spec.Names.Kind + "." + spec.Group + "/" + spec.Versions[i].Name, root: d.Roots[i], handle: handle, ctx: ctx, answers: map[string]crd.Answer{},
			hasStatus: subresources != nil && subresources.Status != nil,
		}
		if err := k.check(d.Schemas[i], wanted); err != nil {
			return err
		}
	}
	return ctx.Err()
}

// kind is a version of a kind.
type kind struct {
	*Checker
	ctx context.Context
	// name is its name in the subjects of diagnostics.
	name      string
	root      *source.Type
	handle    crd.Handle
	hasStatus bool
	// answers are those so far to objects that are written for the first time, by request.
	answers map[string]crd.Answer
}

// object is a struct of a kind, at the path that leads to it.
type object struct {
	*kind
	path   []string
	typ    *goType
	schema *structural.Schema
	// fillers are fields with which a client sends the struct, if it omits it without any.
	fillers []filler
}

// filler is a field with a value other than zero.
type filler struct {
	name  string
	value any
}

// The elements of paths that are not names of properties: an element of a list and a value of a
// map.
const (
	element = "[]"
	value   = "{}"
	// key is the key of a value.
	key = "example"
)

// The largest structs that are checked. The smallest object that has a field takes the server as many steps
// as the structs around the field have fields, and is as deep as the field. Real APIs have at most some hundred
// fields in a struct, and are about ten deep.
const (
	maxFields = 1000
	maxDepth  = 64
)

// isTooLarge reports a struct that is not checked because of its size. Neither is what is only below it.
func (o *object) isTooLarge() bool {
	reason := ""
	switch n := len(o.typ.jsonFields()); {
	case n > maxFields:
		reason = fmt.Sprintf("it has %d fields, of at most %d", n, maxFields)
	case len(o.path) > maxDepth:
		reason = fmt.Sprintf("it is nested %d deep, of at most %d", len(o.path), maxDepth)
	default:
		return false
	}
	f := o.typ.jsonFields()[0]
	pos := f.Field.Pos
	name := strings.Join(o.path, ".")
	if decl := o.typ.decl; decl.Decl != nil { // not an anonymous struct
		pos = decl.Spec.Name.Pos()
		name = decl.Spec.Name.Name
	}
	if key := (reportKey{pos, report.TooLarge}); !o.reported[key] {
		o.reported[key] = true
		o.Reporter.Report(report.TooLarge, f.Owner.Pkg.At(pos), "split the struct, or leave out SG270 to SG277", "%s is not checked for values that Go clients cannot send: %s", name, reason)
	}
	return true
}

// check goes through the user's structs, those with the shortest paths first, each once in the
// status and once elsewhere.
func (k *kind) check(schema *structural.Schema, wanted []ask) error {
	type visit struct {
		typ    *goType
		status bool
	}
	seen := map[visit]bool{}
	root := k.types.named(k.root)
	if root.kind != source.KindStruct || root.known != nil {
		return nil // it has methods whose effect is not known
	}
	queue := []*object{{kind: k, typ: root, schema: schema}}
	for ; len(queue) > 0; queue = queue[1:] {
		o := queue[0]
		if k.ctx.Err() != nil {
			return k.ctx.Err()
		}
		place := visit{o.typ, o.inStatus()}
		if seen[place] {
			continue
		}
		seen[place] = true
		if o.isTooLarge() {
			continue
		}
		o.fill()
		for _, f := range o.typ.jsonFields() {
			schema := o.schema.Property(f.Name)
			if schema == nil || len(o.path) == 0 && slices.Contains([]string{"apiVersion", "kind", "metadata"}, f.Name) {
				continue
			}
			if k.ctx.Err() != nil {
				return k.ctx.Err()
			}
			checked := &field{jsonField: f, in: o, schema: schema}
			if f.Owner.Pkg.Local() {
				for _, a := range wanted {
					if err := a.find(checked); err != nil {
						return err
					}
				}
			}
			if next := checked.structBelow(); next != nil {
				queue = append(queue, next)
			}
		}
	}
	return nil
}

// inStatus reports whether only requests to the status subresource write the struct.
func (o *object) inStatus() bool { return o.hasStatus && len(o.path) > 0 && o.path[0] == "status" }

// structBelow returns the user's struct that a field has, that its elements or its values are,
// or nil.
func (f *field) structBelow() *object {
	place := &object{kind: f.in.kind, path: append(slices.Clone(f.in.path), f.Name), typ: f.typ, schema: f.schema}
	for range 100 {
		switch place.typ.kind {
		case source.KindPointer:
			place.typ = place.typ.elem()
		case source.KindSlice:
			place.typ = place.typ.elem()
			place.path = append(place.path, element)
			place.schema = place.schema.Items
		case source.KindMap:
			place.typ = place.typ.elem()
			place.path = append(place.path, value)
			if place.schema.AdditionalProperties == nil {
				return nil
			}
			place.schema = place.schema.AdditionalProperties.Schema
		case source.KindStruct:
			if place.typ.known != nil || !place.typ.decl.Pkg.Local() {
				return nil
			}
			return place
		default:
			return nil
		}
		if place.schema == nil {
			return nil
		}
	}
	return nil
}

// field is a field of a struct with the schema that it has there.
type field struct {
	*jsonField
	in     *object
	schema *structural.Schema
}

// path is the path of the field.
func (f *field) path() []string { return append(slices.Clone(f.in.path), f.Name) }

// fields returns the struct with a value for the field and with what else it needs to be sent.
func (f *field) fields(v any) map[string]any {
	out := map[string]any{f.Name: v}
	if len(f.in.fillers) == 0 {
		return out
	}
	if sent, err := f.in.sent(out); sent == nil && err == nil {
		out = f.others()
		out[f.Name] = v
	}
	return out
}

// others returns the struct without the field.
func (f *field) others() map[string]any {
	for _, filler := range f.in.fillers {
		if filler.name != f.Name {
			return map[string]any{filler.name: filler.value}
		}
	}
	return map[string]any{}
}

// with returns the smallest object that has a value for the field.
func (f *field) with(v any) map[string]any { return wrap(f.in.path, f.fields(v)).(map[string]any) }

// without returns the smallest object that does not have the field.
func (f *field) without() map[string]any { return wrap(f.in.path, f.others()).(map[string]any) }

// wrap returns the object that has a value at a path and nothing else.
func wrap(path []string, v any) any {
	for _, step := range slices.Backward(path) {
		switch step {
		case element:
			v = []any{v}
		case value:
			v = map[string]any{key: v}
		default:
			v = map[string]any{step: v}
		}
	}
	return v
}

// at returns the value at a path in an object.
func at(object any, path []string) (any, bool) {
	for _, step := range path {
		switch step {
		case element:
			list, ok := object.([]any)
			if !ok || len(list) == 0 {
				return nil, false
			}
			object = list[0]
		case value:
			step = key
			fallthrough
		default:
			m, ok := object.(map[string]any)
			if !ok {
				return nil, false
			}
			object, ok = m[step]
			if !ok {
				return nil, false
			}
		}
	}
	return object, true
}

// sent returns what a client sends for a struct that it has read, or an error if it cannot read
// it. The result is nil if the client omits the struct.
func (o *object) sent(in map[string]any) (map[string]any, error) {
	given := wrap(o.path, in).(map[string]any)
	v, err := decode(o.types.named(o.root), given)
	var out map[string]any
	if err == nil {
		out = encode(v).(map[string]any)
	}
	if o.Observe != nil {
		o.Observe(Trip{Root: o.root, In: given, Out: out})
	}
	sent, _ := at(out, o.path)
	fields, _ := sent.(map[string]any)
	return fields, err
}

// fill sets the fillers, if there have to be any.
func (o *object) fill() {
	if sent, err := o.sent(map[string]any{}); err != nil || sent != nil {
		return
	}
	for _, f := range o.typ.jsonFields() {
		property := o.schema.Property(f.Name)
		if property == nil {
			continue
		}
		for _, v := range samples(property) {
			if sent, err := o.sent(map[string]any{f.Name: v}); err == nil && sent != nil {
				o.fillers = append(o.fillers, filler{f.Name, v})
				break
			}
		}
		if len(o.fillers) == 2 {
			return
		}
	}
}

// stored returns the server's answer to an object that is created, or whose status is written
// for the first time.
func (o *object) stored(object map[string]any) (crd.Answer, error) {
	key := fmt.Sprint(o.inStatus(), text(object))
	if answer, known := o.answers[key]; known {
		return answer, nil
	}
	request := crd.Request{Object: object}
	if o.inStatus() {
		request.Stored = map[string]any{}
		request.Status = true
	}
	answer, err := o.handle(o.ctx, request)
	o.answers[key] = answer
	return answer, err
}

// refusals returns the server's errors about a field and what is below.
func (f *field) refusals(a crd.Answer) []crd.Refusal {
	path := dotted(f.path())
	return slices.DeleteFunc(slices.Clone(a.Refusals), func(r crd.Refusal) bool {
		location := strings.NewReplacer("[", ".", "]", "").Replace(r.Path)
		return location != path && !strings.HasPrefix(location, path+".")
	})
}

// dotted returns a path in the form that the paths of the server's errors get.
func dotted(path []string) string {
	var out []string
	for _, step := range path {
		switch step {
		case element:
			step = "0"
		case value:
			step = key
		}
		out = append(out, step)
	}
	return strings.Join(out, ".")
}

// report adds a finding about a field, unless it has one of the kind already. It returns nil if
// it does not.
func (f *field) report(kind *diag.Kind, hint, format string, args ...any) *diag.Diagnostic {
	c := f.in.Checker
	if place := (reportKey{f.Field.Pos, kind}); c.reported[place] || !slices.Contains(c.Codes, kind.Code) {
		return nil
	} else {
		c.reported[place] = true
	}
	d := c.Reporter.Report(kind, f.Owner.Pkg.At(f.Field.Pos), hint, "field %s: "+format, append([]any{f.Name}, args...)...)
	d.Off = false
	d.Subjects = f.subjects()
	return d
}

// subjects are the names of the field in diagnostics, as in package conventions: by its Go type,
// and by its shortest path.
func (f *field) subjects() (out []string) {
	if f.Owner.Decl != nil { // not an anonymous struct
		out = append(out, f.Owner.Pkg.Path+"."+f.Owner.Spec.Name.Name+"."+f.Name)
	}
	path := f.in.name + " "
	for _, step := range f.path() {
		if step != element && step != value {
			step = "." + step
		}
		path += step
	}
	return append(out, path)
}

// fixTag adds the fix that gives the field other options of its json tag.
func (f *field) fixTag(d *diag.Diagnostic, tag string) {
	written := report.FieldAt(f.Owner.File, f.Field.Pos)
	if d != nil && written != nil && len(written.Names) == 1 {
		f.in.Reporter.Fix(d, "write `json:\""+tag+"\"`", report.SetTag(written, "json", tag))
	}
}

// tagWith returns the json tag of the field with another option to omit it.
func (f *field) tagWith(option string) string {
	return strings.Join(append([]string{f.Name, option}, f.tag.Others("omitempty", "omitzero")...), ",")
}

// text returns JSON for a message.
func text(v any) string {
	out, err := plainjson.Marshal(v)
	if err != nil {
		return "?"
	}
	return string(out)
}

// equal reports whether two JSON values are the same.
func equal(a, b any) bool { return text(a) == text(b) }

// isStructType reports whether an expression is the type of a struct.
func isStructType(expr ast.Expr) bool { _, ok := expr.(*ast.StructType); return ok }

// first returns the text of the outermost error.
func first(refusals []crd.Refusal) string {
	return slices.MinFunc(refusals, func(a, b crd.Refusal) int {
		return cmp.Or(cmp.Compare(len(a.Path), len(b.Path)), cmp.Compare(a.Text, b.Text))
	}).Text
}
