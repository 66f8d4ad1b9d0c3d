package terminal

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/ground/progress"
	"github.com/schemagen/schemagen/internal/ground/screen"
)

// Console is the standard output and the standard error of a process.
type Console struct {
	Out, Err Stream
	// Sources are what findings on either stream are quoted from.
	Sources *Sources

	quiet bool
	began time.Time

	// counts are the findings printed so far.
	errors, warnings, fixable int
	outcome                   string
	// stop stops the progress line; nil if there is none.
	stop func()

	// mu protects the screen: what follows, and all writing.
	mu sync.Mutex
	// drawn is set while the progress line is on the screen, midLine while the cursor is
	// behind other text.
	drawn, midLine bool
}

// Stream is one of the streams of a [Console].
type Stream struct {
	*screen.Terminal
	Device
}

// NewConsole returns the console for two streams, which began at a time. Until it is
// configured, no person reads it.
func NewConsole(stdout, stderr io.Writer, began time.Time) *Console {
	c := &Console{Sources: &Sources{}, began: began}
	c.Out.Terminal = screen.NewTerminal(&sharedStream{console: c, w: stdout, device: &c.Out.Device})
	c.Err.Terminal = screen.NewTerminal(&sharedStream{console: c, w: stderr, device: &c.Err.Device})
	return c
}

// Options are what the command line says about a [Console].
type Options struct {
	// Color is one of [Modes].
	Color string
	// Quiet prints findings, and neither progress nor a summary.
	Quiet bool
	// Env returns an environment variable.
	Env func(name string) string
	// Dir is the directory that names of files are relative to.
	Dir string
}

// Configure finds out what the streams are connected to. It is called before anything is
// written.
func (c *Console) Configure(o Options) error {
	c.quiet = o.Quiet
	c.Sources.Dir = o.Dir
	for _, s := range []*Stream{&c.Out, &c.Err} {
		device, err := DeviceOf(screen.Documents(s.Terminal).(*sharedStream).w, o.Color, o.Env)
		if err != nil {
			return err
		}
		s.Device = device
		if device.Styled {
			s.EnableStyles()
		}
	}
	return nil
}

// Findings returns a printer of findings for people, which writes to a buffer of the stream.
func (c *Console) Findings(buffer io.Writer, s *Stream) *Findings {
	return NewFindings(buffer, screen.PaintOf(s.Terminal), s.Width, c.Sources)
}

// Count counts printed findings for the summary.
func (c *Console) Count(list diag.List) {
	for _, d := range list.On() {
		switch d.Severity {
		case diag.Error:
			c.errors++
		case diag.Warning:
			c.warnings++
		default:
			continue
		}
		if len(d.Fixes) > 0 {
			c.fixable++
		}
	}
}

// Silence drops the summary.
func (c *Console) Silence() { c.quiet = true }

// Conclude sets what the summary says after the number of findings.
func (c *Console) Conclude(format string, args ...any) { c.outcome = fmt.Sprintf(format, args...) }

// ConcludeWritten says in the summary how many files were written and removed, and the directory
// that all are in, unless it is empty.
func (c *Console) ConcludeWritten(written, all, removed int, dir string) {
	text := Count(all, "file")
	if dir != "" {
		text += " in " + screen.Line(dir)
	}
	switch {
	case written+removed == 0:
		text += " up to date"
	case removed > 0:
		text = fmt.Sprintf("wrote %d and removed %d of %s", written, removed, text)
	default:
		text = fmt.Sprintf("wrote %d of %s", written, text)
	}
	c.Conclude("%s", text)
}

// Summarize prints the last line for a person: the number of findings, and what was done.
// fixes reports whether a flag --fix would apply fixes.
func (c *Console) Summarize(now time.Time, fixes bool) {
	if !c.Err.People || c.quiet {
		return
	}
	paint := screen.PaintOf(c.Err.Terminal)
	var counts []string
	if c.errors > 0 {
		counts = append(counts, paint.Text(screen.Alert, Count(c.errors, "error")))
	}
	if c.warnings > 0 {
		counts = append(counts, paint.Text(screen.Caution, Count(c.warnings, "warning")))
	}
	line := strings.Join(counts, ", ")
	if line != "" && fixes && c.fixable > 0 {
		line += fmt.Sprintf(" (%d fixable with --fix)", c.fixable)
	}
	if c.outcome != "" && line != "" {
		line += "; "
	}
	line += c.outcome
	if line == "" {
		return
	}
	if c.errors == 0 {
		line += fmt.Sprintf(" in %.2fs", now.Sub(c.began).Seconds())
	}
	fmt.Fprintln(c.Err, line)
}

// Count formats a number of things.
func Count(n int, thing string) string {
	if n != 1 {
		thing += "s"
	}
	return fmt.Sprintf("%d %s", n, thing)
}

const (
	// showAfter is how long a run takes before its progress is shown, and drawEvery how
	// often that is updated.
	showAfter = time.Second
	drawEvery = 100 * time.Millisecond

	eraseLine = "\r\x1b[K"
)

// Track returns a context whose progress is shown to a person, if the run takes long, until
// [Console.Stop]. The line of progress is erased before anything else is written.
func (c *Console) Track(ctx context.Context) context.Context {
	if !c.Err.People || !c.Err.IsTerminal || c.quiet {
		return ctx
	}
	meter := &progress.Meter{}
	stopped, stop := context.WithCancel(ctx)
	var drawing sync.WaitGroup
	drawing.Go(func() {
		for next := time.After(time.Until(c.began.Add(showAfter))); ; next = time.After(drawEvery) {
			select {
			case <-next:
				c.draw(meter.String())
			case <-stopped.Done():
				return
			}
		}
	})
	c.stop = func() {
		stop()
		drawing.Wait()
	}
	return progress.With(ctx, meter)
}

// Stop ends what [Console.Track] began.
func (c *Console) Stop() {
	if c.stop == nil {
		return
	}
	c.stop()
	c.mu.Lock()
	defer c.mu.Unlock()
	c.erase()
}

// draw writes the progress line, unless the cursor is behind other text.
func (c *Console) draw(text string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if text == "" || c.midLine {
		return
	}
	text = newExcerpt(text, 0, 0, c.Err.Width-1).text
	_, _ = io.WriteString(c.raw(), eraseLine+text)
	c.drawn = true
}

// raw returns standard error.
func (c *Console) raw() io.Writer { return screen.Documents(c.Err.Terminal).(*sharedStream).w }

func (c *Console) erase() {
	if c.drawn {
		_, _ = io.WriteString(c.raw(), eraseLine)
		c.drawn = false
	}
}

// sharedStream is a stream that may share a terminal with the progress line.
type sharedStream struct {
	console *Console
	w       io.Writer
	device  *Device
	// failed is the first error of a write.
	failed error
}

// Unwritten returns the error because of which a part of standard output is missing, or nil.
func (c *Console) Unwritten() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return screen.Documents(c.Out.Terminal).(*sharedStream).failed
}

// Write implements [io.Writer].
func (s *sharedStream) Write(p []byte) (int, error) {
	s.console.mu.Lock()
	defer s.console.mu.Unlock()
	if s.device.IsTerminal && len(p) > 0 {
		s.console.erase()
		s.console.midLine = p[len(p)-1] != '\n'
	}
	n, err := s.w.Write(p)
	s.failed = cmp.Or(s.failed, err)
	return n, err
}
