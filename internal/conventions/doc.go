// Package conventions checks the conventions of Kubernetes APIs, which are off by default: each
// [Rule] is a kind of diagnostics with a function that looks at one field, or at one kind.
//
// A field is what Go declares together with the schema that came of it, so that a rule sees the
// bounds of a named type, an override or a tag in the same way as those of a marker. Only fields
// of the user's packages that occur in a definition are checked. The package does not change
// anything; whether the API server accepts a definition is decided elsewhere.
//
// Read the files in this order:
//
//   - conventions.go: [Rules], the list of all, and the fields that they look at
//   - pass.go: the pass of a run
//   - steps.go: the type of a field and its schema, walked at once
//   - subjects.go: names of fields, by which findings of two versions of the source are compared
//   - names.go, types.go, presence.go, lists.go: rules about fields, by subject; what clients send for
//     unset fields is asked of package clients
//   - kinds.go: rules about kinds
//   - codes.go: the codes of the diagnostics
package conventions
