package e2e

import (
	"context"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// TestSlowIsNotBroken checks that work that receives responses continues however long it
// takes, and that work that receives none ends.
func TestSlowIsNotBroken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ended := false
		run := newWatch(runLimit, nil, func() { ended = true })
		defer run.timer.Stop()
		outer := context.WithValue(t.Context(), watchKey{}, run)
		ctx, cancel := whileProgressing(outer, idleLimit)
		defer cancel()
		for range 100 {
			time.Sleep(idleLimit - time.Second)
			if context.Cause(ctx) != nil || ended {
				t.Fatal("slow work was canceled: ", context.Cause(ctx))
			}
			progress(ctx)
		}
		time.Sleep(idleLimit + time.Second)
		if err := context.Cause(ctx); err == nil || !strings.Contains(err.Error(), "no response for 2m0s") {
			t.Errorf("idle work: %v", err)
		}
		progress(ctx) // too late: it remains ended
		if context.Cause(ctx) == nil || ended {
			t.Error("the timeout of a part ended the run, or was undone")
		}
		time.Sleep(runLimit + time.Second)
		if !ended {
			t.Error("an idle run was not ended")
		}
	})
}

// TestPoller checks that the number of polls is limited rather than the time, so that slow
// responses prolong the wait.
func TestPoller(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		poll, n, begin := poller{}, 0, time.Now()
		for poll.next(t.Context()) == nil {
			time.Sleep(time.Minute) // a slow response
			n++
		}
		if n != pollLimit || time.Since(begin) < pollLimit*time.Minute {
			t.Errorf("got %d polls in %s", n, time.Since(begin))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := (&poller{}).next(ctx); err != context.Canceled {
			t.Errorf("%v", err)
		}
	})
}
