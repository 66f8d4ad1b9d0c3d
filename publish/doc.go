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
// Read the files in this order:
//
//   - resource.go: the served versions of definitions, and which of them cannot be published together
//   - schema.go, paths.go: a schema and the operations of a resource as OpenAPI
//   - v2.go: what OpenAPI v2 does not support is removed, and reported
//   - static.go: what is the same for every resource
//   - document.go: the documents
//   - publisher.go: the same repeatedly. A document is joined from the texts that its resources add,
//     so a changed definition renders only its own part; for protobuf, too, because concatenated
//     messages are one message
//   - handler.go, discovery.go: the documents and discovery documents that kubectl requests
//   - jsonschema.go, jsonunions.go, jsonvalues.go, jsonpattern.go: JSON Schemas, with unions,
//     restrictions and patterns
//   - unionproblems.go: why x-kubernetes-unions is not published
package publish

//go:generate go test . -run TestStatic|TestLitmus -update
