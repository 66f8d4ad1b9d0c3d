package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// lspFile has what edits cost, as last recorded.
const lspFile = "lsp.txt"

// typed are texts that are typed into a file of prometheus-operator, after a text of it that
// occurs once, a keystroke at a time, and then removed again in the same way. Most of them make
// the file invalid on the way. Each # is the number of the round, so that no round types what an
// earlier one has typed.
func typed() []typedText {
	const types, prometheus = "v1/types.go", "v1/prometheus_types.go"
	return []typedText{
		{types, "// Condition represents the state of the resources associated with the\n", "// at time #, as\n"},
		{prometheus, "type PrometheusStatus struct {\n", "\t// +kubebuilder:validation:MinLength=3\n\tA# string `json:\"a#\"`\n"},
		{types, "type Endpoint struct {\n", "\t// +optional\n\t// +kubebuilder:validation:Enum=A;B\n\tNew# *string `json:\"new#,omitempty\"`\n"},
		{prometheus, "func (l *Prometheus) DeepCopyObject() runtime.Object {\n", "\t// copied #\n"},
	}
}

type typedText struct{ file, after, text string }

// lsp measures an editor's session: what the server of schemagen lsp needs from a keystroke to
// its diagnostics, and for completion and hover meanwhile. Texts are typed again and again, until
// there are as many edits as asked for. Unless soak is 0, the memory of a second session of so many
// edits is measured as well, which are typed as fast as there are findings.
func lsp(ctx context.Context, w workspace, given string, edits, soak int, recorded bool, out io.Writer) error {
	product, err := w.product(ctx, given)
	if err != nil {
		return err
	}
	selected, err := selectCases("prometheus-operator-full")
	if err != nil {
		return err
	}
	versions, err := w.versions(ctx, selected[0])
	if err != nil {
		return err
	}
	place, err := w.prepare(ctx, selected[0])
	if err != nil {
		return err
	}
	temp, err := os.MkdirTemp("", "schemagen-lsp-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(temp)
	if place, err = place.copyTo(filepath.Join(temp, "source")); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(place.dir, "schemagen.yaml"), []byte("paths: [./...]\n"), 0o644); err != nil {
		return err
	}
	timed := session{pause: 40 * time.Millisecond}
	if err := timed.run(ctx, product, place.dir, edits); err != nil {
		return err
	}
	text := fmt.Sprintf("%s, %s: %d keystrokes in a file, each after the findings of the one before.\n%s", versions, time.Now().UTC().Format(time.DateOnly), edits, timed.text())
	if soak > 0 {
		var long session
		if err := long.run(ctx, product, place.dir, soak); err != nil {
			return err
		}
		text += fmt.Sprintf("resident memory after every hundredth of %d keystrokes: %s\n", soak, long.memoryText())
	}
	if recorded {
		if err := os.WriteFile(lspFile, []byte(text), 0o644); err != nil {
			return err
		}
	}
	_, err = io.WriteString(out, text)
	return err
}

// session are the measurements of a session, by edit: times from the keystroke to the first and
// the last findings about it, the CPU time in between, of answers to a completion and a hover
// that are asked for meanwhile, and the memory afterwards.
type session struct {
	// pause is the time from a keystroke to the requests, in which the run begins.
	pause                                  time.Duration
	first, settled, cpu, completion, hover []time.Duration
	memory                                 []float64 // MiB
}

// run starts a server in a directory, and types texts until there are so many edits.
func (s *session) run(ctx context.Context, product, dir string, edits int) error {
	e, err := startServer(ctx, product, dir)
	if err != nil {
		return err
	}
	defer e.kill()
	for round := 1; len(s.settled) < edits; round++ {
		for _, t := range typed() {
			t.text = strings.ReplaceAll(t.text, "#", strconv.Itoa(round))
			if err := e.typeText(t, s, edits); err != nil {
				return err
			}
		}
	}
	return nil
}

func (s *session) text() string {
	var b strings.Builder
	row := func(name string, of []time.Duration, target string) {
		fmt.Fprintf(&b, "%-28s p50 %5.0f ms, p95 %5.0f ms%s\n", name, milliseconds(quantile(of, .5)), milliseconds(quantile(of, .95)), target)
	}
	row("keystroke to first findings", s.first, " (at most 100)")
	row("keystroke to all findings", s.settled, " (at most 500)")
	var cpu time.Duration
	for _, d := range s.cpu {
		cpu += d
	}
	row("CPU of a keystroke", s.cpu, fmt.Sprintf(", mean %.0f ms", milliseconds(cpu/time.Duration(len(s.cpu)))))
	row("completion meanwhile", s.completion, " (at most 20)")
	row("hover meanwhile", s.hover, " (at most 20)")
	return b.String()
}

// memoryText compares the memory at the beginning of a session with that at its end.
func (s *session) memoryText() string {
	var sampled []float64
	for i := sampling - 1; i < len(s.memory); i += sampling {
		sampled = append(sampled, s.memory[i])
	}
	median := func(of []float64) float64 {
		of = slices.Sorted(slices.Values(of))
		return of[len(of)/2]
	}
	quarter := max(len(sampled)/4, 1)
	return fmt.Sprintf("median %.0f MiB in the first quarter, %.0f in the last; at most %.0f after any (at most 300)",
		median(sampled[:quarter]), median(sampled[len(sampled)-quarter:]), slices.Max(s.memory))
}

// sampling is the number of edits between two samples of the memory of a long session.
const sampling = 100

func quantile(of []time.Duration, q float64) time.Duration {
	of = slices.Sorted(slices.Values(of))
	return of[int(math.Ceil(q*float64(len(of))))-1]
}

// server is a running schemagen lsp, seen from an editor.
type server struct {
	dir     string
	command *exec.Cmd
	in      io.WriteCloser
	texts   map[string]string
	version int

	mu      sync.Mutex
	nextID  int
	answers map[int]chan json.RawMessage
	// published is when diagnostics of a version came first.
	published map[int]time.Time
	ended     error
}

func startServer(ctx context.Context, product, dir string) (*server, error) {
	e := &server{dir: dir, command: exec.CommandContext(ctx, product, "lsp"), texts: map[string]string{}, answers: map[int]chan json.RawMessage{}, published: map[int]time.Time{}}
	e.command.Dir, e.command.Stderr = dir, os.Stderr
	in, err := e.command.StdinPipe()
	if err != nil {
		return nil, err
	}
	e.in = in
	from, err := e.command.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := e.command.Start(); err != nil {
		return nil, err
	}
	go e.listen(bufio.NewReader(from))
	if _, err := e.call("initialize", map[string]any{"processId": nil, "rootUri": "file://" + dir, "capabilities": map[string]any{}}); err != nil {
		return nil, err
	}
	return e, e.send(map[string]any{"method": "initialized", "params": map[string]any{}})
}

func (e *server) kill() {
	_ = e.command.Process.Kill()
	_ = e.command.Wait()
}

func (e *server) send(message map[string]any) error {
	message["jsonrpc"] = "2.0"
	data, err := json.Marshal(message)
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(e.in, "Content-Length: %d\r\n\r\n%s", len(data), data)
	return err
}

// call sends a request and returns its result.
func (e *server) call(method string, params any) (json.RawMessage, error) {
	e.mu.Lock()
	e.nextID++
	id, answer := e.nextID, make(chan json.RawMessage, 1)
	e.answers[id] = answer
	e.mu.Unlock()
	if err := e.send(map[string]any{"id": id, "method": method, "params": params}); err != nil {
		return nil, err
	}
	result, ok := <-answer
	if !ok {
		return nil, fmt.Errorf("%s: the server ended: %w", method, e.ended)
	}
	return result, nil
}

// listen takes what the server sends.
func (e *server) listen(from *bufio.Reader) {
	err := func() error {
		for {
			length := 0
			for {
				line, err := from.ReadString('\n')
				if err != nil {
					return err
				}
				if line = strings.TrimSpace(line); line == "" {
					break
				}
				if n, ok := strings.CutPrefix(line, "Content-Length: "); ok {
					if length, err = strconv.Atoi(n); err != nil {
						return err
					}
				}
			}
			data := make([]byte, length)
			if _, err := io.ReadFull(from, data); err != nil {
				return err
			}
			var message struct {
				ID     int
				Method string
				Result json.RawMessage
				Error  json.RawMessage
				Params struct {
					Version int
					Message string
				}
			}
			if err := json.Unmarshal(data, &message); err != nil {
				return err
			}
			now := time.Now()
			e.mu.Lock()
			switch {
			case message.Error != nil:
				e.mu.Unlock()
				return fmt.Errorf("error %s", message.Error)
			case message.Method == "textDocument/publishDiagnostics":
				if _, ok := e.published[message.Params.Version]; !ok {
					e.published[message.Params.Version] = now
				}
			case message.Method != "":
				e.mu.Unlock()
				return fmt.Errorf("%s: %s", message.Method, message.Params.Message)
			default:
				e.answers[message.ID] <- message.Result
				delete(e.answers, message.ID)
			}
			e.mu.Unlock()
		}
	}()
	e.mu.Lock()
	defer e.mu.Unlock()
	e.ended = err
	for _, answer := range e.answers {
		close(answer)
	}
}

func (e *server) document(file string) map[string]any {
	return map[string]any{"uri": "file://" + filepath.Join(e.dir, file), "version": e.version}
}

// settle waits for all findings.
func (e *server) settle(file string) error {
	at := map[string]any{"line": 0, "character": 0}
	_, err := e.call("textDocument/codeAction", map[string]any{
		"textDocument": e.document(file), "range": map[string]any{"start": at, "end": at}, "context": map[string]any{"diagnostics": []any{}},
	})
	return err
}

// typeText types a text and removes it.
func (e *server) typeText(t typedText, s *session, edits int) error {
	e.version++
	if _, ok := e.texts[t.file]; !ok {
		text, err := os.ReadFile(filepath.Join(e.dir, t.file))
		if err != nil {
			return err
		}
		if strings.Count(string(text), t.after) != 1 {
			return fmt.Errorf("%s has %q not exactly once", t.file, t.after)
		}
		e.texts[t.file] = string(text)
		document := e.document(t.file)
		document["languageId"], document["text"] = "go", string(text)
		if err := e.send(map[string]any{"method": "textDocument/didOpen", "params": map[string]any{"textDocument": document}}); err != nil {
			return err
		}
		if err := e.settle(t.file); err != nil {
			return err
		}
	}
	before, _, _ := strings.Cut(e.texts[t.file], t.after)
	before += t.after
	for i := range t.text {
		at := position(before + t.text[:i])
		if err := e.measure(t.file, at, at, t.text[i:i+1], s); err != nil || len(s.settled) >= edits {
			return err
		}
	}
	for i := len(t.text) - 1; i >= 0; i-- {
		if err := e.measure(t.file, position(before+t.text[:i]), position(before+t.text[:i+1]), "", s); err != nil || len(s.settled) >= edits {
			return err
		}
	}
	return nil
}

// position returns the position after a text whose last line is ASCII.
func position(text string) map[string]any {
	return map[string]any{"line": strings.Count(text, "\n"), "character": len(text) - strings.LastIndexByte(text, '\n') - 1}
}

// measure makes an edit.
func (e *server) measure(file string, start, end map[string]any, text string, s *session) error {
	e.version++
	cpu, began := e.cpu(), time.Now()
	if err := e.send(map[string]any{"method": "textDocument/didChange", "params": map[string]any{
		"textDocument":   e.document(file),
		"contentChanges": []any{map[string]any{"range": map[string]any{"start": start, "end": end}, "text": text}},
	}}); err != nil {
		return err
	}
	time.Sleep(s.pause)
	for _, ask := range []struct {
		method string
		to     *[]time.Duration
	}{{"textDocument/completion", &s.completion}, {"textDocument/hover", &s.hover}} {
		asked := time.Now()
		if _, err := e.call(ask.method, map[string]any{"textDocument": e.document(file), "position": start}); err != nil {
			return err
		}
		*ask.to = append(*ask.to, time.Since(asked))
	}
	if err := e.settle(file); err != nil {
		return err
	}
	s.cpu = append(s.cpu, e.cpu()-cpu)
	s.settled = append(s.settled, time.Since(began))
	e.mu.Lock()
	first, ok := e.published[e.version]
	e.mu.Unlock()
	if !ok {
		return errors.New("no diagnostics were published")
	}
	s.first = append(s.first, first.Sub(began))
	memory, err := e.memory()
	s.memory = append(s.memory, memory)
	return err
}

// cpu returns the CPU time of the server's threads so far.
func (e *server) cpu() (out time.Duration) {
	files, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", e.command.Process.Pid))
	for _, name := range files {
		text, _ := os.ReadFile(name) // a thread may have ended
		first, _, _ := strings.Cut(string(text), " ")
		n, _ := strconv.ParseInt(first, 10, 64)
		out += time.Duration(n)
	}
	return out
}

// memory returns the resident memory of the server in MiB.
func (e *server) memory() (float64, error) {
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", e.command.Process.Pid))
	if err != nil {
		return 0, err
	}
	fields := strings.Fields(string(text))
	pages, err := strconv.Atoi(fields[1])
	return float64(pages*os.Getpagesize()) / (1 << 20), err
}
