package gatesrun

import "github.com/schemagen/schemagen/diag"

// cannotMove is reported if a gate can be neither graduated nor retired.
var cannotMove = &diag.Kind{
	Code: "SG515", Title: "a gate that cannot be graduated or retired",
	Explanation: "`schemagen gates graduate` and `schemagen gates retire` write nothing if Go code uses a declaration that would be gone, if a declaration shares its lines with other code, if a package would be gone, if a condition cannot be read, if two markers would both hold, or if a tag of Gateway API depends on the gate. Change the code first. Generated files do not count: a note names those that have to be generated again afterwards.",
	Bad: `
$ schemagen gates retire Burst ./...
-- v1/types.go --
// +schemagen:when(Burst)
Burst *int32 ´json:"burst,omitempty"´
-- v1/burst.go --
package v1

func BurstOf(s Spec) *int32 { return s.Burst }`,
	Good: `
-- v1/burst.go --
package v1`,
}

// Codes returns the kinds of diagnostics of this package, in the order of their codes.
func Codes() []*diag.Kind { return []*diag.Kind{cannotMove} }
