// Package inputs reads everything that the result of a run depends on: files,
// directories, environment variables. A [Reader] records every query with the digest
// of its answer. The [Record] tells a later run whether each answer would still be the
// same, and hence the result.
//
// To find out, each query is repeated. A file's [snapshot.Stamp] makes that fast: as long as
// device, inode, size, modification time and change time are equal, the content is not
// read. The change time cannot be set, so an edit that preserves size and modification
// time is noticed. A file has no stamp, and is read again, if it changed so shortly
// before it was read that another change might get the same time, if the system has no
// change time, or, on Linux, while a process has it open for writing: of writes to
// mapped memory only the first one updates the times.
//
// A run may see only a part of a file ([Reader.ReadPart]). If another content has the same part,
// the result is the same; see [Sound].
//
// What a run derived from the content of a file can be kept in the record, for a later run that has another
// result because other files have changed ([Reader.Resume]).
//
// The package knows neither Go nor this project.
//
// Read the files in this order:
//
//   - inputs.go: queries, answered and recorded
//   - record.go: a record, its text, and whether it holds
//   - derived.go: what an earlier run derived from files that have not changed
//   - stamp.go, stamp_linux.go, stamp_other.go: stamps of files, and files that are being written
//   - facts.go: facts from which it follows that a record holds
package inputs
