package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

const (
	// watchEvery is how often a watching run looks whether something changed, and
	// watchSettles how long it leaves an editor to write the rest.
	watchEvery   = 200 * time.Millisecond
	watchSettles = 50 * time.Millisecond
)

// runAgain runs once, and again whenever the answer to a question has changed that
// the last run asked of the file system, until ctx ends. It prints a line for each
// run. Questions are asked again instead of waiting for events: that works on all
// file systems, and sees what did not exist before.
func (r *crdRun) runAgain(ctx context.Context, stdout, stderr io.Writer) error {
	given := *r
	for {
		*r = given // the project file is read again
		start := time.Now()
		changed, err := r.once(ctx, stdout, stderr)
		if ctx.Err() != nil {
			return nil // it was told to end
		}
		took := time.Since(start).Round(time.Millisecond)
		now := time.Now().Format(time.TimeOnly)
		switch {
		case errors.Is(err, errFindings):
			fmt.Fprintf(stderr, "%s %v: there are errors, nothing was written\n", now, took)
		case err != nil:
			fmt.Fprintf(stderr, "%s %v: %v\n", now, took, err)
		default:
			fmt.Fprintf(stderr, "%s %v: %s changed\n", now, took, count(len(changed), "file"))
		}
		notes := r.in.Notes()
		for same := true; same; same, _ = notes.Holds() {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(watchEvery):
			}
		}
		time.Sleep(watchSettles)
	}
}

// count is a number of things in words.
func count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}
