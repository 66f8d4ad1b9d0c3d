package source

import (
	"reflect"
	"strings"
	"unicode"
)

// JSONTag is the json tag of a field. Its readers follow different rules:
//
//   - encoding/json uses the Go name where there is no tag, no name, or none that [IsJSONName],
//     and merges embedded structs without a name into their struct: see [Type.JSONFields].
//   - Schemas, as controller-gen writes them, need the tag. They merge any field without a name, or
//     with the option inline, and take every name.
type JSONTag struct {
	// IsSet is set if the field has the tag, and Text is all of it.
	IsSet bool
	Text  string
	// Name is the text before the first comma, and Options is the text after it.
	Name, Options string
	// Excluded is set for the tag "-", which leaves the field out. The tag "-," names it "-".
	Excluded bool
}

// JSON returns the json tag of the field.
func (f *Field) JSON() JSONTag { return JSONTagOf(f.Tag) }

// JSONTagOf returns the json tag among the tags of a field.
func JSONTagOf(tags reflect.StructTag) JSONTag {
	text, isSet := tags.Lookup("json")
	name, options, _ := strings.Cut(text, ",")
	return JSONTag{IsSet: isSet, Text: text, Name: name, Options: options, Excluded: text == "-"}
}

// Has reports whether the tag has an option.
func (t JSONTag) Has(option string) bool {
	for written := range strings.SplitSeq(t.Options, ",") {
		if written == option {
			return true
		}
	}
	return false
}

// Omits reports whether the tag has an option that omits some values.
func (t JSONTag) Omits() bool { return t.Has("omitempty") || t.Has("omitzero") }

// IsJSONName reports whether encoding/json takes a name in a json tag as the name of the field.
func IsJSONName(name string) bool {
	for _, r := range name {
		if !strings.ContainsRune("!#$%&()*+-./:;<=>?@[]^_{|}~ ", r) && !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return false
		}
	}
	return name != ""
}
