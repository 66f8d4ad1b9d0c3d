package symbols

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"go/token"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/schemas/locate"
	"github.com/schemagen/schemagen/structural/manifest"
	"github.com/schemagen/schemagen/unions"
)

// Symbol is a kind in a file, or a field of one.
type Symbol struct {
	Name, Detail string
	// Start and End are the offsets of the name, and Until is the offset of the declaration's end.
	Start, End, Until int
	Fields            []Symbol
}

// Kinds returns the kinds that the file declares, with their fields.
func (p *Place) Kinds() (out []Symbol) {
	for _, d := range p.outline.Decls {
		if !d.IsKind() {
			continue
		}
		s := Symbol{Name: d.Name, Start: d.Start, End: d.End, Until: d.Until}
		if u, ok := p.node(d); ok && u.path == "" {
			spec := u.kind.Object.Spec
			s.Detail = fmt.Sprintf("%s/%s %s, %s", spec.Group, u.version, spec.Names.Plural, strings.ToLower(string(spec.Scope)))
		}
		for _, f := range d.Fields {
			if f.JSON == "" {
				continue
			}
			s.Fields = append(s.Fields,
				Symbol{Name: f.JSON, Detail: f.Type, Start: f.Start, End: f.End, Until: max(f.Until, f.End)})
		}
		out = append(out, s)
	}
	return out
}

// Hint is a text to show at an offset.
type Hint struct {
	At int
	// Label is short, and Tooltip a sentence.
	Label, Tooltip string
}

// Costs returns the estimated costs of the CEL rules between two offsets, at the ends of their
// markers. ctx ends the estimation.
func (p *Place) Costs(ctx context.Context, start, end int) (out []Hint, err error) {
	for _, m := range p.outline.Markers {
		if m.Decl == nil || m.Start < start || m.Start > end || !strings.Contains(m.Text, "XValidation:") {
			continue
		}
		hint := Hint{At: m.End()}
		most := -1.0
		for _, u := range p.nodes(m.Decl) {
			if u.kind == nil {
				continue
			}
			file, same, _ := u.sameMarker(p.dir+"/"+m.Decl.Key, m)
			if same == nil {
				continue
			}
			costs, err := u.kind.ruleCosts(ctx)
			if err != nil {
				return nil, err
			}
			for _, c := range costs {
				if c.file == file && same.Start <= c.offset && c.offset <= same.End() && c.OfRule > most {
					most = c.OfRule
					hint.Label = percent(c.OfRule) + " of the cost limit"
					hint.Tooltip = fmt.Sprintf("Estimated cost of the rule in %s %s: %s of the limit for one rule, and %s of that for all rules of the version.",
						u.kind.Object.Spec.Names.Kind, c.Version, percent(c.OfRule), percent(c.OfSchema))
				}
			}
		}
		if most >= 0 {
			out = append(out, hint)
		}
	}
	return out, nil
}

// percent returns a share.
func percent(share float64) string {
	switch share *= 100; {
	case share < 0.1:
		return "< 0.1 %"
	case share < 10:
		return fmt.Sprintf("%.1f %%", share)
	}
	return fmt.Sprintf("%.0f %%", share)
}

// ruleCosts returns the costs of the rules of a kind, with the positions of their markers.
func (k *Kind) ruleCosts(ctx context.Context) ([]ruleCost, error) {
	k.costing.Lock()
	defer k.costing.Unlock()
	if k.costs != nil || k.program.costs == nil {
		return k.costs, nil
	}
	if k.estimated == nil {
		found, err := k.program.costs(ctx, k.complete())
		if err = cmp.Or(err, ctx.Err()); err != nil {
			return nil, err
		}
		k.estimated = append([]unions.RuleCost{}, found...)
	}
	k.costs = []ruleCost{}
	x := k.program.index()
	for _, c := range k.estimated {
		i := slices.IndexFunc(k.Object.Spec.Versions,
			func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == c.Version })
		_, path, ok := strings.Cut(c.Path, ".openAPIV3Schema")
		if !ok || i < 0 || i >= len(k.Schemas) || k.Schemas[i] == nil {
			continue
		}
		places := locate.Positions(k.Schemas[i], path)
		pos := k.resolve(places[len(places)-1])
		file := k.program.absolute(pos)
		if o := x.files[file]; o != nil {
			k.costs = append(k.costs, ruleCost{c, file, o.offset(pos.Line, pos.Column)})
		}
	}
	return k.costs, nil
}

// known returns the estimated costs; nil if there are none yet.
func (k *Kind) known() []unions.RuleCost {
	if !k.costing.TryLock() {
		return nil // they are being estimated
	}
	defer k.costing.Unlock()
	return k.estimated
}

// complete returns the definition with its schemas.
func (k *Kind) complete() *apiextensionsv1.CustomResourceDefinition {
	out := k.Object.DeepCopy()
	for i, s := range k.Schemas {
		if s != nil && i < len(out.Spec.Versions) {
			out.Spec.Versions[i].Schema = &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: s.Props()}
		}
	}
	return out
}

// Document is a definition as text, and the lines of the part that is asked for, which count from 0.
type Document struct {
	Name, Text  string
	First, Last int
}

// CRD returns the definition of the kind at the place, with the lines of the field there. ok is
// false if there is none.
func (p *Place) CRD() (out Document, ok bool) {
	d := p.outline.enclosing(p.offset)
	for _, u := range p.nodes(d) {
		if u.kind == nil || u.kind.Text == nil {
			continue
		}
		i := slices.IndexFunc(u.kind.Object.Spec.Versions,
			func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == u.version })
		path := fmt.Sprintf("spec.versions[%d]", i)
		if m := p.outline.MarkerAt(p.offset); m != nil && strings.HasPrefix(m.Text, "+"+markers.PrintColumnName) {
			_, _, nth := u.sameMarker(p.dir+"/"+d.Key, m)
			path += fmt.Sprintf(".additionalPrinterColumns[%d]", nth)
		} else if path += ".schema.openAPIV3Schema"; u.path != "" {
			path += schemaPath(u.path)
		}
		out = Document{Name: u.kind.fileName(), Text: string(u.kind.Text)}
		out.First = lineOf(u.kind.Text, path)
		out.Last = blockEnd(u.kind.Text, out.First)
		return out, true
	}
	return out, false
}

// fileName returns the name of the definition's file.
func (k *Kind) fileName() string {
	return k.Object.Spec.Group + "_" + k.Object.Spec.Names.Plural + ".yaml"
}

// CRD returns the text of the definition with a file name.
func (p *Program) CRD(name string) (text string, ok bool) {
	for _, k := range p.kinds {
		if k.fileName() == name && k.Text != nil {
			return string(k.Text), true
		}
	}
	return "", false
}

// schemaPath returns the path of a node as the API server prints it.
func schemaPath(path string) string {
	var b strings.Builder
	for path != "" {
		switch {
		case strings.HasPrefix(path, "[*]"):
			b.WriteString(".items")
			path = path[3:]
		case strings.HasPrefix(path, "{*}"):
			b.WriteString(".additionalProperties")
			path = path[3:]
		default:
			end := 1
			for end < len(path) && !strings.ContainsRune(".[{", rune(path[end])) {
				end++
			}
			b.WriteString(".properties[" + path[1:end] + "]")
			path = path[end:]
		}
	}
	return b.String()
}

// lineOf returns the line of a path in a definition, from 0.
func lineOf(text []byte, path string) int {
	fset := token.NewFileSet()
	read, _ := manifest.Read(fset, "crd.yaml", text)
	if len(read) == 0 {
		return 0
	}
	return max(fset.PositionFor(read[0].Position(path), false).Line-1, 0)
}

// blockEnd returns the last line of the YAML block that begins in a line.
func blockEnd(text []byte, first int) int {
	lines := bytes.Split(text, []byte("\n"))
	if first >= len(lines) {
		return first
	}
	indent := func(line []byte) int { return len(line) - len(bytes.TrimLeft(line, " ")) }
	item := bytes.HasPrefix(bytes.TrimLeft(lines[first], " "), []byte("- "))
	last := first
	for n := first + 1; n < len(lines); n++ {
		line := lines[n]
		if len(line) == 0 || indent(line) < indent(lines[first]) || indent(line) == indent(lines[first]) && (item || !bytes.HasPrefix(bytes.TrimLeft(line, " "), []byte("- "))) {
			break
		}
		last = n
	}
	return last
}

// enclosing returns the innermost declaration that an offset is in, with the markers above it, or
// nil.
func (o *Outline) enclosing(offset int) (found *Decl) {
	if m := o.MarkerAt(offset); m != nil {
		return m.Decl
	}
	for _, d := range o.Decls {
		if d.Start <= offset && offset <= d.Until {
			found = d
		}
	}
	return found
}
