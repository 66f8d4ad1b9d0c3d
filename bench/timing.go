package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"time"
)

// Targets: each case at least this much faster and with at most this share of
// the peer's memory, the geometric mean of all cases at least this much
// faster, and the start of the process at most this long.
const (
	targetSpeed   = 3.0
	targetMemory  = 0.5
	targetGeomean = 5.0
	targetStart   = 30 * time.Millisecond
)

// memoryRuns is the number of runs in which the memory of the tool's own
// process is read; it varies little.
const memoryRuns = 3

// A contestant is one of the three rows of a case.
type contestant struct {
	name    string
	run     func(out string) (sample, error)
	own     func(out string) (int64, error)
	samples []sample
	owns    []int64
}

func (t contestant) wall() time.Duration {
	return median(t.samples, func(s sample) time.Duration { return s.wall })
}

func (t contestant) cpu() time.Duration {
	return median(t.samples, func(s sample) time.Duration { return s.cpu })
}

func (t contestant) treeRSS() int64 {
	return median(t.samples, func(s sample) int64 { return s.treeRSS })
}

func (t contestant) ownRSS() int64 {
	return median(t.owns, func(v int64) int64 { return v })
}

// A result is what the summary needs of one case.
type result struct {
	name                        string
	peer, ours                  time.Duration
	speed, memory, own, listing float64
}

// timing measures every case and prints the tables. A missed target is
// printed, not an error.
func timing(ctx context.Context, w workspace, selected []benchCase, given string, runs int, out io.Writer) error {
	peer, product, err := w.tools(ctx, given)
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "schemagen-time-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	var results []result
	for _, c := range selected {
		r, err := timeCase(ctx, w, c, peer, product, temp, runs, out)
		if err != nil {
			return fmt.Errorf("%s: %w", c.name, err)
		}
		results = append(results, r)
	}
	printSummary(out, results)
	return printStart(ctx, product, out)
}

// timeCase measures one case: one warm-up each, then rounds of peer, product
// and go list, then the runs that read memory.
func timeCase(ctx context.Context, w workspace, c benchCase, peer, product, temp string, runs int, out io.Writer) (result, error) {
	place, err := w.prepare(ctx, c)
	if err != nil {
		return result{}, err
	}
	tool := func(name, program string, arguments func(out string) []string) *contestant {
		return &contestant{
			name: name,
			run: func(dir string) (sample, error) {
				s, messages, err := execute(ctx, place.dir, program, arguments(dir))
				if err != nil {
					return s, fmt.Errorf("%s: %w\n%s", name, err, head(messages, 20))
				}
				return s, nil
			},
			own: func(dir string) (int64, error) {
				return ownPeak(ctx, place.dir, program, arguments(dir))
			},
		}
	}
	theirs, ours := tool("controller-gen", peer, c.arguments), tool("schemagen", product, c.productArguments)
	list := &contestant{
		name: "go list -deps",
		run:  func(string) (sample, error) { return goList(ctx, place.listings) },
		own:  func(string) (int64, error) { return goListOwn(ctx, place.listings) },
	}
	all := []*contestant{theirs, ours, list}
	bytes := int64(0)
	// Round 0 is the warm-up. Every run gets a new folder, so that no tool
	// can find its files unchanged.
	for round := range runs + 1 {
		for _, t := range all {
			dir := filepath.Join(temp, "out")
			s, err := t.run(dir)
			if err != nil {
				return result{}, err
			}
			if round > 0 {
				t.samples = append(t.samples, s)
			} else if t != list {
				files, size, err := treeSize(dir)
				if err != nil {
					return result{}, err
				}
				if files != c.files {
					return result{}, fmt.Errorf("%s wrote %d files, but the table states %d", t.name, files, c.files)
				}
				if t == theirs {
					bytes = size
				}
			}
			if err := os.RemoveAll(dir); err != nil {
				return result{}, err
			}
		}
	}
	for range memoryRuns {
		for _, t := range all {
			dir := filepath.Join(temp, "out")
			peak, err := t.own(dir)
			if err != nil {
				return result{}, err
			}
			t.owns = append(t.owns, peak)
			if err := os.RemoveAll(dir); err != nil {
				return result{}, err
			}
		}
	}
	r := result{
		name: c.name, peer: theirs.wall(), ours: ours.wall(),
		speed:   ratio(theirs.wall(), ours.wall()),
		memory:  ratio(ours.treeRSS(), theirs.treeRSS()),
		own:     ratio(ours.ownRSS(), theirs.ownRSS()),
		listing: ratio(ours.wall(), list.wall()),
	}
	fmt.Fprintf(out, "### %s\n\n%d CRDs, %.2f MB of YAML, medians of %d runs\n\n", c.name, c.files, float64(bytes)/1e6, runs)
	fmt.Fprintln(out, "| | wall ms | CPU ms | peak RSS MiB, largest process | peak RSS MiB, the tool alone |")
	fmt.Fprintln(out, "|---|--:|--:|--:|--:|")
	for _, t := range all {
		fmt.Fprintf(out, "| %s | %.0f | %.0f | %.0f | %.0f |\n",
			t.name, milliseconds(t.wall()), milliseconds(t.cpu()), mebibytes(t.treeRSS()), mebibytes(t.ownRSS()))
	}
	fmt.Fprintf(out, "\n%.1f× as fast (%s ≥ %.0f×) · memory %.2f (%s ≤ %.1f), tool alone %.2f · wall ÷ go list %.2f\n\n",
		r.speed, verdict(r.speed >= targetSpeed), targetSpeed,
		r.memory, verdict(r.memory <= targetMemory), targetMemory, r.own, r.listing)
	if floor := highWater("self"); ours.treeRSS() <= floor || list.treeRSS() <= floor {
		fmt.Fprintf(out, "The harness itself peaks at %.0f MiB; figures of the largest process cannot be less.\n\n", mebibytes(floor))
	}
	return r, nil
}

// goListArgs are those of the bare listing that no tool that asks the go
// command can be faster than.
func goListArgs(l listing) []string {
	return append([]string{"list", "-deps", "-e", "-json=Name,ImportPath,Dir,GoFiles,Imports,ImportMap,Module"}, l.patterns...)
}

// goList runs the listings of a case one after the other.
func goList(ctx context.Context, listings []listing) (sample, error) {
	var sum sample
	for _, l := range listings {
		s, messages, err := execute(ctx, l.dir, "go", goListArgs(l))
		if err != nil {
			return sum, fmt.Errorf("go list: %w\n%s", err, head(messages, 20))
		}
		sum.wall += s.wall
		sum.cpu += s.cpu
		sum.treeRSS = max(sum.treeRSS, s.treeRSS)
	}
	return sum, nil
}

func goListOwn(ctx context.Context, listings []listing) (int64, error) {
	var peak int64
	for _, l := range listings {
		own, err := ownPeak(ctx, l.dir, "go", goListArgs(l))
		if err != nil {
			return 0, fmt.Errorf("go list: %w", err)
		}
		peak = max(peak, own)
	}
	return peak, nil
}

func printSummary(out io.Writer, results []result) {
	fmt.Fprint(out, "### Summary\n\n")
	fmt.Fprintln(out, "| case | controller-gen ms | schemagen ms | times as fast | memory | tool alone | wall ÷ go list | speed | memory |")
	fmt.Fprintln(out, "|---|--:|--:|--:|--:|--:|--:|---|---|")
	logs := 0.0
	for _, r := range results {
		logs += math.Log(r.speed)
		fmt.Fprintf(out, "| %s | %.0f | %.0f | %.1f | %.2f | %.2f | %.2f | %s | %s |\n",
			r.name, milliseconds(r.peer), milliseconds(r.ours), r.speed, r.memory, r.own, r.listing,
			verdict(r.speed >= targetSpeed), verdict(r.memory <= targetMemory))
	}
	geomean := math.Exp(logs / float64(len(results)))
	fmt.Fprintf(out, "\nGeometric mean of %d cases: %.1f× as fast (%s ≥ %.0f×)\n", len(results), geomean,
		verdict(geomean >= targetGeomean), targetGeomean)
}

// printStart measures the start of the process by its version command, spelt
// as an argument or as a flag.
func printStart(ctx context.Context, product string, out io.Writer) error {
	argument := "version"
	if _, _, err := execute(ctx, "", product, []string{argument}); err != nil {
		argument = "--version"
	}
	var samples []sample
	for range 21 {
		s, messages, err := execute(ctx, "", product, []string{argument})
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", argument, err, head(messages, 5))
		}
		samples = append(samples, s)
	}
	start := median(samples, func(s sample) time.Duration { return s.wall })
	fmt.Fprintf(out, "Start-up, `schemagen %s`: %.1f ms (%s < %v)\n", argument, milliseconds(start),
		verdict(start < targetStart), targetStart)
	return nil
}

// treeSize counts the files below dir and their bytes without keeping them:
// the harness must stay small (see sample.treeRSS).
func treeSize(dir string) (int, int64, error) {
	files, size := 0, int64(0)
	err := filepath.WalkDir(dir, func(_ string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		files++
		size += info.Size()
		return nil
	})
	return files, size, err
}

func median[T any, V cmp.Ordered](items []T, value func(T) V) V {
	values := make([]V, len(items))
	for i, item := range items {
		values[i] = value(item)
	}
	slices.Sort(values)
	return values[(len(values)-1)/2]
}

func ratio[V ~int64](a, b V) float64 { return float64(a) / float64(b) }

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func mebibytes(kib int64) float64 { return float64(kib) / 1024 }

func verdict(ok bool) string {
	if ok {
		return "PASS"
	}
	return "FAIL"
}
