package typegen

import (
	"cmp"
	"context"
	"encoding/json"
	"path/filepath"
	"reflect"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
	"github.com/schemagen/schemagen/structural"
)

// A mismatch is a node whose schema does not come back.
type mismatch struct {
	kind   *kind
	schema *structural.Schema
	// places lead from the struct of the kind to the node, which is the last; empty for the
	// root.
	places []place
	// what is the keyword that differs; path is the part of the definition, if it is
	// outside the schema.
	what, path string
}

// prove generates the definitions of the files and compares them with the definitions that the
// files were made from.
func prove(ctx context.Context, dir string, builders []*builder, files []writtenFile) ([]mismatch, diag.List, error) {
	overlay := map[string][]byte{}
	var patterns []string
	for _, f := range files {
		overlay[f.name] = f.data
		if folder := filepath.Dir(f.name); !slices.Contains(patterns, folder) {
			patterns = append(patterns, folder)
		}
	}
	for _, b := range builders {
		left, err := b.leftovers(files)
		if err != nil {
			return nil, nil, err
		}
		for _, l := range left { // they may declare the same types
			overlay[l.name] = []byte("package " + b.version + "\n")
		}
	}
	result, found, err := generator.Run(ctx, generator.Options{
		Source:   generator.Source{Dir: dir, Patterns: patterns, Overlay: overlay},
		Language: generator.Language{AllowDangerousTypes: true},
		Output:   generator.Output{OmitToolVersion: true},
	})
	if err != nil || found.HasErrors() {
		return nil, found, err
	}
	var generated []generatedCRD
	for _, c := range result.CRDs() {
		generated = append(generated, generatedCRD{c, c.Definition().Provenance().Header})
	}
	var out []mismatch
	compared := comparedObjects{}
	for _, b := range builders {
		for _, k := range b.kinds {
			if k.wanted {
				out = append(out, b.compare(k, generated, compared)...)
			}
		}
	}
	return out, found, nil
}

// generatedCRD is a CRD of the files, with the object without its schemas.
type generatedCRD struct {
	*generator.CRD
	header *apiextensionsv1.CustomResourceDefinition
}

// compare compares a version of a definition with what was generated for it.
func (b *builder) compare(k *kind, generated []generatedCRD, compared comparedObjects) []mismatch {
	for _, c := range generated {
		object := c.header
		if object.Spec.Names.Kind != k.object.Spec.Names.Kind || object.Spec.Group != k.object.Spec.Group {
			continue
		}
		if got := c.Schema(b.version); got != nil {
			c := &comparison{builder: b, kind: k}
			outside := compared.compare(k.object, object)
			if what := outside.difference; what != "" {
				c.out = append(c.out, mismatch{kind: k, what: what, path: what})
			}
			for _, what := range outside.style {
				b.style[what] = true
			}
			c.node(k.schema, got, place{body: b.body(k.schema)}, nil)
			return c.out
		}
	}
	return []mismatch{{kind: k, what: "the version", path: "spec"}}
}

// A comparison finds the innermost nodes that differ.
type comparison struct {
	*builder
	kind *kind
	out  []mismatch
}

func (c *comparison) report(s *structural.Schema, places []place, what string) {
	c.out = append(c.out, mismatch{kind: c.kind, schema: s, places: slices.Clone(places), what: what})
}

// node compares a node. at is where its children are: in the struct itself, or the rest of
// the path from a field.
func (c *comparison) node(want, got *structural.Schema, at place, places []place) {
	what, required := keywordDifference(want, got)
	if what != "" {
		c.report(want, places, what)
		return
	}
	if required {
		c.style["order of required"] = true
	}
	if !sameNames(want.Properties, got.Properties) || (want.Items == nil) != (got.Items == nil) ||
		!sameAdditional(want.AdditionalProperties, got.AdditionalProperties) {
		c.report(want, places, "fields")
		return
	}
	generated := map[string]*structural.Schema{}
	for _, p := range got.Properties {
		generated[p.Name] = p.Schema
	}
	for _, p := range want.Properties {
		inner := place{body: c.body(want), field: p.Name}
		c.node(p.Schema, generated[p.Name], inner, append(places, inner))
	}
	if want.Items != nil {
		at.rest += "[*]"
		c.node(want.Items, got.Items, at, append(places, at))
	}
	if a := want.AdditionalProperties; a != nil && a.Schema != nil {
		at.rest += "{*}"
		c.node(a.Schema, got.AdditionalProperties.Schema, at, append(places, at))
	}
}

func sameNames(a, b []structural.Property) bool {
	names := func(list []structural.Property) []string {
		var out []string
		for _, p := range list {
			out = append(out, p.Name)
		}
		slices.Sort(out)
		return out
	}
	return slices.Equal(names(a), names(b))
}

func sameAdditional(a, b *structural.SchemaOrBool) bool {
	if a == nil || b == nil {
		return a == b
	}
	return a.Bool == b.Bool && (a.Schema == nil) == (b.Schema == nil)
}

// keywordDifference returns the first keyword in which two nodes differ without their
// children, or the empty string, and whether the order of required differs, which has no
// meaning.
func keywordDifference(want, got *structural.Schema) (what string, required bool) {
	a := keywords.Of(want).Props()
	b := keywords.Of(got).Props()
	required = !slices.Equal(a.Required, b.Required)
	a.Required = slices.Sorted(slices.Values(a.Required))
	b.Required = slices.Sorted(slices.Values(b.Required))
	if canonical(a) == canonical(b) {
		return "", required
	}
	for k := range keywords.Table() {
		x := *a
		y := *b
		keywords.Clear(&x, k.Name)
		keywords.Clear(&y, k.Name)
		if canonical(&x) == canonical(&y) {
			return k.Name, required
		}
	}
	return "several keywords", required
}

// canonical returns a value as JSON with sorted keys.
func canonical(v any) string {
	text, _ := plainjson.Marshal(v) // it was decoded from JSON
	var decoded any
	if json.Unmarshal(text, &decoded) == nil {
		text, _ = plainjson.Marshal(decoded)
	}
	return string(text)
}

// objectPair is a definition with the one that was generated from its types.
type objectPair struct {
	want, got *apiextensionsv1.CustomResourceDefinition
}

// objectComparison has the results of objectDifference and objectStyle.
type objectComparison struct {
	difference string
	style      []string
}

// comparedObjects are the definitions that have been compared. All versions of a definition need the
// result, and each comparison reads all versions.
type comparedObjects map[objectPair]objectComparison

func (c comparedObjects) compare(want, got *apiextensionsv1.CustomResourceDefinition) objectComparison {
	pair := objectPair{want, got}
	out, ok := c[pair]
	if !ok {
		out = objectComparison{objectDifference(want, got), objectStyle(want, got)}
		c[pair] = out
	}
	return out
}

// objectDifference returns the part in which two definitions without their schemas differ, or
// the empty string.
func objectDifference(want, got *apiextensionsv1.CustomResourceDefinition) string {
	a := bareObject(want)
	b := bareObject(got)
	if a.Name != b.Name {
		return "metadata.name"
	}
	if !reflect.DeepEqual(a.Labels, b.Labels) {
		return "metadata.labels"
	}
	if !reflect.DeepEqual(a.Annotations, b.Annotations) {
		return "metadata.annotations"
	}
	for _, part := range []struct {
		name string
		a, b any
	}{
		{"spec.names", a.Spec.Names, b.Spec.Names}, {"spec.scope", a.Spec.Scope, b.Spec.Scope},
		{"spec.conversion", a.Spec.Conversion, b.Spec.Conversion}, {"spec.versions", a.Spec.Versions, b.Spec.Versions},
		{"spec", a.Spec, b.Spec},
	} {
		if canonical(part.a) != canonical(part.b) {
			return part.name
		}
	}
	return ""
}

// objectStyle returns the parts in which two definitions differ that objectDifference finds
// equal.
func objectStyle(want, got *apiextensionsv1.CustomResourceDefinition) []string {
	var out []string
	differ := func(what string, yes bool) {
		if yes {
			out = append(out, what)
		}
	}
	a := &want.Spec
	b := &got.Spec
	differ("singular", a.Names.Singular != b.Names.Singular)
	differ("listKind", a.Names.ListKind != b.Names.ListKind)
	differ("conversion", canonical(a.Conversion) != canonical(b.Conversion))
	differ("status", len(want.Status.Conditions) > 0 || len(want.Status.StoredVersions) > 0 || want.Status.AcceptedNames.Kind != "")
	empty := false
	for i := range min(len(a.Versions), len(b.Versions)) {
		j := slices.IndexFunc(b.Versions,
			func(v apiextensionsv1.CustomResourceDefinitionVersion) bool { return v.Name == a.Versions[i].Name })
		empty = empty || j >= 0 && (a.Versions[i].Subresources == nil) != (b.Versions[j].Subresources == nil)
	}
	differ("empty subresources", empty)
	differ("order of versions", !slices.EqualFunc(a.Versions, b.Versions, func(a, b apiextensionsv1.CustomResourceDefinitionVersion) bool { return a.Name == b.Name }))
	return out
}

// bareObject returns a definition with the server's defaults, without its schemas, its
// status, and what generators add: the annotation with their version, and empty subresources
// beside printer columns. Versions are sorted by name, because their order has no meaning.
func bareObject(crd *apiextensionsv1.CustomResourceDefinition) *apiextensionsv1.CustomResourceDefinition {
	bare := *crd
	bare.Spec.Versions = slices.Clone(crd.Spec.Versions)
	for i := range bare.Spec.Versions {
		bare.Spec.Versions[i].Schema = nil
	}
	out := bare.DeepCopy()
	names := &out.Spec.Names
	names.Singular = cmp.Or(names.Singular, strings.ToLower(names.Kind))
	names.ListKind = cmp.Or(names.ListKind, names.Kind+"List")
	if out.Spec.Conversion == nil {
		out.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.NoneConverter}
	}
	delete(out.Annotations, generator.VersionAnnotation)
	if len(out.Annotations) == 0 {
		out.Annotations = nil
	}
	if len(out.Labels) == 0 {
		out.Labels = nil
	}
	for i := range out.Spec.Versions {
		v := &out.Spec.Versions[i]
		if v.Subresources != nil && v.Subresources.Status == nil && v.Subresources.Scale == nil {
			v.Subresources = nil
		}
	}
	slices.SortFunc(out.Spec.Versions, func(a, b apiextensionsv1.CustomResourceDefinitionVersion) int {
		return cmp.Compare(a.Name, b.Name)
	})
	return out
}

// ownerOf returns what a diagnostic about generated files is about.
func ownerOf(files []writtenFile, pos diag.Position) owner {
	for _, f := range files {
		if f.name != pos.File && !strings.HasSuffix(f.name, "/"+strings.TrimPrefix(filepath.ToSlash(pos.File), "./")) {
			continue
		}
		for _, o := range f.owners {
			if o.from <= pos.Line && pos.Line <= o.to {
				return o
			}
		}
	}
	return owner{}
}
