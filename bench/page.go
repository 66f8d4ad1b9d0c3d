package main

import (
	"fmt"
	"os"
	"slices"
	"strings"
)

// The parts of docs/dev/performance.md that are made from the record stand between such lines.
const (
	partBegin = "<!-- made by bench: %s -->\n"
	partEnd   = "<!-- end -->\n"
)

// writePage rewrites the parts of docs/dev/performance.md.
func writePage(w workspace) error {
	rec, err := readRecord(w.docs("performance.csv"))
	if err != nil {
		return err
	}
	text, err := os.ReadFile(w.docs("dev/performance.md"))
	if err != nil {
		return err
	}
	page, err := rec.page(string(text))
	if err != nil {
		return err
	}
	return os.WriteFile(w.docs("dev/performance.md"), []byte(page), 0o666)
}

// page returns the page with the parts replaced.
func (rec *record) page(text string) (string, error) {
	for _, part := range []struct{ name, text string }{
		{"summary", rec.summary()}, {"targets", targetTable()}, {"results", rec.tables()},
	} {
		begin := fmt.Sprintf(partBegin, part.name)
		before, rest, found := strings.Cut(text, begin)
		_, after, ended := strings.Cut(rest, partEnd)
		if !found || !ended {
			return "", fmt.Errorf("docs/dev/performance.md has no part %s", part.name)
		}
		text = before + begin + "\n" + part.text + "\n" + partEnd + after
	}
	return text, nil
}

// summary returns a table of the rows, how they were measured, and what they reach.
func (rec *record) summary() string {
	all := rows()
	results := make([][]result, len(all))
	found := ""
	for i, r := range all {
		results[i], _ = rec.of(r)
		found += fmt.Sprintf("- %s: %s\n", r.title, r.sentence(results[i]))
	}
	return meansTable(all, results) + "\nGeometric means of " + measuredAs(slices.Concat(results...)) + "\n\n" + found
}

// sentence returns the range of the row's speeds and what it reaches of its targets.
func (r row) sentence(results []result) string {
	if len(results) == 0 {
		return "not measured yet."
	}
	least, most := results[0].speed(), results[0].speed()
	for _, m := range results {
		least, most = min(least, m.speed()), max(most, m.speed())
	}
	text := fmt.Sprintf("%.1f to %.1f times as fast. %s", least, most, r.verdict(results))
	if least == most {
		text = fmt.Sprintf("%.1f times as fast. %s", least, r.verdict(results))
	}
	return text
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

// targetTable returns the targets of all rows.
func targetTable() string {
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
		_, skipped := r.measures(cases())
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
