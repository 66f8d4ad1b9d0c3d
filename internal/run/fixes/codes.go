package fixes

import "github.com/schemagen/schemagen/diag"

// notFixed is reported for files that --fix does not change.
var notFixed = &diag.Kind{
	Code: "SG511", Severity: diag.Warning, Title: "a file that --fix did not change",
	Explanation: "A finding in the file has a fix, but the file is read-only, outside the module (perhaps through a symlink), generated, or has another name by a hard link. Or it is not the one that was read any more: it changed during the run. Or it would not be valid Go with all of its fixes.",
}

// Codes returns the kinds of diagnostics of this package, in the order of their codes.
func Codes() []*diag.Kind { return []*diag.Kind{notFixed} }
