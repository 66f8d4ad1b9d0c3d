package editor

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"sync"
	"time"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/editor/symbols"
	"github.com/schemagen/schemagen/internal/ground/inputs"
)

// Config configures a [Session].
type Config struct {
	// Run returns the findings of a run in a directory that reads files with in. Relative file
	// names in them are relative to the directory. Runs do not overlap. It may call early with
	// the findings that are known before the last ones.
	Run func(ctx context.Context, dir string, in *inputs.Reader, early func(diag.List)) (diag.List, error)
	// Recorder, if not nil, records what runs hand to the API server's code.
	Recorder *symbols.Recorder
	// Publish is called with the findings about a file, also if there are no longer any. Calls do
	// not overlap.
	Publish func(Report)
	// Failed is called with the error of a run that was not overtaken.
	Failed func(dir string, err error)
	// Folders are the directories that the editor has opened. Files elsewhere have no findings,
	// such as those of other modules that a user looks up. If it is empty, all files have.
	Folders []string
	// Delay is the time between a change and the run: further changes postpone it.
	Delay time.Duration
	// Patience is the time from the beginning of a run after which its early findings are
	// published. If it ends before, they are not, so that the others do not flicker.
	Patience time.Duration
}

// Report has the findings about a file.
type Report struct {
	File string
	// Version identifies the text which the findings are about, or nil if the file is not open.
	Version *int32
	// Findings have absolute file names, and an end wherever they have a line.
	Findings diag.List
	// Read returns the content of a file in the run.
	Read func(name string) ([]byte, error)
}

// Session is a workspace. Its methods may be called concurrently.
type Session struct {
	Config
	// changed wakes the goroutine that runs, and done is closed at its end.
	changed chan struct{}
	done    chan struct{}

	mu    sync.Mutex
	files map[string]file
	// state counts changes, and settled is the one that the last run was about.
	state, settled int
	// cancel cancels the current run.
	cancel context.CancelFunc
	ended  bool
	// waiting are closed when a run has settled the state.
	waiting []chan struct{}
	// results are the last findings by directory, and the reader that they came from.
	results map[string]result
	// programs are what the last runs that came to definitions have found out, by directory.
	programs map[string]*symbols.Program
	// published are the files that have findings in the editor.
	published map[string]bool
}

// file is an open file.
type file struct {
	version int32
	text    []byte
}

// result is the result of a run.
type result struct {
	findings diag.List
	in       *inputs.Reader
}

// New returns a session without files. [Session.End] ends it.
func New(c Config) *Session {
	s := &Session{
		Config: c, changed: make(chan struct{}, 1), done: make(chan struct{}),
		files: map[string]file{}, results: map[string]result{}, programs: map[string]*symbols.Program{}, published: map[string]bool{}, cancel: func() {},
	}
	go s.work()
	return s
}

// Open replaces a file on disk, by absolute name, with a text.
func (s *Session) Open(name string, version int32, text []byte) {
	s.change(func() { s.files[name] = file{version, text} })
}

// Change replaces the text of an open file. It reports whether the version is a newer one.
func (s *Session) Change(name string, version int32, text []byte) (ok bool) {
	s.change(func() {
		var now file
		now, ok = s.files[name]
		if ok && version > now.version {
			s.files[name] = file{version, text}
		} else {
			ok = false
		}
	})
	return ok
}

// Close makes the file on disk count again.
func (s *Session) Close(name string) { s.change(func() { delete(s.files, name) }) }

// Touch is called when files on disk have changed.
func (s *Session) Touch() { s.change(func() {}) }

// change changes files, and starts a run.
func (s *Session) change(files func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	files()
	s.state++
	s.cancel()
	s.wake()
}

func (s *Session) wake() {
	select {
	case s.changed <- struct{}{}:
	default:
	}
}

// Text returns the text of an open file.
func (s *Session) Text(name string) (text []byte, ok bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	f, ok := s.files[name]
	return f.text, ok
}

// Version returns the version of a file, or nil if it is not open.
func (s *Session) Version(name string) *int32 {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f, ok := s.files[name]; ok {
		return &f.version
	}
	return nil
}

// End cancels the current run, and waits until it has ended.
func (s *Session) End() {
	s.mu.Lock()
	s.ended = true
	s.cancel()
	s.wake()
	s.mu.Unlock()
	<-s.done
}

// Settle waits for the findings about the files as they are now. It fails if ctx or the session
// has ended.
func (s *Session) Settle(ctx context.Context) error {
	for {
		s.mu.Lock()
		if s.ended {
			s.mu.Unlock()
			return errors.New("the session has ended")
		}
		if s.settled == s.state {
			s.mu.Unlock()
			return nil
		}
		wait := make(chan struct{})
		s.waiting = append(s.waiting, wait)
		s.mu.Unlock()
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-wait:
		}
	}
}

// work runs after each change, until the session ends.
func (s *Session) work() {
	defer close(s.done)
	for range s.changed {
		for s.postponed() {
		}
		if s.hasEnded() {
			break
		}
		s.run()
		s.mu.Lock()
		for _, wait := range s.waiting {
			close(wait)
		}
		s.waiting = nil
		s.mu.Unlock()
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, wait := range s.waiting {
		close(wait)
	}
}

// postponed waits for the delay, and reports whether there was another change.
func (s *Session) postponed() bool {
	select {
	case <-s.changed:
		return !s.hasEnded()
	case <-time.After(s.Delay):
		return false
	}
}

func (s *Session) hasEnded() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.ended
}

// run runs in the directories of the open files, and publishes the findings unless files have
// changed since.
func (s *Session) run() {
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	s.mu.Lock()
	state := s.state
	files := maps.Clone(s.files)
	s.cancel = cancel
	if s.ended {
		cancel()
	}
	s.mu.Unlock()

	overlay := map[string][]byte{}
	for name, f := range files {
		overlay[name] = f.text
	}
	results := map[string]result{}
	dirs := s.roots(slices.Sorted(maps.Keys(files)), inputs.Overlaid(overlay, nil))
	for _, dir := range dirs {
		reader := inputs.Overlaid(overlay, nil)
		e := early{at: time.Now().Add(s.Patience)}
		found, err := s.runIn(ctx, dir, reader, func(found diag.List) {
			known := map[string]result{dir: {located(found, dir, reader), reader}}
			if len(dirs) == 1 { // otherwise the findings of the others would disappear
				e.publishes(func() { s.publish(state, files, known, false) })
			}
		})
		e.end()
		if ctx.Err() != nil {
			return
		}
		if err != nil {
			s.Failed(dir, err)
		}
		results[dir] = result{located(found, dir, reader), reader}
		s.keep(dir, reader, files, err != nil || found.HasErrors())
	}
	s.publish(state, files, results, true)
}

// runIn returns the findings of a run. A panic is an error of it.
func (s *Session) runIn(ctx context.Context, dir string, reader *inputs.Reader,
	early func(diag.List)) (found diag.List, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return s.Run(ctx, dir, reader, early)
}

// publish publishes the results of a run on the files in a state, which are final or early ones.
func (s *Session) publish(state int, files map[string]file, results map[string]result, final bool) {
	s.mu.Lock()
	if state != s.state {
		s.mu.Unlock()
		return
	}
	if final {
		s.results = results
	}
	reports := map[string]*Report{}
	for name, f := range files {
		reports[name] = &Report{File: name, Version: &f.version}
	}
	for name := range s.published {
		if reports[name] == nil {
			reports[name] = &Report{File: name}
		}
	}
	for _, dir := range slices.Sorted(maps.Keys(results)) {
		r := results[dir]
		for _, d := range r.findings {
			report := reports[d.Pos.File]
			if report == nil {
				report = &Report{File: d.Pos.File}
				reports[d.Pos.File] = report
			}
			report.Findings = append(report.Findings, d)
			report.Read = s.reader(r.in)
		}
	}
	s.mu.Unlock()
	for _, name := range slices.Sorted(maps.Keys(reports)) {
		s.mu.Lock()
		overtaken := state != s.state
		if !overtaken {
			delete(s.published, name)
			if len(reports[name].Findings) > 0 {
				s.published[name] = true
			}
		}
		s.mu.Unlock()
		if overtaken {
			return
		}
		reports[name].Findings = reports[name].Findings.Normalize()
		s.Publish(*reports[name])
	}
	if final {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.settled = state
	}
}

func (s *Session) reader(reader *inputs.Reader) func(name string) ([]byte, error) {
	return func(name string) ([]byte, error) { return reader.ReadFile(name, nil) }
}
