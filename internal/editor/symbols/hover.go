package symbols

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/internal/fields"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/structural"
)

// maxLines limits the YAML in a hover.
const maxLines = 24

// Hover describes the declaration whose name is at the place: its schema in each version, as
// Markdown. The offsets are where the name begins and ends.
func (p *Place) Hover() (markdown string, start, end int, ok bool) {
	d := p.outline.Named(p.offset)
	if d == nil {
		return "", 0, 0, false
	}
	var b strings.Builder
	for _, v := range p.variants(d) {
		fmt.Fprintf(&b, "%s\n\n", strings.Join(v.where, ", "))
		if v.yaml != "" {
			fmt.Fprintf(&b, "```yaml\n%s```\n\n", v.yaml)
		}
	}
	return strings.TrimRight(b.String(), "\n"), d.Start, d.End, b.Len() > 0
}

// variant is a schema of a declaration, and where it has it.
type variant struct {
	where []string
	yaml  string
}

// variants returns the schemas of a declaration: at the paths where the last program has it, in
// all versions of the kind.
func (p *Place) variants(d *Decl) (out []variant) {
	type place struct {
		kind *Kind
		path string
	}
	seen := map[place]bool{}
	add := func(where, yaml string) {
		i := slices.IndexFunc(out, func(v variant) bool { return v.yaml == yaml })
		if i < 0 {
			i = len(out)
			out = append(out, variant{yaml: yaml})
		}
		out[i].where = append(out[i].where, where)
	}
	for _, u := range p.nodes(d) {
		context := place{u.kind, u.path}
		if seen[context] || u.kind == nil {
			continue
		}
		seen[context] = true
		if len(seen) > 4 {
			break
		}
		names := u.kind.Object.Spec.Names
		for i, v := range u.kind.Object.Spec.Versions {
			where := fmt.Sprintf("`%s` %s, `%s`", names.Kind, v.Name, strings.TrimPrefix(u.path, "."))
			if u.path == "" {
				where = fmt.Sprintf("`%s` %s", names.Kind, v.Name)
			}
			node, parent := u.kind.at(i, u.path)
			switch name := u.path[strings.LastIndexByte(u.path, '.')+1:]; {
			case v.Name == u.version && node == nil: // made from the type
				add("as "+where, short(u.schema))
			case node == nil:
				add("not in `"+names.Kind+"` "+v.Name, "")
			default:
				if parent != nil {
					if parent.Requires(name) {
						where += ", required"
					}
					if presence := fields.Presence(parent, name); presence != "" {
						where += ", " + presence
					}
				}
				add(where, short(node))
			}
		}
	}
	return out
}

// at returns the node at a path in a version, and the one that has it as a property.
func (k *Kind) at(version int, path string) (node, parent *structural.Schema) {
	if version >= len(k.Schemas) {
		return nil, nil
	}
	for node = k.Schemas[version]; path != "" && node != nil; {
		switch {
		case strings.HasPrefix(path, "[*]"):
			node = node.Items
			parent = nil
			path = path[3:]
		case strings.HasPrefix(path, "{*}"):
			node = elements(node)
			parent = nil
			path = path[3:]
		default:
			end := 1
			for end < len(path) && !strings.ContainsRune(".[{", rune(path[end])) {
				end++
			}
			parent = node
			node = parent.Property(path[1:end])
			if node == nil {
				return nil, nil
			}
			path = path[end:]
		}
	}
	return node, parent
}

// short returns a schema as YAML without descriptions, in which fields have only their types.
func short(s *structural.Schema) string { return toYAML(bare(s).Props()) }

// bare returns the part of a schema that [short] shows.
func bare(s *structural.Schema) *structural.Schema {
	out := &structural.Schema{Generic: s.Generic, Extensions: s.Extensions, ValueValidation: s.ValueValidation}
	out.Description = ""
	out.Title = ""
	for _, p := range s.Properties {
		field := &structural.Schema{Generic: structural.Generic{Type: p.Schema.Type}}
		field.XIntOrString = p.Schema.XIntOrString
		out.Properties = append(out.Properties, structural.Property{Name: p.Name, Schema: field})
	}
	if s.Items != nil {
		out.Items = bare(s.Items)
	}
	if a := s.AdditionalProperties; a != nil {
		out.AdditionalProperties = &structural.SchemaOrBool{Bool: a.Bool}
		if a.Schema != nil {
			out.AdditionalProperties.Schema = bare(a.Schema)
		}
	}
	return out
}

// toYAML returns a value as YAML of a limited length.
func toYAML(value any) string {
	data, err := yaml.Marshal(value)
	if err != nil {
		return ""
	}
	lines := strings.SplitAfter(string(data), "\n")
	if n := len(lines) - 1; n > maxLines {
		lines = append(lines[:maxLines:maxLines], fmt.Sprintf("# … %d more lines\n", n-maxLines))
	}
	return strings.Join(lines, "")
}

// Effect returns the part of the definitions that comes of the marker at the place in the last
// program, as Markdown; empty if that is not known.
func (p *Place) Effect() string {
	m := p.outline.MarkerAt(p.offset + 1)
	if m == nil || m.Decl == nil {
		return ""
	}
	if strings.HasPrefix(m.Text, "+"+markers.ConvertPrefix) {
		return p.conversionEffect(m)
	}
	for _, u := range p.nodes(m.Decl) {
		if u.kind == nil {
			continue
		}
		value := p.columnOf(m, u)
		if value == nil {
			value = p.keywordsOf(m, u)
		}
		if value == nil {
			continue
		}
		where := strings.TrimPrefix(u.path, ".")
		if where != "" {
			where = ", `" + where + "`"
		}
		return fmt.Sprintf("In `%s` %s%s:\n\n```yaml\n%s```", u.kind.Object.Spec.Names.Kind, u.version, where, toYAML(value))
	}
	return ""
}

// sameMarker returns the marker in the file of a run that is the same as one in the buffer: at the
// declaration of the same name, with the same text.
func (u use) sameMarker(key string, m *Marker) (file string, same *Marker, nth int) {
	x := u.kind.program.index()
	place, ok := x.places[key]
	if !ok {
		return "", nil, 0
	}
	d := x.files[place.File].Find(m.Decl.Key)
	if d == nil {
		return "", nil, 0
	}
	name, _, _ := strings.Cut(m.Text, "=")
	for _, other := range d.Markers {
		if other.Text == m.Text {
			return place.File, other, nth
		}
		if otherName, _, _ := strings.Cut(other.Text, "="); prefixOf(otherName) == prefixOf(name) {
			nth++
		}
	}
	return "", nil, 0
}

// prefixOf returns a name without the part after its last colon, which names an argument.
func prefixOf(name string) string { return name[:max(strings.LastIndexByte(name, ':'), 0)] }

// columnOf returns what a marker of a kind adds outside of the schema, or nil.
func (p *Place) columnOf(m *Marker, u use) any {
	if m.Decl.Parent != nil || u.path != "" {
		return nil
	}
	_, _, nth := u.sameMarker(p.dir+"/"+m.Decl.Key, m)
	spec := u.kind.Object.Spec
	i := slices.IndexFunc(u.kind.Object.Spec.Versions,
		func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == u.version })
	if i < 0 {
		return nil
	}
	version := spec.Versions[i]
	is := func(marker string) bool {
		rest, ok := strings.CutPrefix(m.Text, "+"+marker)
		return ok && (rest == "" || rest[0] == ':' || rest[0] == '=')
	}
	switch {
	case is(markers.PrintColumnName) && nth < len(version.AdditionalPrinterColumns):
		return map[string]any{"additionalPrinterColumns": version.AdditionalPrinterColumns[nth : nth+1]}
	case is(markers.SelectableFieldName) && nth < len(version.SelectableFields):
		return map[string]any{"selectableFields": version.SelectableFields[nth : nth+1]}
	case (is(markers.StatusSubresourceName) || is(markers.ScaleName)) && version.Subresources != nil:
		return map[string]any{"subresources": version.Subresources}
	case is(markers.ResourceName):
		return map[string]any{"names": spec.Names, "scope": spec.Scope}
	case is(markers.StorageVersionName), is(markers.UnservedVersionName), is(markers.DeprecatedVersionName):
		out := map[string]any{"name": version.Name, "served": version.Served, "storage": version.Storage}
		if version.Deprecated {
			out["deprecated"] = true
		}
		if w := version.DeprecationWarning; w != nil {
			out["deprecationWarning"] = *w
		}
		return out
	case is(markers.MetadataName):
		return map[string]any{"metadata": map[string]any{"annotations": u.kind.Object.Annotations, "labels": u.kind.Object.Labels}}
	}
	return nil
}

// keywordsOf returns the keywords that a marker sets on a node or on its elements, or nil.
func (p *Place) keywordsOf(marker *Marker, u use) any {
	file, same, _ := u.sameMarker(p.dir+"/"+marker.Decl.Key, marker)
	if same == nil {
		return nil
	}
	x := u.kind.program.index()
	outline := x.files[file]
	var collect func(s *structural.Schema, depth int) map[string]any
	collect = func(s *structural.Schema, depth int) map[string]any {
		out := map[string]any{}
		if s == nil || depth > 2 {
			return out
		}
		var all map[string]any
		counts := map[string]int{}
		for _, k := range s.Origin.Keywords {
			nth := counts[k.Keyword]
			counts[k.Keyword]++
			pos := u.kind.resolve(k.Pos)
			if u.kind.program.absolute(pos) != file {
				continue
			}
			if offset := outline.offset(pos.Line, pos.Column); offset < same.Start || offset > same.End() {
				continue
			}
			if all == nil {
				data, err := json.Marshal(s.Props())
				if err != nil || json.Unmarshal(data, &all) != nil {
					return out
				}
			}
			value, ok := all[k.Keyword]
			if list, isList := value.([]any); isList && k.Keyword == keywords.Rules {
				if nth >= len(list) {
					continue
				}
				earlier, _ := out[k.Keyword].([]any)
				value = append(earlier, list[nth])
			}
			if ok {
				out[k.Keyword] = value
			}
		}
		for name, child := range map[string]*structural.Schema{"items": s.Items, "additionalProperties": valuesOf(s)} {
			if inner := collect(child, depth+1); len(inner) > 0 {
				out[name] = inner
			}
		}
		return out
	}
	out := collect(u.schema, 0)
	if len(out) == 0 {
		return nil
	}
	if u.path == "" || !strings.Contains(u.path, ".") || marker.Decl.Parent == nil {
		return out
	}
	return map[string]any{u.path[strings.LastIndexByte(u.path, '.')+1:]: out}
}

func valuesOf(s *structural.Schema) *structural.Schema {
	if s.AdditionalProperties == nil {
		return nil
	}
	return s.AdditionalProperties.Schema
}
