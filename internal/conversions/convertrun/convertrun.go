package convertrun

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/conversions/written"
	"github.com/schemagen/schemagen/internal/ground/temporary"
	"github.com/schemagen/schemagen/internal/terminal/consent"
)

// Request asks for an object in another version.
type Request struct {
	Group  string          `json:"group"`
	Kind   string          `json:"kind"`
	From   string          `json:"from"`
	To     string          `json:"to"`
	Object json.RawMessage `json:"object"`
	// Normal asks for the JSON that objects are compared by: it is decoded and encoded until
	// it stays the same. A struct that omitzero leaves out is left out, too, if it was not zero
	// only because of an empty list, of which nothing is written.
	Normal bool `json:"normal,omitempty"`
}

// Answer is an object in the version that was asked for, or the reason why there is none.
type Answer struct {
	Object json.RawMessage `json:"object,omitempty"`
	Error  string          `json:"error,omitempty"`
	// Path has the names and indices that lead to the value because of which the object does
	// not fit its Go type, if that is the reason.
	Path []any `json:"path,omitempty"`
}

// Converter is a compiled program.
type Converter struct{ dir string }

// Code is the user's code that a program is built from.
type Code struct {
	// Dir is the working directory, and Tags are the build tags.
	Dir  string
	Tags []string
	// Files are absolute names and texts of files in place of what is on disk.
	Files map[string][]byte
	// Consent allows to build and run the code. It is asked before anything is built.
	Consent *consent.Consent
}

// Build compiles a program as if it were below the first hub, from where it may import the
// packages of the kinds. Close removes it. The error has what the compiler says, with paths
// relative to the working directory if the hub is below it.
func Build(ctx context.Context, code Code, kinds []written.Kind) (*Converter, error) {
	if err := code.Consent.RequireCode(Packages(kinds)); err != nil {
		return nil, err
	}
	dir, err := temporary.Dir(ctx, temporary.Convert)
	if err != nil {
		return nil, err
	}
	c := &Converter{dir: dir}
	if err := c.build(ctx, code, kinds); err != nil {
		return nil, errors.Join(err, c.Close())
	}
	return c, nil
}

// Packages returns the import paths of the versions of kinds, sorted.
func Packages(kinds []written.Kind) (out []string) {
	for _, k := range kinds {
		out = append(out, k.Hub.Package)
		for _, s := range k.Spokes {
			out = append(out, s.Package)
		}
	}
	slices.Sort(out)
	return slices.Compact(out)
}

func (c *Converter) build(ctx context.Context, code Code, kinds []written.Kind) error {
	dir := kinds[0].Dir
	source := filepath.Join(c.dir, "main.go")
	// The directory does not exist; no other package has its name.
	const name = "zz_schemagen_convert"
	overlay, err := writeOverlay(c.dir, map[string]string{filepath.Join(dir, name, "main.go"): source}, code.Files)
	if err := errors.Join(err, os.WriteFile(source, Program(kinds), 0o600)); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "build", "-ldflags=-s -w", "-tags", strings.Join(code.Tags, ","), "-overlay", overlay, "-o", c.program())
	cmd.Dir = dir
	if child, err := filepath.Rel(code.Dir, dir); err == nil && filepath.IsLocal(child) {
		cmd.Dir = code.Dir
		cmd.Args = append(cmd.Args, "./"+filepath.ToSlash(filepath.Join(child, name)))
	} else {
		cmd.Args = append(cmd.Args, "./"+name)
	}
	keepWithin(c.dir, cmd)
	if out, err := cmd.CombinedOutput(); err != nil {
		return buildError(ctx, "the conversions", err, out)
	}
	return nil
}

// buildError returns the error of a go command with what it printed.
func buildError(ctx context.Context, program string, err error, printed []byte) error {
	hint := ""
	if bytes.Contains(printed, []byte("missing method DeepCopyObject")) {
		hint = "\nhint: a version has no generated deep copies yet: run make generate first or, if the Makefile has no such target, schemagen object paths=./..."
	}
	return errors.Join(ctx.Err(), fmt.Errorf("build %s: %w\n%s%s", program, err, bytes.TrimSpace(printed), hint))
}

// program returns the name of the compiled program.
func (c *Converter) program() string { return filepath.Join(c.dir, "convert.exe") }

// Convert converts objects. The answers have the order of the requests. The error is set if the
// program could not be run.
func (c *Converter) Convert(ctx context.Context, requests []Request) ([]Answer, error) {
	text, err := json.Marshal(requests)
	if err != nil {
		return nil, err
	}
	temporary.Use(c.dir)
	cmd := exec.CommandContext(ctx, c.program())
	cmd.Dir = c.dir
	cmd.Stdin = bytes.NewReader(text)
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, errors.Join(ctx.Err(), fmt.Errorf("run the conversions: %w\n%s", err, strings.TrimSpace(stderr.String())))
	}
	// What the packages print comes first.
	if offset := bytes.LastIndex(out, []byte(answersMark)); offset >= 0 {
		out = out[offset+len(answersMark):]
	}
	var answers []Answer
	if err := json.Unmarshal(out, &answers); err != nil || len(answers) != len(requests) {
		return nil, fmt.Errorf("the conversions answered %d of %d requests: %v", len(answers), len(requests), err)
	}
	return answers, nil
}

// Close removes the program.
func (c *Converter) Close() error { return os.RemoveAll(c.dir) }
