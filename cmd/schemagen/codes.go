package main

import "github.com/schemagen/schemagen/diag"

// The kinds of diagnostics of the command, in the order of their codes.
var (
	idleComment = &diag.Kind{
		Code: "SG502", Severity: diag.Warning, Title: "a comment that ignores nothing",
		Explanation: "# schemagen:ignore CODE reason takes back one code on its own and the next line, # schemagen:ignore-file CODE reason in the whole file; // in Go. The code must exist, a reason must be given, and there must be something to ignore.",
	}
	noCRD = &diag.Kind{
		Code: "SG503", Severity: diag.Warning, Title: "no CRD to verify",
		Explanation: "None of the files has a CustomResourceDefinition.",
	}
)

// commandCodes are the kinds of diagnostics that the command itself reports, in the order of their codes.
func commandCodes() []*diag.Kind {
	return []*diag.Kind{
		idleComment, noCRD,
	}
}
