package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/publish"
)

// Limits for one client, and for all. Request bodies are not read, and a response is a
// document of a few megabytes at most.
const (
	serveHeaderBytes = 16 << 10
	serveConnections = 64
	serveReadTime    = 5 * time.Second
	serveWriteTime   = time.Minute
	serveIdleTime    = time.Minute
	serveStopTime    = 5 * time.Second
)

// serve serves documents to kubectl until ctx is done.
func (r *openAPIRun) serve(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	r.OmitFieldValidation = true
	address, loopback, err := serveAddress(r.address)
	if err != nil {
		return fmt.Errorf("--serve %s: %w", r.address, err)
	}
	again := make(chan os.Signal, 1)
	signal.Notify(again, syscall.SIGHUP)
	defer signal.Stop(again)
	publisher, err := publish.NewPublisher(r.Options)
	if err != nil {
		return err
	}
	r.cache = &definitions.Cache{}
	var current atomic.Pointer[http.Handler]
	load := func() error {
		published, err := r.read(ctx, args, stdin, stderr)
		if err != nil {
			return err
		}
		handler, err := newServedHandler(publisher, published)
		if err == nil {
			current.Store(&handler)
		}
		return err
	}
	if err := load(); err != nil {
		return err
	}
	listener, err := new(net.ListenConfig).Listen(ctx, "tcp", address)
	if err != nil {
		return err
	}
	served := listener.Addr().String()
	consoleOf(ctx).Silence() // it does not end by itself
	if !loopback {
		fmt.Fprintf(stderr, "schemagen: %s can be reached from other machines without authentication\n", served)
	}
	fmt.Fprintf(stdout, "serving http://%s, for kubectl --server=http://%s\n", served, served)
	server := newServer(func(w http.ResponseWriter, q *http.Request) {
		if loopback && !isLoopbackHost(q.Host) {
			// A web page in a local browser can resolve any host name to this address.
			http.Error(w, "the host is not this machine", http.StatusMisdirectedRequest)
			return
		}
		(*current.Load()).ServeHTTP(w, q)
	}, stderr)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve(&boundedListener{Listener: listener, most: serveConnections}) }()
	for {
		select {
		case err := <-ended:
			return err
		case <-ctx.Done():
			return stopServer(server)
		case <-again:
			fmt.Fprintln(stderr, "schemagen:", r.reload(args, load))
		}
	}
}

// reload reads the arguments again, and returns a message about the result.
func (r *openAPIRun) reload(args []string, load func() error) string {
	const asBefore = "the documents are unchanged"
	if slices.Contains(args, "-") {
		return asBefore + ": standard input cannot be read again"
	}
	kept := *r.cache
	switch err := load(); {
	case err == nil:
		return "reloaded"
	case errors.Is(err, errFindings):
		*r.cache = kept // the mistakes may be fixed later
		return asBefore
	default:
		*r.cache = kept
		return asBefore + ": " + err.Error()
	}
}

// newServedHandler renders the documents. It drops their sources to save memory.
func newServedHandler(publisher *publish.Publisher, published []*definitions.Resource) (http.Handler, error) {
	for _, p := range published {
		p.ForgetPositions()
	}
	resources := definitions.Published(published)
	documents, err := publisher.Documents(resources)
	if err != nil {
		return nil, err
	}
	for _, r := range resources {
		r.Schema = nil
	}
	return publish.NewHandler(resources, documents)
}

func newServer(handler http.HandlerFunc, stderr io.Writer) *http.Server {
	return &http.Server{
		Handler:           handler,
		ReadHeaderTimeout: serveReadTime,
		ReadTimeout:       serveReadTime,
		WriteTimeout:      serveWriteTime,
		IdleTimeout:       serveIdleTime,
		MaxHeaderBytes:    serveHeaderBytes,
		ErrorLog:          log.New(stderr, "schemagen: ", 0),
	}
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
	of *boundedListener
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
	c.of.mu.Lock()
	c.of.open = slices.DeleteFunc(c.of.open, func(other *boundedConn) bool { return other == c })
	c.of.mu.Unlock()
	return c.Conn.Close()
}

// stopServer waits for running requests to finish.
func stopServer(server *http.Server) error {
	ctx, cancel := context.WithTimeout(context.Background(), serveStopTime)
	defer cancel()
	if err := server.Shutdown(ctx); err != nil {
		return server.Close()
	}
	return nil
}

// serveAddress returns the address to listen on, and whether only this machine can
// connect to it. A port alone is a port of this machine.
func serveAddress(text string) (address string, loopback bool, err error) {
	if !strings.Contains(text, ":") {
		text = ":" + text
	}
	host, port, err := net.SplitHostPort(text)
	if err != nil {
		return "", false, err
	}
	if host == "" {
		host = "127.0.0.1"
	}
	resolved, err := net.ResolveTCPAddr("tcp", net.JoinHostPort(host, port))
	if err != nil {
		return "", false, err
	}
	return resolved.String(), resolved.IP.IsLoopback(), nil
}

// isLoopbackHost reports whether the Host header of a request names this machine.
func isLoopbackHost(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	ip := net.ParseIP(strings.Trim(host, "[]"))
	return host == "localhost" || ip != nil && ip.IsLoopback()
}
