package e2e

import (
	"os/exec"
	"syscall"
)

// isolate puts a command into its own process group, so that an interrupt from the terminal
// does not end etcd before the API server, and kills it when this process ends.
func isolate(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}
