// Package uniongen writes Go functions that normalize and validate the unions of types, and
// admission policies that normalize them on the API server. It knows Go types and the
// finished schemas; what the functions look like is in package templates.
package uniongen

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/generator/internal/build"
	"github.com/schemagen/schemagen/generator/internal/report"
	"github.com/schemagen/schemagen/generator/internal/source"
	"github.com/schemagen/schemagen/templates"
	"github.com/schemagen/schemagen/unions"
)

// This file is where Go packages become files of functions for their unions:
// packages → the struct types that lead to unions (graph.go) → what
// the functions of each say (file.go) → Go source (package templates).

// FileName is the name of the file that each package gets.
const FileName = "zz_generated.unions.go"

// FunctionOptions say what the functions for unions do.
type FunctionOptions struct {
	unions.Options
	// Accessors adds methods that set a discriminator, or a member with it.
	Accessors bool
	// BuildTag is the build constraint of the files; empty writes none.
	BuildTag string
}

// Files is what comes of [Generate].
type Files struct {
	// Files have absolute names, one for each package with functions.
	Files []build.File
	// Without are the directories of the packages that have none, sorted.
	Without []string
}

// Generate reads the packages and returns a file of functions for each one
// that declares a struct type which holds or leads to a union: the functions
// that normalize and validate its objects, as [unions.Plan] does without the
// types. Unions are switched on unless the source says +schemagen:unions=none.
// Diagnostics are about the user's source; if one of them is an error there are
// no files. The error is as that of [generator.Run].
func Generate(ctx context.Context, options generator.Options, functions FunctionOptions) (Files, diag.List, error) {
	return generate(ctx, options.Internal(), functions)
}

func generate(ctx context.Context, options build.Options, functions FunctionOptions) (Files, diag.List, error) {
	if options.Unions == "" {
		options.Unions = string(unions.FormCEL)
	}
	options.AllowDangerousTypes = true // they make no difference to the functions
	build.Ignore(&options, FileName)
	roots, b, err := build.Open(ctx, &options)
	if err != nil {
		return Files{}, nil, err
	}
	g := newUnionGraph(b)
	concerned := withUnions(roots)
	for _, p := range concerned {
		g.addPackage(p)
	}
	g.finish()
	w, r := b.Run, b.Reporter
	// A recursive type has no schema, but functions.
	r.Drop(report.RecursiveType)
	var out Files
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
		if r.List.HasErrors() {
			continue
		}
		data, err := templates.RenderUnions(file, unions.MustChange)
		if err != nil {
			return Files{}, nil, err
		}
		out.Files = append(out.Files, build.File{Name: filepath.Join(dir, FileName), Data: data})
	}
	w.Lint()
	r.Drop(report.FeatureOff) // they would change schemas, not functions
	slices.Sort(out.Without)
	if r.List.HasErrors() {
		out = Files{}
	}
	return out, r.List.Normalize(), ctx.Err()
}

// withUnions returns the packages that may have a type that leads to a union: a
// file mentions a marker of one, or the path of such a package. The others need
// not be parsed.
func withUnions(roots []*source.Package) []*source.Package {
	found := map[*source.Package]bool{}
	for _, p := range roots {
		found[p] = p.Mentions(func(src []byte) bool {
			return slices.ContainsFunc(unionMarkers[:], func(marker string) bool { return bytes.Contains(src, []byte(marker)) })
		})
	}
	for again := true; again; {
		again = false
		for _, p := range roots {
			if found[p] {
				continue
			}
			found[p] = p.Mentions(func(src []byte) bool {
				return slices.ContainsFunc(roots, func(other *source.Package) bool { return found[other] && bytes.Contains(src, []byte(other.Path)) })
			})
			again = again || found[p]
		}
	}
	return slices.DeleteFunc(slices.Clone(roots), func(p *source.Package) bool { return !found[p] })
}

// unionMarkers are what the markers of unions begin with.
var unionMarkers = [...]string{"+union", "+discriminator", "+k8s:union", "+k8s:zeroOrOneOfMember"}
