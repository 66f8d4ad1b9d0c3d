// Package playground computes everything that the playground of the book shows: from Go types, CRDs
// in YAML and an object, the CRDs, the findings about them, what an API server stores of the object,
// the documentation, and what changed since the previous version. It runs in the page, in a worker:
// nothing is sent to a server.
//
// A [State] is what people type and what a link has, and [Playground.Run] turns it into a [Result]:
//
//	sources, err := …                  // of the Go packages that types import
//	p, err := playground.New(sources)
//	result, err := p.Run(ctx, playground.State{
//		Files:  []playground.File{{Name: "types.go", Text: …}},
//		Object: "apiVersion: …",
//	})
//
// CRDs and findings are the same as those of schemagen crd, verify, try, docs and diff, whose
// packages it calls. It has neither a disk nor a go command: files are in memory, and golist lists
// packages from them. Types can import the packages that package sources lists.
//
// Read the files in this order:
//
//   - state.go: what goes in, and what comes out
//   - files.go: files in memory, as a module
//   - run.go: the steps of a run
//   - cursor.go: completions and explanations of markers
//   - sources: the packages that types can import, cut to declarations
//   - wasm: the program for the browser
//   - page: the page's programs, in JavaScript
//   - build: the files that the page loads
package playground
