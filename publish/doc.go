// Package publish makes the documents that the API server would publish for
// custom resources (KEP "Publish CRD OpenAPI"): OpenAPI v2 for all of them,
// OpenAPI v3 for each group version; and from the same definitions JSON Schemas,
// the explanation of a field, and documentation.
//
// It knows the model of schemas, unions, and what the server says about every
// resource. It does not know where a definition came from, and not the server's
// code: definitions that are the same for all resources (ObjectMeta, Status, the
// parameters of requests) are in static.json, which a test takes from the linked
// API server libraries, as it takes the documents that ours have to be equal to.
//
//   - [Resources] reads the served versions of a definition; [Conflicts] says which
//     of them cannot be published together.
//   - schema.go renders a schema, v2.go takes out what OpenAPI v2 does not have and
//     says what that was, paths.go has the operations, document.go puts them
//     together. A [Publisher] does that again and again (publisher.go).
//   - handler.go answers requests with documents, as far as kubectl needs them, and
//     discovery.go says what a server has.
//   - jsonschema.go renders JSON Schemas, jsonunions.go the unions in them,
//     jsonvalues.go what restricts values, and jsonpattern.go patterns.
//   - explain.go finds a field and what is to be said of it, explaintext.go and
//     explainwords.go say it. docs.go makes documentation of that; page/ is its page.
package publish

//go:generate go test . -run TestStatic|TestLitmus -update
