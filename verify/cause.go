package verify

import (
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/internal/schemas/locate"
	"github.com/schemagen/schemagen/structural"
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
		line, _ := strconv.Atoi(match[1]) // digits
		column, _ := strconv.Atoi(match[2])
		quote := diag.Quote{Message: match[3], Text: match[4], Line: line, Column: column}
		if i == 0 {
			text = match[3]
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

// undefinedField matches the compiler's message about a field that the schema does not have, and selfPath
// the fields of self before it.
var (
	undefinedField = lazyregexp.New(`^undefined field '([^']*)'$`)
	selfPath       = lazyregexp.New(`\bself((?:\.\w+)*)$`)
)

// describe completes the messages about fields that are not there: with the name of the field that
// should have them, and with the name that is meant.
func (c *checks) describe(d *result) {
	for i := range d.Quotes {
		q := &d.Quotes[i]
		message := &q.Message
		if i == 0 {
			message = &d.Cause
		}
		match := undefinedField().FindStringSubmatch(*message)
		if match == nil {
			continue
		}
		*message = fmt.Sprintf("undefined field %q", match[1])
		parent, name := c.selected(d.Path, q)
		if parent == nil {
			continue
		}
		if name != "" {
			*message += " of " + name
		}
		if nearest, ok := words.NearestOther(match[1], locate.FieldNames(parent)); ok {
			*message += " (did you mean " + nearest + "?)"
		}
	}
}

// selected returns the node from which a rule selects a field at the place of a quote, and its name,
// which the whole object and items do not have. It is nil if the rule does not select from self.
func (c *checks) selected(path string, q *diag.Quote) (node *structural.Schema, name string) {
	version, path, ok := splitSchemaPath(path)
	if !ok || version >= len(c.Schemas) || c.Schemas[version] == nil {
		return nil, ""
	}
	runes := []rune(q.Text)
	match := selfPath().FindStringSubmatch(string(runes[:min(max(q.Column-1, 0), len(runes))]))
	if match == nil {
		return nil, ""
	}
	node = locate.Innermost(c.Schemas[version], path)
	before, _, _ := strings.Cut(path, "].x-kubernetes-validations")
	if before != path && !strings.HasSuffix(before, "]") {
		name = before[strings.LastIndexByte(before, '[')+1:]
	}
	for _, field := range strings.Split(match[1], ".")[1:] {
		node = node.Property(field)
		if node == nil {
			return nil, ""
		}
		name = field
	}
	return node, name
}
