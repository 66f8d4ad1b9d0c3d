// Package generator generates CustomResourceDefinitions from Go packages.
//
// A kind is a struct that embeds metav1.TypeMeta and metav1.ObjectMeta. Markers, comments
// that begin with a plus sign, add what the Go type cannot express. [Run] reads packages and
// returns the CRDs of their kinds:
//
//	target, err := verify.NewTarget("1.35")
//	…
//	result, diagnostics, err := generator.Run(ctx, generator.Options{
//		Source: generator.Source{Patterns: []string{"./api/..."}},
//		Server: verify.New(target, verify.Options{}),
//	})
//
// Problems in the source are diagnostics; an error is a failure of the tool or its
// environment. If a diagnostic is an error, there are no CRDs. CRDs are checked with the API
// server's own code through [Server], so that package
// generator does not link it.
//
// The package reads files but does not write any. It does not know flags, the working
// directory of the process, or how files are written to disk.
//
// It is a thin layer over package define of internal, which the commands use themselves;
// internal.go converts the options.
package generator
