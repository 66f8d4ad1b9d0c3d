// Package compare determines how a change of CustomResourceDefinitions affects stored
// objects and clients: not which lines differ, but what a server does afterwards.
//
// Every change has a category:
//
//   - It [BreaksStored] objects if a stored object that was valid cannot be kept as it is:
//     the server rejects the new definition; data is dropped or changed when the object is
//     read or written back; a server-side apply of it fails; or an update is rejected although
//     it does not touch the values that the new schema forbids. The API server ratchets
//     (KEP-4008): an invalid value is accepted as long as it does not change. That does not
//     help if an object, a list or a map is invalid as a whole and something else in it
//     changes; below a list without keys, whose elements cannot be correlated; or for a rule
//     that fails to evaluate instead of being violated.
//   - It [BreaksClients] if every stored object can be kept, but something that a client may
//     send under the old definition is rejected or stored differently, or a request is no
//     longer served.
//   - It is [Safe] otherwise. Clients that read objects may see something new: more enum
//     values, more union members, missing fields. That is safe, and the reason mentions it.
//
// A difference that no rule explains has the kind "not-understood", which counts as breaking stored
// objects. Two definitions without changes mean the same to a server.
//
// The table in testdata/changes compares the categories with a real API server.
//
// Read the files in this order:
//
//   - compare.go: changes, their categories, and the comparison of many definitions
//   - kinds.go: the kinds of changes
//   - definition.go: two definitions, apart from their schemas
//   - schema.go: two schemas are walked in parallel; each row of its table explains the differences in
//     some fields of the model
//   - values.go, junctors.go, rules.go, unions.go: the rows, by subject
//   - same.go, implied.go: parts that mean the same, and conditions that the old schema implies
//   - resource.go: the fields that every resource has
//   - conversions.go: what conversions between versions lose
//   - group.go: equal changes in several places become one
//   - codes.go: the codes of the diagnostics
package compare
