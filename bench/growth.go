package main

import (
	"context"
	"encoding/csv"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"
)

// peerLimit is the time from which controller-gen is not run for larger modules.
const peerLimit = time.Minute

// A growthModule is a generated module that is measured in several sizes.
type growthModule struct {
	name, sizes string
	// slopeFrom is the size from which the slope is computed: in smaller modules, most of the time is the start
	// of the process.
	slopeFrom int
	// set sets the size of a module of bounds. It is nil for a module of kinds like those of users, which is a tree.
	set func(e *extent, n int)
	// commands is set if commands that read the definitions are measured, too.
	commands bool
}

var growthModules = []growthModule{
	{"kinds", "1,3,10,30,100,300,1000", 100, nil, false},
	{"small kinds", "1,10,100,1000", 100, func(e *extent, n int) { e.kinds = n }, false},
	{"rules", "1,10,100,300", 10, func(e *extent, n int) { e.rules = n }, false},
	{"versions", "1,4,16,64", 4, func(e *extent, n int) { e.versions = n }, false},
	{"properties", "10,100,1000,8000,32000", 1000, func(e *extent, n int) { e.properties = n }, true},
	{"depth", "10,60,240,480", 60, deepExtent, true},
}

// deepExtent sets the depth of a kind with one version: YAML indents each level, and its size is limited.
func deepExtent(e *extent, n int) {
	e.depth = n
	e.versions = 1
}

// growthStates are the rows that are measured, and the names of their series. controller-gen runs
// in turn with the first, which is what users run.
var growthStates = []struct{ row, series string }{
	{"verify", "schemagen (default: verified)"},
	{"generate", "schemagen --skip-verify"},
	{"nothing", "schemagen, nothing changed"},
}

// growthCommands read definitions, in crds or in those of an older project beside it. OUT is a directory for outputs.
var growthCommands = map[string]string{
	"docs": "docs crds -o OUT", "diff": "diff ../old/crds crds", "try": "try --sample Widget0 crds", "types": "types crds -o types --diff",
}

// A series is one program in one state: a line of the plot.
type series struct {
	module, name string
	points       []point
	samples      []sample // of a command, until the point is made from them
}

type point struct {
	size int
	sample
}

// benchCase returns the case of a size. t has what a tree's size does not depend on.
func (m growthModule) benchCase(t tree, size int) benchCase {
	if m.set == nil {
		t.kinds = size
		return t.benchCase()
	}
	e := smallExtent
	m.set(&e, size)
	return benchCase{
		name: fmt.Sprintf("%s-%d", strings.ReplaceAll(m.name, " ", "-"), size), pins: "apis", crd: "crd", paths: []string{"./api/..."}, files: e.kinds,
		generated: func() ([]sourceFile, error) { return e.files(true), nil },
	}
}

// growth measures generated modules by their sizes, and prints tables and slopes. If file is not empty, the
// points are written to it for bench/plot, where they replace those of the same modules.
func growth(ctx context.Context, w workspace, t tree, only, given string, runs int, file string, out io.Writer) error {
	peer, product, err := w.tools(ctx, given)
	if err != nil {
		return err
	}
	var all []*series
	if file != "" {
		if all, err = readPoints(file); err != nil {
			return err
		}
	}
	for _, m := range growthModules {
		if only != "" && !slices.Contains(strings.Split(only, ","), m.name) {
			continue
		}
		lines, err := m.measure(ctx, w, t, peer, product, runs)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		fmt.Fprintf(out, "Medians of %d runs.\n\n", runs)
		m.print(out, lines)
		all = append(slices.DeleteFunc(all, func(s *series) bool { return s.module == m.name }), lines...)
		slices.SortStableFunc(all, func(a, b *series) int { return growthOrder(a) - growthOrder(b) })
		if file != "" {
			if err := os.WriteFile(file, pointsCSV(all), 0o666); err != nil {
				return err
			}
		}
	}
	return nil
}

// growthOrder returns the place of a series in the file of points.
func growthOrder(s *series) int {
	return slices.IndexFunc(growthModules, func(m growthModule) bool { return m.name == s.module })
}

// measure returns a series for each program and state, the first of which is controller-gen.
func (m growthModule) measure(ctx context.Context, w workspace, t tree, peer, product string, runs int) ([]*series, error) {
	lines := []*series{{module: m.name, name: "controller-gen"}}
	for _, state := range growthStates {
		lines = append(lines, &series{module: m.name, name: state.series})
	}
	for name := range growthCommands {
		if m.commands {
			lines = append(lines, &series{module: m.name, name: "schemagen " + name})
		}
	}
	slices.SortFunc(lines[1+len(growthStates):], func(a, b *series) int { return strings.Compare(a.name, b.name) })
	for text := range strings.SplitSeq(m.sizes, ",") {
		size, err := strconv.Atoi(text)
		if err != nil {
			return nil, err
		}
		c := m.benchCase(t, size)
		if err := measureStates(ctx, w, c, size, lines, peer, product, runs); err != nil {
			return nil, fmt.Errorf("%s: %w", c.name, err)
		}
		if m.commands {
			if err := m.measureCommands(ctx, w, size, lines[1+len(growthStates):], product, runs); err != nil {
				return nil, fmt.Errorf("%s: %w", c.name, err)
			}
		}
		fmt.Fprintln(os.Stderr, c.name)
	}
	return lines, nil
}

// measureStates adds a point to the series of all states. To the first series, which is controller-gen's, it adds
// none once controller-gen has exceeded peerLimit.
func measureStates(ctx context.Context, w workspace, c benchCase, size int, lines []*series, peer, product string, runs int) error {
	p, err := w.prepare(ctx, c)
	if err == nil {
		err = forgetPeak() // of the module's text
	}
	if err != nil {
		return err
	}
	for i, state := range growthStates {
		r, err := selectRows(state.row)
		if err != nil {
			return err
		}
		temp, err := os.MkdirTemp("", "schemagen-growth-")
		if err != nil {
			return err
		}
		theirs, ours, _ := contestants(c, r[0], checkoutDirs{p, p}, peer, product, temp)
		all := []*contestant{ours}
		if n := len(lines[0].points); i == 0 && (n == 0 || lines[0].points[n-1].wall < peerLimit) {
			all = append(all, theirs)
		}
		err = measure(ctx, r[0], nil, runs, c.files, all...)
		if err := errors.Join(err, os.RemoveAll(temp)); err != nil {
			return err
		}
		lines[1+i].points = append(lines[1+i].points, point{size, ours.median()})
		if len(all) > 1 {
			lines[0].points = append(lines[0].points, point{size, theirs.median()})
		}
	}
	return nil
}

// measureCommands adds a point to the series of commands that read definitions.
func (m growthModule) measureCommands(ctx context.Context, w workspace, size int, lines []*series, product string, runs int) error {
	temp, err := os.MkdirTemp("", "schemagen-growth-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	e := smallExtent
	m.set(&e, size)
	for name, changed := range map[string]bool{"old": false, "new": true} {
		if err := e.write(ctx, w, product, filepath.Join(temp, name), changed); err != nil {
			return err
		}
	}
	if err := forgetPeak(); err != nil {
		return err
	}
	for range runs {
		for _, s := range lines {
			line := strings.ReplaceAll(growthCommands[strings.TrimPrefix(s.name, "schemagen ")], "OUT", filepath.Join(temp, "out"))
			took, messages, err := execute(ctx, filepath.Join(temp, "new"), product, strings.Fields(line))
			if err != nil && s.name != "schemagen diff" { // which found changes
				return fmt.Errorf("%s: %w\n%s", line, err, head(messages, 5))
			}
			s.samples = append(s.samples, took)
		}
	}
	for _, s := range lines {
		s.points = append(s.points, point{size, (&contestant{samples: s.samples}).median()})
		s.samples = nil
	}
	return nil
}

// print prints milliseconds and MiB by the size, and the slopes.
func (m growthModule) print(out io.Writer, lines []*series) {
	fmt.Fprintf(out, "| %s |", m.name)
	for _, s := range lines {
		fmt.Fprintf(out, " %s: ms | CPU ms | MiB |", s.name)
	}
	fmt.Fprint(out, "\n|--:|"+strings.Repeat("--:|--:|--:|", len(lines))+"\n")
	for i, p := range lines[1].points {
		fmt.Fprintf(out, "| %d |", p.size)
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
	fmt.Fprintf(out, "| slope from %d |", m.slopeFrom)
	for _, s := range lines {
		large := slices.DeleteFunc(slices.Clone(s.points), func(p point) bool { return p.size < m.slopeFrom })
		fmt.Fprintf(out, " %s | %s | %s |",
			slope(large, func(p point) float64 { return p.wall.Seconds() }),
			slope(large, func(p point) float64 { return p.cpu.Seconds() }),
			slope(large, func(p point) float64 { return float64(p.treeRSS) }))
	}
	fmt.Fprint(out, "\n\n")
}

// slope returns the exponent of the power law that fits the values best, by least squares of
// the logarithms. 1 is linear.
func slope(points []point, value func(point) float64) string {
	n, sumX, sumY, sumXX, sumXY := float64(len(points)), 0., 0., 0., 0.
	for _, p := range points {
		x, y := math.Log(float64(p.size)), math.Log(value(p))
		sumX, sumY, sumXX, sumXY = sumX+x, sumY+y, sumXX+x*x, sumXY+x*y
	}
	if len(points) < 2 {
		return ""
	}
	return fmt.Sprintf("%.2f", (n*sumXY-sumX*sumY)/(n*sumXX-sumX*sumX))
}

// pointsTitle is the first line of a file of points.
const pointsTitle = "module,series,size,milliseconds,CPU milliseconds,mebibytes\n"

// pointsCSV returns the points in the format that bench/plot reads.
func pointsCSV(lines []*series) []byte {
	out := []byte(pointsTitle)
	for _, s := range lines {
		for _, p := range s.points {
			out = fmt.Appendf(out, "%s,%q,%d,%.1f,%.1f,%.1f\n", s.module, s.name, p.size, milliseconds(p.wall), milliseconds(p.cpu), mebibytes(p.treeRSS))
		}
	}
	return out
}

// readPoints reads a file of points, which need not exist.
func readPoints(path string) (all []*series, err error) {
	file, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	defer file.Close()
	table, err := csv.NewReader(file).ReadAll()
	if err != nil || len(table) == 0 || strings.Join(table[0], ",")+"\n" != pointsTitle {
		return nil, fmt.Errorf("%s: want the columns %s: %w", path, pointsTitle, err)
	}
	for _, cells := range table[1:] {
		var figures [4]float64
		for i, cell := range cells[2:] {
			if figures[i], err = strconv.ParseFloat(cell, 64); err != nil {
				return nil, fmt.Errorf("%s: %w", path, err)
			}
		}
		if n := len(all); n == 0 || all[n-1].module != cells[0] || all[n-1].name != cells[1] {
			all = append(all, &series{module: cells[0], name: cells[1]})
		}
		s := all[len(all)-1]
		s.points = append(s.points, point{int(figures[0]), sample{duration(figures[1]), duration(figures[2]), int64(figures[3] * 1024)}})
	}
	return all, nil
}
