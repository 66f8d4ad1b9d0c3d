package project

import "github.com/schemagen/schemagen/diag"

// Kinds of diagnostics of this package, in the order of their codes.
var (
	invalidFile = &diag.Kind{
		Code: "SG507", Fixes: true, Title: "a mistake in schemagen.yaml",
		Explanation: "A key is unknown or duplicated, a value has the wrong type, or a path does not exist. docs/config.md describes the file; --no-config ignores it.",
		Bad: `
$ schemagen crd
-- schemagen.yaml --
paths: [./v1]
outputs:
  crds: config/crd/bases
-- v1/types.go --
Name string ´json:"name"´`,
		Good: `
-- schemagen.yaml --
paths: [./v1]
outputs:
  crd: config/crd/bases`,
	}
	unusedWaiver = &diag.Kind{
		Code: "SG508", Severity: diag.Warning, Title: "a waiver that suppresses nothing",
		Explanation: "schemagen.yaml waives a code in files that have no such finding. It is reported by schemagen crd if it runs for all packages in the file, in all channels, and would report the code: only with the generators rbac and webhook for their markers, with the rule for a convention, and with verification for what the API server says; and by schemagen verify for the files that it checks.",
		Bad: `
$ schemagen crd
-- schemagen.yaml --
paths: [./...]
waivers:
- code: SG217
  path: v1/*.go
  reason: a webhook rejects negative numbers
-- v1/types.go --
Replicas int32 ´json:"replicas"´`,
		Good: `
-- schemagen.yaml --
paths: [./...]`,
	}
)

// Codes returns the kinds of diagnostics that this package reports, in the order of their
// codes.
func Codes() []*diag.Kind {
	return []*diag.Kind{
		invalidFile, unusedWaiver,
	}
}
