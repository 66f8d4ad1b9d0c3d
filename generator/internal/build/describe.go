package build

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// truncate shortens a description to at most limit bytes (and the dots behind
// it) as controller-gen's maxDescLen does: back to the end of the last
// sentence, or else of the last word. 0 removes it, a negative limit keeps it.
// A character that the limit cuts in two becomes U+FFFD, as it does in JSON.
func truncate(s string, limit int) string {
	if limit < 0 {
		return s
	}
	if limit == 0 || len(s) <= limit {
		return s[:min(len(s), limit)]
	}
	s = s[:limit]
	if n := strings.LastIndexFunc(s, func(r rune) bool { return unicode.Is(unicode.STerm, r) }); n > 0 {
		return validUTF8(s[:n+1])
	}
	if n := strings.LastIndexFunc(s, func(r rune) bool { return unicode.Is(unicode.White_Space, r) }); n > 0 {
		s = s[:n]
	}
	return validUTF8(s + "...")
}

// validUTF8 replaces each byte that is not part of a character, as
// encoding/json does.
func validUTF8(s string) string {
	if utf8.ValidString(s) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		b.WriteRune(r)
	}
	return b.String()
}
