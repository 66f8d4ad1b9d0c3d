package uniongen

import (
	"bytes"
	"context"
	"path/filepath"
	"slices"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/unions"
)

// This file turns Go packages into files of functions for their unions: packages → the struct
// types that lead to unions (graph.go) → the data for the functions of each (file.go) → Go
// source (package templates).

// FileName is the name of the generated file in each package.
const FileName = "zz_generated.unions.go"

// FunctionOptions configure the generated functions.
type FunctionOptions struct {
	unions.Options
	// Accessors adds methods that set a discriminator, or a member with its discriminator.
	Accessors bool
	// BuildTag is the build constraint of the files. If it is empty, they have none.
	BuildTag string
}

// Files is the result of [Generate].
type Files struct {
	// Files have absolute names, one for each package with functions.
	Files []define.File
	// Without are the directories of packages without functions, sorted.
	Without []string
}

// Generate reads the packages and returns a file for each one that declares a struct type
// with a union, or with a field that leads to one. Its functions normalize and validate
// objects of these types, as [unions.Plan] does for untyped ones. Unions are enabled unless
// the source has +schemagen:unions=none. Diagnostics are about the user's source; if one of
// them is an error, there are no files. The error is as in [define.Make].
func Generate(ctx context.Context, options define.Options, functions FunctionOptions) (Files, diag.List, error) {
	options.Gates = []string{"*"} // the Go types are the same for all gates
	return generate(ctx, options, functions)
}

func generate(ctx context.Context, options define.Options, functions FunctionOptions) (Files, diag.List, error) {
	if options.Unions == "" {
		options.Unions = string(unions.FormCEL)
	}
	options.AllowDangerousTypes = true // they do not affect the functions
	options.Ignored = FileName
	roots, b, err := define.Open(ctx, options)
	if err != nil {
		return Files{}, nil, err
	}
	g := newUnionGraph(b)
	concerned := withUnions(roots)
	for _, p := range concerned {
		g.addPackage(p)
	}
	g.finish()
	w := b.Run
	reporter := b.Reporter
	// A recursive type has functions although it has no schema.
	reporter.Drop(report.RecursiveType)
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
		if reporter.List.HasErrors() {
			continue
		}
		data, err := render(file, unions.MustChange)
		if err != nil {
			return Files{}, nil, err
		}
		out.Files = append(out.Files, define.File{Name: filepath.Join(dir, FileName), Data: data})
	}
	w.Lint()
	reporter.Drop(report.FeatureDisabled) // features affect schemas, not functions
	slices.Sort(out.Without)
	if reporter.List.HasErrors() {
		out = Files{}
	}
	return out, reporter.List.Normalize(), ctx.Err()
}

// withUnions returns the packages that may have a type that leads to a union: those with a
// file that contains a union marker, or the import path of such a package. The others need
// not be parsed.
func withUnions(roots []*source.Package) []*source.Package {
	found := map[*source.Package]bool{}
	for _, p := range roots {
		found[p] = p.AnyFile(func(src []byte) bool {
			return slices.ContainsFunc(unionMarkers[:], func(marker string) bool { return bytes.Contains(src, []byte(marker)) })
		})
	}
	for again := true; again; {
		again = false
		for _, p := range roots {
			if found[p] {
				continue
			}
			found[p] = p.AnyFile(func(src []byte) bool {
				return slices.ContainsFunc(roots,
					func(other *source.Package) bool { return found[other] && bytes.Contains(src, []byte(other.Path)) })
			})
			again = again || found[p]
		}
	}
	return slices.DeleteFunc(slices.Clone(roots), func(p *source.Package) bool { return !found[p] })
}

// unionMarkers are the prefixes of union markers.
var unionMarkers = [...]string{"+" + markers.UnionName, "+" + markers.DiscriminatorName, "+k8s:union", "+" + markers.TagZeroOrOneOfMemberName,
	"+" + markers.TagIfModeName}
