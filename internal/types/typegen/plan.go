package typegen

import (
	"cmp"
	"fmt"
	"go/token"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/module"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	k8snames "k8s.io/apimachinery/pkg/util/validation"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
)

// A planner groups the versions of definitions into packages.
type planner struct {
	options  *Options
	packages []*groupVersion
	found    diag.List
}

// plan returns the packages for definitions, each with its directory.
func plan(definitions []*crd.Definition, options *Options) ([]*groupVersion, diag.List) {
	p := &planner{options: options}
	seen := map[string]bool{}
	for _, d := range definitions {
		object := d.CRD
		if object == nil {
			object = d.Build()
		}
		if text := canonical(object); !seen[text] { // several files may have it
			seen[text] = true
			p.definition(d, object)
		}
	}
	slices.SortFunc(p.packages, func(a, b *groupVersion) int {
		return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.version, b.version))
	})
	p.kinds()
	p.directories()
	return slices.DeleteFunc(p.packages, func(g *groupVersion) bool {
		return !slices.ContainsFunc(g.kinds, func(k *kind) bool { return k.wanted })
	}), p.found
}

// definition adds the versions of a definition to their packages.
func (p *planner) definition(d *crd.Definition, object *apiextensionsv1.CustomResourceDefinition) {
	for i := range object.Spec.Versions {
		k := &kind{definition: d, object: object, index: i, wanted: wanted(object, p.options.Kinds)}
		path := fmt.Sprintf("spec.versions[%d]", i)
		if i < len(d.Unsupported) {
			for _, u := range d.Unsupported[i] {
				p.refuse(k, path+".schema.openAPIV3Schema"+u.Path.String(), "%s is not allowed in a structural schema", u)
			}
		}
		if i >= len(d.Schemas) || d.Schemas[i] == nil {
			p.refuse(k, path, "version %s of %s has no schema", k.version(), object.Spec.Names.Kind)
			continue
		}
		p.names(k)
		k.schema = d.Schemas[i]
		if k.schema.Nullable {
			p.refuse(k, path+".schema.openAPIV3Schema",
				"%s of %s is nullable at the root, which no server accepts", k.version(), object.Spec.Names.Kind)
		}
		g := p.packageOf(object.Spec.Group, k.version())
		g.kinds = append(g.kinds, k)
	}
}

func (p *planner) packageOf(group, version string) *groupVersion {
	for _, g := range p.packages {
		if g.group == group && g.version == version {
			return g
		}
	}
	g := &groupVersion{group: group, version: version}
	p.packages = append(p.packages, g)
	return g
}

// refuse reports a kind that is written.
func (p *planner) refuse(k *kind, path, format string, args ...any) {
	if k.wanted {
		p.found = append(p.found, notExpressible.At(k.position(nil, path), "", format, args...))
	}
}

// names reports names that become part of Go source, or of the path of a package, and cannot.
func (p *planner) names(k *kind) {
	spec := &k.object.Spec
	if len(k8snames.IsDNS1123Subdomain(spec.Group)) > 0 {
		p.refuse(k, "spec.group", "group %q is not a DNS subdomain", spec.Group)
	}
	if name := spec.Names.Kind; !token.IsExported(name) || !token.IsIdentifier(name) {
		p.refuse(k, "spec.names.kind", "%q is not an exported Go name", name)
	}
	if len(k8snames.IsDNS1035Label(spec.Names.Plural)) > 0 {
		p.refuse(k, "spec.names.plural", "plural %q is not a DNS label", spec.Names.Plural)
	}
	path := fmt.Sprintf("spec.versions[%d].name", k.index)
	switch name := k.version(); {
	case !token.IsIdentifier(name):
		p.refuse(k, path, "version %q is not the name of a Go package", name)
	case !isImportable(name) || name == "main" || strings.HasSuffix(name, "_test"):
		p.refuse(k, path, "version %q is not the name of a Go package that others can import", name)
	}
}

// isImportable reports whether all packages of the module can import those below a directory
// with this name.
func isImportable(name string) bool {
	switch name {
	case "internal", "vendor", "testdata", "_":
		return false
	}
	return module.CheckImportPath("x/"+name) == nil
}

// kinds sorts the kinds of each package, and reports kinds that cannot be in one group.
func (p *planner) kinds() {
	type name struct{ group, kind string }
	kinds := map[name]*kind{}
	twice := map[*crd.Definition]bool{}
	for _, g := range p.packages {
		slices.SortFunc(g.kinds, func(a, b *kind) int {
			byName := cmp.Compare(a.object.Spec.Names.Kind, b.object.Spec.Names.Kind)
			return cmp.Or(byName, comparePositions(a.named(), b.named()))
		})
		for _, k := range g.kinds {
			n := name{g.group, k.object.Spec.Names.Kind}
			first := kinds[n]
			switch {
			case first == nil:
				kinds[n] = k
			case first.definition != k.definition && !twice[first.definition] && !twice[k.definition]:
				twice[k.definition] = true
				if comparePositions(first.named(), k.named()) > 0 {
					first, k = k, first
				}
				p.clash(k, first, "kind %s of group %s is defined twice", n.kind, n.group)
			}
		}
	}
	byName := func(a, b name) int { return cmp.Or(cmp.Compare(a.group, b.group), cmp.Compare(a.kind, b.kind)) }
	names := slices.SortedFunc(maps.Keys(kinds), byName)
	groups := map[string][]string{}
	plurals := map[name]*kind{}
	for _, n := range names {
		groups[n.group] = append(groups[n.group], n.kind)
		plural := name{n.group, kinds[n].object.Spec.Names.Plural}
		if other := plurals[plural]; other != nil {
			p.clash(kinds[n], other, "kind %s has the plural %q, which is that of kind %s",
				n.kind, plural.kind, other.object.Spec.Names.Kind)
		}
		plurals[plural] = kinds[n]
		if list := kinds[name{n.group, n.kind + "List"}]; list != nil {
			p.clash(list, kinds[n], "kind %sList has the name of the list type of kind %s", n.kind, n.kind)
		}
	}
	for _, g := range p.packages {
		g.groupKinds = groups[g.group]
	}
}

// clash reports a kind and another one that cannot be written together.
func (p *planner) clash(k, other *kind, format string, args ...any) {
	if k.wanted && other.wanted {
		related := diag.Related{Pos: other.named(), Message: "the other definition is here"}
		const hint = "write one of them with --kinds, or from another file"
		p.found = append(p.found, clashingKinds.At(k.named(), hint, format, args...).With(related))
	}
}

// named returns the position of the name of the kind.
func (k *kind) named() diag.Position { return k.position(nil, "spec.names.kind") }

func comparePositions(a, b diag.Position) int {
	return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
}

// directories gives each package its directory.
func (p *planner) directories() {
	groups := map[string]bool{}
	versions := map[string]bool{}
	labels := map[string]int{}
	for _, g := range p.packages {
		if !groups[g.group] {
			labels[firstLabel(g.group)]++
		}
		groups[g.group] = true
		versions[g.version] = true
	}
	root := p.options.root()
	if len(versions) > 1 && versions[filepath.Base(root)] {
		root = filepath.Dir(root) // v1 and v1beta1 are next to each other
	}
	for _, g := range p.packages {
		g.dir = root
		if len(groups) > 1 {
			name := firstLabel(g.group)
			if labels[name] > 1 || !isImportable(name) {
				name = g.group
			}
			if !isImportable(name) && len(k8snames.IsDNS1123Subdomain(name)) == 0 {
				p.refuse(g.kinds[0], "spec.group",
					"group %q cannot be the name of a directory with Go packages, which it needs beside other groups", name)
			}
			g.dir = filepath.Join(g.dir, name)
		}
		if len(groups) > 1 || len(versions) > 1 || filepath.Base(g.dir) != g.version {
			g.dir = filepath.Join(g.dir, g.version)
		}
	}
}

func firstLabel(group string) string {
	label, _, _ := strings.Cut(group, ".")
	return label
}

func wanted(object *apiextensionsv1.CustomResourceDefinition, kinds []string) bool {
	names := object.Spec.Names.Kind
	return len(kinds) == 0 || slices.Contains(kinds, names) || slices.Contains(kinds, names+"."+object.Spec.Group)
}

func (k *kind) version() string { return k.object.Spec.Versions[k.index].Name }
