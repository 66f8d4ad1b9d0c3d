// Package review prints what a change to an API breaks. A [Report] is the changes, as package compare
// found them, with the comments that allow some. [New] adds to them what the reviewer of the change has
// to know, from the definitions before and after it, and from findings about API conventions:
//
//	Review        the whole change
//	Definition    one CRD: changes, new unions, costs of rules, size, samples, questions
//	Convention    findings of one code
//
// A review is a page of HTML or Markdown. The package neither generates definitions nor judges them,
// and texts of definitions are never markup in what it writes.
//
// Read the files in this order:
//
//   - changes.go: the report, and the table of changes that all formats write
//   - review.go: what a review has
//   - costs.go, samples.go, nodes.go: costs of rules, samples, and parts of schemas that are new
//   - questions.go: the table of questions that no program can answer
//   - html.go, markdown.go: a review as a page, and as a comment
package review
