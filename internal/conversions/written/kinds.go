package written

import (
	"context"
	"go/token"
	"path/filepath"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/source"
)

// Kind is a kind with conversions between its versions.
type Kind struct {
	Group, Name string
	Hub         Version
	Spokes      []Spoke
	// Dir is the directory of the hub's package.
	Dir string
}

// Version is a version of a kind, and its Go type.
type Version struct {
	// Name is the name of the version, such as v1beta1.
	Name string
	// Package is the import path of the type, Type its name.
	Package, Type string
}

// Spoke is a version that is converted to and from the hub.
type Spoke struct {
	Version
	// Up and Down are functions of the package, func(context.Context, *From, *To) error. If
	// they are empty, the type has the methods ConvertTo and ConvertFrom.
	Up, Down string
}

// Kinds returns the kinds of packages that convert versions, sorted by group and name. The
// error is as in [define.Make].
func Kinds(ctx context.Context, options define.Options) ([]Kind, diag.List, error) {
	internal := options
	internal.Gates = []string{"*"}      // the Go types are the same for all gates
	internal.AllowDangerousTypes = true // they do not affect the conversions
	definitions, b, err := define.DefineKinds(ctx, internal)
	if err != nil {
		return nil, nil, err
	}
	pairs := map[*source.Type]*Pair{}
	read := map[*source.Package]bool{}
	var out []Kind
	for _, d := range definitions {
		versions := map[*source.Type]string{}
		for i, t := range d.Roots {
			versions[t] = d.Object.Spec.Versions[i].Name
			if !read[t.Pkg] {
				read[t.Pkg] = true
				for _, pair := range Find(t.Pkg, func(token.Pos, string, string) {}) {
					pairs[pair.Spoke] = pair
				}
			}
		}
		kind := Kind{Group: d.Object.Spec.Group, Name: d.Object.Spec.Names.Kind}
		for _, t := range d.Roots {
			pair := pairs[t]
			if pair == nil || versions[pair.Hub] == "" {
				continue
			}
			kind.Hub = versionOf(pair.Hub, versions)
			kind.Dir = filepath.Dir(pair.Hub.Pkg.Files[0])
			kind.Spokes = append(kind.Spokes, Spoke{versionOf(pair.Spoke, versions), pair.Up, pair.Down})
		}
		if len(kind.Spokes) > 0 {
			out = append(out, kind)
		}
	}
	return out, b.Reporter.List.Normalize(), ctx.Err()
}

func versionOf(t *source.Type, names map[*source.Type]string) Version {
	return Version{names[t], t.Pkg.Path, t.Spec.Name.Name}
}
