package project

import "github.com/schemagen/schemagen/diag"

// Kinds of diagnostics of this package, in the order of their codes.
var (
	wrongFile = &diag.Kind{
		Code: "SG507", Fixes: true, Title: "a mistake in schemagen.yaml",
		Explanation: "A key is unknown or stands twice, a value is of the wrong type, or a path is not there. docs/config.md describes the file; --no-config does without it.",
	}
	unusedWaiver = &diag.Kind{
		Code: "SG508", Severity: diag.Warning, Title: "a waiver that takes nothing back",
		Explanation: "schemagen.yaml waives a code in files that have no such finding. A run of schemagen crd for all packages of the file says so, or schemagen verify of the files.",
	}
)

// Codes returns the kinds of diagnostics that this package reports, in the order of their
// codes.
func Codes() []*diag.Kind {
	return []*diag.Kind{
		wrongFile, unusedWaiver,
	}
}
