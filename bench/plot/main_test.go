package main

import (
	"bytes"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

const points = "module,series,size,milliseconds,CPU milliseconds,mebibytes\nkinds,a,1,10,9,40\nkinds,\"b, too\",1,100,99,50\nkinds,a,1000,1000,999,400\nrules,a,1,10,9,40\n"

func TestReadSeries(t *testing.T) {
	lines, err := readSeries(strings.NewReader(points))
	if err != nil || len(lines) != 3 || lines[1].name != "b, too" {
		t.Fatalf("got %v, %v", lines, err)
	}
	if last := lines[0]; len(last.time) != 2 || last.time[1].Y != 1 || last.cpu[1].Y != 0.999 || last.memory[1].X != 1000 || last.memory[1].Y != 400 {
		t.Errorf("got %v", last)
	}
	for _, text := range []string{"", "module,series\n", points + "kinds,a,0,1,1,1\n", points + "kinds,a,x,1,1,1\n"} {
		if _, err := readSeries(strings.NewReader(text)); err == nil {
			t.Errorf("%q is taken", text)
		}
	}
}

func TestDraw(t *testing.T) {
	dir := t.TempDir()
	in := filepath.Join("..", "..", "docs", "growth.csv")
	svg, dark, png := filepath.Join(dir, "out.svg"), filepath.Join(dir, "out-dark.svg"), filepath.Join(dir, "out.png")
	if err := run([]string{in, "kinds", svg, dark, png}); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{svg: "fill:#FFFFFF", dark: "fill:#0D1117", png: "\x89PNG"} {
		data, err := os.ReadFile(name)
		if err != nil || !bytes.Contains(data, []byte(want)) {
			t.Errorf("%s lacks %q: %v", name, want, err)
		}
		for _, label := range shown[:required] {
			if name != png && !bytes.Contains(data, []byte(label.label)) {
				t.Errorf("%s lacks %q", name, label.label)
			}
		}
	}
	other := filepath.Join(dir, "points.csv")
	if err := os.WriteFile(other, []byte(points), 0o666); err != nil {
		t.Fatal(err)
	}
	if err := run([]string{other, "kinds", svg}); err == nil || !strings.Contains(err.Error(), "no series") {
		t.Errorf("got error %v for other series", err)
	}
}

func TestDecades(t *testing.T) {
	var labels []string
	for _, tick := range (decades{seconds}).Ticks(0.05, 10000) {
		if tick.Label != "" {
			labels = append(labels, tick.Label)
		}
	}
	if want := []string{"10 ms", "100 ms", "1 s", "10 s", "100 s", "1,000 s", "10,000 s"}; !slices.Equal(labels, want) {
		t.Errorf("got %q, want %q", labels, want)
	}
}
