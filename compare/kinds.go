package compare

import (
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/schemas/keywords"
)

// Kind names a kind of change. The names are stable, because comments that allow changes
// use them.
type Kind string

// The kinds of changes of a definition as a whole.
const (
	DefinitionAdded   Kind = "definition-added"
	DefinitionRemoved Kind = "definition-removed"
	// Rejected is a rejection of the update by the server.
	Rejected             Kind = "definition-rejected"
	ScopeChanged         Kind = "scope-changed"
	KindChanged          Kind = "kind-changed"
	NamesChanged         Kind = "names-changed"
	NameAdded            Kind = "name-added"
	NameRemoved          Kind = "name-removed"
	ConversionChanged    Kind = "conversion-changed"
	ConversionLossy      Kind = "conversion-lossy"
	PruningChanged       Kind = "pruning-changed"
	VersionAdded         Kind = "version-added"
	VersionRemoved       Kind = "version-removed"
	VersionServed        Kind = "version-served"
	VersionUnserved      Kind = "version-unserved"
	VersionDeprecated    Kind = "version-deprecated"
	StorageChanged       Kind = "storage-changed"
	StatusAdded          Kind = "status-subresource-added"
	StatusRemoved        Kind = "status-subresource-removed"
	ScaleAdded           Kind = "scale-subresource-added"
	ScaleRemoved         Kind = "scale-subresource-removed"
	ScaleChanged         Kind = "scale-subresource-changed"
	ColumnsChanged       Kind = "columns-changed"
	SelectableAdded      Kind = "selectable-field-added"
	SelectableRemoved    Kind = "selectable-field-removed"
	DocumentationChanged Kind = "documentation-changed"
	NotUnderstood        Kind = "not-understood"
)

// The kinds of changes of a schema. The kinds of bounds are named after the keyword with
// the suffix added, removed, raised or lowered, and those of other value validations with
// added, removed or changed. [Kinds] lists them.
const (
	FieldAdded          Kind = "field-added"
	FieldRemoved        Kind = "field-removed"
	StructureChanged    Kind = "structure-changed"
	TypeChanged         Kind = "type-changed"
	TypeWidened         Kind = "type-widened"
	TypeNarrowed        Kind = "type-narrowed"
	NullableAdded       Kind = "nullable-added"
	NullableRemoved     Kind = "nullable-removed"
	DefaultAdded        Kind = "default-added"
	DefaultChanged      Kind = "default-changed"
	DefaultRemoved      Kind = "default-removed"
	RequiredAdded       Kind = "required-added"
	RequiredRemoved     Kind = "required-removed"
	EnumAdded           Kind = "enum-added"
	EnumRemoved         Kind = "enum-removed"
	EnumValueAdded      Kind = "enum-value-added"
	EnumValueRemoved    Kind = "enum-value-removed"
	UnknownKept         Kind = "preserve-unknown-fields-added"
	UnknownPruned       Kind = "preserve-unknown-fields-removed"
	EmbeddedAdded       Kind = "embedded-resource-added"
	EmbeddedRemoved     Kind = "embedded-resource-removed"
	ListTypeChanged     Kind = "list-type-changed"
	ListKeysChanged     Kind = "list-map-keys-changed"
	MapTypeChanged      Kind = "map-type-changed"
	RuleAdded           Kind = "rule-added"
	RuleRemoved         Kind = "rule-removed"
	RuleMessageChanged  Kind = "rule-message-changed"
	UnionAdded          Kind = "union-added"
	UnionRemoved        Kind = "union-removed"
	UnionValueAdded     Kind = "union-value-added"
	UnionValueRemoved   Kind = "union-value-removed"
	UnionMemberAdded    Kind = "union-member-added"
	UnionMemberRemoved  Kind = "union-member-removed"
	UnionMemberOptional Kind = "union-member-became-optional"
	UnionMemberRequired Kind = "union-member-became-required"
	UnionMemberMoved    Kind = "union-member-moved"
	UnionFormChanged    Kind = "union-form-changed"
)

// Kinds returns all kinds, sorted by name.
func Kinds() []Kind {
	out := []Kind{
		DefinitionAdded, DefinitionRemoved, Rejected, ScopeChanged, KindChanged, NamesChanged, NameAdded, NameRemoved, ConversionChanged, ConversionLossy, PruningChanged,
		VersionAdded, VersionRemoved, VersionServed, VersionUnserved, VersionDeprecated, StorageChanged, StatusAdded, StatusRemoved, ScaleAdded, ScaleRemoved,
		ScaleChanged, ColumnsChanged, SelectableAdded, SelectableRemoved, DocumentationChanged, NotUnderstood,
		FieldAdded, FieldRemoved, StructureChanged, TypeChanged, TypeWidened, TypeNarrowed, NullableAdded, NullableRemoved, DefaultAdded, DefaultChanged, DefaultRemoved,
		RequiredAdded, RequiredRemoved, EnumAdded, EnumRemoved, EnumValueAdded, EnumValueRemoved, UnknownKept, UnknownPruned, EmbeddedAdded, EmbeddedRemoved,
		ListTypeChanged, ListKeysChanged, MapTypeChanged, RuleAdded, RuleRemoved, RuleMessageChanged,
		UnionAdded, UnionRemoved, UnionValueAdded, UnionValueRemoved, UnionMemberAdded, UnionMemberRemoved, UnionMemberOptional, UnionMemberRequired,
		UnionMemberMoved, UnionFormChanged,
	}
	for k := range keywords.Table() {
		if strings.HasPrefix(k.Name, "min") || strings.HasPrefix(k.Name, "max") {
			for _, suffix := range []string{"added", "removed", "raised", "lowered"} {
				out = append(out, Kind(k.Name+"-"+suffix))
			}
		}
	}
	for _, keyword := range []string{"pattern", "format", "multipleOf", "anyOf", "oneOf", "not"} {
		for _, suffix := range []string{"added", "removed", "changed"} {
			out = append(out, Kind(keyword+"-"+suffix))
		}
	}
	out = append(out, "allOf-added", "allOf-removed")
	slices.Sort(out)
	return out
}

// IsName reports whether a word is a [Kind] or the code of a change.
func IsName(word string) bool {
	return slices.Contains(Kinds(), Kind(word)) ||
		slices.ContainsFunc(Codes(), func(kind *diag.Kind) bool { return string(kind.Code) == word })
}
