package main

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// A row is the initial state for runs of some lines, and the targets for them. The rows are
// those of the table in docs/performance.md.
type row struct {
	name, title string
	// lines are the lines that it measures.
	lines []string
	// makefile is set if it measures the lines only of cases with a line for manifests or
	// apply configurations, which are those with their project's whole Makefile.
	makefile bool
	// flags are additional flags for schemagen.
	flags []string
	// kept is set if the outputs and schemagen's cache of the previous run are kept.
	kept bool
	// edit is what is changed before every round.
	edit edit
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
	// What a Makefile runs: crd alone is part of manifests.
	all := []string{manifestLine, objectLine, applyLine}
	cpu := bounds{each: 0.2}
	return []row{{
		name: "manifests", title: "`rbac crd webhook`, cold, verified", lines: []string{manifestLine}, flags: []string{"--no-cache"}, verifies: true,
		speed: bounds{20, 15}, listing: bounds{geomean: 0.6}, memory: bounds{0.45, 1}, cpu: cpu,
	}, {
		name: "object", title: "`object`, cold", lines: []string{objectLine}, flags: []string{"--no-cache"},
		speed: bounds{25, 8}, listing: bounds{geomean: 0.5}, memory: bounds{geomean: 0.25}, cpu: cpu,
	}, {
		name: "apply", title: "`applyconfiguration`, cold", lines: []string{applyLine}, flags: []string{"--no-cache"},
		speed: bounds{30, 15}, memory: bounds{geomean: 0.2}, cpu: cpu,
	}, {
		name: "edit", title: "Any line, one API file edited", lines: all, makefile: true, kept: true, edit: editKind, verifies: true,
		speed: bounds{30, 20}, listing: bounds{geomean: 0.5}, memory: bounds{geomean: 0.45}, cpu: cpu,
	}, {
		name: "other", title: "Any line, a file edited that changes nothing", lines: all, makefile: true, kept: true, edit: editOther,
		speed: bounds{geomean: 50}, listing: bounds{geomean: 0.3}, cpu: cpu,
	}, {
		name: "nothing", title: "Any line, nothing changed", lines: all, makefile: true, kept: true,
		speed: bounds{300, 40}, listing: bounds{geomean: 0.1}, memory: bounds{geomean: 0.12}, cpu: cpu,
	}, {
		name: "project", title: "`generate` of a Kubebuilder project, cold, verified", lines: []string{projectLine}, flags: []string{"--no-cache"}, verifies: true,
		speed: bounds{geomean: 30}, cpu: cpu,
	}, {
		name: "project-nothing", title: "`generate` of a Kubebuilder project, nothing changed", lines: []string{projectLine}, kept: true,
		speed: bounds{geomean: 200}, cpu: cpu,
	}, {
		name: "generate", title: "`crd`, cold, generation only", lines: []string{crdLine}, flags: []string{"--skip-verify", "--no-cache"},
		speed: bounds{geomean: 20}, listing: bounds{geomean: 0.5}, memory: bounds{geomean: 0.36}, cpu: cpu,
	}, {
		name: "verify", title: "`crd`, cold, verified", lines: []string{crdLine}, flags: []string{"--no-cache"}, verifies: true,
		speed: bounds{11, 6}, listing: bounds{geomean: 1}, memory: bounds{each: 1}, cpu: cpu,
	}}
}

// selectRows returns the rows in a comma-separated list, in the order of the table. An empty
// list selects all rows.
func selectRows(selection string) ([]row, error) {
	all := rows()
	if selection == "" {
		return all, nil
	}
	wanted := strings.Split(selection, ",")
	var names []string
	for _, r := range all {
		names = append(names, r.name)
	}
	for _, name := range wanted {
		if !slices.Contains(names, name) {
			return nil, fmt.Errorf("no row %q; there are %s", name, strings.Join(names, ", "))
		}
	}
	return slices.DeleteFunc(all, func(r row) bool { return !slices.Contains(wanted, r.name) }), nil
}

// measures returns the lines of the cases that the row measures, and those to which it would
// apply with the reason why it does not.
func (r row) measures(selected []benchCase) (measured []benchCase, skipped []string) {
	for _, c := range allLines(selected) {
		if !slices.Contains(r.lines, c.line) || r.makefile && c.manifests.files == 0 && c.apply.files == 0 {
			continue
		}
		if why := r.without(c); why != "" {
			skipped = append(skipped, c.name+": "+why)
		} else {
			measured = append(measured, c)
		}
	}
	return measured, skipped
}

// without returns the reason why the row does not apply to a case, or "" if it does.
func (r row) without(c benchCase) string {
	switch {
	case r.verifies && c.builtIn:
		return "the API server rejects these types"
	case (r.edit != noEdit || c.inTree != nil) && c.checkout == nil && c.generated == nil && c.local == "":
		return "the source is in the module cache, which is not edited"
	case r.makefile && c.slow:
		return "controller-gen takes more than ten seconds"
	}
	return ""
}

// A result holds the samples of one case in one row.
type result struct {
	name string
	// date is when it was measured, and runs the number of runs of each program.
	date string
	runs int
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

// meets reports whether a value meets a bound.
func (t target) meets(value, bound float64) bool {
	return bound == 0 || t.sign == "≥" && value >= bound || t.sign == "≤" && value <= bound
}

// text formats a value.
func (t target) text(value float64) string {
	if t.sign == "≥" {
		return fmt.Sprintf("%.1f", value)
	}
	return fmt.Sprintf("%.2f", value)
}

// missed returns what the results miss of the target, or "" if they reach it.
func (t target) missed(results []result) string {
	var parts []string
	if mean := geomean(results, t.value); !t.meets(mean, t.geomean) {
		parts = append(parts, fmt.Sprintf("geometric mean %s (target %s %.3g)", t.text(mean), t.sign, t.geomean))
	}
	var cases []string
	for _, r := range results {
		if !t.meets(t.value(r), t.each) {
			cases = append(cases, fmt.Sprintf("%s (%s)", r.name, t.text(t.value(r))))
		}
	}
	if cases != nil {
		parts = append(parts, fmt.Sprintf("not %s %.3g in %s", t.sign, t.each, strings.Join(cases, ", ")))
	}
	if parts == nil {
		return ""
	}
	return t.name + ": " + strings.Join(parts, "; ")
}

// verdict returns a sentence about what the results reach of the row's targets.
func (r row) verdict(results []result) string {
	var reached, missed []string
	for _, t := range r.targets() {
		switch text := t.missed(results); {
		case t.bounds == bounds{}:
		case text == "":
			reached = append(reached, t.name)
		default:
			missed = append(missed, text)
		}
	}
	out := ""
	if reached != nil {
		out = "Reached: " + strings.Join(reached, ", ") + "."
	}
	if missed != nil {
		out = strings.TrimSpace(out + " Not reached: " + strings.Join(missed, "; ") + ".")
	}
	return out
}

// table returns the row as a Markdown table: the cases, the geometric mean, and the targets.
func (r row) table(results []result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "### %s (`%s`)\n\n", r.title, r.name)
	b.WriteString("| case | controller-gen ms | schemagen ms | go list ms | controller-gen MiB | schemagen MiB | controller-gen CPU ms | schemagen CPU ms | go list CPU ms |")
	targets := r.targets()
	for _, t := range targets {
		fmt.Fprintf(&b, " %s |", t.name)
	}
	b.WriteString("\n|---|" + strings.Repeat("--:|", 8+len(targets)) + "\n")
	for _, result := range results {
		fmt.Fprintf(&b, "| %s | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %.0f | %s |", result.name,
			milliseconds(result.peer.wall), milliseconds(result.ours.wall), milliseconds(result.list.wall),
			mebibytes(result.peer.treeRSS), mebibytes(result.ours.treeRSS),
			milliseconds(result.peer.cpu), milliseconds(result.ours.cpu), known(result.list.cpu))
		for _, t := range targets {
			fmt.Fprintf(&b, " %s |", t.text(t.value(result)))
		}
		b.WriteString("\n")
	}
	fmt.Fprintf(&b, "| **geometric mean of %d** |%s", len(results), strings.Repeat(" |", 8))
	for _, t := range targets {
		fmt.Fprintf(&b, " %s |", t.text(geomean(results, t.value)))
	}
	fmt.Fprintf(&b, "\n\n%s\n", r.verdict(results))
	return b.String()
}

// meansTable returns a table with the geometric means of each row.
func meansTable(rows []row, results [][]result) string {
	var b strings.Builder
	b.WriteString("| | lines | times as fast | wall ÷ go list | memory | CPU |\n|---|--:|--:|--:|--:|--:|\n")
	for i, r := range rows {
		if len(results[i]) == 0 {
			continue
		}
		fmt.Fprintf(&b, "| %s | %d |", r.title, len(results[i]))
		for _, t := range r.targets() {
			fmt.Fprintf(&b, " %s |", t.text(geomean(results[i], t.value)))
		}
		b.WriteString("\n")
	}
	return b.String()
}

// known returns milliseconds, or a dash if they were not measured.
func known(d time.Duration) string {
	if d == 0 {
		return "–"
	}
	return fmt.Sprintf("%.0f", milliseconds(d))
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

func mebibytes(kib int64) float64 { return float64(kib) / 1024 }
