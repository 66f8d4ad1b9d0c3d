package convertrun

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The beginnings of the names of temporary directories, before random digits.
const (
	converterPrefix = "schemagen-convert-"
	testPrefix      = "schemagen-mutants-"
)

// unusedFor is the time after which the directory of a killed process is removed. A process
// that is alive uses its directory more often.
const unusedFor = time.Hour

// makeTemporary returns a new temporary directory, after it has removed those that killed
// processes left behind.
func makeTemporary(prefix string) (string, error) {
	sweep(os.TempDir(), time.Now())
	return os.MkdirTemp("", prefix)
}

// sweep removes the directories of this package that have not been used for a while. Those
// that cannot be removed are left: they may belong to another user.
func sweep(dir string, now time.Time) {
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if !entry.IsDir() || !isTemporary(entry.Name()) {
			continue
		}
		if info, err := entry.Info(); err == nil && now.Sub(info.ModTime()) > unusedFor {
			_ = os.RemoveAll(filepath.Join(dir, entry.Name()))
		}
	}
}

// isTemporary reports whether makeTemporary gives directories this name.
func isTemporary(name string) bool {
	for _, prefix := range []string{converterPrefix, testPrefix} {
		if digits, ok := strings.CutPrefix(name, prefix); ok && digits != "" && strings.Trim(digits, "0123456789") == "" {
			return true
		}
	}
	return false
}

// use marks a directory as one of a process that is alive.
func use(dir string) {
	now := time.Now()
	_ = os.Chtimes(dir, now, now) // it may be read-only
}

// keepWithin makes a go command, whose working directory has been set, write its own temporary
// files into a directory, so that they are removed with it if the command is killed.
func keepWithin(dir string, cmd *exec.Cmd) { cmd.Env = append(cmd.Environ(), "GOTMPDIR="+dir) }
