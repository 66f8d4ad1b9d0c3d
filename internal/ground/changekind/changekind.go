// Package changekind names the kinds of changes of definitions. The constants have no type, so that
// they are values of compare.Kind for the packages that share them; other programs use the text.
package changekind

// The kinds of changes of a definition as a whole.
const (
	DefinitionAdded   = "definition-added"
	DefinitionRemoved = "definition-removed"
	// Rejected is a rejection of the update by the server.
	Rejected             = "definition-rejected"
	ScopeChanged         = "scope-changed"
	KindChanged          = "kind-changed"
	NamesChanged         = "names-changed"
	NameAdded            = "name-added"
	NameRemoved          = "name-removed"
	ConversionChanged    = "conversion-changed"
	ConversionLossy      = "conversion-lossy"
	PruningChanged       = "pruning-changed"
	VersionAdded         = "version-added"
	VersionRemoved       = "version-removed"
	VersionServed        = "version-served"
	VersionUnserved      = "version-unserved"
	VersionDeprecated    = "version-deprecated"
	StorageChanged       = "storage-changed"
	StatusAdded          = "status-subresource-added"
	StatusRemoved        = "status-subresource-removed"
	ScaleAdded           = "scale-subresource-added"
	ScaleRemoved         = "scale-subresource-removed"
	ScaleChanged         = "scale-subresource-changed"
	ColumnsChanged       = "columns-changed"
	SelectableAdded      = "selectable-field-added"
	SelectableRemoved    = "selectable-field-removed"
	DocumentationChanged = "documentation-changed"
	NotUnderstood        = "not-understood"
)

// The kinds of changes of a schema. The kinds of bounds are named after the keyword with
// the suffix added, removed, raised or lowered, and those of other value validations with
// added, removed or changed. compare.Kinds lists them.
const (
	FieldAdded          = "field-added"
	FieldRemoved        = "field-removed"
	StructureChanged    = "structure-changed"
	TypeChanged         = "type-changed"
	TypeWidened         = "type-widened"
	TypeNarrowed        = "type-narrowed"
	NullableAdded       = "nullable-added"
	NullableRemoved     = "nullable-removed"
	DefaultAdded        = "default-added"
	DefaultChanged      = "default-changed"
	DefaultRemoved      = "default-removed"
	RequiredAdded       = "required-added"
	RequiredRemoved     = "required-removed"
	EnumAdded           = "enum-added"
	EnumRemoved         = "enum-removed"
	EnumValueAdded      = "enum-value-added"
	EnumValueRemoved    = "enum-value-removed"
	UnknownKept         = "preserve-unknown-fields-added"
	UnknownPruned       = "preserve-unknown-fields-removed"
	EmbeddedAdded       = "embedded-resource-added"
	EmbeddedRemoved     = "embedded-resource-removed"
	ListTypeChanged     = "list-type-changed"
	ListKeysChanged     = "list-map-keys-changed"
	MapTypeChanged      = "map-type-changed"
	RuleAdded           = "rule-added"
	RuleRemoved         = "rule-removed"
	RuleMessageChanged  = "rule-message-changed"
	UnionAdded          = "union-added"
	UnionRemoved        = "union-removed"
	UnionValueAdded     = "union-value-added"
	UnionValueRemoved   = "union-value-removed"
	UnionMemberAdded    = "union-member-added"
	UnionMemberRemoved  = "union-member-removed"
	UnionMemberOptional = "union-member-became-optional"
	UnionMemberRequired = "union-member-became-required"
	UnionMemberMoved    = "union-member-moved"
	UnionFormChanged    = "union-form-changed"
)

// Names returns all of them, in the order above.
func Names() []string {
	return []string{
		DefinitionAdded, DefinitionRemoved, Rejected, ScopeChanged, KindChanged, NamesChanged, NameAdded,
		NameRemoved, ConversionChanged, ConversionLossy, PruningChanged, VersionAdded, VersionRemoved,
		VersionServed, VersionUnserved, VersionDeprecated, StorageChanged, StatusAdded, StatusRemoved,
		ScaleAdded, ScaleRemoved, ScaleChanged, ColumnsChanged, SelectableAdded, SelectableRemoved,
		DocumentationChanged, NotUnderstood, FieldAdded, FieldRemoved, StructureChanged, TypeChanged,
		TypeWidened, TypeNarrowed, NullableAdded, NullableRemoved, DefaultAdded, DefaultChanged,
		DefaultRemoved, RequiredAdded, RequiredRemoved, EnumAdded, EnumRemoved, EnumValueAdded,
		EnumValueRemoved, UnknownKept, UnknownPruned, EmbeddedAdded, EmbeddedRemoved, ListTypeChanged,
		ListKeysChanged, MapTypeChanged, RuleAdded, RuleRemoved, RuleMessageChanged, UnionAdded,
		UnionRemoved, UnionValueAdded, UnionValueRemoved, UnionMemberAdded, UnionMemberRemoved,
		UnionMemberOptional, UnionMemberRequired, UnionMemberMoved, UnionFormChanged,
	}
}
