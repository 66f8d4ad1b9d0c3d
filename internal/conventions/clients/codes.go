package clients

import "github.com/schemagen/schemagen/diag"

// Kinds of diagnostics.
var (
	unsetRefused = &diag.Kind{
		Code: "SG270", Severity: diag.Warning, Off: true, Fixes: true, Title: "an unset field that Go clients send and the API server refuses",
		Explanation: "Users may leave the field out, but a Go client that does not set it sends its zero value, which the schema does not allow. omitempty has no effect on structs: use omitzero (Go 1.24) or a pointer.",
		Bad: `
// +optional
// +kubebuilder:validation:Enum=red;blue
Color string ´json:"color"´
Name string ´json:"name"´`,
		Good: `
// +optional
// +kubebuilder:validation:Enum=red;blue
Color string ´json:"color,omitempty"´
Name string ´json:"name"´`,
	}
	defaultOverridden = &diag.Kind{
		Code: "SG271", Severity: diag.Warning, Off: true, Title: "a default that Go clients override without intention",
		Explanation: "The API server sets a default where a field is missing. A Go client that does not set the field sends its zero value, which is valid, so the default has no effect. With omitempty it could not send the zero value at all (SG272), so the field has to be a pointer; --fix does not make it one, because code that uses the field changes.",
		Bad: `
// +kubebuilder:default=3
Replicas int32 ´json:"replicas"´
Name string ´json:"name"´`,
		Good: `
// +kubebuilder:default=3
// +optional
Replicas *int32 ´json:"replicas,omitempty"´
Name string ´json:"name"´`,
	}
	zeroOmitted = &diag.Kind{
		Code: "SG272", Severity: diag.Warning, Off: true, Fixes: true, Title: "a zero value that Go clients cannot send",
		Explanation: "The schema allows the value, but Go clients omit the field then, and the API server sets its default, or misses it. This also happens to a controller that reads an object with the value and updates it. omitzero sends empty lists and maps that are not nil; other fields have to be pointers.",
		Bad: `
// +kubebuilder:default={admin}
// +optional
Roles []string ´json:"roles,omitempty"´`,
		Good: `
// +kubebuilder:default={admin}
// +optional
Roles []string ´json:"roles,omitzero"´`,
	}
	nilRefused = &diag.Kind{
		Code: "SG273", Severity: diag.Warning, Off: true, Title: "an empty list that Go clients send as null and the API server refuses",
		Explanation: "In Go, a list or map without elements is nil unless somebody makes it otherwise, and nil is null in JSON. The API server drops null where it is not allowed, and then misses the required field, although it would accept an empty list.",
		Bad: `
Names []string ´json:"names"´
Name string ´json:"name"´`,
		Good: `
// +optional
Names []string ´json:"names,omitempty"´
Name string ´json:"name"´`,
	}
	unreadable = &diag.Kind{
		Code: "SG274", Severity: diag.Warning, Off: true, Fixes: true, Title: "a value that the API server stores and Go clients cannot read",
		Explanation: "The API server does not check the format int32, nor that a string is a duration. A single object with such a value keeps clients in Go from listing all objects of its kind, and controllers from starting. --fix writes the bounds of integers.",
		Bad:         `Replicas int32 ´json:"replicas"´`,
		Good: `
// +kubebuilder:validation:Minimum=-2147483648
// +kubebuilder:validation:Maximum=2147483647
Replicas int32 ´json:"replicas"´`,
	}
	lost = &diag.Kind{
		Code: "SG275", Severity: diag.Warning, Off: true, Title: "a part of an object that Go clients lose",
		Explanation: "The schema lets the API server store something that the Go type does not have: unknown fields, or null where a missing field has a default. A client that reads the object and updates it removes that.",
		Bad: `
type Spec struct {
	Name string ´json:"name"´
	// +kubebuilder:pruning:PreserveUnknownFields
	Config Config ´json:"config"´
}

type Config struct {
	Name string ´json:"name"´
}`,
		Good: `
type Spec struct {
	Name string ´json:"name"´
	// +kubebuilder:pruning:PreserveUnknownFields
	Config runtime.RawExtension ´json:"config"´
}`,
	}
	rewritten = &diag.Kind{
		Code: "SG276", Severity: diag.Warning, Off: true, Title: "a value that Go clients write in another form",
		Explanation: "Quantities, durations and times have several forms, of which Go clients write one: a client that reads an object and updates it changes the text. Tools that compare texts, and rules such as self == oldSelf, see a change that nobody made. The status is not checked, because only Go clients write it.",
		Bad:         `Timeout metav1.Duration ´json:"timeout"´`,
		Good:        `TimeoutSeconds int64 ´json:"timeoutSeconds"´`,
	}
	rewrittenRefused = &diag.Kind{
		Code: "SG277", Severity: diag.Warning, Off: true, Title: "a value that Go clients write in a form that the API server refuses",
		Explanation: "A user may write the value as it is, but a Go client that reads the object and updates it writes another form, which the schema or a rule refuses: no controller can update such an object.",
		Bad: `
// +kubebuilder:validation:XValidation:rule="self == oldSelf"
Timeout metav1.Duration ´json:"timeout"´`,
		Good: `
// +kubebuilder:validation:XValidation:rule="self == oldSelf"
TimeoutSeconds int64 ´json:"timeoutSeconds"´`,
	}
)

// Codes returns the kinds of diagnostics of this package, in the order of their codes.
func Codes() []*diag.Kind {
	return []*diag.Kind{unsetRefused, defaultOverridden, zeroOmitted, nilRefused, unreadable, lost, rewritten, rewrittenRefused}
}
