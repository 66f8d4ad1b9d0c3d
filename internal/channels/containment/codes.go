package containment

import "github.com/schemagen/schemagen/diag"

// NotContained is reported for what a channel accepts and one that contains it does not.
var NotContained = &diag.Kind{
	Code: "SG328", Severity: diag.Warning, Title: "a channel that does not contain a smaller one",
	Explanation: "The CRDs of the wide channel have to accept and store whatever those of the narrow one do, so that objects can move to clusters with the wide channel; requests and server-side applies of their clients have to work as before. It is an error for pairs of channels in contains of schemagen.yaml, and a warning for other pairs of which one channel has all gates of the other. A rule is no finding if it holds for every object of the narrow channel. +schemagen:allowChange allows what cannot be avoided. docs/gates.md describes it.",
	Bad: `
$ schemagen crd ./...
-- schemagen.yaml --
channels:
  standard: []
  experimental: [Zones]
contains: [{narrow: standard, wide: experimental}]
-- api/types.go --
// +schemagen:when(Zones)
// +required
Zone string ´json:"zone"´
Rate int32 ´json:"rate"´`,
	Good: `
-- api/types.go --
// +schemagen:when(Zones)
// +optional
Zone string ´json:"zone,omitempty"´
Rate int32 ´json:"rate"´`,
}

// Codes returns the kinds of diagnostics that this package reports.
func Codes() []*diag.Kind { return []*diag.Kind{NotContained} }
