package e2e

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"syscall"
	"time"
)

// A process is a child process whose output is written to a file.
type process struct {
	name, log string
	pid       int
	done      chan struct{} // closed when it has ended
	err       error         // how it ended; read it after done
	quoted    sync.Once     // guards quoting the log in the first error after the process has ended
}

// startProcess starts a program in its own process group. On Linux, it is killed when this
// process ends.
func startProcess(log, path string, args ...string) (*process, error) {
	p := &process{name: baseName(path), log: log, done: make(chan struct{})}
	out, err := os.Create(log)
	if err != nil {
		return nil, err
	}
	cmd := exec.Command(path, args...)
	cmd.Stdout, cmd.Stderr = out, out
	isolate(cmd)
	started := make(chan error)
	go func() {
		// The kernel kills a child when the thread that started it ends, so that thread must
		// live as long as the child.
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		defer out.Close()
		err := cmd.Start()
		started <- err
		if err == nil {
			p.err = cmd.Wait()
			close(p.done)
		}
	}()
	if err := <-started; err != nil {
		return nil, fmt.Errorf("start %s: %w", p.name, err)
	}
	p.pid = cmd.Process.Pid
	return p, nil
}

// ended returns nil while the process runs, and then an error with its exit status.
func (p *process) ended() error {
	if p.runs() {
		return nil
	}
	how := "exit status 0"
	if p.err != nil {
		how = p.err.Error()
	}
	return fmt.Errorf("%s exited: %s", p.name, how)
}

func (p *process) runs() bool {
	select {
	case <-p.done:
		return false
	default:
		return true
	}
}

// tail returns the end of the log.
func (p *process) tail() string {
	data, err := os.ReadFile(p.log)
	if err != nil {
		return err.Error()
	}
	return fmt.Sprintf("the end of its log %s:\n%s", p.log, lastLines(data, 12))
}

// stop terminates the process group, and kills it after a grace period.
func (p *process) stop(grace time.Duration) {
	for _, step := range []struct {
		signal syscall.Signal
		wait   time.Duration
	}{{syscall.SIGTERM, grace}, {syscall.SIGKILL, time.Minute}} {
		if !p.runs() {
			return // its PID may have been reused
		}
		// An error means that it has already ended.
		_ = syscall.Kill(-p.pid, step.signal)
		select {
		case <-p.done:
		case <-time.After(step.wait):
		}
	}
}

func baseName(path string) string { return path[strings.LastIndex(path, "/")+1:] }
