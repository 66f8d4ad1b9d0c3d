package manifest

import (
	"strconv"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
	"github.com/schemagen/schemagen/internal/yamltext"
)

// plainScalar adds an unquoted scalar. inSource is true if its text occurs verbatim
// in the source at its offset. It reports whether JSON can represent the value.
func (b *treeBuilder) plainScalar(offset int, text string, inSource bool) bool {
	kind := stringNode
	canonical := text
	ok := true
	if value, isString := yamltext.Plain(text); !isString {
		kind, canonical, ok = jsonScalar(value)
	}
	if inSource && canonical == text {
		b.span(kind, offset, offset, offset+len(text))
	} else {
		b.scalar(kind, offset, canonical)
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
