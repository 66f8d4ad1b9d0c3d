//go:build unix

package migrate

import (
	"os/exec"
	"syscall"
	"time"
)

// killGroup makes the end of a command's context end the processes that it started as well.
func killGroup(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	cmd.WaitDelay = time.Second
}
