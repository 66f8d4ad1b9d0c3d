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
				t.Fatal("slow work has ended: ", context.Cause(ctx))
			}
			progress(ctx)
		}
		time.Sleep(idleLimit + time.Second)
		if err := context.Cause(ctx); err == nil || !strings.Contains(err.Error(), "nothing has answered for 2m0s") {
			t.Errorf("idle work: %v", err)
		}
		progress(ctx) // too late: it remains ended
		if context.Cause(ctx) == nil || ended {
			t.Error("the end of a part is not the end of the run, and not undone")
		}
		time.Sleep(runLimit + time.Second)
		if !ended {
			t.Error("an idle run goes on")
		}
	})
}

// TestLooks checks that the number of polls is limited rather than the time, so that slow
// responses prolong the wait.
func TestLooks(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		look, n, begin := looks{}, 0, time.Now()
		for look.next(t.Context()) == nil {
			time.Sleep(time.Minute) // a slow response
			n++
		}
		if n != lookLimit || time.Since(begin) < lookLimit*time.Minute {
			t.Errorf("%d looks in %s", n, time.Since(begin))
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := (&looks{}).next(ctx); err != context.Canceled {
			t.Errorf("%v", err)
		}
	})
}
