package typegen

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/internal/define/plurals"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/structural"
)

// objectMarkers returns the markers of a root type for what a definition has besides schemas.
func (b *builder) objectMarkers(k *kind) []string {
	spec := &k.object.Spec
	version := &k.object.Spec.Versions[k.index]
	out := []string{"kubebuilder:object:root=true"}
	if r := resource(spec); r != "" {
		out = append(out, "kubebuilder:resource:"+r)
	}
	out = append(out, metadataMarkers(k.object)...)
	out = append(out, subresources(version)...)
	for _, c := range version.AdditionalPrinterColumns {
		out = append(out, "kubebuilder:printcolumn:"+column(c))
	}
	for _, f := range version.SelectableFields {
		out = append(out, "kubebuilder:selectablefield:JSONPath="+quoted(f.JSONPath))
	}
	if version.Storage && len(spec.Versions) > 1 {
		out = append(out, markers.StorageVersionName)
	}
	if !version.Served {
		out = append(out, markers.UnservedVersionName)
	}
	if version.Deprecated {
		m := markers.DeprecatedVersionName
		if version.DeprecationWarning != nil {
			m += ":warning=" + quoted(*version.DeprecationWarning)
		}
		out = append(out, m)
	}
	if c := conversion(spec.Conversion); c != "" && version.Storage {
		out = append(out, c)
	}
	return out
}

func resource(spec *apiextensionsv1.CustomResourceDefinitionSpec) string {
	var out []string
	names := &spec.Names
	if names.Plural != plurals.Of(names.Kind) {
		out = append(out, "path="+quotedIfNeeded(names.Plural))
	}
	if names.Singular != "" && names.Singular != strings.ToLower(names.Kind) {
		out = append(out, "singular="+quotedIfNeeded(names.Singular))
	}
	if spec.Scope != apiextensionsv1.NamespaceScoped {
		out = append(out, "scope="+quotedIfNeeded(string(spec.Scope)))
	}
	if len(names.ShortNames) > 0 {
		out = append(out, "shortName="+list(names.ShortNames))
	}
	if len(names.Categories) > 0 {
		out = append(out, "categories="+list(names.Categories))
	}
	return strings.Join(out, ",")
}

func list(texts []string) string {
	var out []string
	for _, text := range texts {
		out = append(out, quotedIfNeeded(text))
	}
	return strings.Join(out, ";")
}

func metadataMarkers(object *apiextensionsv1.CustomResourceDefinition) []string {
	var out []string
	for _, kv := range []struct {
		name   string
		values map[string]string
	}{{"labels", object.Labels}, {"annotations", object.Annotations}} {
		for _, key := range slices.Sorted(maps.Keys(kv.values)) {
			out = append(out, fmt.Sprintf("kubebuilder:metadata:%s=%s", kv.name, quoted(key+"="+kv.values[key])))
		}
	}
	return out
}

func subresources(version *apiextensionsv1.CustomResourceDefinitionVersion) []string {
	var out []string
	sub := version.Subresources
	if sub == nil {
		return nil
	}
	if sub.Status != nil {
		out = append(out, markers.StatusSubresourceName)
	}
	if scale := sub.Scale; scale != nil {
		m := "kubebuilder:subresource:scale:specpath=" + path(scale.SpecReplicasPath) + ",statuspath=" + path(scale.StatusReplicasPath)
		if scale.LabelSelectorPath != nil {
			m += ",selectorpath=" + path(*scale.LabelSelectorPath)
		}
		out = append(out, m)
	}
	return out
}

// path returns a JSON path as the argument of a marker.
func path(text string) string {
	if strings.ContainsFunc(text, func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !strings.ContainsRune("._-[]", r)
	}) {
		return strconv.Quote(text)
	}
	return text
}

func column(c apiextensionsv1.CustomResourceColumnDefinition) string {
	out := []string{"name=" + quoted(c.Name), "type=" + quotedIfNeeded(c.Type), "JSONPath=" + quoted(c.JSONPath)}
	if c.Description != "" {
		out = append(out, "description="+quoted(c.Description))
	}
	if c.Format != "" {
		out = append(out, "format="+quotedIfNeeded(c.Format))
	}
	if c.Priority != 0 {
		out = append(out, "priority="+strconv.Itoa(int(c.Priority)))
	}
	return strings.Join(out, ",")
}

// conversion returns the marker for a conversion. What it cannot say is found by comparing
// the definitions.
func conversion(c *apiextensionsv1.CustomResourceConversion) string {
	if c == nil || c.Strategy == apiextensionsv1.NoneConverter {
		return ""
	}
	out := "schemagen:conversion:strategy=" + quotedIfNeeded(string(c.Strategy))
	if c.Webhook == nil {
		return out
	}
	if config := c.Webhook.ClientConfig; config != nil && config.Service != nil {
		s := config.Service
		out += ",service=" + quoted(s.Namespace+"/"+s.Name)
		switch {
		case s.Path == nil:
			out += `,path=""`
		case *s.Path != "/convert":
			out += ",path=" + quoted(*s.Path)
		}
		if s.Port != nil {
			out += fmt.Sprintf(",port=%d", *s.Port)
		}
	}
	if v := c.Webhook.ConversionReviewVersions; !slices.Equal(v, []string{"v1"}) {
		out += ",reviewVersions=" + list(v)
	}
	return out
}

// rootMarkers returns the markers for the fields that every root type has: apiVersion, kind
// and metadata.
func (b *builder) rootMarkers(schema *structural.Schema) []string {
	var out []string
	location := func(name, marker string) { out = append(out, fmt.Sprintf("schemagen:at(.%s)=+%s", name, marker)) }
	if metadata := schema.Property("metadata"); metadata != nil {
		for _, p := range metadata.Properties { // only name and generateName are generated
			if p.Schema.Description != "" {
				location("metadata."+p.Name, textMarker(p.Schema.Description))
			}
			list := b.keywordMarkers(p.Schema, "type")
			if len(list) == 0 && p.Schema.Description == "" {
				location("metadata", "schemagen:properties={"+p.Name+": {type: string}}")
			}
			for _, m := range list {
				location("metadata."+p.Name, m.text)
			}
		}
	}
	for _, usual := range b.known.root {
		p := schema.Property(usual.Name)
		if p == nil {
			location(usual.Name, markers.OmitName)
			continue
		}
		if schema.Requires(usual.Name) {
			location(usual.Name, "required")
		}
		switch {
		case b.whole(p) == b.whole(usual.Schema):
		case usual.Name == "metadata": // has the markers above
		case b.body(p) == b.body(usual.Schema) && p.Default == nil && !p.Nullable:
			if p.Description == "" {
				location(usual.Name, "schemagen:unset=description")
			} else {
				location(usual.Name, textMarker(p.Description))
			}
		default:
			location(usual.Name, "schemagen:schema="+fragment(p.Props()))
			if p.Description == "" {
				location(usual.Name, "schemagen:unset=description")
			}
		}
	}
	return out
}
