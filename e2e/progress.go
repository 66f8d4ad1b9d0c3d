package e2e

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"
)

// Limits follow progress, not the clock: a loaded machine does the same work later,
// and only what stopped answering is broken.
const (
	// idleLimit ends work for which nothing has answered for so long: no request, no
	// line of a command's output.
	idleLimit = 2 * time.Minute
	// runLimit ends a run in which nothing at all has made progress for so long.
	runLimit = 15 * time.Minute
	// lookLimit is how often a condition is looked at before it counts as never met:
	// more than two minutes of waiting, besides the time that the answers take.
	lookLimit = 240
)

// A watch counts down from a limit and starts anew with each sign of progress.
type watch struct {
	limit time.Duration
	timer *time.Timer
	above *watch // is told of all progress, too
}

func newWatch(limit time.Duration, above *watch, idle func()) *watch {
	return &watch{limit: limit, above: above, timer: time.AfterFunc(limit, idle)}
}

// progress is safe for concurrent use. A watch that has run out stays so.
func (w *watch) progress() {
	for ; w != nil; w = w.above {
		if w.timer.Stop() {
			w.timer.Reset(w.limit)
		}
	}
}

type watchKey struct{}

// whileProgressing returns a context that ends when progress has not been called with
// it for the limit.
func whileProgressing(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	above, _ := ctx.Value(watchKey{}).(*watch)
	if above == nil {
		above = world.watch
	}
	w := newWatch(limit, above, func() { cancel(fmt.Errorf("nothing has answered for %s", limit)) })
	return context.WithValue(ctx, watchKey{}, w), func() {
		w.timer.Stop()
		cancel(nil)
	}
}

// progress tells the watches of a context that something has answered.
func progress(ctx context.Context) {
	if w, ok := ctx.Value(watchKey{}).(*watch); ok {
		w.progress()
	} else {
		world.watch.progress()
	}
}

// A progressWriter keeps the output of a command, each part of which is progress.
type progressWriter struct {
	ctx context.Context
	mu  sync.Mutex
	out bytes.Buffer
}

func (w *progressWriter) Write(p []byte) (int, error) {
	progress(w.ctx)
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.out.Write(p)
}

// looks waits between looks at a condition, each time longer since a definition may be
// a megabyte to send, up to a number of them.
type looks struct {
	// most is how many looks there may be; 0 is lookLimit.
	most int
	// longest is the longest wait; 0 is 640 ms.
	longest time.Duration
	n       int
	wait    time.Duration
}

// next waits. The error says that the condition was looked at often enough, or why
// the context has ended.
func (l *looks) next(ctx context.Context) error {
	most, longest := cmp.Or(l.most, lookLimit), cmp.Or(l.longest, 640*time.Millisecond)
	if l.n++; l.n > most {
		return fmt.Errorf("not so after %d looks", most)
	}
	l.wait = min(max(2*l.wait, 20*time.Millisecond), longest)
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(l.wait):
		return nil
	}
}
