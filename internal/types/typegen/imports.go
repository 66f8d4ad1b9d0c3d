package typegen

import (
	"cmp"
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"go/types"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/source/gotext"
)

// A candidate is a package with types to be recognized by their schemas.
type candidate struct {
	path  string
	names []string
}

// imported returns the exported structs of the packages that patterns match. Kinds, their
// lists and generic types are left out.
func imported(ctx context.Context, dir string, patterns []string) ([]candidate, diag.List, error) {
	if len(patterns) == 0 {
		return nil, nil, nil
	}
	options := define.Options{Passes: passes.All(), Source: define.Source{Dir: dir, Patterns: patterns}}
	roots, b, err := define.Open(ctx, options)
	if err != nil || b.Reporter.List.HasErrors() {
		return nil, b.Reporter.List, err
	}
	var out []candidate
	for _, p := range roots {
		p.ParseTypes()
		c := candidate{path: p.Path}
		for _, f := range p.Sources {
			if f.Syntax == nil {
				continue
			}
			for _, t := range f.Types() {
				if st, ok := t.Spec.Type.(*ast.StructType); ok && token.IsExported(t.Spec.Name.Name) &&
					t.Spec.TypeParams.NumFields() == 0 && !embedsTypeMeta(st) {
					c.names = append(c.names, t.Spec.Name.Name)
				}
			}
		}
		slices.Sort(c.names)
		if len(c.names) > 0 {
			out = append(out, c)
		}
	}
	slices.SortFunc(out, func(a, b candidate) int { return strings.Compare(a.path, b.path) })
	return out, b.Reporter.List, nil
}

func embedsTypeMeta(st *ast.StructType) bool {
	return slices.ContainsFunc(st.Fields.List, func(f *ast.Field) bool {
		name, ok := f.Type.(*ast.SelectorExpr)
		return ok && len(f.Names) == 0 && name.Sel.Name == "TypeMeta"
	})
}

// usable returns those of the candidates that have schemas: a package in memory that uses
// them is generated without errors.
func usable(ctx context.Context, dir string, candidates []candidate) ([]candidate, error) {
	known, _, err := probe(ctx, dir, candidates)
	if err != nil {
		return nil, err
	}
	if known != nil {
		return candidates, nil
	}
	var out []candidate
	for _, c := range candidates {
		names, err := usableNames(ctx, dir, c.path, c.names)
		if err != nil {
			return nil, err
		}
		if len(names) > 0 {
			out = append(out, candidate{c.path, names})
		}
	}
	return out, nil
}

func usableNames(ctx context.Context, dir, path string, names []string) ([]string, error) {
	known, _, err := probe(ctx, dir, []candidate{{path, names}})
	switch {
	case err != nil:
		return nil, err
	case known != nil:
		return names, nil
	case len(names) == 1:
		return nil, nil
	}
	first, err := usableNames(ctx, dir, path, names[:len(names)/2])
	if err != nil {
		return nil, err
	}
	second, err := usableNames(ctx, dir, path, names[len(names)/2:])
	return append(slices.Clip(first), second...), err
}

// aliases returns the names by which files import packages: the usual ones of Kubernetes,
// otherwise the last element of the path, after the one before it if it is a version.
func aliases(paths []string) map[string]string {
	out := map[string]string{}
	taken := map[string]bool{}
	for _, name := range types.Universe.Names() {
		taken[name] = true // the import would hide it in the whole file
	}
	for _, usual := range []string{metav1Path, runtimePath, intstrPath, quantityPath, schemaPath, crdV1Path,
		corev1Path, rbacv1Path} {
		out[usual] = aliasOf(usual)
		taken[out[usual]] = true
	}
	for _, path := range slices.Sorted(slices.Values(paths)) {
		if out[path] != "" {
			continue
		}
		parts := strings.Split(path, "/")
		name := parts[len(parts)-1]
		if len(parts) > 1 && len(name) > 1 && name[0] == 'v' && name[1] >= '0' && name[1] <= '9' {
			name = parts[len(parts)-2] + name
		}
		name = strings.Map(func(r rune) rune {
			if r >= 'a' && r <= 'z' || r >= '0' && r <= '9' {
				return r
			}
			return -1
		}, strings.ToLower(name))
		if name == "" || token.IsKeyword(name) || name[0] <= '9' {
			name = "api" + name
		}
		alias := gotext.Unique(name, func(name string) bool { return taken[name] })
		out[path] = alias
		taken[alias] = true
	}
	return out
}

// minSimilar is the number of fields from which a type is compared with well-known ones.
const minSimilar = 4

// lookAlikes returns the types that have nearly the fields of well-known types, which often come
// from another version: "Container is like corev1.Container (without restartPolicy)".
func (b *builder) lookAlikes() []string {
	var out []string
	for _, t := range b.types {
		if len(t.fields) < minSimilar || t.kind != nil {
			continue
		}
		var best *knownType
		var lacks, adds []string
		for i := range b.known.list {
			k := &b.known.list[i]
			if 4*max(len(k.fields)-len(t.fields), len(t.fields)-len(k.fields)) > len(k.fields) {
				continue
			}
			less, more := fieldDifference(k.fields, t.fields)
			if 4*(len(less)+len(more)) > len(k.fields) || best != nil && len(less)+len(more) >= len(lacks)+len(adds) {
				continue
			}
			best = k
			lacks = less
			adds = more
		}
		if best == nil {
			continue
		}
		what := fmt.Sprintf("%s is like %s.%s", t.name, b.known.aliases[best.path], best.name)
		var differences []string
		if len(lacks) > 0 {
			differences = append(differences, "without "+strings.Join(lacks, ", "))
		}
		if len(adds) > 0 {
			differences = append(differences, "with "+strings.Join(adds, ", "))
		}
		out = append(out, what+" ("+cmp.Or(strings.Join(differences, "; "), "with other schemas")+")")
	}
	return out
}

// fieldDifference returns the names that only the first or only the second list has.
func fieldDifference(names []string, fields []*field) (lacks, adds []string) {
	for _, name := range names {
		if !slices.ContainsFunc(fields, func(f *field) bool { return f.json == name }) {
			lacks = append(lacks, name)
		}
	}
	for _, f := range fields {
		if !slices.Contains(names, f.json) {
			adds = append(adds, f.json)
		}
	}
	return lacks, adds
}
