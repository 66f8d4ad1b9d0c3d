package conventions

import "github.com/schemagen/schemagen/diag"

// Kinds of diagnostics.
var (
	commentStart = &diag.Kind{
		Code: "SG240", Severity: diag.Warning, Off: true, Fixes: true, Title: "a comment that does not begin with the JSON name",
		Explanation: "The comment of a field is its description in the CRD, in kubectl explain and in reference documentation, whose readers know the field by its JSON name. A field without a comment is reported, too. --fix corrects a first word that is the Go name of the field, or differs from the JSON name only in case.",
		Bad: `
// MinReplicas is the lower bound.
MinReplicas int32 ´json:"minReplicas"´`,
		Good: `
// minReplicas is the lower bound.
MinReplicas int32 ´json:"minReplicas"´`,
	}
	nameNotCamelCase = &diag.Kind{
		Code: "SG241", Severity: diag.Warning, Off: true, Title: "a JSON name that is not in camel case",
		Explanation: "Names of fields in Kubernetes APIs begin with a lower-case letter, and have neither - nor _. A new name is a new field for the users of a released API, so --fix does not change it.",
		Bad:         `MinReplicas int32 ´json:"min_replicas"´`,
		Good:        `MinReplicas int32 ´json:"minReplicas"´`,
	}
	namedPhase = &diag.Kind{
		Code: "SG242", Severity: diag.Warning, Off: true, Title: "a field that is named a phase",
		Explanation: "A phase is the state of a state machine. Clients compare it with the values that they know, so adding one breaks them; and it hides which of several facts it was derived from. Conditions say each of these facts.",
		Bad:         `Phase string ´json:"phase"´`,
		Good:        `Conditions []metav1.Condition ´json:"conditions,omitempty"´`,
	}
	namedReference = &diag.Kind{
		Code: "SG243", Severity: diag.Warning, Off: true, Title: "a name that spells Reference out",
		Explanation: "Fields that refer to objects are named fooRef or fooRefs throughout Kubernetes. A new name is a new field for the users of a released API, so --fix does not change it.",
		Bad:         `SecretReference string ´json:"secretReference"´`,
		Good:        `SecretRef string ´json:"secretRef"´`,
	}
	namedTimestamp = &diag.Kind{
		Code: "SG244", Severity: diag.Warning, Off: true, Title: "a time that is named a timestamp",
		Explanation: "The field for the time at which something happened is named somethingTime. creationTimestamp is an exception that has been kept. A new name is a new field for the users of a released API, so --fix does not change it.",
		Bad:         `StartTimestamp metav1.Time ´json:"startTimestamp"´`,
		Good:        `StartTime metav1.Time ´json:"startTime"´`,
	}
	boolField = &diag.Kind{
		Code: "SG245", Severity: diag.Warning, Off: true, Title: "a boolean",
		Explanation: "A boolean has two values for ever: a third state needs a second field, and the two then contradict each other. A string with an enum can get another value, and names each. A new type is a change of the API, so --fix does not make it.",
		Bad:         `Paused bool ´json:"paused"´`,
		Good: `
// +kubebuilder:validation:Enum=Paused;Running
State string ´json:"state"´`,
	}
	otherInteger = &diag.Kind{
		Code: "SG246", Severity: diag.Warning, Off: true, Title: "an integer type other than int32 and int64",
		Explanation: "The size of int depends on the system, and unsigned integers and small ones do not exist in many languages: the schema has no bounds for them, so that the API server stores values that Go clients cannot decode. Write int32 or int64 and bounds.",
		Bad:         `Replicas int ´json:"replicas"´`,
		Good:        `Replicas int32 ´json:"replicas"´`,
	}
	floatNumber = &diag.Kind{
		Code: "SG247", Severity: diag.Warning, Off: true, Title: "a floating-point number",
		Explanation: "Clients in different languages round differently when they read and write it, so that an object changes although nobody changed it. Without crd.allowDangerousTypes, fields of type float32 and float64 are errors (SG203); this finds numbers that the flag or a marker allows.",
		Bad: `
// +schemagen:schema={type: number}
Ratio float64 ´json:"ratio"´`,
		Good: `RatioPercent int32 ´json:"ratioPercent"´`,
	}
	mapOfObjects = &diag.Kind{
		Code: "SG248", Severity: diag.Warning, Off: true, Title: "a map of other values than strings",
		Explanation: "In YAML, keys of a map look like names of fields, and a key cannot get fields of its own later. Kubernetes has lists whose elements have a name, which server-side apply merges by that name (+listType=map). Maps of strings, as labels are, are not reported.",
		Bad: `
type Spec struct {
	Ports map[string]Port ´json:"ports"´
}

type Port struct {
	Number int32 ´json:"number"´
}`,
		Good: `
type Spec struct {
	// +listType=map
	// +listMapKey=name
	Ports []Port ´json:"ports"´
}

type Port struct {
	Name   string ´json:"name"´
	Number int32  ´json:"number"´
}`,
	}
	nullableField = &diag.Kind{
		Code: "SG249", Severity: diag.Warning, Off: true, Title: "a field that may be null",
		Explanation: "Clients in Go cannot tell null from a field that is missing, and the API server applies defaults to null only where a field is not nullable. An optional field says the same. Objects with null may be stored, so --fix does not remove the marker.",
		Bad: `
// +nullable
Color *string ´json:"color"´`,
		Good: `
// +optional
Color *string ´json:"color,omitempty"´`,
	}
	durationField = &diag.Kind{
		Code: "SG250", Severity: diag.Warning, Off: true, Title: "a field of type metav1.Duration",
		Explanation: "Its strings, such as 1h30m, are Go's; other languages have no parser for them, and the schema accepts any string. Fields of Kubernetes' own APIs are integers with the unit in their names. For time.Duration, see SG215.",
		Bad:         `Timeout metav1.Duration ´json:"timeout"´`,
		Good:        `TimeoutSeconds int32 ´json:"timeoutSeconds"´`,
	}
	unmarked = &diag.Kind{
		Code: "SG251", Severity: diag.Warning, Off: true, Fixes: true, Title: "a field marked neither as optional nor as required",
		Explanation: "Without a marker, omitempty in the json tag decides: a change for Go clients then changes the schema as well. --fix writes the marker that keeps the schema.",
		Bad: `
Name string ´json:"name"´
Color string ´json:"color,omitempty"´`,
		Good: `
// +required
Name string ´json:"name"´
// +optional
Color string ´json:"color,omitempty"´`,
	}
	requiredDefault = &diag.Kind{
		Code: "SG252", Severity: diag.Warning, Off: true, Title: "a required field with a default",
		Explanation: "The API server sets the default before it checks what is required, so the field is optional in fact, and documentation and clients that read required are misled.",
		Bad: `
// +required
// +kubebuilder:default=1
Replicas *int32 ´json:"replicas,omitempty"´`,
		Good: `
// +optional
// +kubebuilder:default=1
Replicas *int32 ´json:"replicas,omitempty"´`,
	}
	defaultNotOptional = &diag.Kind{
		Code: "SG253", Severity: diag.Warning, Off: true, Fixes: true, Title: "a field with a default that is not optional",
		Explanation: "The API server sets a default where a field is missing. It has to be marked as optional, and Go clients must omit it: otherwise they send the zero value, which the default does not replace, or null, which it replaces only where null is not allowed.",
		Bad: `
// +kubebuilder:default=blue
Color string ´json:"color"´`,
		Good: `
// +kubebuilder:default=blue
// +optional
Color string ´json:"color,omitempty"´`,
	}
	optionalWritten = &diag.Kind{
		Code: "SG254", Severity: diag.Warning, Off: true, Fixes: true, Title: "an optional field that Go clients always write",
		Explanation: "Without omitempty, a Go client sends the zero value of a field that it does not set, or null, and becomes its owner in server-side apply. omitempty has no effect on structs: use omitzero or a pointer.",
		Bad: `
// +optional
Color string ´json:"color"´`,
		Good: `
// +optional
Color string ´json:"color,omitempty"´`,
	}
	optionalZero = &diag.Kind{
		Code: "SG255", Severity: diag.Warning, Off: true, Title: "an optional field whose zero value Go clients cannot set",
		Explanation: "The schema allows 0, false or an empty string, but Go clients omit the field then, which may mean something else. Make it a pointer, or exclude the value with a bound. --fix does not, because code that uses the field changes.",
		Bad: `
// +optional
Replicas int32 ´json:"replicas,omitempty"´`,
		Good: `
// +optional
// +kubebuilder:validation:Minimum=1
Replicas int32 ´json:"replicas,omitempty"´`,
	}
	requiredZero = &diag.Kind{
		Code: "SG256", Severity: diag.Warning, Off: true, Title: "a required field whose zero value is valid",
		Explanation: "A Go client that forgets the field sends 0, false or an empty string, and the API server cannot tell. With a pointer and omitempty, or with a bound that excludes the value, the client gets an error.",
		Bad: `
// +required
Replicas int32 ´json:"replicas"´`,
		Good: `
// +required
// +kubebuilder:validation:Minimum=1
Replicas int32 ´json:"replicas"´`,
	}
	requiredWritten = &diag.Kind{
		Code: "SG257", Severity: diag.Warning, Off: true, Fixes: true, Title: "a required field that Go clients always write",
		Explanation: "Without omitempty, a Go client that forgets the field sends a zero value that the schema refuses, or null, and gets an error about that value. With omitempty, the error says that the field is required.",
		Bad: `
// +required
// +kubebuilder:validation:MinLength=1
Name string ´json:"name"´`,
		Good: `
// +required
// +kubebuilder:validation:MinLength=1
Name string ´json:"name,omitempty"´`,
	}
	requiredStatus = &diag.Kind{
		Code: "SG258", Severity: diag.Warning, Off: true, Fixes: true, Title: "a required field of a status",
		Explanation: "Several controllers may write a status, each its own part, and objects that were stored before the field existed have none. Fields of embedded structs are fields of the status as well. --fix marks a field without a marker as optional, unless it is also used elsewhere.",
		Bad: `
// +kubebuilder:subresource:status
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Status Status ´json:"status,omitzero"´
}

type Status struct {
	Replicas int32 ´json:"replicas"´
}`,
		Good: `
// +kubebuilder:subresource:status
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Status Status ´json:"status,omitzero"´
}

type Status struct {
	// +optional
	Replicas int32 ´json:"replicas"´
}`,
	}
	listWithoutType = &diag.Kind{
		Code: "SG259", Severity: diag.Warning, Off: true, Fixes: true, Title: "a list that does not say how it is merged",
		Explanation: "Server-side apply replaces a list as a whole unless +listType says otherwise: of two clients that each apply elements, one loses. --fix writes +listType=atomic, which keeps that. Of objects, a set is reported as well: use map with +listMapKey.",
		Bad:         `Names []string ´json:"names"´`,
		Good: `
// +listType=atomic
Names []string ´json:"names"´`,
	}
	emptyElements = &diag.Kind{
		Code: "SG260", Severity: diag.Warning, Off: true, Title: "a list of structs without a required field",
		Explanation: "In YAML, an element that may be empty is easily split in two by a dash too many, and nothing refuses it. Require a field, such as a name, or write a union.",
		Bad: `
type Spec struct {
	Ports []Port ´json:"ports"´
}

type Port struct {
	// +optional
	Number *int32 ´json:"number,omitempty"´
}`,
		Good: `
type Spec struct {
	Ports []Port ´json:"ports"´
}

type Port struct {
	// +required
	Number *int32 ´json:"number,omitempty"´
}`,
	}
	unusualConditions = &diag.Kind{
		Code: "SG261", Severity: diag.Warning, Off: true, Fixes: true, Title: "conditions that are not declared as in Kubernetes",
		Explanation: "kubectl wait and other clients read conditions of type []metav1.Condition, as a map by their type, so that each controller owns its own. They are optional, and the first field of the status.",
		Bad:         `Conditions []metav1.Condition ´json:"conditions,omitempty"´`,
		Good: `
// +listType=map
// +listMapKey=type
// +optional
Conditions []metav1.Condition ´json:"conditions,omitempty"´`,
	}
	noMaximum = &diag.Kind{
		Code: "SG262", Severity: diag.Warning, Off: true, Title: "a string, list or map without a maximum",
		Explanation: "Only the limit on requests bounds it. The API server estimates the cost of CEL rules with the largest value possible, and refuses rules for that reason. Enums, and formats such as date-time, are bounds.",
		Bad:         `Name string ´json:"name"´`,
		Good: `
// +kubebuilder:validation:MaxLength=63
Name string ´json:"name"´`,
	}
	noMinimum = &diag.Kind{
		Code: "SG263", Severity: diag.Warning, Off: true, Title: "a string, list, map or struct without a minimum",
		Explanation: "Users have to know whether an empty value is valid, and means the same as a missing one. A minimum says so, also if it is 0.",
		Bad:         `Name string ´json:"name"´`,
		Good: `
// +kubebuilder:validation:MinLength=1
Name string ´json:"name"´`,
	}
	statusNotSubresource = &diag.Kind{
		Code: "SG264", Severity: diag.Warning, Off: true, Title: "a status that is not a subresource",
		Explanation: "Without the subresource, users can write the status, and a controller that updates it may overwrite a change of the spec. The reverse, a subresource without a status, is reported as well. The API of a released kind changes with the marker, so --fix does not write it.",
		Bad: `
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Status Status ´json:"status,omitzero"´
}

type Status struct {
	// +optional
	Replicas int32 ´json:"replicas,omitempty"´
}`,
		Good: `
// +kubebuilder:subresource:status
type Widget struct {
	metav1.TypeMeta   ´json:",inline"´
	metav1.ObjectMeta ´json:"metadata,omitempty"´

	Status Status ´json:"status,omitzero"´
}

type Status struct {
	// +optional
	Replicas int32 ´json:"replicas,omitempty"´
}`,
	}
	otherName = &diag.Kind{
		Code: "SG265", Severity: diag.Warning, Off: true, Fixes: true, Title: "a marker that Kubernetes' generators do not know",
		Explanation: "+optional and +required mean the same in all generators; +kubebuilder:validation:Optional and +kubebuilder:validation:Required only in controller-gen and here.",
		Bad: `
// +kubebuilder:validation:Optional
Color string ´json:"color,omitempty"´`,
		Good: `
// +optional
Color string ´json:"color,omitempty"´`,
	}
	convertedValue = &diag.Kind{
		Code: "SG267", Severity: diag.Warning, Off: true, Title: "a value of an enum that YAML does not read as text",
		Explanation: "Users write objects in YAML. In YAML 1.1, which kubectl and the API server read, y, yes and on without quotes are true, n, no and off are false, and 1.0 is a number: the API server refuses the value, because it is not a string. Enabled and Disabled need no quotes. A new value is a change of the API, so --fix does not make it.",
		Bad: `
// +kubebuilder:validation:Enum=On;Off
Mode string ´json:"mode"´`,
		Good: `
// +kubebuilder:validation:Enum=Enabled;Disabled
Mode string ´json:"mode"´`,
	}
)

// Codes returns the kinds of diagnostics of this package, in the order of their codes.
func Codes() []*diag.Kind {
	return []*diag.Kind{
		commentStart, nameNotCamelCase, namedPhase, namedReference, namedTimestamp,
		boolField, otherInteger, floatNumber, mapOfObjects, nullableField, durationField,
		unmarked, requiredDefault, defaultNotOptional, optionalWritten, optionalZero, requiredZero, requiredWritten, requiredStatus,
		listWithoutType, emptyElements, unusualConditions, noMaximum, noMinimum,
		statusNotSubresource, otherName, convertedValue,
	}
}
