package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A row is a state that a run can find, and what must be reached in it. The
// rows are those of the table in docs/performance.md.
type row struct {
	name, title string
	// flags are schemagen's, beside those of the case.
	flags []string
	// kept: outputs and schemagen's cache are those of the run before.
	kept bool
	// edit changes a Go file before every round.
	edit bool
	// verifies: the row is about verification, and says nothing where the API
	// server refuses what is generated.
	verifies bool
	// Targets. Figures are schemagen's; memory and CPU are shares of
	// controller-gen's, listing is wall time by that of a bare go list -deps.
	speed, listing, memory, cpu bounds
}

// bounds are what a figure must reach in the geometric mean of all cases and in
// each case; 0 is no bound.
type bounds struct{ geomean, each float64 }

func rows() []row {
	return []row{{
		name: "generate", title: "Cold, generation only", flags: []string{"--skip-verify", "--no-cache"},
		speed: bounds{20, 10}, listing: bounds{0.5, 1.2}, memory: bounds{1. / 4, 1. / 2}, cpu: bounds{each: 1. / 8},
	}, {
		name: "verify", title: "Cold, verification on", flags: []string{"--no-cache"}, verifies: true,
		speed: bounds{8, 3}, listing: bounds{geomean: 1.5}, memory: bounds{each: 2. / 3},
	}, {
		name: "edit", title: "One type file edited, verification on", kept: true, edit: true, verifies: true,
		speed: bounds{geomean: 20}, listing: bounds{0.6, 0.6}, memory: bounds{geomean: 1. / 4},
	}, {
		name: "nothing", title: "Nothing changed", kept: true,
		speed: bounds{30, 10}, listing: bounds{0.3, 0.3}, memory: bounds{geomean: 1. / 5},
	}}
}

// selectRows returns the rows that a comma-separated list names, in the order of
// the table; an empty list means all.
func selectRows(names string) ([]row, error) {
	all := rows()
	if names == "" {
		return all, nil
	}
	wanted := strings.Split(names, ",")
	for _, name := range wanted {
		if !slices.ContainsFunc(all, func(r row) bool { return r.name == name }) {
			return nil, fmt.Errorf("no row %q; there are generate, verify, edit and nothing", name)
		}
	}
	return slices.DeleteFunc(all, func(r row) bool { return !slices.Contains(wanted, r.name) }), nil
}

// without says why a case has no such row; empty if it has one.
func (r row) without(c benchCase) string {
	switch {
	case r.verifies && c.builtIn:
		return "the API server refuses these types"
	case r.edit && c.checkout == nil && c.generated == nil:
		return "the source is in the module cache, which is not edited"
	}
	return ""
}

// A result is what one case took in one row.
type result struct {
	name string
	// The figures of both tools and of go list; the zero value of those that
	// did not run.
	peer, ours, list sample
}

func (r result) speed() float64   { return ratio(r.peer.wall, r.ours.wall) }
func (r result) listing() float64 { return ratio(r.ours.wall, r.list.wall) }
func (r result) memory() float64  { return ratio(r.ours.treeRSS, r.peer.treeRSS) }
func (r result) cpu() float64     { return ratio(r.ours.cpu, r.peer.cpu) }

// A target is one figure of a row with its bounds.
type target struct {
	name, sign string
	value      func(result) float64
	bounds
}

func (r row) targets() []target {
	return []target{
		{"times as fast", "≥", result.speed, r.speed},
		{"wall ÷ go list", "≤", result.listing, r.listing},
		{"memory", "≤", result.memory, r.memory},
		{"CPU", "≤", result.cpu, r.cpu},
	}
}

// judge writes a value and whether it reaches the bound, where there is one.
func (t target) judge(value, bound float64) string {
	text := fmt.Sprintf("%.2f", value)
	if t.sign == "≥" {
		text = fmt.Sprintf("%.1f", value)
	}
	switch {
	case bound == 0:
		return text
	case t.sign == "≥" && value >= bound, t.sign == "≤" && value <= bound:
		return text + " PASS"
	}
	return text + " FAIL"
}

func (t target) bound(value float64) string {
	if value == 0 {
		return ""
	}
	return fmt.Sprintf("%s %.3g", t.sign, value)
}

// table writes the row as a Markdown table: the cases, the geometric mean, and
// what had to be reached.
func (r row) table(results []result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s (`%s`)\n\n", r.title, r.name)
	b.WriteString("| case | controller-gen ms | schemagen ms | go list ms | controller-gen MiB | schemagen MiB | controller-gen CPU ms | schemagen CPU ms |")
	targets := r.targets()
	for _, t := range targets {
		fmt.Fprintf(&b, " %s |", t.name)
	}
	b.WriteString("\n|---|" + strings.Repeat("--:|", 7+len(targets)) + "\n")
	for _, result := range results {
		fmt.Fprintf(&b, "| %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f |", result.name,
			milliseconds(result.peer.wall), milliseconds(result.ours.wall), milliseconds(result.list.wall),
			mebibytes(result.peer.treeRSS), mebibytes(result.ours.treeRSS),
			milliseconds(result.peer.cpu), milliseconds(result.ours.cpu))
		for _, t := range targets {
			fmt.Fprintf(&b, " %s |", t.judge(t.value(result), t.each))
		}
		b.WriteString("\n")
	}
	line := func(name string, cell func(target) string) {
		fmt.Fprintf(&b, "| %s |%s", name, strings.Repeat(" |", 7))
		for _, t := range targets {
			fmt.Fprintf(&b, " %s |", cell(t))
		}
		b.WriteString("\n")
	}
	line(fmt.Sprintf("**geometric mean of %d**", len(results)), func(t target) string {
		return t.judge(geomean(results, t.value), t.geomean)
	})
	line("target, geometric mean", func(t target) string { return t.bound(t.bounds.geomean) })
	line("target, each", func(t target) string { return t.bound(t.each) })
	line("cases that miss it", func(t target) string {
		missed := 0
		for _, result := range results {
			if strings.HasSuffix(t.judge(t.value(result), t.each), "FAIL") {
				missed++
			}
		}
		if t.each == 0 {
			return ""
		}
		return fmt.Sprint(missed)
	})
	return b.String()
}

// summary writes one line for each row: its geometric means.
func summary(rows []row, results [][]result) string {
	var b strings.Builder
	b.WriteString("### Geometric means\n\n| | times as fast | wall ÷ go list | memory | CPU |\n|---|--:|--:|--:|--:|\n")
	for i, r := range rows {
		if len(results[i]) == 0 {
			continue
		}
		fmt.Fprintf(&b, "| %s |", r.title)
		for _, t := range r.targets() {
			fmt.Fprintf(&b, " %s |", t.judge(geomean(results[i], t.value), t.geomean))
		}
		b.WriteString("\n")
	}
	return b.String()
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func mebibytes(kib int64) float64 { return float64(kib) / 1024 }
