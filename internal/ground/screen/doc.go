// Package screen prepares text for people who read it on a terminal or in the log of a
// workflow.
//
// Text from outside is escaped by [Line] and [Lines], and once more by [Terminal], so that it
// neither controls the terminal nor imitates commands and findings. [Paint] adds styles, and
// [Relative] shortens the names of files. [Documents] returns the writer for output that
// programs read, and [WriteJSON] writes such output.
package screen
