package interrupt

import (
	"context"
	"sync"
	"time"
)

// A run has these times to return by itself. The first is one of the processors, so that what happens does not
// depend on the load of the machine; the second is for a run that waits, such as for its standard input.
const (
	graceCPU  = 50 * time.Millisecond
	graceWall = 5 * time.Second
	// interval is the time between looks at the clocks.
	interval = 10 * time.Millisecond
)

type key struct{}

type guard struct {
	end func()
	// cpu returns the time that processors have worked for the process.
	cpu func() time.Duration

	mu       sync.Mutex
	held     int
	cleanups []func()
}

// Watch returns a context for a run. If it is cancelled and the run goes on, end is called, which must end the
// process. release stops that; it is called when the run has returned.
func Watch(ctx context.Context, end func()) (watched context.Context, release func()) {
	return watch(ctx, end, processCPU)
}

func watch(ctx context.Context, end func(), cpu func() time.Duration) (watched context.Context, release func()) {
	g := &guard{end: end, cpu: cpu}
	stop := context.AfterFunc(ctx, g.interrupted)
	watched = context.WithValue(ctx, key{}, g)
	return watched, func() {
		stop()
		Hold(watched)
	}
}

// interrupted waits until the run has used its time, and ends the process.
func (g *guard) interrupted() {
	began := time.Now()
	used := g.cpu()
	for time.Since(began) < graceWall && g.cpu()-used < graceCPU {
		time.Sleep(interval)
	}
	g.expire()
}

// expire ends the process, unless a hold keeps it. The lock prevents that a hold begins meanwhile.
func (g *guard) expire() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.held > 0 {
		return // the run is about to return: it only holds while it replaces files
	}
	for _, cleanup := range g.cleanups {
		cleanup()
	}
	g.end()
}

// Hold keeps the process from being ended until release is called.
func Hold(ctx context.Context) (release func()) {
	g, ok := ctx.Value(key{}).(*guard)
	if !ok {
		return func() {}
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.held++
	return func() {
		g.mu.Lock()
		defer g.mu.Unlock()
		g.held--
	}
}

// Cleanup calls a function, such as one that removes a temporary directory, before the process is ended. It must
// be safe to call the function while the run goes on, and after the run itself has removed the directory.
func Cleanup(ctx context.Context, cleanup func()) {
	g, ok := ctx.Value(key{}).(*guard)
	if !ok {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.cleanups = append(g.cleanups, cleanup)
}
