package gogc

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"testing"
	"time"
)

// TestPercentage checks how far heaps may grow.
func TestPercentage(t *testing.T) {
	for _, c := range []struct {
		live uint64 // in MiB
		want int
	}{{0, 1200}, {1, 1200}, {3, 400}, {6, 200}, {12, 125}, {1000, 125}} {
		if got := percentage(c.live<<20, room); got != c.want {
			t.Errorf("%d MiB: got %d, want %d", c.live, got, c.want)
		}
	}
}

// TestPacer checks that each collection sets the percentage, until somebody else does.
func TestPacer(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(first))
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(-1))
	runtime.SetFinalizer(&pacer{percent: first, room: room}, (*pacer).collected)
	percent := func() int {
		sample := []metrics.Sample{{Name: "/gc/gogc:percent"}}
		metrics.Read(sample)
		return int(sample[0].Value.Uint64())
	}
	// collect returns the percentage after a collection, once it is other than old.
	collect := func(old int) int {
		runtime.GC()
		for until := time.Now().Add(10 * time.Second); percent() == old && time.Now().Before(until); {
			time.Sleep(time.Millisecond)
		}
		return percent()
	}
	small := collect(first)
	if small <= least || small == first {
		t.Errorf("a small heap has %d", small)
	}
	large := make([]byte, 64<<20)
	if got := collect(small); got != least {
		t.Errorf("a large heap has %d", got)
	}
	runtime.KeepAlive(large)
	Session()
	if got := percent(); got <= least {
		t.Errorf("in a session, a large heap has %d", got)
	}
	runtime.GC()
	for until := time.Now().Add(10 * time.Second); percent() != percentage(liveBytes(), sessionRoom); time.Sleep(time.Millisecond) {
		if time.Now().After(until) {
			t.Fatalf("in a session, a heap has %d after a collection", percent())
		}
	}
	if got := debug.SetMemoryLimit(-1); got != sessionLimit {
		t.Errorf("in a session, the limit is %d", got)
	}
	debug.SetGCPercent(first)
	debug.SetMemoryLimit(1 << 30)
	if Session(); debug.SetMemoryLimit(-1) != 1<<30 {
		t.Errorf("a session sets the limit that somebody else has set to %d", debug.SetMemoryLimit(-1))
	}
	debug.SetGCPercent(77)
	if Session(); percent() != 77 {
		t.Errorf("a session sets the percentage that somebody else has set to %d", percent())
	}
	for range 3 {
		runtime.GC()
		time.Sleep(10 * time.Millisecond)
	}
	if got := percent(); got != 77 {
		t.Errorf("the percentage that was set became %d", got)
	}
}
