package gatesrun

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/gates/gatedsource"
	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/structural"
)

// Path is a place in the objects of a kind.
type Path struct {
	// Definition is the name of the CRD.
	Definition string `json:"definition"`
	Version    string `json:"version"`
	// Field is the path in objects, or "." for all of it.
	Field string `json:"field"`
}

func (p Path) compare(other Path) int {
	return cmp.Or(cmp.Compare(p.Definition, other.Definition), cmp.Compare(p.Version, other.Version),
		cmp.Compare(p.Field, other.Field))
}

// place is a line of a Go file.
type place struct {
	file string
	line int
}

// index has the paths of the places that definitions are generated from.
type index struct {
	// nodes has the paths of fields and kinds by the line of their name, and keywords those by
	// the line of a marker.
	nodes, keywords map[place][]Path
}

// indexed returns the paths of the definitions for several sets of gates, and the errors of
// [Request.defined].
func (r *Request) indexed(ctx context.Context, files []*gatedsource.File) (*index, diag.List, error) {
	x := &index{map[place][]Path{}, map[place][]Path{}}
	findings, err := r.defined(ctx, files, x.add)
	if err != nil {
		return nil, nil, err
	}
	return x, findings, nil
}

// defined calls a function for the definitions for several sets of gates. It returns the
// errors of the sets that have to be without any; of the others, those with errors have no
// definitions.
func (r *Request) defined(ctx context.Context, files []*gatedsource.File, use func(d *crd.Definition)) (diag.List, error) {
	options := r.Options
	options.SkipVerify = true
	loaded, err := define.Load(ctx, options)
	if err != nil {
		return nil, err
	}
	options.Loaded = loaded
	var findings diag.List
	sets, required := r.sets(files)
	for i, set := range sets {
		options.Gates = set
		made, found, err := define.Definitions(ctx, options)
		if err != nil {
			return nil, err
		}
		if i < required {
			findings = append(findings, found...)
		}
		for _, d := range made {
			if ctx.Err() != nil {
				return nil, ctx.Err()
			}
			use(d)
		}
	}
	findings = slices.DeleteFunc(findings, func(d diag.Diagnostic) bool { return d.Severity != diag.Error })
	return findings.Normalize(), nil
}

// sets returns sets of gates in which everything that depends on gates is there: those of the
// channels, or no gates, which are required to be without errors, and others.
func (r *Request) sets(files []*gatedsource.File) (out []gates.Set, required int) {
	for _, c := range r.Project.Channels(r.Dir) {
		out = append(out, c.Gates)
	}
	if len(out) == 0 {
		out = append(out, nil)
	}
	required = len(out)
	// What depends on gates may be in something that other gates hold, so most are on. If all of
	// them contradict each other, those of the channel with the most do not.
	held := func(set gates.Set) (n int) {
		for _, f := range files {
			for _, u := range f.Uses {
				if u.Condition.Holds(set) {
					n++
				}
			}
		}
		return n
	}
	most := slices.MaxFunc(out, func(a, b gates.Set) int { return held(a) - held(b) })
	for _, base := range []gates.Set{{"*"}, most} {
		all := []gates.Set{base}
		for _, f := range files {
			for _, u := range f.Uses {
				if enabled, ok := u.Condition.Smallest(); ok && !slices.ContainsFunc(all, u.Condition.Holds) {
					set := slices.Clone(base)
					for _, name := range u.Condition.Names() {
						if slices.Contains(enabled, name) {
							set = append(set, name)
						} else {
							set = append(set, "!"+name)
						}
					}
					all = append(all, set)
				}
			}
		}
		out = append(out, all...)
	}
	return append(out, nil), required
}

// add adds the paths of a definition.
func (x *index) add(d *crd.Definition) {
	for i, schema := range d.Schemas {
		path := Path{d.CRD.Name, d.CRD.Spec.Versions[i].Name, "."}
		x.node(d, schema, fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i), path, place{})
	}
}

func (x *index) node(d *crd.Definition, schema *structural.Schema, path string, at Path, parent place) {
	if schema == nil {
		return
	}
	here := placeOf(d, path)
	if here != parent {
		add(x.nodes, here, at)
	}
	nth := map[string]int{}
	for _, k := range schema.Origin.Keywords {
		add(x.keywords, placeOf(d, fmt.Sprintf("%s.%s[%d]", path, k.Keyword, nth[k.Keyword])), at)
		nth[k.Keyword]++
	}
	child := at
	for _, p := range schema.Properties {
		child.Field = strings.TrimSuffix(at.Field, ".") + "." + p.Name
		x.node(d, p.Schema, path+".properties["+p.Name+"]", child, here)
	}
	child.Field = strings.TrimSuffix(at.Field, ".") + "[*]"
	x.node(d, schema.Items, path+".items", child, here)
	if schema.AdditionalProperties != nil {
		x.node(d, schema.AdditionalProperties.Schema, path+".additionalProperties", child, here)
	}
}

func placeOf(d *crd.Definition, path string) place {
	pos, _ := d.Position(path)
	return place{pos.File, pos.Line}
}

func add(target map[place][]Path, at place, path Path) {
	if !slices.Contains(target[at], path) {
		target[at] = append(target[at], path)
	}
}

// of returns the paths that a use is about, sorted.
func (x *index) of(u gatedsource.Use, file *gatedsource.File) (out []Path) {
	out = slices.Clone(x.keywords[place{u.Pos.Filename, u.Pos.Line}])
	if len(out) == 0 {
		out = slices.Clone(x.nodes[place{u.At.Filename, u.At.Line}])
	}
	if len(out) == 0 {
		lines := u.Lines
		ok := strings.IndexByte(u.Name, '.') < 0
		if u.Type != "" {
			lines, ok = file.Declared(u.Type)
		}
		if ok {
			out = x.within(file.Name, lines)
		}
	}
	slices.SortFunc(out, Path.compare)
	return slices.Compact(out)
}

// within returns the paths that have a type whose declaration is in the lines.
func (x *index) within(file string, lines gatedsource.Lines) (out []Path) {
	for line := lines.First; line <= lines.Last; line++ {
		out = append(out, x.keywords[place{file, line}]...)
		for _, p := range x.nodes[place{file, line}] {
			// Of a field of the type, it is the object around it.
			p.Field = cmp.Or(p.Field[:max(strings.LastIndexByte(p.Field, '.'), 0)], ".")
			out = append(out, p)
		}
	}
	// A field in a struct in the type is below the type.
	return slices.DeleteFunc(slices.Clone(out), func(p Path) bool {
		return slices.ContainsFunc(out, func(other Path) bool { return p != other && isBelow(p, other) })
	})
}

// isBelow reports whether a path leads through another one of the same version.
func isBelow(p, parent Path) bool {
	if p.Definition != parent.Definition || p.Version != parent.Version || len(p.Field) <= len(parent.Field) {
		return false
	}
	return parent.Field == "." || strings.HasPrefix(p.Field, parent.Field) && strings.IndexByte(".[", p.Field[len(parent.Field)]) >= 0
}
