package verify

import (
	"reflect"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
)

// celError matches an error of the CEL compiler: its position, the message, and the line of
// the rule that it is about, above a mark.
var celError = lazyregexp.New(`ERROR: <input>:(\d+):(\d+): (.*)\n \| (.*)\n \| [.．]*[\^＾]`)

// celFirst matches the position at which the CEL compiler reports its first error.
var celFirst = lazyregexp.New(`compilation failed: ERROR: <input>:(\d+):(\d+): `)

// celPosition returns the position in a rule at which the CEL compiler reports its first
// error.
func celPosition(message string) (line, column int, ok bool) {
	match := celFirst().FindStringSubmatch(message)
	if match == nil {
		return 0, 0, false
	}
	line, _ = strconv.Atoi(match[1]) // digits
	column, _ = strconv.Atoi(match[2])
	return line, column, true
}

// cause returns what the server's message says without its path, and without values that are
// objects. The rules in errors of the CEL compiler are returned separately.
func cause(f apiserver.Finding) (text string, quotes []diag.Quote) {
	matches := celError().FindAllStringSubmatch(f.Detail, -1)
	if len(matches) == 0 {
		return shorten(withoutObjects(f)), nil
	}
	for i, match := range matches {
		column, _ := strconv.Atoi(match[2])
		quote := diag.Quote{Message: match[3], Text: match[4], Column: column}
		if i == 0 {
			text = "compilation failed: " + match[3]
			quote.Message = ""
		}
		quotes = append(quotes, quote)
	}
	return shorten(text), quotes
}

// withoutObjects returns the message without its path and without a value that is an object.
func withoutObjects(f apiserver.Finding) string {
	if f.Source != apiserver.Validation {
		return f.Detail
	}
	value := reflect.Indirect(reflect.ValueOf(f.BadValue))
	switch value.Kind() {
	case reflect.Struct, reflect.Map, reflect.Slice:
		if f.Detail != "" {
			return strings.TrimSuffix(f.Type.String(), ":") + ": " + f.Detail
		}
	}
	return (&field.Error{Type: f.Type, BadValue: f.BadValue, Detail: f.Detail}).ErrorBody()
}
