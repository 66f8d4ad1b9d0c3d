// Package markers is the reference of the marker comments that schemagen reads: every marker with
// what it describes, its syntax and arguments, its effect, and an example with its output.
//
//	reference, err := markers.New()
//	err = reference.WriteMarkdown(os.Stdout)
//
// The names, arguments and meaning of +kubebuilder: markers come from controller-tools. The
// examples are executed: a test generates the output of each. How markers are found and parsed is
// in internal/markers, and [github.com/schemagen/schemagen/generator.Run] reports mistakes.
package markers
