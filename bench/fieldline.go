package main

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// A fieldLine is a command line of a row: the arguments of controller-gen. It may start with
// "cd DIR && " and end with " > FILE", as in a Makefile. $PWD is the root of the checkout.
type fieldLine struct {
	text string
	// dir is the working directory below the root of the checkout.
	dir  string
	args []string
	// stdout is the file below dir that gets the standard output. If empty, it is dropped.
	stdout string
}

func parseFieldLine(text string) fieldLine {
	line := fieldLine{text: text}
	if rest, found := strings.CutPrefix(text, "cd "); found {
		line.dir, text, _ = strings.Cut(rest, " && ")
	}
	text, line.stdout, _ = strings.Cut(text, " > ")
	line.args = strings.Fields(text)
	return line
}

// run runs a program with the arguments of the line, and more flags, in a checkout. It returns
// the messages on standard error.
func (l fieldLine) run(ctx context.Context, root, program string, flags []string) ([]byte, error) {
	var args []string
	for _, arg := range l.args {
		args = append(args, strings.ReplaceAll(arg, "$PWD", root))
	}
	cmd := exec.CommandContext(ctx, program, slices.Concat(args, flags)...)
	cmd.Dir = filepath.Join(root, l.dir)
	var stdout, stderr bytes.Buffer
	cmd.Stdout = &stdout
	cmd.Stderr = &stderr
	err := cmd.Run()
	if err == nil && l.stdout != "" {
		err = os.WriteFile(filepath.Join(cmd.Dir, l.stdout), stdout.Bytes(), 0o644)
	}
	return stderr.Bytes(), err
}
