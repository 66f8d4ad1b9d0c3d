package generator

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural"
)

// VersionAnnotation says which tool and version wrote a definition. The key is
// controller-gen's, so that a migration changes one value.
const VersionAnnotation = "controller-gen.kubebuilder.io/version"

// groupKind is one kind of the run, with the root types that declare it.
type groupKind struct {
	group, kind string
}

func (k groupKind) String() string {
	if k.group == "" {
		return k.kind
	}
	return k.kind + "." + k.group
}

// findKinds returns the kinds that the root packages declare, sorted by
// "Kind.group". A kind is a struct that embeds metav1.TypeMeta and
// metav1.ObjectMeta themselves: no pointers, no aliases.
func findKinds(roots []*pkg, r *reporter) []groupKind {
	var out []groupKind
	for _, p := range roots {
		if p.describe().skip {
			continue
		}
		for _, f := range p.files {
			if !f.mentionsKind {
				continue
			}
			f.parse()
			if f.ast == nil {
				continue
			}
			for _, t := range f.declared() {
				if !t.isKind(r) {
					continue
				}
				if !p.describe().grouped {
					r.errorf(codeNoGroup, p, t.spec.Name.Pos(), "say the API group beside the package clause: // +groupName=example.com",
						"kind %s is in a package without +groupName", t.spec.Name.Name)
					continue
				}
				k := groupKind{p.describe().group, t.spec.Name.Name}
				if !slices.Contains(out, k) {
					out = append(out, k)
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b groupKind) int { return strings.Compare(a.String(), b.String()) })
	return out
}

// selectKinds returns the kinds that the options ask for. A name that stands
// for none is an error.
func selectKinds(kinds []groupKind, options *Options, r *reporter) []groupKind {
	if len(options.Kinds) == 0 && len(options.Groups) == 0 {
		return kinds
	}
	var out []groupKind
	for _, name := range options.Kinds {
		if !slices.ContainsFunc(kinds, func(k groupKind) bool { return k.kind == name || k.String() == name }) {
			r.listing(codeNoSuchKind, fmt.Sprintf("there is no kind %s in these packages", name), kindsHint(kinds))
		}
	}
	for _, group := range options.Groups {
		if !slices.ContainsFunc(kinds, func(k groupKind) bool { return k.group == group }) {
			r.listing(codeNoSuchKind, fmt.Sprintf("there is no kind of group %s in these packages", group), kindsHint(kinds))
		}
	}
	for _, k := range kinds {
		if (len(options.Kinds) == 0 || slices.Contains(options.Kinds, k.kind) || slices.Contains(options.Kinds, k.String())) &&
			(len(options.Groups) == 0 || slices.Contains(options.Groups, k.group)) {
			out = append(out, k)
		}
	}
	return out
}

func kindsHint(kinds []groupKind) string {
	if len(kinds) == 0 {
		return ""
	}
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.String()
	}
	return "there are " + strings.Join(names, ", ")
}

// declared returns the types of the file in source order.
func (f *file) declared() []*typeDecl {
	var out []*typeDecl
	for _, t := range f.pkg.types {
		if t.file == f {
			out = append(out, t)
		}
	}
	slices.SortFunc(out, func(a, b *typeDecl) int { return int(a.spec.Pos() - b.spec.Pos()) })
	return out
}

// isKind reports whether the type is a kind. An import that cannot be found is
// reported: without it the kind would silently be none.
func (t *typeDecl) isKind(r *reporter) bool {
	var hasType, hasObject bool
	for _, embedded := range t.embedded() {
		switch embedded.(type) {
		case *ast.SelectorExpr, *ast.Ident:
		default:
			continue
		}
		name := exprName(embedded)
		if name = name[strings.LastIndexByte(name, '.')+1:]; name != "TypeMeta" && name != "ObjectMeta" {
			continue
		}
		resolved, why := t.file.resolve(embedded)
		if why != nil && why.importPath != "" {
			t.reportMissing(r, embedded, why.importPath)
		}
		if why != nil || resolved.decl == nil || resolved.decl.pkg.Path != metav1Path || resolved.decl.pkg == t.pkg {
			continue
		}
		hasType = hasType || name == "TypeMeta"
		hasObject = hasObject || name == "ObjectMeta"
	}
	return hasType && hasObject
}

// specMarker and objectMarker are markers that change a definition.
type (
	specMarker interface {
		ApplyToCRD(crd *apiextensionsv1.CustomResourceDefinitionSpec, version string) error
	}
	objectMarker interface {
		ApplyToCRD(crd *apiextensionsv1.CustomResourceDefinition, version string) error
	}
)

// rootsOf returns the types of a kind: of every package of the group that a type
// was asked of so far, the one of the kind's name.
func (b *builder) rootsOf(k groupKind) []*typeDecl {
	var roots []*typeDecl
	for _, p := range slices.Clone(*b.reached) {
		if facts := p.describe(); !facts.grouped || facts.group != k.group || facts.skip {
			continue
		}
		if t := p.lookup(k.kind); t != nil {
			roots = append(roots, t)
		}
	}
	return roots
}

// checkSameVersion reports types of a kind whose version an earlier one has.
func (b *builder) checkSameVersion(k groupKind, t *typeDecl, earlier []*typeDecl) {
	version := t.pkg.describe().version
	for _, other := range earlier {
		if other.pkg.describe().version == version {
			b.reporter.errorf(codeSameVersion, t.pkg, t.spec.Name.Pos(), "give one of the packages another version: // +versionName=…",
				"version %s of kind %s is declared in %s, too", version, k, other.pkg.Path)
		}
	}
}

// define makes the definition of a kind. Each of its types adds a version. It
// returns nil if no version is left, or none may be written.
func (b *builder) define(k groupKind, fl *flattener) *CRD {
	roots := b.rootsOf(k)
	plural := knownPlurals().of(k.kind)
	object := &apiextensionsv1.CustomResourceDefinition{
		TypeMeta: metav1.TypeMeta{APIVersion: apiextensionsv1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: k.group,
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Kind: k.kind, ListKind: k.kind + "List", Plural: plural, Singular: strings.ToLower(k.kind),
			},
			Scope: apiextensionsv1.NamespaceScoped,
		},
	}
	schemas := map[string]*structural.Schema{}
	byVersion := map[string]*typeDecl{}
	for i, t := range roots {
		version := t.pkg.describe().version
		b.checkSameVersion(k, t, roots[:i])
		byVersion[version] = t
		schemas[version] = fixMetadata(fl.forPackage(t.pkg).root(t.load()))
		object.Spec.Versions = append(object.Spec.Versions, apiextensionsv1.CustomResourceDefinitionVersion{Name: version, Served: true})
	}
	// Markers come last, so that they find all versions.
	slices.SortStableFunc(roots, func(a, c *typeDecl) int { return strings.Compare(a.pkg.describe().version, c.pkg.describe().version) })
	for _, t := range roots {
		version := t.pkg.describe().version
		for _, m := range t.markers {
			var err error
			switch value := m.Value.(type) {
			case specMarker:
				err = value.ApplyToCRD(&object.Spec, version)
			case objectMarker:
				err = applyToObject(value, object, version)
			}
			if err != nil {
				b.reporter.errorf(codeApply, t.pkg, m.Pos, "", "+%s: %v", m.Name, err)
			}
		}
	}
	object.Name = object.Spec.Names.Plural + "." + k.group
	if len(object.Spec.Versions) == 0 {
		return nil
	}
	slices.SortStableFunc(object.Spec.Versions, func(a, c apiextensionsv1.CustomResourceDefinitionVersion) int {
		return strings.Compare(a.Name, c.Name)
	})
	if len(object.Spec.Versions) == 1 {
		object.Spec.Versions[0].Storage = true
	}
	crd := &CRD{Object: object, PreserveUnknownFields: b.options.PreserveUnknownFields}
	before := len(b.reporter.list)
	b.checkVersions(k, object, roots)
	crd.conversion = b.convert(k, object, roots)
	crd.flawed = len(b.reporter.list) > before
	for _, version := range object.Spec.Versions {
		crd.Schemas = append(crd.Schemas, schemas[version.Name])
		crd.roots = append(crd.roots, byVersion[version.Name])
	}
	if !b.options.OmitToolVersion {
		if object.Annotations == nil {
			object.Annotations = map[string]string{}
		}
		object.Annotations[VersionAnnotation] = b.options.ToolVersion
	}
	return crd
}

// applyToObject applies a marker to the definition. Upstream's metadata marker
// indexes past a label without an equals sign.
func applyToObject(m objectMarker, object *apiextensionsv1.CustomResourceDefinition, version string) (err error) {
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("labels and annotations are written as \"key=value\"")
		}
	}()
	return m.ApplyToCRD(object, version)
}

// checkVersions reports a kind without storage or served version, or with
// several storage versions.
func (b *builder) checkVersions(k groupKind, object *apiextensionsv1.CustomResourceDefinition, roots []*typeDecl) {
	first := roots[0]
	stored, served := 0, 0
	for _, version := range object.Spec.Versions {
		if version.Storage {
			stored++
		}
		if version.Served {
			served++
		}
	}
	if stored == 0 {
		b.reporter.errorf(codeNoStorage, first.pkg, first.spec.Name.Pos(), "mark the root type of one version +kubebuilder:storageversion",
			"kind %s has %d versions and no storage version", k, len(object.Spec.Versions))
	}
	if stored > 1 {
		var places []diag.Related
		for _, t := range roots {
			if m := t.markers.get("kubebuilder:storageversion"); m != nil {
				places = append(places, diag.Related{Pos: b.reporter.position(m.Pos), Message: "version " + t.pkg.describe().version})
			}
		}
		b.reporter.list = append(b.reporter.list, diag.Diagnostic{
			Code: codeManyStorage, Severity: diag.Error, Pos: places[len(places)-1].Pos,
			Message: fmt.Sprintf("kind %s has %d storage versions", k, stored),
			Hint:    "keep +kubebuilder:storageversion at one of them",
			Related: places[:len(places)-1],
		})
	}
	if served == 0 {
		b.reporter.errorf(codeNoServed, first.pkg, first.spec.Name.Pos(), "remove +kubebuilder:unservedversion from one of them",
			"kind %s serves none of its versions", k)
	}
}

// fixMetadata returns the schema with the top-level metadata replaced: the API
// server knows what it is, and refuses anything else.
func fixMetadata(s *structural.Schema) *structural.Schema {
	for i, p := range s.Properties {
		if p.Name == "metadata" {
			out := *s
			out.Properties = slices.Clone(s.Properties)
			out.Properties[i].Schema = &structural.Schema{
				Generic: structural.Generic{Type: "object"},
				Origin:  structural.Origin{Pos: p.Schema.Origin.Pos},
			}
			return &out
		}
	}
	return s
}
