package typegen_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/internal/types/typegen"
)

// TestLongMarkers has values that are longer than a marker may be: each is refused at its keyword, and one
// that fits is not.
func TestLongMarkers(t *testing.T) {
	values := func(n int) string {
		var out []string
		for i := range n {
			out = append(out, fmt.Sprintf(`"a-long-value-%05d"`, i))
		}
		return strings.Join(out, ", ")
	}
	text := func(n int) string { return strings.Repeat("x", n) }
	for name, row := range map[string]struct {
		// schema has %s for the values; short ones fit.
		schema, short, long, keyword string
	}{
		"enum":    {"{a: {type: string, enum: [%s]}}", values(1600), values(4000), "enum"},
		"pattern": {"{a: {type: string, pattern: %s}}", text(30000), text(40000), "pattern"},
		"default": {"{a: {type: string, default: %s}}", text(30000), text(40000), "default"},
		"example": {"{a: {type: string, example: %s}}", text(30000), text(40000), "example"},
		"rule":    {`{a: {type: string, x-kubernetes-validations: [{rule: "self != '%s'"}]}}`, text(30000), text(40000), "x-kubernetes-validations"},
		"items":   {"{a: {type: array, items: {type: string, enum: [%s]}}}", values(1600), values(4000), "enum"},
		"nested":  {"{a: {type: object, properties: {b: {type: object, additionalProperties: {type: string, pattern: %s}}}}}", text(30000), text(40000), "pattern"},
		"anyOf":   {"{a: {type: string, anyOf: [{pattern: %s}, {minLength: 2}]}}", text(30000), text(40000), "anyOf"},
	} {
		for _, long := range []bool{false, true} {
			value := row.short
			if long {
				value = row.long
			}
			crd := definitionsOf(version{"one.io", "Job", "v1", fmt.Sprintf(row.schema, value)})
			definitions := read(t, "crd.yaml", []byte(crd))
			result, found, err := moduleOf(t).Generate(context.Background(), definitions, typegen.Options{Dir: root(t), Output: "api"})
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			if !long {
				if result == nil {
					t.Errorf("%s: %v", name, found)
				}
				continue
			}
			want := "the marker for " + row.keyword + " would be longer than 32768 bytes"
			if result != nil || len(found) != 1 || found[0].Message != want {
				t.Errorf("%s: got %.300v, want %s", name, found, want)
				continue
			}
			line := strings.Split(crd, "\n")[found[0].Pos.Line-1]
			if !strings.HasPrefix(line[found[0].Pos.Column-1:], row.keyword+": ") {
				t.Errorf("%s: position %s", name, found[0].Pos)
			}
		}
	}
}
