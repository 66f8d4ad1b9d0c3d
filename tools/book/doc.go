// Package book tests the site that Hugo makes from docs/*.md: make book.
//
//   - hugo.toml: what becomes what
//   - content/_content.gotmpl: a page for each file of docs/
//   - layouts: pages, links, tables, the search index
//   - assets: styles, search, and the page of the playground, whose program is in web/playground
package book
