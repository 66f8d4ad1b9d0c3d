//go:build unix && !linux

package e2e

import (
	"os/exec"
	"syscall"
)

// isolate puts a command into its own process group. Only Linux can kill it when this process
// ends; elsewhere, servers outlive a killed run.
func isolate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
