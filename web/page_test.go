package web

import (
	"encoding/json"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

var shots = flag.String("shots", "", "write screenshots to this folder")

// pageOf writes the documentation page for definitions and returns its file name.
func pageOf(t *testing.T, args ...string) string {
	t.Helper()
	dir := t.TempDir()
	if _, err := command(".", suite.schemagen, append([]string{"docs", "-o", dir}, args...)...); err != nil {
		t.Fatal(err)
	}
	return filepath.Join(dir, "index.html")
}

func (b *browser) read(file string) {
	b.t.Helper()
	b.visit("about:blank")
	b.visit("file://" + file)
	b.until("return !!document.querySelector('.title')")
}

// hostile is a definition in which every text attempts to run a script.
const hostile = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: traps.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Trap, plural: traps, listKind: TrapList, singular: trap}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        description: "HTML"
        x-kubernetes-validations:
        - rule: "self.spec.a != 'HTML'"
          message: "HTML"
        properties:
          spec:
            type: object
            description: "HTML"
            properties:
              a:
                type: string
                description: "HTML"
                enum: ["a", "HTML"]
                default: "HTML"
              "HTML":
                type: string
                description: "HTML"
                pattern: "HTML"
                title: "HTML"
`

// traps are texts that run a script if they are interpreted as HTML, an attribute, a script
// or a template.
var traps = []string{
	"<script>window.ran = 1</script>",
	"</script><script>window.ran = 2</script>",
	"<img src=x onerror='window.ran = 3'>",
	"<!--<script>window.ran = 4",
	"</style><svg onload='window.ran = 5'>",
	"{{.}}${window.ran = 6}`+(window.ran = 7)+`",
	"<a href='javascript:window.ran = 8'>x</a>",
	"]]></details><iframe srcdoc='<script>parent.ran = 9</script>'>",
	"[x](javascript:window.ran = 12) [y](<javascript:window.ran = 13>) ![z](//127.0.0.1/z.png)",
	"<javascript:window.ran=14> [a]: data:text/html,<script>parent.ran=15</script>",
}

// TestNothingRuns puts traps into every text, opens all fields, and checks that no script
// runs, that nothing is requested, and that each trap is shown as text. Links lead only to the
// documentation of the standard fields.
func TestNothingRuns(t *testing.T) {
	b := startBrowser(t)
	for _, trap := range traps {
		file := filepath.Join(t.TempDir(), "trap.yaml")
		quoted, _ := json.Marshal(trap)
		inner := strings.Trim(string(quoted), `"`)
		rule := strings.ReplaceAll(hostile, "self.spec.a != 'HTML'", "true")
		if err := os.WriteFile(file, []byte(strings.ReplaceAll(rule, "HTML", inner)), 0o644); err != nil {
			t.Fatal(err)
		}
		b.read(pageOf(t, file, "--title", trap))
		b.press("/")
		b.typed("s")
		b.press(keyEscape)
		for range 4 {
			script[any](b, "for (const d of document.querySelectorAll('details')) d.open = true")
			b.until("return [...document.querySelectorAll('.field')].every((d) => d.filled || !d.open)")
		}
		if ran := script[any](b, "return window.ran ?? null"); ran != nil {
			t.Errorf("%s: scripts ran: %v", trap, ran)
		}
		text := script[string](b, "return document.body.textContent")
		shown := script[string](b, "return document.getElementById('kind').textContent")
		if !strings.Contains(text, trap) || strings.Count(shown, trap) < 5 {
			t.Errorf("%s is not shown as text:\n%s", trap, shown)
		}
		if odd := script[[]string](b, "return [...document.querySelectorAll('body img, body svg, body iframe, main script, nav script, main a:not([href^=\"#\"], [href^=\"https://git.k8s.io/community/\"])')].map((e) => e.outerHTML)"); len(odd) > 0 {
			t.Errorf("%s: became %v", trap, odd)
		}
	}
	// Even injected elements do not run scripts: the page's content security policy is
	// enforced.
	script[any](b, `const s = document.createElement("script"); s.textContent = "window.ran = 10"; document.body.append(s);
		const i = document.createElement("img"); i.setAttribute("onerror", "window.ran = 11"); i.src = "x"; document.body.append(i)`)
	if ran := script[any](b, "return window.ran ?? null"); ran != nil {
		t.Errorf("scripts ran despite the policy: %v", ran)
	}
}

// TestNoRequests checks that the page has no URL that a browser would request, and that only
// the page itself is requested.
func TestNoRequests(t *testing.T) {
	b := startBrowser(t)
	file := pageOf(t, "./testdata/api/...")
	b.visit("about:blank")
	b.log("performance") // requests of the browser's initial page
	b.visit("file://" + file)
	script[any](b, "for (const d of document.querySelectorAll('details')) d.open = true")
	b.screen(390, 800, "dark")
	asked := regexp.MustCompile(`"Network.requestWillBeSent".*?"url":"([^"]*)"`)
	pages := 0
	for _, entry := range b.log("performance") {
		if found := asked.FindStringSubmatch(entry); found != nil {
			pages++
			if found[1] != "file://"+file {
				t.Errorf("the page requests %s", found[1])
			}
		}
	}
	if pages != 1 {
		t.Errorf("got %d requests, want only those of the pages", pages)
	}
	for _, entry := range b.log("browser") {
		t.Errorf("browser log: %s", entry)
	}
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if found := regexp.MustCompile(`<link|@import|url\(|\ssrc=["']?https?:`).FindAll(data, -1); found != nil {
		t.Errorf("the page contains %q", found)
	}
}

// pageKind is the data of a kind in a page.
type pageKind struct {
	Group, Version, Kind string
	Field                pageField
	Examples             []struct{ Title, YAML string }
}

type pageField struct {
	Name   string
	Fields []pageField
}

// paths returns the paths of the fields below.
func (f pageField) paths(at string) []string {
	var out []string
	for _, child := range f.Fields {
		path := strings.TrimPrefix(at+"."+child.Name, ".")
		out = append(append(out, path), child.paths(path)...)
	}
	return out
}

func (b *browser) kinds() []pageKind {
	b.t.Helper()
	var data struct{ Kinds []pageKind }
	if err := json.Unmarshal([]byte(script[string](b, "return document.getElementById('data').textContent")), &data); err != nil {
		b.t.Fatal(err)
	}
	return data.Kinds
}

// TestLinks follows the links to all fields of the nested unions, and to many fields of the
// largest definition.
func TestLinks(t *testing.T) {
	b := startBrowser(t)
	follow := func(kind pageKind, path string) {
		t.Helper()
		script[any](b, "location.hash = arguments[0]", fmt.Sprintf("%s/%s/%s.%s", kind.Group, kind.Version, kind.Kind, path))
		b.until("return document.querySelector('.target')?.node.path === arguments[0]", path)
		seen := script[bool](b, `const row = document.querySelector(".target > summary"), box = row.getBoundingClientRect();
			return document.activeElement === row && box.top >= document.querySelector("header").getBoundingClientRect().bottom && box.bottom <= innerHeight`)
		if !seen {
			t.Errorf("%s is not visible", path)
		}
	}
	b.read(pageOf(t, "./testdata/api/..."))
	for _, kind := range b.kinds() {
		for _, path := range kind.Field.paths("") {
			follow(kind, path)
		}
	}
	// A link can be copied and opened in a new page.
	follow(b.kinds()[0], "spec.layers.fill.gradient.radial")
	address := script[string](b, "return location.href.split('#')[0] + [...document.querySelectorAll('.facts a')].find((a) => a.textContent.endsWith('.radial')).getAttribute('href')")
	b.visit("about:blank")
	b.visit(address)
	b.until("return document.querySelector('.target')?.node.path === 'spec.layers.fill.gradient.radial'")

	b.read(pageOf(t, "--examples=false", largest(t).file))
	for _, kind := range b.kinds() {
		paths := kind.Field.paths("")
		for i := 0; i < len(paths); i += 1 + len(paths)/25 {
			follow(kind, paths[i])
		}
	}
}

// TestChoices checks that only the selected member of a union is shown.
func TestChoices(t *testing.T) {
	b := startBrowser(t)
	file := pageOf(t, "./testdata/api/...")
	b.read(file)
	script[any](b, "location.hash = 'shapes.example.com/v1/Canvas.spec.layers.fill'")
	b.until("return !!document.querySelector('.target .union')")
	members := func() []string {
		return script[[]string](b, "return [...document.querySelector('.target .union').querySelectorAll(':scope > .children > .field > summary > .name')].map((e) => e.textContent)")
	}
	labels := script[[]string](b, "return [...document.querySelectorAll('.target .choices label')].map((e) => e.textContent)")
	if want := []string{"Solid", "Image", "Gradient", "None"}; !slices.Equal(labels, want) {
		t.Errorf("got choices %v", labels)
	}
	for _, want := range []string{"solid", "image", "gradient", ""} {
		if got := strings.Join(members(), " "); got != want {
			t.Errorf("got visible members %q, want %q", got, want)
		}
		// As a user does with the keyboard.
		script[any](b, "document.querySelector('.target .choices :checked').focus()")
		b.press(keyRight)
	}
	script[any](b, "location.hash = 'shapes.example.com/v1/Canvas.spec.layers.fill.type'")
	b.until("return document.querySelector('.target')?.node.path === 'spec.layers.fill.type'")
	if got, want := strings.Fields(script[string](b, "return document.querySelector('.target .facts dd').innerText")), strings.Fields(`"Solid" FillSolid is one color. "Image" "Gradient" "None"`); !slices.Equal(got, want) {
		t.Errorf("got the values %q, want %q", got, want)
	}
	script[any](b, "location.hash = 'shapes.example.com/v1/Canvas.spec.layers.fill'")
	b.until("return document.querySelector('.target')?.node.path === 'spec.layers.fill'")
	all := script[[]string](b, "return [...document.querySelectorAll('.target > .body > .children > .field > summary > .name')].map((e) => e.textContent)")
	if !slices.Equal(all, []string{"type"}) {
		t.Errorf("got fields %v outside of the union", all)
	}
}

// TestKeyboard uses the page without a mouse.
func TestKeyboard(t *testing.T) {
	b := startBrowser(t)
	b.read(pageOf(t, "./testdata/api/..."))
	focused := func() string {
		return script[string](b, `const e = document.activeElement;
			return e.tagName === "SUMMARY" ? e.querySelector(".name")?.textContent ?? e.textContent : e.id || e.tagName`)
	}
	isOpen := func() bool { return script[bool](b, "return document.activeElement.parentElement.open === true") }
	expect := func(does, want string) {
		t.Helper()
		if got := focused(); got != want {
			t.Errorf("%s: got focus at %q, want %q", does, got, want)
		}
	}
	b.press(keyTab)
	expect("tab", "skip")
	b.press(keyEnter)
	expect("skip", "content")
	b.press("/")
	expect("slash", "filter")
	b.typed("solid color")
	if got := script[string](b, "return document.getElementById('found').textContent"); !strings.HasPrefix(got, "1 field ") {
		t.Errorf("got result count %q", got)
	}
	if got := script[[]string](b, "return [...document.querySelectorAll('mark')].map((e) => e.textContent)"); !slices.Contains(got, "color") || !slices.Contains(got, "solid") {
		t.Errorf("got marked words %v", got)
	}
	b.press(keyDown)
	expect("down from the filter", "spec")
	b.press(keyDown, keyDown, keyDown, keyDown)
	expect("down", "color")
	b.press(keyEnter)
	if !isOpen() {
		t.Error("Enter did not open the field")
	}
	b.press(keyLeft)
	if isOpen() {
		t.Error("Left did not close the field")
	}
	b.press(keyLeft)
	expect("left", "solid")
	b.press("/")
	b.press(keyEscape)
	if got := script[string](b, "return document.getElementById('filter').value + document.getElementById('found').textContent"); got != "" {
		t.Errorf("got %q after Escape, want nothing", got)
	}
	b.press(keyDown)
	b.press(keyDown, keyDown, keyDown, keyDown, keyDown)
	expect("down to the spec", "spec")
	b.press(keyRight)
	expect("right into what is open", "labels")
	b.press(keyDown)
	expect("down", "layers")
	b.press(keyRight)
	if !isOpen() {
		t.Error("Right did not open the field")
	}
	b.press(keyRight)
	expect("right again", "fill")
	b.press(keyUp)
	expect("up", "layers")
	b.press(keySpace)
	if isOpen() {
		t.Error("Space did not close the field")
	}
}

// TestSmallScreens checks that nothing is wider than a phone, and that the colors follow the
// system.
func TestSmallScreens(t *testing.T) {
	b := startBrowser(t)
	b.read(pageOf(t, "./testdata/api/..."))
	for _, width := range []int{320, 390, 768, 1280} {
		b.screen(width, 800, "light")
		for range 4 {
			script[any](b, "for (const d of document.querySelectorAll('main details')) d.open = true")
			b.until("return [...document.querySelectorAll('.field')].every((d) => d.filled || !d.open)")
		}
		if wide := script[int](b, "return document.documentElement.scrollWidth"); wide > width {
			t.Errorf("got a width of %d pixels on a screen of %d", wide, width)
		}
	}
	colours := map[string]bool{}
	for _, scheme := range []string{"light", "dark"} {
		b.screen(390, 800, scheme)
		colours[script[string](b, "return getComputedStyle(document.body).backgroundColor")] = true
	}
	if len(colours) != 2 {
		t.Errorf("got colors %v for light and dark", colours)
	}
	if script[bool](b, "return document.getElementById('menu').open") {
		t.Error("the menu is open on a small screen")
	}
}

// TestExamplesPass checks the examples in the page with schemagen try.
func TestExamplesPass(t *testing.T) {
	b := startBrowser(t)
	for _, d := range append(definitions(t, suite.canvas), largest(t)) {
		b.read(pageOf(t, d.file))
		for _, kind := range b.kinds() {
			if len(kind.Examples) != 2 {
				t.Errorf("%s %s: got %d examples", kind.Kind, kind.Version, len(kind.Examples))
			}
			for _, example := range kind.Examples {
				file := filepath.Join(t.TempDir(), "example.yaml")
				if err := os.WriteFile(file, []byte(example.YAML), 0o644); err != nil {
					t.Fatal(err)
				}
				_, err := command(".", suite.schemagen, "try", "--strict", "-f", file, d.file)
				if err != nil && !isLostInStorage(err.Error()) {
					t.Errorf("%s %s: %v", kind.Kind, example.Title, cut(err))
				}
			}
		}
	}
}

// TestSpeed measures the page of the largest definition, in milliseconds of the main thread's
// processor time: opening it, and from a keystroke in its filter until the result is laid out.
// On an idle machine, the limits are 200 and 50 ms. What holds on any machine is that a
// keystroke costs far less than opening the page, which lays everything out.
func TestSpeed(t *testing.T) {
	page := pageOf(t, largest(t).file)
	var b *browser
	open := math.Inf(1)
	for range 2 {
		b = startBrowser(t)
		b.devtools("Performance.enable", map[string]any{})
		b.read(page)
		script[any](b, "document.body.offsetHeight")
		open = min(open, b.busy()) // with the start of the process
	}
	fields := 0
	for _, kind := range b.kinds() {
		fields += len(kind.Field.paths(""))
	}
	const text = "receivers httpConfig key"
	best := make([]float64, len(text))
	for round := range 5 { // the best counts: processor time also depends on what else runs
		for i := range text {
			before := b.busy()
			script[any](b, `const filter = document.getElementById("filter"); filter.value = arguments[0];
				filter.dispatchEvent(new Event("input")); document.body.offsetHeight`, text[:i+1])
			if took := b.busy() - before; round == 0 || took < best[i] {
				best[i] = took
			}
		}
	}
	slices.Sort(best)
	t.Logf("%d fields; opens in %.0f ms; a keystroke takes %.0f ms (median) to %.0f ms", fields, open, best[len(best)/2], best[len(best)-1])
	if median := best[len(best)/2]; median > 0.7*open {
		t.Errorf("got %.0f ms for a keystroke, want at most 0.7 of the %.0f ms to open the page", median, open)
	}
}

// versions has two kinds, one of them in two versions with descriptions in Markdown.
const versions = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com}
spec:
  group: example.com
  scope: Namespaced
  names: {kind: Widget, plural: widgets, listKind: WidgetList, singular: widget, shortNames: [wg]}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        description: "A widget that is shown on a dashboard, and refreshed on a schedule.\n\nSee the [concepts](https://example.com/concepts), and\nhttps://example.com/howto."
        properties:
          spec:
            type: object
            description: What the widget shows.
            required: [source]
            properties:
              source: {type: string, minLength: 1, description: "Source is one of:\n\n- ` + "`metrics`" + `, *the default*\n- ` + "`events`" + `,\n  of the last hour\n\nIt is changed like this:\n\n\tspec:\n\t  source: events\n\n1. Change it.\n2. Wait.\n\n> Not while it is paused."}
              refresh: {type: string, default: 30s, description: How often it is refreshed.}
              paused: {type: boolean, description: "![picture](https://example.com/a.png) <b>not bold</b>"}
  - {name: v1alpha1, served: false, storage: false, schema: {openAPIV3Schema: {type: object}}}
  - name: v1beta1
    served: true
    storage: false
    deprecated: true
    deprecationWarning: use v1
    schema:
      openAPIV3Schema:
        type: object
        description: A widget.
        properties:
          spec:
            type: object
            properties: {source: {type: string}}
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: dashboards.example.com}
spec:
  group: example.com
  scope: Cluster
  names: {kind: Dashboard, plural: dashboards, listKind: DashboardList, singular: dashboard}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        description: A dashboard is a page of widgets.
        properties:
          spec: {type: object, properties: {columns: {type: integer, default: 2}}}
`

func versionsPage(t *testing.T) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "versions.yaml")
	if err := os.WriteFile(file, []byte(versions), 0o644); err != nil {
		t.Fatal(err)
	}
	return pageOf(t, file, "--title", "Dashboards and widgets of the Example Operator")
}

// TestOverview goes from the overview to a field, and from there to another version.
func TestOverview(t *testing.T) {
	b := startBrowser(t)
	b.read(versionsPage(t))
	texts := func(selector string) string {
		return strings.Join(script[[]string](b, "return [...document.querySelectorAll(arguments[0])].map((e) => e.textContent)", selector), ", ")
	}
	expect := func(selector, want string) {
		t.Helper()
		if got := texts(selector); got != want {
			t.Errorf("%s: got %q, want %q", selector, got, want)
		}
	}
	expect("#kinds a", "Overview, Dashboardv1, v1, v1beta1")
	expect(".overview .name", "Dashboard, Widget")
	expect(".overview p", "A dashboard is a page of widgets., A widget that is shown on a dashboard, and refreshed on a schedule.")
	script[any](b, "[...document.querySelectorAll('.overview .name')][1].click()")
	b.until("return document.querySelector('.title').textContent === 'Widgetexample.com/v1'")
	expect("main > div > .versions", "Versions: v1storedv1beta1deprecatedv1alpha1not served")
	expect("main > div > .warning", "")
	script[any](b, "location.hash = 'example.com/v1/Widget.spec.source'")
	b.until("return document.querySelector('.target')?.node.path === 'spec.source'")
	expect(".target .text > ul li", "metrics, the default, events, of the last hour")
	expect(".target .text code", "metrics, events, spec:\n  source: events")
	expect(".target .text ol li", "Change it., Wait.")
	expect(".target .text blockquote", "Not while it is paused.")
	if got, want := script[[]string](b, "return [...document.querySelectorAll('#kind > .text a')].map((a) => a.href)"), []string{"https://example.com/concepts", "https://example.com/howto"}; !slices.Equal(got, want) {
		t.Errorf("got links %v, want %v", got, want)
	}
	script[any](b, "[...document.querySelectorAll('main > div > .versions a')][1].click()")
	b.until("return document.querySelector('.title').textContent === 'Widgetexample.com/v1beta1' && document.querySelector('.target')?.node.path === 'spec.source'")
	expect("main > div > .warning", "Deprecated: use v1")
	script[any](b, "history.go(-3)")
	b.until("return document.querySelector('.title').textContent === 'Overview'")
}

// TestFilterJumps checks that the filter shows the kind that has the field, hides those
// that have not, and comes back when it is cleared.
func TestFilterJumps(t *testing.T) {
	b := startBrowser(t)
	b.read(versionsPage(t))
	menu := func() string {
		return strings.Join(script[[]string](b, "return [...document.querySelectorAll('#kinds a')].filter((a) => a.checkVisibility()).map((a) => a.textContent)"), ", ")
	}
	title := func() string { return script[string](b, "return document.querySelector('.title')?.textContent ?? ''") }
	b.press("/")
	for _, step := range []struct{ typed, menu, title string }{
		{"refreshed", "Overview, v11", "Widgetexample.com/v1"},
		{"columns", "Overview, Dashboardv11", "Dashboardexample.com/v1"},
		{"source", "Overview, v11, v1beta11", "Widgetexample.com/v1"},
		{"nowhere", "Overview", ""},
	} {
		b.typed(step.typed)
		if menu() != step.menu || title() != step.title {
			t.Errorf("%s: got %q with the menu %q, want %q with %q", step.typed, title(), menu(), step.title, step.menu)
		}
		b.press(keyEscape)
		if title() != "Overview" || menu() != "Overview, Dashboardv1, v1, v1beta1" {
			t.Errorf("after %s: got %q with the menu %q", step.typed, title(), menu())
		}
	}
}

// TestExpandAll opens and closes all fields.
func TestExpandAll(t *testing.T) {
	b := startBrowser(t)
	b.read(versionsPage(t) + "#example.com/v1/Widget")
	b.until("return !!document.querySelector('.expander')")
	script[any](b, "document.querySelector('.expander').click()")
	b.until("const all = [...document.querySelectorAll('.field')]; return all.length > 6 && all.every((d) => d.open)")
	script[any](b, "document.querySelector('.expander').click()")
	b.until("return !document.querySelector('details.field[open]')")
}

// TestCopyAndHighlight copies an example and a path, and checks that the example is shown
// with its text unchanged and its first line not indented.
func TestCopyAndHighlight(t *testing.T) {
	b := startBrowser(t)
	b.read(versionsPage(t) + "#example.com/v1/Widget.spec.source")
	b.until("return !!document.querySelector('.target')")
	script[any](b, `window.copied = []; navigator.clipboard.writeText = async (text) => { copied.push(text); };
		for (const d of document.querySelectorAll('.examples details')) d.open = true`)
	b.until("return document.querySelectorAll('.yaml').length === 2")
	script[any](b, "for (const button of document.querySelectorAll('.copy')) button.click()")
	b.until("return copied.length === document.querySelectorAll('.copy').length && [...document.querySelectorAll('.copy')].every((c) => c.textContent === 'Copied')")
	copied := script[[]string](b, "return copied")
	shown := script[[]string](b, "return [...document.querySelectorAll('.yaml code')].map((e) => e.textContent)")
	for _, kind := range b.kinds() {
		if kind.Kind != "Widget" || kind.Version != "v1" {
			continue
		}
		for i, example := range kind.Examples {
			if copied[i] != example.YAML || strings.TrimSpace(shown[i]) != strings.TrimSpace(example.YAML) {
				t.Errorf("got %q and %q, want %q", copied[i], shown[i], example.YAML)
			}
		}
	}
	if copied[len(copied)-1] != "spec.source" {
		t.Errorf("got %q", copied)
	}
	if keys := script[int](b, "return document.querySelectorAll('.yaml .key').length"); keys < 8 {
		t.Errorf("got %d keys", keys)
	}
	indented := script[bool](b, `const code = document.querySelector(".yaml code"), rects = [...code.querySelectorAll(".key")].slice(0, 2).map((e) => e.getBoundingClientRect().left);
		return rects[0] !== rects[1]`)
	if indented {
		t.Error("the first line of the example is indented")
	}
}

// TestPrint checks how a page is printed: addresses follow texts that do not show them, and what
// is selected can be read without its background, which browsers leave out.
func TestPrint(t *testing.T) {
	b := startBrowser(t)
	b.read(versionsPage(t))
	script[any](b, "location.hash = '#example.com/v1/Widget'")
	b.until("return !!document.querySelector('.expander')")
	b.devtools("Emulation.setEmulatedMedia", map[string]any{"media": "print"})
	const after = "return [...document.querySelectorAll('.text a')].map((a) => getComputedStyle(a, '::after').content)"
	if got := script[[]string](b, after); len(got) < 2 || got[0] != `" (" attr(href) ")"` && got[0] != `" (https://example.com/concepts)"` || got[1] != "none" {
		t.Errorf("after links, got %q", got)
	}
	if got := script[string](b, "const s = getComputedStyle(document.querySelector('.versions a[aria-current]')); return s.color + ' ' + s.backgroundColor"); got != "rgb(0, 58, 140) rgba(0, 0, 0, 0)" {
		t.Errorf("the selected version is %s", got)
	}
	if got := script[string](b, "return getComputedStyle(document.querySelector('.field > summary'), '::before').display"); got != "none" {
		t.Errorf("marks to open fields are displayed: %s", got)
	}
}

// TestPhoneTitle checks that the title is whole on a phone.
func TestPhoneTitle(t *testing.T) {
	b := startBrowser(t)
	b.read(versionsPage(t))
	b.screen(390, 800, "light")
	if script[bool](b, "const h1 = document.querySelector('h1'); return h1.scrollWidth > h1.clientWidth || h1.scrollHeight > h1.clientHeight + 1") {
		t.Error("the title is cut off")
	}
}

// TestShots writes screenshots for review. It checks nothing.
func TestShots(t *testing.T) {
	if *shots == "" {
		t.Skip("-shots is not set")
	}
	b := startBrowser(t)
	canvas := pageOf(t, "./testdata/api/...")
	large := pageOf(t, suite.bench["prometheus-operator-full"])
	several := versionsPage(t)
	for _, screen := range []struct {
		name          string
		width, height int
	}{{"wide", 1280, 900}, {"phone", 390, 800}} {
		for _, scheme := range []string{"light", "dark"} {
			b.screen(screen.width, screen.height, scheme)
			take := func(name, file string) {
				b.read(file)
				b.shot(filepath.Join(*shots, name+"-"+screen.name+"-"+scheme+".png"))
			}
			take("overview", several)
			take("prose", several+"#example.com/v1/Widget.spec.source")
			take("canvas", canvas)
			take("fill", canvas+"#shapes.example.com/v1/Canvas.spec.layers.fill")
			take("large", large)
			take("prometheus", large+"#monitoring.coreos.com/v1/Prometheus")
			b.until("return document.querySelectorAll('.examples summary').length > 0")
			script[any](b, "document.querySelector('.examples details').open = true")
			b.until("return !!document.querySelector('.yaml')")
			b.shot(filepath.Join(*shots, "example-"+screen.name+"-"+scheme+".png"))
			b.press("/")
			b.typed("basic password")
			b.shot(filepath.Join(*shots, "filter-"+screen.name+"-"+scheme+".png"))
		}
	}
}

// isLostInStorage reports whether all findings are about fields that the storage version lacks. An
// example of another version has them anyway: a webhook may convert that is not in the definition.
func isLostInStorage(output string) bool {
	found := false
	for line := range strings.Lines(output) {
		if !strings.Contains(line, ": error[") {
			continue
		}
		if !strings.Contains(line, "error[SG702]") || !strings.Contains(line, "no webhook converts") {
			return false
		}
		found = true
	}
	return found
}
