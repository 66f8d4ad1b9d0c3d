package e2e

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"
)

// A Program is a main package and the name of its binary.
type Program struct{ Name, Package string }

// Programs returns the programs needed for a server, the fastest to build first.
func Programs() []Program {
	return []Program{
		{"etcd", "go.etcd.io/etcd/server/v3"},
		{"kubectl", "k8s.io/kubernetes/cmd/kubectl"},
		{"kube-apiserver", "k8s.io/kubernetes/cmd/kube-apiserver"},
	}
}

// A Module is a directory with a go.mod and go.sum that determine the versions of programs.
type Module struct {
	Dir string
	// Version is the Kubernetes version, for example "v1.37.2". It is also set in the
	// binaries.
	Version  string
	Programs []Program
}

// key returns the name of the directory for the binaries. It depends on all requirements and
// the version of Go.
func (m Module) key(ctx context.Context) (string, error) {
	goVersion, err := goCommand(ctx, m.Dir, nil, "env", "GOVERSION")
	if err != nil {
		return "", err
	}
	hash := sha256.New()
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(filepath.Join(m.Dir, name))
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
		hash.Write(data)
	}
	fmt.Fprintln(hash, m.Programs, runtime.GOOS, runtime.GOARCH)
	return fmt.Sprintf("%s-%s-%.4x", m.Version, bytes.TrimSpace(goVersion), hash.Sum(nil)), nil
}

// Build returns the directory with the binaries of the module, which are built if they are
// not in the cache. The directory is created atomically; files left by an interrupted build
// are removed. Progress of a build is reported to say.
func Build(ctx context.Context, cache string, m Module, say func(format string, args ...any)) (string, error) {
	key, err := m.key(ctx)
	if err != nil {
		return "", err
	}
	parent := filepath.Join(cache, "bin")
	dir := filepath.Join(parent, key)
	if m.complete(dir) {
		return dir, nil
	}
	if err := os.MkdirAll(parent, 0o755); err != nil {
		return "", err
	}
	name := filepath.Join(parent, ".lock")
	unlock, free := tryLock(name)
	if !free {
		say("another run builds; waiting for it")
		if unlock, err = lock(name); err != nil {
			return "", err
		}
	}
	defer unlock()
	if m.complete(dir) {
		return dir, nil // a concurrent run built it first
	}
	if err := removeAll(filepath.Join(parent, ".new-*")); err != nil {
		return "", err
	}
	temp, err := os.MkdirTemp(parent, ".new-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(temp)
	for _, p := range m.Programs {
		say("building %s of Kubernetes %s; once, and some minutes on a cold build cache", p.Name, m.Version)
		args := append([]string{"build", "-v", "-ldflags", m.linkerFlags(), "-o", filepath.Join(temp, p.Name)}, p.Package)
		if _, err := goCommand(ctx, m.Dir, []string{"CGO_ENABLED=0"}, args...); err != nil {
			return "", fmt.Errorf("%s of Kubernetes %s is not in the cache %s and cannot be built: %w", p.Name, m.Version, parent, err)
		}
	}
	// An existing directory lacks a program, so no run uses it.
	if err := os.RemoveAll(dir); err != nil {
		return "", err
	}
	return dir, os.Rename(temp, dir)
}

// complete reports whether all programs are in a directory.
func (m Module) complete(dir string) bool {
	for _, p := range m.Programs {
		info, err := os.Stat(filepath.Join(dir, p.Name))
		if err != nil || !info.Mode().IsRegular() || info.Mode()&0o100 == 0 || info.Size() == 0 {
			return false
		}
	}
	return true
}

// linkerFlags returns linker flags that set the version of the programs, as in a release
// build. A server without a version reports v0.0.0 and does not enable its features by
// version.
func (m Module) linkerFlags() string {
	const at = " -X k8s.io/component-base/version."
	numbers := strings.SplitN(strings.TrimPrefix(m.Version, "v"), ".", 3)
	flags := "-s -w" + at + "gitVersion=" + m.Version
	if len(numbers) == 3 {
		flags += at + "gitMajor=" + numbers[0] + at + "gitMinor=" + numbers[1]
	}
	return flags
}

// goCommand runs the go command in dir, outside of any workspace, and returns its output.
func goCommand(ctx context.Context, dir string, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	cmd.Env = slices.Concat(os.Environ(), []string{"GOWORK=off"}, env)
	var stdout bytes.Buffer
	stderr := &progressWriter{ctx: ctx} // -v prints each package
	cmd.Stdout, cmd.Stderr = &stdout, stderr
	isolate(cmd)
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	if err := cmd.Run(); err != nil {
		// go mod download -json reports its error on stdout.
		return nil, fmt.Errorf("go %s in %s: %w\n%s%s", strings.Join(args, " "), dir, err, lastLines(stderr.out.Bytes(), 20), lastLines(stdout.Bytes(), 20))
	}
	return stdout.Bytes(), nil
}

// lock waits for the lock of a file. The lock is released by unlock, or when the process
// ends.
func lock(name string) (unlock func(), err error) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, err
	}
	if err := syscall.Flock(int(f.Fd()), syscall.LOCK_EX); err != nil {
		f.Close()
		return nil, fmt.Errorf("lock %s: %w", name, err)
	}
	return func() { f.Close() }, nil
}

// removeAll removes the files that match a pattern.
func removeAll(pattern string) error {
	names, err := filepath.Glob(pattern)
	if err != nil {
		return err
	}
	for _, name := range names {
		if err := os.RemoveAll(name); err != nil {
			return err
		}
	}
	return nil
}

// lastLines returns the last n lines of a text.
func lastLines(text []byte, n int) string {
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	return strings.Join(lines[max(0, len(lines)-n):], "\n")
}

// tryLock takes the lock of a file if it is free.
func tryLock(name string) (unlock func(), free bool) {
	f, err := os.OpenFile(name, os.O_CREATE|os.O_RDWR, 0o644)
	if err != nil {
		return nil, false
	}
	if syscall.Flock(int(f.Fd()), syscall.LOCK_EX|syscall.LOCK_NB) != nil {
		f.Close()
		return nil, false
	}
	return func() { f.Close() }, true
}
