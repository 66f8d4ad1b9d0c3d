package crdyaml

import (
	"strconv"
	"strings"
	"time"
)

// isOtherType reports whether a plain scalar would be read as a null, a boolean, a number
// or a date, by the library's rules for YAML 1.1. s must not be empty.
func isOtherType(s string) bool {
	switch s[0] {
	case 'y', 'Y', 'n', 'N', 't', 'T', 'f', 'F', 'o', 'O', '~', '.':
		switch s {
		case "y", "Y", "yes", "Yes", "YES", "n", "N", "no", "No", "NO",
			"true", "True", "TRUE", "false", "False", "FALSE",
			"on", "On", "ON", "off", "Off", "OFF",
			"~", "null", "Null", "NULL",
			".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF":
			return true
		}
		if s[0] != '.' {
			return false
		}
		_, err := strconv.ParseFloat(s, 64)
		return err == nil
	case '+', '-':
		switch s[1:] {
		case ".inf", ".Inf", ".INF":
			return true
		}
		return isNumber(s) || isSexagesimal(s)
	case '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return isNumber(s) || isSexagesimal(s) || isDate(s)
	}
	return false
}

func isNumber(s string) bool {
	for i := range len(s) {
		switch c := s[i]; {
		case c >= '0' && c <= '9', c >= 'a' && c <= 'f', c >= 'A' && c <= 'F':
		case c == '+', c == '-', c == '.', c == '_', c == 'x', c == 'X', c == 'o', c == 'O':
		default:
			return false
		}
	}
	s = strings.ReplaceAll(s, "_", "")
	if _, err := strconv.ParseInt(s, 0, 64); err == nil {
		return true
	}
	if _, err := strconv.ParseUint(s, 0, 64); err == nil {
		return true
	}
	if isDecimal(s) {
		// The library treats a number that is out of range as a string.
		_, err := strconv.ParseFloat(s, 64)
		return err == nil
	}
	if digits, ok := strings.CutPrefix(s, "0b"); ok {
		// The library accepts a sign here ("0b-1").
		_, err := strconv.ParseInt(digits, 2, 64)
		return err == nil
	}
	return false
}

// isDecimal reports whether s is a decimal number, with or without a point or an exponent.
// Unlike strconv it accepts neither names nor hexadecimal floats.
func isDecimal(s string) bool {
	if s != "" && (s[0] == '+' || s[0] == '-') {
		s = s[1:]
	}
	rest := trimDigits(s)
	hasDigits := len(rest) < len(s)
	if fraction, ok := strings.CutPrefix(rest, "."); ok {
		rest = trimDigits(fraction)
		hasDigits = hasDigits || len(rest) < len(fraction)
	}
	if !hasDigits || rest == "" {
		return hasDigits
	}
	if rest[0] != 'e' && rest[0] != 'E' {
		return false
	}
	rest = rest[1:]
	if rest != "" && (rest[0] == '+' || rest[0] == '-') {
		rest = rest[1:]
	}
	return rest != "" && trimDigits(rest) == ""
}

func trimDigits(s string) string {
	for s != "" && isDigit(s[0]) {
		s = s[1:]
	}
	return s
}

func isDigit(c byte) bool { return c >= '0' && c <= '9' }

// isSexagesimal reports whether s is a base-60 number, such as 1:20 or -190:20:30.15.
func isSexagesimal(s string) bool {
	if s[0] == '+' || s[0] == '-' {
		s = s[1:]
	}
	if s == "" || !isDigit(s[0]) {
		return false
	}
	s = strings.TrimLeft(s, "0123456789_")
	if s == "" || s[0] != ':' {
		return false
	}
	for s != "" && s[0] == ':' {
		s = s[1:]
		if len(s) >= 2 && s[0] <= '5' && isDigit(s[0]) && isDigit(s[1]) {
			s = s[1:]
		}
		if s == "" || !isDigit(s[0]) {
			return false
		}
		s = s[1:]
	}
	return s == "" || s[0] == '.' && strings.TrimLeft(s[1:], "0123456789_") == ""
}

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
