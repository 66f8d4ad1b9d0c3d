package yamltext

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
)

// yamlFloat matches floats by the rules of go.yaml.in/yaml/v2.
var yamlFloat = lazyregexp.New(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)

// Plain returns the value of an unquoted scalar without a tag: nil, a bool,
// an int64, a uint64 or a float64, unless it is a string. It follows YAML 1.1 as
// implemented by go.yaml.in/yaml/v2, which the API server uses: "yes", "on" and "y"
// are true, 010 is eight, and dates are strings.
func Plain(s string) (value any, isString bool) {
	if s == "" {
		return nil, false
	}
	switch c := s[0]; {
	case c == '.':
		value, isString = resolveWord(s)
		if isString {
			if f, err := strconv.ParseFloat(s, 64); err == nil {
				return f, false
			}
		}
		return value, isString
	case c == '+' || c == '-' || c >= '0' && c <= '9':
		value, isString = resolveWord(s)
		if isString {
			return resolveNumber(s)
		}
		return value, isString
	case strings.IndexByte("yYnNtTfFoO~", c) >= 0:
		return resolveWord(s)
	}
	return nil, true
}

// KeyOf returns the key that a word without quotes is for the API server. ok is unset if it cannot be a key.
func KeyOf(word string) (key string, ok bool) {
	value, isString := Plain(word)
	if isString {
		return word, true
	}
	key, err := KeyText(value)
	return key, err == nil
}

// IsText reports whether the API server reads a value without quotes as a string.
func IsText(word string) bool {
	_, isString := Plain(word)
	return isString
}

func resolveWord(s string) (value any, isString bool) {
	switch s {
	case "y", "Y", "yes", "Yes", "YES", "true", "True", "TRUE", "on", "On", "ON":
		return true, false
	case "n", "N", "no", "No", "NO", "false", "False", "FALSE", "off", "Off", "OFF":
		return false, false
	case "~", "null", "Null", "NULL":
		return nil, false
	case ".nan", ".NaN", ".NAN", ".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF", "-.inf", "-.Inf", "-.INF":
		// strconv parses these without the dot.
		f, err := strconv.ParseFloat(strings.Replace(s, ".", "", 1), 64)
		return f, err != nil
	}
	return nil, true
}

// sexagesimal matches numbers in base 60 by the rules of YAML 1.1.
var sexagesimal = lazyregexp.New(`^[-+]?[0-9][0-9_]*(?::[0-5]?[0-9])+(?:\.[0-9_]*)?$`)

// IsSexagesimal reports whether a word without quotes is a number in base 60 in YAML 1.1, such as
// 1:20. The API server reads it as a string, but libraries that write YAML for it quote it.
func IsSexagesimal(word string) bool {
	return strings.IndexByte(word, ':') > 0 && sexagesimal().MatchString(word)
}

func resolveNumber(s string) (value any, isString bool) {
	if strings.Trim(s, "0123456789abcdefABCDEF+-._xXoO") != "" {
		return nil, true // most words that are not numbers, without an error of strconv
	}
	plain := strings.ReplaceAll(s, "_", "")
	if i, err := strconv.ParseInt(plain, 0, 64); err == nil {
		return i, false
	}
	if u, err := strconv.ParseUint(plain, 0, 64); err == nil {
		return u, false
	}
	if yamlFloat().MatchString(plain) {
		if f, err := strconv.ParseFloat(plain, 64); err == nil {
			return f, false
		}
	}
	// A sign after the prefix is accepted here, but not above.
	if digits, ok := strings.CutPrefix(plain, "0b"); ok {
		if i, err := strconv.ParseInt(digits, 2, 64); err == nil {
			return i, false
		}
	}
	return nil, true
}

// KeyText returns the object key to which sigs.k8s.io/yaml converts a key.
func KeyText(key any) (string, error) {
	switch key := key.(type) {
	case string:
		return key, nil
	case int:
		return strconv.Itoa(key), nil
	case int64:
		return strconv.FormatInt(key, 10), nil
	case bool:
		return strconv.FormatBool(key), nil
	case float64:
		// A number that is finite, but too large for 32 bits, is infinite here.
		switch text := strconv.FormatFloat(key, 'g', -1, 32); text {
		case "+Inf":
			return ".inf", nil
		case "-Inf":
			return "-.inf", nil
		case "NaN":
			return ".nan", nil
		default:
			return text, nil
		}
	}
	return "", fmt.Errorf("unsupported map key of type: %T", key)
}
