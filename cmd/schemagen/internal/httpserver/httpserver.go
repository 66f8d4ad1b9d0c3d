// Package httpserver is an HTTP server with limits for one client, and for all, that serves
// local addresses only to clients that name this machine. It knows nothing about what is served.
package httpserver

import (
	"context"
	"io"
	"log"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Limits. Request bodies are not read, and a response is a document of a few megabytes at most.
const (
	MaxConnections = 64
	ReadTime       = 5 * time.Second
	headerBytes    = 16 << 10
	writeTime      = time.Minute
	idleTime       = time.Minute
	stopTime       = 5 * time.Second
)

// Address is an address to listen on.
type Address struct {
	text string
	// Loopback reports whether only this machine can connect to it.
	Loopback bool
}

// ParseAddress parses an address. A port alone is a port of this machine.
func ParseAddress(text string) (Address, error) {
	if !strings.Contains(text, ":") {
		text = ":" + text
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return Address{}, err
	}
	if host == "" {
		host = "127.0.0.1"
	}
	resolved, err := net.ResolveTCPAddr("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return Address{}, err
	}
	return Address{resolved.String(), resolved.IP.IsLoopback()}, nil
}

// Server is a server that listens on an address.
type Server struct {
	server   *http.Server
	listener net.Listener
}

// Listen listens on an address. Errors of connections are written to stderr.
func Listen(ctx context.Context, address Address, handler http.HandlerFunc, stderr io.Writer) (*Server, error) {
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address.text)
	if err != nil {
		return nil, err
	}
	checked := func(w http.ResponseWriter, q *http.Request) {
		if address.Loopback && !isLoopbackHost(q.Host) {
			// A web page in a local browser can resolve any host name to this address.
			http.Error(w, "the host is not this machine", http.StatusMisdirectedRequest)
			return
		}
		handler(w, q)
	}
	return &Server{&http.Server{
		Handler:           http.HandlerFunc(checked),
		ReadHeaderTimeout: ReadTime,
		ReadTimeout:       ReadTime,
		WriteTimeout:      writeTime,
		IdleTimeout:       idleTime,
		MaxHeaderBytes:    headerBytes,
		ErrorLog:          log.New(stderr, "schemagen: ", 0),
	}, &boundedListener{Listener: listener, most: MaxConnections}}, nil
}

// Address returns the address with its port.
func (s *Server) Address() string { return s.listener.Addr().String() }

// Serve serves until the server is stopped.
func (s *Server) Serve() error { return s.server.Serve(s.listener) }

// Stop waits for running requests to finish.
func (s *Server) Stop() error {
	ctx, cancel := context.WithTimeout(context.Background(), stopTime)
	defer cancel()
	if err := s.server.Shutdown(ctx); err != nil {
		return s.server.Close()
	}
	return nil
}

// boundedListener limits the number of open connections. A further one closes the oldest,
// so that slow or idle clients do not block others.
type boundedListener struct {
	net.Listener
	most int

	mu   sync.Mutex
	open []*boundedConn // oldest first
}

// boundedConn is a connection of a boundedListener.
type boundedConn struct {
	net.Conn
	listener *boundedListener
}

// Accept implements [net.Listener].
func (l *boundedListener) Accept() (net.Conn, error) {
	conn, err := l.Listener.Accept()
	if err != nil {
		return nil, err
	}
	c := &boundedConn{conn, l}
	l.mu.Lock()
	var oldest *boundedConn
	if len(l.open) >= l.most {
		oldest = l.open[0]
	}
	l.open = append(l.open, c)
	l.mu.Unlock()
	if oldest != nil {
		oldest.Close() // an error does not matter: the client is disconnected
	}
	return c, nil
}

// Close implements [net.Conn].
func (c *boundedConn) Close() error {
	l := c.listener
	l.mu.Lock()
	l.open = slices.DeleteFunc(l.open, func(other *boundedConn) bool { return other == c })
	l.mu.Unlock()
	return c.Conn.Close()
}

// isLoopbackHost reports whether the Host header of a request names this machine.
func isLoopbackHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
