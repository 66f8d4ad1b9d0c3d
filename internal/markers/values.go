package markers

import "sigs.k8s.io/controller-tools/pkg/markers"

// KnownValues returns the values that an argument of the marker may have, or the usual ones if
// there are others; nil if they are not known. The argument without a name is "".
func (d *Definition) KnownValues(argument string) []string {
	for _, v := range knownValues() {
		if v.marker == d.Name && v.argument == argument {
			return v.values
		}
	}
	if d.Own() || d.Empty() {
		return nil
	}
	if a, ok := d.Fields[argument]; ok && a.Type == markers.BoolType {
		return []string{"true", "false"}
	}
	return nil
}

// values are the values of an argument.
type values struct {
	marker, argument string
	values           []string
}

// knownValues returns the values of arguments that are neither booleans nor free.
func knownValues() []values {
	types := []string{"array", "boolean", "integer", "number", "object", "string"}
	formats := []string{
		"bsonobjectid", "byte", "cidr", "creditcard", "date", "date-time", "double", "duration", "email", "float", "hexcolor", "hostname",
		"int32", "int64", "ipv4", "ipv6", "isbn", "isbn10", "isbn13", "mac", "password", "rgbcolor", "ssn", "uri", "uuid", "uuid3", "uuid4", "uuid5",
	}
	reasons := []string{"FieldValueDuplicate", "FieldValueForbidden", "FieldValueInvalid", "FieldValueRequired"}
	lists, maps := []string{"atomic", "map", "set"}, []string{"atomic", "granular"}
	return []values{
		{EnableName, "", Features()},
		{UnionsName, "", []string{"cel", "none", "oneOf"}},
		{ConversionName, "strategy", []string{"None", "Webhook"}},
		{ResourceName, "scope", []string{"Cluster", "Namespaced"}},
		{PrintColumnName, "type", []string{"boolean", "date", "integer", "number", "string"}},
		{PrintColumnName, "format", []string{"byte", "date", "date-time", "double", "float", "int32", "int64", "password"}},
		{SchemaTypeName, "", types},
		{"kubebuilder:validation:items:Type", "", types},
		{"kubebuilder:validation:Format", "", formats},
		{"kubebuilder:validation:items:Format", "", formats},
		{"kubebuilder:validation:XValidation", "reason", reasons},
		{ConvertPrefix + "to", "as", ConvertCodecs()},
		{ConvertPrefix + "metadata", "", []string{"name", "namespace"}},
		{"kubebuilder:validation:items:XValidation", "reason", reasons},
		{"listType", "", lists}, {TagListTypeName, "", lists},
		{"mapType", "", maps}, {"structType", "", maps},
	}
}

// OnlyKinds reports whether the marker describes only types that are kinds.
func (d *Definition) OnlyKinds() bool {
	_, theirs := d.Output.MethodByName("ApplyToCRD")
	return d.Target == Type && (theirs || d.Name == ConversionName)
}
