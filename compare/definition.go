package compare

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/structural"
)

// definition compares two definitions of one name.
type definition struct {
	name     string
	old, new *crd.Definition
	// ratchets: the server lets be what was wrong before and did not change.
	ratchets bool
	changes  []Change
}

// add notes a change, with its places.
func (d *definition) add(change Change) {
	change.Definition = d.name
	if change.OldPath != "" && d.old != nil {
		change.OldPos, _ = d.old.Position(change.OldPath)
	}
	if change.NewPath != "" && d.new != nil {
		change.NewPos, change.Related = d.new.Position(change.NewPath)
	}
	change.Old, change.New = shorten(change.Old, 300), shorten(change.New, 300)
	d.changes = append(d.changes, change)
}

// beside notes a change beside the schemas, at the same path in both definitions.
func (d *definition) beside(path string, change Change) {
	change.OldPath, change.NewPath = path, path
	d.add(change)
}

// defaulted is a definition with what the server puts in, so that one from a cluster is
// like the file that it comes from.
func defaulted(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	out := &apiextensionsv1.CustomResourceDefinition{Spec: crd.Spec}
	out.Spec.Conversion = crd.Spec.Conversion.DeepCopy()
	apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(out)
	return out
}

func (d *definition) compare() {
	old, new := defaulted(d.old.CRD).Spec, defaulted(d.new.CRD).Spec
	d.spec(&old, &new)
	for i := range old.Versions {
		if versionOf(&new, old.Versions[i].Name) < 0 {
			d.versionRemoved(&old, i)
		}
	}
	for i := range new.Versions {
		v := &new.Versions[i]
		at := versionOf(&old, v.Name)
		if at < 0 {
			d.add(Change{Kind: VersionAdded, Version: v.Name, NewPath: versionPath(i), New: v.Name, Reason: "nobody uses it yet"})
			continue
		}
		d.version(versions{definition: d, name: v.Name, old: &old.Versions[at], new: v, oldAt: at, newAt: i})
	}
	d.storage(&old, &new)
}

// spec compares what is said of all versions.
func (d *definition) spec(old, new *apiextensionsv1.CustomResourceDefinitionSpec) {
	if old.Scope != new.Scope {
		d.beside("spec.scope", Change{Kind: ScopeChanged, Category: BreaksStored, Old: string(old.Scope), New: string(new.Scope),
			Reason: "the server refuses it: objects are stored with or without a namespace"})
	}
	if old.Names.Kind != new.Names.Kind {
		d.beside("spec.names.kind", Change{Kind: KindChanged, Category: BreaksStored, Old: old.Names.Kind, New: new.Names.Kind,
			Reason: "the server refuses it: stored objects have a kind"})
	}
	for _, name := range [...]struct{ path, old, new string }{
		{"spec.names.listKind", old.Names.ListKind, new.Names.ListKind},
		{"spec.names.singular", old.Names.Singular, new.Names.Singular},
	} {
		if name.old != name.new {
			d.beside(name.path, Change{Kind: NamesChanged, Category: BreaksClients, Old: name.old, New: name.new, Reason: "clients that use the name do not find it"})
		}
	}
	for _, names := range [...]struct {
		path     string
		old, new []string
	}{
		{"spec.names.shortNames", old.Names.ShortNames, new.Names.ShortNames},
		{"spec.names.categories", old.Names.Categories, new.Names.Categories},
	} {
		for _, name := range without(names.old, names.new) {
			d.beside(names.path, Change{Kind: NameRemoved, Category: BreaksClients, Old: name, Reason: "commands that use the name do not find it"})
		}
		for _, name := range without(names.new, names.old) {
			d.beside(names.path, Change{Kind: NameAdded, New: name, Reason: "it is one name more"})
		}
	}
	if old.PreserveUnknownFields != new.PreserveUnknownFields {
		change := Change{Kind: PruningChanged, Category: BreaksStored, Reason: "the server drops what is not specified when it reads a stored object"}
		if new.PreserveUnknownFields {
			change.Reason = "the server refuses it"
		}
		d.beside("spec.preserveUnknownFields", change)
	}
	if !apiequality.Semantic.DeepEqual(conversionOf(old), conversionOf(new)) {
		change := Change{Kind: ConversionChanged, Category: BreaksStored, Old: string(old.Conversion.Strategy), New: string(new.Conversion.Strategy),
			Reason: "objects that are stored in another version than the one asked for are converted in another way, which the definition does not show"}
		if len(old.Versions) == 1 && len(new.Versions) == 1 {
			change.Category, change.Reason = Safe, "there is one version, so that nothing is converted"
		}
		d.beside("spec.conversion", change)
	}
	// What is left is none of this: it is not known then.
	oldRest, newRest := *old, *new
	for _, rest := range []*apiextensionsv1.CustomResourceDefinitionSpec{&oldRest, &newRest} {
		rest.Scope, rest.Names, rest.PreserveUnknownFields, rest.Conversion, rest.Versions = "", apiextensionsv1.CustomResourceDefinitionNames{Plural: rest.Names.Plural}, false, nil, nil
	}
	d.rest("spec", reflect.ValueOf(oldRest), reflect.ValueOf(newRest))
}

// conversionOf is how versions are converted, without the certificates that a cluster
// puts in.
func conversionOf(spec *apiextensionsv1.CustomResourceDefinitionSpec) *apiextensionsv1.CustomResourceConversion {
	out := spec.Conversion.DeepCopy()
	if out.Webhook != nil && out.Webhook.ClientConfig != nil {
		out.Webhook.ClientConfig.CABundle = nil
	}
	return out
}

// rest notes fields of the API that differ though nothing explained them.
func (d *definition) rest(path string, old, new reflect.Value) {
	for i := range old.NumField() {
		if apiequality.Semantic.DeepEqual(old.Field(i).Interface(), new.Field(i).Interface()) {
			continue
		}
		name, _, _ := strings.Cut(old.Type().Field(i).Tag.Get("json"), ",")
		d.beside(path+"."+name, Change{Kind: NotUnderstood, Category: BreaksStored, Reason: name + " was changed, and what follows of that is not known"})
	}
}

func versionOf(spec *apiextensionsv1.CustomResourceDefinitionSpec, name string) int {
	return slices.IndexFunc(spec.Versions, func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == name })
}

func versionPath(i int) string { return fmt.Sprintf("spec.versions[%d]", i) }

func schemaPath(i int) string { return versionPath(i) + ".schema.openAPIV3Schema" }

func (d *definition) versionRemoved(old *apiextensionsv1.CustomResourceDefinitionSpec, i int) {
	v := old.Versions[i]
	change := Change{Kind: VersionRemoved, Category: Safe, Version: v.Name, Old: v.Name, OldPath: versionPath(i), NewPath: "spec.versions",
		Reason: "it was not served, and nothing is stored in it"}
	stored := d.old.CRD.Status.StoredVersions
	switch {
	case v.Storage || slices.Contains(stored, v.Name):
		change.Category, change.Reason = BreaksStored, "the server refuses it, because objects may be stored in it: see status.storedVersions"
	case v.Served:
		change.Category, change.Reason = BreaksClients, "requests for it are not found"
	}
	if change.Category != BreaksStored && len(stored) == 0 {
		change.Reason += "; if status.storedVersions of a cluster still has it, the server refuses the change"
	}
	d.add(change)
}

// storage compares the versions in which objects are stored.
func (d *definition) storage(old, new *apiextensionsv1.CustomResourceDefinitionSpec) {
	froms, tos := stored(old), stored(new)
	if len(froms) != 1 || len(tos) != 1 {
		if len(froms) != len(tos) || len(tos) > 1 {
			d.beside("spec.versions", Change{Kind: NotUnderstood, Category: BreaksStored, Reason: "there must be one version in which objects are stored"})
		}
		return
	}
	from, to := froms[0], tos[0]
	if old.Versions[from].Name == new.Versions[to].Name {
		return
	}
	change := Change{Kind: StorageChanged, Old: old.Versions[from].Name, New: new.Versions[to].Name, OldPath: versionPath(from) + ".storage", NewPath: versionPath(to) + ".storage",
		Reason: "stored objects stay as they are until they are written, and the webhook converts them"}
	if new.Conversion.Strategy == apiextensionsv1.NoneConverter {
		change.Reason = "stored objects stay as they are until they are written, and both versions have the same fields"
		// Only the apiVersion is converted: what the other version does not have is lost.
		inner := &schemas{definition: &definition{name: d.name, ratchets: d.ratchets}, table: keywords(), version: new.Versions[to].Name}
		if a, b := schemaOf(d.old, from), schemaOf(d.new, to); a != nil && b != nil {
			inner.schema(place{old: a, new: b, correlated: true})
		} else {
			inner.changes = append(inner.changes, Change{Category: BreaksStored, Kind: NotUnderstood})
		}
		if i := slices.IndexFunc(inner.changes, func(c Change) bool { return c.Category == BreaksStored }); i >= 0 {
			change.Category = BreaksStored
			change.Reason = fmt.Sprintf("only the apiVersion of an object is converted, and the versions differ (%s %s): the next write of a stored object drops or breaks it", inner.changes[i].Kind, inner.changes[i].Field)
		}
	}
	d.add(change)
}

// stored are the indexes of the versions in which objects are stored: one, or the server
// refuses the definition.
func stored(spec *apiextensionsv1.CustomResourceDefinitionSpec) (out []int) {
	for i, v := range spec.Versions {
		if v.Storage {
			out = append(out, i)
		}
	}
	return out
}

func schemaOf(s *crd.Definition, version int) *structural.Schema {
	if version >= len(s.Schemas) {
		return nil
	}
	return s.Schemas[version]
}

// versions is one version in both definitions.
type versions struct {
	*definition
	name         string
	old, new     *apiextensionsv1.CustomResourceDefinitionVersion
	oldAt, newAt int
}

// at notes a change at a path of the version.
func (v *versions) at(path string, change Change) {
	change.Version = v.name
	change.OldPath, change.NewPath = versionPath(v.oldAt)+path, versionPath(v.newAt)+path
	v.add(change)
}

func (d *definition) version(v versions) {
	old, new := v.old, v.new
	switch {
	case old.Served && !new.Served:
		v.at(".served", Change{Kind: VersionUnserved, Category: BreaksClients, Reason: "requests for it are not found"})
	case new.Served && !old.Served:
		v.at(".served", Change{Kind: VersionServed, Reason: "it is one version more to ask for"})
	}
	if old.Deprecated != new.Deprecated || !apiequality.Semantic.DeepEqual(old.DeprecationWarning, new.DeprecationWarning) {
		v.at(".deprecated", Change{Kind: VersionDeprecated, Reason: "clients get another warning, or none"})
	}
	v.subresources()
	if !apiequality.Semantic.DeepEqual(old.AdditionalPrinterColumns, new.AdditionalPrinterColumns) {
		v.at(".additionalPrinterColumns", Change{Kind: ColumnsChanged, Reason: "kubectl get prints other columns"})
	}
	for _, field := range without(old.SelectableFields, new.SelectableFields) {
		v.at(".selectableFields", Change{Kind: SelectableRemoved, Category: BreaksClients, Old: field.JSONPath, Reason: "requests that select by the field are refused"})
	}
	for _, field := range without(new.SelectableFields, old.SelectableFields) {
		v.at(".selectableFields", Change{Kind: SelectableAdded, New: field.JSONPath, Reason: "it is one more field to select by"})
	}
	oldRest, newRest := *old, *new
	for _, rest := range []*apiextensionsv1.CustomResourceDefinitionVersion{&oldRest, &newRest} {
		rest.Served, rest.Storage, rest.Deprecated, rest.DeprecationWarning = false, false, false, nil
		rest.Subresources, rest.AdditionalPrinterColumns, rest.SelectableFields, rest.Schema = nil, nil, nil, nil
	}
	d.rest(versionPath(v.newAt), reflect.ValueOf(oldRest), reflect.ValueOf(newRest))
	v.schemas()
}

func (v *versions) subresources() {
	var none apiextensionsv1.CustomResourceSubresources
	old, new := &none, &none
	if v.old.Subresources != nil {
		old = v.old.Subresources
	}
	if v.new.Subresources != nil {
		new = v.new.Subresources
	}
	switch {
	case old.Status == nil && new.Status != nil:
		v.at(".subresources.status", Change{Kind: StatusAdded, Category: BreaksClients, Reason: "status that clients send with the object is dropped: it is written by the subresource only"})
	case old.Status != nil && new.Status == nil:
		v.at(".subresources", Change{Kind: StatusRemoved, Category: BreaksClients, Reason: "requests for the subresource are not found"})
	}
	// What scale reads is checked in every update, and that is not ratcheted.
	change := Change{Category: BreaksStored, Reason: "a value at its paths that is no number from 0 to 2147483647 is refused in every update"}
	switch {
	case apiequality.Semantic.DeepEqual(old.Scale, new.Scale):
	case new.Scale == nil:
		change.Kind, change.Category, change.Reason = ScaleRemoved, BreaksClients, "requests for the subresource are not found, autoscalers' among them"
		v.at(".subresources", change)
	case old.Scale == nil:
		change.Kind = ScaleAdded
		if v.scales(new.Scale) {
			change.Category, change.Reason = Safe, "its paths have nothing but numbers that it takes"
		}
		v.at(".subresources.scale", change)
	default:
		change.Kind = ScaleChanged
		if v.scales(new.Scale) {
			change.Category, change.Reason = BreaksClients, "clients of the subresource read and write other fields"
		}
		v.at(".subresources.scale", change)
	}
	oldRest, newRest := *old, *new
	oldRest.Status, oldRest.Scale, newRest.Status, newRest.Scale = nil, nil, nil, nil
	v.rest(versionPath(v.newAt)+".subresources", reflect.ValueOf(oldRest), reflect.ValueOf(newRest))
}

// scales reports whether the old schema lets nothing stand at the paths of scale that
// the server would refuse.
func (v *versions) scales(scale *apiextensionsv1.CustomResourceSubresourceScale) bool {
	leaf := func(path string) *structural.Schema {
		s := schemaOf(v.definition.old, v.oldAt)
		for name := range strings.SplitSeq(strings.TrimPrefix(path, "."), ".") {
			if s == nil {
				return nil
			}
			s = propertyOf(s, name)
		}
		return s
	}
	for _, path := range []string{scale.SpecReplicasPath, scale.StatusReplicasPath} {
		s := leaf(path)
		if s == nil || s.Type != "integer" || s.ValueValidation == nil || s.Minimum == nil || *s.Minimum < 0 {
			return false
		}
		if s.Format != "int32" && (s.Maximum == nil || *s.Maximum > 1<<31-1) {
			return false
		}
	}
	if scale.LabelSelectorPath == nil {
		return true
	}
	s := leaf(*scale.LabelSelectorPath)
	return s != nil && s.Type == "string"
}

// schemas compares the schemas of the version.
func (v *versions) schemas() {
	old, new := schemaOf(v.definition.old, v.oldAt), schemaOf(v.definition.new, v.newAt)
	if old == nil || new == nil {
		if (old == nil) != (new == nil) {
			v.at(".schema", Change{Kind: NotUnderstood, Category: BreaksStored, Reason: "only one of the definitions has a schema"})
		}
		return
	}
	c := &schemas{definition: v.definition, table: keywords(), version: v.name, oldBase: schemaPath(v.oldAt), newBase: schemaPath(v.newAt)}
	c.schema(place{old: old, new: new, correlated: true})
	if c.documented > 0 {
		change := Change{Kind: DocumentationChanged, Reason: "it is what only describes"}
		if c.documented > 1 {
			change.Reason += fmt.Sprintf(", here and in %d other places", c.documented-1)
		}
		c.loosen(c.documentedAt, "", change)
	}
	v.unheld(c)
}

// unheld compares what the model of schemas cannot hold.
func (v *versions) unheld(c *schemas) {
	keys := func(s *crd.Definition, i int) (out []string) {
		if i < len(s.Unsupported) {
			for _, u := range s.Unsupported[i] {
				out = append(out, u.Path.String()+"."+u.Keyword)
			}
		}
		return out
	}
	old, new := keys(v.definition.old, v.oldAt), keys(v.definition.new, v.newAt)
	if len(old) == 0 && len(new) == 0 || apiequality.Semantic.DeepEqual(v.old.Schema, v.new.Schema) {
		return
	}
	for _, key := range slices.Concat(new, without(old, new)) {
		c.definition.add(Change{Kind: NotUnderstood, Category: BreaksStored, Version: v.name, OldPath: c.oldBase + key, NewPath: c.newBase + key,
			Reason: "no structural schema can hold it, so that it is not known whether it was changed"})
	}
}

// askServer adds what the API server says to the update.
func (d *definition) askServer(ctx context.Context, target *apiserver.Target) error {
	if len(d.changes) == 0 {
		return nil
	}
	findings, err := target.ValidateUpdate(ctx, d.new.CRD, d.old.CRD)
	if err != nil {
		return fmt.Errorf("compare %s: %w", d.name, err)
	}
	for _, f := range findings {
		if f.Warning {
			continue
		}
		path := f.Path
		if len(f.Places) > 0 {
			path = f.Places[0]
		}
		d.add(Change{Kind: Refused, Category: BreaksStored, NewPath: path, Reason: "the server refuses the definition: " + shorten(f.String(), 400)})
	}
	return nil
}

// Place is the place of a change, for diagnostics: in the new definition, or in the old
// one where there is nothing of it in the new one.
func (c *Change) Place() (pos diag.Position, related []diag.Related) {
	if c.NewPos.File == "" {
		return c.OldPos, nil
	}
	related = c.Related
	if c.OldPos.File != "" && c.OldPos.File != c.NewPos.File {
		related = append(slices.Clip(related), diag.Related{Pos: c.OldPos, Message: "it was here"})
	}
	return c.NewPos, related
}
