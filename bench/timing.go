package main

import (
	"cmp"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"go/parser"
	"go/token"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"time"
)

// settled is the time after a change from which a file's timestamps prove that it has not
// changed since. Until then, schemagen compares contents.
const settled = 2100 * time.Millisecond

// A contestant is one of the programs that are run in turn.
type contestant struct {
	name     string
	commands []command // run in sequence
	outputs  outputs   // where it writes; nothing for go list
	samples  []sample
	written  [sha256.Size]byte // checksum of the outputs after the last run
}

type command struct {
	dir, program string
	args         []string
}

// outputs are the files that a contestant writes: those below dir whose paths match, or all
// of them if only is nil. With imported, other files import the packages of the outputs.
type outputs struct {
	dir      string
	only     *regexp.Regexp
	imported bool
}

// contestants returns controller-gen, schemagen and a bare listing of the same packages.
// Their outputs are below temp.
func contestants(c benchCase, r row, in checkoutDirs, peer, product, temp string) (theirs, ours, list *contestant) {
	one := func(name string, p checkoutDir, program string, arguments func(out string) [][]string, flags ...string) *contestant {
		t := &contestant{name: name, outputs: outputs{dir: filepath.Join(temp, name)}}
		for _, args := range arguments(t.outputs.dir) {
			t.commands = append(t.commands, command{p.dir, program, append(args, flags...)})
		}
		if c.inTree != nil {
			t.outputs = outputs{p.root, c.inTree, c.imported}
		}
		return t
	}
	flags := r.flags
	if r.kept && c.line != projectLine { // whose cache is the user's
		flags = append(slices.Clip(flags), "--set=cacheDir="+filepath.Join(temp, "cache"))
	}
	theirs = one("controller-gen", in.theirs, peer, c.arguments)
	ours = one("schemagen", in.ours, product, c.productArguments, flags...)
	list = &contestant{name: "go list"}
	for _, l := range in.ours.listings {
		list.commands = append(list.commands, command{l.dir, "go", goListArgs(l)})
	}
	return theirs, ours, list
}

// goListArgs returns the arguments of the bare listing, which is a lower bound for any tool
// that uses the go command.
func goListArgs(l listing) []string {
	return append([]string{"list", "-deps", "-e", "-json=Name,ImportPath,Dir,GoFiles,Imports,ImportMap,Module"}, l.patterns...)
}

// run runs the commands in new processes.
func (t *contestant) run(ctx context.Context) (sample, error) {
	var sum sample
	for _, c := range t.commands {
		s, messages, err := execute(ctx, c.dir, c.program, c.args)
		if err != nil {
			return sum, fmt.Errorf("%s: %w\n%s", t.name, err, head(messages, 20))
		}
		sum.wall += s.wall
		sum.cpu += s.cpu
		sum.treeRSS = max(sum.treeRSS, s.treeRSS)
	}
	return sum, nil
}

// median returns the median of each figure separately.
func (t *contestant) median() sample {
	return sample{
		wall:    median(t.samples, func(s sample) time.Duration { return s.wall }),
		cpu:     median(t.samples, func(s sample) time.Duration { return s.cpu }),
		treeRSS: median(t.samples, func(s sample) int64 { return s.treeRSS }),
	}
}

// timing measures the rows for every case and prints the tables. A missed target is printed
// and is not an error. If recorded is set, each result is added to the record, and the page is
// made from it.
func timing(ctx context.Context, w workspace, selected []benchCase, rows []row, given string, runs int, recorded bool, out io.Writer) error {
	peer, product, err := w.tools(ctx, given)
	if err != nil {
		return err
	}
	rec, err := readRecord(w.docs("performance.csv"))
	if err != nil {
		return err
	}
	results := make([][]result, len(rows))
	for i, r := range rows {
		measured, skipped := r.measures(selected)
		for _, c := range measured {
			took, err := measureCase(ctx, w, c, r, peer, product, runs)
			if err != nil {
				return fmt.Errorf("%s, %s: %w", c.name, r.name, err)
			}
			results[i] = append(results[i], took)
			fmt.Fprintf(os.Stderr, "%s %s: %.1f times as fast\n", r.name, c.name, took.speed())
			if recorded {
				if err := rec.add(r, took); err != nil {
					return err
				}
			}
		}
		if results[i] != nil {
			fmt.Fprintln(out, r.table(results[i]))
		}
		fmt.Fprintln(out, skippedList(skipped))
	}
	fmt.Fprintf(out, "### Geometric means\n\n%s\n", meansTable(rows, results))
	if err := printStart(ctx, product, out); err != nil {
		return err
	}
	fmt.Fprintf(out, "Medians of %d alternating runs. The harness itself peaks at %.0f MiB; no memory figure can be lower.\n",
		runs, mebibytes(highWater("self")))
	if !recorded {
		return nil
	}
	return writePages(w)
}

// measureCase measures one line of a case in the state of a row.
func measureCase(ctx context.Context, w workspace, c benchCase, r row, peer, product string, runs int) (result, error) {
	p, err := w.prepare(ctx, c)
	if err != nil {
		return result{}, err
	}
	temp, err := os.MkdirTemp("", "schemagen-time-")
	if err != nil {
		return result{}, err
	}
	defer os.RemoveAll(temp)
	in, err := c.checkouts(p, r.edit != noEdit, filepath.Join(temp, "source"))
	if err != nil {
		return result{}, err
	}
	var edited []*editedFile
	if r.edit != noEdit {
		if edited, err = c.findEdited(ctx, r.edit, in, product, filepath.Join(temp, "kinds")); err != nil {
			return result{}, err
		}
	}
	theirs, ours, list := contestants(c, r, in, peer, product, temp)
	if err := measure(ctx, r, edited, runs, c.files, theirs, ours, list); err != nil {
		return result{}, err
	}
	return result{c.name, time.Now().UTC().Format(time.DateOnly), runs, theirs.median(), ours.median(), list.median()}, nil
}

// measure runs the contestants in turn: a warm-up, then the measured rounds.
func measure(ctx context.Context, r row, edited []*editedFile, runs, files int, all ...*contestant) error {
	for _, t := range all {
		if err := t.warmUp(ctx, files); err != nil {
			return err
		}
	}
	if r.kept && r.edit == noEdit {
		// The first run after the files have settled records their timestamps.
		time.Sleep(settled)
		for _, t := range all {
			if _, err := t.run(ctx); err != nil {
				return err
			}
		}
	}
	// What is known of the sources counts as memory of the programs: see sample.treeRSS.
	if err := forgetPeak(); err != nil {
		return err
	}
	for round := range runs {
		for _, file := range edited {
			if err := file.edit(round); err != nil {
				return err
			}
		}
		for _, t := range all {
			if err := t.measure(ctx, r); err != nil {
				return err
			}
		}
	}
	return nil
}

// warmUp runs once and checks that all files are written.
func (t *contestant) warmUp(ctx context.Context, files int) error {
	if _, err := t.run(ctx); err != nil || t.outputs.dir == "" {
		return err
	}
	written, err := matching(t.outputs.dir, t.outputs.only)
	if err != nil {
		return err
	}
	if len(written) != files {
		return fmt.Errorf("%s wrote %d files, want %d as in the table", t.name, len(written), files)
	}
	t.written, err = sum(written)
	return err
}

// measure runs once more and checks that the run did what the row requires.
func (t *contestant) measure(ctx context.Context, r row) error {
	if !r.kept {
		if err := t.outputs.remove(); err != nil {
			return err
		}
	}
	s, err := t.run(ctx)
	if err != nil {
		return err
	}
	t.samples = append(t.samples, s)
	if t.outputs.dir == "" {
		return nil
	}
	files, err := matching(t.outputs.dir, t.outputs.only)
	if err != nil {
		return err
	}
	written, err := sum(files)
	if err != nil {
		return err
	}
	if changed := written != t.written; changed != (r.edit == editKind) {
		return fmt.Errorf("%s: outputs differ from those of the run before: %v, want %v", t.name, changed, r.edit == editKind)
	}
	t.written = written
	return nil
}

// remove removes the outputs of earlier runs, or reduces them to their package clauses if they
// are imported.
func (o outputs) remove() error {
	if o.only == nil {
		return os.RemoveAll(o.dir)
	}
	files, err := matching(o.dir, o.only)
	for _, name := range files {
		if o.imported {
			err = errors.Join(err, keepClause(name))
		} else {
			err = errors.Join(err, os.Remove(name))
		}
	}
	return err
}

// keepClause reduces a Go file to its package clause.
func keepClause(name string) error {
	file, err := parser.ParseFile(token.NewFileSet(), name, nil, parser.PackageClauseOnly)
	if err != nil {
		return err
	}
	return os.WriteFile(name, []byte("package "+file.Name.Name+"\n"), 0o666)
}

// sum returns a checksum of files. The contents are not kept in memory: the harness must stay
// small (see sample.treeRSS).
func sum(files []string) (sum [sha256.Size]byte, err error) {
	h := sha256.New()
	for _, name := range files {
		file, err := os.Open(name)
		if err != nil {
			return sum, err
		}
		fmt.Fprintln(h, name)
		_, err = io.Copy(h, file)
		if err := errors.Join(err, file.Close()); err != nil {
			return sum, err
		}
	}
	h.Sum(sum[:0])
	return sum, nil
}

// printStart measures the start time of the process with its version command, which is an
// argument or a flag.
func printStart(ctx context.Context, product string, out io.Writer) error {
	argument := "version"
	if _, _, err := execute(ctx, "", product, []string{argument}); err != nil {
		argument = "--version"
	}
	t := contestant{name: "schemagen", commands: []command{{"", product, []string{argument}}}}
	for range 21 {
		s, err := t.run(ctx)
		if err != nil {
			return err
		}
		t.samples = append(t.samples, s)
	}
	start := t.median().wall
	fmt.Fprintf(out, "Start-up, `schemagen %s`: %.1f ms\n\n", argument, milliseconds(start))
	return nil
}

func median[T any, V cmp.Ordered](items []T, value func(T) V) V {
	values := make([]V, len(items))
	for i, item := range items {
		values[i] = value(item)
	}
	slices.Sort(values)
	return values[(len(values)-1)/2]
}

func geomean[T any](items []T, value func(T) float64) float64 {
	logs := 0.0
	for _, item := range items {
		logs += math.Log(value(item))
	}
	return math.Exp(logs / float64(len(items)))
}

func ratio[V ~int64](a, b V) float64 { return float64(a) / float64(b) }
