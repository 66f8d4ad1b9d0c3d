package generation

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/unseen"
	"github.com/schemagen/schemagen/internal/terminal"
)

const (
	// watchEvery is how often the inputs are checked for changes, and watchSettles how
	// long to wait for an editor to finish writing.
	watchEvery   = 200 * time.Millisecond
	watchSettles = 50 * time.Millisecond
)

// runAgain runs once, and again whenever an input of the last run changes, until ctx is
// done. It prints a line for each run. Inputs are polled rather than watched: that works
// on all file systems, and also detects files that did not exist before.
func (inv *Invocation) runAgain(ctx context.Context, stdout, stderr io.Writer) error {
	reporting.ConsoleOf(ctx).Silence() // each run has its own line
	shared := &Session{}
	for {
		start := time.Now()
		reader := inputs.New()
		changed, err := inv.runOn(ctx, reader, shared, stdout, stderr)
		if ctx.Err() != nil {
			return nil // interrupted
		}
		took := time.Since(start).Round(time.Millisecond)
		now := time.Now().Format(time.TimeOnly)
		switch {
		case errors.Is(err, reporting.ErrFindings):
			fmt.Fprintf(stderr, "%s %v: there are errors, nothing was written\n", now, took)
		case err != nil:
			fmt.Fprintf(stderr, "%s %v: %v\n", now, took, err)
		default:
			fmt.Fprintf(stderr, "%s %v: %s changed\n", now, took, terminal.Count(len(changed), "file"))
		}
		notes := reader.Notes()
		for same := true; same; same, _ = notes.Holds(unseen.SoundRest) {
			select {
			case <-ctx.Done():
				return nil
			case <-time.After(watchEvery):
			}
		}
		time.Sleep(watchSettles)
	}
}

// runOn runs once, with files that reader reads. It returns the paths of the files that changed.
func (inv *Invocation) runOn(ctx context.Context, reader *inputs.Reader, shared *Session,
	stdout, stderr io.Writer) (changed []string, err error) {
	s, err := inv.settle(reader, shared) // the project file is read again
	if err != nil {
		return nil, err
	}
	return s.generate(ctx, s.find(), stdout, stderr)
}
