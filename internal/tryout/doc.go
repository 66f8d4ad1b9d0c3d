// Package tryout tries the objects in files on a server that is not there (package dryrun), and
// writes them as the server would store them. It knows files and output, but no flags.
package tryout
