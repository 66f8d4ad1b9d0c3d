package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestFieldLine runs a program for lines with a directory and an output file.
func TestFieldLine(t *testing.T) {
	root := t.TempDir()
	program := filepath.Join(root, "arguments")
	script := "#!/bin/sh\npwd\nprintf '%s\\n' \"$@\"\necho message >&2\n"
	if err := os.WriteFile(program, []byte(script), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(root, "api", "out"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ line, file, want string }{
		{"crd paths=./... > out.txt", "out.txt", "ROOT crd paths=./... --flag"},
		{"cd api && crd output:crd:dir=../x > out/crd.yaml", "api/out/crd.yaml", "ROOT/api crd output:crd:dir=../x --flag"},
		{"cd api && crd paths=$PWD/api/... > o", "api/o", "ROOT/api crd paths=ROOT/api/... --flag"},
		{"paths={./a/...,./b/...};./c > o", "o", "ROOT paths={./a/...,./b/...};./c --flag"},
	} {
		messages, err := parseFieldLine(c.line).run(t.Context(), root, program, []string{"--flag"})
		if err != nil || string(messages) != "message\n" {
			t.Errorf("%s: %q, %v", c.line, messages, err)
		}
		text, err := os.ReadFile(filepath.Join(root, c.file))
		if err != nil {
			t.Error(err)
		}
		got := strings.ReplaceAll(strings.Join(strings.Fields(string(text)), " "), root, "ROOT")
		if got != c.want {
			t.Errorf("%s: %s, want %s", c.line, got, c.want)
		}
	}
}

// TestFieldTable parses every line: no argument is a remainder of the shell's syntax.
func TestFieldTable(t *testing.T) {
	rows, err := readFieldTable()
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		for _, line := range row.lines {
			for _, arg := range line.args {
				if strings.ContainsAny(arg, "\"'&|>") || arg == "cd" {
					t.Errorf("%s: %s: %s", row.name(), line.text, arg)
				}
			}
		}
	}
}

// TestReadTreeLinks compares the targets of symbolic links, not what they refer to.
func TestReadTreeLinks(t *testing.T) {
	dir := t.TempDir()
	for link, target := range map[string]string{"a": "missing", "b": "."} {
		if err := os.Symlink(target, filepath.Join(dir, link)); err != nil {
			t.Fatal(err)
		}
	}
	files, err := readTree(dir, nil)
	if err != nil || len(files) != 2 || string(files[0].content) != "missing" || string(files[1].content) != "." {
		t.Errorf("%v, %v", files, err)
	}
}
