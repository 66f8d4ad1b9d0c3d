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
// The package knows neither Go nor this project.
package inputs
