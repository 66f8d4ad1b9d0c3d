package convertrun

import "os/exec"

// keepWithin makes a go command, whose working directory has been set, write its own temporary
// files into a directory, so that they are removed with it if the command is killed.
func keepWithin(dir string, cmd *exec.Cmd) { cmd.Env = append(cmd.Environ(), "GOTMPDIR="+dir) }
