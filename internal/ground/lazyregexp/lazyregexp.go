// Package lazyregexp compiles regular expressions on first use. Those of package variables
// would otherwise be compiled whenever the program starts, which took almost a millisecond.
package lazyregexp

import (
	"regexp"
	"sync"
)

// New returns a function that returns the regular expression, which must be valid. The
// function is safe for concurrent use.
func New(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}
