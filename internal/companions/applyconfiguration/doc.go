// Package applyconfiguration runs code-generator's applyconfiguration-gen in the same way as
// controller-tools (pkg/applyconfiguration), with the schemas of package define. The types
// come from the source of the run, so nothing is loaded a second time. Files are returned, and
// whatever makes code-generator exit or panic is an error.
//
// controller-tools' own package links one (pkg/crd) that reads files in the working directory
// when a process starts.
//
// What is not certain to equal gengo's own model of the types is a source.Unsure error; then
// [GenerateLoaded] has to be called, for which controller-tools and gengo load everything themselves.
//
// Read the files in this order:
//
//   - generator.go: controller-gen's generator and its options
//   - run.go: [Generate] and [GenerateLoaded]
//   - package.go, groupversion.go: what a package asks for, and what the generated code refers to
//   - universe.go, comments.go: gengo's model of the types and their comments, from the source of the run
//   - files.go: generated files, in memory
//   - upstream.go: calls of code that exits the process or panics
//   - codes.go: the codes of the diagnostics
package applyconfiguration
