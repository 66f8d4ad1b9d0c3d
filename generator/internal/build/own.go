package build

import (
	"cmp"
	"fmt"
	"go/token"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/generator/internal/source"
	"github.com/schemagen/schemagen/markers"
	"github.com/schemagen/schemagen/structural"
)

// This file is where this project's own markers get their meaning: what a field
// or type says about itself, and what a package says about types elsewhere.

// ownEdits returns what the words of this project at a declaration do to its
// finished schema, in source order.
func (b *Builder) ownEdits(p *source.Package, set source.Markers) []*edit {
	var out []*edit
	for _, m := range set {
		out = append(out, b.ownEdit(p, m)...)
	}
	return out
}

// ownEdit returns what one marker does to the finished schema of its node, if
// anything. What is wrong with it is reported.
func (b *Builder) ownEdit(p *source.Package, m *markers.Marker) []*edit {
	e := &edit{pkg: p, pos: m.Pos, name: m.Name}
	switch value := m.Value.(type) {
	case markers.Fragment:
		if m.Name == SchemaMarker {
			return nil // it has made the draft already
		}
		fragment := b.fragment(p, m)
		if fragment == nil {
			return nil
		}
		e.op = extendSchema{fragment}
	case markers.Unset:
		e.op = unsetKeywords{value}
	case markers.Tag:
		switch m.Name {
		case "schemagen:at":
			return b.atEdit(p, m, value)
		case "schemagen:descriptions":
			policy, err := parseDescriptionPolicy(value.Value)
			if err != nil {
				b.Reporter.Report(malformedArguments, p.At(m.ValuePos(0)), "", "+%s: %v", m.Name, err)
				return nil
			}
			e.op = limitDescriptions{policy}
		}
	}
	if e.op == nil {
		return nil
	}
	return []*edit{e}
}

// SchemaMarker is the marker that replaces what Go says about a schema.
const SchemaMarker = "schemagen:schema"

// atEdit returns what +schemagen:at(path)=+marker does.
func (b *Builder) atEdit(p *source.Package, m *markers.Marker, tag markers.Tag) []*edit {
	path, offset, err := parsePath(tag.Argument, func(i int) token.Pos { return m.ArgumentPos() + token.Pos(i) })
	if err != nil {
		b.Reporter.Report(malformedArguments, p.At(m.ArgumentPos()+token.Pos(offset)), "", "+%s: %v", m.Name, err)
		return nil
	}
	inner, ok := m.Inner()
	if !ok {
		b.Reporter.Report(malformedArguments, p.At(m.ValuePos(0)), "as in +schemagen:at(.spec.replicas)=+optional",
			"+%s: expected a marker behind the equals sign", m.Name)
		return nil
	}
	edits := b.innerEdit(p, inner, path[len(path)-1])
	for _, e := range edits {
		to := path
		if e.above {
			to, e.above = path[:len(path)-1], false
		}
		e.path = append(to[:len(to):len(to)], e.path...)
	}
	return edits
}

// innerEdit returns what a marker does at the end of a path.
func (b *Builder) innerEdit(p *source.Package, c markers.Comment, last pathStep) []*edit {
	var marker *markers.Marker
	for _, target := range []markers.Target{markers.Field, markers.Type} {
		if set, _ := b.Run.ParseMarkers(p, []markers.Comment{c}, target); len(set) > 0 {
			marker = set[0]
			break
		}
		if b.Run.table.Lookup(c.Text, target) != nil {
			return nil // reported
		}
	}
	if marker == nil {
		return nil // lint says so
	}
	e := &edit{pkg: p, pos: marker.Pos, name: marker.Name}
	parent := func(op operation) []*edit {
		if last.kind != stepField {
			b.Reporter.Report(malformedArguments, p.At(marker.Pos), "let the path end with a field", "+%s: it describes a field", marker.Name)
			return nil
		}
		e.above, e.op = true, op
		return []*edit{e}
	}
	switch marker.Name {
	case "schemagen:omit":
		return parent(omitField{last.name})
	case "optional", "k8s:optional", "kubebuilder:validation:Optional":
		return parent(requireField{last.name, false})
	case "required", "kubebuilder:validation:Required":
		return parent(requireField{last.name, true})
	case SchemaMarker:
		fragment := b.fragment(p, marker)
		if fragment == nil {
			return nil
		}
		e.op = replaceSchema{fragment}
		return []*edit{e}
	}
	if _, ok := marker.Value.(schemaMarker); ok {
		if name, ok := strings.CutPrefix(marker.Name, "kubebuilder:validation:items:"); ok {
			b.Reporter.Report(malformedArguments, p.At(marker.Pos), "let the path end with [*] and write +kubebuilder:validation:"+name,
				"+%s: it has a path already", marker.Name)
			return nil
		}
		e.op = setMarkers{source.Markers{marker}}
		return []*edit{e}
	}
	if tag, ok := marker.Value.(markers.Declarative); ok {
		return b.declarativeEdit(p, marker, tag.Tag, last.name)
	}
	if own := b.ownEdit(p, marker); own != nil {
		return own
	}
	b.Reporter.Report(malformedArguments, p.At(marker.Pos), "", "+%s: it does not describe a schema", marker.Name)
	return nil
}

// override is what a package says about types or descriptions elsewhere, for
// the schemas of its own kinds.
type override struct {
	pkg    *source.Package
	marker *markers.Marker
	tag    markers.Tag
	// everywhere: it is no package that says it, but the run.
	everywhere bool
	// quiet: it is not reported if nothing is reached.
	quiet bool
	used  bool
}

// overridden returns the override of a type's whole schema, or nil.
func (b *Builder) overridden(t *source.Type) *override {
	var everywhere *override
	for _, o := range b.overrides {
		if inner, ok := o.about(t); ok && strings.HasPrefix(inner.Text, "+"+SchemaMarker+"=") {
			if !o.everywhere {
				return o
			}
			everywhere = cmp.Or(everywhere, o)
		}
	}
	return everywhere
}

// about returns the marker that the override puts on a type.
func (o *override) about(t *source.Type) (markers.Comment, bool) {
	if o.marker.Name != "schemagen:type" || o.tag.Argument != t.Pkg.Path+"."+t.Spec.Name.Name {
		return markers.Comment{}, false
	}
	o.used = true
	return o.marker.Inner()
}

// overrideEdits returns what the package of the kinds says about a type.
func (b *Builder) overrideEdits(t *source.Type) []*edit {
	var out []*edit
	for _, o := range b.overrides {
		c, ok := o.about(t)
		if !ok {
			continue
		}
		set, _ := b.Run.ParseMarkers(o.pkg, []markers.Comment{c}, markers.Type)
		if len(set) == 0 {
			continue
		}
		if _, ok := set[0].Value.(schemaMarker); ok {
			out = append(out, &edit{pkg: o.pkg, pos: set[0].Pos, name: set[0].Name, op: setMarkers{set}})
		} else {
			out = append(out, b.ownEdits(o.pkg, set)...)
		}
	}
	return out
}

// checkOverrides reports what a package says about types elsewhere to no effect.
func (w *Run) checkOverrides(p *source.Package) {
	for _, o := range w.Describe(p).overrides {
		w.Reporter.checkOverride(o)
	}
}

func (r *Reporter) checkOverride(o *override) {
	m := o.marker
	_, hasMarker := m.Inner()
	_, badPolicy := parseDescriptionPolicy(o.tag.Value)
	switch {
	case m.Name == "schemagen:type" && !hasMarker:
		r.Report(malformedArguments, o.pkg.At(m.ValuePos(0)), "as in +schemagen:type(k8s.io/api/core/v1.Container)=+schemagen:at(.ports)=+optional",
			"+%s: expected a marker behind the equals sign", m.Name)
	case m.Name == "schemagen:descriptions" && badPolicy != nil:
		r.Report(malformedArguments, o.pkg.At(m.ValuePos(0)), "", "+%s: %v", m.Name, badPolicy)
	case !o.used:
		r.unusedOverride(o)
	}
}

// descriptionPolicy says what becomes of descriptions: removed, cut to the first
// sentence, or limited to a number of bytes.
type descriptionPolicy struct {
	limit         int
	firstSentence bool
}

func parseDescriptionPolicy(text string) (descriptionPolicy, error) {
	switch text {
	case "drop":
		return descriptionPolicy{}, nil
	case "firstSentence":
		return descriptionPolicy{firstSentence: true}, nil
	}
	if n, err := strconv.Atoi(text); err == nil && n >= 0 {
		return descriptionPolicy{limit: n}, nil
	}
	return descriptionPolicy{}, fmt.Errorf("expected drop, firstSentence, or a number of bytes, got %q", text)
}

// CheckDescriptions says what is wrong with the value of an [Override] about
// descriptions.
func CheckDescriptions(text string) error {
	_, err := parseDescriptionPolicy(text)
	return err
}

func (p descriptionPolicy) apply(description string) string {
	if p.firstSentence {
		return firstSentence(description)
	}
	return truncate(description, p.limit)
}

// firstSentence returns a text up to the first full stop that a blank or the
// end of a line follows, or up to the first empty line.
func firstSentence(text string) string {
	text, _, _ = strings.Cut(text, "\n\n")
	for i := 0; i < len(text); i++ {
		if text[i] == '.' && (i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n') {
			return text[:i+1]
		}
	}
	return text
}

// below returns a copy of the schema with the policy applied to its and all
// descriptions below it.
func (p descriptionPolicy) below(s *structural.Schema) *structural.Schema {
	out := *s
	out.Description = p.apply(s.Description)
	out.Properties = make([]structural.Property, 0, len(s.Properties))
	for _, property := range s.Properties {
		out.Properties = append(out.Properties, structural.Property{Name: property.Name, Schema: p.below(property.Schema)})
	}
	if s.Items != nil {
		out.Items = p.below(s.Items)
	}
	if a := s.AdditionalProperties; a != nil && a.Schema != nil {
		out.AdditionalProperties = &structural.SchemaOrBool{Schema: p.below(a.Schema)}
	}
	return &out
}

// description returns the text as the package of the kinds wants it.
func (b *Builder) description(text string, from *source.Package) string {
	for _, o := range b.overrides {
		if o.marker.Name != "schemagen:descriptions" || !matchesPackage(o.tag.Argument, from.Path) {
			continue
		}
		o.used = true
		// A malformed policy was reported when the package was read.
		if policy, err := parseDescriptionPolicy(o.tag.Value); err == nil {
			text = policy.apply(text)
		}
	}
	return text
}

// matchesPackage reports whether a pattern, an import path that may end in
// /..., stands for a package. An empty one stands for all.
func matchesPackage(pattern, path string) bool {
	if prefix, ok := strings.CutSuffix(pattern, "/..."); ok {
		return path == prefix || strings.HasPrefix(path, prefix+"/")
	}
	return pattern == "" || pattern == path
}
