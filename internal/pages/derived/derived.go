package derived

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/publish"
	"github.com/schemagen/schemagen/structural"
)

// Options select what is shown. The zero value shows the schema of the storage version.
type Options struct {
	// Version is the version of the definition.
	Version string
	// Path is the path of a field, such as spec.template; names lead through lists and maps.
	Path string
	// Skeleton shows the skeleton of the pruning KEP.
	Skeleton bool
	// Unfold expands extensions, and DropValidations leaves out value validations afterwards.
	Unfold, DropValidations bool
	// Published shows the definition in documents: v2, v3, or empty.
	Published string
	// Dir is the directory to which file names in comments are relative.
	Dir string
}

// Check returns an error if options exclude each other.
func (o Options) Check() error {
	forms := 0
	for _, set := range []bool{o.Skeleton, o.Unfold || o.DropValidations, o.Published != ""} {
		if set {
			forms++
		}
	}
	if forms > 1 {
		return errors.New("--skeleton, --published and --unfold or --drop-validations show different things: give one of them")
	}
	if !slices.Contains([]string{"", "v2", "v3"}, o.Published) {
		return fmt.Errorf("unknown document %q: use one of v2, v3", o.Published)
	}
	return nil
}

// WithoutSchema is the error for a version without a schema.
type WithoutSchema struct {
	CRD, Version string
	// Path is the path of the schema in the definition.
	Path string
}

// Error implements error.
func (e *WithoutSchema) Error() string {
	return "version " + e.Version + " of " + e.CRD + " has no schema"
}

// YAML returns a document with what is derived from a definition. The error is a [*WithoutSchema] if the
// version has no schema.
func YAML(d *crd.Definition, o Options) ([]byte, error) {
	built := *d
	if built.CRD == nil {
		built.CRD = d.Build()
	}
	i, err := versionOf(built.CRD, o.Version)
	if err != nil {
		return nil, err
	}
	v := &view{Options: o, definition: &built, index: i, path: fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", i)}
	if schema := built.CRD.Spec.Versions[i].Schema; schema != nil {
		v.props = schema.OpenAPIV3Schema
	}
	if v.props == nil && o.Published == "" {
		return nil, &WithoutSchema{CRD: built.CRD.Name, Version: built.CRD.Spec.Versions[i].Name, Path: v.path}
	}
	title, root, err := v.derive()
	if err != nil {
		return nil, err
	}
	var out strings.Builder
	fmt.Fprintf(&out, "---\n# %s of %s, version %s", title, built.CRD.Name, built.CRD.Spec.Versions[i].Name)
	if o.Path != "" {
		out.WriteString(", field " + o.Path)
	}
	out.WriteString("\n")
	root.write(&out, "")
	if len(root.members) == 0 {
		out.WriteString("{}\n")
	}
	return []byte(out.String()), nil
}

// versionOf returns the index of a version, or of the storage version.
func versionOf(object *apiextensionsv1.CustomResourceDefinition, name string) (int, error) {
	var names []string
	for i, v := range object.Spec.Versions {
		if v.Name == name || name == "" && v.Storage {
			return i, nil
		}
		names = append(names, v.Name)
	}
	if name == "" {
		return 0, fmt.Errorf("%s has no storage version: give one of %s", object.Name, strings.Join(names, ", "))
	}
	return 0, fmt.Errorf("%s has no version %s: use one of %s", object.Name, name, strings.Join(names, ", "))
}

// view is one version of a definition.
type view struct {
	Options
	definition *crd.Definition
	index      int
	// path is the path of the schema in the definition, and props the schema, which may be nil.
	path  string
	props *apiextensionsv1.JSONSchemaProps
}

// position returns the position of a path below the schema, as text.
func (v *view) position(path string) string {
	pos, _ := v.definition.Position(v.path + path)
	if pos.File == "" {
		return ""
	}
	return diag.List{{Pos: pos}}.RelativeTo(v.Dir)[0].Pos.String()
}

// model returns the schema of the version; nil if there is none.
func (v *view) model() *structural.Schema {
	if v.index < len(v.definition.Schemas) {
		return v.definition.Schemas[v.index]
	}
	return nil
}

func (v *view) derive() (title string, root *node, err error) {
	if v.Skeleton {
		root, err = v.skeleton()
		return "Skeleton", root, err
	}
	a := &annotator{position: v.position}
	var derived object
	switch {
	case v.Published != "":
		title = "Definition published in OpenAPI " + v.Published
		derived, err = v.published(a)
	case v.Unfold || v.DropValidations:
		title, derived, err = v.transformed(a)
	default:
		title = "Schema"
		derived, err = rendered(v.props, v.model())
		// Only a schema with keywords that no structural schema holds differs from itself.
		a.dropped = func(string, string) string { return "" }
		a.added = func(object, string) string { return "" }
	}
	if err != nil {
		return "", nil, err
	}
	source, err := rendered(v.props, v.model())
	if err != nil {
		return "", nil, err
	}
	derived, source, path, err := selectField(derived, source, v.Path)
	if err != nil {
		return "", nil, err
	}
	root = a.schema(derived, source, path)
	if location := v.position(path); location != "" {
		root.notes = append([]string{location}, root.notes...)
	}
	return title, root, nil
}

// skeleton returns the node of the skeleton.
func (v *view) skeleton() (*node, error) {
	s, err := structural.Skel(v.props)
	if err != nil {
		return nil, err
	}
	var names []string
	if v.Path != "" {
		names = strings.Split(v.Path, ".")
	}
	skeleton := follow(s, names)
	if skeleton == nil {
		return nil, v.noField()
	}
	root := skeletonNode(skeleton, v.position)
	if text := sources(skeleton, v.position); text != "" {
		root.notes = append([]string{text}, root.notes...)
	}
	return root, nil
}

func (v *view) noField() error { return fmt.Errorf("the schema has no field %s", v.Path) }

// transformed returns the schema with extensions unfolded, and without value validations.
func (v *view) transformed(a *annotator) (title string, derived object, err error) {
	s := v.model()
	var titles []string
	if v.Unfold {
		s = structural.Unfold(s)
		titles = append(titles, "with unfolded extensions")
	}
	if v.DropValidations {
		s = structural.DropValueValidations(s)
		titles = append(titles, "without value validations")
	}
	a.added = unfoldedFrom
	a.dropped = func(_, keyword string) string {
		switch {
		case isUnheld(v.definition.Unsupported, v.index, keyword):
			return "a structural schema cannot hold it"
		case v.DropValidations:
			return "value validation"
		}
		return "replaced"
	}
	derived, err = rendered(s.Props(), s)
	return "Schema " + strings.Join(titles, " and "), derived, err
}

// isUnheld reports whether the model of a version cannot hold a keyword.
func isUnheld(unsupported [][]structural.Unsupported, i int, keyword string) bool {
	return i < len(unsupported) &&
		slices.ContainsFunc(unsupported[i], func(u structural.Unsupported) bool { return u.Keyword == keyword })
}

// unfoldedFrom names the extension that a keyword or a property of a node is unfolded from.
func unfoldedFrom(source object, keyword string) string {
	switch text := extensionOf(source); {
	case text != "":
		return "unfolded from " + text
	case slices.Contains([]string{"enum", "oneOf", "allOf"}, keyword):
		return "unfolded from " + publish.UnionsKeyword
	}
	return "unfolded from x-kubernetes-embedded-resource" // the description of a replaced field
}

// extensionOf returns the extension of a node that is unfolded in the node, or "".
func extensionOf(source object) string {
	for _, extension := range []string{"x-kubernetes-int-or-string", "x-kubernetes-embedded-resource"} {
		if set, _ := source[extension].(bool); set {
			return extension
		}
	}
	return ""
}

// published returns the definition in a document.
func (v *view) published(a *annotator) (object, error) {
	object := v.definition.CRD
	version := object.Spec.Versions[v.index]
	for _, r := range publish.Resources(object, v.definition.Schemas, v.definition.Unsupported) {
		if r.Version != version.Name {
			continue
		}
		lost := map[string]string{}
		if v.Published == "v2" {
			for _, l := range publish.LostInV2(r) {
				lost[l.Path] = l.Reason
			}
		}
		a.added = func(source map[string]any, keyword string) string {
			if extension := extensionOf(source); extension != "" {
				return "unfolded from " + extension
			}
			return "added by the server"
		}
		a.dropped = func(path, keyword string) string {
			switch {
			case r.Rejected != nil:
				return "not published: " + r.Rejected.Reason
			case lost[""] != "":
				return lost[""]
			case lost[path+"."+keyword] != "":
				return lost[path+"."+keyword]
			}
			return "replaced by the server"
		}
		return decoded(publish.Definition(r, publish.Options{}, v.Published == "v2"))
	}
	return nil, fmt.Errorf("version %s of %s is not served, so it is not published", version.Name, object.Name)
}

// selectField returns the schemas of a field in a derived schema and its source, with their path.
func selectField(derived, source object, field string) (_, _ object, path string, err error) {
	if field == "" {
		return derived, source, "", nil
	}
	for _, name := range strings.Split(field, ".") {
		for derived != nil && derived["properties"] == nil && derived["items"] != nil {
			derived = child(derived, "items")
			source = child(source, "items")
			path = path + ".items"
		}
		if properties := child(derived, "properties"); child(properties, name) != nil {
			derived = child(properties, name)
			source = child(child(source, "properties"), name)
			path += ".properties[" + name + "]"
			continue
		}
		if values := child(derived, "additionalProperties"); values != nil {
			derived = values
			source = child(source, "additionalProperties")
			path = path + ".additionalProperties"
			continue
		}
		names := slices.Sorted(maps.Keys(child(derived, "properties")))
		return nil, nil, "", fmt.Errorf("the schema has no field %s%s", field, strings.TrimSuffix("; "+words.DidYouMean(name, names, ""), "; "))
	}
	return derived, source, path, nil
}

func child(s object, key string) object {
	out, _ := s[key].(object)
	return out
}

// rendered returns a schema as decoded JSON, with the unions that its model holds.
func rendered(props *apiextensionsv1.JSONSchemaProps, s *structural.Schema) (object, error) {
	if props == nil {
		return nil, nil
	}
	out, err := decoded(props)
	if err == nil {
		addUnions(out, s)
	}
	return out, err
}

// addUnions adds x-kubernetes-unions, which JSONSchemaProps does not have.
func addUnions(target object, s *structural.Schema) {
	if target == nil || s == nil {
		return
	}
	if unions := structural.UnionsJSON(s.Extensions); unions != nil {
		var value any
		_ = json.Unmarshal(unions.Raw, &value) // it was just written
		target[publish.UnionsKeyword] = value
	}
	addUnions(child(target, "items"), s.Items)
	for _, p := range s.Properties {
		addUnions(child(child(target, "properties"), p.Name), p.Schema)
	}
	if s.AdditionalProperties != nil {
		addUnions(child(target, "additionalProperties"), s.AdditionalProperties.Schema)
	}
}

// decoded returns a value as it would be read from JSON, with numbers as they are written.
func decoded(source any) (object, error) {
	data, err := json.Marshal(source)
	if err != nil {
		return nil, err
	}
	d := json.NewDecoder(bytes.NewReader(data))
	d.UseNumber()
	var out object
	return out, d.Decode(&out)
}
