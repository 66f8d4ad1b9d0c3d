// Package containmenttest makes kinds in two channels, and objects of them, for tests of
// containment.
package containmenttest
