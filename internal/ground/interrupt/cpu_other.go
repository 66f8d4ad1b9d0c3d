//go:build !unix && !windows

package interrupt

import "time"

// processCPU returns 0: a run has the longer time.
func processCPU() time.Duration { return 0 }
