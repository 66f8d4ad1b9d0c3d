//go:build unix && !linux

package e2e

import (
	"os/exec"
	"syscall"
)

// isolate gives a command a process group of its own. Only Linux can tie its life
// to ours: elsewhere a killed run leaves its servers.
func isolate(cmd *exec.Cmd) { cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true} }
