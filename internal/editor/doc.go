// Package editor is a workspace as an editor has it open: files whose text replaces that on
// disk, and the findings of runs on them.
//
//	session := editor.New(editor.Config{Run: run, Publish: publish})
//	session.Open(name, version, text)      // likewise Change, Close, Touch
//	session.Fixes(ctx, name, lines)        // of the findings in these lines
//	session.End()
//
// Each change starts a run in the directories of the open files, in which the command would
// be run (roots.go), and cancels one that it overtakes. Findings are published only if no file
// has changed since their run began; so none is ever about a text that the editor no longer
// has. If a run takes long, what is known before its end is published first (early.go).
//
// The package knows files, offsets and diagnostics, but no protocol, and it writes nothing.
//
// Read the files in this order:
//
//   - editor.go: a session, its files and its runs
//   - roots.go: the directories to run in
//   - findings.go: positions of findings, and their fixes
//   - early.go: findings that are known before the end of a run
//   - cache.go, programs.go: results of verification, and what the last runs have found out
//   - cursor.go: the marker at an offset, from the tokens of a file that need not be valid Go
//   - complete.go: markers are completed and explained from their table
package editor
