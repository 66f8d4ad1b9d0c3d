// Package review writes what the reviewer of a change to an API has to know on one page. [New]
// collects it from the definitions before and after the change, from what package compare found
// to be different, and from findings about API conventions:
//
//	Review        the whole change
//	Definition    one CRD: changes, new unions, costs of rules, size, samples, questions
//	Convention    findings of one code
//
// It is written as HTML, Markdown or JSON. The package neither generates definitions nor judges them,
// and texts of definitions are never markup in what it writes.
//
// Read the files in this order:
//
//   - review.go: what a review has
//   - costs.go, samples.go, nodes.go: costs of rules, samples, and parts of schemas that are new
//   - questions.go: the table of questions that no program can answer
//   - html.go, markdown.go: a review as a page, and as a comment
//   - report.go, reportjson.go: the changes alone, as schemagen diff prints them
package review
