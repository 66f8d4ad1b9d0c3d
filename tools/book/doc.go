// Package book tests the site that Hugo makes from docs/*.md: make book.
//
//   - hugo.toml: what becomes what
//   - content/_content.gotmpl: a page for each file of docs/
//   - layouts: pages, links, tables, the search index
//   - assets: styles and search; the programs of the playground's page are in web/playground
package book
