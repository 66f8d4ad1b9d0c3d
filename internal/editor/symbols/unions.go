package symbols

import (
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/markers"
)

// argumentOf returns the value of an argument of the markers of a declaration.
func argumentOf(d *Decl, name string, names ...string) (value string, ok bool) {
	for _, m := range d.Markers {
		for _, a := range argumentsOf(m.Text) {
			if a.name == name && slices.Contains(names, a.marker) {
				return a.value, true
			}
		}
	}
	return "", false
}

// hasMarker reports whether a declaration has one of the markers.
func hasMarker(d *Decl, names ...string) bool {
	return slices.ContainsFunc(d.Markers, func(m *Marker) bool {
		name, _, _ := strings.Cut(m.Text[1:], "=")
		name, _, _ = strings.Cut(name, "(")
		name, _, _ = strings.Cut(name, ",")
		return slices.Contains(names, name)
	})
}

func isDiscriminator(d *Decl) bool {
	return hasMarker(d, markers.UnionDiscriminatorName, markers.DiscriminatorName, markers.TagUnionDiscriminatorName)
}

func isMember(d *Decl) bool {
	return hasMarker(d, markers.UnionMemberName, markers.UnionName, markers.TagUnionMemberName)
}

// discriminatorOf returns the discriminator of a member's union, or nil.
func discriminatorOf(d *Decl) *Decl {
	if d == nil || d.Parent == nil {
		return nil
	}
	named, byName := argumentOf(d, "", markers.UnionDiscriminatedByName)
	union, _ := argumentOf(d, "union", markers.TagUnionMemberName)
	for _, f := range d.Parent.Fields {
		subject, _ := argumentOf(f, "union", markers.TagUnionDiscriminatorName)
		if isDiscriminator(f) && (byName && f.Name == named || !byName && subject == union) {
			return f
		}
	}
	return nil
}

// membersOf returns the members of a discriminator's union.
func membersOf(d *Decl) (out []*Decl) {
	if d == nil || d.Parent == nil {
		return nil
	}
	for _, f := range d.Parent.Fields {
		if isMember(f) && discriminatorOf(f) == d {
			out = append(out, f)
		}
	}
	return out
}

// memberValues returns the values of the discriminator that no other member has.
func (p *Place) memberValues(d *Decl) (out []Completion) {
	discriminator := discriminatorOf(d)
	if discriminator == nil {
		return nil
	}
	taken := map[string]bool{}
	for _, m := range membersOf(discriminator) {
		value, ok := argumentOf(m, "", markers.UnionMemberName, markers.UnionName)
		if !ok {
			value, ok = argumentOf(m, "memberName", markers.TagUnionMemberName)
		}
		value, _, _ = strings.Cut(value, ",")
		if ok && m != d {
			taken[value] = true
		}
	}
	for _, v := range p.valuesOf(discriminator, false) {
		if !taken[v.Label] && v.Label != "" {
			v.Detail = "of " + discriminator.Name
			out = append(out, v)
		}
	}
	return out
}

// unionNames returns the names of the unions in the struct of a field.
func unionNames(d *Decl) (out []Completion) {
	if d == nil || d.Parent == nil {
		return nil
	}
	for _, f := range d.Parent.Fields {
		name, ok := argumentOf(f, "union", markers.TagUnionDiscriminatorName, markers.TagUnionMemberName)
		if text, err := strconv.Unquote(`"` + name + `"`); ok && f != d && err == nil && !slices.ContainsFunc(out, func(c Completion) bool { return c.Label == text }) {
			out = append(out, Completion{Label: text})
		}
	}
	return out
}

// modalityOf returns the name of the modes that a tag of a field is about.
func modalityOf(d *Decl, tag string) string {
	name, _ := argumentOf(d, "modality", tag)
	return name
}

// inModes returns the fields of the struct of a field that have a tag with a modality.
func inModes(d *Decl, tag, modality string) (out []*Decl) {
	if d == nil || d.Parent == nil {
		return nil
	}
	for _, f := range d.Parent.Fields {
		if slices.ContainsFunc(f.Markers, func(m *Marker) bool {
			only := &Decl{Markers: []*Marker{m}}
			return hasMarker(only, tag) && modalityOf(only, tag) == modality
		}) {
			out = append(out, f)
		}
	}
	return out
}

// modeValues returns the values of an argument of +k8s:ifMode: modes, or names of modes.
func (p *Place) modeValues(d *Decl, a argument, given []argument) (out []Completion) {
	if d == nil || d.Parent == nil {
		return nil
	}
	modality := ""
	for _, other := range given {
		if other.name == "modality" {
			modality = other.value
		}
	}
	if a.name == "modality" {
		for _, f := range d.Parent.Fields {
			if name := modalityOf(f, markers.TagModeDiscriminatorName); name != "" {
				out = append(out, Completion{Label: name, Detail: "of " + f.Name})
			}
		}
		return out
	}
	for _, discriminator := range inModes(d, markers.TagModeDiscriminatorName, modality) {
		found := p.valuesOf(discriminator, false)
		if len(found) == 0 {
			found = p.constants(discriminator)
		}
		for _, v := range found {
			v.Detail = "of " + discriminator.Name
			out = append(out, v)
		}
	}
	return out
}

// discriminators is for a value that is the Go name of a discriminator.
func discriminators(p *Place, d *Decl, value string) []mention {
	if d.Parent == nil {
		return nil
	}
	return []mention{{end: len(value), name: value, key: p.dir + "/" + d.Parent.Key + "." + value}}
}
