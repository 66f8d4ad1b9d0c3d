package apiserver

import (
	"context"
	"fmt"
	"reflect"
	"testing"
)

// memory is a ResultCache that is a map.
type memory map[string][]byte

func (m memory) Load(key string) ([]byte, bool) { data, ok := m[key]; return data, ok }
func (m memory) Store(key string, data []byte)  { m[key] = data }

// withCache returns a target without any compilations in this process.
func withCache(t *testing.T, version string, m ResultCache) *Target {
	target := target(t, version)
	if m != nil {
		target.UseCache(m)
	}
	return target
}

// TestResultCache checks that reports of edited definitions do not depend on the cache, for
// two versions that share one.
func TestResultCache(t *testing.T) {
	kept := memory{}
	var made, saved int64
	for seed := range 120 {
		version := []string{newest(), "1.29"}[seed%2]
		c := newRandom(seed)
		crd := c.crd()
		if _, err := withCache(t, version, kept).Check(context.Background(), crd, nil); err != nil {
			t.Fatal(err)
		}
		for range c.Intn(3) {
			c.edit(crd)
		}
		with, without := withCache(t, version, kept), withCache(t, version, nil)
		got, err := with.Check(context.Background(), crd, nil)
		if err != nil {
			t.Fatal(err)
		}
		want, err := without.Check(context.Background(), crd, nil)
		if err != nil {
			t.Fatal(err)
		}
		if !reflect.DeepEqual(got, want) {
			t.Errorf("seed %d\nwith the cache    %v\nwithout the cache %v", seed, got, want)
		}
		made += with.compiled.compilations.Load()
		saved += without.compiled.compilations.Load() - with.compiled.compilations.Load()
	}
	t.Logf("%d compilations made, %d saved", made, saved)
	if made == 0 || saved < made {
		t.Errorf("%d compilations made, %d saved", made, saved)
	}
}

// TestCacheKey changes, one by one, what a compilation depends on.
func TestCacheKey(t *testing.T) {
	const text = `
type: object
properties:
  a: {type: array, maxItems: %d, items: {type: %s}}
  b: {type: integer}
x-kubernetes-validations: [{rule: %q, messageExpression: %q, optionalOldSelf: %t}]`
	widget := func(items int, kind, rule, message string, optional bool) *crd {
		return widget(t, fmt.Sprintf(text, items, kind, rule, message, optional))
	}
	const rule, message = "self.a.size() < 3 && (!oldSelf.hasValue() || self.b > 1)", "'a of ' + string(self.a.size())"
	kept := memory{}
	check := func(version string, crd *crd) int64 {
		target := withCache(t, version, kept)
		if _, err := target.Check(context.Background(), crd, nil); err != nil {
			t.Fatal(err)
		}
		return target.compiled.compilations.Load()
	}
	for _, c := range []struct {
		name    string
		version string
		crd     *crd
		want    int64
	}{
		{"first", newest(), widget(5, "string", rule, message, true), 1},
		{"again", newest(), widget(5, "string", rule, message, true), 0},
		{"version", "1.31", widget(5, "string", rule, message, true), 1},
		{"limit", newest(), widget(6, "string", rule, message, true), 1},
		{"type", newest(), widget(6, "boolean", rule, message, true), 1},
		{"rule", newest(), widget(6, "boolean", rule+" ", message, true), 1},
		{"message", newest(), widget(6, "boolean", rule+" ", message+" ", true), 1},
		{"oldSelf", newest(), widget(6, "boolean", rule+" ", message+" ", false), 1},
		{"an error is not kept", newest(), widget(6, "boolean", rule+" ", message+" ", false), 1},
	} {
		if got := check(c.version, c.crd); got != c.want {
			t.Errorf("%s: %d compilations, want %d", c.name, got, c.want)
		}
	}
	for key, data := range kept {
		kept[key] = data[:max(0, len(data)-1)]
	}
	if got := check("1.31", widget(5, "string", rule, message, true)); got != 1 {
		t.Errorf("truncated: %d compilations, want 1", got)
	}
}
