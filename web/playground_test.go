package web

import (
	"bytes"
	"cmp"
	"compress/flate"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// playgroundSite makes the site of the book with the files of the playground, and returns its folder.
func playgroundSite(t *testing.T) string {
	t.Helper()
	dir := bookSite(t)
	if _, err := command(".", "go", "run", "./playground/build", "-o", dir); err != nil {
		t.Fatal(err)
	}
	return dir
}

// inEditor is a script about the editor of a file, whose name is the first argument: content is where its text is typed.
const inEditor = `const host = [...document.querySelectorAll('.editor')].find((e) => e.parentElement.querySelector('.name').value === arguments[0]);
	const content = host.shadowRoot.querySelector('.cm-content');
	`

// text returns the text of a file of the playground.
func (b *browser) text(file string) string {
	b.t.Helper()
	return script[string](b, inEditor+`return [...content.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n')`, file)
}

// write pastes a text over that of a file of the playground.
func (b *browser) write(file, text string) {
	b.t.Helper()
	script[any](b, inEditor+`content.focus();
		content.dispatchEvent(new KeyboardEvent('keydown', {key: 'a', ctrlKey: true, bubbles: true}));
		const clipboardData = new DataTransfer();
		clipboardData.setData('text/plain', arguments[1]);
		content.dispatchEvent(new ClipboardEvent('paste', {clipboardData, bubbles: true}));`, file, text)
}

// change replaces a part of the text of a file of the playground.
func (b *browser) change(file, old, text string) {
	b.t.Helper()
	before := b.text(file)
	if !strings.Contains(before, old) {
		b.t.Fatalf("there is no %q in:\n%s", old, before)
	}
	b.write(file, strings.Replace(before, old, text, 1))
}

// goTo moves the cursor from the end of the text of a file to that of a line.
func (b *browser) goTo(file, line string) {
	b.t.Helper()
	lines := strings.Split(b.text(file), "\n")
	for range len(lines) - 1 - slices.Index(lines, line) {
		b.press(keyUp)
	}
	b.press(keyEnd)
}

// shows waits until an element has a text.
func (b *browser) shows(id, text string) {
	b.t.Helper()
	const code = "return document.getElementById(arguments[0]).textContent.includes(arguments[1])"
	for end := time.Now().Add(waitFor); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if script[bool](b, code, id, text) {
			return
		}
	}
	b.t.Fatalf("%s: got %q and the status %q, want %q", id, script[string](b, "return document.getElementById(arguments[0]).textContent", id),
		script[string](b, "return document.getElementById('status').textContent"), text)
}

// lacks waits until an element does not have a text.
func (b *browser) lacks(id, text string) {
	b.t.Helper()
	b.until("return !document.getElementById(arguments[0]).textContent.includes(arguments[1])", id, text)
}

// playgroundLink returns the fragment of a link to the playground.
func playgroundLink(t *testing.T, state string) string {
	t.Helper()
	var packed bytes.Buffer
	w, err := flate.NewWriter(&packed, flate.BestCompression)
	if err == nil {
		_, err = io.WriteString(w, state)
	}
	if err := cmp.Or(err, w.Close()); err != nil {
		t.Fatal(err)
	}
	return "#s=" + base64.RawURLEncoding.EncodeToString(packed.Bytes())
}

// click clicks the first button whose text begins with a text.
func (b *browser) click(text string) {
	b.t.Helper()
	const code = "const b = [...document.querySelectorAll('button')].find((b) => b.textContent.startsWith(arguments[0])); b?.click(); return !!b"
	b.until(code, text)
}

// controls returns the roles and names of what a screen reader tells of a page but its text.
func (b *browser) controls() (out []string) {
	b.t.Helper()
	type value struct{ Value string }
	var tree struct {
		Nodes []struct {
			Ignored    bool
			Role, Name value
		}
	}
	if err := json.Unmarshal(b.devtools("Accessibility.getFullAXTree", map[string]any{}), &tree); err != nil {
		b.t.Fatal(err)
	}
	roles := []string{"alert", "button", "combobox", "group", "heading", "link", "searchbox", "status", "textbox"}
	for _, n := range tree.Nodes {
		if !n.Ignored && slices.Contains(roles, n.Role.Value) {
			out = append(out, n.Role.Value+" "+n.Name.Value)
		}
	}
	return out
}

// TestPlayground goes through what people do with the playground, in one page.
func TestPlayground(t *testing.T) {
	dir := playgroundSite(t)
	size := int64(0)
	for _, name := range []string{"playground.wasm.gz", "playground-sources.txtar.gz", "playground.js"} {
		info, err := os.Stat(filepath.Join(dir, name))
		if err != nil {
			t.Fatal(err)
		}
		size += info.Size()
	}
	if size > 16_000_000 {
		t.Errorf("the first result needs %d bytes", size)
	}
	var requests sync.Map
	files := http.FileServer(http.Dir(dir))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.RequestURI == "/favicon.ico" { // the browser asks for it, for every site
			w.WriteHeader(http.StatusNoContent)
			return
		}
		requests.Store(r.Method+" "+r.RequestURI, true)
		files.ServeHTTP(w, r)
	}))
	b := startBrowser(t)
	page := server.URL + "/playground.html"
	begin := time.Now()
	b.visit(page)
	story := func(name string, f func(t *testing.T)) {
		t.Helper()
		t.Run(name, func(t *testing.T) {
			b.t = t
			f(t)
		})
		b.t = t
		if t.Failed() {
			t.FailNow()
		}
	}
	story("the first CRD", func(t *testing.T) {
		b.shows("crds", "name: widgets.example.com")
		b.shows("docs", "## Widget")
		b.lacks("findings", "warning")
		t.Logf("%d bytes, first result after %s", size, time.Since(begin).Round(time.Millisecond))
	})
	story("a mistake and its fix", func(t *testing.T) {
		b.change("types.go", "validation:Maximum", "validation:Maximun")
		b.shows("findings", "unknown marker +kubebuilder:validation:Maximun")
		b.click("types.go:")
		if got := script[string](b, inEditor+"return host.shadowRoot.getSelection().toString()", "types.go"); got != "+kubebuilder:validation:Maximun=12" {
			t.Errorf("the finding selects %q", got)
		}
		b.click("Fix: ")
		b.lacks("findings", "unknown marker")
		b.change("types.go", "validation:Maximum", "validation:Maximun")
		b.until(inEditor+"return content.querySelector('.cm-lintRange')?.textContent.includes('Maximun=12') ?? false", "types.go")
		b.press(keyNextFinding)
		b.until(inEditor+"const action = host.shadowRoot.querySelector('.cm-diagnosticAction'); action?.click(); return !!action", "types.go")
		b.lacks("findings", "unknown marker")
		b.shows("crds", "maximum: 12")
	})
	story("key presses", func(t *testing.T) {
		script[any](b, `window.runs = 0;
			const post = Worker.prototype.postMessage;
			Worker.prototype.postMessage = function (message) { window.runs += message.method === 'run'; post.call(this, message); };
			addEventListener('keydown', () => { window.pressed = performance.now(); }, true);
			new MutationObserver(() => { window.took = performance.now() - window.pressed; }).observe(document.getElementById('crds'), {childList: true});`)
		ran := func(runs int) {
			t.Helper()
			b.until("return window.runs === arguments[0] && document.getElementById('stop').disabled", runs)
		}
		b.change("types.go", "// Columns is", "// Columns")
		ran(1)
		script[any](b, inEditor+"for (let i = 0; i < 10; i++) document.execCommand('insertText', false, '// more')", "types.go")
		ran(2) // once for ten
		b.goTo("types.go", "\t// Columns the width of the widget.")
		var times []float64
		for i := range 9 {
			b.press(strconv.Itoa(i))
			ran(3 + i)
			times = append(times, script[float64](b, "return window.took"))
		}
		b.shows("crds", "widget.012345678")
		slices.Sort(times)
		t.Logf("from a key press to its result: %.0f ms, median of %.0f", times[4], times)
	})
	story("a union", func(t *testing.T) {
		b.shows("stored", "# Widget hello: created")
		b.change("object.yaml", "text: Hello", "image: a.png")
		b.shows("stored", "# Widget hello: rejected")
		b.shows("findings", "object.yaml:")
		b.change("object.yaml", "image: a.png", "text: Hello")
		b.shows("stored", "columns: 4")
	})
	story("a rule that an object breaks", func(t *testing.T) {
		b.change("types.go", "type WidgetSpec", "// +kubebuilder:validation:XValidation:rule=\"self.columns != 7\",message=\"seven is odd\"\ntype WidgetSpec")
		b.change("object.yaml", "type: Text", "type: Text\n  columns: 7")
		b.shows("findings", "seven is odd")
		b.change("object.yaml", "columns: 7", "columns: 8")
		b.lacks("findings", "seven is odd")
	})
	story("a breaking change", func(t *testing.T) {
		b.click("Compare with")
		b.shows("changes", "None.")
		b.change("types.go", "Maximum=12", "Maximum=9")
		b.shows("changes", "maximum")
		b.shows("changes", "breaks")
		b.shows("previous", "Maximum=12")
	})
	story("a link", func(t *testing.T) {
		before := b.text("types.go")
		b.click("Copy a link")
		b.until("return location.hash.startsWith('#s=')")
		link := script[string](b, "return location.href")
		b.visit("about:blank")
		b.visit(link)
		b.shows("changes", "maximum")
		if after := b.text("types.go"); after != before {
			t.Errorf("the link has another text:\n%s", after)
		}
	})
	story("a previous version with an error", func(t *testing.T) {
		types := b.text("types.go")
		state, err := json.Marshal(map[string]any{
			"files": []any{map[string]string{"name": "types.go", "text": types}},
			"old":   []any{map[string]string{"name": "types.go", "text": strings.Replace(types, "int32", "float32", 1)}},
		})
		if err != nil {
			t.Fatal(err)
		}
		b.visit("about:blank")
		b.visit(page + playgroundLink(t, string(state)))
		b.shows("findings", "previous version/types.go:")
		b.lacks("changes", "None.")
		b.click("End the comparison")
		b.lacks("findings", "previous version")
	})
	story("a fix for an older text", func(t *testing.T) {
		b.visit("about:blank")
		b.visit(page)
		b.shows("crds", "maximum: 12")
		b.change("types.go", "validation:Maximum", "validation:Maximun")
		b.shows("findings", "unknown marker")
		text := "\n" + b.text("types.go")
		got := script[string](b, inEditor+`content.focus();
			content.dispatchEvent(new KeyboardEvent('keydown', {key: 'a', ctrlKey: true, bubbles: true}));
			const clipboardData = new DataTransfer();
			clipboardData.setData('text/plain', arguments[1]);
			content.dispatchEvent(new ClipboardEvent('paste', {clipboardData, bubbles: true}));
			[...document.querySelectorAll('#findings button')].find((b) => b.textContent.startsWith('Fix')).click();
			return [...content.querySelectorAll('.cm-line')].map((line) => line.textContent).join('\n')`, "types.go", text)
		if got != text {
			t.Errorf("the fix changes another text than it is for:\n%s", got)
		}
		b.shows("findings", "types.go:18:")
		b.screen(320, 844, "light")
		if wide := script[int](b, "return document.documentElement.scrollWidth"); wide > 320 {
			t.Errorf("with a fix, got a width of %d pixels on a screen of 320", wide)
		}
		b.screen(1280, 900, "light")
		b.click("Fix: ")
		b.shows("crds", "maximum: 12")
		b.lacks("findings", "unknown marker")
	})
	story("back from the text of the page", func(t *testing.T) {
		b.click("Copy a link")
		b.until("return location.hash.startsWith('#s=')")
		script[any](b, "document.querySelector('.skip').click()")
		b.until("return location.hash === '#content'")
		b.change("types.go", "Maximum=12", "Maximum=11")
		b.shows("crds", "maximum: 11")
		script[any](b, "addEventListener('hashchange', () => { window.isBack = true; }); history.back()")
		b.until("return window.isBack === true")
		time.Sleep(200 * time.Millisecond)
		b.shows("crds", "maximum: 11")
	})
	story("a reload", func(t *testing.T) {
		begin := time.Now()
		b.post("/refresh", map[string]any{})
		b.shows("crds", "maximum: 11")
		t.Logf("first result after %s, with the files in the browser's cache", time.Since(begin).Round(time.Millisecond))
		b.visit("about:blank")
		b.visit(page)
		b.shows("crds", "maximum: 12")
		b.change("types.go", "Maximum=12", "Maximum=11")
	})
	story("two files of one name", func(t *testing.T) {
		const rename = "const input = [...document.querySelectorAll('.name')].at(-1); input.value = 'object.yaml'; input.dispatchEvent(new Event('input'))"
		b.click("Add a file")
		script[any](b, rename)
		b.shows("findings", `two files have the name "object.yaml"`)
		script[any](b, "[...document.querySelectorAll('.remove')].at(-1).click()")
		b.shows("crds", "maximum: 11")
	})
	story("a hostile link", func(t *testing.T) {
		const attack = `<img src=x onerror="window.attacked=1"><script>window.attacked=1</script>`
		text, err := json.Marshal(map[string]any{
			"files":  []any{map[string]string{"name": "a.go", "text": "package " + attack}, map[string]string{"name": attack + ".yaml", "text": attack}},
			"object": "kind: " + attack, "old": []any{},
		})
		if err != nil {
			t.Fatal(err)
		}
		b.visit("about:blank")
		b.visit(page + playgroundLink(t, string(text)))
		b.shows("findings", "a.go:1:")
		if script[bool](b, "return !!window.attacked || !!document.querySelector('main :is(img, script)')") {
			t.Error("the text of a link becomes elements")
		}
		for _, bad := range []string{
			"#s=%%%", "#s=AAAA", playgroundLink(t, "[]"), playgroundLink(t, `{"files": 1}`),
			playgroundLink(t, `{"files": [{"name": "a.go", "text": "`+strings.Repeat(" ", 50_000_000)+`"}]}`),
		} {
			script[any](b, "document.getElementById('problem').textContent = ''; location.hash = arguments[0]", bad)
			b.shows("problem", "The link cannot be read")
		}
		if got := b.text("a.go"); got != "package "+attack {
			t.Errorf("after links that cannot be read, the text is %q", got)
		}
	})
	story("the link to the text of the page", func(t *testing.T) {
		b.visit("about:blank")
		b.visit(page)
		b.shows("crds", "maximum: 12")
		b.change("types.go", "Maximum=12", "Maximum=11")
		b.shows("crds", "maximum: 11")
		script[any](b, "document.querySelector('.skip').click()")
		b.until("return location.hash === '#content'")
		b.change("types.go", "Maximum=11", "Maximum=10")
		b.shows("crds", "maximum: 10")
	})
	story("names of added files", func(t *testing.T) {
		b.click("Add a file")
		b.click("Add a file")
		script[any](b, "[...document.querySelectorAll('.remove')].at(-2).click()")
		b.click("Add a file")
		got := script[[]string](b, "return [...document.querySelectorAll('.name')].map((input) => input.value)")
		slices.Sort(got)
		if len(slices.Compact(slices.Clone(got))) != len(got) {
			t.Errorf("the files are %q", got)
		}
	})
	story("an example of the book", func(t *testing.T) {
		b.visit(server.URL + "/start.html")
		b.until("const a = document.querySelector('.open a'); a?.click(); return !!a")
		b.until("return location.href.includes('/playground.html#s=')")
		b.shows("crds", "kind: CustomResourceDefinition")
		b.visit("about:blank")
		b.visit(page)
		b.shows("crds", "maximum: 12")
	})
	story("the stop button", func(t *testing.T) {
		script[any](b, `return new Promise((stopped) => {
			document.querySelector('.name').dispatchEvent(new Event('input', {bubbles: true}));
			const timer = setInterval(() => {
				const stop = document.getElementById('stop');
				if (stop.disabled) return;
				clearInterval(timer);
				stop.click();
				stopped(null);
			}, 1);
		})`)
		b.shows("status", "Stopped")
		b.shows("crds", "maximum: 12")
		b.change("types.go", "Maximum=12", "Maximum=10")
		b.shows("crds", "maximum: 10")
	})
	story("markers completed and explained", func(t *testing.T) {
		b.change("types.go", "\t// Columns is", "\t// +\n\t// Columns is")
		b.goTo("types.go", "\t// +")
		b.typed("validation:Minim")
		b.until(inEditor+"return [...host.shadowRoot.querySelectorAll('[aria-selected]')].some((o) => o.textContent.startsWith('+kubebuilder:validation:Minimum'))", "types.go")
		time.Sleep(200 * time.Millisecond) // CodeMirror ignores an Enter that may be meant for the text
		b.press(keyEnter)
		b.typed("2")
		b.shows("crds", "minimum: 2")
		at := script[[]float64](b, inEditor+`const line = [...content.querySelectorAll('.cm-line')].find((l) => l.textContent.includes('Minimum=2'));
			line.scrollIntoView({block: 'center'});
			const range = document.createRange();
			range.selectNodeContents(line);
			const box = range.getBoundingClientRect();
			return [box.right - 60, (box.top + box.bottom) / 2]`, "types.go")
		b.devtools("Input.dispatchMouseEvent", map[string]any{"type": "mouseMoved", "x": at[0], "y": at[1]})
		b.until(inEditor+"return host.shadowRoot.querySelector('.cm-explanation')?.textContent.includes('inimum') ?? false", "types.go")
		if *pictures != "" {
			b.shot(filepath.Join(*pictures, "playground-hover.png"))
		}
	})
	story("what is too much", func(t *testing.T) {
		types := b.text("types.go")
		for range 20 {
			b.click("Add a file")
		}
		b.write("types.go", types+"// More")
		b.shows("findings", "there are more than 20 files")
		b.click("Copy a link")
		b.shows("status", "There is no link: there are more than 20 files.")
		b.visit("about:blank")
		b.visit(page)
		b.shows("crds", "maximum: 12")
		b.write("types.go", strings.Repeat("// many\n", 70_000))
		b.shows("findings", "the text has more than 500 kB")
		b.write("types.go", "package v1\n"+strings.Repeat("// +kubebuilder:validation:Maximun=1\ntype A struct{}\n", 300))
		b.shows("findings", "… and ")
		// A long description is in the CRD wherever its type is used.
		described := func(fields int) string {
			text := types + "\n// " + strings.Repeat("long ", 80_000) + "\ntype Long struct{}\n\ntype Longs struct {\n"
			for i := range fields {
				text += fmt.Sprintf("\tF%d Long `json:\"f%d\"`\n", i, i)
			}
			return strings.Replace(text, "type WidgetSpec struct {", "type WidgetSpec struct {\n\tLongs Longs `json:\"longs\"`\n", 1) + "}\n"
		}
		b.write("types.go", described(1))
		b.shows("crds", " characters more")
		b.write("types.go", described(2_000))
		b.shows("status", "Stopped: this needs more than 500 MB of memory. Change something to run again.")
		// A state machine of 200,000 states reads 300,000 letters: many times what any machine does in 20 seconds.
		pattern := strings.Repeat("(?:a?){1000}", 200)
		b.write("object.yaml", "apiVersion: example.com/v1\nkind: Widget\nmetadata: {name: a, namespace: a}\nspec: {type: Text, text: "+strings.Repeat("a", 300_000)+"b}\n")
		b.write("types.go", strings.Replace(types, "MaxLength=200", "Pattern=`^"+pattern+"$`", 1))
		b.shows("status", "Stopped after 20 seconds. Change something to run again.")
		b.write("types.go", types)
		b.shows("findings", "Too long")
	})
	story("on a phone", func(t *testing.T) {
		for _, scheme := range []string{"light", "dark"} {
			for _, width := range []int{320, 768, 1280, 390} {
				b.screen(width, 844, scheme)
				if wide := script[int](b, "return document.documentElement.scrollWidth"); wide > width {
					t.Errorf("got a width of %d pixels on a screen of %d", wide, width)
				}
			}
			if *pictures != "" {
				b.shot(filepath.Join(*pictures, "playground-phone-"+scheme+".png"))
			}
		}
		b.screen(1280, 900, "light")
		if *pictures != "" {
			b.shot(filepath.Join(*pictures, "playground-wide.png"))
		}
	})
	story("for a screen reader", func(t *testing.T) {
		b.visit("about:blank")
		b.visit(page)
		b.shows("status", "1 finding, computed in ")
		want := []string{
			"button Copy a link", "button Compare with this version", "button Stop", "button Add a file",
			"textbox Name of the file", "textbox types.go", "button Remove types.go",
			"textbox Name of the file", "textbox object.yaml", "button Remove object.yaml",
			"group types.go", "group object.yaml", "status ", "alert ",
			"heading Playground", "heading Input", "heading Output", "heading Findings",
		}
		controls := b.controls()
		for _, control := range want {
			i := slices.Index(controls, control)
			if i < 0 {
				t.Errorf("there is no %q in %q", control, b.controls())
				continue
			}
			controls = slices.Delete(controls, i, i+1)
		}
		for _, control := range controls {
			if strings.HasSuffix(control, " ") {
				t.Errorf("an element has no name: %q", control)
			}
		}
	})
	story("without WebAssembly", func(t *testing.T) {
		var added struct{ Identifier string }
		answer := b.devtools("Page.addScriptToEvaluateOnNewDocument", map[string]any{"source": "delete globalThis.WebAssembly"})
		if err := json.Unmarshal(answer, &added); err != nil {
			t.Fatal(err)
		}
		b.visit("about:blank")
		b.visit(page)
		b.shows("status", "The playground needs a browser with WebAssembly.")
		b.devtools("Page.removeScriptToEvaluateOnNewDocument", map[string]any{"identifier": added.Identifier})
	})
	story("with the keyboard only", func(t *testing.T) {
		b.visit("about:blank")
		b.visit(page)
		b.shows("crds", "maximum: 12")
		b.until("document.getElementById('share').focus(); return true")
		const editing = "return document.activeElement.className === 'editor'"
		for range 20 {
			if script[bool](b, editing) {
				break
			}
			b.press(keyTab)
		}
		b.typed("nonsense")
		b.shows("findings", "found nonsense")
		b.press(keyEscape)
		for range 20 {
			if script[bool](b, "return document.activeElement.textContent.startsWith('types.go:')") {
				break
			}
			b.press(keyTab)
		}
		b.press(keyEnter)
		if !script[bool](b, editing) {
			t.Error("Enter on a finding does not lead to its text")
		}
	})
	story("offline", func(t *testing.T) {
		server.Close()
		b.change("types.go", "nonsense", "")
		b.change("types.go", "Maximum=12", "Maximum=11")
		b.shows("crds", "maximum: 11")
	})
	for request := range requests.Range {
		name, isGet := strings.CutPrefix(request.(string), "GET /")
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil || !isGet {
			t.Errorf("the page sends %s", request)
		}
	}
	for _, entry := range b.log("browser") {
		t.Errorf("browser log: %s", entry)
	}
}
