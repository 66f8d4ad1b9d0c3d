package lsp

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
	"time"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
	"go.lsp.dev/uri"

	"github.com/schemagen/schemagen/internal/editor"
)

// delay is the time from a change to the run, in which further keystrokes may follow.
const delay = 20 * time.Millisecond

// patience is the time from the beginning of a run until what is known before verification is
// published: 100 ms after a keystroke, findings have to be there.
const patience = 60 * time.Millisecond

// ErrNoShutdown is the error of [Serve] if the client did not shut the server down before it
// left.
var ErrNoShutdown = errors.New("the editor ended the connection without shutting the server down")

// Serve answers an editor's messages until it exits, closes the input, or ctx ends. Version is the
// program's; run is the field of [editor.Config].
func Serve(ctx context.Context, input io.Reader, out io.Writer, version string, run editor.Config) error {
	conn := jsonrpc2.NewConn(lenient{jsonrpc2.NewStream(pipe{input, out})}, jsonrpc2.WithCodec(codec{}))
	s := &server{conn: conn, version: version, config: run, exit: make(chan struct{}),
		calls: map[jsonrpc2.ID]context.CancelFunc{}}
	conn.Go(ctx, s.handle)
	select {
	case <-ctx.Done():
	case <-conn.Done():
	case <-s.exit:
	}
	s.mu.Lock()
	session := s.session
	down := s.down
	s.mu.Unlock()
	if session != nil {
		session.End()
	}
	if err := cmp.Or(conn.Err(), ctx.Err()); err != nil {
		return err
	}
	if !down {
		return ErrNoShutdown
	}
	return nil
}

// server is the state of a connection.
type server struct {
	conn    jsonrpc2.Conn
	version string
	config  editor.Config
	// language and show are set by the request initialize.
	language *editor.Language
	show     func(context.Context, *protocol.ShowDocumentParams) error
	// exit is closed when the client says that the process has to end.
	exit   chan struct{}
	ending sync.Once

	mu sync.Mutex
	// session is set by the request initialize.
	session *editor.Session
	// down is set by the request shutdown.
	down bool
	// failure is the last failure of a run that was shown.
	failure string
	// calls are the requests that are being answered, with functions that cancel them.
	calls map[jsonrpc2.ID]context.CancelFunc
}

// handle answers one message. Requests are answered concurrently, notifications in order.
func (s *server) handle(ctx context.Context, r *jsonrpc2.Request) (result any, err error) {
	defer func() {
		if p := recover(); p != nil {
			result = nil
			err = jsonrpc2.Errorf(jsonrpc2.InternalError, "panic: %v", p)
			s.log(protocol.MessageTypeError, fmt.Sprintf("%s: panic: %v", r.Method(), p))
		}
		if err != nil && !r.IsCall() { // the library would end the connection
			s.log(protocol.MessageTypeWarning, fmt.Sprintf("%s: %v", r.Method(), err))
			err = nil
		}
	}()
	s.mu.Lock()
	session := s.session
	language := s.language
	show := s.show
	down := s.down
	s.mu.Unlock()
	switch {
	case r.Method() == protocol.MethodCancelRequest:
		return call(r, s.cancel)
	case r.Method() == protocol.MethodExit:
		s.ending.Do(func() { close(s.exit) })
		return nil, nil
	case down:
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "the server is shut down")
	case r.Method() == protocol.MethodInitialize:
		return call(r, func(p *protocol.InitializeParams) (any, error) { return s.initialize(p) })
	case session == nil && r.IsCall():
		return nil, jsonrpc2.Errorf(jsonrpc2.ServerNotInitialized, "the first request has to be initialize")
	case session == nil:
		return nil, nil
	case r.Method() == protocol.MethodShutdown:
		s.mu.Lock()
		s.down = true
		s.mu.Unlock()
		session.End()
		return nil, nil
	}
	d := &documents{session, language, show}
	if !r.IsCall() {
		return d.notification(r)
	}
	// The library reuses the context of a request, so none may be derived from it.
	own, cancel := context.WithCancel(jsonrpc2.DetachContext(ctx))
	defer cancel()
	defer s.began(r.ID(), cancel)()
	jsonrpc2.Async(ctx)
	return d.request(own, r)
}

// began makes a request known to the notification that cancels it, until the result is called.
func (s *server) began(id jsonrpc2.ID, cancel context.CancelFunc) (end func()) {
	if text, ok := id.StringValue(); ok {
		id = jsonrpc2.NewStringID(strings.Clone(text)) // the library reuses its memory
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.calls[id] = cancel
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.calls, id)
	}
}

// cancel cancels a request, unless it has been answered.
func (s *server) cancel(p *protocol.CancelParams) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	var cancel context.CancelFunc
	switch id := p.ID.(type) {
	case protocol.Integer:
		cancel = s.calls[jsonrpc2.NewNumberID(int64(id))]
	case protocol.String:
		cancel = s.calls[jsonrpc2.NewStringID(string(id))]
	}
	if cancel != nil {
		cancel()
	}
	return nil, nil
}

// notification takes a notification between initialize and shutdown.
func (d *documents) notification(r *jsonrpc2.Request) (any, error) {
	switch r.Method() {
	case protocol.MethodTextDocumentDidOpen:
		return call(r, d.open)
	case protocol.MethodTextDocumentDidChange:
		return call(r, d.change)
	case protocol.MethodTextDocumentDidClose:
		return call(r, d.close)
	case protocol.MethodTextDocumentDidSave, protocol.MethodWorkspaceDidChangeWatchedFiles:
		d.Touch()
	}
	return nil, nil
}

// request answers a request between initialize and shutdown.
func (d *documents) request(ctx context.Context, r *jsonrpc2.Request) (any, error) {
	switch r.Method() {
	case protocol.MethodTextDocumentCodeAction:
		return call(r, func(p *protocol.CodeActionParams) (any, error) { return d.codeActions(ctx, p) })
	case protocol.MethodTextDocumentCompletion:
		return call(r, d.complete)
	case protocol.MethodTextDocumentHover:
		return call(r, d.hover)
	case protocol.MethodTextDocumentDefinition:
		return call(r, d.definition)
	case protocol.MethodTextDocumentReferences:
		return call(r, d.references)
	case protocol.MethodTextDocumentDocumentSymbol:
		return call(r, d.symbols)
	case protocol.MethodTextDocumentInlayHint:
		return call(r, func(p *protocol.InlayHintParams) (any, error) { return d.hints(ctx, p) })
	case protocol.MethodWorkspaceExecuteCommand:
		return call(r, func(p *protocol.ExecuteCommandParams) (any, error) { return d.command(ctx, p) })
	case protocol.MethodWorkspaceTextDocumentContent:
		return call(r, d.content)
	}
	return jsonrpc2.MethodNotFoundHandler(ctx, r)
}

// call decodes the parameters of a request and calls a function with them.
func call[P any](r *jsonrpc2.Request, f func(*P) (any, error)) (any, error) {
	var params P
	if err := protocol.Unmarshal(r.Params(), &params); err != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidParams, "%v", err)
	}
	result, err := f(&params)
	if errors.Is(err, context.Canceled) {
		err = protocol.ErrRequestCancelled
	}
	return result, err
}

// initialize begins the session.
func (s *server) initialize(p *protocol.InitializeParams) (any, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.session != nil {
		return nil, jsonrpc2.Errorf(jsonrpc2.InvalidRequest, "initialize was sent before")
	}
	var err error
	s.language, err = editor.NewLanguage()
	if err != nil {
		return nil, err
	}
	c := s.config
	c.Folders = folders(p)
	c.Delay = delay
	c.Patience = patience
	c.Publish = s.publish
	c.Failed = s.failed
	s.session = editor.New(c)
	if window, workspace := p.Capabilities.Window,
		p.Capabilities.Workspace; window != nil && window.ShowDocument != nil && window.ShowDocument.Support &&
		workspace != nil && workspace.TextDocumentContent != nil {
		s.show = s.showDocument
	}
	yes := true
	sync := protocol.TextDocumentSyncKindIncremental
	return &protocol.InitializeResult{
		ServerInfo: protocol.ServerInfo{Name: "schemagen", Version: protocol.NewOptional(s.version)},
		Capabilities: protocol.ServerCapabilities{
			TextDocumentSync:   &protocol.TextDocumentSyncOptions{OpenClose: &yes, Change: &sync, Save: protocol.Boolean(true)},
			HoverProvider:      protocol.Boolean(true),
			DefinitionProvider: protocol.Boolean(true), ReferencesProvider: protocol.Boolean(true),
			DocumentSymbolProvider: protocol.Boolean(true), InlayHintProvider: protocol.Boolean(true),
			ExecuteCommandProvider: protocol.ExecuteCommandOptions{Commands: []string{showCRD}},
			Workspace:              &protocol.WorkspaceOptions{TextDocumentContent: &protocol.TextDocumentContentOptions{Schemes: []string{crdScheme}}},
			CompletionProvider:     &protocol.CompletionOptions{TriggerCharacters: []string{"+", ":", "=", ",", ";", ".", "(", "\""}},
			CodeActionProvider:     &protocol.CodeActionOptions{CodeActionKinds: []protocol.CodeActionKind{protocol.CodeActionKindQuickFix}},
		},
	}, nil
}

// showDocument asks the editor to show a document.
func (s *server) showDocument(ctx context.Context, p *protocol.ShowDocumentParams) error {
	var result protocol.ShowDocumentResult
	_, err := s.conn.Call(ctx, protocol.MethodWindowShowDocument, p, &result)
	return err
}

// folders returns the directories that the client has opened.
func folders(p *protocol.InitializeParams) (out []string) {
	add := func(u uri.URI) {
		if name, ok := fileName(u); ok {
			out = append(out, name)
		}
	}
	if opened, ok := p.WorkspaceFolders.Get(); ok {
		for _, folder := range opened {
			add(folder.URI)
		}
	}
	//lint:ignore SA1019 some clients send nothing else
	if root := p.RootURI; len(out) == 0 && root != nil {
		add(*root)
	}
	return out
}

// publish sends the diagnostics of a file.
func (s *server) publish(r editor.Report) {
	params := &protocol.PublishDiagnosticsParams{URI: uri.File(r.File), Diagnostics: diagnostics(r.Findings, r.Read)}
	if r.Version != nil {
		params.Version = protocol.NewOptional(*r.Version)
	}
	s.notify(protocol.MethodTextDocumentPublishDiagnostics, params)
}

// failed shows the error of a run, once until there is another one.
func (s *server) failed(dir string, err error) {
	text := fmt.Sprintf("schemagen in %s: %v", dir, err)
	s.mu.Lock()
	again := s.failure == text
	s.failure = text
	s.mu.Unlock()
	if !again {
		s.notify(protocol.MethodWindowShowMessage, &protocol.ShowMessageParams{Type: protocol.MessageTypeError, Message: text})
	}
}

// log writes to the editor's log.
func (s *server) log(kind protocol.MessageType, text string) {
	s.notify(protocol.MethodWindowLogMessage, &protocol.LogMessageParams{Type: kind, Message: text})
}

// notify sends a notification. If that fails, the connection has ended.
func (s *server) notify(method string, params any) {
	_ = s.conn.Notify(context.Background(), method, params)
}
