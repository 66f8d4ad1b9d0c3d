package e2e

import (
	"os/exec"
	"syscall"
)

// isolate gives a command a process group of its own, so that an interrupt of the
// terminal does not end etcd before the server, and ties its life to ours.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
