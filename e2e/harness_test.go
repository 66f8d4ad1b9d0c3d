package e2e

import (
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"
)

// smallModule returns a module with one program that builds quickly.
func smallModule(t *testing.T, source string) Module {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{"go.mod": "module small.test\n\ngo 1.26.0\n", "main.go": source} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return Module{Dir: dir, Version: "v1.2.3", Programs: []Program{{"small", "small.test"}}}
}

const goodSource = "package main\n\nfunc main() { println(\"built\") }\n"

// names returns the names of the files in a directory, without locks.
func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		if e.Name() != ".lock" {
			out = append(out, e.Name())
		}
	}
	return out
}

func TestBuildIsCached(t *testing.T) {
	cache, m := t.TempDir(), smallModule(t, goodSource)
	built := 0
	say := func(string, ...any) { built++ }
	first, err := Build(t.Context(), cache, m, say)
	if err != nil {
		t.Fatal(err)
	}
	second, err := Build(t.Context(), cache, m, say)
	if err != nil || first != second || built != 1 {
		t.Errorf("got %s, then %s: built %d times, error %v", first, second, built, err)
	}
	if out, err := exec.Command(filepath.Join(first, "small")).CombinedOutput(); err != nil || string(out) != "built\n" {
		t.Errorf("%q %v", out, err)
	}
	// A changed requirement results in another directory.
	if err := os.WriteFile(filepath.Join(m.Dir, "go.sum"), []byte("\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	if third, err := Build(t.Context(), cache, m, say); err != nil || third == first {
		t.Errorf("got %s again, error %v", third, err)
	}
}

// TestHalfBuiltCache checks that files left by interrupted builds are handled.
func TestHalfBuiltCache(t *testing.T) {
	cache, m := t.TempDir(), smallModule(t, goodSource)
	say := func(string, ...any) {}
	dir, err := Build(t.Context(), cache, m, say)
	if err != nil {
		t.Fatal(err)
	}
	binary := filepath.Join(dir, "small")
	for name, spoil := range map[string]func() error{
		"missing":   func() error { return os.Remove(binary) },
		"empty":     func() error { return os.Truncate(binary, 0) },
		"no folder": func() error { return os.RemoveAll(dir) },
	} {
		if err := spoil(); err != nil {
			t.Fatal(name, err)
		}
		left := filepath.Join(cache, "bin", ".new-1234")
		if err := os.MkdirAll(left, 0o755); err != nil {
			t.Fatal(err)
		}
		if _, err := Build(t.Context(), cache, m, say); err != nil {
			t.Fatal(name, err)
		}
		if out, err := exec.Command(binary).CombinedOutput(); err != nil || string(out) != "built\n" {
			t.Errorf("%s: %q %v", name, out, err)
		}
		if got := names(t, filepath.Join(cache, "bin")); len(got) != 1 {
			t.Errorf("%s: got remaining files %q", name, got)
		}
	}
}

func TestBuildFails(t *testing.T) {
	cache, m := t.TempDir(), smallModule(t, "package main\n\nfunc main() { nothing() }\n")
	_, err := Build(t.Context(), cache, m, func(string, ...any) {})
	if err == nil || !strings.Contains(err.Error(), "undefined: nothing") || !strings.Contains(err.Error(), "cannot be built") {
		t.Errorf("%v", err)
	}
	if got := names(t, filepath.Join(cache, "bin")); len(got) != 0 {
		t.Errorf("got remaining files %q", got)
	}
}

// TestNoNetwork checks that a warm cache needs no network, and that the error for a cold one
// names what is missing.
func TestNoNetwork(t *testing.T) {
	cache, m := t.TempDir(), smallModule(t, goodSource)
	dir, err := Build(t.Context(), cache, m, func(string, ...any) {})
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("GOPROXY", "off")
	t.Setenv("GOFLAGS", "-mod=mod -modcacherw") // so that the test can remove the cache
	t.Setenv("GOMODCACHE", t.TempDir())
	if again, err := Build(t.Context(), cache, m, func(string, ...any) {}); err != nil || again != dir {
		t.Errorf("warm: %s %v", again, err)
	}
	real, err := ModuleOf(t.Context(), ".", cache, "")
	if err != nil {
		t.Fatal(err)
	}
	_, err = Build(t.Context(), cache, real, func(string, ...any) {})
	if err == nil || !strings.Contains(err.Error(), "is not in the cache") || !strings.Contains(err.Error(), "GOPROXY=off") {
		t.Errorf("cold: %v", err)
	}
	if got := names(t, filepath.Join(cache, "bin")); len(got) != 1 {
		t.Errorf("got remaining files %q", got)
	}
	_, err = ModuleOf(t.Context(), ".", cache, "v1.2.3")
	if err == nil || !strings.Contains(err.Error(), "v1.2.3") {
		t.Errorf("another version: %v", err)
	}
}

// ownServer starts a separate server with its own cache.
func ownServer(t *testing.T, options Options) (*Server, string, error) {
	t.Helper()
	shared := cluster(t)
	options.Cache = t.TempDir()
	s, err := Start(within(t), shared.Programs, shared.Version, options)
	return s, options.Cache, err
}

// hasExited reports whether no process has the PID. A child that has not been waited for still has
// one.
func hasExited(pid int) bool { return errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) }

func waitGone(t *testing.T, pids ...int) {
	t.Helper()
	ctx := within(t)
	var poll poller
	for _, pid := range pids {
		for !hasExited(pid) {
			if late := poll.next(ctx); late != nil {
				t.Fatalf("process %d is still running", pid)
			}
		}
	}
}

func TestStopLeavesNothing(t *testing.T) {
	s, cache, err := ownServer(t, Options{})
	if err != nil {
		t.Fatal(err)
	}
	etcd, apiserver := s.etcd.pid, s.apiserver.pid
	for _, address := range listening(t, etcd, apiserver) {
		if !address.IsLoopback() {
			t.Errorf("the server listens on %s", address)
		}
	}
	if err := s.Stop(); err != nil {
		t.Fatal(err)
	}
	waitGone(t, etcd, apiserver)
	if got := names(t, filepath.Join(cache, "runs")); len(got) != 0 {
		t.Errorf("got remaining files %q", got)
	}
}

// TestPortsInUse checks that Start tries again if any of the three ports is taken, and that
// the error mentions it if no attempt succeeds.
func TestPortsInUse(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	port := listener.Addr().(*net.TCPAddr).Port
	for i := range 3 {
		asked := 0
		s, _, err := ownServer(t, Options{Port: func() (int, error) {
			asked++
			if asked == i+1 {
				return port, nil
			}
			return freePort()
		}})
		if err != nil {
			t.Fatalf("port %d: %v", i, err)
		}
		if asked != 6 {
			t.Errorf("port %d: asked for %d ports", i, asked)
		}
		if err := s.Stop(); err != nil {
			t.Error(err)
		}
	}
	_, cache, err := ownServer(t, Options{Port: func() (int, error) { return port, nil }})
	if err == nil || !strings.Contains(err.Error(), "address already in use") {
		t.Errorf("%v", err)
	}
	if got := names(t, filepath.Join(cache, "runs")); len(got) != 0 {
		t.Errorf("got remaining files %q", got)
	}
}

func TestServerDies(t *testing.T) {
	for _, which := range []string{"kube-apiserver", "etcd"} {
		t.Run(which, func(t *testing.T) {
			s, cache, err := ownServer(t, Options{})
			if err != nil {
				t.Fatal(err)
			}
			victim := map[string]*process{"etcd": s.etcd, "kube-apiserver": s.apiserver}[which]
			if err := syscall.Kill(victim.pid, syscall.SIGKILL); err != nil {
				t.Fatal(err)
			}
			<-victim.done
			if err := s.Ended(); err == nil || !strings.Contains(err.Error(), which+" exited: signal: killed") {
				t.Errorf("%v", err)
			}
			ctx := within(t)
			if _, err := s.Do(ctx, http.MethodGet, crdsPath, "", nil); err == nil || !strings.Contains(err.Error(), which+" exited") {
				t.Errorf("request: %v", err)
			}
			if _, err := s.Kubectl(ctx, "", "get", "crds"); err == nil || !strings.Contains(err.Error(), which+" exited") {
				t.Errorf("kubectl: %v", err)
			}
			logs := t.TempDir()
			if err := s.KeepLogs(logs); err != nil || len(names(t, logs)) != 2 {
				t.Errorf("logs: %q %v", names(t, logs), err)
			}
			if err := s.Stop(); err != nil {
				t.Error(err)
			}
			waitGone(t, s.etcd.pid, s.apiserver.pid)
			if got := names(t, filepath.Join(cache, "runs")); len(got) != 0 {
				t.Errorf("got remaining files %q", got)
			}
		})
	}
}

func TestServerDoesNotStart(t *testing.T) {
	shared := cluster(t)
	cache := t.TempDir()
	for name, row := range map[string]struct {
		programs, version, want string
		timeout                 time.Duration
	}{
		"no programs":  {programs: t.TempDir(), want: "start etcd"},
		"wrong etcd":   {programs: folderWith(t, shared.Programs, "etcd", "#!/bin/sh\necho no such luck >&2\nexit 3\n"), want: "no such luck"},
		"mute server":  {programs: folderWith(t, shared.Programs, "kube-apiserver", "#!/bin/sh\nexec sleep 600\n"), want: "is not ready", timeout: time.Second},
		"wrong server": {programs: folderWith(t, shared.Programs, "kube-apiserver", "#!/bin/sh\nexit 4\n"), want: "kube-apiserver exited: exit status 4"},
	} {
		_, err := Start(t.Context(), row.programs, "v1.2.3", Options{Cache: cache, StartTimeout: row.timeout})
		if err == nil || !strings.Contains(err.Error(), row.want) {
			t.Errorf("%s: %v", name, err)
		}
		if got := names(t, filepath.Join(cache, "runs")); len(got) != 0 {
			t.Errorf("%s: got remaining files %q", name, got)
		}
	}
}

// folderWith returns a copy of a directory of programs with one of them replaced.
func folderWith(t *testing.T, programs, name, script string) string {
	t.Helper()
	dir := t.TempDir()
	for _, p := range Programs() {
		if p.Name != name {
			if err := os.Symlink(filepath.Join(programs, p.Name), filepath.Join(dir, p.Name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	return dir
}

// helperVariable makes TestHelperProcess start a server in the named cache and wait.
const helperVariable = "E2E_HELPER"

func TestHelperProcess(t *testing.T) {
	cache, programs, ok := strings.Cut(os.Getenv(helperVariable), ",")
	if !ok {
		t.Skip("runs as a child of other tests only")
	}
	if programs == "" {
		s := cluster(t) // in the cache named by the environment
		fmt.Printf("started %d %d\n", s.etcd.pid, s.apiserver.pid)
		select {}
	}
	s, err := Start(t.Context(), programs, "v1.2.3", Options{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Printf("started %d %d\n", s.etcd.pid, s.apiserver.pid)
	select {}
}

// TestKilledRun kills a test with running servers: they end with it, and the next start
// removes its directory, but not that of a run that is still alive.
func TestKilledRun(t *testing.T) {
	shared := cluster(t)
	cache := t.TempDir()
	ctx := within(t)
	cmd := exec.CommandContext(ctx, os.Args[0], "-test.run", "^TestHelperProcess$")
	cmd.Env = append(os.Environ(), helperVariable+"="+cache+","+shared.Programs)
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	var etcd, apiserver int
	if _, err := fmt.Fscanf(out, "started %d %d\n", &etcd, &apiserver); err != nil {
		t.Fatal(err)
	}
	killOnFailure(t, apiserver, etcd)
	alive, err := Start(ctx, shared.Programs, "v1.2.3", Options{Cache: cache})
	if err != nil {
		t.Fatal(err)
	}
	defer alive.Stop()
	if got := names(t, filepath.Join(cache, "runs")); len(got) != 2 {
		t.Errorf("got %q for two runs", got)
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	cmd.Wait()
	waitGone(t, etcd, apiserver)
	if err := sweep(filepath.Join(cache, "runs")); err != nil {
		t.Fatal(err)
	}
	if got := names(t, filepath.Join(cache, "runs")); len(got) != 1 || got[0] != filepath.Base(alive.dir) {
		t.Errorf("got remaining files %q", got)
	}
	if a, err := alive.Do(ctx, http.MethodGet, "/readyz", "", nil); err != nil || !a.OK() {
		t.Errorf("other run: %v %s", err, a)
	}
}

// TestInterruptedRun checks that an interrupt stops the servers in order and leaves no files,
// and that the end of the process that started the run does so as well.
func TestInterruptedRun(t *testing.T) {
	shared := cluster(t)
	if runtime.GOOS != "linux" {
		t.Skip("the environment does not set the cache directory on this system")
	}
	for name, row := range map[string]struct {
		// command runs "$@".
		command string
		signal  os.Signal
		exit    int
	}{
		"interrupt":    {`exec "$@"`, os.Interrupt, 130},
		"parent ended": {`"$@"; exit`, os.Kill, -1},
	} {
		t.Run(name, func(t *testing.T) {
			home := t.TempDir()
			cache := filepath.Join(home, "schemagen-e2e")
			if err := os.Mkdir(cache, 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.Symlink(filepath.Dir(shared.Programs), filepath.Join(cache, "bin")); err != nil {
				t.Fatal(err)
			}
			cmd := exec.CommandContext(within(t), "sh", "-c", row.command, "sh", os.Args[0], "-test.run", "^TestHelperProcess$")
			cmd.Env = append(os.Environ(), helperVariable+"=,", "XDG_CACHE_HOME="+home)
			out, err := cmd.StdoutPipe()
			if err != nil {
				t.Fatal(err)
			}
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			var etcd, apiserver int
			if _, err := fmt.Fscanf(out, "started %d %d\n", &etcd, &apiserver); err != nil {
				t.Fatal(err)
			}
			killOnFailure(t, apiserver, etcd)
			if err := cmd.Process.Signal(row.signal); err != nil {
				t.Fatal(err)
			}
			if cmd.Wait(); cmd.ProcessState.ExitCode() != row.exit {
				t.Errorf("%s", cmd.ProcessState)
			}
			if row.exit < 0 { // the run itself has not been waited for
				waitGone(t, etcd, apiserver)
				waitEmpty(t, filepath.Join(cache, "runs"))
			}
			if !hasExited(etcd) || !hasExited(apiserver) {
				t.Error("a server is still running")
			}
			if got := names(t, filepath.Join(cache, "runs")); len(got) != 0 {
				t.Errorf("got remaining files %q", got)
			}
		})
	}
}

// killOnFailure kills the processes if the test fails.
func killOnFailure(t *testing.T, pids ...int) {
	t.Cleanup(func() {
		for _, pid := range pids {
			if t.Failed() && !hasExited(pid) {
				syscall.Kill(pid, syscall.SIGKILL)
			}
		}
	})
}

func waitEmpty(t *testing.T, dir string) {
	t.Helper()
	ctx := within(t)
	var poll poller
	for len(names(t, dir)) > 0 {
		if late := poll.next(ctx); late != nil {
			t.Fatalf("got remaining files %q", names(t, dir))
		}
	}
}

// listening returns the addresses that processes listen on, from the kernel's tables, or none
// if there are no such tables.
func listening(t *testing.T, pids ...int) []net.IP {
	t.Helper()
	var out []net.IP
	for _, pid := range pids {
		sockets := map[string]bool{}
		links, _ := filepath.Glob(fmt.Sprintf("/proc/%d/fd/*", pid))
		for _, link := range links {
			if to, err := os.Readlink(link); err == nil {
				sockets[strings.TrimSuffix(strings.TrimPrefix(to, "socket:["), "]")] = true
			}
		}
		for _, table := range []string{"tcp", "tcp6"} {
			data, err := os.ReadFile(fmt.Sprintf("/proc/%d/net/%s", pid, table))
			if err != nil {
				continue
			}
			for line := range strings.Lines(string(data)) {
				const listen = "0A"
				f := strings.Fields(line)
				if len(f) > 9 && f[3] == listen && sockets[f[9]] {
					out = append(out, hexAddress(t, f[1]))
				}
			}
		}
	}
	return out
}

// hexAddress parses an address such as "0100007F:1F90": 32-bit words in little-endian order.
func hexAddress(t *testing.T, text string) net.IP {
	t.Helper()
	digits, _, _ := strings.Cut(text, ":")
	var ip net.IP
	for at := 0; at+8 <= len(digits); at += 8 {
		word, err := strconv.ParseUint(digits[at:at+8], 16, 32)
		if err != nil {
			t.Fatal(err)
		}
		ip = append(ip, byte(word), byte(word>>8), byte(word>>16), byte(word>>24))
	}
	return ip
}
