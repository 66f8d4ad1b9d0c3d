package editor

import (
	"fmt"
	"testing"
)

// TestCache checks that what is used stays, and that the rest is forgotten.
func TestCache(t *testing.T) {
	var c Cache
	if _, ok := c.Load("used"); ok {
		t.Error("an empty cache has a result")
	}
	c.Store("used", []byte("result"))
	c.Store("unused", []byte("result"))
	large := make([]byte, maxCache/4)
	for i := range 20 {
		c.Store(fmt.Sprint(i), large)
		if data, ok := c.Load("used"); !ok || string(data) != "result" {
			t.Fatalf("after %d results, what is used is %q", i, data)
		}
	}
	if _, ok := c.Load("unused"); ok {
		t.Error("what is not used is still there")
	}
	if n := len(c.now) + len(c.before); n > 14 {
		t.Errorf("there are %d results", n)
	}
}
