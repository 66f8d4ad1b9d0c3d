package schemapath

import "testing"

// TestShort shortens paths of schemas.
func TestShort(t *testing.T) {
	const schema = "spec.versions[0].schema.openAPIV3Schema"
	for path, want := range map[string]string{
		schema + ".properties[spec].properties[items].items.properties[name].maxLength": "spec.items[].name maxLength",
		schema + ".properties[a.b].additionalProperties.properties[c]":                  "a.b{}.c",
		schema + ".properties[spec].allOf[0].properties[a]":                             "spec allOf[0].properties[a]",
		schema + ".properties[spec].x-kubernetes-validations[1].rule":                   "spec x-kubernetes-validations[1].rule",
		"spec.validation.openAPIV3Schema.properties[a].items.items":                     "a[][]",
		schema + ".type":              "type",
		schema:                        "the root of the schema",
		schema + ".properties[open":   "open",
		"spec.names.plural":           "spec.names.plural",
		"metadata.annotations[a.b/c]": "metadata.annotations[a.b/c]",
		"":                            "",
	} {
		if got := Short(path); got != want {
			t.Errorf("%s: got %q, want %q", path, got, want)
		}
	}
}
