package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"unicode/utf16"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"
	"golang.org/x/tools/txtar"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
)

// TestLSP runs the sessions in testdata/lsp. In the file session.txt of each, a line that begins
// with "> " is a message of the editor; the lines below are what the server answers, and what it
// then publishes:
//
//	> open FILE                   textDocument/didOpen, with the text of the file
//	> change FILE "OLD" "NEW"     textDocument/didChange: one edit
//	> replace FILE OTHER          textDocument/didChange: all of the text, by that of another file
//	> close FILE, > save FILE     textDocument/didClose, textDocument/didSave
//	> write FILE OTHER            changes a file on disk, workspace/didChangeWatchedFiles
//	> delete FILE                 likewise
//	> fixes FILE "TEXT"           textDocument/codeAction in the lines of a text
//	> fix FILE "TEXT"             applies the first of them
//	> complete FILE "TEXT"        textDocument/completion, after the only occurrence of a text
//	> hover FILE "TEXT"           textDocument/hover, at its last character
//	> definition FILE "TEXT"      textDocument/definition, likewise
//	> references FILE "TEXT"      textDocument/references, likewise, with the declaration
//	> symbols FILE                textDocument/documentSymbol
//	> hints FILE                  textDocument/inlayHint, in all of the file
//	> show FILE "TEXT"            workspace/executeCommand schemagen.showCRD, at its last character
//	> flood FILE "TEXT"           many requests about its last character at once, of which some are cancelled, between edits
//	> call METHOD JSON            any request; $DIR is the directory
//	> notify METHOD JSON          any notification
//	> raw JSON                    any message, or none
//	> text FILE                   prints the text that the editor has
//
// Positions count from 1, columns in UTF-16. No session may write a file.
//
// Left out of make generate: a busy machine may answer fewer messages of a flood.
func TestLSP(t *testing.T) {
	mod, sum := requirements(t)
	cases, err := filepath.Glob("../../testdata/lsp/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("no sessions:", err)
	}
	for _, name := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			t.Parallel()
			archive, err := txtar.ParseFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.ContainsFunc(archive.Files, func(f txtar.File) bool { return f.Name == "session.txt" }) {
				t.Fatal("no session.txt")
			}
			dir, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			files := map[string]string{"go.mod": strings.Replace(string(mod), "module github.com/schemagen/schemagen\n", "module example.com/project\n", 1), "go.sum": string(sum)}
			for _, f := range archive.Files {
				if f.Name != "session.txt" {
					files[f.Name] = string(f.Data)
				}
			}
			e := newTestEditor(t, dir, files)
			for i, f := range archive.Files {
				if f.Name != "session.txt" {
					continue
				}
				got := e.play(string(f.Data))
				e.end()
				if got == string(f.Data) {
					continue
				}
				if !*update {
					t.Errorf("got:\n%s\nwant:\n%s", got, f.Data)
					continue
				}
				archive.Files[i].Data = []byte(got)
				if err := os.WriteFile(name, txtar.Format(archive), 0o666); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// testEditor is an editor that has started the server.
type testEditor struct {
	t       *testing.T
	dir     string
	command *exec.Cmd
	stdin   io.WriteCloser
	conn    jsonrpc2.Conn
	out     strings.Builder
	// files are those that should be on disk, texts and versions those of open files.
	files    map[string]string
	texts    map[string]string
	versions map[string]int32

	mu sync.Mutex
	// published are the last diagnostics of files, printed those that are in the output, and
	// shown the messages to the user.
	published, printed map[string]string
	shown              []string
}

// newTestEditor writes the files of a workspace, and starts the server.
func newTestEditor(t *testing.T, dir string, files map[string]string) *testEditor {
	t.Helper()
	e := &testEditor{
		t: t, dir: dir, files: map[string]string{}, texts: map[string]string{}, versions: map[string]int32{},
		published: map[string]string{}, printed: map[string]string{},
	}
	for name, text := range files {
		e.write(name, text)
	}
	e.command = exec.Command("schemagen", "lsp")
	e.command.Dir = dir
	e.command.Env = append(os.Environ(), "GOPROXY=off", "GOFLAGS=", "GOMODCACHE="+goEnv(t, "GOMODCACHE"))
	e.command.Stderr = os.Stderr
	stdin, err := e.command.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := e.command.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := e.command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = e.command.Process.Kill() })
	e.stdin = stdin
	e.conn = jsonrpc2.NewConn(jsonrpc2.NewStream(struct {
		io.Reader
		io.WriteCloser
	}{stdout, stdin}))
	e.conn.Go(context.Background(), e.handle)
	return e
}

func (e *testEditor) write(name, text string) {
	e.t.Helper()
	path := filepath.Join(e.dir, filepath.FromSlash(name))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		e.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		e.t.Fatal(err)
	}
	e.files[name] = text
}

// handle takes what the server sends.
func (e *testEditor) handle(_ context.Context, r *jsonrpc2.Request) (any, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch r.Method() {
	case protocol.MethodTextDocumentPublishDiagnostics:
		var p protocol.PublishDiagnosticsParams
		if err := protocol.Unmarshal(r.Params(), &p); err != nil {
			return nil, err
		}
		var b strings.Builder
		if version, ok := p.Version.Get(); ok {
			fmt.Fprintf(&b, " v%d", version)
		}
		b.WriteString(":")
		if len(p.Diagnostics) == 0 {
			b.WriteString(" nothing")
		}
		b.WriteString("\n")
		for _, d := range p.Diagnostics {
			e.diagnostic(&b, d)
		}
		e.published[e.relative(p.URI)] = b.String()
	case protocol.MethodWindowShowDocument:
		var p protocol.ShowDocumentParams
		if err := protocol.Unmarshal(r.Params(), &p); err != nil {
			return nil, err
		}
		e.shown = append(e.shown, fmt.Sprintf("show %s %s", p.URI, spanText(*p.Selection)))
		return &protocol.ShowDocumentResult{Success: true}, nil
	case protocol.MethodWindowShowMessage, protocol.MethodWindowLogMessage:
		var p protocol.LogMessageParams
		if err := protocol.Unmarshal(r.Params(), &p); err != nil {
			return nil, err
		}
		e.shown = append(e.shown, strings.ReplaceAll(p.Message, e.dir, "$DIR"))
	}
	return nil, nil
}

func (e *testEditor) diagnostic(b *strings.Builder, d protocol.Diagnostic) {
	severity := map[protocol.DiagnosticSeverity]string{1: "error", 2: "warning", 3: "note"}[d.Severity]
	message, _ := d.Message.(protocol.String)
	fmt.Fprintf(b, "\t%s %s[%s]: %s\n", spanText(d.Range), severity, d.Code, strings.ReplaceAll(string(message), "\n", "\n\t\t"))
	for _, r := range d.RelatedInformation {
		fmt.Fprintf(b, "\t\t%s:%d:%d: %s\n", e.relative(r.Location.URI), r.Location.Range.Start.Line+1, r.Location.Range.Start.Character+1, r.Message)
	}
}

func spanText(r protocol.Range) string {
	return fmt.Sprintf("%d:%d-%d:%d", r.Start.Line+1, r.Start.Character+1, r.End.Line+1, r.End.Character+1)
}

// relative returns the name of a file of the workspace, and the whole path of any other: how far
// the workspace is below it differs between machines.
func (e *testEditor) relative(u uri.URI) string {
	name, err := filepath.Rel(e.dir, u.FsPath())
	if err != nil {
		e.t.Errorf("%s: %v", u, err)
	}
	if !filepath.IsLocal(name) {
		name = u.FsPath()
	}
	return filepath.ToSlash(name)
}

func (e *testEditor) uri(name string) string {
	return string(uri.File(filepath.Join(e.dir, filepath.FromSlash(name))))
}

// play sends the messages of a session and returns it with the answers.
func (e *testEditor) play(session string) string {
	e.initialize()
	for line := range strings.Lines(session) {
		switch rest, ok := strings.CutPrefix(line, "> "); {
		case ok:
			e.out.WriteString(line)
			e.message(strings.TrimSpace(rest))
			e.printPublished()
		case strings.HasPrefix(line, "#"), line == "\n":
			e.out.WriteString(line)
		}
	}
	return e.out.String()
}

func (e *testEditor) initialize() {
	e.t.Helper()
	var result map[string]any
	if err := e.call("initialize", map[string]any{"processId": nil, "rootUri": e.uri(""), "capabilities": map[string]any{
		"window": map[string]any{"showDocument": map[string]any{"support": true}}, "workspace": map[string]any{"textDocumentContent": map[string]any{}},
	}}, &result); err != nil {
		e.t.Fatal(err)
	}
	e.notify("initialized", map[string]any{})
}

// message sends one message of a session.
func (e *testEditor) message(text string) {
	e.t.Helper()
	verb, rest, _ := strings.Cut(text, " ")
	name, rest, _ := strings.Cut(rest, " ")
	switch verb {
	case "open":
		e.texts[name], e.versions[name] = e.files[name], 1
		e.notify("textDocument/didOpen", map[string]any{"textDocument": map[string]any{"uri": e.uri(name), "languageId": "go", "version": 1, "text": e.texts[name]}})
	case "change":
		words := quotedWords(e.t, rest)
		at := strings.Index(e.texts[name], words[0])
		if at < 0 {
			e.t.Fatalf("%s has no %q", name, words[0])
		}
		e.edit(name, at, at+len(words[0]), words[1])
	case "replace":
		e.versions[name]++
		e.texts[name] = e.files[rest]
		e.change(name, map[string]any{"text": e.texts[name]})
	case "save", "close":
		method := map[string]string{"save": "textDocument/didSave", "close": "textDocument/didClose"}[verb]
		if verb == "close" {
			delete(e.texts, name)
		}
		e.notify(method, map[string]any{"textDocument": map[string]any{"uri": e.uri(name)}})
	case "write", "delete":
		if verb == "write" {
			e.write(name, e.files[rest])
		} else {
			delete(e.files, name)
			if err := os.Remove(filepath.Join(e.dir, name)); err != nil {
				e.t.Fatal(err)
			}
		}
		e.notify("workspace/didChangeWatchedFiles", map[string]any{"changes": []any{map[string]any{"uri": e.uri(name), "type": 2}}})
	case "fixes", "fix":
		e.fixes(name, quotedWords(e.t, rest)[0], verb == "fix")
	case "complete":
		e.complete(name, quotedWords(e.t, rest)[0])
	case "hover":
		e.hover(name, quotedWords(e.t, rest)[0])
	case "definition", "references":
		params := e.after(name, quotedWords(e.t, rest)[0], 1)
		params["context"] = map[string]any{"includeDeclaration": true}
		var found protocol.LocationSlice
		e.request("textDocument/"+verb, params, &found)
		e.locations(found)
	case "symbols":
		var found protocol.DocumentSymbolSlice
		e.request("textDocument/documentSymbol", map[string]any{"textDocument": map[string]any{"uri": e.uri(name)}}, &found)
		e.symbols(found, "\t")
	case "hints":
		var found []protocol.InlayHint
		e.request("textDocument/inlayHint", map[string]any{
			"textDocument": map[string]any{"uri": e.uri(name)}, "range": map[string]any{"start": placeIn("", 0), "end": placeIn(e.texts[name], len(e.texts[name]))},
		}, &found)
		for _, h := range found {
			fmt.Fprintf(&e.out, "\t%d:%d %s (%s)\n", h.Position.Line+1, h.Position.Character+1, h.Label, h.Tooltip)
		}
	case "show":
		e.show(name, quotedWords(e.t, rest)[0])
	case "flood":
		e.flood(name, quotedWords(e.t, rest)[0])
	case "call":
		var result any
		if err := e.call(name, e.params(rest), &result); err != nil {
			fmt.Fprintf(&e.out, "%s\n", strings.ReplaceAll(err.Error(), e.dir, "$DIR"))
			return
		}
		answer, err := json.MarshalIndent(result, "", "  ")
		if err != nil {
			e.t.Fatal(err)
		}
		fmt.Fprintf(&e.out, "%s\n", strings.ReplaceAll(string(answer), e.dir, "$DIR"))
	case "notify":
		e.notify(name, e.params(rest))
	case "raw":
		body := strings.TrimSpace(strings.TrimPrefix(text, "raw"))
		if _, err := fmt.Fprintf(e.stdin, "Content-Length: %d\r\n\r\n%s", len(body), body); err != nil {
			e.t.Fatal(err)
		}
	case "text":
		e.out.WriteString(e.texts[name])
	default:
		e.t.Fatalf("unknown message %q", text)
	}
}

// params returns parameters that a session has as JSON.
func (e *testEditor) params(text string) (params any) {
	text = strings.ReplaceAll(text, "$DIR", e.dir)
	if err := json.Unmarshal([]byte(text), &params); err != nil {
		e.t.Fatalf("%s: %v", text, err)
	}
	return params
}

// edit replaces the text between two offsets of an open file.
func (e *testEditor) edit(name string, from, to int, text string) {
	before := e.texts[name]
	e.versions[name]++
	e.texts[name] = before[:from] + text + before[to:]
	e.change(name, map[string]any{"range": map[string]any{"start": placeIn(before, from), "end": placeIn(before, to)}, "text": text})
}

func (e *testEditor) change(name string, change map[string]any) {
	e.notify("textDocument/didChange", map[string]any{"textDocument": map[string]any{"uri": e.uri(name), "version": e.versions[name]}, "contentChanges": []any{change}})
}

// placeIn returns the position of an offset in the protocol's form.
func placeIn(text string, offset int) map[string]any {
	before := text[:offset]
	line := before[strings.LastIndexByte(before, '\n')+1:]
	return map[string]any{"line": strings.Count(before, "\n"), "character": len(utf16.Encode([]rune(line)))}
}

// offsetIn returns the offset of a position.
func offsetIn(text string, p protocol.Position) int {
	at := 0
	for range p.Line {
		at += strings.IndexByte(text[at:], '\n') + 1
	}
	line, _, _ := strings.Cut(text[at:], "\n")
	return at + len(string(utf16.Decode(utf16.Encode([]rune(line))[:p.Character])))
}

// fixes prints the fixes in the lines of a text, or applies the first one.
func (e *testEditor) fixes(name, text string, apply bool) {
	at := strings.Index(e.texts[name], text)
	if at < 0 {
		e.t.Fatalf("%s has no %q", name, text)
	}
	var actions []protocol.CodeAction
	e.request("textDocument/codeAction", map[string]any{
		"textDocument": map[string]any{"uri": e.uri(name)}, "context": map[string]any{"diagnostics": []any{}},
		"range": map[string]any{"start": placeIn(e.texts[name], at), "end": placeIn(e.texts[name], at+len(text))},
	}, &actions)
	if len(actions) == 0 {
		e.out.WriteString("no fixes\n")
	}
	for _, a := range actions {
		fmt.Fprintf(&e.out, "%s\n", a.Title)
		for _, change := range a.Edit.DocumentChanges {
			to := change.(*protocol.TextDocumentEdit)
			file := e.relative(to.TextDocument.URI)
			for _, element := range slices.Backward(to.Edits) {
				edit := element.(*protocol.TextEdit)
				if !apply {
					version := "on disk"
					if to.TextDocument.Version != nil {
						version = fmt.Sprintf("v%d", *to.TextDocument.Version)
					}
					fmt.Fprintf(&e.out, "\t%s %s %s %q\n", file, version, spanText(edit.Range), edit.NewText)
				} else {
					e.edit(file, offsetIn(e.texts[file], edit.Range.Start), offsetIn(e.texts[file], edit.Range.End), edit.NewText)
				}
			}
		}
		if apply {
			return
		}
	}
}

// after returns the parameters of a request about the end of a text, or some characters before.
func (e *testEditor) after(name, text string, back int) map[string]any {
	if strings.Count(e.texts[name], text) != 1 {
		e.t.Fatalf("%s has %q %d times", name, text, strings.Count(e.texts[name], text))
	}
	at := strings.Index(e.texts[name], text) + len(text) - back
	return map[string]any{"textDocument": map[string]any{"uri": e.uri(name)}, "position": placeIn(e.texts[name], at)}
}

// complete prints the completions after a text that begin like what they replace; of many, the
// first and the last ones.
func (e *testEditor) complete(name, text string) {
	var list protocol.CompletionList
	params := e.after(name, text, 0)
	e.request("textDocument/completion", params, &list)
	at := strings.Index(e.texts[name], text) + len(text)
	var lines []string
	for _, item := range list.Items {
		edit := item.TextEdit.(*protocol.TextEdit)
		if typed := e.texts[name][offsetIn(e.texts[name], edit.Range.Start):at]; strings.HasPrefix(item.Label, typed) {
			detail, _ := item.Detail.Get()
			lines = append(lines, strings.TrimSpace(fmt.Sprintf("%s %q %s", spanText(edit.Range), edit.NewText, detail)))
		}
	}
	if n := len(lines); n > 12 {
		lines = slices.Concat(lines[:6], []string{fmt.Sprintf("… %d more", n-9)}, lines[n-3:])
	}
	if len(lines) == 0 {
		lines = []string{"nothing"}
	}
	fmt.Fprintf(&e.out, "\t%s\n", strings.Join(lines, "\n\t"))
}

// hover prints the description of what is at the end of a text.
func (e *testEditor) hover(name, text string) {
	var hover *protocol.Hover
	e.request("textDocument/hover", e.after(name, text, 1), &hover)
	if hover == nil {
		e.out.WriteString("\tnothing\n")
		return
	}
	markdown := hover.Contents.(*protocol.MarkupContent).Value
	fmt.Fprintf(&e.out, "\t%s\n\t%s\n", spanText(*hover.Range), strings.ReplaceAll(strings.TrimSpace(markdown), "\n", "\n\t"))
}

// locations prints places with their text.
func (e *testEditor) locations(found []protocol.Location) {
	if len(found) == 0 {
		e.out.WriteString("\tnothing\n")
	}
	for _, l := range found {
		name := l.URI.FsPath()
		text, err := os.ReadFile(name)
		if err != nil {
			e.t.Fatal(err)
		}
		if relative, err := filepath.Rel(e.dir, name); err == nil && filepath.IsLocal(relative) {
			name = filepath.ToSlash(relative)
			text = []byte(cmp.Or(e.texts[name], string(text)))
		} else {
			fmt.Fprintf(&e.out, "\t%s, elsewhere\n", filepath.Base(name))
			continue
		}
		line := strings.Split(string(text), "\n")[l.Range.Start.Line]
		fmt.Fprintf(&e.out, "\t%s:%s %s\n", name, spanText(l.Range), strings.TrimSpace(line))
	}
}

// symbols prints symbols as a tree.
func (e *testEditor) symbols(found []protocol.DocumentSymbol, indent string) {
	for _, s := range found {
		detail := ""
		if s.Detail != nil {
			detail = " " + *s.Detail
		}
		fmt.Fprintf(&e.out, "%s%s %s%s\n", indent, spanText(s.Range), s.Name, detail)
		e.symbols(s.Children, indent+"\t")
	}
}

// show prints the part of a CRD that the server shows.
func (e *testEditor) show(name, text string) {
	after := e.after(name, text, 1)
	var shown *struct {
		URI   string         `json:"uri"`
		Text  string         `json:"text"`
		Range protocol.Range `json:"range"`
	}
	if err := e.call("workspace/executeCommand", map[string]any{"command": "schemagen.showCRD", "arguments": []any{e.uri(name), after["position"]}}, &shown); err != nil {
		e.t.Fatal(err)
	}
	if shown == nil {
		e.out.WriteString("\tnothing\n")
		return
	}
	lines := strings.SplitAfter(shown.Text, "\n")
	fmt.Fprintf(&e.out, "\t%s %s\n", shown.URI, spanText(shown.Range))
	for _, line := range lines[shown.Range.Start.Line:shown.Range.End.Line] {
		fmt.Fprintf(&e.out, "\t%s", line)
	}
}

// flood sends requests at once, cancels some, and edits the end of the file meanwhile. Each has to
// be answered, or cancelled.
func (e *testEditor) flood(name, text string) {
	params := e.after(name, text, 1)
	params["context"] = map[string]any{"includeDeclaration": true}
	params["range"] = map[string]any{"start": placeIn("", 0), "end": params["position"]}
	params["command"], params["arguments"] = "schemagen.showCRD", []any{e.uri(name), params["position"]}
	var result any
	id, err := e.conn.Call(context.Background(), "textDocument/hover", params, &result)
	last, ok := id.Number()
	if err != nil || !ok {
		e.t.Fatal(id, err)
	}
	const n = 60
	answers := make(chan error, n)
	for i := range n {
		method := []string{
			"textDocument/hover", "textDocument/completion", "textDocument/references", "textDocument/definition", "textDocument/documentSymbol",
			"textDocument/inlayHint", "textDocument/codeAction", "workspace/executeCommand",
		}[i%8]
		go func() {
			var result any
			answers <- e.call(method, params, &result)
		}()
		if i%5 == 0 {
			e.edit(name, len(e.texts[name]), len(e.texts[name]), "\n// more")
		}
		if i%3 == 0 {
			e.notify("$/cancelRequest", map[string]any{"id": last + int64(i)}) // one that was sent before, or will be
		}
	}
	for range n {
		var wrong *jsonrpc2.Error
		if err := <-answers; err != nil && !(errors.As(err, &wrong) && wrong.Code == protocol.CodeRequestCancelled) {
			e.t.Errorf("an answer is %v", err)
		}
	}
	fmt.Fprintf(&e.out, "\t%d answers\n", n)
}

func (e *testEditor) notify(method string, params any) {
	e.t.Helper()
	if err := e.conn.Notify(context.Background(), method, params); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

func (e *testEditor) call(method string, params, result any) error {
	_, err := e.conn.Call(context.Background(), method, params, result)
	return err
}

// request sends a request and decodes its answer with the types of the protocol.
func (e *testEditor) request(method string, params, result any) {
	e.t.Helper()
	var raw jsonrpc2.RawMessage
	if err := e.call(method, params, &raw); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
	if err := protocol.Unmarshal(raw, result); err != nil {
		e.t.Fatalf("%s: %v", method, err)
	}
}

// settle waits until the server has published what it finds in the texts as they are.
func (e *testEditor) settle() {
	var ignored any
	_ = e.call("textDocument/codeAction", map[string]any{
		"textDocument": map[string]any{"uri": e.uri("go.mod")}, "context": map[string]any{"diagnostics": []any{}},
		"range": map[string]any{"start": placeIn("", 0), "end": placeIn("", 0)},
	}, &ignored) // the server may have been shut down
}

// printPublished prints the diagnostics that differ from those that were printed before.
func (e *testEditor) printPublished() {
	e.settle()
	e.mu.Lock()
	defer e.mu.Unlock()
	for _, text := range e.shown {
		fmt.Fprintf(&e.out, "message: %s\n", text)
	}
	e.shown = nil
	for _, name := range slices.Sorted(maps.Keys(e.published)) {
		if text := e.published[name]; text != e.printed[name] {
			fmt.Fprintf(&e.out, "%s%s", name, text)
			e.printed[name] = text
		}
	}
}

// end shuts the server down, and checks that it ended well and wrote no file.
func (e *testEditor) end() {
	e.t.Helper()
	var ignored any
	if err := e.call("shutdown", nil, &ignored); err != nil && !strings.Contains(err.Error(), "shut down") {
		e.t.Error("shutdown:", err)
	}
	e.notify("exit", nil)
	if err := e.command.Wait(); err != nil {
		e.t.Error(err)
	}
	now := map[string]string{}
	err := filepath.WalkDir(e.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		now[strings.TrimPrefix(filepath.ToSlash(path), filepath.ToSlash(e.dir)+"/")] = string(text)
		return err
	})
	if err != nil {
		e.t.Fatal(err)
	}
	if !maps.Equal(now, e.files) {
		e.t.Errorf("the session changed files: there are %q", slices.Sorted(maps.Keys(now)))
	}
}

// quotedWords returns the Go strings in a text.
func quotedWords(t *testing.T, text string) (out []string) {
	t.Helper()
	for text != "" {
		quoted, err := strconv.QuotedPrefix(text)
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		word, _ := strconv.Unquote(quoted)
		out = append(out, word)
		text = strings.TrimSpace(text[len(quoted):])
	}
	return out
}

// TestLSPEnds checks how the server ends if the editor does not end it: with exit code 1, as the
// protocol has it.
func TestLSPEnds(t *testing.T) {
	for name, input := range map[string]string{
		"end of input": "",
		"exit":         "Content-Length: 33\r\n\r\n{\"jsonrpc\":\"2.0\",\"method\":\"exit\"}",
		"half message": "Content-Length: 33\r\n\r\n{\"jsonrpc\"",
		"no length":    "Content-Type: text\r\n\r\n{}",
	} {
		command := exec.Command("schemagen", "lsp")
		command.Stdin = strings.NewReader(input)
		var stdout, stderr bytes.Buffer
		command.Stdout, command.Stderr = &stdout, &stderr
		_ = command.Run()
		want := reporting.ExitFindings
		if name == "half message" || name == "no length" {
			want = reporting.ExitFailure
		}
		if code := command.ProcessState.ExitCode(); code != want || stdout.Len() > 0 || strings.Contains(stderr.String(), "panic") {
			t.Errorf("%s: exit code %d, standard output %q, standard error %q", name, code, &stdout, &stderr)
		}
	}
}
