package e2e

import (
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"
)

// root is the directory of the repository.
const root = ".."

// versionVariable is the environment variable with the Kubernetes version to test against,
// for example "v1.35.4". If it is empty, the version is that of this module.
const versionVariable = "E2E_K8S"

func TestMain(m *testing.M) {
	flag.Parse()
	os.Exit(suite.run(m))
}

// suite is the state shared by all tests: one server and the report.
var suite = &shared{}

type shared struct {
	once   sync.Once
	server *Server
	err    error
	report Report
	// tool is the path of the binary schemagen, bench the output of the cases in bench/. Each
	// is made once.
	tool  lazy[string]
	bench lazy[benchResult]
	// ctx is canceled when the run is interrupted.
	ctx context.Context
	// watch ends the run if there is no more progress.
	watch *watch
}

// lazy is a value shared by tests. It is created by the first test that needs it.
type lazy[T any] struct {
	once  sync.Once
	value T
	made  bool
}

// get returns the value. If creating it failed, get fails the test.
func (l *lazy[T]) get(t *testing.T, make func() T) T {
	t.Helper()
	l.once.Do(func() {
		l.value = make()
		l.made = true
	})
	if !l.made {
		t.Fatal("another test failed to create it")
	}
	return l.value
}

// schemagen builds the command and returns the path of the binary.
func schemagen(t *testing.T) string {
	t.Helper()
	return suite.tool.get(t, func() string {
		dir, err := os.MkdirTemp("", "schemagen-e2e-")
		if err != nil {
			t.Fatal(err)
		}
		tool := filepath.Join(dir, "schemagen")
		if _, err := goCommand(t.Context(), root, nil, "build", "-o", tool, "./cmd/schemagen"); err != nil {
			t.Fatal(err)
		}
		return tool
	})
}

// run runs the tests, and stops the server even if they are interrupted.
func (w *shared) run(m *testing.M) int {
	// Interrupted tests cannot remove their temporary directories.
	temporary, err := os.MkdirTemp("", "schemagen-e2e-")
	if err == nil {
		err = os.Setenv("TMPDIR", temporary)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	defer os.RemoveAll(temporary)
	ctx, cancel := context.WithCancel(context.Background())
	w.ctx = ctx
	interrupted := make(chan os.Signal, 1)
	signal.Notify(interrupted, os.Interrupt, syscall.SIGTERM)
	idle := make(chan struct{})
	w.watch = newWatch(runLimit, nil, func() { close(idle) })
	go func() {
		select {
		case <-interrupted:
		case <-abandoned():
		case <-idle:
			fmt.Fprintf(os.Stderr, "no progress for %s\n", runLimit)
			pprof.Lookup("goroutine").WriteTo(os.Stderr, 1)
		}
		cancel()
		// No server is started from here on, and one that is starting is waited for.
		w.once.Do(func() {})
		if err := w.stop(false); err != nil {
			fmt.Fprintln(os.Stderr, err)
		}
		os.RemoveAll(temporary)
		fmt.Fprintln(os.Stderr, "interrupted")
		os.Exit(130)
	}()
	begin := time.Now()
	code := m.Run()
	if err := w.stop(code != 0); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	isLimited := func(name string) bool { return flag.Lookup(name).Value.String() != "" }
	whole := !slices.ContainsFunc([]string{"test.run", "test.skip", "test.list"}, isLimited)
	if code == 0 && whole && !testing.Short() && os.Getenv(versionVariable) == "" {
		w.report.Whole(time.Since(begin))
		if err := os.WriteFile("REPORT.md", w.report.Markdown(), 0o644); err != nil {
			fmt.Fprintln(os.Stderr, err)
			code = 1
		}
	}
	return code
}

// abandoned returns a channel that is closed when the process that started this one has
// ended: when go test is killed, the test binary keeps running.
func abandoned() <-chan struct{} {
	out, parent := make(chan struct{}), os.Getppid()
	go func() {
		for os.Getppid() == parent {
			time.Sleep(500 * time.Millisecond)
		}
		close(out)
	}()
	return out
}

// stop stops the server and, with keepLogs, keeps its logs.
func (w *shared) stop(keepLogs bool) error {
	if w.server == nil {
		return nil
	}
	var kept error
	if cache, err := cacheFolder(); keepLogs && err == nil {
		logs := filepath.Join(cache, "logs")
		if kept = w.server.KeepLogs(logs); kept == nil {
			fmt.Fprintln(os.Stderr, "the logs of the servers are in", logs)
		}
	}
	return errors.Join(kept, w.server.Stop())
}

func cacheFolder() (string, error) {
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "schemagen-e2e"), err
}

// start builds and starts the server.
func (w *shared) start() (*Server, error) {
	ctx := w.ctx
	cache, err := cacheFolder()
	if err != nil {
		return nil, err
	}
	say := func(format string, args ...any) { fmt.Fprintf(os.Stderr, format+"\n", args...) }
	module, err := ModuleOf(ctx, ".", cache, os.Getenv(versionVariable))
	if err != nil {
		return nil, err
	}
	programs, err := Build(ctx, cache, module, say)
	if err != nil {
		return nil, err
	}
	etcd, err := exec.CommandContext(ctx, filepath.Join(programs, "etcd"), "--version").Output()
	if err != nil {
		return nil, err
	}
	first, _, _ := strings.Cut(string(etcd), "\n") // etcd Version: 3.7.0
	w.report.Version("etcd", strings.TrimPrefix(first, "etcd Version: "))
	s, err := Start(ctx, programs, module.Version, Options{Cache: cache})
	if err != nil {
		return nil, err
	}
	a, err := s.Do(ctx, "GET", "/version", "", nil)
	var answered struct{ GitVersion string }
	if err == nil {
		err = json.Unmarshal(a.Body, &answered)
	}
	if err == nil && answered.GitVersion != module.Version {
		err = fmt.Errorf("the server of %s reports version %s", module.Version, answered.GitVersion)
	}
	if err != nil {
		return nil, errors.Join(err, s.Stop())
	}
	w.report.Version("Kubernetes", answered.GitVersion)
	return s, nil
}

// cluster returns the server that the tests share.
func cluster(t *testing.T) *Server {
	t.Helper()
	suite.once.Do(func() { suite.server, suite.err = suite.start() })
	if suite.err != nil {
		t.Fatal(suite.err)
	}
	if suite.server == nil {
		t.Fatal("interrupted")
	}
	if err := suite.server.Ended(); err != nil {
		t.Fatal(err)
	}
	return suite.server
}

// part records the duration of a part of the run in the report.
func part(t *testing.T, name string) {
	begin := time.Now()
	t.Cleanup(func() { suite.report.Part(name, time.Since(begin)) })
}

// within returns a context that is canceled when nothing responds any more.
func within(t *testing.T) context.Context {
	ctx, cancel := whileProgressing(t.Context(), idleLimit)
	t.Cleanup(cancel)
	return ctx
}

// afterwards is the variant of within for the cleanup of a test, when the test's context has
// ended.
func afterwards() (context.Context, context.CancelFunc) {
	return whileProgressing(context.Background(), idleLimit)
}
