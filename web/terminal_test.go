package web

import (
	"bytes"
	"cmp"
	"flag"
	"fmt"
	"html"
	"image"
	"image/color"
	"image/png"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
)

var pictures = flag.String("pictures", "", "write pictures of terminals to this folder")

// scene is a command whose output is drawn. If ready is not nil, the picture is taken when
// the screen matches it, otherwise when the command has ended.
type scene struct {
	name, shown, run string
	ready            *regexp.Regexp
}

// TestPictures draws what a terminal shows, which tmux tells, in two widths, light and dark.
// It checks only that there is something.
func TestPictures(t *testing.T) {
	if *pictures == "" {
		t.Skip("-pictures is not set")
	}
	crds, many := t.TempDir(), t.TempDir()
	if _, err := command(".", suite.schemagen, "crd", "./testdata/api/...", "-o", crds); err != nil {
		t.Fatal(err)
	}
	const file = "shapes.example.com_canvas.yaml"
	text, err := os.ReadFile(filepath.Join(crds, file))
	if err != nil {
		t.Fatal(err)
	}
	for i := range 3000 {
		write(t, filepath.Join(many, fmt.Sprintf("%d.yaml", i)), strings.ReplaceAll(string(text), "canvases", fmt.Sprintf("canvases%d", i)))
	}
	write(t, filepath.Join(crds, file), strings.Replace(string(text), "type: object\n", "type: string\n", 1))
	scenes := []scene{
		{"findings", "crd ./api/...", "crd ./testdata/terminal/mistakes -o " + t.TempDir(), nil},
		{"rule", "crd ./api/...", "crd ./testdata/terminal/rule -o " + t.TempDir(), nil},
		{"diff", "crd ./api/... --diff", "crd ./testdata/api/... --diff -o " + crds, nil},
		{"written", "crd ./api/...", "crd ./testdata/api/... -o " + t.TempDir(), nil},
		{"progress", "verify crds", "verify " + many, regexp.MustCompile(`verifying files: \d+ of`)},
	}
	b := startBrowser(t)
	for _, columns := range []int{80, 120} {
		for _, s := range scenes {
			screen := strings.ReplaceAll(capture(t, s, columns), crds, "/config/crd")
			page := filepath.Join(t.TempDir(), "page.html")
			write(t, page, pageOfScreen("$ schemagen "+s.shown+"\n"+screen, columns))
			for _, scheme := range []string{"light", "dark"} {
				b.visit("file://" + page)
				b.screen(100, 100, scheme)
				size := script[[]float64](b, "const r = document.querySelector('pre').getBoundingClientRect(); return [r.width, r.height]")
				b.screen(int(size[0])+1, int(size[1])+1, scheme)
				name := filepath.Join(*pictures, fmt.Sprintf("%s-%d-%s.png", s.name, columns, scheme))
				b.shot(name)
				shrink(t, name)
			}
		}
	}
}

// shrink rewrites a picture with fewer colors, which takes a fraction of the bytes.
func shrink(t *testing.T, name string) {
	t.Helper()
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	full, err := png.Decode(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	var colors color.Palette
	out := image.NewPaletted(full.Bounds(), nil)
	index := map[color.RGBA]uint8{}
	round := func(c uint32) uint8 { return uint8(min((c>>8+32)/64*64, 255)) }
	for y := range full.Bounds().Dy() {
		for x := range full.Bounds().Dx() {
			red, green, blue, _ := full.At(x, y).RGBA()
			c := color.RGBA{round(red), round(green), round(blue), 255}
			i, ok := index[c]
			if !ok {
				i = uint8(len(colors)) // there are at most 5³
				index[c], colors = i, append(colors, c)
			}
			out.SetColorIndex(x, y, i)
		}
	}
	out.Palette = colors
	var b bytes.Buffer
	if err := (&png.Encoder{CompressionLevel: png.BestCompression}).Encode(&b, out); err != nil {
		t.Fatal(err)
	}
	write(t, name, b.String())
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
}

// capture runs a scene in a terminal of its own and returns the screen, with the control
// sequences of its styles.
func capture(t *testing.T, s scene, columns int) string {
	t.Helper()
	tmux := func(args ...string) string {
		out, err := command(".", "tmux", append([]string{"-L", "schemagen-pictures", "-f", os.DevNull}, args...)...)
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	const rows, ended = "200", "the command has ended"
	run := "unset CI NO_COLOR; " + suite.schemagen + " " + s.run + "; echo '" + ended + "'; sleep 600"
	tmux("new-session", "-d", "-x", strconv.Itoa(columns), "-y", rows, run)
	defer tmux("kill-server")
	ready := s.ready
	if ready == nil {
		ready = regexp.MustCompile(ended)
	}
	for end := time.Now().Add(waitFor); ; time.Sleep(50 * time.Millisecond) {
		screen := tmux("capture-pane", "-p", "-e", "-N")
		if ready.MatchString(screen) {
			screen, _, _ = strings.Cut(screen, ended)
			return strings.TrimRight(screen, " \n") + "\n"
		}
		if time.Now().After(end) {
			t.Fatalf("timeout waiting for %s:\n%s", ready, screen)
		}
	}
}

// pageOfScreen returns a page that shows a screen in the colors of common terminals.
func pageOfScreen(screen string, columns int) string {
	var b strings.Builder
	b.WriteString(`<!doctype html><meta charset="utf-8"><style>
:root { --back: #fff; --text: #24292f; --c31: #c0262d; --c32: #1a7f37; --c33: #9a6700; --c36: #0a6c8a }
@media (prefers-color-scheme: dark) { :root { --back: #000; --text: #d4d7dc; --c31: #f47067; --c32: #6bc46d; --c33: #daaa3f; --c36: #56d4dd } }
body { margin: 0 } pre { display: inline-block; width: ` + strconv.Itoa(columns) + `ch; margin: 0; padding: 12px 16px; background: var(--back); color: var(--text); font: 14px/1.25 "DejaVu Sans Mono", "Droid Sans Fallback", monospace }
u { text-decoration: none; display: inline-block; width: 2ch; line-height: 1 }
</style><pre>`)
	sequence := regexp.MustCompile(`\x1b\[([0-9;]*)m`)
	var bold, dim bool
	shade := ""
	for rest := screen; rest != ""; {
		at := sequence.FindStringSubmatchIndex(rest)
		if at == nil {
			at = []int{len(rest), len(rest), len(rest), len(rest)}
		}
		fmt.Fprintf(&b, `<span style="color:var(--%s);font-weight:%s;opacity:%s">`, cmp.Or(shade, "text"), map[bool]string{true: "bold"}[bold], map[bool]string{true: ".65"}[dim])
		writeCells(&b, rest[:at[0]])
		b.WriteString("</span>")
		for parameter := range strings.SplitSeq(rest[at[2]:at[3]], ";") {
			switch parameter {
			case "", "0":
				bold, dim, shade = false, false, ""
			case "1":
				bold = true
			case "2":
				dim = true
			case "22":
				bold, dim = false, false
			case "39":
				shade = ""
			default:
				shade = "c" + parameter
			}
		}
		rest = rest[at[1]:]
	}
	return b.String() + "</pre>"
}

// writeCells writes text with wide characters as wide as two others.
func writeCells(b *strings.Builder, text string) {
	for _, r := range text {
		if r >= 0x2e80 {
			b.WriteString("<u>" + string(r) + "</u>")
		} else {
			b.WriteString(html.EscapeString(string(r)))
		}
	}
}
