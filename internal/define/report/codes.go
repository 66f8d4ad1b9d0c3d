package report

import "github.com/schemagen/schemagen/diag"

// The kinds of diagnostics of this package, in the order of their codes: 1xx loading, 2xx
// types, 3xx markers, 4xx definitions.
var (
	packageNotListed = &diag.Kind{
		Code: "SG101", Title: "a package cannot be listed",
		Explanation: "The go command could not tell which files a package has: the directory is missing, has no Go files for this platform, or its module cannot be found.",
		Bad: `
$ schemagen crd .
-- api/types.go --
Name string ´json:"name"´`,
		Good: "$ schemagen crd ./api",
	}
	syntaxError = &diag.Kind{
		Code: "SG102", Title: "a Go file has a syntax error",
		Explanation: "Only the first error of each file is reported, because the others usually follow from it.",
		Bad: `
-- v1/doc.go --
// +groupName=example.com
package v1
-- v1/types.go --
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Name string json:"name"
}`,
		Good: `
-- v1/types.go --
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Name string ´json:"name"´
}`,
	}
	ImportNotFound = &diag.Kind{
		Code: "SG103", Title: "an import that cannot be resolved",
		Explanation: "The type of a field comes from a package that cannot be found. It is reported once, with some of the other positions that need the package. Imports that no field needs are not resolved. It is a warning if generated Go imports the package, because go mod tidy adds its module once the Go is there.",
		Bad: `
package v1

import "example.com/colors"

type Spec struct {
	Color colors.Color ´json:"color"´
}`,
		Good: `
type Spec struct {
	Color string ´json:"color"´
}`,
	}
	patternWithoutPackages = &diag.Kind{
		Code: "SG104", Title: "a pattern matches no package",
		Explanation: "Patterns are those of the go command: ./..., a directory, or an import path. If other patterns match, it is a warning: a nested module that a pattern reaches into may have no packages.",
		Bad: `
$ schemagen crd ./apis/...
-- api/types.go --
Name string ´json:"name"´`,
		Good: "$ schemagen crd ./api/...",
	}
	unreadableFile = &diag.Kind{
		Code: "SG105", Title: "a Go file cannot be read",
		Explanation: "The listing names a file that cannot be opened or read.",
	}
	HeaderNotUsed = &diag.Kind{
		Code: "SG106", Title: "a header file cannot be used",
		Explanation: "The argument headerFile of a generator, or a setting of that name, names a file whose text begins the generated files. Its path is relative to the working directory. In Go files it has to be comments.",
		Bad: `
$ schemagen object:headerFile=header.txt paths=./...
-- header.txt --
Copyright 2026 The Widget Authors
-- api/types.go --
// +kubebuilder:object:generate=true
package api

type WidgetSpec struct {
	Names []string
}`,
		Good: `
-- header.txt --
// Copyright 2026 The Widget Authors`,
	}
	TooLarge = &diag.Kind{
		Code: "SG108", Severity: diag.Warning, Title: "a type is too large to be checked",
		Explanation: "The rules about Go clients (SG270 to SG277) ask the API server's code about every field of a struct with the smallest object that has it, and each answer takes longer the larger the struct is and the deeper it is nested. They are checked for structs of up to 1,000 fields that are nested up to 64 deep, which is many times what real APIs have. All else is checked for types of any size.",
	}
	UnknownType = &diag.Kind{
		Code: "SG201", Title: "a type is not declared",
		Explanation: "Neither the package, nor its dot imports, nor the language declares the name. A package marked +kubebuilder:skip has no types.",
		Bad:         `Since Time ´json:"since"´`,
		Good:        `Since metav1.Time ´json:"since"´`,
	}
	TypeWithoutSchema = &diag.Kind{
		Code: "SG202", Title: "a Go type has no schema",
		Explanation: "Interfaces, channels, functions, complex numbers and unsafe pointers cannot be described by a schema. For arbitrary JSON use apiextensionsv1.JSON, for an embedded object runtime.RawExtension.",
		Bad:         `Value any ´json:"value"´`,
		Good:        `Value apiextensionsv1.JSON ´json:"value"´`,
	}
	FloatField = &diag.Kind{
		Code: "SG203", Title: "a floating-point field",
		Explanation: "Floats lose precision between languages, so the Kubernetes API conventions forbid them. Use resource.Quantity or a string, or allow them with crd.allowDangerousTypes: true in schemagen.yaml (crd:allowDangerousTypes=true).",
		Bad:         `Weight float64 ´json:"weight"´`,
		Good:        `Weight string ´json:"weight"´`,
	}
	MapKeyNotString = &diag.Kind{
		Code: "SG204", Title: "a map key that is not a string",
		Explanation: "JSON objects have string keys: a map's key must be a string type or implement encoding.TextMarshaler. Integers, which encoding/json writes as strings, are possible if markers describe the whole map, such as +kubebuilder:validation:Type=object and +kubebuilder:pruning:PreserveUnknownFields; the API server then stores any entry.",
		Bad:         `Ports map[int]string ´json:"ports"´`,
		Good:        `Ports map[string]string ´json:"ports"´`,
	}
	MissingJSONTag = &diag.Kind{
		Code: "SG205", Fixes: true, Title: "a field without a json tag",
		Explanation: "A field of an API type needs a json tag with its name, `json:\"name\"`, or `json:\"-\"` if it is not part of the API.",
		Bad:         "Name string",
		Good:        `Name string ´json:"name"´`,
	}
	QuotedField = &diag.Kind{
		Code: "SG206", Severity: diag.Warning, Title: "a field with the json option \"string\"",
		Explanation: "encoding/json writes numbers and booleans with that option as strings, but the type in the schema is number or boolean, so the API server rejects what Go writes. +schemagen:enable=string-option makes the schema a string; +kubebuilder:validation:Type=string does so for one field.",
		Bad:         `Replicas int32 ´json:"replicas,string"´`,
		Good:        `Replicas int32 ´json:"replicas"´`,
	}
	MisusedGeneric = &diag.Kind{
		Code: "SG207", Title: "a misused generic type",
		Explanation: "A generic type is used without type arguments or with the wrong number of them, or it instantiates itself endlessly.",
		Bad: `
type Spec struct {
	List List ´json:"list"´
}

type List[T any] struct {
	Items []T ´json:"items"´
}`,
		Good: `
type Spec struct {
	List List[string] ´json:"list"´
}

type List[T any] struct {
	Items []T ´json:"items"´
}`,
	}
	ConflictingTypes = &diag.Kind{
		Code: "SG208", Title: "conflicting types for one value",
		Explanation: "A field and its type, or two embedded structs, give one value different schema types. A field without a name in its json tag, or with the option inline, is merged into its struct, so its type must be an object.",
		Bad: `
type Spec struct {
	// +kubebuilder:validation:Type=integer
	Name Name ´json:"name"´
}

// +kubebuilder:validation:Type=string
type Name string`,
		Good: `
type Spec struct {
	Name Name ´json:"name"´
}

// +kubebuilder:validation:Type=string
type Name string`,
	}
	RecursiveType = &diag.Kind{
		Code: "SG209", Title: "a type that contains itself",
		Explanation: "A CRD schema cannot refer to itself, and the API server rejects a schema without a type. Bound the type with +schemagen:recursion:depth=3, which unrolls it three times and preserves what is below; or mark the field +kubebuilder:pruning:PreserveUnknownFields and +kubebuilder:validation:Schemaless, or use apiextensionsv1.JSON. --skip-verify writes the schema without a type, as controller-gen does, for projects that replace it afterwards.",
		Bad: `
type Spec struct {
	Rules []Rule ´json:"rules"´
}

type Rule struct {
	Any []Rule ´json:"any,omitempty"´
}`,
		Good: `
type Spec struct {
	Rules []Rule ´json:"rules"´
}

// +schemagen:recursion:depth=3
type Rule struct {
	Any []Rule ´json:"any,omitempty"´
}`,
	}
	DuplicateField = &diag.Kind{
		Code: "SG210", Severity: diag.Warning, Title: "two fields with the same JSON name",
		Explanation: "The schema has the last one; encoding/json ignores both or uses the outer one.",
		Bad: `
Name  string ´json:"name"´
Title string ´json:"name"´`,
		Good: `
Name  string ´json:"name"´
Title string ´json:"title"´`,
	}
	ConstantWithoutValue = &diag.Kind{
		Code: "SG211", Title: "an enum constant without a value",
		Explanation: "The values of an enum are the constants of its type. This one cannot be computed from the source.",
		Bad: `
// +schemagen:enable=enum
package v1

type Spec struct {
	Color Color ´json:"color"´
}

// +enum
type Color string

const (
	Red   Color = "Red"
	Green Color = 5
)`,
		Good: `
// +schemagen:enable=enum
package v1

type Spec struct {
	Color Color ´json:"color"´
}

// +enum
type Color string

const (
	Red   Color = "Red"
	Green Color = "Green"
)`,
	}
	TextMarshalerNotString = &diag.Kind{
		Code: "SG212", Title: "a text marshaler whose schema is not a string",
		Explanation: "A type with a MarshalText method is a string in JSON; its markers must not give it another type.",
		Bad: `
type Spec struct {
	Color Color ´json:"color"´
}

// +kubebuilder:validation:Type=integer
type Color struct{ red, green, blue uint8 }

func (c Color) MarshalText() ([]byte, error) { return []byte{c.red, c.green, c.blue}, nil }`,
		Good: `
type Spec struct {
	Color Color ´json:"color"´
}

type Color struct{ red, green, blue uint8 }

func (c Color) MarshalText() ([]byte, error) { return []byte{c.red, c.green, c.blue}, nil }`,
	}
	InvalidOneOf = &diag.Kind{
		Code: "SG213", Fixes: true, Title: "an invalid one-of marker",
		Explanation: "Fields named in ExactlyOneOf, AtMostOneOf or AtLeastOneOf must be optional fields of the struct itself, with names that CEL rules can read. A field with a default is always set, so another one of ExactlyOneOf or AtMostOneOf can never be, and AtLeastOneOf has no effect: that is a warning, because the API server accepts it.",
		Bad: `
// +kubebuilder:validation:ExactlyOneOf=name;id
type Spec struct {
	Name string ´json:"name"´
	ID   string ´json:"id,omitempty"´
}`,
		Good: `
// +kubebuilder:validation:ExactlyOneOf=name;id
type Spec struct {
	Name string ´json:"name,omitempty"´
	ID   string ´json:"id,omitempty"´
}`,
	}
	typeRedeclared = &diag.Kind{
		Code: "SG214", Title: "a type is redeclared",
		Explanation: "Two files of a package declare the same type, so the package does not compile.",
		Bad: `
type Spec struct {
	Color Color ´json:"color"´
}

type Color string

type Color int32`,
		Good: `
type Spec struct {
	Color Color ´json:"color"´
}

type Color string`,
	}
	DurationField = &diag.Kind{
		Code: "SG215", Severity: diag.Warning, Title: "a field of type time.Duration",
		Explanation: "In JSON, and in the schema, it is an integer of nanoseconds. metav1.Duration is written as \"1h30m\", as Kubernetes users expect. Changing the type of a field changes the API, whose stored objects have numbers, and code that uses the field, so --fix does not: change it before the first release, or in a new version. A waiver in schemagen.yaml keeps it.",
		Bad: `
package v1

import "time"

type Spec struct {
	Timeout time.Duration ´json:"timeout"´
}`,
		Good: `Timeout metav1.Duration ´json:"timeout"´`,
	}
	ConstantsOmitted = &diag.Kind{
		Code: "SG216", Severity: diag.Warning, Title: "constants missing from an enum",
		Explanation: "Without +schemagen:enable=enum, +k8s:enum includes the same constants as controller-gen: those declared with exactly this type and a string literal. Conversions, concatenations and references to other constants are left out, and the API server rejects their values.",
		Bad: `
// +schemagen:enable=k8s
package v1

type Spec struct {
	Color Color ´json:"color"´
}

// +k8s:enum
type Color string

const (
	Red   Color = "Red"
	Green       = Color("Green")
)`,
		Good: `
// +schemagen:enable=k8s
package v1

type Spec struct {
	Color Color ´json:"color"´
}

// +k8s:enum
type Color string

const (
	Red   Color = "Red"
	Green Color = "Green"
)`,
	}
	UnsignedWithoutMinimum = &diag.Kind{
		Code: "SG217", Severity: diag.Warning, Fixes: true, Title: "an unsigned integer without a minimum",
		Explanation: "An unsigned integer has the same schema as a signed one: the API server stores negative numbers, and every Go client fails to decode the object. +schemagen:enable=unsigned sets bounds for all unsigned integers.",
		Bad:         `Replicas uint32 ´json:"replicas"´`,
		Good: `
// +kubebuilder:validation:Minimum=0
Replicas uint32 ´json:"replicas"´`,
	}
	MisleadingJSONTag = &diag.Kind{
		Code: "SG218", Severity: diag.Warning, Fixes: true, Title: "a misleading json tag",
		Explanation: "encoding/json ignores unknown options: with omitemtpy, or with a space before omitempty, the field is required. Without the comma, the option becomes the name of the field. Options of other libraries are not reported. A field that is not exported is ignored, whatever its tag. encoding/json does not know inline: it only merges embedded structs without a name, while the schema, like controller-gen's, merges every field with that option or without a name. What Go clients send for such a field, the API server drops or refuses.",
		Bad:         `Name string ´json:"name,omitemtpy"´`,
		Good:        `Name string ´json:"name,omitempty"´`,
	}
	BoundOutsideGoType = &diag.Kind{
		Code: "SG219", Severity: diag.Warning, Title: "a bound outside the range of the Go type",
		Explanation: "The schema allows values that the field's integer type cannot hold, for example 300 in an int8 or -1 in a uint32. The API server stores them, and every Go client fails to decode the object.",
		Bad: `
// +kubebuilder:validation:Maximum=300
Percent int8 ´json:"percent"´`,
		Good: `
// +kubebuilder:validation:Maximum=100
Percent int8 ´json:"percent"´`,
	}
	UnknownPatchStrategy = &diag.Kind{
		Code: "SG220", Severity: diag.Warning, Fixes: true, Title: "an unknown patch strategy or merge key",
		Explanation: "patchStrategy is merge, replace or retainKeys, or a comma-separated list of them. patchMergeKey is the JSON name of a field of the list's elements.",
		Bad:         `Names []string ´json:"names" patchStrategy:"mrge"´`,
		Good:        `Names []string ´json:"names" patchStrategy:"merge"´`,
	}
	SchemaTooLarge = &diag.Kind{
		Code: "SG230", Title: "a schema that is too large",
		Explanation: "A schema has at most 200,000 nodes and 1,000 levels, of which a property is two, and a struct at most 50,000 embedded structs, including those embedded in them. A type is counted wherever it is used: a few types that each have two fields of the next one make millions of nodes. An API server stores objects of at most 1.5 MiB, which is enough for about 70,000 nodes. docs/limits.md lists all limits.",
		Bad: `
type Spec struct {
	Sets Four[Four[Four[Four[Four[Four[Four[Four[Four[string]]]]]]]]] ´json:"sets"´
}

type Four[T any] struct {
	A T ´json:"a"´
	B T ´json:"b"´
	C T ´json:"c"´
	D T ´json:"d"´
}`,
		Good: `
type Spec struct {
	Sets Four[Four[Four[string]]] ´json:"sets"´
}

type Four[T any] struct {
	A T ´json:"a"´
	B T ´json:"b"´
	C T ´json:"c"´
	D T ´json:"d"´
}`,
	}
	ConvertedName = &diag.Kind{
		Code: "SG279", Severity: diag.Warning, Title: "a JSON name that YAML does not read as its text",
		Explanation: "Users write objects in YAML. In YAML 1.1, which kubectl and the API server read, y, yes and on without quotes are true, n, no and off are false, and 0x10 is 16: a user who writes such a name without quotes sets another field, which the API server drops or refuses. SG623 reports such keys in manifests.",
		Bad:         `Y int32 ´json:"y"´`,
		Good:        `Vertical int32 ´json:"vertical"´`,
	}
	LostComment = &diag.Kind{
		Code: "SG280", Severity: diag.Warning, Title: "a comment that an empty line keeps from being a description",
		Explanation: "The description of a type or field is the comment directly above it, or above its markers. A comment with an empty line below it belongs to nothing, and the CRD, kubectl explain and Go's documentation lack it. It is reported if it begins with the name of a type or field that has no other description.",
		Bad: `
// Name is the name of the color.

Name string ´json:"name"´`,
		Good: `
// Name is the name of the color.
Name string ´json:"name"´`,
	}
	MalformedArguments = &diag.Kind{
		Code: "SG301", Fixes: true, Title: "malformed marker arguments",
		Explanation: "The marker is known but its arguments cannot be parsed.",
		Bad: `
// +kubebuilder:validation:Minimum="1"
Replicas int32 ´json:"replicas"´`,
		Good: `
// +kubebuilder:validation:Minimum=1
Replicas int32 ´json:"replicas"´`,
	}
	MarkerDoesNotFit = &diag.Kind{
		Code: "SG302", Title: "a marker that does not fit its type",
		Explanation: "For example a maximum on a string, or a list type on a struct.",
		Bad: `
// +kubebuilder:validation:Maximum=10
Name string ´json:"name"´`,
		Good: `
// +kubebuilder:validation:MaxLength=10
Name string ´json:"name"´`,
	}
	UnknownMarker = &diag.Kind{
		Code: "SG303", Severity: diag.Warning, Fixes: true, Title: "an unknown marker",
		Explanation: "No tool defines a marker of this name under kubebuilder:, k8s: or schemagen:, or the name is similar to that of a known marker. It has no effect. Markers of other tools are not reported. In files that declare no types of a CRD, only misspelled markers of the generators on the command line are reported: a misspelled +kubebuilder:rbac there is a permission missing from the role. Errors that disappear with the marker that was probably meant are listed as its consequences, and make it an error. So is a marker such as +schemagen:gate(X): what depends on a misspelled condition would not depend on any gate.",
		Bad: `
// +kubebuilder:validation:MinLenght=1
Name string ´json:"name"´`,
		Good: `
// +kubebuilder:validation:MinLength=1
Name string ´json:"name"´`,
	}
	WrongTarget = &diag.Kind{
		Code: "SG304", Severity: diag.Warning, Title: "a misplaced marker",
		Explanation: "For example a marker for types on a field. It has no effect.",
		Bad: `
// +kubebuilder:resource:scope=Cluster
Name string ´json:"name"´`,
		Good: `Name string ´json:"name"´`,
	}
	OverriddenMarker = &diag.Kind{
		Code: "SG305", Severity: diag.Warning, Fixes: true, Title: "an overridden marker",
		Explanation: "Of several markers with the same name, only one has an effect: the last one, or for a package the first. Of two +kubebuilder:resource markers, the last one determines scope, short names and categories, even if it does not mention them: write all arguments in one marker.",
		Bad: `
// +kubebuilder:validation:MinLength=1
// +kubebuilder:validation:MinLength=2
Name string ´json:"name"´`,
		Good: `
// +kubebuilder:validation:MinLength=2
Name string ´json:"name"´`,
	}
	MalformedMarker = &diag.Kind{
		Code: "SG306", Severity: diag.Warning, Fixes: true, Title: "an unrecognized marker",
		Explanation: "A marker is a line comment of its own that starts with a plus sign directly followed by its name. Block comments and comments after code are not recognized. If the json tag has the same effect, such as omitempty next to // + optional, nothing is reported.",
		Bad: `
// + kubebuilder:validation:MinLength=1
Name string ´json:"name"´`,
		Good: `
// +kubebuilder:validation:MinLength=1
Name string ´json:"name"´`,
	}
	FloatingMarker = &diag.Kind{
		Code: "SG307", Severity: diag.Warning, Title: "a marker that describes nothing",
		Explanation: "A marker belongs to the doc comment of a type or field, or to the nearest comment above it. Above functions, variables and groups of types, after the last field, or further up, it describes nothing. Markers in code that is commented out are not reported.",
		Bad: `
type Spec struct {
	Name string ´json:"name"´
	// +kubebuilder:validation:MinLength=1
}`,
		Good: `
type Spec struct {
	// +kubebuilder:validation:MinLength=1
	Name string ´json:"name"´
}`,
	}
	FeatureDisabled = &diag.Kind{
		Code: "SG308", Severity: diag.Warning, Title: "markers of a feature that is not enabled",
		Explanation: "controller-gen ignores these markers, so they have no effect unless the package enables them once, above its package clause: // +schemagen:enable=enum for +enum, // +schemagen:enable=k8s for Kubernetes' declarative-validation tags. Enabling them tightens the schema. A tag next to the equivalent Kubebuilder marker, and an +enum type whose values are listed by every field, are not reported.",
		Bad: `
// +k8s:neq="default"
Name string ´json:"name"´`,
		Good: `
// +kubebuilder:validation:XValidation:rule="self != 'default'"
Name string ´json:"name"´`,
	}
	TagWithoutMeaning = &diag.Kind{
		Code: "SG309", Severity: diag.Warning, Title: "a declarative-validation tag without meaning in a CRD",
		Explanation: "The package enables Kubernetes' declarative-validation tags, but this one is about Go code, options of an API server, or tests.",
		Bad: `
// +schemagen:enable=k8s
package v1

type Spec struct {
	// +k8s:customValidation
	Name string ´json:"name"´
}`,
		Good: `
// +schemagen:enable=k8s
package v1

type Spec struct {
	// +k8s:maxLength=63
	Name string ´json:"name"´
}`,
	}
	UnusedOverride = &diag.Kind{
		Code: "SG310", Severity: diag.Warning, Title: "an unused override",
		Explanation: "+schemagen:type and +schemagen:descriptions refer to a type or a package by its import path, but no schema of the package's kinds uses it.",
		Bad: `
// +schemagen:type(corev1.Container)=+schemagen:at(.ports)=+kubebuilder:validation:MaxItems=8
package v1

type Spec struct {
	Container corev1.Container ´json:"container"´
}`,
		Good: `
// +schemagen:type(k8s.io/api/core/v1.Container)=+schemagen:at(.ports)=+kubebuilder:validation:MaxItems=8
package v1

type Spec struct {
	Container corev1.Container ´json:"container"´
}`,
	}
	InvalidUnion = &diag.Kind{
		Code: "SG311", Fixes: true, Title: "a union that cannot be enforced",
		Explanation: "A union has one discriminator, a string with a closed set of values, and at most one member for each value, which is either set or not set. docs/language.md has the rules. If unions are not enabled, this is a warning.",
		Bad: `
// +schemagen:unions=cel
package v1

type Spec struct {
	// +unionDiscriminator
	// +required
	Type Type ´json:"type,omitempty"´

	// +unionMember=A
	// +optional
	A *string ´json:"a,omitempty"´
	// +unionMember=C
	// +optional
	B *string ´json:"b,omitempty"´
}

// +kubebuilder:validation:Enum=A;B
type Type string`,
		Good: `
// +schemagen:unions=cel
package v1

type Spec struct {
	// +unionDiscriminator
	// +required
	Type Type ´json:"type,omitempty"´

	// +unionMember=A
	// +optional
	A *string ´json:"a,omitempty"´
	// +unionMember=B
	// +optional
	B *string ´json:"b,omitempty"´
}

// +kubebuilder:validation:Enum=A;B
type Type string`,
	}
	UnionsDisabled = &diag.Kind{
		Code: "SG312", Severity: diag.Warning, Fixes: true, Title: "unions that are not enabled",
		Explanation: "controller-gen ignores union markers, so they have no effect unless the package specifies how to write unions: // +schemagen:unions=cel above its package clause, or --unions=cel. Enabling unions tightens the schema: stored objects with members that their discriminator does not select are rejected when the union changes. Unions whose members are read by a rule of their struct or required by a junctor are not reported.",
		Bad: `
type Spec struct {
	// +unionDiscriminator
	// +required
	Type Type ´json:"type,omitempty"´

	// +unionMember=A
	// +optional
	A *string ´json:"a,omitempty"´
	// +unionMember=B
	// +optional
	B *string ´json:"b,omitempty"´
}

// +kubebuilder:validation:Enum=A;B
type Type string`,
		Good: `
// +schemagen:unions=cel
package v1

type Spec struct {
	// +unionDiscriminator
	// +required
	Type Type ´json:"type,omitempty"´

	// +unionMember=A
	// +optional
	A *string ´json:"a,omitempty"´
	// +unionMember=B
	// +optional
	B *string ´json:"b,omitempty"´
}

// +kubebuilder:validation:Enum=A;B
type Type string`,
	}
	UnionMemberName = &diag.Kind{
		Code: "SG313", Severity: diag.Warning, Title: "a union member whose name differs from its value",
		Explanation: "In KEP-1027, the value of a discriminator can be the name of the member that it selects, and readers expect that, apart from upper and lower case.",
		Bad: `
// +schemagen:unions=cel
package v1

type Spec struct {
	// +unionDiscriminator
	// +required
	Type Type ´json:"type,omitempty"´

	// +unionMember=A
	// +optional
	A *string ´json:"a,omitempty"´
	// +unionMember=B
	// +optional
	B *string ´json:"other,omitempty"´
}

// +kubebuilder:validation:Enum=A;B
type Type string`,
		Good: `
// +schemagen:unions=cel
package v1

type Spec struct {
	// +unionDiscriminator
	// +required
	Type Type ´json:"type,omitempty"´

	// +unionMember=A
	// +optional
	A *string ´json:"a,omitempty"´
	// +unionMember=B
	// +optional
	B *string ´json:"b,omitempty"´
}

// +kubebuilder:validation:Enum=A;B
type Type string`,
	}
	OptionalUnionMember = &diag.Kind{
		Code: "SG314", Severity: diag.Warning, Title: "an optional union member",
		Explanation: "The discriminator may select an optional member that is not set. A typed client of an older version, which does not know the member, reads the object, drops the member, and writes the object back: the server accepts it, and the member is lost without an error. docs/unions.md explains when that is safe.",
		Bad: `
// +schemagen:unions=cel
package v1

type Spec struct {
	// +unionDiscriminator
	// +required
	Type Type ´json:"type,omitempty"´

	// +unionMember=A
	// +optional
	A *string ´json:"a,omitempty"´
	// +unionMember=B,optional
	// +optional
	B *string ´json:"b,omitempty"´
}

// +kubebuilder:validation:Enum=A;B
type Type string`,
		Good: `
// +schemagen:unions=cel
package v1

type Spec struct {
	// +unionDiscriminator
	// +required
	Type Type ´json:"type,omitempty"´

	// +unionMember=A
	// +optional
	A *string ´json:"a,omitempty"´
	// +unionMember=B
	// +optional
	B *string ´json:"b,omitempty"´
}

// +kubebuilder:validation:Enum=A;B
type Type string`,
	}
	HandWrittenUnionRules = &diag.Kind{
		Code: "SG315", Severity: diag.Warning, Title: "hand-written rules for a union",
		Explanation: "The rules use the discriminator and the members of a union with markers, but are not equivalent to the union: an object that violates it passes, fails with an evaluation error instead of the message, or gets a message about something else. The generated rules are added to them, so the hand-written ones can be removed. Hand-written rules that are equivalent to the union are kept, and nothing is generated.",
		Bad: `
// +schemagen:unions=cel
package v1

// +kubebuilder:validation:XValidation:rule="self.type != 'A' || has(self.a)"
type Spec struct {
	// +unionDiscriminator
	// +required
	Type Type ´json:"type,omitempty"´

	// +unionMember=A
	// +optional
	A *string ´json:"a,omitempty"´
	// +unionMember=B
	// +optional
	B *string ´json:"b,omitempty"´
}

// +kubebuilder:validation:Enum=A;B
type Type string`,
		Good: `
// +schemagen:unions=cel
package v1

type Spec struct {
	// +unionDiscriminator
	// +required
	Type Type ´json:"type,omitempty"´

	// +unionMember=A
	// +optional
	A *string ´json:"a,omitempty"´
	// +unionMember=B
	// +optional
	B *string ´json:"b,omitempty"´
}

// +kubebuilder:validation:Enum=A;B
type Type string`,
	}
	UnionInOtherForm = &diag.Kind{
		Code: "SG316", Severity: diag.Warning, Title: "a union in another form than requested",
		Explanation: "CEL rules cannot read fields without a type or with certain names, and the API server rejects rules whose estimated cost, multiplied by how often their object may occur, exceeds its limits. Such unions are written in a cheaper form with poorer messages: one rule for each member, or a oneOf. A required discriminator, or limits on the lists and maps around the union, make rules cheaper.",
		Bad: `
// +schemagen:unions=cel
package v1

type Spec struct {
	// +unionDiscriminator
	// +kubebuilder:validation:Enum=Text;Value
	// +required
	Type string ´json:"type,omitempty"´

	// +unionMember
	Text *string ´json:"text,omitempty"´
	// +unionMember
	Value *apiextensionsv1.JSON ´json:"value,omitempty"´
}`,
		Good: `
// +schemagen:unions=cel
package v1

type Spec struct {
	// +unionDiscriminator
	// +kubebuilder:validation:Enum=Text;Value
	// +required
	Type string ´json:"type,omitempty"´

	// +unionMember
	Text *string ´json:"text,omitempty"´
	// +unionMember
	Value *string ´json:"value,omitempty"´
}`,
	}
	UnionsDiffer = &diag.Kind{
		Code: "SG317", Title: "served versions with different unions",
		Explanation: "Two served versions of a kind have the same union with different values or members. An object written through a version that lacks a member is stored without it, although its discriminator still selects it: the server drops the member without a warning. Give the versions the same union, or convert with a webhook, which makes this a warning. docs/unions.md explains how to add a member.",
		Bad: `
-- v1/types.go --
// +groupName=example.com
// +schemagen:unions=cel
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	// +unionDiscriminator
	// +kubebuilder:validation:Enum=A
	// +required
	Type string ´json:"type,omitempty"´
	// +unionMember
	A *string ´json:"a,omitempty"´
}
-- v2/types.go --
// +groupName=example.com
// +schemagen:unions=cel
package v2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	// +unionDiscriminator
	// +kubebuilder:validation:Enum=A;B
	// +required
	Type string ´json:"type,omitempty"´
	// +unionMember
	A *string ´json:"a,omitempty"´
	// +unionMember
	B *string ´json:"b,omitempty"´
}`,
		Good: `
-- v1/types.go --
// +groupName=example.com
// +schemagen:unions=cel
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	// +unionDiscriminator
	// +kubebuilder:validation:Enum=A;B
	// +required
	Type string ´json:"type,omitempty"´
	// +unionMember
	A *string ´json:"a,omitempty"´
	// +unionMember
	B *string ´json:"b,omitempty"´
}`,
	}
	NoUnionFunctions = &diag.Kind{
		Code: "SG318", Title: "a union for which no functions can be generated",
		Explanation: "schemagen unions writes Go functions next to the types. A name that they need is already declared, or they cannot be written in Go: a struct cannot be compared with its zero value, or the package cannot name a type.",
		Bad: `
$ schemagen unions ./...
-- v1/types.go --
package v1

type Spec struct {
	// +unionDiscriminator
	// +kubebuilder:validation:Enum=A;B
	// +required
	Type string ´json:"type,omitempty"´
	// +unionMember
	A *string ´json:"a,omitempty"´
	// +unionMember
	B *string ´json:"b,omitempty"´
}

func NormalizeSpecUnions() {}`,
		Good: `
-- v1/types.go --
package v1

type Spec struct {
	// +unionDiscriminator
	// +kubebuilder:validation:Enum=A;B
	// +required
	Type string ´json:"type,omitempty"´
	// +unionMember
	A *string ´json:"a,omitempty"´
	// +unionMember
	B *string ´json:"b,omitempty"´
}

func Normalize() {}`,
	}
	InvalidCondition = &diag.Kind{
		Code: "SG319", Title: "a condition cannot be read, or is in the wrong place",
		Explanation: "+schemagen:when(CONDITION) and +schemagen:doc(CONDITION) take names of gates, &&, ||, ! and parentheses. A condition that is always or never true is a mistake; +schemagen:doc(false) is for text that no CRD has. +schemagen:when without a marker after it belongs to a field, a type, a constant or the package clause, once to each. With the feature gateway, the tags of Gateway API in descriptions are conditions, too, and so are OpenShift's markers with gates with the feature openshift.",
		Bad: `
// +schemagen:when(Burst &&)
Burst *int32 ´json:"burst,omitempty"´
Rate int32 ´json:"rate"´`,
		Good: `
// +schemagen:when(Burst)
Burst *int32 ´json:"burst,omitempty"´
Rate int32 ´json:"rate"´`,
	}
	UnknownGate = &diag.Kind{
		Code: "SG320", Title: "an unknown gate",
		Explanation: "If schemagen.yaml declares gates, conditions and --gates can only name those.",
		Bad: `
$ schemagen crd ./... --gates Autoscael
-- schemagen.yaml --
gates:
  Autoscale: {}
-- api/types.go --
// +schemagen:when(Autoscale)
Burst *int32 ´json:"burst,omitempty"´
Rate int32 ´json:"rate"´`,
		Good: "$ schemagen crd ./... --gates Autoscale",
	}
	UnusedGate = &diag.Kind{
		Code: "SG321", Severity: diag.Warning, Title: "a gate that nothing uses",
		Explanation: "schemagen.yaml declares a gate, or a channel names it, but no condition in the packages does. It is only reported if the run covers every package in schemagen.yaml or, if that names none, all that belong to it.",
		Bad: `
$ schemagen crd
-- schemagen.yaml --
paths: [./...]
gates:
  Autoscale: {}
  Burst: {}
-- api/types.go --
// +schemagen:when(Burst)
Burst *int32 ´json:"burst,omitempty"´
Rate int32 ´json:"rate"´`,
		Good: `
-- schemagen.yaml --
paths: [./...]
gates:
  Burst: {}`,
	}
	NeedlessCondition = &diag.Kind{
		Code: "SG322", Severity: diag.Warning, Fixes: true, Title: "a condition without effect",
		Explanation: "The condition of a marker or a declaration always holds where that declaration and those around it exist, a constant is removed while an Enum keeps its value, a conditional marker adds a value that the Enum has anyway, a rule is the same for all objects because it compares with a value that is removed, or a gate is on in every channel, or in none.",
		Bad: `
// +schemagen:when(Burst)
// +schemagen:when(Burst)=+kubebuilder:validation:Maximum=5
Burst *int32 ´json:"burst,omitempty"´
Rate int32 ´json:"rate"´`,
		Good: `
// +schemagen:when(Burst)
// +kubebuilder:validation:Maximum=5
Burst *int32 ´json:"burst,omitempty"´
Rate int32 ´json:"rate"´`,
	}
	AlternativesDisagree = &diag.Kind{
		Code: "SG323", Title: "two conditional markers that disagree",
		Explanation: "Of the markers that set the same keyword, one whose condition holds replaces those without a condition. If the conditions of two hold, they have to say the same. Declarations that none of the selected kinds has do not matter.",
		Bad: `
$ schemagen crd ./... --gates A,B
-- api/types.go --
// +kubebuilder:validation:MaxItems=3
// +schemagen:when(A)=+kubebuilder:validation:MaxItems=5
// +schemagen:when(B)=+kubebuilder:validation:MaxItems=7
Names []string ´json:"names"´`,
		Good: `
-- api/types.go --
// +kubebuilder:validation:MaxItems=3
// +schemagen:when(A && !B)=+kubebuilder:validation:MaxItems=5
// +schemagen:when(B)=+kubebuilder:validation:MaxItems=7
Names []string ´json:"names"´`,
	}
	ReadsErased = &diag.Kind{
		Code: "SG324", Fixes: true, Title: "a rule that reads a field that a gate removes",
		Explanation: "A field that +schemagen:when removes is not in the schema, and the API server rejects a rule or a message that reads it. Give the rule the condition of the field, or of all the fields that it reads.",
		Bad: `
// +kubebuilder:validation:XValidation:rule="!has(self.burst) || self.burst >= self.rate"
type Spec struct {
	Rate int32 ´json:"rate"´

	// +schemagen:when(Burst)
	Burst *int32 ´json:"burst,omitempty"´
}`,
		Good: `
// +schemagen:when(Burst)=+kubebuilder:validation:XValidation:rule="!has(self.burst) || self.burst >= self.rate"
type Spec struct {
	Rate int32 ´json:"rate"´

	// +schemagen:when(Burst)
	Burst *int32 ´json:"burst,omitempty"´
}`,
	}
	NeedsErased = &diag.Kind{
		Code: "SG325", Fixes: true, Title: "something refers to what a gate removes",
		Explanation: "A declaration that +schemagen:when removes does not exist for the CRDs that are generated. A field whose type is removed has to be removed as well, and so do list keys, defaults, printer columns, selectable fields, scale paths, and the names in fieldPath, +kubebuilder:validation:ExactlyOneOf or +k8s:dependentRequired that refer to a removed field: give their markers the condition of the field. A value of a union has to be removed with its member, and the members with their discriminator.",
		Bad: `
type Spec struct {
	Burst *Burst ´json:"burst,omitempty"´
	Rate int32 ´json:"rate"´
}

// +schemagen:when(Burst)
type Burst struct {
	Size int32 ´json:"size"´
}`,
		Good: `
type Spec struct {
	// +schemagen:when(Burst)
	Burst *Burst ´json:"burst,omitempty"´
	Rate int32 ´json:"rate"´
}

// +schemagen:when(Burst)
type Burst struct {
	Size int32 ´json:"size"´
}`,
	}
	NotConditional = &diag.Kind{
		Code: "SG326", Title: "a marker that cannot be conditional",
		Explanation: "Markers that name the group and version, configure schemagen, or are read by other generators are the same for all gates: +groupName, +versionName, +kubebuilder:skip, +kubebuilder:object, +kubebuilder:rbac, +kubebuilder:webhook, +schemagen:enable, +schemagen:allow, +schemagen:allowChange, +schemagen:convert, +schemagen:doc, +k8s:deepcopy-gen and +genclient. Neither are OpenShift's markers, which have gates of their own, nor those in types of schemagen.yaml: write them above a package clause, behind +schemagen:type.",
		Bad: `
// +schemagen:when(Beta)=+schemagen:allowChange:kind=field-removed,reason="never served"
Name string ´json:"name"´`,
		Good: `
// +schemagen:allowChange:kind=field-removed,reason="never served"
Name string ´json:"name"´`,
	}
	StorageByGates = &diag.Kind{
		Code: "SG327", Fixes: true, Title: "gates leave no storage version, or several",
		Explanation: "For every set of gates, exactly one of the versions of a kind is stored. If a version depends on a gate, +kubebuilder:storageversion of another one depends on the opposite condition. Of a kind with only one version, that is stored.",
		Bad: `
$ schemagen crd ./... --gates New
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}
-- v2/types.go --
// +groupName=example.com
package v2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +schemagen:when(New)
// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
		Good: `
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +schemagen:when(!New)=+kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}
-- v2/types.go --
// +groupName=example.com
package v2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +schemagen:when(New)
// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
	}
	MergeLosesRule = &diag.Kind{
		Code: "SG330", Severity: diag.Note, Title: "a rule of a gate that a merge loses",
		Explanation: "With merge: overlay in schemagen.yaml, the CRDs that are generated for each gate of OpenShift's markers alone are laid over each other, by name, and a list is that of the last gate that has it. A rule of an earlier gate is lost if a later one has rules at the same place. So it is in OpenShift's own CRDs; with merge: once, both rules are there.",
		Bad: `
$ schemagen crd ./... --enable=openshift --gates A,B
-- schemagen.yaml --
merge: overlay
-- api/types.go --
// +openshift:validation:FeatureGateAwareXValidation:featureGate=A,rule="self.size() < 9"
// +openshift:validation:FeatureGateAwareXValidation:featureGate=B,rule="self.size() != 5"
Names []string ´json:"names"´`,
		Good: `
$ schemagen crd ./... --enable=openshift --gates A,B
-- schemagen.yaml --
merge: once
-- api/types.go --
// +openshift:validation:FeatureGateAwareXValidation:featureGate=A,rule="self.size() < 9"
// +openshift:validation:FeatureGateAwareXValidation:featureGate=B,rule="self.size() != 5"
Names []string ´json:"names"´`,
	}
	MetadataLost = &diag.Kind{
		Code: "SG333", Severity: diag.Warning, Title: "nested metadata that is dropped",
		Explanation: "As with controller-gen, the schema of a metav1.ObjectMeta inside an object has no fields, so the API server drops labels, annotations and everything else that users write there, and warns only clients that request field validation. crd.embeddedObjectMeta (controller-gen's crd:generateEmbeddedObjectMeta=true) describes name, namespace, labels, annotations and finalizers; a type of your own can describe what you need. The server itself handles the metadata of the kind, and of a field marked +kubebuilder:validation:EmbeddedResource.",
		Bad:         `Metadata metav1.ObjectMeta ´json:"metadata"´`,
		Good:        `Labels map[string]string ´json:"labels"´`,
	}
	OptionalAndRequired = &diag.Kind{
		Code: "SG339", Severity: diag.Warning, Fixes: true, Title: "a field marked as both optional and required",
		Explanation: "The first of these markers takes precedence: +kubebuilder:validation:Optional, +kubebuilder:validation:Required, +optional, +required.",
		Bad: `
// +optional
// +required
Name string ´json:"name"´`,
		Good: `
// +optional
Name string ´json:"name"´`,
	}
	UnenforceableReadOnly = &diag.Kind{
		Code: "SG340", Title: "a read-only field that the API server cannot enforce",
		Explanation: "+schemagen:readOnly becomes a rule that compares a field with its old value. The API server finds old values of fields, of values of maps, and of items of lists with keys, not of items of other lists, nor of values of atomic maps, and rules cannot read a field without a type. +schemagen:readOnly=status needs a field in .status and the status subresource.",
		Bad: `
type Spec struct {
	Items []Item ´json:"items"´
}

type Item struct {
	Name string ´json:"name"´
	// +schemagen:readOnly
	Size string ´json:"size"´
}`,
		Good: `
type Spec struct {
	// +listType=map
	// +listMapKey=name
	// +kubebuilder:validation:MaxItems=64
	Items []Item ´json:"items"´
}

type Item struct {
	// +kubebuilder:validation:MaxLength=64
	Name string ´json:"name"´
	// +schemagen:readOnly
	// +kubebuilder:validation:MaxLength=64
	Size string ´json:"size"´
}`,
	}
	ReformattedMarker = &diag.Kind{
		Code: "SG341", Severity: diag.Warning, Fixes: true, Title: "a marker that gofmt changes",
		Explanation: "In the doc comment of a type or a package, gofmt replaces two single quotes or two backquotes by a typographic quote, which breaks CEL rules. It does not change other comments: a group of their own above the doc comment also describes the type, and so do comments of fields and of types in parentheses.",
		Bad: `
type Spec struct {
	A Name ´json:"a"´
}

// Name is a name.
// +kubebuilder:validation:XValidation:rule="self != ''"
type Name string`,
		Good: `
type Spec struct {
	A Name ´json:"a"´
}

// +kubebuilder:validation:XValidation:rule="self != ''"

// Name is a name.
type Name string`,
	}
	KindWithoutGroup = &diag.Kind{
		Code: "SG401", Title: "a kind without a group",
		Explanation: "A package with kinds declares its API group once, above the package clause: // +groupName=example.com. The API server rejects a CRD without a group.",
		Bad: `
-- v1/types.go --
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
		Good: `
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
	}
	NoStorageVersion = &diag.Kind{
		Code: "SG402", Title: "no storage version",
		Explanation: "Exactly one of several versions is stored: mark its root type +kubebuilder:storageversion.",
		Bad: `
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}
-- v2/types.go --
// +groupName=example.com
package v2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
		Good: `
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}
-- v2/types.go --
// +groupName=example.com
package v2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
	}
	SeveralStorageVersions = &diag.Kind{
		Code: "SG403", Title: "several storage versions",
		Explanation: "Only one version of a kind can be marked +kubebuilder:storageversion; the API server rejects more. --skip-verify writes them all.",
		Bad: `
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}
-- v2/types.go --
// +groupName=example.com
package v2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
		Good: `
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}
-- v2/types.go --
// +groupName=example.com
package v2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
	}
	NoServedVersion = &diag.Kind{
		Code: "SG404", Title: "no served version",
		Explanation: "Every version is marked +kubebuilder:unservedversion.",
		Bad: `
// +kubebuilder:unservedversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
		Good: `
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
	}
	NoKinds = &diag.Kind{
		Code: "SG405", Severity: diag.Warning, Title: "no kind found",
		Explanation: "A kind is a struct that embeds metav1.TypeMeta and metav1.ObjectMeta.",
		Bad: `
type Widget struct {
	Name string ´json:"name"´
}`,
		Good: `
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Name string ´json:"name"´
}`,
	}
	DuplicateFileName = &diag.Kind{
		Code: "SG406", Title: "two definitions with the same file name",
		Explanation: "Two kinds of one group have the same plural name; give one of them +kubebuilder:resource:path=….",
		Bad: `
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}

// +kubebuilder:resource:path=widgets
type Gadget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
		Good: `
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}

// +kubebuilder:resource:path=gadgets
type Gadget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
	}
	DuplicateVersion = &diag.Kind{
		Code: "SG407", Title: "a duplicate version",
		Explanation: "Two packages with the same group and version declare the kind, but a CRD can have each version only once.",
		Bad: `
-- a/v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}
-- b/v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
		Good: `
-- a/v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}
-- b/v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Gadget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
	}
	UnknownKind = &diag.Kind{
		Code: "SG408", Title: "an unknown kind or group",
		Explanation: "--kinds and --groups select kinds of the packages. A name that matches none is probably misspelled.",
		Bad: `
$ schemagen crd ./... --kinds Wigdet
-- v1/types.go --
Name string ´json:"name"´`,
		Good: "$ schemagen crd ./... --kinds Widget",
	}
	ConversionsDiffer = &diag.Kind{
		Code: "SG409", Title: "conflicting conversions",
		Explanation: "A CRD has one conversion for all of its versions. +schemagen:conversion may be on several of them or above their package clauses, where the marker of a type takes precedence; but all must be the same.",
		Bad: `
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
// +schemagen:conversion:strategy=Webhook,service=shop/webhooks
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}
-- v2/types.go --
// +groupName=example.com
package v2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +schemagen:conversion:strategy=None
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
		Good: `
-- v2/types.go --
// +groupName=example.com
package v2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
	}
	ManifestNotReplaceable = &diag.Kind{
		Code: "SG410", Title: "a definition whose schemas cannot be replaced",
		Explanation: "schemapatch writes the schemas of Go types into files with one apiextensions.k8s.io/v1 CustomResourceDefinition each, and keeps the rest. Of a file with several documents, only the first would be kept.",
		Bad: `
$ schemagen schemapatch:manifests=crds paths=./... output:dir=crds
-- v1/types.go --
Name string ´json:"name"´
-- crds/widgets.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
---
apiVersion: v1
kind: Namespace
metadata: {name: widgets}`,
		Good: `
-- crds/widgets.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object`,
	}
	LockingDiscriminator = &diag.Kind{
		Code: "SG412", Severity: diag.Warning, Fixes: true, Title: "a required discriminator without omitempty",
		Explanation: "Objects that were stored before a type had its discriminator do not have it. As long as nothing else in the object that contains the union changes, the API server accepts updates of them. But a typed client sends \"\" for a string without omitempty, which is not in the enum, and a value that changes is never tolerated: the client cannot even add a label or remove a finalizer. With omitempty and +required, the schema is the same, and the client leaves the discriminator out. A pointer has the same effect. If no object can be older than the discriminator, write // schemagen:ignore SG412 with that reason.",
		Bad: `
// +schemagen:unions=cel
package v1

type Spec struct {
	// +unionDiscriminator
	Type Type ´json:"type"´

	// +unionMember
	// +optional
	A *string ´json:"a,omitempty"´
}

// +kubebuilder:validation:Enum=A;B
type Type string`,
		Good: `
// +schemagen:unions=cel
package v1

type Spec struct {
	// +unionDiscriminator
	// +required
	Type Type ´json:"type,omitempty"´

	// +unionMember
	// +optional
	A *string ´json:"a,omitempty"´
}

// +kubebuilder:validation:Enum=A;B
type Type string`,
	}
	InvalidChannels = &diag.Kind{
		Code: "SG509", Title: "a mistake in the channels of schemagen.yaml",
		Explanation: "A channel does not exist, takes its gates from itself, sets an annotation or a label that a marker sets to something else, or writes a file that another channel writes; or a channel in contains does not exist, or contains itself. --channel and --gates exclude each other. docs/gates.md describes channels.",
		Bad: `
$ schemagen crd ./...
-- schemagen.yaml --
channels:
  standard: {crd: crds}
  experimental: {gates: [Burst], crd: crds}
-- api/types.go --
// +schemagen:when(Burst)
Burst *int32 ´json:"burst,omitempty"´
Rate int32 ´json:"rate"´`,
		Good: `
-- schemagen.yaml --
channels:
  standard: {crd: crds/standard}
  experimental: {gates: [Burst], crd: crds/experimental}`,
	}
	InvalidFileName = &diag.Kind{
		Code: "SG510", Title: "an invalid file name",
		Explanation: "The name of a file is made from the group and the plural of a kind. With a slash, a backslash or a control character it would be in another directory than the one that files are written to. The API server rejects such names; with --skip-verify they are errors, too.",
		Bad: `
// +kubebuilder:resource:path=all/widgets
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec Spec ´json:"spec"´
}

type Spec struct {
	Name string ´json:"name"´
}`,
		Good: `
// +kubebuilder:resource:path=widgets
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Spec Spec ´json:"spec"´
}

type Spec struct {
	Name string ´json:"name"´
}`,
	}
	VersionsDiffer = &diag.Kind{
		Code: "SG930", Severity: diag.Warning, Title: "different versions without a conversion",
		Explanation: "Without a conversion webhook, the API server converts an object by replacing its apiVersion, and then drops every field that the schema of the other version does not have. Fields that only a served version has are never stored; fields that only the storage version has are removed by every update through another version, even of a label. A field with a different type in each version is passed on unchanged, and typed clients of the other version fail to decode it. It is not reported if +schemagen:conversion configures a webhook, if a type of the kind has Hub, ConvertTo or ConvertFrom methods or functions of conversion-gen, or if a kustomization in the output directory, above it, in a sibling directory default, or in config/crd adds a webhook, as Kubebuilder's does. schemagen conversions reports it, too, as an error, if the definition in the project has no webhook although the packages have conversions, and writes nothing; where an installer adds the webhook, such as a Helm chart or OLM, write // schemagen:ignore SG930 with the reason on the line above the type. If there is no definition in the project, somebody else writes it, and nothing is reported.",
		Bad: `
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Size *int32 ´json:"size,omitempty"´
}
-- v2/types.go --
// +groupName=example.com
package v2

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´
}`,
		Good: `
-- v1/types.go --
// +groupName=example.com
package v1

import metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

// +schemagen:conversion:strategy=Webhook,service=shop/webhooks,certificate=shop/serving-cert
// +kubebuilder:storageversion
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Size *int32 ´json:"size,omitempty"´
}`,
	}
)

// Codes returns the kinds of diagnostics of this package, in the order of their codes.
func Codes() []*diag.Kind {
	return []*diag.Kind{
		packageNotListed, syntaxError, ImportNotFound, patternWithoutPackages, unreadableFile, HeaderNotUsed, TooLarge,
		UnknownType, TypeWithoutSchema, FloatField, MapKeyNotString, MissingJSONTag, QuotedField, MisusedGeneric,
		ConflictingTypes, RecursiveType, DuplicateField, ConstantWithoutValue, TextMarshalerNotString, InvalidOneOf,
		typeRedeclared, DurationField, ConstantsOmitted, UnsignedWithoutMinimum, MisleadingJSONTag, BoundOutsideGoType,
		UnknownPatchStrategy, SchemaTooLarge, ConvertedName, LostComment,
		MalformedArguments, MarkerDoesNotFit, UnknownMarker, WrongTarget, OverriddenMarker, MalformedMarker, FloatingMarker,
		FeatureDisabled, TagWithoutMeaning, UnusedOverride, InvalidUnion, UnionsDisabled, UnionMemberName, OptionalUnionMember,
		HandWrittenUnionRules, UnionInOtherForm, UnionsDiffer, NoUnionFunctions,
		InvalidCondition, UnknownGate, UnusedGate, NeedlessCondition, AlternativesDisagree, ReadsErased, NeedsErased, NotConditional, StorageByGates, MergeLosesRule, MetadataLost, OptionalAndRequired, UnenforceableReadOnly,
		ReformattedMarker,
		KindWithoutGroup, NoStorageVersion, SeveralStorageVersions, NoServedVersion, NoKinds, DuplicateFileName, DuplicateVersion,
		UnknownKind, ConversionsDiffer, ManifestNotReplaceable, LockingDiscriminator,
		InvalidChannels, InvalidFileName,
		VersionsDiffer,
	}
}

// OfAllRuns returns the codes of findings about what is missing. Of several runs of the same
// source with different gates, all have to miss it.
func OfAllRuns() []diag.Code { return []diag.Code{NoKinds.Code, UnknownKind.Code, UnusedOverride.Code} }
