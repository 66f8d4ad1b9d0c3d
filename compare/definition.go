package compare

import (
	"context"
	"fmt"
	"reflect"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiequality "k8s.io/apimachinery/pkg/api/equality"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/ground/changekind"
	"github.com/schemagen/schemagen/structural"
)

// definition compares two definitions of the same name.
type definition struct {
	// ctx ends the comparison early: then there are changes missing.
	ctx      context.Context
	name     string
	old, new *crd.Definition
	// target evaluates rules.
	target *apiserver.Target
	// ratchets is set if the server accepts invalid values that did not change.
	ratchets bool
	changes  []Change
	equal    equalNodes
}

// equalNodes are pairs of nodes without changes. Generated definitions share nodes.
type equalNodes map[[2]*structural.Schema]bool

// add adds a change and sets its positions.
func (d *definition) add(change Change) {
	change.Definition = d.name
	if change.OldPath != "" && d.old != nil {
		change.OldPos, change.oldRelated = d.old.Position(change.OldPath)
	}
	if change.NewPath != "" && d.new != nil {
		change.NewPos, change.Related = d.new.Position(change.NewPath)
	}
	change.Old, change.New = shorten(change.Old, 300), shorten(change.New, 300)
	d.changes = append(d.changes, change)
}

// addAt adds a change at the same path of both definitions.
func (d *definition) addAt(path string, change Change) {
	change.OldPath = path
	change.NewPath = path
	d.add(change)
}

// defaulted returns the definition with the server's defaults, so that one read from a
// cluster is equal to its file.
func defaulted(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	out := &apiextensionsv1.CustomResourceDefinition{Spec: crd.Spec}
	out.Spec.Conversion = crd.Spec.Conversion.DeepCopy()
	apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(out)
	return out
}

func (d *definition) compare() {
	old := defaulted(d.old.CRD).Spec
	new := defaulted(d.new.CRD).Spec
	d.spec(&old, &new)
	for i := range old.Versions {
		if versionOf(&new, old.Versions[i].Name) < 0 {
			d.versionRemoved(&old, i)
		}
	}
	for i := range new.Versions {
		v := &new.Versions[i]
		index := versionOf(&old, v.Name)
		if index < 0 {
			d.add(Change{Kind: changekind.VersionAdded, Version: v.Name, NewPath: versionPath(i), New: v.Name, Reason: "it is not in use yet"})
			continue
		}
		d.version(versionPair{definition: d, name: v.Name, old: &old.Versions[index], new: v, oldAt: index, newAt: i})
	}
	d.storage(&old, &new)
	d.conversions(&old, &new)
}

// spec compares the fields that apply to all versions.
func (d *definition) spec(old, new *apiextensionsv1.CustomResourceDefinitionSpec) {
	if old.Scope != new.Scope {
		d.addAt("spec.scope", Change{Kind: changekind.ScopeChanged, Category: BreaksStored, Old: string(old.Scope), New: string(new.Scope),
			Reason: "the server rejects it, because objects are stored with or without a namespace"})
	}
	if old.Names.Kind != new.Names.Kind {
		d.addAt("spec.names.kind", Change{Kind: changekind.KindChanged, Category: BreaksStored, Old: old.Names.Kind, New: new.Names.Kind,
			Reason: "the server rejects it, because stored objects have a kind"})
	}
	for _, name := range [...]struct{ path, old, new string }{
		{"spec.names.listKind", old.Names.ListKind, new.Names.ListKind},
		{"spec.names.singular", old.Names.Singular, new.Names.Singular},
	} {
		if name.old != name.new {
			d.addAt(name.path, Change{Kind: changekind.NamesChanged, Category: BreaksClients, Old: name.old, New: name.new, Reason: "requests by that name fail"})
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
			d.addAt(names.path, Change{Kind: changekind.NameRemoved, Category: BreaksClients, Old: name, Reason: "commands that use the name fail"})
		}
		for _, name := range without(names.new, names.old) {
			d.addAt(names.path, Change{Kind: changekind.NameAdded, New: name, Reason: "it adds a name"})
		}
	}
	if old.PreserveUnknownFields != new.PreserveUnknownFields {
		change := Change{Kind: changekind.PruningChanged, Category: BreaksStored, Reason: "the server drops unspecified fields when it reads a stored object"}
		if new.PreserveUnknownFields {
			change.Reason = "the server rejects it"
		}
		d.addAt("spec.preserveUnknownFields", change)
	}
	if !apiequality.Semantic.DeepEqual(conversionOf(old), conversionOf(new)) {
		change := Change{Kind: changekind.ConversionChanged, Category: BreaksStored,
			Old: string(old.Conversion.Strategy), New: string(new.Conversion.Strategy),
			Reason: "objects requested in another version than the stored one are converted differently, and the definition does not show how"}
		switch {
		case len(old.Versions) == 1 && len(new.Versions) == 1:
			change.Category = Safe
			change.Reason = "there is only one version, so nothing is converted"
		case len(old.Versions) == 1:
			change.Category = Safe
			change.Reason = "there was one version before, so nothing was converted"
		case len(new.Versions) == 1:
			change.Category = Safe
			change.Reason = "there is one version now, so nothing is converted"
		}
		d.addAt("spec.conversion", change)
	}
	// Fields without an explanation are compared as a whole.
	oldRest := *old
	newRest := *new
	for _, rest := range []*apiextensionsv1.CustomResourceDefinitionSpec{&oldRest, &newRest} {
		rest.Scope = ""
		rest.Names = apiextensionsv1.CustomResourceDefinitionNames{Plural: rest.Names.Plural}
		rest.PreserveUnknownFields = false
		rest.Conversion = nil
		rest.Versions = nil
	}
	d.rest("spec", reflect.ValueOf(oldRest), reflect.ValueOf(newRest))
}

// conversionOf returns the conversion without the CA bundle, which a cluster injects.
func conversionOf(spec *apiextensionsv1.CustomResourceDefinitionSpec) *apiextensionsv1.CustomResourceConversion {
	out := spec.Conversion.DeepCopy()
	if out.Webhook != nil && out.Webhook.ClientConfig != nil {
		out.Webhook.ClientConfig.CABundle = nil
	}
	return out
}

// rest adds a change for each field that differs without an explanation.
func (d *definition) rest(path string, old, new reflect.Value) {
	for i := range old.NumField() {
		if apiequality.Semantic.DeepEqual(old.Field(i).Interface(), new.Field(i).Interface()) {
			continue
		}
		name, _, _ := strings.Cut(old.Type().Field(i).Tag.Get("json"), ",")
		d.addAt(path+"."+name, Change{Kind: changekind.NotUnderstood, Category: BreaksStored, Reason: name + " changed, and the effect is unknown"})
	}
}

func versionOf(spec *apiextensionsv1.CustomResourceDefinitionSpec, name string) int {
	return slices.IndexFunc(spec.Versions,
		func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == name })
}

func versionPath(i int) string { return fmt.Sprintf("spec.versions[%d]", i) }

func schemaPath(i int) string { return versionPath(i) + ".schema.openAPIV3Schema" }

func (d *definition) versionRemoved(old *apiextensionsv1.CustomResourceDefinitionSpec, i int) {
	v := old.Versions[i]
	change := Change{Kind: changekind.VersionRemoved, Category: Safe, Version: v.Name, Old: v.Name, OldPath: versionPath(i), NewPath: "spec.versions",
		Reason: "it was not served, and no objects are stored in it"}
	stored := d.old.CRD.Status.StoredVersions
	switch {
	case v.Storage || slices.Contains(stored, v.Name):
		change.Category = BreaksStored
		change.Reason = "the server rejects it, because objects may be stored in it (see status.storedVersions)"
	case v.Served:
		change.Category = BreaksClients
		change.Reason = "requests for it fail with 404"
	}
	if change.Category != BreaksStored && len(stored) == 0 {
		change.Reason += "; if status.storedVersions in a cluster still lists it, the server rejects the change"
	}
	d.add(change)
}

// storage compares the storage versions.
func (d *definition) storage(old, new *apiextensionsv1.CustomResourceDefinitionSpec) {
	olds := stored(old)
	news := stored(new)
	if len(olds) != 1 || len(news) != 1 {
		if len(olds) != len(news) || len(news) > 1 {
			d.addAt("spec.versions", Change{Kind: changekind.NotUnderstood, Category: BreaksStored, Reason: "there must be exactly one storage version"})
		}
		return
	}
	start := olds[0]
	end := news[0]
	if old.Versions[start].Name == new.Versions[end].Name {
		return
	}
	change := Change{Kind: changekind.StorageChanged, Old: old.Versions[start].Name, New: new.Versions[end].Name, OldPath: versionPath(start) + ".storage", NewPath: versionPath(end) + ".storage",
		Reason: "stored objects do not change until they are written, and the webhook converts them"}
	if new.Conversion.Strategy == apiextensionsv1.NoneConverter {
		change.Reason = "stored objects do not change until they are written, and both versions have the same fields"
		// Only the apiVersion is converted, so fields that the new version lacks are lost.
		inner := &comparer{definition: &definition{ctx: d.ctx, name: d.name, target: d.target, equal: d.equal,
			ratchets: d.ratchets}, table: explanations(), version: new.Versions[end].Name}
		if a, b := schemaOf(d.old, start), schemaOf(d.new, end); a != nil && b != nil {
			inner.schema(nodePair{old: a, new: b, correlated: true})
		} else {
			inner.changes = append(inner.changes, Change{Category: BreaksStored, Kind: changekind.NotUnderstood})
		}
		if i := slices.IndexFunc(inner.changes, func(c Change) bool { return c.Category == BreaksStored }); i >= 0 {
			change.Category = BreaksStored
			change.Reason = fmt.Sprintf("only the apiVersion is converted, but the versions differ (%s %s): the next write of a stored object loses data or fails", inner.changes[i].Kind, inner.changes[i].Field)
		}
	}
	d.add(change)
}

// stored returns the indexes of the storage versions. The server rejects a definition that
// does not have exactly one.
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

// versionPair is a version in both definitions.
type versionPair struct {
	*definition
	name         string
	old, new     *apiextensionsv1.CustomResourceDefinitionVersion
	oldAt, newAt int
}

// addInVersion adds a change at a path relative to the version.
func (v *versionPair) addInVersion(path string, change Change) {
	change.Version = v.name
	change.OldPath = versionPath(v.oldAt) + path
	change.NewPath = versionPath(v.newAt) + path
	v.add(change)
}

func (d *definition) version(v versionPair) {
	old := v.old
	new := v.new
	switch {
	case old.Served && !new.Served:
		v.addInVersion(".served", Change{Kind: changekind.VersionUnserved, Category: BreaksClients, Reason: "requests for it fail with 404"})
	case new.Served && !old.Served:
		v.addInVersion(".served", Change{Kind: changekind.VersionServed, Reason: "one more version is served"})
	}
	if old.Deprecated != new.Deprecated || !apiequality.Semantic.DeepEqual(old.DeprecationWarning, new.DeprecationWarning) {
		v.addInVersion(".deprecated", Change{Kind: changekind.VersionDeprecated, Reason: "clients get a different warning, or none"})
	}
	v.subresources()
	if !apiequality.Semantic.DeepEqual(old.AdditionalPrinterColumns, new.AdditionalPrinterColumns) {
		v.addInVersion(".additionalPrinterColumns", Change{Kind: changekind.ColumnsChanged, Reason: "kubectl get prints different columns"})
	}
	for _, field := range without(old.SelectableFields, new.SelectableFields) {
		v.addInVersion(".selectableFields", Change{Kind: changekind.SelectableRemoved, Category: BreaksClients, Old: field.JSONPath, Reason: "requests that select by this field are rejected"})
	}
	for _, field := range without(new.SelectableFields, old.SelectableFields) {
		v.addInVersion(".selectableFields", Change{Kind: changekind.SelectableAdded, New: field.JSONPath, Reason: "objects can be selected by one more field"})
	}
	oldRest := *old
	newRest := *new
	for _, rest := range []*apiextensionsv1.CustomResourceDefinitionVersion{&oldRest, &newRest} {
		rest.Served = false
		rest.Storage = false
		rest.Deprecated = false
		rest.DeprecationWarning = nil
		rest.Subresources = nil
		rest.AdditionalPrinterColumns = nil
		rest.SelectableFields = nil
		rest.Schema = nil
	}
	d.rest(versionPath(v.newAt), reflect.ValueOf(oldRest), reflect.ValueOf(newRest))
	v.schemas()
}

func (v *versionPair) subresources() {
	var none apiextensionsv1.CustomResourceSubresources
	old := &none
	new := &none
	if v.old.Subresources != nil {
		old = v.old.Subresources
	}
	if v.new.Subresources != nil {
		new = v.new.Subresources
	}
	switch {
	case old.Status == nil && new.Status != nil:
		v.addInVersion(".subresources.status", Change{Kind: changekind.StatusAdded, Category: BreaksClients, Reason: "the status that clients send with an object is dropped; it must be written through the subresource"})
	case old.Status != nil && new.Status == nil:
		v.addInVersion(".subresources", Change{Kind: changekind.StatusRemoved, Category: BreaksClients, Reason: "requests for the subresource fail with 404"})
	}
	// The values that scale reads are validated in every update and are not ratcheted.
	change := Change{Category: BreaksStored, Reason: "every update is rejected if a value at its paths is not an integer from 0 to 2147483647"}
	switch {
	case apiequality.Semantic.DeepEqual(old.Scale, new.Scale):
	case new.Scale == nil:
		change.Kind = changekind.ScaleRemoved
		change.Category = BreaksClients
		change.Reason = "requests for the subresource, including those of autoscalers, fail with 404"
		v.addInVersion(".subresources", change)
	case old.Scale == nil:
		change.Kind = changekind.ScaleAdded
		if v.scaleValid(new.Scale) {
			change.Category = Safe
			change.Reason = "the values at its paths are always in range"
		}
		v.addInVersion(".subresources.scale", change)
	default:
		change.Kind = changekind.ScaleChanged
		if v.scaleValid(new.Scale) {
			change.Category = BreaksClients
			change.Reason = "clients of the subresource read and write different fields"
		}
		v.addInVersion(".subresources.scale", change)
	}
	oldRest := *old
	newRest := *new
	oldRest.Status = nil
	oldRest.Scale = nil
	newRest.Status = nil
	newRest.Scale = nil
	v.rest(versionPath(v.newAt)+".subresources", reflect.ValueOf(oldRest), reflect.ValueOf(newRest))
}

// scaleValid reports whether the old schema only allows values at the paths of scale that
// the server accepts.
func (v *versionPair) scaleValid(scale *apiextensionsv1.CustomResourceSubresourceScale) bool {
	leaf := func(path string) *structural.Schema {
		s := schemaOf(v.definition.old, v.oldAt)
		for name := range strings.SplitSeq(strings.TrimPrefix(path, "."), ".") {
			if s == nil {
				return nil
			}
			s = s.Property(name)
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
func (v *versionPair) schemas() {
	old := schemaOf(v.definition.old, v.oldAt)
	new := schemaOf(v.definition.new, v.newAt)
	if old == nil || new == nil {
		if (old == nil) != (new == nil) {
			v.addInVersion(".schema", Change{Kind: changekind.NotUnderstood, Category: BreaksStored, Reason: "only one of the definitions has a schema for this version"})
		}
		return
	}
	c := &comparer{definition: v.definition, table: explanations(), version: v.name, oldBase: schemaPath(v.oldAt),
		newBase: schemaPath(v.newAt)}
	c.schema(nodePair{old: old, new: new, correlated: true})
	if c.documented > 0 {
		change := Change{Kind: changekind.DocumentationChanged, Reason: "only documentation changed"}
		if c.documented > 1 {
			change.Reason += fmt.Sprintf(", here and at %d other fields", c.documented-1)
		}
		c.loosen(c.documentedAt, "", change)
	}
	v.unsupported(c)
}

// unsupported adds changes for keywords that the schema model cannot represent.
func (v *versionPair) unsupported(c *comparer) {
	keys := func(s *crd.Definition, i int) (out []string) {
		if i < len(s.Unsupported) {
			for _, u := range s.Unsupported[i] {
				out = append(out, u.Path.String()+"."+u.Keyword)
			}
		}
		return out
	}
	old := keys(v.definition.old, v.oldAt)
	new := keys(v.definition.new, v.newAt)
	if len(old) == 0 && len(new) == 0 || apiequality.Semantic.DeepEqual(v.old.Schema, v.new.Schema) {
		return
	}
	for _, key := range slices.Concat(new, without(old, new)) {
		c.definition.add(Change{Kind: changekind.NotUnderstood, Category: BreaksStored, Version: v.name,
			OldPath: c.oldBase + key, NewPath: c.newBase + key,
			Reason: "a structural schema cannot represent it, so a change cannot be detected"})
	}
}

// askServer adds the API server's rejections of the update.
func (d *definition) askServer(ctx context.Context, target *apiserver.Target) error {
	if len(d.changes) == 0 {
		return nil
	}
	old := d.old.CRD
	new := d.new.CRD
	accepted, err := d.acceptsSchemas(ctx, target)
	if err != nil {
		return fmt.Errorf("compare %s: %w", d.name, err)
	}
	if accepted {
		// An update does not ask more of schemas than a creation.
		old = withoutSchemas(old)
		new = withoutSchemas(new)
	}
	findings, err := target.ValidateUpdate(ctx, new, old)
	if err != nil {
		return fmt.Errorf("compare %s: %w", d.name, err)
	}
	for _, f := range findings {
		if f.Warning {
			continue
		}
		path := f.Path
		if len(f.Paths) > 0 {
			path = f.Paths[0]
		}
		d.add(Change{Kind: changekind.Rejected, Category: BreaksStored, NewPath: path, Reason: "the server rejects the definition: " + shorten(f.String(), 400)})
	}
	return nil
}

// acceptsSchemas reports whether the server is known to accept the new schemas.
func (d *definition) acceptsSchemas(ctx context.Context, target *apiserver.Target) (bool, error) {
	if hasSelectable(d.old.CRD) || hasSelectable(d.new.CRD) {
		return false, nil
	}
	if d.new.Provenance().Accepted.By(target.Version()) {
		return true, nil
	}
	if slices.ContainsFunc(d.new.Unsupported, func(u []structural.Unsupported) bool { return len(u) > 0 }) {
		return false, nil
	}
	return apiserver.AcceptsSchemas(ctx, target, d.new.CRD, d.new.Schemas)
}

// hasSelectable reports whether a definition has selectable fields, which must be in its schemas.
func hasSelectable(object *apiextensionsv1.CustomResourceDefinition) bool {
	return slices.ContainsFunc(object.Spec.Versions,
		func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return len(v.SelectableFields) > 0 })
}

// withoutSchemas returns a definition with next to nothing in its schemas, which still differ as
// the server wants it.
func withoutSchemas(object *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	out := *object
	out.Spec.Versions = slices.Clone(object.Spec.Versions)
	for i := range out.Spec.Versions {
		if v := &out.Spec.Versions[i]; v.Schema != nil {
			v.Schema = &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{Type: "object", Description: v.Name}}
		}
	}
	return &out
}

// Position returns the position for a diagnostic, with related positions: that in the new
// definition, or if it has none, in the old one.
func (c *Change) Position() (pos diag.Position, related []diag.Related) {
	if c.NewPos.File == "" {
		return c.OldPos, nil
	}
	related = c.Related
	if c.OldPos.File != "" && c.OldPos.File != c.NewPos.File {
		related = append(slices.Clip(related), diag.Related{Pos: c.OldPos, Message: "it was defined here"})
	}
	return c.NewPos, related
}
