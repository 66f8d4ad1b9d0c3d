package lsp

import (
	"context"
	"errors"
	"io"

	"go.lsp.dev/jsonrpc2"
	"go.lsp.dev/protocol"
)

// pipe is the two directions of a connection. The process ends with it, so nothing is closed.
type pipe struct {
	io.Reader
	io.Writer
}

// Close implements [io.Closer].
func (pipe) Close() error { return nil }

// lenient is a stream that answers messages which are not JSON-RPC, and goes on.
type lenient struct{ jsonrpc2.Stream }

// Read implements [jsonrpc2.Stream].
func (s lenient) Read(ctx context.Context) (jsonrpc2.Message, int64, error) {
	for {
		message, n, err := s.Stream.Read(ctx)
		var wrong *jsonrpc2.Error
		if err == nil || !errors.As(err, &wrong) {
			return message, n, err
		}
		if _, err := s.Write(ctx, jsonrpc2.NewResponse(jsonrpc2.ID{}, nil, wrong)); err != nil {
			return nil, 0, err
		}
	}
}

// codec encodes what the library sends for the program.
type codec struct{}

// Marshal implements [jsonrpc2.Codec].
func (codec) Marshal(v any) ([]byte, error) { return protocol.Marshal(v) }

// Unmarshal implements [jsonrpc2.Codec].
func (codec) Unmarshal(data []byte, v any) error { return protocol.Unmarshal(data, v) }
