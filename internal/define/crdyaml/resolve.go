package crdyaml

import (
	"time"

	"github.com/schemagen/schemagen/internal/yamltext"
)

// isOtherType reports whether a plain scalar would be read as a null, a boolean, a number
// or a date, by the library's rules for YAML 1.1. s must not be empty.
func isOtherType(s string) bool {
	return !yamltext.IsText(s) || yamltext.IsSexagesimal(s) || isDate(s)
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

func isDate(s string) bool {
	if len(s) < 6 || s[4] != '-' || !isDigit(s[1]) || !isDigit(s[2]) || !isDigit(s[3]) || !isDigit(s[5]) {
		return false
	}
	for _, layout := range [...]string{
		"2006-1-2T15:4:5.999999999Z07:00", "2006-1-2t15:4:5.999999999Z07:00", "2006-1-2 15:4:5.999999999", "2006-1-2",
	} {
		if _, err := time.Parse(layout, s); err == nil {
			return true
		}
	}
	return false
}
