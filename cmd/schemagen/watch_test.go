package main

import (
	"context"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestWatch edits a package during a run with --watch: each valid state is written, and
// mistakes are reported without ending the run.
func TestWatch(t *testing.T) {
	p := newProject(t)
	ctx, cancel := context.WithCancel(t.Context())
	reader, writer := io.Pipe()
	ended := make(chan int)
	go func() {
		code := run(ctx, append(slices.Clone(p.args), "--watch", "--set", "cacheDir="+p.at("cache")), io.Discard, writer)
		writer.Close()
		ended <- code
	}()
	texts := make(chan string, 100)
	go func() {
		var text strings.Builder
		buffer := make([]byte, 4096)
		for {
			n, err := reader.Read(buffer)
			text.Write(buffer[:n])
			texts <- text.String()
			if err != nil {
				return
			}
		}
	}()
	all := ""
	expect := func(text string, times int) {
		t.Helper()
		deadline := time.After(30 * time.Second)
		for strings.Count(all, text) < times {
			select {
			case all = <-texts:
			case <-deadline:
				t.Fatalf("%q does not occur %d times in:\n%s", text, times, all)
			}
		}
	}
	expect("1 file changed\n", 1)
	p.replace("work/api/extra.go", "is more", "is less")
	expect("1 file changed\n", 2)
	if text, err := os.ReadFile(p.at("out/example.com_widgets.yaml")); err != nil || !strings.Contains(string(text), "is less") {
		t.Errorf("%v: %s", err, text)
	}
	p.replace("work/api/extra.go", "type Extra", "type Extra Extra Extra")
	expect("there are errors, nothing was written\n", 1)
	p.remove("work/go.mod")
	p.replace("work/api/extra.go", "type Extra Extra Extra", "type Extra")
	p.write("work/go.mod", projectFiles()["work/go.mod"])
	p.replace("work/api/extra.go", "is less", "is neither")
	expect("1 file changed\n", 3)
	p.write("work/api/sub/doc.go", "package sub\n\n// +kubebuilder:validation:Minimun=1\ntype A int\n")
	expect("0 files changed\n", 1)
	p.write("work/schemagen.yaml", "crd: {omitToolVersion: true}\n")
	expect("1 file changed\n", 4)
	p.write("work/schemagen.yaml", "crd: {omitToolVersion: maybe}\n")
	expect("there are errors, nothing was written\n", 2)
	p.remove("work/schemagen.yaml")
	expect("1 file changed\n", 5)
	cancel()
	if code := <-ended; code != 0 {
		t.Errorf("exit code %d", code)
	}
}
