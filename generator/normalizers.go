package generator

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/templates"
	"github.com/schemagen/schemagen/unions"
)

// This file is where Go packages become files of functions for their unions:
// packages → the struct types that lead to unions (normalizers_graph.go) → what
// the functions of each say (normalizers_file.go) → Go source (package templates).

// UnionsFileName is the name of the file that each package gets.
const UnionsFileName = "zz_generated.unions.go"

// UnionOptions say what the functions for unions do.
type UnionOptions struct {
	unions.Options
	// Accessors adds methods that set a discriminator, or a member with it.
	Accessors bool
	// BuildTag is the build constraint of the files; empty writes none.
	BuildTag string
}

// UnionFiles is what comes of [GenerateUnions].
type UnionFiles struct {
	// Files have absolute names, one for each package with functions.
	Files []File
	// Without are the directories of the packages that have none, sorted.
	Without []string
}

// GenerateUnions reads the packages and returns a file of functions for each one
// that declares a struct type which holds or leads to a union: the functions
// that normalize and validate its objects, as [unions.Plan] does without the
// types. Unions are switched on unless the source says +schemagen:unions=none.
// Diagnostics are about the user's source; if one of them is an error there are
// no files. The error is as that of [Generate].
func GenerateUnions(ctx context.Context, options Options, functions UnionOptions) (UnionFiles, diag.List, error) {
	if options.Unions == "" {
		options.Unions = string(unions.FormCEL)
	}
	options.AllowDangerousTypes = true // they make no difference to the functions
	options.ignored = UnionsFileName
	roots, b, err := open(ctx, &options)
	if err != nil {
		return UnionFiles{}, nil, err
	}
	g := newUnionGraph(b)
	concerned := withUnions(roots)
	for _, p := range concerned {
		g.addPackage(p)
	}
	g.finish()
	w, r := b.world, b.reporter
	// A recursive type has no schema, but functions.
	r.drop(codeRecursive)
	var out UnionFiles
	for _, p := range roots {
		if len(p.Files) == 0 {
			continue
		}
		dir := filepath.Dir(p.Files[0])
		file := g.file(p, options.Header, functions)
		if file == nil {
			out.Without = append(out.Without, dir)
			continue
		}
		if r.list.HasErrors() {
			continue
		}
		data, err := templates.RenderUnions(file, unions.MustChange)
		if err != nil {
			return UnionFiles{}, nil, err
		}
		out.Files = append(out.Files, File{Name: filepath.Join(dir, UnionsFileName), Data: data})
	}
	w.lint()
	r.drop(codeNeedsFeature) // they would change schemas, not functions
	slices.Sort(out.Without)
	if r.list.HasErrors() {
		out = UnionFiles{}
	}
	return out, r.list.Normalize(), ctx.Err()
}

// drop takes back what was reported with a code.
func (r *reporter) drop(code diag.Code) {
	r.list = slices.DeleteFunc(r.list, func(d diag.Diagnostic) bool { return d.Code == code })
}

// withUnions returns the packages that may have a type that leads to a union: a
// file mentions a marker of one, or the path of such a package. The others need
// not be parsed.
func withUnions(roots []*pkg) []*pkg {
	found := map[*pkg]bool{}
	for _, p := range roots {
		found[p] = p.mentions(func(src []byte) bool {
			return slices.ContainsFunc(unionMarkers[:], func(marker string) bool { return bytes.Contains(src, []byte(marker)) })
		})
	}
	for again := true; again; {
		again = false
		for _, p := range roots {
			if found[p] {
				continue
			}
			found[p] = p.mentions(func(src []byte) bool {
				return slices.ContainsFunc(roots, func(other *pkg) bool { return found[other] && bytes.Contains(src, []byte(other.Path)) })
			})
			again = again || found[p]
		}
	}
	return slices.DeleteFunc(slices.Clone(roots), func(p *pkg) bool { return !found[p] })
}

// unionMarkers are what the markers of unions begin with.
var unionMarkers = [...]string{"+union", "+discriminator", "+k8s:union", "+k8s:zeroOrOneOfMember"}

// mentions reports whether a file of the package is as is says. What cannot be
// read is reported when the package is indexed.
func (p *pkg) mentions(is func(src []byte) bool) bool {
	return slices.ContainsFunc(p.Files, func(name string) bool {
		src, err := p.world.read(name)
		return err == nil && is(src)
	})
}
