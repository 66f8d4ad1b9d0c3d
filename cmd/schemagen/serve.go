package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/signal"
	"slices"
	"sync/atomic"
	"syscall"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/httpserver"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/publish"
)

// serve serves documents to kubectl until ctx is done.
func (r *openAPIRun) serve(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	r.OmitFieldValidation = true
	address, err := httpserver.ParseAddress(r.address)
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
		handler, err := definitions.Handler(publisher, published)
		if err == nil {
			current.Store(&handler)
		}
		return err
	}
	if err := load(); err != nil {
		return err
	}
	server, err := httpserver.Listen(ctx, address,
		func(w http.ResponseWriter, q *http.Request) { (*current.Load()).ServeHTTP(w, q) }, stderr)
	if err != nil {
		return err
	}
	served := server.Address()
	reporting.ConsoleOf(ctx).Silence() // it does not end by itself
	if !address.Loopback {
		fmt.Fprintf(stderr, "schemagen: %s can be reached from other machines without authentication\n", served)
	}
	fmt.Fprintf(stdout, "serving http://%s, for kubectl --server=http://%s\n", served, served)
	ended := make(chan error, 1)
	go func() { ended <- server.Serve() }()
	for {
		select {
		case err := <-ended:
			return err
		case <-ctx.Done():
			return server.Stop()
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
	case errors.Is(err, reporting.ErrFindings):
		*r.cache = kept // the mistakes may be fixed later
		return asBefore
	default:
		*r.cache = kept
		return asBefore + ": " + err.Error()
	}
}
