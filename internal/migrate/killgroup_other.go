//go:build !unix

package migrate

import (
	"os/exec"
	"time"
)

// killGroup makes the end of a command's context end the wait for the processes that it started.
func killGroup(cmd *exec.Cmd) { cmd.WaitDelay = time.Second }
