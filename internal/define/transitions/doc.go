// Package transitions enforces markers that restrict updates of a field, +schemagen:readOnly,
// in finished definitions.
//
// A rule that compares a field with its old value is evaluated only where both exist, so a rule
// of the field itself would allow the field to be removed and set anew. The rule of a read-only
// field therefore belongs to the nearest object above that no update can remove: the root, an
// object that is required up to there, or an element of a map or keyed list, which the server
// compares with the old element of the same key.
//
// The package knows schemas and definitions. It knows neither Go declarations nor how markers
// are parsed.
//
// It also weakens rules that compare an object with its old version where the server cannot find
// that, or would refuse them for their cost (ratchets.go).
package transitions
