//go:build unix

package interrupt

import (
	"syscall"
	"time"
)

// processCPU returns the user and system time of the process, or 0 if it is not known.
func processCPU() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		return 0
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
