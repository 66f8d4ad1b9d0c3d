// Package gotypes makes types from Go source as conversions need them: structs by the JSON names of
// their fields, and what encodes itself opaque. It knows neither markers nor versions.
package gotypes
