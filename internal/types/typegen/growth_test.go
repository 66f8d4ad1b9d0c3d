package typegen_test

import (
	"context"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/internal/types/typegen"
)

// TestGrowth compares what is allocated for definitions of which one is four times as large as
// the other, in each dimension: of quadratic work it would be sixteen times as much.
func TestGrowth(t *testing.T) {
	nested := func(n int, before, after string) string {
		return strings.Repeat(before, n) + `{"type":"string"}` + strings.Repeat(after, n)
	}
	each := func(n int, property func(i int) string) string {
		var out []string
		for i := range n {
			out = append(out, property(i))
		}
		return `{"type":"object","properties":{` + strings.Join(out, ",") + `}}`
	}
	for _, test := range []struct {
		name string
		n    int
		spec func(n int) string
	}{
		{"depth", 100, func(n int) string { return nested(n, `{"type":"object","properties":{"a":`, `}}`) }},
		{"depth of dull names", 100, func(n int) string { return nested(n, `{"type":"object","properties":{"spec":`, `}}`) }},
		{"depth of lists", 100, func(n int) string { return nested(n, `{"type":"array","items":`, `}`) }},
		{"depth of lists of objects", 60, func(n int) string {
			return nested(n, `{"type":"array","items":{"type":"object","properties":{"items":`, `}}}`)
		}},
		{"two equal depths", 100, func(n int) string {
			deep := nested(n, `{"type":"object","properties":{"a":`, `}}`)
			return fmt.Sprintf(`{"type":"object","properties":{"b":%s,"c":{"type":"object","properties":{"d":%s}}}}`, deep, deep)
		}},
		{"properties", 2000, func(n int) string {
			return each(n, func(i int) string { return fmt.Sprintf(`"p%d":{"type":"string"}`, i) })
		}},
		{"properties with one Go name", 1000, func(n int) string {
			return each(n, func(i int) string {
				return fmt.Sprintf(`"a%s":{"type":"string"}`, strings.NewReplacer("0", "-", "1", ".").Replace(fmt.Sprintf("%b", i)))
			})
		}},
		{"required", 2000, func(n int) string {
			var names []string
			for i := range n {
				names = append(names, fmt.Sprintf(`"p%d"`, i))
			}
			return strings.Replace(each(n, func(i int) string { return names[i] + `:{"type":"string"}` }), "{", `{"required":[`+strings.Join(names, ",")+"],", 1)
		}},
		{"structs", 500, func(n int) string {
			return each(n, func(i int) string {
				return fmt.Sprintf(`"p%dRef":{"type":"object","properties":{"x%d":{"type":"string"}}}`, i, i)
			})
		}},
		{"structs in lists of one name", 500, func(n int) string {
			return each(n, func(i int) string {
				return fmt.Sprintf(`"p%d":{"type":"object","properties":{"items":{"type":"array","items":{"type":"object","properties":{"x%d":{"type":"string"}}}}}}`, i, i)
			})
		}},
		{"equal structs without a name to share", 500, func(n int) string {
			return each(n, func(i int) string {
				return fmt.Sprintf(`"p%dRef":{"type":"object","properties":{"x":{"type":"string"}}}`, i)
			})
		}},
		{"equal structs that share a name", 500, func(n int) string {
			return each(n, func(i int) string {
				return fmt.Sprintf(`"p%dSecretRef":{"type":"object","properties":{"x":{"type":"string"}}}`, i)
			})
		}},
		{"equal structs of lists with descriptions", 500, func(n int) string {
			return each(n, func(i int) string {
				return fmt.Sprintf(`"p%dSecrets":{"type":"array","items":{"type":"object","description":"Text %d.","properties":{"x":{"type":"string"}}}}`, i, i)
			})
		}},
		{"values of an enum", 250, func(n int) string {
			var values []string
			for i := range n {
				values = append(values, fmt.Sprintf(`"a%s"`, strings.NewReplacer("0", "-", "1", ".").Replace(fmt.Sprintf("%b", i))))
			}
			return `{"type":"object","properties":{"mode":{"type":"string","enum":[` + strings.Join(values, ",") + `]}}}`
		}},
	} {
		t.Run(test.name, func(t *testing.T) {
			growth(t, test.n, func(n int) string {
				return strings.Replace(definitionsOf(version{"one.io", "Job", "v1", "{}"}), "spec: {type: object, properties: {}}", "spec: "+test.spec(n), 1)
			})
		})
	}
	t.Run("versions", func(t *testing.T) {
		growth(t, 20, func(n int) string {
			head, first, _ := strings.Cut(definitionsOf(version{"one.io", "Job", "v1", "{a: {type: string}, b: {type: array, items: {type: integer}}}"}), "  - name: ")
			out := head + "  - name: " + first
			for i := 2; i <= n; i++ {
				out += "  - name: " + strings.NewReplacer(`"v1"`, fmt.Sprintf("v%d", i), "storage: true", "storage: false").Replace(first)
			}
			return out
		})
	})
	t.Run("kinds", func(t *testing.T) {
		growth(t, 50, func(n int) string {
			var versions []version
			for i := range n {
				versions = append(versions, version{"one.io", fmt.Sprintf("Job%d", i), "v1", "{a: {type: string}}"})
			}
			return definitionsOf(versions...)
		})
	})
}

// growth compares what is allocated for n and 4n.
func growth(t *testing.T, n int, definitions func(n int) string) {
	t.Helper()
	small, large := allocated(t, definitions(n)), allocated(t, definitions(4*n))
	if ratio := float64(large) / float64(small); ratio > 5 {
		t.Errorf("%d bytes for %d, %d for %d: %.1f times", small, n, large, 4*n, ratio)
	}
}

// allocated returns the bytes that Generate allocates for definitions.
func allocated(t *testing.T, text string) uint64 {
	t.Helper()
	definitions := read(t, "crd.yaml", []byte(text))
	m := moduleOf(t)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	result, found, err := m.Generate(context.Background(), definitions, typegen.Options{Dir: root(t), Output: "api"})
	runtime.ReadMemStats(&after)
	if err != nil || found.HasErrors() || result == nil {
		t.Fatalf("%v %v", found, err)
	}
	return after.TotalAlloc - before.TotalAlloc
}
