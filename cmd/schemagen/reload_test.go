//go:build unix

package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// TestServeReloads sends the signal after which openapi --serve reads its files again.
func TestServeReloads(t *testing.T) {
	dir := t.TempDir()
	write := func(text string) {
		if err := os.WriteFile(filepath.Join(dir, "kind.yaml"), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write(manyDefinition(1, 100, " First."))
	s := startServe(t, dir, "--serve", "0")
	for _, c := range []struct{ text, want, document string }{
		{manyDefinition(1, 100, " Second."), "reloaded\n", "Second."},
		{"kind: CustomResourceDefinition\napiVersion: apiextensions.k8s.io/v1\nspec: {versions: [{name: v1, served: true}]}\n", "unchanged\n", "Second."},
		{manyDefinition(1, 100, " Third."), "reloaded\n", "Third."},
	} {
		write(c.text)
		before := len(s.stderr.String())
		if err := syscall.Kill(os.Getpid(), syscall.SIGHUP); err != nil {
			t.Fatal(err)
		}
		for end := time.Now().Add(30 * time.Second); !strings.HasSuffix(s.stderr.String()[before:], c.want) && time.Now().Before(end); {
			time.Sleep(10 * time.Millisecond)
		}
		if message := s.stderr.String()[before:]; !strings.HasSuffix(message, c.want) {
			t.Errorf("after a change: got %q, want %q", message, c.want)
		}
		if _, text := s.get(t, "/openapi/v3/apis/group0.example.com/v1"); !strings.Contains(text, c.document) {
			t.Errorf("want %s in %.300s", c.document, text)
		}
	}
	s.stop()
	if code := <-s.ended; code != 0 {
		t.Errorf("exit code %d: %s", code, s.stderr)
	}
}
