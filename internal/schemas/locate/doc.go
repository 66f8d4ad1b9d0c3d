// Package locate follows paths of schemas and of values, as the API server prints them, to the nodes of a schema
// and to the values of an object.
//
// Read the files in this order:
//
//   - locate.go: paths of schemas
//   - object.go: paths of values
package locate
