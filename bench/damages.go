package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"time"
)

// damagesFile has what was last recorded.
const damagesFile = "damages.txt"

// damagedCases are ten repositories, whose files are damaged.
const damagedCases = "gateway-api,cert-manager,karpenter,kueue,keda,velero,cloudnative-pg,sriov-network-operator,metal-operator,jobset"

// The mutant does not check the syntax of one file in each package: the comparison must find that something is lost.
const (
	mutatedFile = "internal/source/trees.go"
	checkedText = "errs[i] = prog.checkSyntax(files[i].text, &c)"
	skippedText = "if files[i] != files[i].Pkg.Sources[0] {" + checkedText + "}"
)

// A verdict is what becomes of a damage.
type verdict int

const (
	isReported verdict = iota // an error
	isSame                    // no output differs
	isLost                    // outputs differ without an error
)

// A damageRun damages files of one line of a case, in a copy of its checkout.
type damageRun struct {
	line     benchCase
	place    checkoutDir
	outputs  outputs
	files    []string // all Go files of the packages
	marked   []string // those with markers or kinds
	expected []treeFile
}

// damages damages Go files of public repositories so that they cannot be parsed. Each damage must be reported, or
// change no output. A mutant that skips files must be caught.
func damages(ctx context.Context, w workspace, given string, count int, seed uint64, recorded bool, out io.Writer) error {
	product, err := w.product(ctx, given)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "schemagen-damages-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	mutant, err := w.mutant(ctx, temp)
	if err != nil {
		return err
	}
	selected, err := selectCases(damagedCases)
	if err != nil {
		return err
	}
	var text bytes.Buffer
	result := io.MultiWriter(&text, out)
	fmt.Fprintf(result, "%d random damages to Go files of %d repositories, after which they cannot be parsed (seed %d, %s)\n",
		count, len(selected), seed, time.Now().UTC().Format(time.DateOnly))
	random := rand.New(rand.NewPCG(seed, 0))
	lost, caught := 0, ""
	for _, c := range selected {
		runs, err := newDamageRuns(ctx, w, c, product, filepath.Join(temp, c.name))
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		reported := 0
		for n := range count / len(selected) {
			run := runs[n%len(runs)]
			name, original, broken := run.choose(random)
			if err := os.WriteFile(name, broken, 0o666); err != nil {
				return err
			}
			found, err := run.verdict(ctx, product)
			if err != nil {
				return err
			}
			if caught == "" {
				mutated, err := run.verdict(ctx, mutant)
				if err != nil {
					return err
				}
				if mutated == isLost {
					caught = fmt.Sprintf("%s, damage %d", run.line.name, n+1)
				}
			}
			if err := os.WriteFile(name, original, 0o666); err != nil {
				return err
			}
			switch found {
			case isReported:
				reported++
			case isLost:
				lost++
				fmt.Fprintf(result, "%s: %s: lost in silence:\n%s", run.line.name, filepath.Base(name), excerpt(string(original), string(broken)))
			}
		}
		fmt.Fprintf(result, "%-24s %4d damages, %4d reported, others changed no file\n", c.name, count/len(selected), reported)
	}
	fmt.Fprintf(result, "%d lost or changed in silence\nA mutant that skips the first file of each package is caught: %s\n", lost, caught)
	if lost > 0 || caught == "" {
		return errDiffers
	}
	if recorded {
		return os.WriteFile(damagesFile, text.Bytes(), 0o644)
	}
	return nil
}

// mutant builds the program with an error in it.
func (w workspace) mutant(ctx context.Context, temp string) (string, error) {
	file := filepath.Join(filepath.Dir(w.bench), filepath.FromSlash(mutatedFile))
	source, err := os.ReadFile(file)
	if err != nil {
		return "", err
	}
	if strings.Count(string(source), checkedText) != 1 {
		return "", fmt.Errorf("%s: want %q once", mutatedFile, checkedText)
	}
	changed, overlay, binary := filepath.Join(temp, "mutant.go"), filepath.Join(temp, "overlay.json"), filepath.Join(temp, "mutant")
	replaced, err := json.Marshal(map[string]any{"Replace": map[string]string{file: changed}})
	if err != nil {
		return "", err
	}
	if err := errors.Join(
		os.WriteFile(changed, []byte(strings.Replace(string(source), checkedText, skippedText, 1)), 0o666),
		os.WriteFile(overlay, replaced, 0o666),
	); err != nil {
		return "", err
	}
	_, err = goCommand(ctx, filepath.Dir(w.bench), "build", "-overlay", overlay, "-o", binary, "./cmd/schemagen")
	return binary, err
}

// newDamageRuns copies the checkout of a case for two of its lines: definitions with roles and webhooks, and methods.
func newDamageRuns(ctx context.Context, w workspace, c benchCase, product, temp string) (runs []*damageRun, err error) {
	definitions := crdLine
	if c.manifests.files > 0 {
		definitions = manifestLine
	}
	for _, l := range c.lines() {
		if l.line != definitions && l.line != objectLine {
			continue
		}
		place, err := w.prepare(ctx, l)
		if err != nil {
			return nil, err
		}
		run := &damageRun{line: l, outputs: outputs{dir: filepath.Join(temp, l.line, "out")}}
		if run.place, err = place.copyTo(filepath.Join(temp, l.line, "source")); err != nil {
			return nil, err
		}
		if l.inTree != nil {
			run.outputs = outputs{dir: run.place.root, only: l.inTree}
		}
		if run.files, err = goFiles(ctx, run.place.listings); err != nil {
			return nil, err
		}
		for _, name := range run.files {
			source, err := os.ReadFile(name)
			if err != nil {
				return nil, err
			}
			if bytes.Contains(source, []byte("+kubebuilder:")) || bytes.Contains(source, []byte("metav1.ObjectMeta")) {
				run.marked = append(run.marked, name)
			}
		}
		if err := run.generate(ctx, product); err != nil {
			return nil, err
		}
		if run.expected, err = readTree(run.outputs.dir, run.outputs.only); err != nil || len(run.expected) != l.files {
			return nil, fmt.Errorf("%s: %d files, want %d: %w", l.name, len(run.expected), l.files, err)
		}
		runs = append(runs, run)
	}
	return runs, nil
}

// choose returns a file and its text with a mistake. Every other file is one with markers or kinds.
func (run *damageRun) choose(random *rand.Rand) (name string, original, broken []byte) {
	for {
		among := run.files
		if random.IntN(2) == 0 && run.marked != nil {
			among = run.marked
		}
		name = among[random.IntN(len(among))]
		original, err := os.ReadFile(name)
		if err != nil || len(original) == 0 {
			continue
		}
		broken = damaged(random, original)
		if _, err := parser.ParseFile(token.NewFileSet(), "", broken, parser.SkipObjectResolution); err != nil {
			return name, original, broken
		}
	}
}

// damaged returns the text with a part of a line removed, or something inserted, or both.
func damaged(random *rand.Rand, text []byte) []byte {
	inserted := []string{"", "", "", "\n", "\n", "`", "\"", "'", "/", "/*", "*/", "(", ")", "{", "}", ";", " x ", "+", "0"}
	start := random.IntN(len(text))
	length := 0
	if random.IntN(3) > 0 {
		line, _, _ := bytes.Cut(text[start:], []byte("\n"))
		length = random.IntN(len(line) + 1)
	}
	return bytes.Join([][]byte{text[:start], text[start+length:]}, []byte(inserted[random.IntN(len(inserted))]))
}

// generate runs a program without the outputs of earlier runs.
func (run *damageRun) generate(ctx context.Context, program string) error {
	if err := run.outputs.remove(); err != nil {
		return err
	}
	all := run.line.arguments(run.outputs.dir)
	for i := range all {
		all[i] = append(all[i], "--skip-verify", "--no-cache")
	}
	messages, err := runAll(ctx, run.place.dir, program, all)
	if err != nil {
		return fmt.Errorf("%w\n%s", err, head(messages, 20))
	}
	return nil
}

// verdict runs a program after a damage.
func (run *damageRun) verdict(ctx context.Context, program string) (verdict, error) {
	err := run.generate(ctx, program)
	var failed *exec.ExitError
	if errors.As(err, &failed) && failed.ExitCode() == 1 {
		return isReported, nil
	}
	if err != nil {
		return 0, err
	}
	written, err := readTree(run.outputs.dir, run.outputs.only)
	if err != nil {
		return 0, err
	}
	if reflect.DeepEqual(written, run.expected) {
		return isSame, nil
	}
	return isLost, nil
}
