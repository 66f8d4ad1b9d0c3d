package typegen

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/structural"
)

// Options configure [Generate].
type Options struct {
	// Dir is the absolute directory that Output is relative to.
	Dir string
	// Output is the directory of the package if its last element is the version; further
	// versions are next to it. Otherwise each version has a directory below it; if there are
	// several groups, each group, too.
	Output string
	// Kinds are the kinds that are written: "Kind" or "Kind.group". If it is empty, all are.
	Kinds []string
	// If AllowDangerousTypes is set, numbers become float64. Otherwise they are errors.
	AllowDangerousTypes bool
	// Imports are patterns of packages whose structs are recognized by their schemas, in
	// addition to those of Kubernetes. They must not import the packages that are written.
	Imports []string
	// If Overwrite is set, files that people have edited are written like the others. If not,
	// they are errors, or warnings if Preview is set, which means that nothing is written.
	Overwrite, Preview bool
}

// root returns the absolute output directory.
func (o *Options) root() string {
	if filepath.IsAbs(o.Output) {
		return filepath.Clean(o.Output)
	}
	return filepath.Join(o.Dir, o.Output)
}

// shown returns the path of a file below the output directory for File and diagnostics.
func (o *Options) shown(name string) string {
	return filepath.ToSlash(filepath.Join(o.Output, screen.Relative(o.root(), name, 1)))
}

// File is a file to be written.
type File struct {
	// Path is the slash-separated path, which begins with Options.Output.
	Path string
	Data []byte
}

// Result is the result of [Generate].
type Result struct {
	// Files are the files to be written: all except the files that people have edited while the
	// definitions stayed the same.
	Files    []File
	Packages []Package
	// Stale are the paths of files in the directories of the packages that Generate has
	// written for other definitions, and nobody has edited.
	Stale []string
}

// Package describes a generated package.
type Package struct {
	// Group and Version belong to the package, Kinds are the kinds that it declares.
	Group, Version string
	Kinds          []string
	// Types is the number of types, without lists of objects.
	Types int
	// Kept are the fields whose schema, or a part of it, is written into the source, because
	// Go types and markers cannot express it: "IssuerSpec.config".
	Kept []string
	// Open are the types of objects that preserve unknown fields. Go types drop these.
	Open []string
	// LookAlikes are types with nearly the fields of well-known ones, which often come from another
	// version of k8s.io/api.
	LookAlikes []string
	// Style lists how the definitions that are generated from the types differ in form, but not in
	// meaning: the order of required, names that servers set by default.
	Style []string
}

// Summary returns a line about each package.
func (r *Result) Summary() []string {
	var out []string
	for _, p := range r.Packages {
		line := fmt.Sprintf("%s/%s: %d types, from which equal CRDs are generated", p.Group, p.Version, p.Types)
		if len(p.Kept) > 0 {
			line += fmt.Sprintf("; %d with +schemagen:schema: %s", len(p.Kept), strings.Join(p.Kept, ", "))
		}
		if len(p.Open) > 0 {
			line += fmt.Sprintf("; the types drop unknown fields of %s", strings.Join(p.Open, ", "))
		}
		out = append(out, line)
		if n := len(p.LookAlikes); n > 0 {
			out = append(out, fmt.Sprintf("%s/%s: types that other versions of their packages may have: %s", p.Group, p.Version, someOf(p.LookAlikes, 5)))
		}
	}
	return out
}

// someOf returns the first texts, and the number of the others.
func someOf(texts []string, most int) string {
	if len(texts) <= most {
		return strings.Join(texts, ", ")
	}
	return fmt.Sprintf("%s, and %d more", strings.Join(texts[:most], ", "), len(texts)-most)
}

// maxRounds bounds how often nodes are kept as they are before the definitions are refused.
const maxRounds = 6

// Generate is [Module.Generate] for the module of the output directory.
func Generate(ctx context.Context, definitions []*crd.Definition, options Options) (*Result, diag.List, error) {
	var imports []string
	for _, pattern := range options.Imports {
		if strings.HasPrefix(pattern, ".") {
			pattern = filepath.Join(options.Dir, pattern) // not relative to the output
		}
		imports = append(imports, pattern)
	}
	m, found, err := Open(ctx, options.root(), imports...)
	if err != nil || found.HasErrors() {
		return nil, found, err
	}
	return m.Generate(ctx, definitions, options)
}

// Generate returns Go packages for definitions, after it has generated the definitions from
// them again and found them equal: the objects without their status, and the schemas with
// all keywords and the order of all lists but required.
//
// Diagnostics are about the definitions. If one of them is an error, there is no result.
func (m *Module) Generate(ctx context.Context, definitions []*crd.Definition, options Options) (*Result, diag.List, error) {
	root := options.root()
	packages, found := plan(definitions, &options)
	if len(packages) == 0 {
		return nil, found.Normalize(), nil
	}
	kept := map[place]bool{}
	last := "" // the last error in the Go types
	for range maxRounds {
		var builders []*builder
		var files []writtenFile
		for _, p := range packages {
			if ctx.Err() != nil {
				return nil, nil, ctx.Err()
			}
			b := &builder{groupVersion: p, options: &options, known: m.known, kept: kept, style: map[string]bool{},
				digests: digests{bodies: map[*structural.Schema]digest{}}}
			b.build()
			if refused := b.refused(); len(refused) > 0 {
				found = append(found, refused...)
				continue
			}
			if found.HasErrors() {
				continue // what would be written need not be Go
			}
			written, err := b.files()
			if err != nil {
				return nil, nil, err
			}
			builders = append(builders, b)
			files = append(files, written...)
		}
		if found.HasErrors() {
			return nil, found.Normalize(), nil
		}
		mismatches, wrong, err := prove(ctx, root, builders, files)
		if err != nil {
			return nil, nil, err
		}
		more := false
		for _, d := range wrong {
			if d.Severity != diag.Error {
				continue
			}
			last = ": " + d.Message
			culprit := ownerOf(files, d.Pos)
			if len(culprit.places) == 0 || slices.ContainsFunc(culprit.places, func(p place) bool { return p.field == "" }) {
				k := cmp.Or(culprit.kind, packages[0].kinds[0])
				return nil, append(found, k.wrong(d)), nil
			}
			for _, p := range culprit.places {
				more = more || !kept[p]
				kept[p] = true
			}
		}
		var fatal diag.List
		old := maps.Clone(kept)
		for _, x := range mismatches {
			if !keepInnermost(old, kept, x.places) {
				fatal = append(fatal, notExpressible.At(x.kind.position(x.schema, x.path), "", "%s of %s: Go types and markers cannot express %s", x.kind.version(), x.kind.object.Spec.Names.Kind, x.what))
				continue
			}
			more = true
		}
		if len(fatal) > 0 {
			return nil, append(found, fatal...).Normalize(), nil
		}
		if !more && !wrong.HasErrors() {
			return result(builders, files, found, &options)
		}
		if !more { // another round would not be different
			return nil, append(found, packages[0].kinds[0].wrong(firstError(wrong))), nil
		}
	}
	return nil, append(found, notExpressible.At(packages[0].kinds[0].position(nil, "spec"), "", "the definitions do not come back after %d rounds%s", maxRounds, last)), nil
}

// wrong returns the diagnostic for an error in the Go types of a kind.
func (k *kind) wrong(d diag.Diagnostic) diag.Diagnostic {
	return notExpressible.At(k.position(nil, "spec"), "", "the Go types for it are wrong: %s", d.Message)
}

func firstError(list diag.List) diag.Diagnostic {
	return list[slices.IndexFunc(list, func(d diag.Diagnostic) bool { return d.Severity == diag.Error })]
}

// keepInnermost marks the innermost place that was not kept before, and may have been marked
// because of another use of the same struct. It reports whether there is one.
func keepInnermost(old, kept map[place]bool, places []place) bool {
	for _, p := range slices.Backward(places) {
		if !old[p] {
			kept[p] = true
			return true
		}
	}
	return false
}

// result returns the result, with found and what is reported about existing files.
func result(builders []*builder, files []writtenFile, found diag.List, options *Options) (*Result, diag.List, error) {
	toWrite, edited, err := toWrite(files, options)
	if err != nil {
		return nil, nil, err
	}
	stale, left, err := stale(builders, files, options)
	if err != nil {
		return nil, nil, err
	}
	found = slices.Concat(found, edited, left)
	if found.HasErrors() {
		return nil, found.Normalize(), nil
	}
	out := &Result{Stale: stale}
	for _, f := range toWrite {
		out.Files = append(out.Files, File{options.shown(f.name), f.data})
	}
	for _, b := range builders {
		p := Package{Group: b.group, Version: b.version, Types: len(b.types), LookAlikes: b.lookAlikes(),
			Style: slices.Sorted(maps.Keys(b.style))}
		for _, k := range b.kinds {
			if k.wanted {
				p.Kinds = append(p.Kinds, k.object.Spec.Names.Kind)
			}
		}
		for _, t := range b.types {
			if t.open {
				p.Open = append(p.Open, t.name)
			}
			for _, f := range t.fields {
				if len(f.kept) > 0 {
					p.Kept = append(p.Kept, t.name+"."+f.json)
				}
			}
		}
		out.Packages = append(out.Packages, p)
	}
	return out, found, nil
}

// refused returns the diagnostics for nodes that have no Go type.
func (b *builder) refused() diag.List {
	var out diag.List
	for _, f := range b.fails {
		k := f.kind
		if k == nil {
			i := slices.IndexFunc(b.kinds, func(k *kind) bool {
				_, has := below(k.schema, f.schema)
				return has
			})
			k = b.kinds[max(i, 0)]
		}
		if !k.wanted {
			continue
		}
		pos := k.position(f.schema, "")
		if f.keyword != "" {
			pos = k.position(nil, k.pathOf(f.schema)+"."+f.keyword)
		}
		out = append(out, notExpressible.At(pos, f.hint, "%s", f.message))
	}
	return out.Normalize()
}

// pathOf returns the path of a node of the schema in the definition.
func (k *kind) pathOf(s *structural.Schema) string {
	return fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema%s", k.index, pathTo(k.schema, s))
}

// position returns the position of a node of the schema, or of a path in the definition.
func (k *kind) position(s *structural.Schema, path string) diag.Position {
	if s != nil {
		path = k.pathOf(s)
	}
	if k.definition.Position == nil {
		return diag.Position{}
	}
	pos, _ := k.definition.Position(path)
	return pos
}

// pathTo returns the path from a schema to a node inside it, as servers write it.
func pathTo(root, s *structural.Schema) string {
	if root == s {
		return ""
	}
	for _, p := range root.Properties {
		if rest, ok := below(p.Schema, s); ok {
			return ".properties[" + p.Name + "]" + rest
		}
	}
	if root.Items != nil {
		if rest, ok := below(root.Items, s); ok {
			return ".items" + rest
		}
	}
	if a := root.AdditionalProperties; a != nil && a.Schema != nil {
		if rest, ok := below(a.Schema, s); ok {
			return ".additionalProperties" + rest
		}
	}
	return ""
}

func below(root, s *structural.Schema) (string, bool) {
	if root == s {
		return "", true
	}
	path := pathTo(root, s)
	return path, path != ""
}
