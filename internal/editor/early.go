package editor

import (
	"sync"
	"time"
)

// early publishes what is known before the end of a run that takes long.
type early struct {
	// at is when it is published, if the run has not ended.
	at time.Time

	mu    sync.Mutex
	timer *time.Timer
	ended bool
}

// publishes calls a function at that time, instead of an earlier one.
func (e *early) publishes(publish func()) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.timer != nil {
		e.timer.Stop()
	}
	e.timer = time.AfterFunc(time.Until(e.at), func() {
		e.mu.Lock()
		defer e.mu.Unlock()
		if !e.ended {
			publish()
		}
	})
}

// end is called at the end of the run. Nothing is published early after that.
func (e *early) end() {
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = true
}
