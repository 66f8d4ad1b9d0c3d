// Package terminal prints what people read while they wait: findings with the source that
// they are about, a summary at the end, and progress. Package diag makes other output, which
// programs and logs keep.
//
// No text from outside reaches the screen before [screen.Line] has escaped it, and an excerpt shows
// the bytes that the run has read.
//
// Read the files in this order:
//
//   - device.go: whether a stream is read by a person, with which width and styles
//   - console.go: the two streams of a process, the progress line, the summary
//   - findings.go: findings as text of several lines
//   - excerpt.go, cells.go: a line of source as it appears on a screen, with a part underlined
//   - extent.go: how far the source at a position extends
//   - sources.go: the texts that were read
package terminal
