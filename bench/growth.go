package main

import (
	"context"
	"fmt"
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"
)

const (
	// growthSizes are the numbers of kinds.
	growthSizes = "1,3,10,30,100,300,1000"
	// peerLimit is the time from which controller-gen is not run for larger trees.
	peerLimit = time.Minute
	// growthFrom is the number of kinds from which the slope is computed: below it, the
	// measured time is dominated by the start of the process.
	growthFrom = 100
)

// growthStates are the rows that are measured, and the names of their series. controller-gen runs
// in turn with the first, which is what users run.
var growthStates = []struct{ row, series string }{
	{"verify", "schemagen (default: verified)"},
	{"generate", "schemagen --skip-verify"},
	{"nothing", "schemagen, nothing changed"},
}

// A series is one program in one state: a line of the plot.
type series struct {
	name   string
	points []point
}

type point struct {
	kinds int
	sample
}

// growth measures trees of the given sizes and prints a table and the slopes. If file is not
// empty, the points are written to it for bench/plot.
func growth(ctx context.Context, w workspace, t tree, sizes, given string, runs int, file string, out io.Writer) error {
	peer, product, err := w.tools(ctx, given)
	if err != nil {
		return err
	}
	lines := []*series{{name: "controller-gen"}}
	var states []row
	for _, state := range growthStates {
		r, err := selectRows(state.row)
		if err != nil {
			return err
		}
		states = append(states, r...)
		lines = append(lines, &series{name: state.series})
	}
	for size := range strings.SplitSeq(sizes, ",") {
		if t.kinds, err = strconv.Atoi(size); err != nil || t.kinds < 1 {
			return fmt.Errorf("%q is not a number of kinds", size)
		}
		if err := lines[0].measureTree(ctx, w, t, states, lines[1:], peer, product, runs); err != nil {
			return fmt.Errorf("%d kinds: %w", t.kinds, err)
		}
	}
	fmt.Fprintf(out, "%d levels of structs with %d fields, %d unions and %d CEL rules in each kind, descriptions of %d bytes; medians of %d runs.\n\n",
		t.depth, t.width, t.unions, t.rules, t.description, runs)
	printGrowth(out, lines)
	if file == "" {
		return nil
	}
	return os.WriteFile(file, pointsCSV(lines), 0o666)
}

// measureTree adds a point to all series. To the first, which is controller-gen's, it adds
// none once controller-gen has exceeded peerLimit.
func (s *series) measureTree(ctx context.Context, w workspace, t tree, states []row, ours []*series, peer, product string, runs int) error {
	c := t.benchCase()
	p, err := w.prepare(ctx, c)
	if err != nil {
		return err
	}
	for i, r := range states {
		temp, err := os.MkdirTemp("", "schemagen-growth-")
		if err != nil {
			return err
		}
		theirs, product, _ := contestants(c, r, checkoutDirs{p, p}, peer, product, temp)
		all := []*contestant{product}
		if n := len(s.points); i == 0 && (n == 0 || s.points[n-1].wall < peerLimit) {
			all = append(all, theirs)
		}
		err = measure(ctx, r, nil, runs, c.files, all...)
		if err := os.RemoveAll(temp); err != nil {
			return err
		}
		if err != nil {
			return err
		}
		ours[i].points = append(ours[i].points, point{t.kinds, product.median()})
		if len(all) > 1 {
			s.points = append(s.points, point{t.kinds, theirs.median()})
		}
	}
	fmt.Fprintln(os.Stderr, c.name)
	return nil
}

// printGrowth prints milliseconds and MiB by the number of kinds, and the slopes.
func printGrowth(out io.Writer, lines []*series) {
	fmt.Fprint(out, "| kinds |")
	for _, s := range lines {
		fmt.Fprintf(out, " %s: ms | CPU ms | MiB |", s.name)
	}
	fmt.Fprint(out, "\n|--:|"+strings.Repeat("--:|--:|--:|", len(lines))+"\n")
	for i, p := range lines[1].points {
		fmt.Fprintf(out, "| %d |", p.kinds)
		for _, s := range lines {
			if i < len(s.points) {
				fmt.Fprintf(out, " %.0f | %.0f | %.0f |",
					milliseconds(s.points[i].wall), milliseconds(s.points[i].cpu), mebibytes(s.points[i].treeRSS))
			} else {
				fmt.Fprint(out, " | | |") // controller-gen exceeded peerLimit
			}
		}
		fmt.Fprintln(out)
	}
	fmt.Fprintf(out, "| slope from %d kinds |", growthFrom)
	for _, s := range lines {
		large := slices.DeleteFunc(slices.Clone(s.points), func(p point) bool { return p.kinds < growthFrom })
		fmt.Fprintf(out, " %s | %s | %s |",
			slope(large, func(p point) float64 { return p.wall.Seconds() }),
			slope(large, func(p point) float64 { return p.cpu.Seconds() }),
			slope(large, func(p point) float64 { return float64(p.treeRSS) }))
	}
	fmt.Fprintln(out)
}

// slope returns the exponent of the power law that fits the values best, by least squares of
// the logarithms. 1 is linear.
func slope(points []point, value func(point) float64) string {
	n, sumX, sumY, sumXX, sumXY := float64(len(points)), 0., 0., 0., 0.
	for _, p := range points {
		x, y := math.Log(float64(p.kinds)), math.Log(value(p))
		sumX, sumY, sumXX, sumXY = sumX+x, sumY+y, sumXX+x*x, sumXY+x*y
	}
	if len(points) < 2 {
		return ""
	}
	return fmt.Sprintf("%.2f", (n*sumXY-sumX*sumY)/(n*sumXX-sumX*sumX))
}

// pointsCSV returns the points in the format that bench/plot reads.
func pointsCSV(lines []*series) []byte {
	out := []byte("series,kinds,milliseconds,CPU milliseconds,mebibytes\n")
	for _, s := range lines {
		for _, p := range s.points {
			out = fmt.Appendf(out, "%q,%d,%.1f,%.1f,%.1f\n", s.name, p.kinds, milliseconds(p.wall), milliseconds(p.cpu), mebibytes(p.treeRSS))
		}
	}
	return out
}
