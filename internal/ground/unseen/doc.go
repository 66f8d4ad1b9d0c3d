// Package unseen finds the functions of a Go file that no generator looks at, so that a change
// of their text cannot change a run.
//
// Generators read types, constants, and comments with markers; of functions they read only a
// few, by name. All others can be left out of a file, with their doc comments. Package source
// leaves them out of everything that it returns, so that no generator can depend on them
// without intent.
//
// The rest of a file ([Rest]) has no trace of a function that was left out: adding or removing
// one does not change it. Therefore only functions are left out that do not affect the meaning
// of what is around them. Such a function
//
//   - begins at the start of a line, and is followed by an empty line, by another function, or
//     by the end of the file;
//   - has no comments around it, except for its doc comment and the comments inside. A comment
//     on the last line of the code before it, or on its own last line, counts as around it;
//   - has no comments that may be markers.
//
// Nothing is left out of generated files, which people do not edit, and of files with line
// directives, which affect the positions of everything after them.
//
// The package knows Go's tokens, but not its grammar. For a file with syntax errors the result
// has no meaning, but it depends only on the file.
//
// Tests compare it with go/parser over the standard library.
package unseen
