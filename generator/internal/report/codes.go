package report

import "github.com/schemagen/schemagen/diag"

// The kinds of diagnostics of this package, in the order of their codes: 1xx loading, 2xx
// types, 3xx markers, 4xx definitions.
var (
	packageNotListed = &diag.Kind{
		Code: "SG101", Title: "a package cannot be listed",
		Explanation: "The go command could not tell which files a package has: the directory is missing, has no Go files for this platform, or its module cannot be found.",
	}
	syntaxError = &diag.Kind{
		Code: "SG102", Title: "a Go file has a syntax error",
		Explanation: "Only the first error of each file is reported; what follows is usually its echo.",
	}
	ImportNotFound = &diag.Kind{
		Code: "SG103", Title: "an import that a field needs cannot be resolved",
		Explanation: "The type of a field comes from a package that could not be found. It is reported once, with some of the further places that need it. Imports that no reached type needs are not looked at.",
		Bad:         "package v1\n\nimport \"example.com/colors\"\n\ntype Spec struct {\n\tColor colors.Color `json:\"color\"`\n}",
		Good:        "type Spec struct {\n\tColor string `json:\"color\"`\n}",
	}
	patternWithoutPackages = &diag.Kind{
		Code: "SG104", Title: "a pattern matches no package",
		Explanation: "Patterns are those of the go command: ./..., a directory, or an import path. Where other patterns of the command line match this is a warning. Nested modules that a pattern crosses into may have nothing to build.",
	}
	unreadableFile = &diag.Kind{
		Code: "SG105", Title: "a Go file cannot be read",
		Explanation: "The listing names a file that cannot be opened or read.",
	}
	UnknownType = &diag.Kind{
		Code: "SG201", Title: "a type is not declared",
		Explanation: "Neither the package, nor its dot imports, nor the language declares the name. A package marked +kubebuilder:skip has no types.",
		Bad:         "Since Time `json:\"since\"`",
		Good:        "Since metav1.Time `json:\"since\"`",
	}
	TypeWithoutSchema = &diag.Kind{
		Code: "SG202", Title: "a Go type has no schema",
		Explanation: "Interfaces, channels, functions, complex numbers and unsafe pointers cannot be described by a schema. For arbitrary JSON use apiextensionsv1.JSON, for an embedded object runtime.RawExtension.",
		Bad:         "Value any `json:\"value\"`",
		Good:        "Value apiextensionsv1.JSON `json:\"value\"`",
	}
	FloatField = &diag.Kind{
		Code: "SG203", Title: "a floating-point field",
		Explanation: "Floats lose precision between languages, so the Kubernetes API conventions forbid them. Use resource.Quantity or a string, or allow them with --allow-dangerous-types (crd:allowDangerousTypes=true).",
		Bad:         "Weight float64 `json:\"weight\"`",
		Good:        "Weight string `json:\"weight\"`",
	}
	MapKeyNotString = &diag.Kind{
		Code: "SG204", Title: "a map key that is not a string",
		Explanation: "JSON objects have string keys: a map's key must be a string type or implement encoding.TextMarshaler.",
		Bad:         "Ports map[int]string `json:\"ports\"`",
		Good:        "Ports map[string]string `json:\"ports\"`",
	}
	MissingJSONTag = &diag.Kind{
		Code: "SG205", Title: "a field without a json tag",
		Explanation: "A field of an API type says its name in JSON: `json:\"name\"`, or `json:\"-\"` if it is not part of the API.",
		Bad:         "Name string",
		Good:        "Name string `json:\"name\"`",
	}
	QuotedField = &diag.Kind{
		Code: "SG206", Severity: diag.Warning, Title: "a field with the json option \"string\"",
		Explanation: "encoding/json writes numbers and booleans with that option as strings, and the schema says a number or a boolean: the API server refuses what the Go type writes. +schemagen:enable=string-option makes the schema a string; +kubebuilder:validation:Type=string does so for one field.",
		Bad:         "Replicas int32 `json:\"replicas,string\"`",
		Good:        "Replicas int32 `json:\"replicas\"`",
	}
	MisusedGeneric = &diag.Kind{
		Code: "SG207", Title: "a generic type that is no type",
		Explanation: "A generic type is used without type arguments, with the wrong number of them, or contains itself with ever more of them.",
		Bad:         "type Spec struct {\n\tList List `json:\"list\"`\n}\n\ntype List[T any] struct {\n\tItems []T `json:\"items\"`\n}",
		Good:        "type Spec struct {\n\tList List[string] `json:\"list\"`\n}\n\ntype List[T any] struct {\n\tItems []T `json:\"items\"`\n}",
	}
	ConflictingTypes = &diag.Kind{
		Code: "SG208", Title: "two types for one value",
		Explanation: "A field and its type, or two embedded structs, give one value different schema types.",
		Bad:         "type Spec struct {\n\t// +kubebuilder:validation:Type=integer\n\tName Name `json:\"name\"`\n}\n\n// +kubebuilder:validation:Type=string\ntype Name string",
		Good:        "type Spec struct {\n\tName Name `json:\"name\"`\n}\n\n// +kubebuilder:validation:Type=string\ntype Name string",
	}
	RecursiveType = &diag.Kind{
		Code: "SG209", Title: "a type that contains itself",
		Explanation: "A CRD schema cannot refer to itself, and a schema without a type is refused by the API server. Bound the type with +schemagen:recursion:depth=3, which unrolls it that often and keeps what is below; or mark the field +kubebuilder:pruning:PreserveUnknownFields and +kubebuilder:validation:Schemaless, or use apiextensionsv1.JSON. --skip-verify writes the schema without a type, as controller-gen does, for a project that replaces it afterwards.",
		Bad:         "type Spec struct {\n\tRules []Rule `json:\"rules\"`\n}\n\ntype Rule struct {\n\tAny []Rule `json:\"any,omitempty\"`\n}",
		Good:        "type Spec struct {\n\tRules []Rule `json:\"rules\"`\n}\n\n// +schemagen:recursion:depth=3\ntype Rule struct {\n\tAny []Rule `json:\"any,omitempty\"`\n}",
	}
	DuplicateField = &diag.Kind{
		Code: "SG210", Severity: diag.Warning, Title: "two fields with one JSON name",
		Explanation: "The last one wins in the schema; encoding/json ignores both or takes the outer one.",
		Bad:         "Name  string `json:\"name\"`\nTitle string `json:\"name\"`",
		Good:        "Name  string `json:\"name\"`\nTitle string `json:\"title\"`",
	}
	ConstantWithoutValue = &diag.Kind{
		Code: "SG211", Title: "a constant of an enum that has no value",
		Explanation: "The values of an enum are the constants of its type. This one cannot be computed from the source.",
		Bad:         "// +schemagen:enable=enum\npackage v1\n\ntype Spec struct {\n\tColor Color `json:\"color\"`\n}\n\n// +enum\ntype Color string\n\nconst (\n\tRed   Color = \"Red\"\n\tGreen Color = 5\n)",
		Good:        "// +schemagen:enable=enum\npackage v1\n\ntype Spec struct {\n\tColor Color `json:\"color\"`\n}\n\n// +enum\ntype Color string\n\nconst (\n\tRed   Color = \"Red\"\n\tGreen Color = \"Green\"\n)",
	}
	TextMarshalerNotString = &diag.Kind{
		Code: "SG212", Title: "a text marshaler whose schema is not a string",
		Explanation: "A type with a MarshalText method is a string in JSON; its markers may not give it another type.",
		Bad:         "type Spec struct {\n\tColor Color `json:\"color\"`\n}\n\n// +kubebuilder:validation:Type=integer\ntype Color struct{ red, green, blue uint8 }\n\nfunc (c Color) MarshalText() ([]byte, error) { return []byte{c.red, c.green, c.blue}, nil }",
		Good:        "type Spec struct {\n\tColor Color `json:\"color\"`\n}\n\ntype Color struct{ red, green, blue uint8 }\n\nfunc (c Color) MarshalText() ([]byte, error) { return []byte{c.red, c.green, c.blue}, nil }",
	}
	ImpossibleOneOf = &diag.Kind{
		Code: "SG213", Title: "a one-of marker that cannot hold",
		Explanation: "Fields named in ExactlyOneOf, AtMostOneOf or AtLeastOneOf must be optional fields of the struct itself.",
		Bad:         "// +kubebuilder:validation:ExactlyOneOf=name;id\ntype Spec struct {\n\tName string `json:\"name\"`\n\tID   string `json:\"id,omitempty\"`\n}",
		Good:        "// +kubebuilder:validation:ExactlyOneOf=name;id\ntype Spec struct {\n\tName string `json:\"name,omitempty\"`\n\tID   string `json:\"id,omitempty\"`\n}",
	}
	typeDeclaredTwice = &diag.Kind{
		Code: "SG214", Title: "a type is declared twice",
		Explanation: "Two files of a package declare the same type; no compiler takes that.",
		Bad:         "type Spec struct {\n\tColor Color `json:\"color\"`\n}\n\ntype Color string\n\ntype Color int32",
		Good:        "type Spec struct {\n\tColor Color `json:\"color\"`\n}\n\ntype Color string",
	}
	DurationField = &diag.Kind{
		Code: "SG215", Severity: diag.Warning, Title: "a field of type time.Duration",
		Explanation: "It is an integer of nanoseconds in JSON, and in the schema. metav1.Duration is written as \"1h30m\", as users of Kubernetes expect; to change the type of a field that is in use changes the API.",
		Bad:         "package v1\n\nimport \"time\"\n\ntype Spec struct {\n\tTimeout time.Duration `json:\"timeout\"`\n}",
		Good:        "Timeout metav1.Duration `json:\"timeout\"`",
	}
	ConstantsLeftOut = &diag.Kind{
		Code: "SG216", Severity: diag.Warning, Title: "constants that an enum leaves out",
		Explanation: "Without +schemagen:enable=enum, +k8s:enum takes the constants that controller-gen takes: those declared with exactly this type and a string literal. Conversions, concatenations and references to other constants are left out, and their values are refused by the API server.",
		Bad:         "// +schemagen:enable=k8s\npackage v1\n\ntype Spec struct {\n\tColor Color `json:\"color\"`\n}\n\n// +k8s:enum\ntype Color string\n\nconst (\n\tRed   Color = \"Red\"\n\tGreen       = Color(\"Green\")\n)",
		Good:        "// +schemagen:enable=k8s\npackage v1\n\ntype Spec struct {\n\tColor Color `json:\"color\"`\n}\n\n// +k8s:enum\ntype Color string\n\nconst (\n\tRed   Color = \"Red\"\n\tGreen Color = \"Green\"\n)",
	}
	UnsignedWithoutMinimum = &diag.Kind{
		Code: "SG217", Severity: diag.Warning, Title: "an unsigned integer without a minimum",
		Explanation: "The schema of an unsigned integer is that of a signed one. A negative number is stored, and every Go client fails to decode the object. +schemagen:enable=unsigned bounds all of them.",
		Bad:         "Replicas uint32 `json:\"replicas\"`",
		Good:        "// +kubebuilder:validation:Minimum=0\nReplicas uint32 `json:\"replicas\"`",
	}
	MisreadJSONTag = &diag.Kind{
		Code: "SG218", Severity: diag.Warning, Title: "a json tag that is not read as it seems",
		Explanation: "encoding/json ignores options that it does not know: with omitemtpy, or with a blank in front of omitempty, the field is required. Without the comma the option becomes the field's name. Options of other libraries are left alone.",
		Bad:         "Name string `json:\"name,omitemtpy\"`",
		Good:        "Name string `json:\"name,omitempty\"`",
	}
	BoundOutsideGoType = &diag.Kind{
		Code: "SG219", Severity: diag.Warning, Title: "a bound outside of the Go type",
		Explanation: "The schema allows values that the field's integer type cannot hold, for example 300 in an int8 or -1 in a uint32. The API server stores them, and every Go client fails to decode the object.",
		Bad:         "// +kubebuilder:validation:Maximum=300\nPercent int8 `json:\"percent\"`",
		Good:        "// +kubebuilder:validation:Maximum=100\nPercent int8 `json:\"percent\"`",
	}
	UnknownPatchStrategy = &diag.Kind{
		Code: "SG220", Severity: diag.Warning, Title: "a patch strategy or merge key that does not exist",
		Explanation: "patchStrategy is merge, replace or retainKeys, or several of them with commas, and patchMergeKey is the JSON name of a field of the list's elements.",
		Bad:         "Names []string `json:\"names\" patchStrategy:\"mrge\"`",
		Good:        "Names []string `json:\"names\" patchStrategy:\"merge\"`",
	}
	SchemaTooLarge = &diag.Kind{
		Code: "SG230", Title: "a schema that is too large",
		Explanation: "A schema has at most 200,000 nodes, and a struct at most 50,000 structs embedded in it, each counted where it is written: a few lines in which each type has two fields of the next one make millions. An API server stores objects of at most 1.5 MiB, in which there is room for some 70,000 nodes. docs/limits.md has all limits.",
	}
	MalformedArguments = &diag.Kind{
		Code: "SG301", Fixes: true, Title: "malformed marker arguments",
		Explanation: "The marker is known but its arguments cannot be parsed.",
		Bad:         "// +kubebuilder:validation:Minimum=one\nReplicas int32 `json:\"replicas\"`",
		Good:        "// +kubebuilder:validation:Minimum=1\nReplicas int32 `json:\"replicas\"`",
	}
	MarkerDoesNotFit = &diag.Kind{
		Code: "SG302", Title: "a marker that does not fit its type",
		Explanation: "For example a maximum on a string, or a list type on a struct.",
		Bad:         "// +kubebuilder:validation:Maximum=10\nName string `json:\"name\"`",
		Good:        "// +kubebuilder:validation:MaxLength=10\nName string `json:\"name\"`",
	}
	UnknownMarker = &diag.Kind{
		Code: "SG303", Severity: diag.Warning, Fixes: true, Title: "an unknown marker",
		Explanation: "No tool defines a marker of this name under kubebuilder:, k8s: or schemagen:, or it is nearly a word that is known. It has no effect. Markers of other tools are left alone. In files that declare no types of a CRD, only misspelt markers of the generators on the command line are reported: a misspelt +kubebuilder:rbac there is a permission that is missing in the role. If errors disappear with the marker that was probably meant, they are listed below this finding, which is an error then.",
		Bad:         "// +kubebuilder:validation:MinLenght=1\nName string `json:\"name\"`",
		Good:        "// +kubebuilder:validation:MinLength=1\nName string `json:\"name\"`",
	}
	WrongTarget = &diag.Kind{
		Code: "SG304", Severity: diag.Warning, Title: "a marker on something that it does not describe",
		Explanation: "For example a marker of types on a field. It has no effect.",
		Bad:         "// +kubebuilder:resource:scope=Cluster\nName string `json:\"name\"`",
		Good:        "Name string `json:\"name\"`",
	}
	OverriddenMarker = &diag.Kind{
		Code: "SG305", Severity: diag.Warning, Fixes: true, Title: "a marker that another one of its name overrides",
		Explanation: "Only one of them counts: the last one, or for a package the first. Of two +kubebuilder:resource markers the last one decides on scope, short names and categories, even where it does not mention them: write all arguments into one.",
		Bad:         "// +kubebuilder:validation:MinLength=1\n// +kubebuilder:validation:MinLength=2\nName string `json:\"name\"`",
		Good:        "// +kubebuilder:validation:MinLength=2\nName string `json:\"name\"`",
	}
	MalformedMarker = &diag.Kind{
		Code: "SG306", Severity: diag.Warning, Fixes: true, Title: "a marker that is not seen as one",
		Explanation: "A marker is a line comment of its own whose first character is a plus sign, with no blank behind it: not in a block comment, not behind code. Where the json tag says the same, as omitempty does beside // + optional, nothing is lost and nothing reported.",
		Bad:         "// + kubebuilder:validation:MinLength=1\nName string `json:\"name\"`",
		Good:        "// +kubebuilder:validation:MinLength=1\nName string `json:\"name\"`",
	}
	FloatingMarker = &diag.Kind{
		Code: "SG307", Severity: diag.Warning, Title: "a marker that describes nothing",
		Explanation: "A marker belongs to the doc comment of a type or field, or to the nearest comment above it. Above functions, variables and groups of types, behind the last field, or further up it describes nothing. Markers of code that is commented out with them are left alone.",
		Bad:         "type Spec struct {\n\tName string `json:\"name\"`\n\t// +kubebuilder:validation:MinLength=1\n}",
		Good:        "type Spec struct {\n\t// +kubebuilder:validation:MinLength=1\n\tName string `json:\"name\"`\n}",
	}
	FeatureOff = &diag.Kind{
		Code: "SG308", Severity: diag.Warning, Title: "markers that the package did not switch on",
		Explanation: "controller-gen ignores these markers, so that they change nothing unless the package says so, once, beside its package clause: // +schemagen:enable=enum for +enum, // +schemagen:enable=k8s for Kubernetes' declarative-validation tags. Switching them on tightens the schema. A tag beside Kubebuilder's marker for the same, and an +enum type whose values every field lists, are not reported.",
		Bad:         "// +k8s:neq=\"default\"\nName string `json:\"name\"`",
		Good:        "// +kubebuilder:validation:XValidation:rule=\"self != 'default'\"\nName string `json:\"name\"`",
	}
	TagWithoutMeaning = &diag.Kind{
		Code: "SG309", Severity: diag.Warning, Title: "a declarative-validation tag that no CRD can say",
		Explanation: "The package switched Kubernetes' declarative-validation tags on, and this one speaks of Go code, of options of an API server, or of tests.",
		Bad:         "// +schemagen:enable=k8s\npackage v1\n\ntype Spec struct {\n\t// +k8s:customValidation\n\tName string `json:\"name\"`\n}",
		Good:        "// +schemagen:enable=k8s\npackage v1\n\ntype Spec struct {\n\t// +k8s:maxLength=63\n\tName string `json:\"name\"`\n}",
	}
	UnusedOverride = &diag.Kind{
		Code: "SG310", Severity: diag.Warning, Title: "something said about a type that is not reached",
		Explanation: "+schemagen:type and +schemagen:descriptions name a type or a package by its import path; nothing in the schemas of the package's kinds comes from it.",
		Bad:         "// +schemagen:type(corev1.Container)=+schemagen:at(.ports)=+kubebuilder:validation:MaxItems=8\npackage v1\n\ntype Spec struct {\n\tContainer corev1.Container `json:\"container\"`\n}",
		Good:        "// +schemagen:type(k8s.io/api/core/v1.Container)=+schemagen:at(.ports)=+kubebuilder:validation:MaxItems=8\npackage v1\n\ntype Spec struct {\n\tContainer corev1.Container `json:\"container\"`\n}",
	}
	InvalidUnion = &diag.Kind{
		Code: "SG311", Title: "a union that cannot be enforced",
		Explanation: "A union has one discriminator, a string with a closed set of values, and for each value at most one member, which is set or not set. docs/language.md has the rules. Where unions are not switched on this is a warning.",
		Bad:         "// +schemagen:unions=cel\npackage v1\n\ntype Spec struct {\n\t// +unionDiscriminator\n\tType Type `json:\"type\"`\n\n\t// +unionMember=A\n\t// +optional\n\tA *string `json:\"a,omitempty\"`\n\t// +unionMember=C\n\t// +optional\n\tB *string `json:\"b,omitempty\"`\n}\n\n// +kubebuilder:validation:Enum=A;B\ntype Type string",
		Good:        "// +schemagen:unions=cel\npackage v1\n\ntype Spec struct {\n\t// +unionDiscriminator\n\tType Type `json:\"type\"`\n\n\t// +unionMember=A\n\t// +optional\n\tA *string `json:\"a,omitempty\"`\n\t// +unionMember=B\n\t// +optional\n\tB *string `json:\"b,omitempty\"`\n}\n\n// +kubebuilder:validation:Enum=A;B\ntype Type string",
	}
	UnionsOff = &diag.Kind{
		Code: "SG312", Severity: diag.Warning, Title: "unions that the package did not switch on",
		Explanation: "controller-gen ignores the markers of unions, so that they change nothing unless the package says how: // +schemagen:unions=cel beside its package clause, or --unions=cel. Switching them on tightens the schema: objects that are stored with members that their discriminator does not select are refused when the union changes. Unions whose members a rule of their struct reads, or a junctor requires, are left to those.",
		Bad:         "type Spec struct {\n\t// +unionDiscriminator\n\tType Type `json:\"type\"`\n\n\t// +unionMember=A\n\t// +optional\n\tA *string `json:\"a,omitempty\"`\n\t// +unionMember=B\n\t// +optional\n\tB *string `json:\"b,omitempty\"`\n}\n\n// +kubebuilder:validation:Enum=A;B\ntype Type string",
		Good:        "// +schemagen:unions=cel\npackage v1\n\ntype Spec struct {\n\t// +unionDiscriminator\n\tType Type `json:\"type\"`\n\n\t// +unionMember=A\n\t// +optional\n\tA *string `json:\"a,omitempty\"`\n\t// +unionMember=B\n\t// +optional\n\tB *string `json:\"b,omitempty\"`\n}\n\n// +kubebuilder:validation:Enum=A;B\ntype Type string",
	}
	UnionMemberName = &diag.Kind{
		Code: "SG313", Severity: diag.Warning, Title: "a union member of another name than its value",
		Explanation: "KEP-1027 lets a discriminator's value be the name of the member that it selects; readers expect it to be, but for its case.",
		Bad:         "// +schemagen:unions=cel\npackage v1\n\ntype Spec struct {\n\t// +unionDiscriminator\n\tType Type `json:\"type\"`\n\n\t// +unionMember=A\n\t// +optional\n\tA *string `json:\"a,omitempty\"`\n\t// +unionMember=B\n\t// +optional\n\tB *string `json:\"other,omitempty\"`\n}\n\n// +kubebuilder:validation:Enum=A;B\ntype Type string",
		Good:        "// +schemagen:unions=cel\npackage v1\n\ntype Spec struct {\n\t// +unionDiscriminator\n\tType Type `json:\"type\"`\n\n\t// +unionMember=A\n\t// +optional\n\tA *string `json:\"a,omitempty\"`\n\t// +unionMember=B\n\t// +optional\n\tB *string `json:\"b,omitempty\"`\n}\n\n// +kubebuilder:validation:Enum=A;B\ntype Type string",
	}
	OptionalUnionMember = &diag.Kind{
		Code: "SG314", Severity: diag.Warning, Title: "an optional union member",
		Explanation: "The discriminator may select an optional member that is not set. A typed client of an older version, which does not know the member, reads the object, drops the member, and writes the object back: the server takes it, and the member is lost without an error. docs/unions.md says when that is safe.",
		Bad:         "// +schemagen:unions=cel\npackage v1\n\ntype Spec struct {\n\t// +unionDiscriminator\n\tType Type `json:\"type\"`\n\n\t// +unionMember=A\n\t// +optional\n\tA *string `json:\"a,omitempty\"`\n\t// +unionMember=B,optional\n\t// +optional\n\tB *string `json:\"b,omitempty\"`\n}\n\n// +kubebuilder:validation:Enum=A;B\ntype Type string",
		Good:        "// +schemagen:unions=cel\npackage v1\n\ntype Spec struct {\n\t// +unionDiscriminator\n\tType Type `json:\"type\"`\n\n\t// +unionMember=A\n\t// +optional\n\tA *string `json:\"a,omitempty\"`\n\t// +unionMember=B\n\t// +optional\n\tB *string `json:\"b,omitempty\"`\n}\n\n// +kubebuilder:validation:Enum=A;B\ntype Type string",
	}
	HandWrittenUnionRules = &diag.Kind{
		Code: "SG315", Severity: diag.Warning, Title: "hand-written rules of a union",
		Explanation: "Rules beside the markers of a union speak of its discriminator and members, but do not say what the union says: an object that violates it slips through, fails with an error of evaluation instead of the message, or gets a message that is about something else. The generated rules stand beside them; the hand-written ones can go. Hand-written rules that say the same as the union are left in its place.",
		Bad:         "// +schemagen:unions=cel\npackage v1\n\n// +kubebuilder:validation:XValidation:rule=\"self.type != 'A' || has(self.a)\"\ntype Spec struct {\n\t// +unionDiscriminator\n\tType Type `json:\"type\"`\n\n\t// +unionMember=A\n\t// +optional\n\tA *string `json:\"a,omitempty\"`\n\t// +unionMember=B\n\t// +optional\n\tB *string `json:\"b,omitempty\"`\n}\n\n// +kubebuilder:validation:Enum=A;B\ntype Type string",
		Good:        "// +schemagen:unions=cel\npackage v1\n\ntype Spec struct {\n\t// +unionDiscriminator\n\tType Type `json:\"type\"`\n\n\t// +unionMember=A\n\t// +optional\n\tA *string `json:\"a,omitempty\"`\n\t// +unionMember=B\n\t// +optional\n\tB *string `json:\"b,omitempty\"`\n}\n\n// +kubebuilder:validation:Enum=A;B\ntype Type string",
	}
	UnionWrittenOtherwise = &diag.Kind{
		Code: "SG316", Severity: diag.Warning, Title: "a union that is written in another way than it was asked for",
		Explanation: "CEL rules cannot read a field without a type, nor one of some names; and the API server estimates the cost of every rule, times how often its object may occur, and refuses what is above its limits. Where the rules of a union are, they are written in a cheaper form with poorer messages: one rule for each member, or a oneOf. A required discriminator, or a limit to the lists and maps around it, makes rules cheaper.",
	}
	UnionsDiffer = &diag.Kind{
		Code: "SG317", Title: "served versions with different unions",
		Explanation: "Two served versions of a kind have the same union with different values or members. An object that is written through a version that lacks a member is stored without it, while its discriminator still selects it: the server drops the member and warns of nothing. Give the versions the same union, or convert with a webhook: then this is a warning. docs/unions.md says how to add a member.",
	}
	NoUnionFunctions = &diag.Kind{
		Code: "SG318", Title: "a union for which no functions can be generated",
		Explanation: "schemagen unions writes Go functions beside the types. A name that it needs is declared already, or Go cannot say what the functions would have to: a struct that cannot be compared with its zero value, a type that the package cannot name.",
	}
	MetadataLost = &diag.Kind{
		Code: "SG333", Severity: diag.Warning, Title: "metadata inside of an object that is not kept",
		Explanation: "The schema of a metav1.ObjectMeta inside of an object has no fields, as controller-gen writes it, so that the API server drops labels, annotations and all else that users write there, and says so only to clients that ask for field validation. --embedded-object-meta (controller-gen's crd:generateEmbeddedObjectMeta=true) describes name, namespace, labels, annotations and finalizers; a type of your own describes what you need. The metadata of the kind itself, and of a field marked +kubebuilder:validation:EmbeddedResource, is the server's own affair.",
		Bad:         "Metadata metav1.ObjectMeta `json:\"metadata\"`",
		Good:        "Labels map[string]string `json:\"labels\"`",
	}
	OptionalAndRequired = &diag.Kind{
		Code: "SG339", Severity: diag.Warning, Fixes: true, Title: "a field that is marked as optional and as required",
		Explanation: "Only one of the markers counts: +kubebuilder:validation:Optional before +kubebuilder:validation:Required, then +optional before +required.",
		Bad:         "// +optional\n// +required\nName string `json:\"name\"`",
		Good:        "// +optional\nName string `json:\"name\"`",
	}
	KindWithoutGroup = &diag.Kind{
		Code: "SG401", Title: "a kind without a group",
		Explanation: "A package with kinds says its API group once, beside the package clause: // +groupName=example.com. A CRD without a group is refused by the API server.",
		Bad:         "-- v1/types.go --\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}",
		Good:        "-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}",
	}
	NoStorageVersion = &diag.Kind{
		Code: "SG402", Title: "no storage version",
		Explanation: "Of several versions exactly one is stored: mark its root type +kubebuilder:storageversion.",
		Bad:         "-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n-- v2/types.go --\n// +groupName=example.com\npackage v2\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}",
		Good:        "-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n-- v2/types.go --\n// +groupName=example.com\npackage v2\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}",
	}
	SeveralStorageVersions = &diag.Kind{
		Code: "SG403", Title: "several storage versions",
		Explanation: "Exactly one version of a kind can be marked +kubebuilder:storageversion; the API server refuses more. --skip-verify writes them all.",
		Bad:         "-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n-- v2/types.go --\n// +groupName=example.com\npackage v2\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}",
		Good:        "-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n-- v2/types.go --\n// +groupName=example.com\npackage v2\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}",
	}
	NoServedVersion = &diag.Kind{
		Code: "SG404", Title: "no served version",
		Explanation: "Every version is marked +kubebuilder:unservedversion.",
		Bad:         "// +kubebuilder:unservedversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}",
		Good:        "type Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}",
	}
	NoKinds = &diag.Kind{
		Code: "SG405", Severity: diag.Warning, Title: "no kind found",
		Explanation: "A kind is a struct that embeds metav1.TypeMeta and metav1.ObjectMeta.",
		Bad:         "type Widget struct {\n\tName string `json:\"name\"`\n}",
		Good:        "type Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tName string `json:\"name\"`\n}",
	}
	SameFileName = &diag.Kind{
		Code: "SG406", Title: "two definitions for one file",
		Explanation: "Two kinds of one group have the same plural name; give one of them +kubebuilder:resource:path=….",
		Bad:         "type Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n\n// +kubebuilder:resource:path=widgets\ntype Gadget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}",
		Good:        "type Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n\n// +kubebuilder:resource:path=gadgets\ntype Gadget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}",
	}
	SameVersion = &diag.Kind{
		Code: "SG407", Title: "two packages for one version",
		Explanation: "Two packages have the same group and version and both declare the kind; a CRD has each version once.",
		Bad:         "-- a/v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n-- b/v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}",
		Good:        "-- a/v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}\n-- b/v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Gadget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}",
	}
	NoSuchKind = &diag.Kind{
		Code: "SG408", Title: "a selected kind or group that is not there",
		Explanation: "--kinds and --groups name kinds of the packages; a name that stands for none is probably misspelt.",
	}
	ConversionsDiffer = &diag.Kind{
		Code: "SG409", Title: "versions that say different things of their conversion",
		Explanation: "A CRD has one conversion for all of its versions. +schemagen:conversion may stand at several of them, or beside the package clauses, where a type's own counts more; but then they have to say the same.",
	}
	ManifestNotReplaceable = &diag.Kind{
		Code: "SG410", Title: "a definition whose schemas cannot be replaced",
		Explanation: "schemapatch writes the schemas of Go types into files that hold one CustomResourceDefinition of apiextensions.k8s.io/v1 each, and keeps the rest of them. Of a file with several documents only the first would be kept.",
	}
	InvalidFileName = &diag.Kind{
		Code: "SG510", Title: "a name that is not a file name",
		Explanation: "The name of a file is made from the group of a kind and its plural. A slash, a backslash or a control character would lead to another directory than the one that files are written to. The API server refuses such names; they are refused with --skip-verify, too.",
		Bad:         "// +kubebuilder:resource:path=all/widgets\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec Spec `json:\"spec\"`\n}\n\ntype Spec struct {\n\tName string `json:\"name\"`\n}",
		Good:        "// +kubebuilder:resource:path=widgets\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSpec Spec `json:\"spec\"`\n}\n\ntype Spec struct {\n\tName string `json:\"name\"`\n}",
	}
	VersionsDiffer = &diag.Kind{
		Code: "SG930", Severity: diag.Warning, Title: "versions that differ, and nothing that converts them",
		Explanation: "Without a conversion webhook the API server converts an object by replacing its apiVersion, and then drops every field that the schema of the other version does not have. What only a served version has is never stored; what only the storage version has is removed by every update through the other one, even of a label. A field with another type in each version is passed on as it is, and typed clients of the other version fail to decode it. No webhook is expected where +schemagen:conversion names one, where a type of the kind has Hub, ConvertTo or ConvertFrom methods or functions of conversion-gen, or where a kustomization in the output directory, above it, in a directory default beside it, or in config/crd patches one in, as Kubebuilder's does.",
		Bad:         "-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSize *int32 `json:\"size,omitempty\"`\n}\n-- v2/types.go --\n// +groupName=example.com\npackage v2\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n}",
		Good:        "-- v1/types.go --\n// +groupName=example.com\npackage v1\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\n// +kubebuilder:storageversion\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSize *int32 `json:\"size,omitempty\"`\n}\n-- v2/types.go --\n// +groupName=example.com\npackage v2\n\nimport metav1 \"k8s.io/apimachinery/pkg/apis/meta/v1\"\n\ntype Widget struct {\n\tmetav1.TypeMeta   `json:\",inline\"`\n\tmetav1.ObjectMeta `json:\"metadata,omitempty\"`\n\n\tSize *int32 `json:\"size,omitempty\"`\n}",
	}
)

// Codes returns the kinds of diagnostics of this package, in the order of their codes.
func Codes() []*diag.Kind {
	return []*diag.Kind{
		packageNotListed, syntaxError, ImportNotFound, patternWithoutPackages, unreadableFile,
		UnknownType, TypeWithoutSchema, FloatField, MapKeyNotString, MissingJSONTag, QuotedField, MisusedGeneric,
		ConflictingTypes, RecursiveType, DuplicateField, ConstantWithoutValue, TextMarshalerNotString, ImpossibleOneOf,
		typeDeclaredTwice, DurationField, ConstantsLeftOut, UnsignedWithoutMinimum, MisreadJSONTag, BoundOutsideGoType,
		UnknownPatchStrategy, SchemaTooLarge,
		MalformedArguments, MarkerDoesNotFit, UnknownMarker, WrongTarget, OverriddenMarker, MalformedMarker, FloatingMarker,
		FeatureOff, TagWithoutMeaning, UnusedOverride, InvalidUnion, UnionsOff, UnionMemberName, OptionalUnionMember,
		HandWrittenUnionRules, UnionWrittenOtherwise, UnionsDiffer, NoUnionFunctions, MetadataLost, OptionalAndRequired,
		KindWithoutGroup, NoStorageVersion, SeveralStorageVersions, NoServedVersion, NoKinds, SameFileName, SameVersion,
		NoSuchKind, ConversionsDiffer, ManifestNotReplaceable,
		InvalidFileName,
		VersionsDiffer,
	}
}
