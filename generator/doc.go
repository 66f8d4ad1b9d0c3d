// Package generator generates CustomResourceDefinitions from Go packages.
//
// A kind is a struct that embeds metav1.TypeMeta and metav1.ObjectMeta; comments that begin
// with a plus sign, markers, say what its type cannot. [Run] reads packages and returns the
// CRDs of their kinds:
//
//	result, diagnostics, err := generator.Run(ctx, generator.Options{
//		Source: generator.Source{Patterns: []string{"./api/..."}},
//		Server: verify.New(target, verify.Options{}),
//	})
//
// A finding about the source is a diagnostic; an error is a failure of the tool or its
// surroundings. Where a diagnostic is an error there are no CRDs. What is generated is
// checked with an API server's own code, which comes in through [Server], so that package
// generator does not link it.
//
// The package reads files, but writes none. It does not know flags, the working directory
// of the process, or how files reach the disk.
package generator
