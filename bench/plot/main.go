// Command plot plots the results of bench growth: time and memory by the number of kinds.
// Both axes are logarithmic, so that linear growth is a line of slope 1.
//
//	go run . POINTS.csv OUT.svg OUT.png
//
// It is a separate module so that the harness needs only the standard library.
package main

import (
	"encoding/csv"
	"errors"
	"fmt"
	"image/color"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"

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
	if len(args) < 2 {
		return errors.New("usage: go run . POINTS.csv OUT.svg OUT.png")
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
	for _, name := range args[1:] {
		if err := drawFile(name, lines); err != nil {
			return err
		}
	}
	return nil
}

// A series is one program in one state.
type series struct {
	name         string
	time, memory plotter.XYs // seconds and MiB by the number of kinds
}

// readSeries reads a CSV file with a header and the columns series, kinds, milliseconds of
// time and of CPU, and mebibytes.
func readSeries(r io.Reader) ([]series, error) {
	records, err := csv.NewReader(r).ReadAll()
	if err != nil {
		return nil, err
	}
	if len(records) < 2 || len(records[0]) != 5 {
		return nil, errors.New("want a line of titles, and lines of series, kinds, two times in milliseconds, and mebibytes")
	}
	var lines []series
	for _, record := range records[1:] {
		var values [4]float64
		for i, text := range record[1:] {
			if values[i], err = strconv.ParseFloat(text, 64); err != nil {
				return nil, err
			}
			if values[i] <= 0 {
				return nil, fmt.Errorf("%q has no logarithm", text)
			}
		}
		at := slices.IndexFunc(lines, func(s series) bool { return s.name == record[0] })
		if at < 0 {
			at = len(lines)
			lines = append(lines, series{name: record[0]})
		}
		lines[at].time = append(lines[at].time, plotter.XY{X: values[0], Y: values[1] / 1000})
		lines[at].memory = append(lines[at].memory, plotter.XY{X: values[0], Y: values[3]})
	}
	return lines, nil
}

const width, height = 24 * vg.Centimeter, 11 * vg.Centimeter

// drawFile draws both panels to an SVG or PNG file.
func drawFile(name string, lines []series) error {
	var canvas interface {
		vg.CanvasSizer
		io.WriterTo
	}
	if filepath.Ext(name) == ".svg" {
		canvas = vgsvg.New(width, height)
	} else {
		canvas = vgimg.PngCanvas{Canvas: vgimg.NewWith(vgimg.UseWH(width, height), vgimg.UseDPI(96))}
	}
	times, err := panel("Time of a fresh process", "seconds", lines, func(s series) plotter.XYs { return s.time })
	if err != nil {
		return err
	}
	memory, err := panel("Peak memory of the largest process", "MiB", lines, func(s series) plotter.XYs { return s.memory })
	if err != nil {
		return err
	}
	// One legend is enough.
	memory.Legend = plot.NewLegend()
	panels := [][]*plot.Plot{{times, memory}}
	all := draw.New(canvas)
	all.SetColor(color.White) // also behind the space between the panels, for pages with a dark background
	all.Fill(all.Path())
	tiles := draw.Tiles{Rows: 1, Cols: 2, PadX: vg.Centimeter, PadTop: vg.Centimeter / 3, PadBottom: vg.Centimeter / 3, PadLeft: vg.Centimeter / 3, PadRight: vg.Centimeter / 2}
	for i, c := range plot.Align(panels, tiles, all)[0] {
		panels[0][i].Draw(c)
	}
	file, err := os.Create(name)
	if err != nil {
		return err
	}
	_, err = canvas.WriteTo(file)
	return errors.Join(err, file.Close())
}

// panel plots one figure of all series by the number of kinds.
func panel(title, unit string, lines []series, figure func(series) plotter.XYs) (*plot.Plot, error) {
	p := plot.New()
	p.Title.Text, p.X.Label.Text, p.Y.Label.Text = title, "kinds", unit
	for _, axis := range []*plot.Axis{&p.X, &p.Y} {
		axis.Scale = plot.LogScale{}
		axis.Tick.Marker = decades{}
	}
	p.Title.TextStyle.Font.Size = font.Points(13)
	p.Add(plotter.NewGrid())
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.Padding = vg.Points(2)
	p.Legend.XOffs, p.Legend.YOffs = vg.Points(6), vg.Points(-4)
	for i, s := range lines {
		line, points, err := plotter.NewLinePoints(figure(s))
		if err != nil {
			return nil, err
		}
		style := styles[i%len(styles)]
		line.Color, points.Color, points.Shape = style.Color, style.Color, style.Shape
		line.Width, points.Radius = vg.Points(1.8), vg.Points(3)
		p.Add(line, points)
		p.Legend.Add(s.name, line, points)
	}
	// Complete decades leave room for the legend.
	p.X.Min, p.X.Max = decade(p.X.Min, false), decade(p.X.Max, true)
	p.Y.Min, p.Y.Max = decade(p.Y.Min, false), decade(p.Y.Max, true)
	return p, nil
}

// styles differ in color and in shape, for readers who cannot distinguish the colors (those
// of Okabe and Ito).
var styles = []draw.GlyphStyle{
	{Color: color.RGBA{0xd5, 0x5e, 0x00, 0xff}, Shape: draw.CircleGlyph{}},
	{Color: color.RGBA{0x00, 0x72, 0xb2, 0xff}, Shape: draw.BoxGlyph{}},
	{Color: color.RGBA{0x00, 0x9e, 0x73, 0xff}, Shape: draw.PyramidGlyph{}},
	{Color: color.RGBA{0x55, 0x55, 0x55, 0xff}, Shape: draw.CrossGlyph{}},
}

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
type decades struct{}

// Ticks implements plot.Ticker.
func (decades) Ticks(from, to float64) []plot.Tick {
	var ticks []plot.Tick
	for power := decade(from, false); power <= to*1.001; power *= 10 {
		for i := 1.; i < 10 && power*i <= to*1.001; i++ {
			tick := plot.Tick{Value: power * i}
			if i == 1 {
				tick.Label = strconv.FormatFloat(power, 'f', -1, 64)
			}
			ticks = append(ticks, tick)
		}
	}
	return ticks
}
