package symbols

import (
	"maps"
	"path/filepath"
	"slices"

	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/structural"
)

// Definition returns the declarations that the name at the place refers to: the field in a path,
// in a rule or of a key; the discriminator of a member, and the members of a discriminator.
func (p *Place) Definition() []Location {
	m := p.outline.MarkerAt(p.offset)
	if m == nil || m.Decl == nil {
		return nil
	}
	if mention, ok := p.mentionAt(m); ok {
		if location, ok := p.location(mention); ok {
			return []Location{location}
		}
		return nil
	}
	var out []Location
	for _, d := range p.related(m) {
		out = append(out, Location{p.file, d.Start, d.End})
	}
	return out
}

// related returns the declarations that a marker of a union or of modes leads to.
func (p *Place) related(m *Marker) []*Decl {
	only := &Decl{Markers: []*Marker{m}}
	switch {
	case isDiscriminator(only):
		return membersOf(m.Decl)
	case isMember(only):
		if discriminator := discriminatorOf(m.Decl); discriminator != nil {
			return []*Decl{discriminator}
		}
	case hasMarker(only, markers.TagModeDiscriminatorName):
		return inModes(m.Decl, markers.TagIfModeName, modalityOf(only, markers.TagModeDiscriminatorName))
	case hasMarker(only, markers.TagIfModeName):
		return inModes(m.Decl, markers.TagModeDiscriminatorName, modalityOf(only, markers.TagIfModeName))
	}
	return nil
}

// References returns the places in markers that refer to the field whose name, or a reference to
// which, is at the place. The members and the discriminator of a union refer to each other.
func (p *Place) References(declaration bool) (out []Location) {
	key := ""
	d := p.outline.Named(p.offset)
	if m := p.outline.MarkerAt(p.offset); m != nil && m.Decl != nil {
		if mention, ok := p.mentionAt(m); ok {
			key = mention.declared()
			if location, ok := p.location(mention); ok && declaration {
				out = append(out, location)
			}
		} else if isMember(m.Decl) || isDiscriminator(m.Decl) {
			d = m.Decl
		}
	}
	if key == "" && d != nil && d.Parent != nil {
		key = p.dir + "/" + d.Key
		if declaration {
			out = append(out, Location{p.file, d.Start, d.End})
		}
		related := membersOf(d)
		if discriminator := discriminatorOf(d); discriminator != nil && isMember(d) {
			related = append(related, discriminator)
		}
		for _, r := range related {
			out = append(out, Location{p.file, r.Start, r.End})
		}
	}
	if key == "" {
		return nil
	}
	files := []string{p.file}
	for _, program := range p.programs {
		files = slices.AppendSeq(files, maps.Keys(program.index().files))
	}
	slices.Sort(files)
	for _, file := range slices.Compact(files) {
		there := p
		if file != p.file {
			text, err := p.read(file)
			if err != nil {
				continue
			}
			there = At(p.programs, p.read, file, text, 0)
		}
		for _, m := range there.outline.Markers {
			for _, mention := range there.mentions(m) {
				if mention.declared() == key {
					out = append(out, Location{file, mention.start, mention.end})
				}
			}
		}
	}
	return out
}

// mentions returns the names of fields in a marker, with offsets in the file.
func (p *Place) mentions(m *Marker) (out []mention) {
	if m.Decl == nil {
		return nil
	}
	for _, a := range argumentsOf(m.Text) {
		for _, found := range p.namesIn(m.Decl, a, a.value) {
			found.start += m.Start + a.start
			found.end += m.Start + a.start
			out = append(out, found)
		}
	}
	return out
}

// mentionAt returns the name of a field at the place, in a marker.
func (p *Place) mentionAt(m *Marker) (mention, bool) {
	for _, found := range p.mentions(m) {
		if found.start <= p.offset && p.offset <= found.end && found.start < found.end {
			return found, true
		}
	}
	return mention{}, false
}

// field returns the node of the field that is mentioned, or nil.
func (m mention) field() *structural.Schema {
	return m.owner.schema.Property(m.name)
}

// declared returns the declaration of the field that is mentioned; empty if it is not the user's.
func (m mention) declared() string {
	if s := m.field(); m.key == "" && s != nil && m.owner.kind != nil {
		return m.owner.kind.program.index().declared[s]
	}
	return m.key
}

// location returns where the field that is mentioned is declared, in the text as it is.
func (p *Place) location(m mention) (Location, bool) {
	key := m.declared()
	if key == "" {
		s := m.field()
		if s == nil || m.owner.kind == nil {
			return Location{}, false
		}
		pos := m.owner.kind.resolve(s.Origin.Pos)
		name := m.owner.kind.program.absolute(pos)
		text, err := p.read(name)
		if err != nil || pos.File == "" {
			return Location{}, false
		}
		offset := NewOutline(text).offset(pos.Line, pos.Column)
		return Location{name, offset, offset}, true
	}
	file := p.file
	for _, program := range p.programs {
		if location, ok := program.index().places[key]; ok {
			file = location.File
		}
	}
	dir, name := filepath.Split(key)
	outline := p.outline
	if file != p.file || filepath.Clean(dir) != p.dir {
		text, err := p.read(file)
		if err != nil {
			return Location{}, false
		}
		outline = NewOutline(text)
	}
	if d := outline.Find(name); d != nil {
		return Location{file, d.Start, d.End}, true
	}
	return Location{}, false
}
