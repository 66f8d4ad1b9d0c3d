package conversions

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestLargeEnums compares enums of 250,000 values: quadratic work would exceed the time
// limit of go test.
func TestLargeEnums(t *testing.T) {
	const n = 250_000
	enum := func(prefix string) []string {
		out := make([]string, n)
		for i := range out {
			out[i] = fmt.Sprintf("%s%06d", prefix, i)
		}
		return out
	}
	a, b := enum("a"), enum("b")
	pairs := make([][2]string, n)
	for i := range pairs {
		pairs[i] = [2]string{a[i], b[n-1-i]}
	}
	last := [][2]string{{"none", "b000000"}}
	for _, test := range []struct {
		name       string
		spoke, hub []string
		values     [][2]string
		lacking    int
		text       string // how it begins
	}{
		{"equal", a, slices.Clone(a), nil, 0, "{}"},
		{"in another order", a, slices.Sorted(slices.Values(a)), nil, 0, "{}"},
		{"disjoint", a, b, nil, n, "{a000000: …, a000001: …, "},
		{"disjoint, but mapped", a, b, pairs, 0, "{a000000: b249999, a000001: b249998, "},
		{"one is missing", a, a[1:], nil, 1, "{a000000: …}"},
		{"a small hub", a, []string{"a000001", "b"}, nil, n - 1, "{a000000: a000001, a000002: a000001, "},
	} {
		t.Run("lacking, "+test.name, func(t *testing.T) {
			lacking, text := lackingValues(test.spoke, test.hub, test.values)
			if len(lacking) != test.lacking || !strings.HasPrefix(text, test.text) {
				t.Errorf("got %d: %.60s, want %d: %s…", len(lacking), text, test.lacking, test.text)
			}
		})
	}
	for _, test := range []struct {
		name   string
		values [][2]string
		side   int
		enum   []string
		want   string
	}{
		{"none", pairs, 0, a, ""},
		{"none on the other side", pairs, 1, b, ""},
		{"no enum", pairs, 0, nil, ""},
		{"the last", slices.Concat(pairs, last), 0, a, "none"},
		{"the first", pairs, 0, b, "a000000"},
	} {
		t.Run("unknown, "+test.name, func(t *testing.T) {
			if got, _ := unknownValue(test.values, test.side, test.enum); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

// TestLacking has what an enum lacks, and what may have been meant.
func TestLacking(t *testing.T) {
	for _, test := range []struct {
		spoke, hub, want string
		values           [][2]string
		text             string
	}{
		{"small large", "", "", nil, ""},
		{"small large", "small large", "", nil, "{}"},
		{"small large", "small Larges", "large", nil, "{large: Larges}"},
		{"small large huge", "small", "large huge", nil, "{large: …, huge: …}"},
		{"small large huge", "small", "huge", [][2]string{{"large", "small"}}, "{large: small, huge: …}"},
	} {
		lacking, text := lackingValues(strings.Fields(test.spoke), hubOf(test.hub), test.values)
		if strings.Join(lacking, " ") != test.want || text != test.text {
			t.Errorf("%s, %s: got %q %s, want %q %s", test.spoke, test.hub, lacking, text, test.want, test.text)
		}
	}
	if lacking, _ := lackingValues([]string{""}, []string{"a"}, nil); lacking != nil {
		t.Errorf("got %q: an empty text may be left out", lacking)
	}
}

// hubOf returns the values of an enum, nil if there is none.
func hubOf(text string) []string {
	if text == "" {
		return nil
	}
	return strings.Fields(text)
}
