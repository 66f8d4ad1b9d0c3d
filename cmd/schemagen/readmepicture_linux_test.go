package main

import (
	"encoding/xml"
	"errors"
	"fmt"
	"html"
	"io"
	"regexp"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
)

// pictureColumns is the width of the terminal in README's picture.
const pictureColumns = 80

// erased matches what is erased on a line: progress, if the run takes long.
var erased = regexp.MustCompile(`(?m)^.*\x1b\[K`)

// TestReadmePicture runs schemagen on a terminal in the project of testdata/book/picture.txtar
// and compares README's pictures with its screen; -update redraws them.
func TestReadmePicture(t *testing.T) {
	b := &book{t: t, page: "README.md", folders: map[string]string{}}
	screen, code := onTerminal(t, b.folder("picture"), pictureColumns, []string{"GOFLAGS=-mod=mod"}, "generate", "--no-cache")
	screen = erased.ReplaceAllString(screen, "")
	if code != reporting.ExitFindings || strings.Count(screen, "^") < 3 {
		t.Fatalf("exit code %d, got\n%s", code, screen)
	}
	for name, theme := range pictureThemes() {
		picture := drawScreen("schemagen generate", screen, theme)
		if err := wellFormed(picture); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		checkPage(t, "../../docs/pictures/mistakes-"+name+".svg", picture)
	}
}

// pictureTheme has colors by the parameter of the control sequence that selects them.
type pictureTheme struct {
	back, frame, text string
	colors            map[string]string
}

func pictureThemes() map[string]pictureTheme {
	return map[string]pictureTheme{
		"light": {"#ffffff", "#d0d7de", "#24292f", map[string]string{"31": "#c0262d", "33": "#9a6700", "36": "#0a6c8a"}},
		"dark":  {"#0d1117", "#30363d", "#d4d7dc", map[string]string{"31": "#f47067", "33": "#daaa3f", "36": "#56d4dd"}},
	}
}

// drawScreen returns an SVG of a terminal. Each word has its own position, so columns are
// aligned in every monospaced font.
func drawScreen(command, screen string, theme pictureTheme) string {
	const cell, row, margin = 8.4, 19, 20
	lines := strings.Split(strings.TrimSuffix("\x1b[2m$\x1b[m "+command+"\n\n"+screen, "\n"), "\n")
	width, height := pictureColumns*cell+2*margin, len(lines)*row+2*margin
	var b strings.Builder
	fmt.Fprintf(&b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %.0f %d\" width=\"%.0f\" height=\"%d\" role=\"img\">\n", width, height, width, height)
	fmt.Fprintf(&b, "<title>%s</title>\n", html.EscapeString("Output of "+command))
	fmt.Fprintf(&b, "<rect x=\".5\" y=\".5\" width=\"%.0f\" height=\"%d\" rx=\"8\" fill=\"%s\" stroke=\"%s\"/>\n", width-1, height-1, theme.back, theme.frame)
	fmt.Fprintf(&b, "<g font-family=\"ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace\" font-size=\"14\" fill=\"%s\">\n", theme.text)
	sequence, word := regexp.MustCompile(`\x1b\[([0-9;]*)m`), regexp.MustCompile(`\S+`)
	style := ""
	for i, line := range lines {
		fmt.Fprintf(&b, `<text y="%d">`, margin+i*row+14)
		for column := 0; line != ""; {
			at := sequence.FindStringSubmatchIndex(line)
			if at == nil {
				at = []int{len(line), len(line), 0, 0}
			}
			text := line[:at[0]]
			for _, span := range word.FindAllStringIndex(text, -1) {
				x := margin + float64(column+utf8.RuneCountInString(text[:span[0]]))*cell
				fmt.Fprintf(&b, `<tspan x="%.1f"%s>%s</tspan>`, x, style, html.EscapeString(text[span[0]:span[1]]))
			}
			column += utf8.RuneCountInString(text)
			if at[1] > at[0] {
				style = theme.style(line[at[2]:at[3]])
			}
			line = line[at[1]:]
		}
		b.WriteString("</text>\n")
	}
	return b.String() + "</g>\n</svg>\n"
}

// style returns the attributes for the parameters of a control sequence.
func (theme pictureTheme) style(parameters string) string {
	out := ""
	for p := range strings.SplitSeq(parameters, ";") {
		switch {
		case p == "1":
			out += ` font-weight="bold"`
		case p == "2":
			out += ` fill-opacity=".65"`
		case theme.colors[p] != "":
			out += ` fill="` + theme.colors[p] + `"`
		}
	}
	return out
}

// wellFormed returns an error if a text is not XML.
func wellFormed(text string) error {
	for d := xml.NewDecoder(strings.NewReader(text)); ; {
		if _, err := d.Token(); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
	}
}
