package e2e

import (
	"bytes"
	"fmt"
	"slices"
	"sync"
	"time"
)

// Report holds the results of a run: figures that change only when the repository does. Times
// are rounded so that they do not change either.
type Report struct {
	mu       sync.Mutex
	versions []string
	figures  []figure
	parts    []figure
}

// A figure is a row of a table in the report.
type figure struct{ name, value string }

// Version adds the version of a program.
func (r *Report) Version(name, version string) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.versions = append(r.versions, fmt.Sprintf("%s %s", name, version))
}

// Count adds a count.
func (r *Report) Count(name string, n int) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.figures = append(r.figures, figure{name, fmt.Sprint(n)})
}

// Part adds the time of a part of the run.
func (r *Report) Part(name string, took time.Duration) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.parts = append(r.parts, figure{name, coarse(took)})
}

// Whole adds the total time.
func (r *Report) Whole(took time.Duration) { r.Part("everything", took) }

// coarse rounds a duration up to one of a few bounds.
func coarse(d time.Duration) string {
	for _, bound := range []time.Duration{time.Minute, 5 * time.Minute, 20 * time.Minute} {
		if d <= bound {
			return fmt.Sprintf("under %d min", bound/time.Minute)
		}
	}
	return "over 20 min"
}

// Markdown returns the text of REPORT.md.
func (r *Report) Markdown() []byte {
	r.mu.Lock()
	defer r.mu.Unlock()
	var out bytes.Buffer
	out.WriteString("# What a real cluster says\n\nWritten by `make e2e`; every row was checked by the run that wrote it.\n\n")
	slices.Sort(r.versions)
	for _, v := range r.versions {
		fmt.Fprintf(&out, "- %s\n", v)
	}
	table := func(head string, rows []figure) {
		fmt.Fprintf(&out, "\n| %s |\n|---|--:|\n", head)
		for _, row := range rows {
			fmt.Fprintf(&out, "| %s | %s |\n", row.name, row.value)
		}
	}
	table("what | number", r.figures)
	table("part | time, with programs and modules at hand", r.parts)
	return out.Bytes()
}
