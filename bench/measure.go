package main

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"runtime/debug"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A sample holds the resources that a run used.
type sample struct {
	wall time.Duration
	// cpu is the user and system time of the process and of all descendants that were waited
	// for.
	cpu time.Duration
	// treeRSS is the peak resident size, in KiB, of the largest single process of the tree:
	// wait4 reports the maximum over the process and all descendants that were waited for.
	// The kernel includes the peak of the program that was replaced by exec, which is the
	// harness: the figure cannot be less than the harness's own peak.
	treeRSS int64
}

// execute runs a program and returns the resources that it used and its standard error.
func execute(ctx context.Context, dir, program string, args []string) (sample, []byte, error) {
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = dir
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	start := time.Now()
	err := cmd.Run()
	wall := time.Since(start)
	if cmd.ProcessState == nil {
		return sample{}, nil, err
	}
	s := sample{wall: wall, cpu: cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()}
	if usage, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		s.treeRSS = int64(usage.Maxrss)
	}
	return s, stderr.Bytes(), err
}

// forgetPeak makes the current resident size the peak, which is part of what is measured of later programs
// on Linux.
func forgetPeak() error {
	debug.FreeOSMemory()
	err := os.WriteFile("/proc/self/clear_refs", []byte("5"), 0)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

// highWater returns VmHWM of a process in KiB, or 0 if it cannot be read.
func highWater(pid string) int64 {
	status, err := os.ReadFile("/proc/" + pid + "/status")
	if err != nil {
		return 0
	}
	_, rest, found := strings.Cut(string(status), "VmHWM:")
	if !found {
		return 0
	}
	line, _, _ := strings.Cut(rest, "\n")
	value, err := strconv.ParseInt(strings.TrimSpace(strings.TrimSuffix(line, "kB")), 10, 64)
	if err != nil {
		return 0
	}
	return value
}
