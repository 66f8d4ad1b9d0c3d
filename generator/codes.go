package generator

import "github.com/schemagen/schemagen/diag"

// The codes of this package, by subject: 1xx loading, 2xx types, 3xx markers,
// 4xx definitions.
const (
	codeListing        diag.Code = "SG101"
	codeSyntax         diag.Code = "SG102"
	codeImport         diag.Code = "SG103"
	codeNoPackages     diag.Code = "SG104"
	codeUnreadable     diag.Code = "SG105"
	codeUnknownType    diag.Code = "SG201"
	codeUnsupported    diag.Code = "SG202"
	codeFloat          diag.Code = "SG203"
	codeMapKey         diag.Code = "SG204"
	codeNoTag          diag.Code = "SG205"
	codeGeneric        diag.Code = "SG207"
	codeConflict       diag.Code = "SG208"
	codeRecursive      diag.Code = "SG209"
	codeDuplicate      diag.Code = "SG210"
	codeTextType       diag.Code = "SG212"
	codeOneOf          diag.Code = "SG213"
	codeTwice          diag.Code = "SG214"
	codeDuration       diag.Code = "SG215"
	codeQuoted         diag.Code = "SG206"
	codeConstant       diag.Code = "SG211"
	codeLeftOut        diag.Code = "SG216"
	codeUnsigned       diag.Code = "SG217"
	codeArguments      diag.Code = "SG301"
	codeApply          diag.Code = "SG302"
	codeUnknownMarker  diag.Code = "SG303"
	codeWrongTarget    diag.Code = "SG304"
	codeOverridden     diag.Code = "SG305"
	codeMalformed      diag.Code = "SG306"
	codeFloating       diag.Code = "SG307"
	codeNeedsFeature   diag.Code = "SG308"
	codeWithoutMeaning diag.Code = "SG309"
	codeUnused         diag.Code = "SG310"
	codeUnion          diag.Code = "SG311"
	codeUnionsOff      diag.Code = "SG312"
	codeUnionName      diag.Code = "SG313"
	codeUnionOptional  diag.Code = "SG314"
	codeUnionRules     diag.Code = "SG315"
	codeUnionCost      diag.Code = "SG316"
	codeUnionVersions  diag.Code = "SG317"
	codeUnionFunctions diag.Code = "SG318"
	codeNoGroup        diag.Code = "SG401"
	codeNoStorage      diag.Code = "SG402"
	codeManyStorage    diag.Code = "SG403"
	codeNoServed       diag.Code = "SG404"
	codeNoKinds        diag.Code = "SG405"
	codeSameFile       diag.Code = "SG406"
	codeNoSuchKind     diag.Code = "SG408"
	codeSameVersion    diag.Code = "SG407"
	codeConversions    diag.Code = "SG409"
	codeManifest       diag.Code = "SG410"
)

// Codes documents every code that this package reports.
func Codes() []diag.CodeInfo {
	return []diag.CodeInfo{
		{Code: codeListing, Severity: diag.Error, Title: "a package cannot be listed",
			Explanation: "The go command could not tell which files a package has: the directory is missing, has no Go files for this platform, or its module cannot be found."},
		{Code: codeSyntax, Severity: diag.Error, Title: "a Go file has a syntax error",
			Explanation: "Only the first error of each file is reported; what follows is usually its echo."},
		{Code: codeImport, Severity: diag.Error, Title: "an import that a field needs cannot be resolved",
			Explanation: "The type of a field comes from a package that could not be found. Imports that no reached type needs are not looked at."},
		{Code: codeNoPackages, Severity: diag.Error, Title: "a pattern matches no package",
			Explanation: "Patterns are those of the go command: ./..., a directory, or an import path."},
		{Code: codeUnreadable, Severity: diag.Error, Title: "a Go file cannot be read",
			Explanation: "The listing names a file that cannot be opened or read."},
		{Code: codeUnknownType, Severity: diag.Error, Title: "a type is not declared",
			Explanation: "Neither the package, nor its dot imports, nor the language declares the name. A package marked +kubebuilder:skip has no types."},
		{Code: codeUnsupported, Severity: diag.Error, Title: "a Go type has no schema",
			Explanation: "Interfaces, channels, functions, complex numbers and unsafe pointers cannot be described by a schema. For arbitrary JSON use apiextensionsv1.JSON, for an embedded object runtime.RawExtension."},
		{Code: codeFloat, Severity: diag.Error, Title: "a floating-point field",
			Explanation: "Floats lose precision between languages, so the Kubernetes API conventions forbid them. Use resource.Quantity or a string, or allow them with --allow-dangerous-types (crd:allowDangerousTypes=true)."},
		{Code: codeMapKey, Severity: diag.Error, Title: "a map key that is not a string",
			Explanation: "JSON objects have string keys: a map's key must be a string type or implement encoding.TextMarshaler."},
		{Code: codeNoTag, Severity: diag.Error, Title: "a field without a json tag",
			Explanation: "A field of an API type says its name in JSON: `json:\"name\"`, or `json:\"-\"` if it is not part of the API."},
		{Code: codeGeneric, Severity: diag.Error, Title: "a generic type that is no type",
			Explanation: "A generic type is used without type arguments, with the wrong number of them, or contains itself with ever more of them."},
		{Code: codeConflict, Severity: diag.Error, Title: "two types for one value",
			Explanation: "A field and its type, or two embedded structs, give one value different schema types."},
		{Code: codeRecursive, Severity: diag.Error, Title: "a type that contains itself",
			Explanation: "A CRD schema cannot refer to itself, and a schema without a type is refused by the API server. Bound the type with +schemagen:recursion:depth=3, which unrolls it that often and keeps what is below; or mark the field +kubebuilder:pruning:PreserveUnknownFields and +kubebuilder:validation:Schemaless, or use apiextensionsv1.JSON."},
		{Code: codeDuplicate, Severity: diag.Warning, Title: "two fields with one JSON name",
			Explanation: "The last one wins in the schema; encoding/json ignores both or takes the outer one."},
		{Code: codeTextType, Severity: diag.Error, Title: "a text marshaler whose schema is not a string",
			Explanation: "A type with a MarshalText method is a string in JSON; its markers may not give it another type."},
		{Code: codeOneOf, Severity: diag.Error, Title: "a one-of marker that cannot hold",
			Explanation: "Fields named in ExactlyOneOf, AtMostOneOf or AtLeastOneOf must be optional fields of the struct itself."},
		{Code: codeTwice, Severity: diag.Error, Title: "a type is declared twice",
			Explanation: "Two files of a package declare the same type; no compiler takes that."},
		{Code: codeDuration, Severity: diag.Warning, Title: "a field of type time.Duration",
			Explanation: "It is an integer of nanoseconds in JSON, and in the schema. metav1.Duration is written as \"1h30m\", as users of Kubernetes expect; to change the type of a field that is in use changes the API."},
		{Code: codeQuoted, Severity: diag.Warning, Title: "a field with the json option \"string\"",
			Explanation: "encoding/json writes numbers and booleans with that option as strings, and the schema says a number or a boolean: the API server refuses what the Go type writes. +schemagen:enable=string-option makes the schema a string."},
		{Code: codeConstant, Severity: diag.Error, Title: "a constant of an enum that has no value",
			Explanation: "The values of an enum are the constants of its type. This one cannot be computed from the source."},
		{Code: codeLeftOut, Severity: diag.Warning, Title: "constants that an enum leaves out",
			Explanation: "Without +schemagen:enable=enum, +k8s:enum takes the constants that controller-gen takes: those declared with exactly this type and a string literal. Conversions, concatenations and references to other constants are left out, and their values are refused by the API server."},
		{Code: codeUnsigned, Severity: diag.Warning, Title: "an unsigned integer without a minimum",
			Explanation: "The schema of an unsigned integer is that of a signed one. A negative number is stored, and every Go client fails to decode the object. +schemagen:enable=unsigned bounds all of them."},
		{Code: codeArguments, Severity: diag.Error, Title: "malformed marker arguments",
			Explanation: "The marker is known but its arguments cannot be parsed."},
		{Code: codeApply, Severity: diag.Error, Title: "a marker that does not fit its type",
			Explanation: "For example a maximum on a string, or a list type on a struct."},
		{Code: codeUnknownMarker, Severity: diag.Warning, Title: "an unknown marker",
			Explanation: "No tool defines a marker of this name under kubebuilder:, k8s: or schemagen:, or it is nearly a word that is known. It has no effect. Markers of other tools are left alone."},
		{Code: codeWrongTarget, Severity: diag.Warning, Title: "a marker on something that it does not describe",
			Explanation: "For example a marker of types on a field. It has no effect."},
		{Code: codeOverridden, Severity: diag.Warning, Title: "a marker that another one of its name overrides",
			Explanation: "Only one of them counts: the last one, or for a package the first. Two +kubebuilder:resource markers do not add up: write all arguments into one."},
		{Code: codeMalformed, Severity: diag.Warning, Title: "a marker that is not seen as one",
			Explanation: "A marker is a line comment of its own whose first character is a plus sign, with no blank behind it: not in a block comment, not behind code."},
		{Code: codeFloating, Severity: diag.Warning, Title: "a marker that describes nothing",
			Explanation: "A marker belongs to the doc comment of a type or field, or to the nearest comment above it. Above functions, variables and groups of types, behind the last field, or further up it describes nothing."},
		{Code: codeNeedsFeature, Severity: diag.Warning, Title: "markers that the package did not switch on",
			Explanation: "controller-gen ignores these markers, so that they change nothing unless the package says so, once, beside its package clause: // +schemagen:enable=enum for +enum, // +schemagen:enable=k8s for Kubernetes' declarative-validation tags. Switching them on tightens the schema."},
		{Code: codeWithoutMeaning, Severity: diag.Warning, Title: "a declarative-validation tag that no CRD can say",
			Explanation: "The package switched Kubernetes' declarative-validation tags on, and this one speaks of Go code, of options of an API server, or of tests."},
		{Code: codeUnused, Severity: diag.Warning, Title: "something said about a type that is not reached",
			Explanation: "+schemagen:type and +schemagen:descriptions name a type or a package by its import path; nothing in the schemas of the package's kinds comes from it."},
		{Code: codeUnion, Severity: diag.Error, Title: "a union that cannot be enforced",
			Explanation: "A union has one discriminator, a string with a closed set of values, and for each value at most one member, which is set or not set. docs/language.md has the rules. Where unions are not switched on this is a warning."},
		{Code: codeUnionsOff, Severity: diag.Warning, Title: "unions that the package did not switch on",
			Explanation: "controller-gen ignores the markers of unions, so that they change nothing unless the package says how: // +schemagen:unions=cel beside its package clause, or --unions=cel. Switching them on tightens the schema: objects that are stored with members that their discriminator does not select are refused when the union changes."},
		{Code: codeUnionName, Severity: diag.Warning, Title: "a union member of another name than its value",
			Explanation: "KEP-1027 lets a discriminator's value be the name of the member that it selects; readers expect it to be, but for its case."},
		{Code: codeUnionOptional, Severity: diag.Warning, Title: "an optional union member",
			Explanation: "The discriminator may select an optional member that is not set. A typed client of an older version, which does not know the member, reads the object, drops the member, and writes the object back: the server takes it, and the member is lost without an error. docs/unions.md says when that is safe."},
		{Code: codeUnionRules, Severity: diag.Warning, Title: "hand-written rules of a union",
			Explanation: "Rules beside the markers of a union speak of its discriminator and members, but do not say what the union says: an object that violates it slips through, fails with an error of evaluation instead of the message, or gets a message that is about something else. The generated rules stand beside them; the hand-written ones can go. Hand-written rules that say the same as the union are left in its place."},
		{Code: codeUnionCost, Severity: diag.Warning, Title: "a union that is written in another way than it was asked for",
			Explanation: "CEL rules cannot read a field without a type, nor one of some names; and the API server estimates the cost of every rule, times how often its object may occur, and refuses what is above its limits. Where the rules of a union are, they are written in a cheaper form with poorer messages: one rule for each member, or a oneOf. A required discriminator, or a limit to the lists and maps around it, makes rules cheaper."},
		{Code: codeUnionVersions, Severity: diag.Error, Title: "served versions with different unions",
			Explanation: "Two served versions of a kind have the same union with different values or members. An object that is written through a version that lacks a member is stored without it, while its discriminator still selects it: the server drops the member and warns of nothing. Give the versions the same union, or convert with a webhook: then this is a warning. docs/unions.md says how to add a member."},
		{Code: codeUnionFunctions, Severity: diag.Error, Title: "a union for which no functions can be generated",
			Explanation: "schemagen unions writes Go functions beside the types. A name that it needs is declared already, or Go cannot say what the functions would have to: a struct that cannot be compared with its zero value, a type that the package cannot name."},
		{Code: codeNoGroup, Severity: diag.Error, Title: "a kind without a group",
			Explanation: "A package with kinds says its API group once, beside the package clause: // +groupName=example.com. A CRD without a group is refused by the API server."},
		{Code: codeNoStorage, Severity: diag.Error, Title: "no storage version",
			Explanation: "Of several versions exactly one is stored: mark its root type +kubebuilder:storageversion."},
		{Code: codeManyStorage, Severity: diag.Error, Title: "several storage versions",
			Explanation: "Exactly one version of a kind can be marked +kubebuilder:storageversion; the API server refuses more."},
		{Code: codeNoServed, Severity: diag.Error, Title: "no served version",
			Explanation: "Every version is marked +kubebuilder:unservedversion."},
		{Code: codeNoKinds, Severity: diag.Warning, Title: "no kind found",
			Explanation: "A kind is a struct that embeds metav1.TypeMeta and metav1.ObjectMeta."},
		{Code: codeSameFile, Severity: diag.Error, Title: "two definitions for one file",
			Explanation: "Two kinds of one group have the same plural name; give one of them +kubebuilder:resource:path=…."},
		{Code: codeSameVersion, Severity: diag.Error, Title: "two packages for one version",
			Explanation: "Two packages have the same group and version and both declare the kind; a CRD has each version once."},
		{Code: codeConversions, Severity: diag.Error, Title: "versions that say different things of their conversion",
			Explanation: "A CRD has one conversion for all of its versions. +schemagen:conversion may stand at several of them, or beside the package clauses, where a type's own counts more; but then they have to say the same."},
		{Code: codeNoSuchKind, Severity: diag.Error, Title: "a selected kind or group that is not there",
			Explanation: "--kinds and --groups name kinds of the packages; a name that stands for none is probably misspelt."},
		{Code: codeManifest, Severity: diag.Error, Title: "a definition whose schemas cannot be replaced",
			Explanation: "schemapatch writes the schemas of Go types into files that hold one CustomResourceDefinition of apiextensions.k8s.io/v1 each, and keeps the rest of them. Of a file with several documents only the first would be kept."},
	}
}
