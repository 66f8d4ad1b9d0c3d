package e2e

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"sync"
	"time"
)

// Limits are based on progress rather than on time: a loaded machine does the same work
// later, and only work that has stopped responding has failed.
const (
	// idleLimit is the time without progress, that is, without a response or a line of a
	// command's output, after which work is canceled.
	idleLimit = 2 * time.Minute
	// runLimit is the time without any progress after which the whole run is ended.
	runLimit = 15 * time.Minute
	// pollLimit is the number of polls after which a condition counts as never met: more than
	// two minutes of waiting, in addition to the time for the responses.
	pollLimit = 240
)

// A watch is a timer that is reset by each sign of progress.
type watch struct {
	limit time.Duration
	timer *time.Timer
	above *watch // is notified of all progress too
}

func newWatch(limit time.Duration, above *watch, idle func()) *watch {
	return &watch{limit: limit, above: above, timer: time.AfterFunc(limit, idle)}
}

// progress resets the timer and those above. It is safe for concurrent use. A watch that has
// expired remains expired.
func (w *watch) progress() {
	for ; w != nil; w = w.above {
		if w.timer.Stop() {
			w.timer.Reset(w.limit)
		}
	}
}

type watchKey struct{}

// whileProgressing returns a context that is canceled when progress has not been called with
// it for the limit.
func whileProgressing(ctx context.Context, limit time.Duration) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(ctx)
	above, _ := ctx.Value(watchKey{}).(*watch)
	if above == nil {
		above = suite.watch
	}
	w := newWatch(limit, above, func() { cancel(fmt.Errorf("no response for %s", limit)) })
	return context.WithValue(ctx, watchKey{}, w), func() {
		w.timer.Stop()
		cancel(nil)
	}
}

// progress reports progress to the watches of a context.
func progress(ctx context.Context) {
	if w, ok := ctx.Value(watchKey{}).(*watch); ok {
		w.progress()
	} else {
		suite.watch.progress()
	}
}

// A progressWriter records the output of a command. Each write counts as progress.
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

// poller waits between polls of a condition. The interval increases, since a definition may be
// a megabyte to send, and the number of polls is limited.
type poller struct {
	// maxPolls is the maximum number of polls; 0 means pollLimit.
	maxPolls int
	// maxInterval is the longest interval; 0 means 640 ms.
	maxInterval time.Duration
	n           int
	wait        time.Duration
}

// next waits for the next poll. It returns an error if the limit is reached or the context
// has ended.
func (l *poller) next(ctx context.Context) error {
	maxPolls, maxInterval := cmp.Or(l.maxPolls, pollLimit), cmp.Or(l.maxInterval, 640*time.Millisecond)
	if l.n++; l.n > maxPolls {
		return fmt.Errorf("condition not met after %d polls", maxPolls)
	}
	l.wait = min(max(2*l.wait, 20*time.Millisecond), maxInterval)
	select {
	case <-ctx.Done():
		return context.Cause(ctx)
	case <-time.After(l.wait):
		return nil
	}
}
