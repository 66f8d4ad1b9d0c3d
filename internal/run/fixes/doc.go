// Package fixes applies the fixes of diagnostics to files, in memory and in rounds:
//
//	session := fixes.New(dir)
//	session.Fix(…, find)   // each round finds mistakes in the files with all fixes so far
//	session.Left()         // the files that must not be written, with the reason
//
// In a round, all fixes of a file are applied or none of them. A fix that overlaps another
// waits for the next round, in which the run reports it again if it still is one. A
// diagnostic with several alternative fixes is left to the user, and so is a warning whose fix
// causes an error: a misspelled marker may have been wrong in another way, too.
//
// The package knows diagnostics and Go syntax, but not what is wrong. Package output writes the
// files.
package fixes
