// Command plot plots the results of bench growth: time and memory by the size of generated modules.
// Both axes are logarithmic, so that linear growth is a line of slope 1.
//
//	go run . POINTS.csv MODULE,MODULE OUT-light.svg OUT-dark.svg OUT.png
//
// Each module is a row of the picture. Of kinds, which is for users, it shows wall time, of others
// CPU time. Only the states in which users run the programs are plotted; see shown. A file whose
// name ends in -dark is for pages with a dark background.
//
// It is a separate module so that the harness needs only the standard library.
package main

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"
	"gonum.org/v1/plot/vg/vgimg"
	"gonum.org/v1/plot/vg/vgsvg"
)

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "plot:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) < 3 {
		return errors.New("usage: go run . POINTS.csv MODULE,MODULE OUT.svg …")
	}
	file, err := os.Open(args[0])
	if err != nil {
		return err
	}
	defer file.Close()
	lines, err := readSeries(file)
	if err != nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	for _, name := range args[2:] {
		if err := drawFile(name, lines, strings.Split(args[1], ",")); err != nil {
			return err
		}
	}
	return nil
}

// A series is one program in one state.
type series struct {
	module, name      string
	time, cpu, memory plotter.XYs // seconds and MiB by the size of the module
}

// readSeries reads a CSV file with a header and the columns module, series, size, milliseconds of
// time and of CPU, and mebibytes.
func readSeries(r io.Reader) ([]series, error) {
	records, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(records) < 2 || len(records[0]) != 6 {
		return nil, errors.New("want a line of titles, and lines of module, series, size, two times in milliseconds, and mebibytes")
	}
	var lines []series
	for _, record := range records[1:] {
		var values [4]float64
		for i, text := range record[2:] {
			if values[i], err = strconv.ParseFloat(text, 64); err != nil {
				return nil, err
			}
			if values[i] <= 0 && i != 1 {
				return nil, fmt.Errorf("%q has no logarithm", text)
			}
		}
		at := slices.IndexFunc(lines, func(s series) bool { return s.module == record[0] && s.name == record[1] })
		if at < 0 {
			at = len(lines)
			lines = append(lines, series{module: record[0], name: record[1]})
		}
		if values[1] > 0 { // 0 of points from a machine that was busy
			lines[at].time = append(lines[at].time, plotter.XY{X: values[0], Y: values[1] / 1000})
		}
		lines[at].cpu = append(lines[at].cpu, plotter.XY{X: values[0], Y: values[2] / 1000})
		lines[at].memory = append(lines[at].memory, plotter.XY{X: values[0], Y: values[3]})
	}
	return lines, nil
}

// shown are the series to plot, with the command lines as labels. The order is that of the
// styles. Runs without verification are not plotted: no command line of users has them.
var shown = []struct{ series, label string }{
	{"controller-gen", "controller-gen"},
	{"schemagen (default: verified)", "schemagen crd, first run"},
	{"schemagen, nothing changed", "schemagen crd, nothing changed"},
	{"schemagen diff", "schemagen diff"},
	{"schemagen docs", "schemagen docs"},
	{"schemagen try", "schemagen try --sample"},
	{"schemagen types", "schemagen types"},
}

// required is the number of series, at the beginning of shown, that all modules have.
const required = 3

// sizes are what the numbers of modules count.
var sizes = map[string]string{
	"kinds": "kinds in the module", "small kinds": "small kinds in the module", "rules": "CEL rules of a type",
	"versions": "versions of a kind", "properties": "properties of a struct", "depth": "levels of structs",
}

// theme has the colors for pages with a light or a dark background.
type theme struct {
	background, text, grid color.Color
	lines                  []color.Color // by the index in shown
}

// themes differ in what is legible on them; the colors of lines are those of Okabe and Ito,
// lighter on dark.
var (
	light = theme{
		background: color.White, text: color.RGBA{0x1f, 0x23, 0x28, 0xff}, grid: color.RGBA{0xd8, 0xdc, 0xe2, 0xff},
		lines: []color.Color{color.RGBA{0xc6, 0x4f, 0x00, 0xff}, color.RGBA{0x00, 0x68, 0xa8, 0xff}, color.RGBA{0x00, 0x80, 0x5c, 0xff},
			color.RGBA{0x8a, 0x6d, 0x00, 0xff}, color.RGBA{0xa8, 0x4b, 0x80, 0xff}, color.RGBA{0x3a, 0x86, 0xb8, 0xff}, color.RGBA{0x59, 0x63, 0x6e, 0xff}},
	}
	dark = theme{
		background: color.RGBA{0x0d, 0x11, 0x17, 0xff}, text: color.RGBA{0xe6, 0xed, 0xf3, 0xff}, grid: color.RGBA{0x2d, 0x33, 0x3b, 0xff},
		lines: []color.Color{color.RGBA{0xff, 0xa0, 0x57, 0xff}, color.RGBA{0x6c, 0xb6, 0xff, 0xff}, color.RGBA{0x4f, 0xd0, 0xa5, 0xff},
			color.RGBA{0xf0, 0xe4, 0x42, 0xff}, color.RGBA{0xe2, 0x9a, 0xc4, 0xff}, color.RGBA{0x9c, 0xc9, 0xe8, 0xff}, color.RGBA{0x91, 0x98, 0xa1, 0xff}},
	}
)

// shapes are of the points, for readers who cannot distinguish the colors.
var shapes = []draw.GlyphDrawer{draw.CircleGlyph{}, draw.BoxGlyph{}, draw.PyramidGlyph{}, draw.CrossGlyph{}, draw.PlusGlyph{}, draw.RingGlyph{}, draw.TriangleGlyph{}}

// width is that of the picture, height that of one row.
const width, height = 24 * vg.Centimeter, 11 * vg.Centimeter

// drawFile draws a row with two panels for each module to an SVG or PNG file.
func drawFile(name string, lines []series, modules []string) error {
	var canvas interface {
		vg.CanvasSizer
		io.WriterTo
	}
	in := light
	if strings.HasSuffix(strings.TrimSuffix(name, filepath.Ext(name)), "-dark") {
		in = dark
	}
	if filepath.Ext(name) == ".svg" {
		canvas = vgsvg.New(width, height*vg.Length(len(modules)))
	} else {
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height*vg.Length(len(modules))), vgimg.UseDPI(144))}
	}
	var panels [][]*plot.Plot
	for _, module := range modules {
		title, time := "CPU time", func(s series) plotter.XYs { return s.cpu }
		if module == "kinds" {
			title, time = "Time until the CRDs are written", func(s series) plotter.XYs { return s.time }
		}
		times, err := panel(title, module, in, lines, seconds, time)
		if err != nil {
			return err
		}
		memory, err := panel("Peak memory", module, in, lines, mebibytes, func(s series) plotter.XYs { return s.memory })
		if err != nil {
			return err
		}
		if slices.ContainsFunc(lines, func(s series) bool { return s.module == module && s.name == shown[required].series }) {
			times.Y.Max *= 100 // for the legend, which is long
		}
		// One legend is enough.
		memory.Legend = plot.NewLegend()
		panels = append(panels, []*plot.Plot{times, memory})
	}
	all := draw.New(canvas)
	all.SetColor(in.background) // also behind the space between the panels
	all.Fill(all.Path())
	tiles := draw.Tiles{Rows: len(panels), Cols: 2, PadX: vg.Centimeter, PadY: vg.Centimeter / 2, PadTop: vg.Centimeter / 3, PadBottom: vg.Centimeter / 3, PadLeft: vg.Centimeter / 3, PadRight: vg.Centimeter / 2}
	for i, row := range plot.Align(panels, tiles, all) {
		for j, c := range row {
			panels[i][j].Draw(c)
		}
	}
	var out bytes.Buffer
	if _, err := canvas.WriteTo(&out); err != nil {
		return err
	}
	data := out.Bytes()
	if filepath.Ext(name) == ".svg" {
		// Others have the same widths, where Liberation Sans is missing.
		data = bytes.ReplaceAll(data, []byte("font-family:Liberation Sans;"), []byte("font-family:Liberation Sans,Arial,Helvetica,sans-serif;"))
	}
	return os.WriteFile(name, data, 0o666)
}

// panel plots one figure by the size of a module.
func panel(title, module string, in theme, lines []series, unit func(float64) string, figure func(series) plotter.XYs) (*plot.Plot, error) {
	p := plot.New()
	p.BackgroundColor = in.background
	p.Title.Text, p.X.Label.Text = title, sizes[module]
	for _, style := range []*draw.TextStyle{&p.Title.TextStyle, &p.X.Label.TextStyle, &p.X.Tick.Label, &p.Y.Tick.Label, &p.Legend.TextStyle} {
		style.Color = in.text
		style.Font.Variant = "Sans"
		style.Font.Size = font.Points(11)
	}
	p.Title.TextStyle.Font.Size = font.Points(14)
	p.Title.Padding = vg.Points(8)
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Scale = plot.LogScale{}
		axis.LineStyle.Color, axis.Tick.LineStyle.Color = in.grid, in.grid
	}
	p.X.Tick.Marker, p.Y.Tick.Marker = decades{count}, decades{unit}
	grid := plotter.NewGrid()
	grid.Horizontal.Color, grid.Vertical.Color = in.grid, in.grid
	p.Add(grid)
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.Padding = vg.Points(3)
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(6), vg.Points(-4)
	for i, want := range shown {
		at := slices.IndexFunc(lines, func(s series) bool { return s.module == module && s.name == want.series })
		if at < 0 && i >= required {
			continue
		}
		if at < 0 {
			return nil, fmt.Errorf("no series %q of %s", want.series, module)
		}
		line, points, err := plotter.NewLinePoints(figure(lines[at]))
		if err != nil {
			return nil, err
		}
		line.Color, points.Color, points.Shape = in.lines[i], in.lines[i], shapes[i]
		line.Width, points.Radius = vg.Points(2.2), vg.Points(3.5)
		p.Add(line, points)
		p.Legend.Add(want.label, line, points)
	}
	// Complete decades leave room for the legend.
	p.X.Min, p.X.Max = decade(p.X.Min, false), decade(p.X.Max, true)
	p.Y.Min, p.Y.Max = decade(p.Y.Min, false), decade(p.Y.Max, true)
	return p, nil
}

// count, seconds and mebibytes are the labels of ticks.
func count(n float64) string {
	if n >= 1000 {
		return fmt.Sprintf("%.0f,%03.0f", math.Floor(n/1000), math.Mod(n, 1000))
	}
	return fmt.Sprintf("%.0f", n)
}

func seconds(value float64) string {
	if value < 1 {
		return count(math.Round(value*1000)) + " ms"
	}
	return count(value) + " s"
}

func mebibytes(value float64) string { return count(value) + " MiB" }

// decade returns the greatest power of ten that is not above the value or, with above, the
// least one that is not below it.
func decade(value float64, above bool) float64 {
	power := 1.
	for power > value {
		power /= 10
	}
	for power*10 <= value {
		power *= 10
	}
	if above && power < value {
		power *= 10
	}
	return power
}

// decades places labeled ticks at powers of ten.
type decades struct{ label func(float64) string }

// Ticks implements plot.Ticker.
func (d decades) Ticks(from, to float64) []plot.Tick {
	var ticks []plot.Tick
	for power := decade(from, false); power <= to*1.001; power *= 10 {
		for i := 1.; i < 10 && power*i <= to*1.001; i++ {
			tick := plot.Tick{Value: power * i}
			if i == 1 {
				tick.Label = d.label(power)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}
