package symbols

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/celtext"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/structural"
)

// Completion is a text that may be inserted.
type Completion struct {
	// Label is what the user sees, and New the text that replaces that from Start to End, which
	// are offsets in the file.
	Label, New string
	Start, End int
	// Detail is a short description, and Markdown a longer one; they may be empty.
	Detail, Markdown string
}

// Complete returns the values that an argument of a marker may have in the program: names of
// fields, values of fields, constants, resources and types.
func (p *Place) Complete() []Completion {
	marker := p.outline.MarkerAt(p.offset)
	if marker == nil {
		return nil
	}
	offset := p.offset - marker.Start
	arguments := argumentsOf(marker.Text[:offset])
	if len(arguments) == 0 {
		return nil
	}
	a := arguments[len(arguments)-1]
	if offset < a.start {
		return nil
	}
	if markers.ArgumentReference(a.marker, a.name) != markers.NoReference {
		if marker.Decl == nil {
			return nil
		}
		return p.completeField(marker, a)
	}
	segment := a.value[strings.LastIndexAny(a.value, ";{,")+1:]
	segment = strings.TrimLeft(segment, `" `)
	end := offset
	for end < len(marker.Text) && !strings.ContainsRune(",;})\" ", rune(marker.Text[end])) {
		end++
	}
	var out []Completion
	for _, v := range p.values(marker.Decl, a, arguments) {
		v.Start = p.offset - len(segment)
		v.End = marker.Start + end
		if v.New == "" {
			v.New = v.Label
		}
		out = append(out, v)
	}
	return out
}

// completeField completes the name of a field at the end of a value.
func (p *Place) completeField(marker *Marker, a argument) (out []Completion) {
	value := a.value
	root := ""
	if value == "" && (strings.HasSuffix(strings.ToLower(a.name), "path") || strings.HasPrefix(a.marker, markers.ConvertPrefix)) {
		value = "."
		root = "."
	}
	found := p.namesIn(marker.Decl, a, value)
	if len(found) == 0 {
		return nil
	}
	last := found[len(found)-1]
	if last.end != len(value) || last.key == "" && last.owner.schema == nil {
		return nil
	}
	end := p.offset
	for end < marker.End() && isNameByte(p.text[end]) {
		end++
	}
	start := p.offset - (last.end - last.start)
	if last.key != "" { // names in Go
		for _, d := range marker.Decl.Parent.Fields {
			if isDiscriminator(d) {
				out = append(out, Completion{Label: d.Name, New: d.Name, Start: start, End: end, Detail: d.Type})
			}
		}
		return out
	}
	refers := markers.ArgumentReference(a.marker, a.name)
	rule := refers == markers.Rule || refers == markers.ItemRule
	for _, property := range propertiesOf(last.owner) {
		name := property.Name
		if rule {
			escaped, ok := celtext.Name(name)
			if !ok {
				continue
			}
			name = escaped
		}
		item := Completion{Label: name, New: root + name, Start: start, End: end, Detail: typeName(property.Schema),
			Markdown: property.Schema.Description}
		if root != "" {
			item.Label = item.New
			item.Start = p.offset
		}
		out = append(out, item)
	}
	return out
}

// propertiesOf returns the fields of a node.
func propertiesOf(u use) []structural.Property {
	if u.schema == nil {
		return nil
	}
	if s := u.schema; len(s.Properties) == 0 && strings.HasSuffix(u.path, "metadata") && strings.Count(u.path, ".") == 1 {
		return structural.ObjectMeta().Properties
	}
	return u.schema.Properties
}

// typeName describes the type of a node in a word.
func typeName(s *structural.Schema) string {
	switch {
	case s.XIntOrString:
		return "int-or-string"
	case s.Items != nil:
		return "[]" + typeName(s.Items)
	case s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil:
		return "map of " + typeName(s.AdditionalProperties.Schema)
	case s.ValueValidation != nil && s.Format != "":
		return s.Type + " (" + s.Format + ")"
	}
	return s.Type
}

// values returns the values that an argument may have, apart from names of fields.
func (p *Place) values(d *Decl, a argument, given []argument) []Completion {
	switch a.marker {
	case markers.UnionMemberName, markers.UnionName:
		return p.memberValues(d)
	case markers.TagUnionMemberName:
		if a.name == "memberName" {
			return p.memberValues(d)
		}
		return unionNames(d)
	case markers.TagUnionDiscriminatorName:
		return unionNames(d)
	case markers.TagIfModeName:
		return p.modeValues(d, a, given)
	case markers.DefaultName, markers.ExampleName:
		return p.valuesOf(d, false)
	case markers.PlainDefaultName:
		return p.valuesOf(d, !a.quoted)
	case markers.ValuesName:
		return p.constants(d)
	case markers.RBACName, markers.WebhookName:
		return p.ruleValues(a, given)
	case markers.TypeName:
		return p.foreignTypes()
	}
	return nil
}

// valuesOf returns the values that a field may have, if they are few: as JSON if quotes are wanted
// where JSON has them.
func (p *Place) valuesOf(d *Decl, quotes bool) (out []Completion) {
	u, ok := p.node(d)
	if !ok {
		return p.constants(d)
	}
	if u.schema.Type == "boolean" {
		return []Completion{{Label: "true"}, {Label: "false"}}
	}
	for _, value := range enumOf(u.schema) {
		text, err := strconv.Unquote(value)
		if err != nil {
			text = value
		}
		item := Completion{Label: text, New: text}
		if quotes {
			item.New = value
		}
		out = append(out, item)
	}
	return out
}

// enumOf returns the values of an enum, as JSON.
func enumOf(s *structural.Schema) (out []string) {
	if s == nil || s.ValueValidation == nil {
		return nil
	}
	lists := [][]structural.JSON{s.Enum}
	for i := range s.AllOf {
		lists = append(lists, s.AllOf[i].Enum)
	}
	for _, list := range lists {
		for _, v := range list {
			if text := string(v.Raw); !slices.Contains(out, text) {
				out = append(out, text)
			}
		}
	}
	return out
}

// constants returns the string constants of a type, or of the type of a field.
func (p *Place) constants(d *Decl) (out []Completion) {
	if d == nil {
		return nil
	}
	name := d.Name
	if d.Parent != nil {
		name, _ = wrapper(d.Type)
	}
	for _, o := range p.packageOutlines() {
		for _, value := range o.Constants[name] {
			out = append(out, Completion{Label: value})
		}
	}
	return out
}

// packageOutlines returns the outlines of the files of the package: that of this file as it is, and
// those of the others in the last run.
func (p *Place) packageOutlines() []*Outline {
	out := []*Outline{p.outline}
	for _, program := range p.programs {
		files := program.index().files
		for _, name := range slices.Sorted(maps.Keys(files)) {
			if name != p.file && filepath.Dir(name) == p.dir && files[name] != nil {
				out = append(out, files[name])
			}
		}
	}
	return out
}

// foreignTypes returns the types of other packages that the file mentions.
func (p *Place) foreignTypes() (out []Completion) {
	seen := map[string]bool{}
	for _, o := range p.packageOutlines() {
		for _, d := range o.Decls {
			text, _ := wrapper(d.Type)
			alias, name, ok := strings.Cut(text, ".")
			path := o.Imports[alias]
			if full := path + "." + name; ok && path != "" && d.Parent != nil && !seen[full] {
				seen[full] = true
				out = append(out, Completion{Label: full})
			}
		}
	}
	slices.SortFunc(out, func(a, b Completion) int { return strings.Compare(a.Label, b.Label) })
	return out
}
