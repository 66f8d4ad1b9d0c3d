package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/httpserver"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/internal/definitions"
)

// servedRun is a run of openapi --serve.
type servedRun struct {
	url    string
	stop   context.CancelFunc
	ended  chan int
	stderr *lockedText
}

// lockedText collects the output of a running command.
type lockedText struct {
	mu sync.Mutex
	b  strings.Builder
}

func (l *lockedText) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedText) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// startServe serves a directory and waits for the address.
func startServe(t *testing.T, args ...string) *servedRun {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	s := &servedRun{stop: cancel, ended: make(chan int, 1), stderr: &lockedText{}}
	out, in := io.Pipe()
	go func() {
		code := run(ctx, append([]string{"openapi"}, args...), in, s.stderr)
		in.Close()
		s.ended <- code
	}()
	t.Cleanup(cancel)
	line, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		t.Fatalf("%v: %s", err, s.stderr)
	}
	if _, err := fmt.Sscanf(line, "serving %s for kubectl", &s.url); err != nil {
		t.Fatalf("%q: %v", line, err)
	}
	s.url = strings.TrimSuffix(s.url, ",")
	return s
}

// get returns the status code and body of a response.
func (s *servedRun) get(t *testing.T, path string) (int, string) {
	t.Helper()
	response, err := http.Get(s.url + path)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	return response.StatusCode, string(text)
}

// raw sends bytes and returns the whole response.
func (s *servedRun) raw(t *testing.T, text string) string {
	t.Helper()
	conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
	if err != nil {
		t.Error(err)
		return ""
	}
	defer conn.Close()
	if err := conn.SetDeadline(time.Now().Add(2 * httpserver.ReadTime)); err != nil {
		t.Error(err)
	}
	go io.WriteString(conn, text) // the response may arrive before everything is sent
	answer, _ := io.ReadAll(conn) // a reset also ends the response
	return string(answer)
}

func TestServe(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "kind.yaml")
	if err := os.WriteFile(file, []byte(manyDefinition(1, 100, " First.")), 0o666); err != nil {
		t.Fatal(err)
	}
	s := startServe(t, dir, "--serve", "0")
	if !strings.HasPrefix(s.url, "http://127.0.0.1:") {
		t.Errorf("got address %s", s.url)
	}
	const path = "/openapi/v3/apis/group0.example.com/v1"
	code, text := s.get(t, path)
	if code != 200 || !strings.Contains(text, "First.") || strings.Contains(text, "fieldValidation") {
		t.Errorf("%d %.200s", code, text)
	}
	s.stop()
	if code := <-s.ended; code != 0 {
		t.Errorf("exit code %d: %s", code, s.stderr)
	}
	if _, err := http.Get(s.url + path); err == nil {
		t.Error("the server responds after its end")
	}
}

// TestServeHostile sends invalid requests over real connections.
func TestServeHostile(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	secret := filepath.Join(dir, "secret.txt")
	for name, text := range map[string]string{secret: "the secret", filepath.Join(dir, "kind.yaml"): manyDefinition(1, 100, "")} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	s := startServe(t, dir, "--serve", ":0")
	const host = "Host: localhost\r\n"
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var wait sync.WaitGroup
	for name, c := range map[string]struct{ request, want string }{
		"traversal":           {"GET /../secret.txt HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n", " 404 "},
		"absolute path":       {"GET " + secret + " HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n", " 404 "},
		"escaped slashes":     {"GET /openapi/..%2f..%2fsecret.txt HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n", " 400 "},
		"whole address":       {"GET file://" + secret + " HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n", " 4"},
		"a huge header":       {"GET / HTTP/1.1\r\n" + host + "X: " + strings.Repeat("a", 1<<20) + "\r\n\r\n", " 431 "},
		"many headers":        {"GET / HTTP/1.1\r\n" + host + strings.Repeat("X: a\r\n", 1<<16) + "\r\n", " 431 "},
		"a huge path":         {"GET /" + strings.Repeat("a", 1<<20) + " HTTP/1.1\r\n" + host + "\r\n", " 431 "},
		"a weird method":      {"BREW /openapi/v2 HTTP/1.1\r\n" + host + "Connection: close\r\n\r\n", " 405 "},
		"no method":           {"\x00\x01\x02\r\n\r\n", " 400 "},
		"two lengths":         {"POST / HTTP/1.1\r\n" + host + "Content-Length: 5\r\nContent-Length: 6\r\n\r\nhello", " 400 "},
		"a length and chunks": {"POST / HTTP/1.1\r\n" + host + "Content-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\nhello", " 4"},
		"a body of GBs":       {"POST / HTTP/1.1\r\n" + host + "Content-Length: 9999999999\r\n\r\n" + strings.Repeat("a", 1<<22), " 405 "},
		"a body that waits":   {"POST / HTTP/1.1\r\n" + host + "Expect: 100-continue\r\nContent-Length: 100\r\n\r\n", " 405 "},
		"a body never sent":   {"GET /version HTTP/1.1\r\n" + host + "Content-Length: 100\r\n\r\n", " 200 "},
		"no host":             {"GET /openapi/v2 HTTP/1.1\r\n\r\n", " 400 "},
		"another host":        {"GET /openapi/v2 HTTP/1.1\r\nHost: evil.example\r\nConnection: close\r\n\r\n", " 421 "},
		"an address":          {"GET /version HTTP/1.1\r\nHost: 127.0.0.1:1\r\nConnection: close\r\n\r\n", " 200 "},
		"IPv6":                {"GET /version HTTP/1.1\r\nHost: [::1]:1\r\nConnection: close\r\n\r\n", " 200 "},
	} {
		wait.Go(func() {
			answer := s.raw(t, c.request)
			first, _, _ := strings.Cut(answer, "\r\n")
			if !strings.HasPrefix(first, "HTTP/1.1"+c.want) || strings.Contains(answer, "the secret") {
				t.Errorf("%s: %.300q, want%s", name, answer, c.want)
			}
		})
	}
	wait.Wait()
	runtime.GC()
	runtime.ReadMemStats(&after)
	if grown := int64(after.HeapAlloc) - int64(before.HeapAlloc); grown > 16<<20 {
		t.Errorf("the heap grew by %d bytes", grown)
	}
	s.stop()
	if code := <-s.ended; code != 0 {
		t.Errorf("exit code %d: %s", code, s.stderr)
	}
}

// TestServeSlowClient opens more idle connections than are served at a time, and checks
// that another client gets a response once they time out.
func TestServeSlowClient(t *testing.T) {
	t.Parallel()
	dir := manyDefinitions(t, 1, 100)
	s := startServe(t, dir, "--serve", "127.0.0.1:0")
	begin := time.Now()
	for range httpserver.MaxConnections + 8 {
		conn, err := net.Dial("tcp", strings.TrimPrefix(s.url, "http://"))
		if err != nil {
			t.Fatal(err)
		}
		defer conn.Close()
		io.WriteString(conn, "GET /version HTTP/1.1\r\nHost: localhost\r\nX")
	}
	if code, _ := s.get(t, "/version"); code != 200 {
		t.Errorf("code %d", code)
	}
	t.Logf("answered after %v", time.Since(begin))
	s.stop()
	if code := <-s.ended; code != 0 {
		t.Errorf("exit code %d: %s", code, s.stderr)
	}
}

func TestServeRejects(t *testing.T) {
	dir := manyDefinitions(t, 1, 100)
	for want, args := range map[string][]string{
		"it cannot be used with --output": {dir, "--serve", "0", "-o", "x"},
		"--check or --diff":               {dir, "--serve", "0", "--check"},
		"--serve nowhere":                 {dir, "--serve", "nowhere"},
		"duplicate kind":                  {dir, filepath.Join(dir, "000.yaml"), "--serve", "0"},
	} {
		var stdout, stderr strings.Builder
		if code := run(t.Context(), append([]string{"openapi"}, args...), &stdout, &stderr); code == 0 || !strings.Contains(stderr.String(), want) {
			t.Errorf("%q: %d %s", args, code, stderr.String())
		}
	}
	s := startServe(t, dir, "--serve", "0.0.0.0:0")
	if message := s.stderr.String(); !strings.Contains(message, "can be reached from other machines") {
		t.Errorf("got no warning: %q", message)
	}
	s.stop()
	<-s.ended
}

// TestReloadKeepsFiles checks that an unchanged file is read once, even if another one had
// mistakes in between.
func TestReloadKeepsFiles(t *testing.T) {
	dir := manyDefinitions(t, 2, 100)
	r := openAPIRun{Reporter: reporting.Reporter{Format: "text", Console: newTestConsole()}, cache: &definitions.Cache{}}
	r.definitions.Add(&cobra.Command{})
	var last []*definitions.Resource
	load := func() error {
		published, err := r.read(t.Context(), []string{dir}, nil, io.Discard)
		if err == nil {
			last = published
		}
		return err
	}
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "001.yaml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	if err := load(); err != nil {
		t.Fatal(err)
	}
	first := last
	write("kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\nspec: {versions: [{name: v1, served: true}]}\n")
	if message := r.reload([]string{dir}, load); message != "the documents are unchanged" {
		t.Errorf("invalid definition: got %s", message)
	}
	write(manyDefinition(1, 100, " Changed."))
	if message := r.reload([]string{dir}, load); message != "reloaded" {
		t.Errorf("corrected definition: got %s", message)
	}
	if len(last) != 2 || last[0] != first[0] || last[1] == first[1] {
		t.Errorf("%v after %v", last, first)
	}
	if message := r.reload([]string{"-"}, load); !strings.Contains(message, "standard input cannot be read again") {
		t.Errorf("standard input: got %s", message)
	}
}
