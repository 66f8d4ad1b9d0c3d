// Command build builds the playground's files for the browser into a directory of a site:
//
//	go run ./playground/build -o DIR
//
// It runs in web/. Hugo makes the pages of the site; these files are what the playground's page loads. Below examples
// in Go, build adds links to the playground to the other pages.
package main

import (
	"bytes"
	"compress/gzip"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/schemagen/schemagen/web/playground/sources"
)

func main() {
	out := flag.String("o", "", "the directory to write to")
	flag.Parse()
	if err := build(*out); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func build(out string) error {
	dir, err := os.MkdirTemp("", "schemagen-playground")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	module, err := withoutClients(dir)
	if err != nil {
		return err
	}
	program := filepath.Join(dir, "playground.wasm")
	cmd := exec.Command("go", "build", "-modfile="+module, "-trimpath", "-ldflags=-s -w", "-o", program, "./playground/wasm")
	cmd.Env = append(os.Environ(), "GOOS=js", "GOARCH=wasm")
	cmd.Stderr = os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("build the program: %w", err)
	}
	archive, err := sources.Archive()
	if err != nil {
		return err
	}
	root, err := output("go", "env", "GOROOT")
	if err != nil {
		return err
	}
	binary, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	loader, err := os.ReadFile(filepath.Join(root, "lib", "wasm", "wasm_exec.js"))
	if err != nil {
		return err
	}
	for name, data := range map[string][]byte{"playground.wasm": binary, "playground-sources.txtar": archive} {
		packed, err := compressed(data)
		if err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(out, name+".gz"), packed, 0o666); err != nil {
			return err
		}
	}
	if err := os.WriteFile(filepath.Join(out, "wasm_exec.js"), loader, 0o666); err != nil {
		return err
	}
	if err := bundle(out); err != nil {
		return err
	}
	_, err = link(out, archive)
	return err
}

// withoutClients writes a go.mod file like that of web, with which k8s.io/apiserver has no client for webhooks. Of
// the package that has it, the validation of CRDs uses a few functions that check URLs; but the linker keeps gRPC,
// OpenTelemetry and client-go, which are a quarter of the program.
func withoutClients(dir string) (module string, err error) {
	original, err := output("go", "list", "-m", "-f", "{{.Dir}}", "k8s.io/apiserver")
	if err != nil {
		return "", err
	}
	replacement := filepath.Join(dir, "apiserver")
	if err := os.CopyFS(replacement, os.DirFS(original)); err != nil {
		return "", err
	}
	for _, name := range []string{"authentication", "client", "error", "metrics", "serviceresolver", "webhook"} {
		if err := os.Remove(filepath.Join(replacement, "pkg", "util", "webhook", name+".go")); err != nil {
			return "", err
		}
	}
	module = filepath.Join(dir, "go.mod")
	for _, name := range []string{"go.mod", "go.sum"} {
		data, err := os.ReadFile(name)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(dir, name), data, 0o666); err != nil {
			return "", err
		}
	}
	root, err := filepath.Abs("..")
	if err != nil {
		return "", err
	}
	_, err = output("go", "mod", "edit", "-replace=github.com/schemagen/schemagen="+root, "-replace=k8s.io/apiserver="+replacement, module)
	return module, err
}

// output returns what a command prints.
func output(name string, args ...string) (string, error) {
	cmd := exec.Command(name, args...)
	cmd.Stderr = os.Stderr
	text, err := cmd.Output()
	return strings.TrimSpace(string(text)), err
}

// compressed returns data for a browser to decompress, so that it does not depend on the server of the site.
func compressed(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}
