package manifest

import (
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/plainjson"
)

// yamlFloat matches floats by the rules of go.yaml.in/yaml/v2.
var yamlFloat = lazyregexp.New(`^[-+]?(\.[0-9]+|[0-9]+(\.[0-9]*)?)([eE][-+]?[0-9]+)?$`)

// resolvePlain returns the value of an unquoted scalar without a tag: nil, a bool,
// an int64, a uint64 or a float64, unless it is a string. It follows YAML 1.1 as
// implemented by go.yaml.in/yaml/v2, which the API server uses: "yes", "on" and "y"
// are true, 010 is eight, and dates are strings.
func resolvePlain(s string) (value any, isString bool) {
	if s == "" {
		return nil, false
	}
	switch c := s[0]; {
	case c == '.':
		if value, isString = resolveWord(s); isString {
			if f, err := strconv.ParseFloat(s, 64); err == nil {
				return f, false
			}
		}
		return value, isString
	case c == '+' || c == '-' || c >= '0' && c <= '9':
		if value, isString = resolveWord(s); isString {
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
	value, isString := resolvePlain(word)
	if isString {
		return word, true
	}
	key, err := keyText(value)
	return key, err == nil
}

// IsText reports whether the API server reads a value without quotes as a string.
func IsText(word string) bool {
	_, isString := resolvePlain(word)
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

func resolveNumber(s string) (value any, isString bool) {
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

// plainScalar adds an unquoted scalar. inSource is true if its text occurs verbatim
// in the source at its offset. It reports whether JSON can represent the value.
func (b *treeBuilder) plainScalar(at int, text string, inSource bool) bool {
	kind, canonical, ok := stringNode, text, true
	if value, isString := resolvePlain(text); !isString {
		kind, canonical, ok = jsonScalar(value)
	}
	if inSource && canonical == text {
		b.span(kind, at, at, at+len(text))
	} else {
		b.scalar(kind, at, canonical)
	}
	return ok
}

// jsonScalar returns the kind and text of a JSON value as written by encoding/json.
// ok is false if there is none, as for infinity.
func jsonScalar(value any) (kind nodeKind, text string, ok bool) {
	switch value := value.(type) {
	case nil:
		return nullNode, "", true
	case bool:
		return boolNode, strconv.FormatBool(value), true
	case int:
		return numberNode, strconv.Itoa(value), true
	case int64:
		return numberNode, strconv.FormatInt(value, 10), true
	case uint64:
		return numberNode, strconv.FormatUint(value, 10), true
	case float64:
		text, err := plainjson.Marshal(value)
		return numberNode, string(text), err == nil
	case string:
		return stringNode, validText(value), true
	}
	return nullNode, "", false
}
