// Package publish produces the documents that the API server would publish for custom
// resources (KEP "Publish CRD OpenAPI"): OpenAPI v2 for all of them and OpenAPI v3 for each
// group version. From the same definitions it produces JSON Schemas.
//
// It knows the model of schemas, unions, and what the server publishes about every
// resource. It knows neither where a definition came from nor the server's code:
// definitions that are the same for all resources (ObjectMeta, Status, request parameters)
// are in static.json, which a test generates from the linked API server libraries. Tests
// also compare our documents with the server's.
//
//   - [Resources] returns the served versions of a definition; [Conflicts] returns which of
//     them cannot be published together.
//   - schema.go renders a schema, v2.go removes what OpenAPI v2 does not support and reports
//     it, paths.go renders the operations, and document.go assembles the documents. A
//     [Publisher] does this repeatedly (publisher.go).
//   - handler.go serves the documents that kubectl needs, and discovery.go the discovery
//     documents.
//   - jsonschema.go renders JSON Schemas, jsonunions.go the unions in them, jsonvalues.go
//     value validations, and jsonpattern.go patterns.
package publish

//go:generate go test . -run TestStatic|TestLitmus -update
