package webhook

import (
	"encoding/json"
	"fmt"
	"go/token"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/internal/companions/configgen"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
)

// This file reports what the API server finds in the content of a patch, at its place in the marker.

// celError matches an error of the CEL compiler, with an excerpt of the expression.
var celError = lazyregexp.New(`ERROR: <input>:(\d+):(\d+): (.*)`)

// checkPatched reports the server's errors about what only a patch sets.
func (c *checker) checkPatched(server Server) {
	patch := c.find("patch").List()
	if server == nil || len(patch) == 0 {
		return
	}
	p := newPatch(patch[0])
	for _, e := range server.CheckWebhook(&c.patched) {
		found := celError().FindAllStringSubmatch(e.Detail, -1)
		for _, m := range found {
			c.rejectIn(p.expression(e.Field, m[1], m[2]), "%s: %s", e.Field, m[3])
		}
		if len(found) == 0 {
			c.rejectIn(p.value(e.Field), "%s: %s", e.Field, e.ErrorBody())
		}
	}
}

// rejectIn reports an error in a part of the patch.
func (c *checker) rejectIn(v configgen.Value, format string, args ...any) {
	c.RejectValue(configgen.InvalidWebhook, c.Marker, v, "", format, args...)
}

// patch is the argument of a marker that has a patch.
type patch struct {
	whole configgen.Value
	// spans are where values are in the text, by path. They are empty if the source has it in
	// another form, with escapes.
	spans map[string]span
}

// span is a part of the text of a patch.
type span struct{ start, end int }

func newPatch(v configgen.Value) *patch {
	p := &patch{whole: v, spans: map[string]span{}}
	if int(v.End-v.Pos) == len(v.Text)+2 {
		r := &patchReader{Decoder: json.NewDecoder(strings.NewReader(v.Text)), text: v.Text, spans: p.spans}
		r.read(nil)
	}
	return p
}

// value returns the value at a path, or the innermost one around it that the patch has.
func (p *patch) value(path string) configgen.Value {
	for path != "" {
		if s, ok := p.spans[path]; ok {
			return p.at(s)
		}
		path = path[:max(strings.LastIndexAny(path, ".["), 0)]
	}
	return p.whole
}

// expression returns the value at a path from a line and column on, if the patch has the
// expression in one line and without escapes.
func (p *patch) expression(path, line, column string) configgen.Value {
	s, ok := p.spans[path]
	if !ok || line != "1" {
		return p.value(path)
	}
	var expression string
	written := p.whole.Text[s.start:s.end]
	if err := json.Unmarshal([]byte(written), &expression); err != nil || written != `"`+expression+`"` {
		return p.at(s)
	}
	n, err := strconv.Atoi(column)
	runes := []rune(expression)
	if err != nil || n < 1 || n > len(runes) {
		return p.at(s)
	}
	return p.at(span{s.start + 1 + len(string(runes[:n-1])), s.end - 1})
}

// at returns a part of the argument.
func (p *patch) at(s span) configgen.Value {
	first := p.whole.Pos + 1
	return configgen.Value{Text: p.whole.Text[s.start:s.end], Pos: first + token.Pos(s.start), End: first + token.Pos(s.end)}
}

// patchReader finds the values of a patch, which has been parsed.
type patchReader struct {
	*json.Decoder
	text  string
	spans map[string]span
}

// read reads the value at a path.
func (r *patchReader) read(path *field.Path) {
	start := int(r.InputOffset())
	start += len(r.text[start:]) - len(strings.TrimLeft(r.text[start:], " \t\r\n,:"))
	opening, err := r.Token()
	if err != nil {
		return
	}
	switch opening {
	case json.Delim('{'):
		for r.More() {
			key, err := r.Token()
			if err != nil {
				return
			}
			r.read(child(path, fmt.Sprint(key)))
		}
	case json.Delim('['):
		for i := 0; r.More(); i++ {
			r.read(path.Index(i))
		}
	}
	if _, ok := opening.(json.Delim); ok {
		if _, err := r.Token(); err != nil {
			return
		}
	}
	if path != nil {
		r.spans[path.String()] = span{start, int(r.InputOffset())}
	}
}

func child(path *field.Path, key string) *field.Path {
	if path == nil {
		return field.NewPath(key)
	}
	return path.Child(key)
}
