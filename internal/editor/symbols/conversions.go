package symbols

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/markers"
)

// structOf returns a node of the struct that a marker of conversions is about: that which has the
// field, or the type.
func structOf(p *Place, d *Decl) use {
	if d.Parent != nil {
		return parentOf(p, d)
	}
	u, _ := p.node(d)
	return u
}

// hubMentions returns the names in the path of a target: from the counterpart of the struct, from one
// of those around it, for each ^, or from the object, for $.
func hubMentions(p *Place, d *Decl, target string) []mention {
	path := strings.TrimLeft(target, "^")
	up := len(target) - len(path)
	path, whole := strings.CutPrefix(path, "$")
	owner := structOf(p, d)
	if owner.kind == nil {
		return nil
	}
	location := owner.path
	for ; up > 0 && location != ""; up-- {
		location = location[:max(strings.LastIndexByte(location, '.'), 0)]
	}
	if whole {
		location = ""
	}
	hub := owner.kind.hub()
	if hub < 0 || owner.kind.Object.Spec.Versions[hub].Name == owner.version {
		return nil
	}
	node, _ := owner.kind.at(hub, location)
	for node != nil && len(node.Properties) == 0 && elements(node) != nil {
		location = location + "[*]"
		node = elements(node)
	}
	if node == nil {
		return nil
	}
	out := pathMentions(use{owner.kind, owner.kind.Object.Spec.Versions[hub].Name, location, node}, path)
	for i := range out {
		out[i].start = out[i].start + len(target) - len(path)
		out[i].end = out[i].end + len(target) - len(path)
	}
	return out
}

// hub returns the index of the version that the others are converted to: the one that a marker names,
// or that is stored; -1 if there is none.
func (k *Kind) hub() int {
	x := k.program.index()
	for i, s := range k.Schemas {
		place, ok := x.places[x.declared[s]]
		if !ok || i >= len(k.Object.Spec.Versions) {
			continue
		}
		key := x.declared[s]
		d := x.files[place.File].Find(key[strings.LastIndexByte(key, '/')+1:])
		if d != nil && slices.ContainsFunc(d.Markers, func(m *Marker) bool { return m.Text == "+"+markers.ConvertPrefix+"hub" }) {
			return i
		}
	}
	for i, v := range k.Object.Spec.Versions {
		if v.Storage && i < len(k.Schemas) {
			return i
		}
	}
	return -1
}

// conversionEffect returns the schemas of the fields of the hub that a marker of conversions names, as
// Markdown.
func (p *Place) conversionEffect(m *Marker) string {
	var b strings.Builder
	found := p.mentions(m)
	for i, mention := range found {
		field := mention.field()
		if field == nil || i+1 < len(found) && found[i+1].start == mention.end+1 && p.text[mention.end] == '.' {
			continue // a part of a path
		}
		u := mention.owner
		path := strings.TrimPrefix(u.path+"."+mention.name, ".")
		fmt.Fprintf(&b, "`%s` %s, `%s`:\n\n```yaml\n%s```\n\n", u.kind.Object.Spec.Names.Kind, u.version, path, short(field))
	}
	return strings.TrimRight(b.String(), "\n")
}
