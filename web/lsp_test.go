package web

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"net/textproto"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// modulesVariable is the environment variable with the directory of node_modules.
const modulesVariable = "WEB_NODE_MODULES"

// waitFor is the time limit for a response.
const waitFor = 60 * time.Second

// editor is a client of a language server.
type editor struct {
	t       *testing.T
	in      io.WriteCloser
	out     chan message
	nextID  int
	version int
}

// message is a request, a notification or a response.
type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id,omitempty"`
	Method  string          `json:"method,omitempty"`
	Params  json.RawMessage `json:"params,omitempty"`
	Result  json.RawMessage `json:"result,omitempty"`
	Error   json.RawMessage `json:"error,omitempty"`
}

// position is a position of the protocol: zero-based, in UTF-16 code units.
type position struct {
	Line      int `json:"line"`
	Character int `json:"character"`
}

type diagnostic struct {
	Range struct {
		Start, End position
	} `json:"range"`
	Message  string `json:"message"`
	Severity int    `json:"severity"`
}

func (d diagnostic) String() string {
	return fmt.Sprintf("%d:%d: %s", d.Range.Start.Line, d.Range.Start.Character, d.Message)
}

// startEditor starts yaml-language-server.
func startEditor(t *testing.T) *editor {
	t.Helper()
	modules := os.Getenv(modulesVariable)
	if modules == "" {
		modules = "node_modules"
	}
	program, err := filepath.Abs(filepath.Join(modules, "yaml-language-server", "bin", "yaml-language-server"))
	if err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(program); err != nil {
		t.Fatalf("%v: make test-web installs it", err)
	}
	cmd := exec.Command("node", program, "--stdio")
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	e := &editor{t: t, in: in, out: make(chan message, 1000)}
	go e.read(out)
	t.Cleanup(func() {
		_ = cmd.Process.Kill()
		_ = cmd.Wait()
	})
	e.request("initialize", map[string]any{"processId": os.Getpid(), "rootUri": nil, "capabilities": map[string]any{
		"textDocument": map[string]any{"completion": map[string]any{"completionItem": map[string]any{"snippetSupport": true}}},
		"workspace":    map[string]any{"configuration": false},
	}})
	e.notify("initialized", map[string]any{})
	e.notify("workspace/didChangeConfiguration", map[string]any{"settings": map[string]any{"yaml": map[string]any{
		"validate": true, "completion": true, "hover": true, "schemaStore": map[string]any{"enable": false},
	}}})
	return e
}

// read parses messages until the server ends.
func (e *editor) read(out io.Reader) {
	defer close(e.out)
	r := bufio.NewReader(out)
	for {
		header, err := textproto.NewReader(r).ReadMIMEHeader()
		if err != nil {
			return
		}
		length, err := strconv.Atoi(header.Get("Content-Length"))
		if err != nil {
			return
		}
		data := make([]byte, length)
		if _, err := io.ReadFull(r, data); err != nil {
			return
		}
		var m message
		if json.Unmarshal(data, &m) == nil {
			e.out <- m
		}
	}
}

func (e *editor) send(m message) {
	e.t.Helper()
	m.Version = "2.0"
	data, err := json.Marshal(m)
	if err != nil {
		e.t.Fatal(err)
	}
	if _, err := fmt.Fprintf(e.in, "Content-Length: %d\r\n\r\n%s", len(data), data); err != nil {
		e.t.Fatal(err)
	}
}

func (e *editor) notify(method string, params any) {
	e.t.Helper()
	data, _ := json.Marshal(params)
	e.send(message{Method: method, Params: data})
}

// request sends a request and waits for the response.
func (e *editor) request(method string, params any) json.RawMessage {
	e.t.Helper()
	data, _ := json.Marshal(params)
	e.nextID++
	id := json.RawMessage(strconv.Itoa(e.nextID))
	e.send(message{ID: id, Method: method, Params: data})
	m := e.until(func(m message) bool { return m.Method == "" && string(m.ID) == string(id) })
	if m.Error != nil {
		e.t.Fatalf("%s: %s", method, m.Error)
	}
	return m.Result
}

// until waits for a message. Requests of the server are not answered meanwhile.
func (e *editor) until(is func(message) bool) message {
	e.t.Helper()
	late := time.After(waitFor)
	for {
		select {
		case m, ok := <-e.out:
			if !ok {
				e.t.Fatal("the language server exited")
			}
			if m.Method != "" && m.ID != nil {
				e.send(message{ID: m.ID, Result: json.RawMessage("null")})
			}
			if is(m) {
				return m
			}
		case <-late:
			e.t.Fatal("the language server does not respond")
		}
	}
}

// open opens a document, and returns its URI and diagnostics.
func (e *editor) open(text string) (string, []diagnostic) {
	e.t.Helper()
	e.version++
	uri := fmt.Sprintf("file:///document%d.yaml", e.version)
	e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": uri, "languageId": "yaml", "version": 1, "text": text}})
	var found struct {
		URI         string       `json:"uri"`
		Diagnostics []diagnostic `json:"diagnostics"`
	}
	e.until(func(m message) bool {
		return m.Method == "textDocument/publishDiagnostics" && json.Unmarshal(m.Params, &found) == nil && found.URI == uri
	})
	return uri, found.Diagnostics
}

// proposals returns the completions at the cursor, which is marked by "|" in the text.
func (e *editor) proposals(text string) []string {
	e.t.Helper()
	before, after, ok := strings.Cut(text, "|")
	if !ok {
		e.t.Fatal("the text has no cursor")
	}
	uri, _ := e.open(before + after)
	line := strings.Count(before, "\n")
	at := position{line, len(before) - strings.LastIndexByte(before, '\n') - 1}
	var found struct {
		Items []struct {
			Label string `json:"label"`
		} `json:"items"`
	}
	result := e.request("textDocument/completion", map[string]any{"textDocument": map[string]any{"uri": uri}, "position": at})
	if err := json.Unmarshal(result, &found); err != nil {
		e.t.Fatalf("%v: %s", err, result)
	}
	var out []string
	for _, item := range found.Items {
		out = append(out, item.Label)
	}
	return out
}

// hover returns the hover text at the cursor.
func (e *editor) hover(text string) string {
	e.t.Helper()
	before, after, _ := strings.Cut(text, "|")
	uri, _ := e.open(before + after)
	at := position{strings.Count(before, "\n"), len(before) - strings.LastIndexByte(before, '\n') - 1}
	return string(e.request("textDocument/hover", map[string]any{"textDocument": map[string]any{"uri": uri}, "position": at}))
}
