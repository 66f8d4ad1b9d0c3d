package applyconfiguration

import (
	"errors"
	"fmt"
	"strings"

	"github.com/go-logr/logr"
	"k8s.io/klog/v2"

	"github.com/schemagen/schemagen/diag"
)

// upstream calls code that exits the process or panics if it encounters something
// unexpected, and returns an error for both. Errors that it only logs become warnings. If the
// run is canceled, it does not wait for the code, which must not exit the process later.
func (p *packageRun) upstream(call func() error) error {
	if err := p.ctx.Err(); err != nil {
		return err
	}
	done := make(chan error, 1)
	log := &upstreamLog{}
	klog.SetLogger(logr.New(log))
	exit := klog.OsExit
	klog.OsExit = func(int) {
		done <- errors.New(log.last)
		select {} // the caller relies on this not returning
	}
	go func() {
		defer func() {
			if reason := recover(); reason != nil {
				done <- fmt.Errorf("%v", reason)
			}
		}()
		done <- call()
	}()
	select {
	case err := <-done:
		klog.OsExit = exit
		klog.ClearLogger()
		for _, message := range log.errors {
			p.findings = append(p.findings, p.Complaint.At(diag.Position{}, "", "%s: %s", Name, firstLine(message)).As(diag.Warning))
		}
		return err
	case <-p.ctx.Done():
		return p.ctx.Err()
	}
}

// upstreamLog is a log sink that keeps the last message and the errors.
type upstreamLog struct {
	last   string
	errors []string
}

// Init implements [logr.LogSink].
func (*upstreamLog) Init(logr.RuntimeInfo) {}

// Enabled implements [logr.LogSink].
func (*upstreamLog) Enabled(int) bool { return true }

// Info implements [logr.LogSink].
func (l *upstreamLog) Info(_ int, message string, _ ...any) { l.last = message }

// Error implements [logr.LogSink].
func (l *upstreamLog) Error(_ error, message string, _ ...any) {
	l.errors = append(l.errors, message)
}

// WithValues implements [logr.LogSink].
func (l *upstreamLog) WithValues(...any) logr.LogSink { return l }

// WithName implements [logr.LogSink].
func (l *upstreamLog) WithName(string) logr.LogSink { return l }

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
