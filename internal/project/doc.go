// Package project reads schemagen.yaml: settings of the file and of --set, options of
// packages, markers for types of other modules, severities and waivers. It knows the format
// of the file and its valid values, and sets flags from it; it knows no commands.
//
// Read the files in this order:
//
//   - project.go: the file, and where it is found
//   - parse.go: its content, with all mistakes
//   - given.go: settings on the command line, which replace those of the file
//   - settings.go: the table of settings, each of which corresponds to a flag
//   - channels.go: the sections about channels
//   - layout.go: packages and CRDs of commands without arguments
//   - waivers.go, rules.go: severities, waivers and rules, which are applied just before findings are printed
//   - effective.go: the settings of a run, and the source of each
//   - initial.go: the text of a new file
//   - codes.go: the codes of the diagnostics
package project
