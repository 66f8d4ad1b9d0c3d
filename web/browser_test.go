package web

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"regexp"
	"testing"
	"time"
)

// browser is a headless Chromium controlled through chromedriver (W3C WebDriver over HTTP).
type browser struct {
	t *testing.T
	// session is the URL of the session.
	session string
	// profiles is the directory of the profiles.
	profiles string
}

// startedAt matches the message that chromedriver prints when it listens.
var startedAt = regexp.MustCompile(`started successfully on port (\d+)`)

// startBrowser starts a browser with its own profile, configured to make no network requests
// by itself.
func startBrowser(t *testing.T) *browser {
	t.Helper()
	profiles, err := os.MkdirTemp("", "browser")
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command("chromedriver", "--port=0")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatalf("%v: make test-web installs it", err)
	}
	port := make(chan string, 1)
	go func() {
		lines := bufio.NewScanner(out)
		for lines.Scan() {
			if found := startedAt.FindStringSubmatch(lines.Text()); found != nil {
				port <- found[1]
			}
		}
	}()
	b := &browser{t: t, profiles: profiles}
	t.Cleanup(func() {
		if b.session != "" {
			_, _ = b.send(http.MethodDelete, "", nil)
		}
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
		// Chromium's processes write to the profile until they have ended, some after the session.
		for range 100 {
			if os.RemoveAll(profiles) == nil {
				return
			}
			time.Sleep(100 * time.Millisecond)
		}
		t.Logf("%s is in use", profiles)
	})
	select {
	case p := <-port:
		b.session = "http://127.0.0.1:" + p + "/session"
	case <-time.After(waitFor):
		t.Fatal("chromedriver did not start")
	}
	// Chromium sometimes exits while it starts, on a loaded machine.
	value, err := b.newSession()
	for attempt := 1; err != nil && attempt < 3; attempt++ {
		t.Log(err)
		value, err = b.newSession()
	}
	if err != nil {
		t.Fatal(err)
	}
	var made struct {
		SessionID string `json:"sessionId"`
	}
	if err := json.Unmarshal(value, &made); err != nil {
		t.Fatal(err)
	}
	b.session += "/" + made.SessionID
	return b
}

// newSession starts Chromium and returns the value of the response.
func (b *browser) newSession() (json.RawMessage, error) {
	profile, err := os.MkdirTemp(b.profiles, "")
	if err != nil {
		return nil, err
	}
	options := map[string]any{"args": []string{
		"--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run", "--disable-background-networking",
		"--disable-component-update", "--disable-sync", "--disable-dev-shm-usage", "--user-data-dir=" + profile, "--window-size=1280,900",
	}}
	if path, err := exec.LookPath("chromium"); err == nil {
		options["binary"] = path
	}
	return b.send(http.MethodPost, "", map[string]any{"capabilities": map[string]any{"alwaysMatch": map[string]any{
		"goog:chromeOptions": options, "goog:loggingPrefs": map[string]string{"browser": "ALL", "performance": "ALL"},
	}}})
}

// send makes a WebDriver request and returns the value of the response.
func (b *browser) send(method, path string, body any) (json.RawMessage, error) {
	data, err := json.Marshal(body)
	if err != nil {
		return nil, err
	}
	if method != http.MethodPost {
		data = nil
	}
	request, err := http.NewRequest(method, b.session+path, bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	response, err := (&http.Client{Timeout: waitFor}).Do(request)
	if err != nil {
		return nil, err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, err
	}
	var answer struct {
		Value json.RawMessage `json:"value"`
	}
	if err := json.Unmarshal(text, &answer); err != nil {
		return nil, fmt.Errorf("%w: %s", err, text)
	}
	if response.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("%s: %s", path, answer.Value)
	}
	return answer.Value, nil
}

func (b *browser) post(path string, body any) json.RawMessage {
	b.t.Helper()
	value, err := b.send(http.MethodPost, path, body)
	if err != nil {
		b.t.Fatal(err)
	}
	return value
}

func (b *browser) visit(url string) {
	b.t.Helper()
	b.post("/url", map[string]any{"url": url})
}

// script runs a script in the page and decodes its result.
func script[T any](b *browser, code string, args ...any) T {
	b.t.Helper()
	if args == nil {
		args = []any{}
	}
	value := b.post("/execute/sync", map[string]any{"script": code, "args": args})
	var out T
	if err := json.Unmarshal(value, &out); err != nil {
		b.t.Fatalf("%v: %s", err, value)
	}
	return out
}

// devtools calls a method of the Chrome DevTools Protocol and returns its result.
func (b *browser) devtools(method string, params map[string]any) json.RawMessage {
	b.t.Helper()
	return b.post("/goog/cdp/execute", map[string]any{"cmd": method, "params": params})
}

// busy returns the processor time, in milliseconds, that the page's main thread has used:
// script, style and layout. Unlike time on a clock, it does not include the work of others
// on the machine.
func (b *browser) busy() float64 {
	b.t.Helper()
	var out struct {
		Metrics []struct {
			Name  string
			Value float64
		}
	}
	if err := json.Unmarshal(b.devtools("Performance.getMetrics", map[string]any{}), &out); err != nil {
		b.t.Fatal(err)
	}
	for _, m := range out.Metrics {
		if m.Name == "ThreadTime" {
			return m.Value * 1000
		}
	}
	b.t.Fatalf("no ThreadTime in %v", out.Metrics)
	return 0
}

// Keys of WebDriver.
const (
	keyEnter  = "\ue007"
	keyEscape = "\ue00c"
	keyTab    = "\ue004"
	keySpace  = " "
	keyLeft   = "\ue012"
	keyUp     = "\ue013"
	keyRight  = "\ue014"
	keyDown   = "\ue015"
	keyEnd    = "\ue010"
	// keyNextFinding is F8.
	keyNextFinding = "\ue038"
)

// press presses keys one after another.
func (b *browser) press(keys ...string) {
	b.t.Helper()
	var actions []any
	for _, key := range keys {
		actions = append(actions, map[string]any{"type": "keyDown", "value": key}, map[string]any{"type": "keyUp", "value": key})
	}
	b.post("/actions", map[string]any{"actions": []any{map[string]any{"type": "key", "id": "keyboard", "actions": actions}}})
}

// typed types a text.
func (b *browser) typed(text string) {
	b.t.Helper()
	for _, r := range text {
		b.press(string(r))
	}
}

// until waits until a script returns true.
func (b *browser) until(code string, args ...any) {
	b.t.Helper()
	for end := time.Now().Add(waitFor); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if script[bool](b, code, args...) {
			return
		}
	}
	b.t.Fatalf("timeout waiting for %s %v", code, args)
}

// log returns the entries of a log since the last call.
func (b *browser) log(kind string) []string {
	b.t.Helper()
	var entries []struct {
		Message string `json:"message"`
	}
	if err := json.Unmarshal(b.post("/se/log", map[string]any{"type": kind}), &entries); err != nil {
		b.t.Fatal(err)
	}
	var out []string
	for _, e := range entries {
		out = append(out, e.Message)
	}
	return out
}

// screen sets the size of the screen and the preferred color scheme.
func (b *browser) screen(width, height int, scheme string) {
	b.t.Helper()
	b.devtools("Emulation.setDeviceMetricsOverride", map[string]any{"width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})
	b.devtools("Emulation.setEmulatedMedia", map[string]any{"features": []any{map[string]any{"name": "prefers-color-scheme", "value": scheme}}})
}

// shot writes a screenshot to a file.
func (b *browser) shot(file string) {
	b.t.Helper()
	value, err := b.send(http.MethodGet, "/screenshot", nil)
	if err != nil {
		b.t.Fatal(err)
	}
	var text string
	if err := json.Unmarshal(value, &text); err != nil {
		b.t.Fatal(err)
	}
	data, err := base64.StdEncoding.DecodeString(text)
	if err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(file, data, 0o644); err != nil {
		b.t.Fatal(err)
	}
}
