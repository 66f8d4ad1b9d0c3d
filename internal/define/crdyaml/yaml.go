package crdyaml

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"unicode/utf8"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/structural"
)

// maxIndent is the maximum indentation of documents that are written in one pass. Deeper
// ones are left to the library, which has nesting limits of its own.
const maxIndent = 4000

// Span is a part of a document, by offsets.
type Span struct{ Start, End int }

// Append appends the YAML document of c, with a leading "---\n", to dst. The output is byte
// for byte that of controller-gen: sigs.k8s.io/yaml without the status and the creation
// timestamp. It returns the texts of the descriptions of schemas in order, or nil if they are not
// known.
//
// Append returns dst unchanged and an error if a default, an example or an enum value is
// not valid JSON, if a version of c.Object has a schema, or if the library rejects the
// document, for example because of control characters or NaN.
func Append(dst []byte, c *crd.Generated) (out []byte, descriptions []Span, err error) {
	for i := range c.Object.Spec.Versions {
		if v := &c.Object.Spec.Versions[i]; v.Schema != nil {
			return dst, nil, fmt.Errorf("CRD %s: version %s carries a schema of its own", c.Object.Name, v.Name)
		}
	}
	out, descriptions, ok, err := fastYAML(dst, c)
	if err != nil {
		return dst, nil, fmt.Errorf("CRD %s: %w", c.Object.Name, err)
	}
	if ok {
		return out, descriptions, nil
	}
	slow, err := libraryYAML(c)
	if err != nil {
		return dst, nil, fmt.Errorf("CRD %s: %w", c.Object.Name, err)
	}
	dst = append(dst, documentStart...)
	return append(dst, slow...), nil, nil
}

const documentStart = "---\n"

// fastYAML appends the document in one pass. ok is false if the document has to be rendered
// by the library.
func fastYAML(dst []byte, c *crd.Generated) (out []byte, descriptions []Span, ok bool, err error) {
	if hasRareConversion(c.Object.Spec.Conversion) || hasRareMeta(&c.Object.ObjectMeta) {
		return dst, nil, false, nil
	}
	w := yamlWriter{b: append(dst, documentStart...)}
	w.crd(c)
	if w.exotic || w.err != nil {
		return dst, nil, !w.exotic, w.err
	}
	return w.b, w.descriptions, true, nil
}

// libraryYAML renders the document the way controller-gen does.
func libraryYAML(c *crd.Generated) ([]byte, error) {
	object := *c.Object
	object.Spec.Versions = slices.Clone(object.Spec.Versions)
	for i := range object.Spec.Versions {
		if s := c.Schema(i); s != nil {
			object.Spec.Versions[i].Schema = &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: s.Props()}
		}
	}
	text, err := json.Marshal(&object)
	if err != nil {
		return nil, err
	}
	var tree map[string]any
	decoder := json.NewDecoder(bytes.NewReader(text))
	// Otherwise integers above 2^53 would lose digits.
	decoder.UseNumber()
	if err := decoder.Decode(&tree); err != nil {
		return nil, err
	}
	delete(tree, "status")
	if metadata, ok := tree["metadata"].(map[string]any); ok {
		delete(metadata, "creationTimestamp")
	}
	if spec, ok := tree["spec"].(map[string]any); ok && c.PreserveUnknownFields != nil {
		spec["preserveUnknownFields"] = *c.PreserveUnknownFields
	}
	return yaml.Marshal(tree)
}

// hasRareMeta reports whether metadata other than the name, labels and annotations would be
// printed.
func hasRareMeta(m *metav1.ObjectMeta) bool {
	//lint:ignore SA1019 The library prints the deprecated field, too.
	return m.GenerateName != "" || m.Namespace != "" || m.SelfLink != "" || m.UID != "" ||
		m.ResourceVersion != "" || m.Generation != 0 || m.DeletionTimestamp != nil ||
		m.DeletionGracePeriodSeconds != nil || len(m.OwnerReferences) > 0 ||
		len(m.Finalizers) > 0 || len(m.ManagedFields) > 0
}

// hasRareConversion reports whether a conversion has fields that a marker cannot set, or lacks
// fields that it always sets.
func hasRareConversion(c *apiextensionsv1.CustomResourceConversion) bool {
	if c == nil || c.Webhook == nil {
		return false
	}
	config := c.Webhook.ClientConfig
	return config == nil || config.URL != nil || config.CABundle != nil || config.Service == nil
}

// yamlWriter writes one document. The keys of all mappings are in natural order (see
// [NaturalLess]); for fixed keys, this is the order of the calls.
type yamlWriter struct {
	b []byte
	// dashed is set between "- " and the first key of a mapping, or the first dash of a
	// sequence, on the same line.
	dashed bool
	// exotic is set once the document turns out to need the library.
	exotic bool
	err    error
	// descriptions are the texts of the descriptions of schemas.
	descriptions []Span

	tokens  []jsonToken
	entries []jsonEntry
	// noValidation is used for nodes without a value validation.
	noValidation structural.ValueValidation
}

// key starts a line with a key or a dash and the text that follows it.
func (w *yamlWriter) key(indent int, key string) {
	if w.dashed {
		w.dashed = false
	} else {
		w.b = appendSpaces(w.b, indent)
		w.exotic = w.exotic || indent > maxIndent
	}
	w.b = append(w.b, key...)
}

// anyKey is like key for keys that are not fixed. It returns the column after the key.
func (w *yamlWriter) anyKey(indent int, key string) int {
	w.key(indent, "")
	start := len(w.b)
	out, ok := appendKey(w.b, key)
	w.b = out
	w.exotic = w.exotic || !ok
	return indent + utf8.RuneCount(w.b[start:])
}

// item starts a sequence element that is a mapping or a sequence. If nothing is written
// before endItem, the element is an empty mapping.
func (w *yamlWriter) item(indent int) {
	w.key(indent, "- ")
	w.dashed = true
}

func (w *yamlWriter) endItem() {
	if w.dashed {
		w.dashed = false
		w.b = append(w.b, "{}\n"...)
	}
}

// mapping starts a mapping with the line of its key. Its result is passed to endMapping,
// which writes an empty mapping as {} on that line.
func (w *yamlWriter) mapping(indent int, key string) int {
	w.key(indent, key)
	return len(w.b)
}

func (w *yamlWriter) endMapping(start int) {
	if len(w.b) == start {
		w.b = append(w.b[:start-1], " {}\n"...)
	}
}

// scalar writes s at column col and ends the line. Continuation lines are indented by
// indent.
func (w *yamlWriter) scalar(s string, col, indent int) {
	out, ok := appendScalar(w.b, s, col, indent)
	w.b = out
	w.exotic = w.exotic || !ok
}

func (w *yamlWriter) text(indent int, key, s string) {
	w.key(indent, key)
	w.scalar(s, indent+len(key), indent+2)
}

func (w *yamlWriter) optionalText(indent int, key, s string) {
	if s != "" {
		w.text(indent, key, s)
	}
}

// texts writes a sequence of strings, which is not indented under its key. It omits an
// empty list.
func (w *yamlWriter) texts(indent int, key string, list []string) {
	if len(list) == 0 {
		return
	}
	w.key(indent, key)
	for _, s := range list {
		w.text(indent, "- ", s)
	}
}

func (w *yamlWriter) boolean(indent int, key string, b bool) {
	w.key(indent, key)
	w.b = strconv.AppendBool(w.b, b)
	w.b = append(w.b, '\n')
}

func (w *yamlWriter) optionalTrue(indent int, key string, b bool) {
	if b {
		w.boolean(indent, key, b)
	}
}

func (w *yamlWriter) integer(indent int, key string, n *int64) {
	if n != nil {
		w.key(indent, key)
		w.b = strconv.AppendInt(w.b, *n, 10)
		w.b = append(w.b, '\n')
	}
}

func (w *yamlWriter) number(indent int, key string, f *float64) {
	if f != nil {
		w.key(indent, key)
		out, ok := appendFloat(w.b, *f)
		w.b = append(out, '\n')
		w.exotic = w.exotic || !ok
	}
}

// stringMap writes labels or annotations. It omits an empty map.
func (w *yamlWriter) stringMap(indent int, key string, m map[string]string) {
	if len(m) == 0 {
		return
	}
	w.key(indent, key)
	names := slices.Collect(maps.Keys(m))
	// The natural order has cycles ("12a" < "13" < "123" < "12a"), so the result would
	// otherwise depend on the iteration order of the map.
	slices.Sort(names)
	slices.SortStableFunc(names, naturalCompare)
	for _, name := range names {
		col := w.anyKey(indent+2, name)
		w.b = append(w.b, ": "...)
		w.scalar(m[name], col+2, indent+4)
	}
}

// crd writes the document without the leading "---".
func (w *yamlWriter) crd(c *crd.Generated) {
	object := c.Object
	w.optionalText(0, "apiVersion: ", object.APIVersion)
	w.optionalText(0, "kind: ", object.Kind)
	start := w.mapping(0, "metadata:\n")
	w.stringMap(2, "annotations:\n", object.Annotations)
	w.stringMap(2, "labels:\n", object.Labels)
	w.optionalText(2, "name: ", object.Name)
	w.endMapping(start)

	w.key(0, "spec:\n")
	w.conversion(object.Spec.Conversion)
	w.text(2, "group: ", object.Spec.Group)
	w.names(&object.Spec.Names)
	if c.PreserveUnknownFields != nil {
		w.boolean(2, "preserveUnknownFields: ", *c.PreserveUnknownFields)
	} else {
		w.optionalTrue(2, "preserveUnknownFields: ", object.Spec.PreserveUnknownFields)
	}
	w.text(2, "scope: ", string(object.Spec.Scope))
	switch {
	case object.Spec.Versions == nil:
		w.key(2, "versions: null\n")
	case len(object.Spec.Versions) == 0:
		w.key(2, "versions: []\n")
	default:
		w.key(2, "versions:\n")
	}
	for i := range object.Spec.Versions {
		w.item(2)
		w.version(4, &object.Spec.Versions[i], c.Schema(i))
	}
}

func (w *yamlWriter) conversion(c *apiextensionsv1.CustomResourceConversion) {
	if c == nil {
		return
	}
	w.key(2, "conversion:\n")
	w.text(4, "strategy: ", string(c.Strategy))
	if c.Webhook == nil {
		return
	}
	service := c.Webhook.ClientConfig.Service
	w.key(4, "webhook:\n")
	w.key(6, "clientConfig:\n")
	w.key(8, "service:\n")
	w.text(10, "name: ", service.Name)
	w.text(10, "namespace: ", service.Namespace)
	if service.Path != nil {
		w.text(10, "path: ", *service.Path)
	}
	if service.Port != nil {
		port := int64(*service.Port)
		w.integer(10, "port: ", &port)
	}
	if len(c.Webhook.ConversionReviewVersions) == 0 {
		w.key(6, "conversionReviewVersions: null\n")
		return
	}
	w.texts(6, "conversionReviewVersions:\n", c.Webhook.ConversionReviewVersions)
}

func (w *yamlWriter) names(n *apiextensionsv1.CustomResourceDefinitionNames) {
	w.key(2, "names:\n")
	w.texts(4, "categories:\n", n.Categories)
	w.text(4, "kind: ", n.Kind)
	w.optionalText(4, "listKind: ", n.ListKind)
	w.text(4, "plural: ", n.Plural)
	w.texts(4, "shortNames:\n", n.ShortNames)
	w.optionalText(4, "singular: ", n.Singular)
}

func (w *yamlWriter) version(indent int, v *apiextensionsv1.CustomResourceDefinitionVersion, schema *structural.Schema) {
	if len(v.AdditionalPrinterColumns) > 0 {
		w.key(indent, "additionalPrinterColumns:\n")
	}
	for i := range v.AdditionalPrinterColumns {
		c := &v.AdditionalPrinterColumns[i]
		w.item(indent)
		w.optionalText(indent+2, "description: ", c.Description)
		w.optionalText(indent+2, "format: ", c.Format)
		w.text(indent+2, "jsonPath: ", c.JSONPath)
		w.text(indent+2, "name: ", c.Name)
		if priority := int64(c.Priority); priority != 0 {
			w.integer(indent+2, "priority: ", &priority)
		}
		w.text(indent+2, "type: ", c.Type)
	}
	w.optionalTrue(indent, "deprecated: ", v.Deprecated)
	if v.DeprecationWarning != nil {
		w.text(indent, "deprecationWarning: ", *v.DeprecationWarning)
	}
	w.text(indent, "name: ", v.Name)
	if schema != nil {
		w.key(indent, "schema:\n")
		start := w.mapping(indent+2, "openAPIV3Schema:\n")
		w.schema(indent+4, schema)
		w.endMapping(start)
	}
	if len(v.SelectableFields) > 0 {
		w.key(indent, "selectableFields:\n")
	}
	for _, f := range v.SelectableFields {
		w.item(indent)
		w.text(indent+2, "jsonPath: ", f.JSONPath)
	}
	w.boolean(indent, "served: ", v.Served)
	w.boolean(indent, "storage: ", v.Storage)
	if v.Subresources != nil {
		w.subresources(indent, v.Subresources)
	}
}

func (w *yamlWriter) subresources(indent int, s *apiextensionsv1.CustomResourceSubresources) {
	start := w.mapping(indent, "subresources:\n")
	if s.Scale != nil {
		w.key(indent+2, "scale:\n")
		if s.Scale.LabelSelectorPath != nil {
			w.text(indent+4, "labelSelectorPath: ", *s.Scale.LabelSelectorPath)
		}
		w.text(indent+4, "specReplicasPath: ", s.Scale.SpecReplicasPath)
		w.text(indent+4, "statusReplicasPath: ", s.Scale.StatusReplicasPath)
	}
	if s.Status != nil {
		w.key(indent+2, "status: {}\n")
	}
	w.endMapping(start)
}
