package definitions

import (
	"cmp"
	"strings"

	"github.com/schemagen/schemagen/diag"
)

// The kinds of diagnostics of this package, in the order of their codes.
var (
	idleComment = &diag.Kind{
		Code: "SG502", Severity: diag.Warning, Title: "an ignore comment has no effect",
		Explanation: "# schemagen:ignore CODE reason suppresses one code on its own and the next line, # schemagen:ignore-file CODE reason in the whole file; in Go, the comments begin with //. The code must exist, a reason must be given, and there must be a finding to suppress.",
		Bad:         "$ schemagen verify crd.yaml\n-- crd.yaml --\n# spec.versions[0].schema.openAPIV3Schema\ntype: object\nproperties:\n  # schemagen:ignore SG607 a webhook sets it\n  size: {type: integer, maximum: 1}",
		Good:        "-- crd.yaml --\n# spec.versions[0].schema.openAPIV3Schema\ntype: object\nproperties:\n  size: {type: integer, maximum: 1}",
	}
	noCRD = &diag.Kind{
		Code: "SG503", Severity: diag.Warning, Title: "no CRD found",
		Explanation: "None of the files contains a CustomResourceDefinition. This is an error for commands that generate something from CRDs, such as docs and jsonschema, and nothing is written.",
		Bad:         "$ schemagen verify .\n-- widget.yaml --\napiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a}",
		Good:        "-- crd.yaml --\n# spec.versions[0].schema.openAPIV3Schema\ntype: object",
	}
	// UnusedWaiver is reported for a comment or marker that allows no change.
	UnusedWaiver = &diag.Kind{
		Code: "SG816", Severity: diag.Warning, Title: "a comment allows no change",
		Explanation: "The change that it allows was not made, or was released long ago. It is an error if the kind of change does not exist or no reason is given.",
		Bad:         "$ schemagen diff ./old ./new\n-- old/types.go --\n// +kubebuilder:validation:MaxLength=63\nName string `json:\"name\"`\n-- new/types.go --\n// +schemagen:allowChange:kind=maxLength-lowered,reason=\"names have at most 10 characters\"\n// +kubebuilder:validation:MaxLength=63\nName string `json:\"name\"`",
		Good:        "-- new/types.go --\n// +kubebuilder:validation:MaxLength=63\nName string `json:\"name\"`",
	}
)

// NoCRDIn reports that there is no definition in names, which are the default unless the user
// has given them.
func NoCRDIn(names []string, given bool) diag.Diagnostic {
	hint := "name files or directories with CRDs, or Go packages such as ./api/..."
	if !given {
		hint = "run schemagen crd first, or " + hint + "; the default is outputs.crd in schemagen.yaml, config/crd/bases, config/crd, or else the working directory"
	}
	return noCRD.At(diag.Position{}, hint, "no CRD found in %s", cmp.Or(strings.Join(names, ", "), "."))
}

// Codes returns the kinds of diagnostics that the package reports.
func Codes() []*diag.Kind { return []*diag.Kind{idleComment, noCRD, UnusedWaiver} }
