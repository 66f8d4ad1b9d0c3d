// Package generation is the flow of one run of the generators, for every command that runs them:
//
//	Invocation  what a command line gives, in schemagen's or in controller-gen's syntax
//	Settings    that, completed by schemagen.yaml and the layout of the project: settle
//	Outcome     findings and files, judged, of a generator: execute, [Settings.Execute]
//	            written, compared or printed: [Settings.Finish]
//
// Each step is a function of the values before it, so that a run can be repeated: by --watch for
// each change, by --fix for each round, by an editor for each edit. What such runs share is a
// [Session].
//
// Read the files in this order:
//
//   - settle.go: an invocation becomes settings
//   - ways.go: where schemagen generate would write other bytes
//   - run.go: settings become an outcome, and that is finished
//   - fix.go, watch.go: runs that are repeated
//   - values.go: the values of settings and their flags
//   - gofiles.go: runs of unions, conversions and gates
//   - definitions.go: for commands that read definitions, from files or packages
package generation
