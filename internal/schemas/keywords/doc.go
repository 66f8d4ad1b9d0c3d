// Package keywords is the table of the keywords that a schema can have, and writes the own keywords of a node.
package keywords
