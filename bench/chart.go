package main

import (
	"fmt"
	"strings"
)

// A chartRow is a command of users in README's chart: the geometric mean of both programs' times.
type chartRow struct {
	title       string
	lines       int
	peer, ours  float64 // seconds
	timesAsFast float64
}

// chartRows returns the two commands in the Makefile of a Kubebuilder project.
func (rec *record) chartRows() []chartRow {
	var out []chartRow
	for _, r := range rows() {
		title := map[string]string{"manifests": "make manifests", "object": "make generate"}[r.name]
		results, _ := rec.of(r)
		if title == "" || len(results) == 0 {
			continue
		}
		out = append(out, chartRow{
			title: title, lines: len(results),
			peer:        geomean(results, func(m result) float64 { return m.peer.wall.Seconds() }),
			ours:        geomean(results, func(m result) float64 { return m.ours.wall.Seconds() }),
			timesAsFast: geomean(results, result.speed),
		})
	}
	return out
}

// chartText describes the chart to readers who do not see it.
func chartText(chart []chartRow) string {
	var parts []string
	for _, r := range chart {
		parts = append(parts, fmt.Sprintf("%s: controller-gen %.2f s, schemagen %.2f s, %.0f times as fast", r.title, r.peer, r.ours, r.timesAsFast))
	}
	return strings.Join(parts, "; ")
}

// readmeChart returns the part of README that shows the chart.
func (rec *record) readmeChart() string {
	return fmt.Sprintf(`<picture>
  <source media="(prefers-color-scheme: dark)" srcset="docs/pictures/speed-dark.svg">
  <img src="docs/pictures/speed-light.svg" alt="%s">
</picture>
`, chartText(rec.chartRows()))
}

// A chartTheme has the colors for pages with a light or a dark background.
type chartTheme struct{ Text, Dim, Peer, Ours string }

// charts returns the pictures by their names in docs/pictures.
func (rec *record) charts() map[string]string {
	chart := rec.chartRows()
	return map[string]string{
		"speed-light.svg": drawChart(chart, chartTheme{"#1f2328", "#59636e", "#b4bcc6", "#0068a8"}),
		"speed-dark.svg":  drawChart(chart, chartTheme{"#e6edf3", "#9198a1", "#565e68", "#6cb6ff"}),
	}
}

// Positions in the chart, in pixels.
const (
	chartWidth  = 480.0
	chartLabels = 165.0 // kept free for the texts after bars
	chartGroup  = 88    // from one command to the next
	chartBar    = 24    // the height of a bar
)

// drawChart returns an SVG with bars of both programs for each command. It is narrow, so that a phone
// shows its texts in a legible size.
func drawChart(chart []chartRow, theme chartTheme) string {
	longest := 0.0
	for _, r := range chart {
		longest = max(longest, r.peer)
	}
	var b strings.Builder
	height := len(chart)*chartGroup + 46
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %d\" width=\"%.0f\" height=\"%d\" role=\"img\">\n",
		chartWidth, height, chartWidth, height)
	fmt.Fprintf(&b, "<title>%s</title>\n", chartText(chart))
	fmt.Fprintf(&b, "<g font-family=\"-apple-system, 'Segoe UI', 'Noto Sans', Helvetica, Arial, sans-serif\" font-size=\"15\" fill=\"%s\">\n", theme.Text)
	bar := func(y int, seconds float64, fill, label string) {
		length := seconds / longest * (chartWidth - chartLabels)
		fmt.Fprintf(&b, "<rect y=\"%d\" width=\"%.1f\" height=\"%d\" rx=\"2\" fill=\"%s\"/>\n", y, length, chartBar, fill)
		fmt.Fprintf(&b, "<text x=\"%.1f\" y=\"%d\">%s</text>\n", length+8, y+17, label)
	}
	for i, r := range chart {
		y := i * chartGroup
		fmt.Fprintf(&b, "<text y=\"%d\"><tspan font-weight=\"bold\">%s</tspan> <tspan fill=\"%s\">in %d command lines of real projects</tspan></text>\n", y+16, r.title, theme.Dim, r.lines)
		bar(y+24, r.peer, theme.Peer, fmt.Sprintf("controller-gen %.2f s", r.peer))
		bar(y+24+chartBar+3, r.ours, theme.Ours, fmt.Sprintf("schemagen %.2f s: <tspan font-weight=\"bold\">%.0f times as fast</tspan>", r.ours, r.timesAsFast))
	}
	fmt.Fprintf(&b, "<g font-size=\"13\" fill=\"%s\">\n", theme.Dim)
	for i, line := range []string{
		"Geometric means. First run of each program, nothing cached.",
		"schemagen also verifies the CRDs with the API server's code.",
	} {
		fmt.Fprintf(&b, "<text y=\"%d\">%s</text>\n", len(chart)*chartGroup+18+i*19, line)
	}
	return b.String() + "</g>\n</g>\n</svg>\n"
}
