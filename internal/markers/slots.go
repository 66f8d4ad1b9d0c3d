package markers

import (
	"strings"

	crdmarkers "sigs.k8s.io/controller-tools/pkg/crd/markers"
)

// addsUp is the slot of markers that take effect together.
const addsUp = ""

// slot returns what markers of the name set: of the markers of one declaration with the same
// slot, a conditional one replaces the others. ok is false for a name without a row here.
func slot(name string) (slot string, ok bool) {
	name = strings.TrimPrefix(name, "kubebuilder:")
	if strings.HasPrefix(name, ConvertPrefix) {
		return addsUp, true
	}
	switch name {
	// Several names set the same.
	case "default", "nullable", "example", "title", "externalDocs", "mapType", "structType", "listType",
		"groupName", "versionName", "skip", "skipversion", "storageversion", "unservedversion", "deprecatedversion",
		"resource", "subresource:scale", "subresource:status", "validation:UniqueItems", "validation:items:UniqueItems",
		"validation:ExclusiveMaximum", "validation:ExclusiveMinimum", "validation:MultipleOf", "validation:Schemaless",
		"validation:items:Enum", "validation:items:ExclusiveMaximum", "validation:items:ExclusiveMinimum", "validation:items:Format",
		"validation:items:MaxItems", "validation:items:MaxLength", "validation:items:MaxProperties", "validation:items:Maximum",
		"validation:items:MinItems", "validation:items:MinLength", "validation:items:MinProperties", "validation:items:Minimum",
		"validation:items:MultipleOf", "validation:items:Pattern", "validation:items:Type", "validation:items:XEmbeddedResource",
		"validation:items:XIntOrString", "validation:items:XPreserveUnknownFields", "validation:XIntOrString",
		"k8s:maxBytes", "k8s:opaqueType", "k8s:unique", "k8s:forbidden", "k8s:immutable", "k8s:update", "k8s:monotonic",
		"schemagen:conversion", "schemagen:omit", "schemagen:readOnly", "schemagen:recursion", "schemagen:schema", "schemagen:text", "schemagen:unions",
		"unionDiscriminatedBy":
		return name, true
	case "optional", "required", "k8s:optional", "k8s:required", "validation:Optional", "validation:Required":
		return "presence", true
	case "enum", "k8s:enum", "validation:Enum", FeatureGateEnumName:
		return "enum", true
	case "k8s:format", "validation:Format":
		return "format", true
	case "k8s:listType":
		return "listType", true
	case "k8s:maxItems", "validation:MaxItems", FeatureGateMaxItemsName:
		return "maxItems", true
	case "k8s:maxLength", "validation:MaxLength":
		return "maxLength", true
	case "k8s:maxProperties", "validation:MaxProperties":
		return "maxProperties", true
	case "k8s:maximum", "maximum", "validation:Maximum":
		return "maximum", true
	case "k8s:minItems", "validation:MinItems":
		return "minItems", true
	case "k8s:minLength", "validation:MinLength":
		return "minLength", true
	case "k8s:minProperties", "validation:MinProperties":
		return "minProperties", true
	case "k8s:minimum", "minimum", "validation:Minimum":
		return "minimum", true
	case "pattern", "validation:Pattern":
		return "pattern", true
	case "type", "validation:Type":
		return "type", true
	case "pruning:PreserveUnknownFields", "validation:XPreserveUnknownFields":
		return "preserveUnknownFields", true
	case "validation:EmbeddedResource", "validation:XEmbeddedResource":
		return "embeddedResource", true
	case "discriminator", "unionDiscriminator", "k8s:unionDiscriminator":
		return "unionDiscriminator", true
	case "union", "unionMember", "k8s:unionMember":
		return "unionMember", true

	// These have a slot for each argument: see Slots.
	case "printcolumn", "metadata", "schemagen:at", "schemagen:type", "schemagen:descriptions":
		return name, true

	case "validation:XValidation", "validation:items:XValidation", "validation:ExactlyOneOf", "validation:AtMostOneOf",
		"validation:AtLeastOneOf", "selectablefield", "listMapKey", "k8s:listMapKey",
		"additionalProperties", "allOf", "anyOf", "oneOf", "properties",
		"schemagen:additionalProperties", "schemagen:allOf", "schemagen:anyOf", "schemagen:items", "schemagen:not", "schemagen:oneOf",
		"schemagen:properties", "schemagen:unset", "schemagen:enumValues", "schemagen:allow", "schemagen:allowChange",
		"schemagen:enable", "schemagen:when", "schemagen:doc", "schemagen:doc:end", FeatureGateName, FeatureGateXValidationName,
		// Tags that become rules, or that describe parts of a value.
		"k8s:alpha", "k8s:beta", "k8s:customUnique", "k8s:customValidation", "k8s:dependentForbidden", "k8s:dependentRequired",
		"k8s:eachKey", "k8s:eachVal", "k8s:ifDisabled", "k8s:ifEnabled", "k8s:ifMode", "k8s:item", "k8s:modeDiscriminator",
		"k8s:neq", "k8s:subfield", "k8s:validateError", "k8s:validateFalse", "k8s:validateTrue", "k8s:validateTrueAlpha",
		"k8s:validateTrueBeta", "k8s:zeroOrOneOfMember", "k8s:enumExclude":
		return addsUp, true
	}
	return "", false
}

// Slots returns what the marker sets: markers of one declaration that set the same are
// alternatives if one of them is conditional. It returns nothing for a marker that takes
// effect together with others of its name.
func (t *Table) Slots(c Comment, target Target) []string {
	m, err := t.Parse(c, target)
	if m == nil || err != nil {
		return nil // reported elsewhere
	}
	s, _ := slot(m.Name)
	if s == addsUp {
		return nil
	}
	switch value := m.Value.(type) {
	case crdmarkers.PrintColumn:
		return []string{s + ":" + value.Name}
	case crdmarkers.Metadata:
		var slots []string
		for _, annotation := range value.Annotations {
			key, _, _ := strings.Cut(annotation, "=")
			slots = append(slots, s+":annotation:"+key)
		}
		for _, label := range value.Labels {
			key, _, _ := strings.Cut(label, "=")
			slots = append(slots, s+":label:"+key)
		}
		return slots
	case Tag:
		return t.innerSlots(m, s+"("+strings.TrimSpace(value.Argument)+")")
	}
	return []string{s}
}

// Values returns the values of an enum that a marker lists, if it does.
func (t *Table) Values(c Comment, target Target) []any {
	m, err := t.Parse(c, target)
	if m == nil || err != nil {
		return nil // reported elsewhere
	}
	switch value := m.Value.(type) {
	case crdmarkers.Enum:
		return value
	case EnumValues:
		return value
	}
	return nil
}

// innerSlots returns the slots of the marker after the equals sign of a tag.
func (t *Table) innerSlots(m *Marker, outer string) (slots []string) {
	inner, ok := m.Inner()
	if !ok {
		return []string{outer}
	}
	for _, target := range []Target{Field, Type} {
		if t.Lookup(inner.Text, target) != nil {
			for _, s := range t.Slots(inner, target) {
				slots = append(slots, outer+s)
			}
			return slots
		}
	}
	return nil
}
