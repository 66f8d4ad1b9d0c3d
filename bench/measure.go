package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// A sample is what one run took.
type sample struct {
	wall time.Duration
	// cpu is user and system time of the process and of all descendants that
	// were waited for.
	cpu time.Duration
	// treeRSS is the peak resident size in KiB of the largest single process
	// of the tree: wait4 reports the maximum over the process and all
	// descendants that were waited for. The kernel carries the peak of the
	// program that was replaced by exec over into this figure, and that program
	// is the harness: it cannot be less than the harness's own peak.
	treeRSS int64
}

// execute runs a program and returns what it took and what it wrote to stderr.
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

// highWater reads VmHWM of a process in KiB; 0 if there is none.
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
