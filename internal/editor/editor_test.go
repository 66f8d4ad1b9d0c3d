package editor_test

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/editor"
	"github.com/schemagen/schemagen/internal/ground/inputs"
)

var found = &diag.Kind{Code: "SG999", Severity: diag.Warning}

// recorder is an editor that records what it is told.
type recorder struct {
	mu  sync.Mutex
	out []string
}

func (r *recorder) add(format string, args ...any) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.out = append(r.out, fmt.Sprintf(format, args...))
}

// take returns what was recorded since the last call.
func (r *recorder) take() []string {
	r.mu.Lock()
	defer r.mu.Unlock()
	out := r.out
	r.out = nil
	return out
}

func (r *recorder) publish(report editor.Report) {
	version := "on disk"
	if report.Version != nil {
		version = fmt.Sprint(*report.Version)
	}
	text := filepath.Base(report.File) + " " + version
	for _, d := range report.Findings {
		text += fmt.Sprintf(" %d:%d-%d:%d %s", d.Pos.Line, d.Pos.Column, d.End.Line, d.End.Column, d.Message)
	}
	r.add("%s", text)
}

// start returns a session on the module in the current directory, whose runs report the first
// word of a file and answer through a channel if there is one.
func start(t *testing.T, r *recorder, run func(ctx context.Context, text string) error) (session *editor.Session, name string) {
	t.Helper()
	name, err := filepath.Abs("file.go")
	if err != nil {
		t.Fatal(err)
	}
	session = editor.New(editor.Config{
		Publish: r.publish, Failed: func(dir string, err error) { r.add("failed: %v", err) },
		Run: func(ctx context.Context, dir string, in *inputs.Reader, early func(diag.List)) (diag.List, error) {
			text, err := in.ReadFile(name, nil)
			if first, _, ok := strings.Cut(string(text), " is known early"); ok {
				early(diag.List{found.At(diag.Position{File: name, Line: 1, Column: 1}, "", "%s", first)})
			}
			if err == nil {
				err = run(ctx, string(text))
			}
			if err != nil {
				return nil, err
			}
			word, _, _ := strings.Cut(string(text), " ")
			return diag.List{found.At(diag.Position{File: name, Line: 1, Column: 1}, "", "%s", word)}, nil
		},
	})
	t.Cleanup(session.End)
	return session, name
}

// TestOvertaken checks that a run is cancelled by a change, and its findings not published, even
// if it does not heed that.
func TestOvertaken(t *testing.T) {
	var r recorder
	began := make(chan string)
	goOn := make(chan struct{})
	session, name := start(t, &r, func(ctx context.Context, text string) error {
		began <- text
		if text == "heeds it" {
			<-ctx.Done()
			return ctx.Err()
		}
		<-goOn
		return nil
	})
	session.Open(name, 1, []byte("heeds it"))
	if text := <-began; text != "heeds it" {
		t.Error(text)
	}
	session.Change(name, 2, []byte("ignores it"))
	if text := <-began; text != "ignores it" {
		t.Error(text)
	}
	session.Change(name, 3, []byte("last one"))
	goOn <- struct{}{}
	if text := <-began; text != "last one" {
		t.Error(text)
	}
	if out := r.take(); len(out) > 0 {
		t.Errorf("overtaken runs published %q", out)
	}
	waiting, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	if _, err := session.Fixes(waiting, name, 1, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("fixes during a run: %v", err)
	}
	goOn <- struct{}{}
	if err := session.Settle(t.Context()); err != nil {
		t.Error(err)
	}
	if out, want := r.take(), []string{"file.go 3 1:1-1:5 last"}; !slices.Equal(out, want) {
		t.Errorf("published %q, want %q", out, want)
	}
}

// TestEarly checks that what is known before the end of a run is published if the run takes long,
// unless there was a change, and that it has no fixes.
func TestEarly(t *testing.T) {
	var r recorder
	goOn := make(chan struct{})
	session, name := start(t, &r, func(_ context.Context, text string) error {
		if !strings.Contains(text, "at once") {
			<-goOn
		}
		return nil
	})
	await := func(want string) {
		t.Helper()
		for range 1000 {
			if out := r.take(); len(out) > 0 {
				if !slices.Equal(out, []string{want}) {
					t.Errorf("published %q, want %q", out, want)
				}
				return
			}
			time.Sleep(time.Millisecond)
		}
		t.Errorf("nothing was published, want %q", want)
	}
	session.Open(name, 1, []byte("a text is known early"))
	await("file.go 1 1:1-1:2 a text")
	waiting, stop := context.WithTimeout(t.Context(), time.Millisecond)
	defer stop()
	if _, err := session.Fixes(waiting, name, 1, 1); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("fixes of early findings: %v", err)
	}
	goOn <- struct{}{}
	await("file.go 1 1:1-1:2 a")
	session.Change(name, 2, []byte("another is known early"))
	session.Change(name, 3, []byte("last is known early"))
	go func() { goOn <- struct{}{}; goOn <- struct{}{} }()
	if err := session.Settle(t.Context()); err != nil {
		t.Error(err)
	}
	if out, want := r.take(), "file.go 3 1:1-1:5 last"; !slices.Contains(out, want) || strings.Contains(fmt.Sprint(out), "file.go 2") {
		t.Errorf("published %q, want only version 3", out)
	}
}

// TestFailures checks that a run that fails or panics leaves no findings, and that the session
// goes on.
func TestFailures(t *testing.T) {
	var r recorder
	session, name := start(t, &r, func(_ context.Context, text string) error {
		switch text {
		case "fails":
			return errors.New("it failed")
		case "panics":
			panic("it panicked")
		}
		return nil
	})
	session.Open(name, 1, []byte("first text"))
	for i, step := range []struct {
		text string
		want []string
	}{
		{"second", []string{"file.go 2 1:1-1:7 second"}},
		{"fails", []string{"failed: it failed", "file.go 3"}},
		{"panics", []string{"failed: panic: it panicked", "file.go 4"}},
		{"third", []string{"file.go 5 1:1-1:6 third"}},
	} {
		if err := session.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		r.take()
		if !session.Change(name, int32(i+2), []byte(step.text)) {
			t.Errorf("version %d is refused", i+2)
		}
		if err := session.Settle(t.Context()); err != nil {
			t.Fatal(err)
		}
		if out := r.take(); !slices.Equal(out, step.want) {
			t.Errorf("%s: %q, want %q", step.text, out, step.want)
		}
	}
	if session.Change(name, 5, []byte("older")) || session.Change(name+"x", 6, nil) {
		t.Error("a version that is not newer, or a file that is not open, is accepted")
	}
	session.Close(name)
	if err := session.Settle(t.Context()); err != nil {
		t.Fatal(err)
	}
	if out, want := r.take(), []string{"file.go on disk"}; !slices.Equal(out, want) {
		t.Errorf("closed: %q, want %q", out, want)
	}
	session.End()
	if err := session.Settle(t.Context()); err == nil {
		t.Error("a session that has ended settles")
	}
}
