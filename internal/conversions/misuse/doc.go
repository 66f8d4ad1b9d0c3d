// Package misuse finds mistakes in markers of conversions, and in the functions that they name,
// for which fields need not be paired. It knows Go source, markers and schemas; it does not report
// what it finds.
package misuse
