// Package progress counts what a run has done, for a person who waits for it. A [Meter]
// travels in the context of a run; without one, nothing is counted. The package does not
// know how progress is shown.
package progress

import (
	"context"
	"fmt"
	"sync/atomic"
)

// Meter is the progress of a run. It is safe for concurrent use.
type Meter struct{ current atomic.Pointer[Stage] }

// Stage is a part of a run that does the same for a number of things. The methods of a nil
// Stage do nothing.
type Stage struct {
	verb, things string
	total        int
	done         atomic.Int64
}

type key struct{}

// With returns a context whose progress is counted by the meter.
func With(ctx context.Context, m *Meter) context.Context { return context.WithValue(ctx, key{}, m) }

// Start begins a stage, such as "checking" a number of "definitions"; the number is 0 if it
// is unknown. It ends when the next one begins.
func Start(ctx context.Context, verb, things string, total int) *Stage {
	m, ok := ctx.Value(key{}).(*Meter)
	if !ok {
		return nil
	}
	s := &Stage{verb: verb, things: things, total: total}
	m.current.Store(s)
	return s
}

// Add counts n things as done.
func (s *Stage) Add(n int) {
	if s != nil {
		s.done.Add(int64(n))
	}
}

// String describes the current stage, or is empty before the first one.
func (m *Meter) String() string {
	s := m.current.Load()
	switch {
	case s == nil:
		return ""
	case s.total > 0:
		return fmt.Sprintf("%s %s: %d of %d", s.verb, s.things, min(int(s.done.Load()), s.total), s.total)
	case s.done.Load() > 0:
		return fmt.Sprintf("%s %s: %d", s.verb, s.things, s.done.Load())
	}
	return s.verb + " " + s.things
}
