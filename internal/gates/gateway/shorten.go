package gateway

import (
	"strings"

	"github.com/schemagen/schemagen/structural"
)

// Shorten returns the description of a node, shortened by a function that sees it without tags.
// The tags that are more than text are hidden in the result.
func (t *Tags) Shorten(s *structural.Schema, shorten func(string) string) string {
	if !strings.Contains(s.Description, t.Prefix+":") {
		return shorten(s.Description)
	}
	out := shorten(t.text(s))
	if strings.Contains(s.Description, t.start(Gate)) {
		out += inherited + t.start(Gate)
	}
	return t.Inherited(out, s.Description)
}
