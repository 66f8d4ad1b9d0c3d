package interrupt

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"testing"
	"testing/synctest"
	"time"
)

// TestWatch interrupts a run that does not return, in each state. Both clocks are those of the test, so that it
// does not depend on the load of the machine.
func TestWatch(t *testing.T) {
	// A run is in a state when it is interrupted, and does what the state returns after half of its time.
	type state func(ctx context.Context, note func(string), release func()) (after func())
	for _, test := range []struct {
		name string
		run  state
		want []string
	}{
		{"busy", func(context.Context, func(string), func()) func() { return nil }, []string{"end"}},
		{"returned", func(_ context.Context, _ func(string), release func()) func() { return release }, nil},
		{"returned before", func(_ context.Context, _ func(string), release func()) func() { release(); return nil }, nil},
		{"replaces files", func(ctx context.Context, _ func(string), _ func()) func() { Hold(ctx); return nil }, nil},
		{"has replaced files", func(ctx context.Context, _ func(string), _ func()) func() { return Hold(ctx) }, []string{"end"}},
		{"begins to replace files", func(ctx context.Context, _ func(string), _ func()) func() {
			return func() { Hold(ctx) }
		}, nil},
		{"temporary files", func(ctx context.Context, note func(string), _ func()) func() {
			Cleanup(ctx, func() { note("remove a") })
			Cleanup(context.WithoutCancel(ctx), func() { note("remove b") })
			return nil
		}, []string{"remove a", "remove b", "end"}},
	} {
		for load, wait := range map[time.Duration]time.Duration{1: graceCPU, 10: 10 * graceCPU, 1000: graceWall} {
			t.Run(fmt.Sprintf("%s/load %d", test.name, load), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					var mu sync.Mutex
					var noted []string
					note := func(what string) {
						mu.Lock()
						defer mu.Unlock()
						noted = append(noted, what)
					}
					read := func() []string {
						mu.Lock()
						defer mu.Unlock()
						return slices.Clone(noted)
					}
					cancellable, cancel := context.WithCancel(t.Context())
					began := time.Now()
					cpu := func() time.Duration { return time.Since(began) / load }
					ctx, release := watch(cancellable, func() { note("end") }, cpu)
					after := test.run(ctx, note, release)
					time.Sleep(time.Hour)
					synctest.Wait()
					if got := read(); got != nil {
						t.Errorf("%q before the context was cancelled", got)
					}
					cancel()
					time.Sleep(wait / 2)
					if got := read(); got != nil {
						t.Errorf("%q before the run has had its time", got)
					}
					if after != nil {
						after()
					}
					time.Sleep(wait/2 + interval)
					synctest.Wait()
					if got := read(); !slices.Equal(got, test.want) {
						t.Errorf("got %q, want %q", got, test.want)
					}
				})
			})
		}
	}
}

// TestProcessCPU checks that work is seen, where the system has the figure.
func TestProcessCPU(t *testing.T) {
	before := processCPU()
	sum := 0
	for i := range 1 << 28 {
		sum += i & sum
	}
	if after := processCPU(); after <= before {
		t.Errorf("got %v after %v (sum %d)", after, before, sum)
	}
}

// TestWithoutWatch checks that nothing is ended in programs that use the packages as a library.
func TestWithoutWatch(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	Cleanup(ctx, func() { t.Error("cleaned up") })
	release := Hold(ctx)
	cancel()
	release()
}
