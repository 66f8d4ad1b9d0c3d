// Package migrate makes a project call schemagen in place of controller-gen. It runs the project's own
// commands dry, in a copy, with programs that only log in the place of all but plain tools; compares the
// output of both programs for every call that was recorded; changes Makefiles and scripts by rules for
// text; and writes a change only if further dry runs prove it. It knows files and processes, but nothing
// about the content of schemagen's files.
//
// Programs from the repository run only with the user's consent.
//
// Read the files in this order:
//
//   - migrate.go: [Run], the whole flow, and the comparison of one call
//   - record.go: a dry run: its directory, environment and log become a recording
//   - shim.go: [Shim], the process in the place of another program
//   - call.go: one call of a generator
//   - edit.go: the rules that change text
//   - prove.go: the machines on which a changed project must make the same calls
//   - change.go: from a recording to a written change
//   - literal.go: a Makefile whose text is certain, without a dry run
//   - peers.go: the controller-gen of the project, and that of the release that schemagen reproduces
//   - copies.go, confine.go: copies of the project, which neither program may leave
//   - killgroup_unix.go, killgroup_other.go: how processes are ended
//   - settings.go: calls become settings for a new schemagen.yaml
package migrate
