// Package reference has the commands that print what is built into the program, whatever
// the project: markers and the codes of diagnostics.
package reference
