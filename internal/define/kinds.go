package define

import (
	"context"
	"fmt"
	"go/ast"
	"go/token"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/define/plurals"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/ground/notes"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// VersionAnnotation is the key of the annotation with the version of the tool that wrote a
// definition. It is controller-gen's key, so that a migration only changes the value.
const VersionAnnotation = "controller-gen.kubebuilder.io/version"

// GroupKind identifies a kind of the run.
type GroupKind struct {
	Group, Kind string
}

func (k GroupKind) String() string {
	if k.Group == "" {
		return k.Kind
	}
	return k.Kind + "." + k.Group
}

// FindKinds returns the kinds that the root packages declare, sorted by "Kind.group". A
// kind is a struct that embeds both metav1.TypeMeta and metav1.ObjectMeta by value and not
// through aliases.
func FindKinds(run *Run, roots []*source.Package) []GroupKind {
	reporter := run.Reporter
	var out []GroupKind
	for _, pkg := range roots {
		if run.Describe(pkg).Skip || pkg.NoKinds() {
			continue
		}
		for _, f := range pkg.Sources {
			if !f.MentionsKind {
				continue
			}
			f.Parse()
			if f.Syntax == nil {
				continue
			}
			for _, t := range f.Types() {
				if !IsKind(t, reporter) {
					continue
				}
				if run.Describe(pkg).malformed.Has(markers.GroupName) {
					continue // the malformed +groupName was reported
				}
				if !run.Describe(pkg).grouped {
					for _, f := range pkg.Sources {
						f.Parse() // the marker may be misspelled in any file
					}
					reporter.Report(report.KindWithoutGroup, pkg.At(t.Spec.Name.Pos()), "write the API group above the package clause: // +groupName=example.com",
						"kind %s is in a package without +groupName", t.Spec.Name.Name)
					continue
				}
				k := GroupKind{run.Describe(pkg).group, t.Spec.Name.Name}
				if !slices.Contains(out, k) {
					out = append(out, k)
				}
			}
		}
	}
	slices.SortFunc(out, func(a, b GroupKind) int { return strings.Compare(a.String(), b.String()) })
	return out
}

// selectKinds returns the kinds that the options select. It reports names and groups that
// match none.
func selectKinds(kinds []GroupKind, options *Options, r *report.Reporter) []GroupKind {
	if len(options.Kinds) == 0 && len(options.Groups) == 0 {
		return kinds
	}
	var out []GroupKind
	for _, name := range options.Kinds {
		if !slices.ContainsFunc(kinds, func(k GroupKind) bool { return k.Kind == name || k.String() == name }) {
			r.Add(report.UnknownKind.At(diag.Position{}, kindsHint(kinds), "no kind %s in these packages", name))
		}
	}
	for _, group := range options.Groups {
		if !slices.ContainsFunc(kinds, func(k GroupKind) bool { return k.Group == group }) {
			r.Add(report.UnknownKind.At(diag.Position{}, kindsHint(kinds), "no kind of group %s in these packages", group))
		}
	}
	for _, k := range kinds {
		if (len(options.Kinds) == 0 || slices.Contains(options.Kinds, k.Kind) || slices.Contains(options.Kinds, k.String())) &&
			(len(options.Groups) == 0 || slices.Contains(options.Groups, k.Group)) {
			out = append(out, k)
		}
	}
	return out
}

func kindsHint(kinds []GroupKind) string {
	if len(kinds) == 0 {
		return ""
	}
	names := make([]string, len(kinds))
	for i, k := range kinds {
		names[i] = k.String()
	}
	return "the kinds are " + strings.Join(names, ", ")
}

// IsKind reports whether the type is a kind. It reports an import that is missing or cannot be
// found, since the kind would otherwise be silently ignored.
func IsKind(t *source.Type, r *report.Reporter) bool {
	var hasType, hasObject bool
	for _, embedded := range t.Embedded() {
		switch embedded.(type) {
		case *ast.SelectorExpr, *ast.Ident:
		default:
			continue
		}
		name := source.ExprName(embedded)
		name = name[strings.LastIndexByte(name, '.')+1:]
		if name != "TypeMeta" && name != "ObjectMeta" {
			continue
		}
		resolved, why := t.File.Resolve(embedded)
		if why != nil {
			reportUnresolved(t, r, embedded, why)
		}
		if why != nil || resolved.Type == nil || resolved.Type.Pkg.Path != metav1Path || resolved.Type.Pkg == t.Pkg {
			continue
		}
		hasType = hasType || name == "TypeMeta"
		hasObject = hasObject || name == "ObjectMeta"
	}
	return hasType && hasObject
}

// reportUnresolved reports why the type or the metadata of a kind is unknown: its import is missing, or
// cannot be found.
func reportUnresolved(t *source.Type, r *report.Reporter, embedded ast.Expr, why *source.Unresolved) {
	if why.ImportPath != "" {
		reportMissing(t, r, embedded, why.ImportPath)
		return
	}
	qualifier := source.UnimportedQualifier(t.File, embedded)
	if qualifier == "" {
		return
	}
	r.MissingImport(t.File.Name+" "+qualifier, embedded.Pos(), source.ExprName(embedded), func() {
		hint, message := report.Unimported(source.ExprName(embedded))
		r.Report(report.UnknownType, t.Pkg.At(embedded.Pos()), hint, "%s", message)
	})
}

// specMarker and objectMarker are implemented by markers that change a definition.
type (
	specMarker interface {
		ApplyToCRD(crd *apiextensionsv1.CustomResourceDefinitionSpec, version string) error
	}
	objectMarker interface {
		ApplyToCRD(crd *apiextensionsv1.CustomResourceDefinition, version string) error
	}
)

// Definer builds the definitions of kinds.
type Definer struct {
	run       *Run
	reporter  *report.Reporter
	options   *Options
	builder   *Builder
	flattener *Flattener
	// roots are the root types of the kinds that were defined.
	roots map[GroupKind][]*source.Type
}

// NewDefiner returns a definer for the types of a builder.
func NewDefiner(b *Builder) *Definer {
	return &Definer{b.Run, b.Reporter, b.Options, b, NewFlattener(b), map[GroupKind][]*source.Type{}}
}

// rootsOf returns the root types of a kind: the type of that name in each package of the
// group that has been reached so far.
func (df *Definer) rootsOf(k GroupKind) []*source.Type {
	var roots []*source.Type
	for _, p := range slices.Clone(*df.builder.reached) {
		if facts := df.run.Describe(p); !facts.grouped || facts.group != k.Group || facts.Skip || p.NoKinds() {
			continue
		}
		if t := p.Lookup(k.Kind); t != nil {
			roots = append(roots, t)
		}
	}
	return roots
}

// Schemas builds the schemas of the versions of a kind for which has returns one, as a definition has it,
// with everything that the markers of the types ask for. The result has
// nothing but these versions, and is nil if there are none.
func (df *Definer) Schemas(ctx context.Context, k GroupKind,
	has func(version string) *apiextensionsv1.CustomResourceDefinitionVersion) (*checks.Definition, error) {
	out := &checks.Definition{Generated: crd.Generated{Object: &apiextensionsv1.CustomResourceDefinition{}}}
	for _, t := range df.rootsOf(k) {
		version := has(df.run.Describe(t.Pkg).version)
		if version == nil {
			continue
		}
		df.checkSameVersion(k, t, out.Roots)
		out.Roots = append(out.Roots, t)
		out.Schemas = append(out.Schemas, fixMetadata(df.flattener.ForPackage(t.Pkg).Root(t.Load())))
		out.Object.Spec.Versions = append(out.Object.Spec.Versions, *version)
	}
	if len(out.Roots) == 0 {
		return nil, nil
	}
	return out, df.run.fit(ctx, out)
}

// fit adds what depends on the positions of types in a definition.
func (run *Run) fit(ctx context.Context, d *checks.Definition) error {
	for _, f := range run.fitters {
		if err := f.Fit(ctx, d); err != nil {
			return err
		}
	}
	return nil
}

// checkSameVersion reports a type of a kind that has the same version as an earlier one.
func (df *Definer) checkSameVersion(k GroupKind, t *source.Type, earlier []*source.Type) {
	version := df.run.Describe(t.Pkg).version
	for _, other := range earlier {
		if df.run.Describe(other.Pkg).version == version {
			df.reporter.Report(report.DuplicateVersion, t.Pkg.At(t.Spec.Name.Pos()), "give one of the packages another version: // +versionName=…",
				"duplicate version %s of kind %s: also declared in %s", version, k, other.Pkg.Path)
		}
	}
}

// define builds the definition of a kind, with one version for each of its root types. It
// returns nil if there are none.
func (df *Definer) define(kind GroupKind) *checks.Definition {
	roots := df.rootsOf(kind)
	df.roots[kind] = roots
	plural := plurals.Of(kind.Kind)
	object := &apiextensionsv1.CustomResourceDefinition{
		TypeMeta: metav1.TypeMeta{APIVersion: apiextensionsv1.SchemeGroupVersion.String(), Kind: "CustomResourceDefinition"},
		Spec: apiextensionsv1.CustomResourceDefinitionSpec{
			Group: kind.Group,
			Names: apiextensionsv1.CustomResourceDefinitionNames{
				Kind: kind.Kind, ListKind: kind.Kind + "List", Plural: plural, Singular: strings.ToLower(kind.Kind),
			},
			Scope: apiextensionsv1.NamespaceScoped,
		},
	}
	schemas := map[string]*structural.Schema{}
	byVersion := map[string]*source.Type{}
	for i, t := range roots {
		version := df.run.Describe(t.Pkg).version
		df.checkSameVersion(kind, t, roots[:i])
		byVersion[version] = t
		schemas[version] = fixMetadata(df.flattener.ForPackage(t.Pkg).Root(t.Load()))
		object.Spec.Versions = append(object.Spec.Versions,
			apiextensionsv1.CustomResourceDefinitionVersion{Name: version, Served: true})
	}
	// Apply markers last, so that they find all versions.
	slices.SortStableFunc(roots, func(a, c *source.Type) int {
		return strings.Compare(df.run.Describe(a.Pkg).version, df.run.Describe(c.Pkg).version)
	})
	for _, t := range roots {
		version := df.run.Describe(t.Pkg).version
		for _, m := range t.Markers {
			var err error
			switch value := m.Value.(type) {
			case specMarker:
				err = value.ApplyToCRD(&object.Spec, version)
			case objectMarker:
				err = applyToObject(value, object, version)
			}
			if err != nil {
				df.reporter.Report(report.MarkerDoesNotFit, t.Pkg.At(m.Pos), "", "+%s: %v", m.Name, err)
			}
		}
	}
	object.Name = object.Spec.Names.Plural + "." + kind.Group
	if len(object.Spec.Versions) == 0 {
		return nil
	}
	slices.SortStableFunc(object.Spec.Versions, func(a, c apiextensionsv1.CustomResourceDefinitionVersion) int {
		return strings.Compare(a.Name, c.Name)
	})
	if len(object.Spec.Versions) == 1 {
		object.Spec.Versions[0].Storage = true
	}
	out := &checks.Definition{Generated: crd.Generated{Object: object, PreserveUnknownFields: df.options.PreserveUnknownFields}}
	start := df.reporter.Findings()
	df.checkVersions(kind, object, roots)
	out.Conversion = df.setConversion(kind, object, roots)
	out.Flawed = df.reporter.Findings() > start || slices.ContainsFunc(roots,
		func(t *source.Type) bool { return len(t.Malformed) > 0 })
	for _, version := range object.Spec.Versions {
		out.Schemas = append(out.Schemas, schemas[version.Name])
		out.Roots = append(out.Roots, byVersion[version.Name])
	}
	out.Own = checks.Metadata{Annotations: object.Annotations, Labels: object.Labels}
	df.run.setMetadata(out, df.options)
	return out
}

// setMetadata sets the annotations and labels of a definition: from markers, from the options, and
// the version of the tool. It reports a marker that sets one to another value.
func (run *Run) setMetadata(d *checks.Definition, options *Options) {
	d.Object.Annotations = run.addMetadata(d.Own.Annotations, options.Annotations, "annotation", d.Roots)
	d.Object.Labels = run.addMetadata(d.Own.Labels, options.Labels, "label", d.Roots)
	if !options.OmitToolVersion {
		if d.Object.Annotations == nil {
			d.Object.Annotations = map[string]string{}
		}
		d.Object.Annotations[VersionAnnotation] = options.ToolVersion
	}
}

// addMetadata returns the annotations or labels that markers set, with those of the options.
func (run *Run) addMetadata(own, added map[string]string, what string, roots []*source.Type) map[string]string {
	out := maps.Clone(own)
	if out == nil && len(added) > 0 {
		out = map[string]string{}
	}
	for _, key := range slices.Sorted(maps.Keys(added)) {
		if old, ok := own[key]; ok && old != added[key] {
			origin := source.Origin{}
			for _, t := range roots {
				if m := t.Markers.Get(markers.MetadataName); m != nil {
					origin = t.Pkg.At(m.Pos)
				}
			}
			run.Reporter.Report(report.InvalidChannels, origin, "remove one of them", "the %s %s is %q by a marker and %q by the channel", what, key, old, added[key])
		}
		out[key] = added[key]
	}
	return out
}

// applyToObject applies a marker to the definition. It turns a panic into an error:
// controller-tools' metadata marker panics on a label without an equals sign.
func applyToObject(m objectMarker, object *apiextensionsv1.CustomResourceDefinition, version string) (err error) {
	defer func() {
		if recover() != nil {
			err = fmt.Errorf("labels and annotations must be written as \"key=value\"")
		}
	}()
	return m.ApplyToCRD(object, version)
}

// checkVersions reports a kind without a storage or served version, or with several storage
// versions.
func (df *Definer) checkVersions(kind GroupKind, object *apiextensionsv1.CustomResourceDefinition, roots []*source.Type) {
	first := roots[0]
	stored := 0
	served := 0
	for _, version := range object.Spec.Versions {
		if version.Storage {
			stored++
		}
		if version.Served {
			served++
		}
	}
	malformed := func(t *source.Type) bool { return t.Malformed.Has(markers.StorageVersionName) }
	if stored != 1 && df.storageByGates(kind, roots) {
		stored = 1
	}
	if stored == 0 && !slices.ContainsFunc(roots, malformed) {
		df.reporter.Report(report.NoStorageVersion, first.Pkg.At(first.Spec.Name.Pos()), "mark the root type of one version +kubebuilder:storageversion",
			"kind %s has %d versions and no storage version", kind, len(object.Spec.Versions))
	}
	if stored > 1 {
		var related []diag.Related
		for _, t := range roots {
			if m := t.Markers.Get(markers.StorageVersionName); m != nil {
				related = append(related, diag.Related{Pos: df.reporter.Position(m.Pos), Message: "version " + df.run.Describe(t.Pkg).version})
			}
		}
		last := related[len(related)-1]
		df.builder.reject(report.SeveralStorageVersions, source.Origin{Position: last.Pos}, "keep +kubebuilder:storageversion on one of them",
			"kind %s has %d storage versions", kind, stored).Related = related[:len(related)-1]
	}
	if served == 0 {
		df.reporter.Report(report.NoServedVersion, first.Pkg.At(first.Spec.Name.Pos()), "remove +kubebuilder:unservedversion from one of them",
			"kind %s has no served version", kind)
	}
}

// storageByGates reports a kind whose storage versions depend on gates, of which these leave
// none or several. It returns false if they do not depend on gates.
func (df *Definer) storageByGates(kind GroupKind, roots []*source.Type) bool {
	var stored []*markers.Marker // of roots, or nil
	var names, lacking []string
	var related []diag.Related
	relate := func(erased *source.Erased, what string) {
		related = append(related, diag.Related{Pos: df.reporter.Position(erased.Pos), Message: what})
	}
	conditional := -1
	condition := ""
	for i, t := range roots {
		marker := t.Markers.Get(markers.StorageVersionName)
		stored = append(stored, marker)
		if marker == nil {
			continue
		}
		version := df.run.Describe(t.Pkg).version
		names = append(names, version)
		if held := heldBy(t, marker); held != nil {
			conditional = i
			condition = held.Condition
			relate(held, "version "+version+" is stored if "+condition)
		}
	}
	if len(names) == 0 {
		for p := range df.run.Packages() {
			if facts := df.run.Describe(p); !facts.grouped || facts.group != kind.Group || facts.Skip {
				continue
			}
			if erased := erasedStorage(p, kind.Kind); erased != nil {
				version := df.run.Describe(p).version
				lacking = append(lacking, version+" if "+erased.Condition)
				condition = erased.Condition
				relate(erased, "version "+version+" is stored if "+condition)
			}
		}
		slices.Sort(lacking)
		slices.SortFunc(related, func(a, b diag.Related) int { return strings.Compare(a.Message, b.Message) })
	}
	if len(related) == 0 {
		return false
	}
	opposite := "the opposite condition"
	if parsed, err := gates.Parse(condition); err == nil && len(related) == 1 {
		opposite = "+" + markers.WhenName + "(" + gates.Not(parsed).String() + ")="
	}
	first := roots[0]
	if len(names) == 0 {
		d := df.reporter.Report(report.StorageByGates, first.Pkg.At(first.Spec.Name.Pos()), "mark another version "+opposite+"+"+markers.StorageVersionName,
			"kind %s has no storage version here, only %s", kind, strings.Join(lacking, ", "))
		d.Related = related
		if t := ungated(roots, kind.Kind); t != nil && len(related) == 1 {
			marker := opposite + "+" + markers.StorageVersionName
			df.reporter.Fix(d, "mark version "+df.run.Describe(t.Pkg).version+" "+marker, df.reporter.MarkerAbove(t.File, declarationPos(t), marker))
		}
		return true
	}
	other := slices.IndexFunc(stored, func(m *markers.Marker) bool { return m != nil })
	for i, m := range stored {
		if m != nil && i != conditional {
			other = i
		}
	}
	m := stored[other]
	d := df.builder.reject(report.StorageByGates, roots[other].Pkg.At(m.Pos), "write "+opposite+" before the marker",
		"kind %s has %d storage versions here: %s", kind, len(names), strings.Join(names, ", "))
	d.Related = related
	if len(names) == 2 && len(related) == 1 {
		df.reporter.Fix(d, "write "+opposite, &markers.Edit{Pos: m.Pos, End: m.Pos, New: opposite})
	}
	return true
}

// ungated returns the one of a kind's root types that depends on no gate, and whose storage version
// does not either; nil if there are several or none.
func ungated(roots []*source.Type, kind string) (found *source.Type) {
	for _, t := range roots {
		switch {
		case heldBy(t, nil) != nil, erasedStorage(t.Pkg, kind) != nil:
		case found != nil:
			return nil
		default:
			found = t
		}
	}
	return found
}

// declarationPos returns the position of the declaration of a type, after its comments.
func declarationPos(t *source.Type) token.Pos {
	if t.Decl.Lparen.IsValid() {
		return t.Spec.Pos()
	}
	return t.Decl.Pos()
}

// heldBy returns the condition, which holds, of a root type's storage version: on its package, on
// the type or on the marker, which may be nil. It is nil if there is none.
func heldBy(t *source.Type, m *markers.Marker) *source.Erased {
	for _, f := range t.Pkg.Sources {
		for i, held := range f.Held {
			_, isPackage := held.Node.(*ast.Ident)
			if isPackage || f == t.File && (held.Name == t.Spec.Name.Name || m != nil && held.Pos == m.Pos) {
				return &f.Held[i]
			}
		}
	}
	return nil
}

// erasedStorage returns the condition that removes the storage version of a kind in a package:
// the marker, with or without its type or package. It is nil if there is none.
func erasedStorage(p *source.Package, kind string) *source.Erased {
	isStorage := func(c markers.Comment) bool {
		return c.Text == "+"+markers.StorageVersionName || strings.HasSuffix(c.Text, "=+"+markers.StorageVersionName)
	}
	for _, f := range p.Sources {
		for i, erased := range f.Erased {
			_, isPackage := erased.Node.(*ast.Ident)
			t := p.Lookup(kind)
			switch {
			case erased.Name == kind && slices.ContainsFunc(erased.Comments, isStorage),
				isPackage && t != nil && t.Load().Markers.Get(markers.StorageVersionName) != nil,
				erased.Node == nil && slices.ContainsFunc(erased.Comments,
					isStorage) && t != nil && t.File == f && precedes(f, erased.Pos, t):
				return &f.Erased[i]
			}
		}
	}
	return nil
}

// precedes reports whether the next type after a position is t.
func precedes(f *source.File, pos token.Pos, t *source.Type) bool {
	if t.Spec.Pos() < pos {
		return false
	}
	return !slices.ContainsFunc(f.Types(),
		func(other *source.Type) bool { return pos < other.Spec.Pos() && other.Spec.Pos() < t.Spec.Pos() })
}

// fixMetadata returns the schema with its top-level metadata replaced by an object without
// keywords. The API server knows the schema of metadata and rejects any other, except for
// restrictions of name and generateName, which are kept.
func fixMetadata(s *structural.Schema) *structural.Schema {
	for i, p := range s.Properties {
		if p.Name == "metadata" {
			out := *s
			out.Properties = slices.Clone(s.Properties)
			out.Properties[i].Schema = &structural.Schema{
				Generic: structural.Generic{Type: "object"},
				Origin:  structural.Origin{Pos: p.Schema.Origin.Pos, Notes: notes.Notes{ReadOnly: p.Schema.Origin.ReadOnly}},
			}
			isName := func(p structural.Property) bool { return p.Name == "name" || p.Name == "generateName" }
			embedded := slices.ContainsFunc(p.Schema.Properties, func(p structural.Property) bool { return !isName(p) })
			for _, field := range p.Schema.Properties {
				if isName(field) && (!embedded || field.Schema.ValueValidation != nil) {
					out.Properties[i].Schema.Properties = append(out.Properties[i].Schema.Properties, field)
				}
			}
			return &out
		}
	}
	return s
}
