package symbols

import (
	"path/filepath"
	"strings"

	"github.com/schemagen/schemagen/structural"
)

// Place is an offset in a Go file, with what is known about the workspace.
type Place struct {
	programs []*Program
	read     Read
	file     string
	dir      string
	text     []byte
	outline  *Outline
	offset   int
}

// At returns a place in a file. read returns the texts that the editor has.
func At(programs []*Program, read Read, file string, text []byte, offset int) *Place {
	return &Place{programs, read, file, filepath.Dir(file), text, NewOutline(text), offset}
}

// Text returns the text of a file as the editor has it; empty if it cannot be read.
func (p *Place) Text(file string) []byte {
	if file == p.file {
		return p.text
	}
	text, _ := p.read(file)
	return text
}

// nodes returns the nodes of a declaration. Those of a field that no program has are made from
// those of its type.
func (p *Place) nodes(d *Decl) (out []use) {
	if d == nil {
		return nil
	}
	for _, program := range p.programs {
		x := program.index()
		key := p.dir + "/" + d.Key
		if found := x.fields[key]; len(found) > 0 {
			return found
		}
		if d.Parent == nil {
			if found := x.types[key]; len(found) > 0 {
				return found
			}
			continue
		}
		name, wrap := wrapper(d.Type)
		for _, u := range x.types[p.dir+"/"+name] {
			u.schema = wrap(u.schema)
			out = append(out, u)
		}
		if len(out) > 0 {
			return out
		}
	}
	return nil
}

// node returns the first node of a declaration.
func (p *Place) node(d *Decl) (u use, ok bool) {
	if found := p.nodes(d); len(found) > 0 {
		return found[0], true
	}
	return use{}, false
}

// wrapper returns the type that pointers, lists and maps lead to, and the schema of these for
// that of the type.
func wrapper(text string) (name string, wrap func(*structural.Schema) *structural.Schema) {
	end := strings.IndexByte(text, ']')
	switch {
	case strings.HasPrefix(text, "*"):
		return wrapper(text[1:])
	case strings.HasPrefix(text, "map[") && end > 0:
		name, inner := wrapper(text[end+1:])
		return name, func(s *structural.Schema) *structural.Schema {
			return &structural.Schema{Generic: structural.Generic{Type: "object"}, AdditionalProperties: &structural.SchemaOrBool{Schema: inner(s)}}
		}
	case strings.HasPrefix(text, "[") && end > 0:
		name, inner := wrapper(text[end+1:])
		return name, func(s *structural.Schema) *structural.Schema {
			return &structural.Schema{Generic: structural.Generic{Type: "array"}, Items: inner(s)}
		}
	}
	return text, func(s *structural.Schema) *structural.Schema { return s }
}

// child returns the schema of a field, or of the values of a map.
func child(u use, name string) *structural.Schema {
	if u.schema == nil {
		return nil
	}
	if s := u.schema.Property(name); s != nil {
		if u.path == "" && name == "metadata" && len(s.Properties) == 0 {
			return structural.ObjectMeta()
		}
		return s
	}
	if a := u.schema.AdditionalProperties; a != nil {
		return a.Schema
	}
	return nil
}

// elements returns the schema of the elements of a list, or of the values of a map.
func elements(s *structural.Schema) *structural.Schema {
	switch {
	case s == nil:
		return nil
	case s.Items != nil:
		return s.Items
	case s.AdditionalProperties != nil:
		return s.AdditionalProperties.Schema
	}
	return nil
}
