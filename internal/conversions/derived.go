package conversions

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// Derived is how a field that only one side has is computed from the rest.
type Derived struct {
	// Name is a word for the table: "constant", "union", "namespace", "name".
	Name string
	// Value is the JSON of a constant.
	Value json.RawMessage
	// Members are the members of a union that have counterparts, and None is the value of its
	// discriminator that selects no member.
	Members []UnionMember
	None    string

	// metadata is the Go name of the field of ObjectMeta, or empty.
	metadata string
	// union is the marker of a discriminator, or nil.
	union *markers.Marker
}

// UnionMember is a member of a union, with the value of the discriminator that selects it.
type UnionMember struct {
	Value      string
	Spoke, Hub []*Field
}

// derive adds the unit of a field of the hub that a marker computes. field is the field with the
// marker; nil if it is on the struct. It returns nil if the target does not exist.
func (w *pairing) derive(m *markers.Marker, field *Field, d *Derived) *Unit {
	pkg := w.Spoke.Decl.Pkg
	target, ok := w.target(m.Value.(markers.Convert).Value, 0)
	if !ok {
		w.fail(noRule, m.Pos, pkg, "write the marker above the struct further out", "+%s: %s leads out of the struct", m.Name, m.Value.(markers.Convert).Value)
		return nil
	}
	path := w.resolve(target, m, field)
	if path == nil {
		return nil
	}
	u := &Unit{Hub: path, Down: Kept, Derived: d, Pos: m.Pos}
	w.claims = append(w.claims, &claim{hub: path, pos: m.Pos, unit: u})
	w.Units = append(w.Units, u)
	return u
}

// constant adds the unit of a marker set.
func (w *pairing) constant(m *markers.Marker, field *Field) {
	text, ok := m.Value.(markers.Convert).Get("value")
	if !ok || !json.Valid([]byte(text)) {
		hint := "write the value in JSON, such as value=true"
		if ok {
			hint = fmt.Sprintf("write the value in JSON; a text is value=`%q`", text)
		}
		w.fail(noRule, m.Pos, w.Spoke.Decl.Pkg, hint, "+%s needs a value", m.Name)
		return
	}
	u := w.derive(m, field, &Derived{Name: "constant", Value: json.RawMessage(text)})
	if u == nil {
		return
	}
	t := u.Hub[len(u.Hub)-1].Type
	if problem := w.types.Unfit(t, u.Derived.Value); problem != "" {
		w.fail(noRule, m.Pos, w.Spoke.Decl.Pkg, "", "+%s: %s cannot be a value of %s %s: %s", m.Name, text, w.hubName(), w.in(u.Hub), problem)
	}
}

// metadata adds the unit of a field of the spoke that repeats the name or namespace.
func (w *pairing) metadata(f *Field, path []*Field, m *markers.Marker) {
	name := m.Value.(markers.Convert).Value
	if name != "name" && name != "namespace" {
		w.fail(noRule, m.Pos, f.Pkg, "write metadata=namespace or metadata=name", "+%s=%s: there is no such metadata", m.Name, name)
		return
	}
	if f.Type.Base().Shape != String || f.Type.Shape == Pointer && f.Type.Elem.Shape == Pointer {
		w.fail(noRule, m.Pos, f.Pkg, "", "+%s is for a string, and %s %s is of type %s", m.Name, w.spokeName(), w.in(path), f.Type.Label())
		return
	}
	u := &Unit{Spoke: path, Up: Kept, Derived: &Derived{Name: name, metadata: upperFirst(name)}, Pos: f.Pos()}
	w.Units = append(w.Units, u)
}

// hasMetadata reports whether fields of a struct of the spoke repeat metadata.
func (p *pairer) hasMetadata(t *Type, around place) bool {
	const name = markers.ConvertPrefix + "metadata"
	return slices.ContainsFunc(around.extra, func(m atMarker) bool { return m.marker.Name == name }) ||
		slices.ContainsFunc(p.types.Fields(t), func(f *Field) bool { return f.Source.Markers.Get(name) != nil })
}

// entry adds the unit of a label or an annotation of the spoke that is a field of the hub.
func (w *pairing) entry(marker *markers.Marker, kind string) {
	value := marker.Value.(markers.Convert)
	pkg := w.Spoke.Decl.Pkg
	if len(w.path) > 0 || w.Spoke != w.spoke.Type {
		w.fail(noRule, marker.Pos, pkg, "", "+%s belongs above the type of the kind", marker.Name)
		return
	}
	if problems := validation.IsQualifiedName(value.Value); len(problems) > 0 {
		w.fail(noRule, marker.Pos, pkg, "", "+%s: %q cannot be a key: %s", marker.Name, value.Value, problems[0])
		return
	}
	if own := crd.ConversionAnnotation(w.current.Group); kind == "annotation" && value.Value == own {
		w.fail(noRule, marker.Pos, pkg, "", "+%s: %s is the annotation in which conversions keep values", marker.Name, own)
		return
	}
	target, ok := value.Get("to")
	target = strings.TrimPrefix(target, "$")
	if !ok {
		w.fail(noRule, marker.Pos, pkg, "write to= and the field of the hub, such as to=.spec.team", "+%s needs a field of the hub", marker.Name)
		return
	}
	hub := w.resolve(target, marker, nil)
	if hub == nil {
		return
	}
	t := hub[len(hub)-1].Type
	if pointed(t).Shape != String {
		w.fail(noRule, marker.Pos, pkg, "", "+%s: %s %s is of type %s, and the value of a %s is a string", marker.Name, w.hubName(), w.in(hub), t.Label(), kind)
		return
	}
	text := &Type{ID: "string", Shape: String, Basic: "string"}
	rule := &Rule{Name: kind, Spoke: text, Hub: t, Key: value.Value, op: opLabel}
	plural := "labels"
	if kind == "annotation" {
		rule.op = opAnnotation
		plural = "annotations"
	}
	object := w.Spoke.Field("metadata")
	synthetic := func(name string) *Field { return &Field{JSON: name, Type: text, Source: object.Source, Pkg: pkg} }
	u := &Unit{Spoke: []*Field{object, synthetic(plural), synthetic(value.Value)}, Hub: hub, Rule: rule, Pos: marker.Pos}
	if slices.ContainsFunc(w.claims, func(c *claim) bool { return samePath(c.spoke, u.Spoke) }) {
		w.fail(claimedTwice, marker.Pos, pkg, "", "%s %s has two counterparts in %s", kind, value.Value, w.current.Hub.Name)
		return
	}
	w.claims = append(w.claims, &claim{spoke: u.Spoke, hub: hub, pos: marker.Pos, unit: u})
	w.Units = append(w.Units, u)
}

// settleMetadata determines which pairs need the metadata of the object.
func settleMetadata(pairs []*Pair) {
	for again := true; again; {
		again = false
		for _, p := range pairs {
			for _, u := range p.Units {
				needs := u.Derived != nil && u.Derived.metadata != "" || u.Hook != nil && (u.Hook.MetaTo || u.Hook.MetaFrom) || u.Rule.needsMetadata()
				again = again || needs && !p.meta
				p.meta = p.meta || needs
			}
		}
	}
}

// needsMetadata reports whether structs below a rule need the metadata of the object.
func (r *Rule) needsMetadata() bool {
	for ; r != nil; r = r.Elem {
		if r.Pair != nil && r.Pair.meta {
			return true
		}
	}
	return false
}

// metadataType is the text of the type of metadata in generated code.
func (f *codeFile) metadataType() string {
	return "*" + f.imp(source.MetaV1Path, "metav1") + ".ObjectMeta"
}
