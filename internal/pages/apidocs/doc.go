// Package apidocs renders the documentation of custom resources for the users of an
// operator. The page is a single HTML file that needs nothing else: its template, style
// and script are plain files in page/, without a build step. Texts of definitions are data
// in it, which only the script displays, and never as HTML.
//
// template.go has the data and functions of templates for other formats, of which asciidoc.tmpl is
// one; asciidoc.go writes descriptions for it.
package apidocs
