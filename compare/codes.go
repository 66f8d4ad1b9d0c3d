package compare

import (
	"fmt"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/changekind"
)

// The kinds of diagnostics of this package, in the order of their codes.
var (
	breakingStored = &diag.Kind{
		Code: "SG811", Title: "a change breaks stored objects",
		Explanation: "A stored object that was valid cannot be kept as it is: the server rejects the new definition, drops or changes data when it reads the object, or rejects an update that does not touch the invalid value. docs/diff.md lists the kinds of changes.",
		Bad: `
$ schemagen diff ./old ./new
-- old/types.go --
Name string ´json:"name"´
Size *int32 ´json:"size,omitempty"´
-- new/types.go --
Name string ´json:"name"´`,
		Good: `
-- new/types.go --
Name string ´json:"name"´
Size *int32 ´json:"size,omitempty"´`,
	}
	breakingClients = &diag.Kind{
		Code: "SG812", Title: "a change breaks clients",
		Explanation: "Stored objects can be kept, but something that a client may send under the old definition is rejected or stored differently.",
		Bad: `
$ schemagen diff ./old ./new
-- old/types.go --
// +kubebuilder:validation:MaxLength=63
Name string ´json:"name"´
-- new/types.go --
// +kubebuilder:validation:MaxLength=10
Name string ´json:"name"´`,
		Good: `
-- new/types.go --
// +kubebuilder:validation:MaxLength=63
Name string ´json:"name"´`,
	}
	safeChange = &diag.Kind{
		Code: "SG813", Severity: diag.Note, Title: "a change is safe",
		Explanation: "Everything that the old definition allowed is still accepted and kept. Clients that read objects may see new values.",
		Bad: `
$ schemagen diff ./old ./new
-- old/types.go --
// +kubebuilder:validation:MaxLength=10
Name string ´json:"name"´
-- new/types.go --
// +kubebuilder:validation:MaxLength=63
Name string ´json:"name"´`,
		Good: `
-- new/types.go --
// +kubebuilder:validation:MaxLength=10
Name string ´json:"name"´`,
	}
	changeNotUnderstood = &diag.Kind{
		Code: "SG814", Title: "the effect of a change is unknown",
		Explanation: "schemagen diff does not know the effect of this difference, and treats it as one that breaks stored objects.",
		Bad: `
$ schemagen diff old.yaml new.yaml
-- old.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  preserveUnknownFields: true
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        $schema: http://json-schema.org/draft-04/schema
-- new.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  preserveUnknownFields: true
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        $schema: https://json-schema.org/draft/2020-12/schema`,
		Good: `
-- new.yaml --
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets}
  scope: Namespaced
  preserveUnknownFields: true
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        $schema: http://json-schema.org/draft-04/schema`,
	}
	waivedChange = &diag.Kind{
		Code: "SG815", Severity: diag.Note, Title: "a change was allowed",
		Explanation: "The marker +schemagen:allowChange in Go or the comment # schemagen:ignore KIND reason in YAML allows it. It does not affect the exit code.",
		Bad: `
$ schemagen diff ./old ./new
-- old/types.go --
// +kubebuilder:validation:MaxLength=63
Name string ´json:"name"´
-- new/types.go --
// +schemagen:allowChange:kind=maxLength-lowered,reason="names have at most 10 characters"
// +kubebuilder:validation:MaxLength=10
Name string ´json:"name"´`,
		Good: `
-- new/types.go --
// +kubebuilder:validation:MaxLength=63
Name string ´json:"name"´`,
	}
)

// Codes returns the kinds of diagnostics that this package reports, in the order of their
// codes.
func Codes() []*diag.Kind {
	return []*diag.Kind{
		breakingStored, breakingClients, safeChange, changeNotUnderstood, waivedChange,
	}
}

// Diagnostic returns the change as a diagnostic. It is an error if counts is set.
func (c *Change) Diagnostic(counts bool) diag.Diagnostic {
	kind := safeChange
	severity := diag.Note
	more := ""
	switch c.Category {
	case BreaksClients:
		kind = breakingClients
	case BreaksStored:
		kind = breakingStored
	}
	switch {
	case c.Waived != "":
		kind = waivedChange
		more = fmt.Sprintf(" (%s; allowed: %s)", c.Category, c.Waived)
	case c.Kind == changekind.NotUnderstood:
		kind = changeNotUnderstood
		fallthrough
	case c.Category != Safe:
		severity = diag.Warning
		more = fmt.Sprintf(" (%s)", c.Category)
	}
	if counts {
		severity = diag.Error
	}
	pos, related := c.Position()
	return kind.At(pos, "", "%s: %s%s: %s%s", c.Subject(), c.Kind, c.Values(), c.Reason+c.Elsewhere(), more).As(severity).With(related...)
}

// Values returns the old and new values in parentheses, after a blank.
func (c *Change) Values() string {
	switch {
	case c.Old != "" && c.New != "":
		return fmt.Sprintf(" (%s → %s)", c.Old, c.New)
	case c.Old != "":
		return fmt.Sprintf(" (was %s)", c.Old)
	case c.New != "":
		return fmt.Sprintf(" (%s)", c.New)
	}
	return ""
}
