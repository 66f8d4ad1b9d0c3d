package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A row is an initial state for a run, and the targets for it. The rows are those of the
// table in docs/performance.md.
type row struct {
	name, title string
	// flags are additional flags for schemagen.
	flags []string
	// kept is set if the outputs and schemagen's cache of the previous run are kept.
	kept bool
	// edit is set if a Go file is changed before every round.
	edit bool
	// verifies is set if the row measures verification. It does not apply where the API
	// server rejects the generated CRDs.
	verifies bool
	// Targets for schemagen. Memory and CPU are relative to controller-gen, listing is wall
	// time relative to a bare go list -deps.
	speed, listing, memory, cpu bounds
}

// bounds are the bounds of a figure for the geometric mean of all cases and for each case; 0
// means no bound.
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

// selectRows returns the rows in a comma-separated list, in the order of the table. An empty
// list selects all rows.
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

// without returns the reason why the row does not apply to a case, or "" if it does.
func (r row) without(c benchCase) string {
	switch {
	case r.verifies && c.builtIn:
		return "the API server refuses these types"
	case r.edit && c.checkout == nil && c.generated == nil:
		return "the source is in the module cache, which is not edited"
	}
	return ""
}

// A result holds the samples of one case in one row.
type result struct {
	name string
	// The samples of both tools and of go list; zero for those that did not run.
	peer, ours, list sample
}

func (r result) speed() float64   { return ratio(r.peer.wall, r.ours.wall) }
func (r result) listing() float64 { return ratio(r.ours.wall, r.list.wall) }
func (r result) memory() float64  { return ratio(r.ours.treeRSS, r.peer.treeRSS) }
func (r result) cpu() float64     { return ratio(r.ours.cpu, r.peer.cpu) }

// A target is a figure of a row with its bounds.
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

// judge formats a value and, if there is a bound, whether the value meets it.
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

// table returns the row as a Markdown table: the cases, the geometric mean, and the targets.
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

// summary returns a table with the geometric means of each row.
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
