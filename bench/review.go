package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
)

// reviewFile has what reviews cost, as last recorded.
const reviewFile = "review.txt"

const (
	// reviewLimit is the wall time of a review, on an idle machine.
	reviewLimit = 2 * time.Second
	// reviewMemory is the resident memory of a review in MiB.
	reviewMemory = 700
)

// reviews measures schemagen diff --format html of changes to synthetic-25, each in a git repository of its own:
// a new field in 3 kinds, and in all.
func reviews(ctx context.Context, w workspace, given string, runs int, recorded bool, out io.Writer) error {
	product, err := w.product(ctx, given)
	if err != nil {
		return err
	}
	selected, err := selectCases("synthetic-25")
	if err != nil {
		return err
	}
	source, err := w.prepare(ctx, selected[0])
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "schemagen-review-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	var contestants []*contestant
	for _, kinds := range []int{3, 25} {
		name := fmt.Sprintf("%2d of 25 kinds changed", kinds)
		project, err := source.copyTo(filepath.Join(temp, fmt.Sprint(kinds)))
		if err != nil {
			return err
		}
		if err := commitAll(ctx, project.dir); err != nil {
			return err
		}
		switch n, err := addFields(project.dir, kinds); {
		case err != nil:
			return err
		case n != kinds:
			return fmt.Errorf("a field was added to %d kinds, not %d", n, kinds)
		}
		page := filepath.Join(temp, fmt.Sprintf("%d.html", kinds))
		contestants = append(contestants, &contestant{name: name, commands: []command{{project.dir, product, []string{"diff", "git:HEAD", "./api/...", "--format", "html", "--fail-on", "none", "-o", page}}}})
	}
	for range runs + 1 { // the first is not counted
		for _, t := range contestants {
			s, err := t.run(ctx)
			if err != nil {
				return err
			}
			t.samples = append(t.samples, s)
		}
	}
	var text strings.Builder
	fmt.Fprintf(&text, "schemagen review of synthetic-25, %s; medians of %d alternating runs.\n", time.Now().UTC().Format(time.DateOnly), runs)
	for _, t := range contestants {
		t.samples = t.samples[1:]
		m := t.median()
		fmt.Fprintf(&text, "%s: %.2f s (at most %.0f), CPU %.2f s, %d MiB (at most %d)\n",
			t.name, m.wall.Seconds(), reviewLimit.Seconds(), m.cpu.Seconds(), m.treeRSS>>10, reviewMemory)
	}
	if recorded {
		if err := os.WriteFile(reviewFile, []byte(text.String()), 0o644); err != nil {
			return err
		}
	}
	_, err = io.WriteString(out, text.String())
	return err
}

// commitAll makes a directory a git repository with one commit of its files.
func commitAll(ctx context.Context, dir string) error {
	for _, args := range [][]string{{"init", "-q"}, {"add", "-A"}, {"-c", "user.name=bench", "-c", "user.email=bench@example.com", "commit", "-q", "--no-gpg-sign", "-m", "before"}} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = dir
		if output, err := cmd.CombinedOutput(); err != nil {
			return fmt.Errorf("git %s: %w\n%s", args[0], err, output)
		}
	}
	return nil
}

// specType matches the beginning of the spec of a kind.
var specType = regexp.MustCompile(`(?m)^type \w+Spec struct \{\n`)

// addFields adds a field to the specs of so many kinds, and returns their number.
func addFields(dir string, kinds int) (n int, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "api", "*", "v1", "types.go"))
	if err != nil {
		return 0, err
	}
	slices.Sort(files)
	for _, name := range files {
		source, err := os.ReadFile(name)
		if err != nil {
			return n, err
		}
		changed := specType.ReplaceAllStringFunc(string(source), func(begin string) string {
			if n == kinds {
				return begin
			}
			n++
			return begin + "\t// Added is new.\n\t// +optional\n\tAdded string `json:\"added,omitempty\"`\n"
		})
		if err := os.WriteFile(name, []byte(changed), 0o644); err != nil {
			return n, err
		}
	}
	return n, nil
}
