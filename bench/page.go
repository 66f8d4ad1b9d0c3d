package main

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strings"
)

// Parts stand between such lines.
const (
	partBegin = "<!-- made by bench: %s -->\n"
	partEnd   = "<!-- end -->\n"
)

// A part of a page in docs is made from the record.
type part struct{ page, name, text string }

// parts returns the parts for users, and those for contributors.
func (rec *record) parts() []part {
	return []part{
		{"../README.md", "chart", rec.readmeChart()},
		{"performance.md", "summary", rec.summary()},
		{"dev/performance.md", "targets", rec.targets()},
		{"dev/performance.md", "results", rec.tables()},
	}
}

// writePages rewrites the parts, and draws the charts.
func writePages(w workspace) error {
	rec, err := readRecord(w.docs("performance.csv"))
	if err != nil {
		return err
	}
	for _, p := range rec.parts() {
		text, err := os.ReadFile(w.docs(p.page))
		if err != nil {
			return err
		}
		page, err := p.replace(string(text))
		if err != nil {
			return err
		}
		if err := os.WriteFile(w.docs(p.page), []byte(page), 0o666); err != nil {
			return err
		}
	}
	for name, picture := range rec.charts() {
		if err := os.WriteFile(w.docs("pictures/"+name), []byte(picture), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// replace returns the text of the page with the part replaced.
func (p part) replace(text string) (string, error) {
	begin := fmt.Sprintf(partBegin, p.name)
	before, rest, found := strings.Cut(text, begin)
	_, after, ended := strings.Cut(rest, partEnd)
	if !found || !ended {
		return "", fmt.Errorf("docs/%s has no part %s", p.page, p.name)
	}
	return before + begin + "\n" + p.text + "\n" + partEnd + after, nil
}

// summary returns a table of the rows for users, and how they were measured.
func (rec *record) summary() string {
	var b strings.Builder
	var measured []result
	b.WriteString("| | command lines | times as fast | range | memory | CPU |\n|---|--:|--:|--:|--:|--:|\n")
	for _, r := range rows() {
		results, _ := rec.of(r)
		if len(results) == 0 {
			continue
		}
		measured = append(measured, results...)
		fmt.Fprintf(&b, "| %s | %d | %.1f | %s | %.0f %% | %.1f %% |\n", r.title, len(results),
			geomean(results, result.speed), speeds(results), 100*geomean(results, result.memory), 100*geomean(results, result.cpu))
	}
	return b.String() + "\nGeometric means of " + measuredAs(measured) + "\n"
}

// speeds returns the range of the results' speeds, or "" for a single one.
func speeds(results []result) string {
	if len(results) == 1 {
		return ""
	}
	bySpeed := func(a, b result) int { return cmp.Compare(a.speed(), b.speed()) }
	return fmt.Sprintf("%.0f–%.0f", slices.MinFunc(results, bySpeed).speed(), slices.MaxFunc(results, bySpeed).speed())
}

// measuredAs returns the number of runs and the dates of results.
func measuredAs(results []result) string {
	if len(results) == 0 {
		return "no results."
	}
	byRuns := func(a, b result) int { return a.runs - b.runs }
	byDate := func(a, b result) int { return strings.Compare(a.date, b.date) }
	few, many := slices.MinFunc(results, byRuns).runs, slices.MaxFunc(results, byRuns).runs
	first, last := slices.MinFunc(results, byDate).date, slices.MaxFunc(results, byDate).date
	text := fmt.Sprintf("medians of %d alternating runs in fresh processes, measured on %s.", few, first)
	if few != many {
		text = strings.Replace(text, fmt.Sprint(few), fmt.Sprintf("%d to %d", few, many), 1)
	}
	if first != last {
		text = strings.Replace(text, "on "+first, "from "+first+" to "+last, 1)
	}
	return text
}

// targets returns a table of the targets of all rows, and the rows that do not reach theirs.
func (rec *record) targets() string {
	var b strings.Builder
	b.WriteString("| state |")
	for _, t := range (row{}).targets() {
		fmt.Fprintf(&b, " %s |", t.name)
	}
	b.WriteString("\n|---|---|---|---|---|\n")
	for _, r := range rows() {
		fmt.Fprintf(&b, "| %s |", r.title)
		for _, t := range r.targets() {
			var parts []string
			if t.geomean > 0 {
				parts = append(parts, fmt.Sprintf("geometric mean %s %.3g", t.sign, t.geomean))
			}
			if t.each > 0 {
				parts = append(parts, fmt.Sprintf("each %s %.3g", t.sign, t.each))
			}
			fmt.Fprintf(&b, " %s |", strings.Join(parts, ", "))
		}
		b.WriteString("\n")
	}
	b.WriteString("\n")
	for _, r := range rows() {
		if results, _ := rec.of(r); len(results) > 0 {
			fmt.Fprintf(&b, "- %s. %s\n", r.title, r.verdict(results))
		}
	}
	return b.String()
}

// tables returns the results of all rows.
func (rec *record) tables() string {
	var b strings.Builder
	for _, r := range rows() {
		results, missing := rec.of(r)
		if results == nil {
			continue
		}
		text := measuredAs(results)
		fmt.Fprintf(&b, "%s\n%s\n", r.table(results), strings.ToUpper(text[:1])+text[1:])
		_, skipped := r.measures(timedCases())
		for _, name := range missing {
			skipped = append(skipped, name+": not yet")
		}
		b.WriteString(skippedList(skipped))
		b.WriteString("\n")
	}
	return strings.TrimSpace(b.String()) + "\n"
}

// skippedList returns the lines that a row does not measure, with the reasons.
func skippedList(skipped []string) string {
	if len(skipped) == 0 {
		return ""
	}
	return "\nNot measured:\n\n- " + strings.Join(skipped, "\n- ") + "\n"
}
