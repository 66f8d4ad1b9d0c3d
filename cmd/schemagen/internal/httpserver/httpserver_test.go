package httpserver

import (
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"
)

// pipes is a listener whose every Accept returns a new client.
type pipes struct{ clients []net.Conn }

func (p *pipes) Accept() (net.Conn, error) {
	server, client := net.Pipe()
	p.clients = append(p.clients, client)
	return server, nil
}

func (p *pipes) Close() error   { return nil }
func (p *pipes) Addr() net.Addr { return nil }

// TestCrowd checks that a new client is always accepted, and the oldest one
// disconnected.
func TestCrowd(t *testing.T) {
	const most = 3
	from := &pipes{}
	l := &boundedListener{Listener: from, most: most}
	var second net.Conn
	for i := range 10 {
		conn, err := l.Accept()
		if err != nil {
			t.Fatal(err)
		}
		if i == 1 {
			second = conn
			second.Close() // finished
		}
	}
	if len(l.open) != most {
		t.Errorf("%d connections are open, want %d", len(l.open), most)
	}
	for i, client := range from.clients {
		client.SetDeadline(time.Unix(1, 0)) // an open connection would block
		_, err := client.Read(make([]byte, 1))
		if closed := errors.Is(err, io.EOF); closed != (i < len(from.clients)-most) {
			t.Errorf("client %d: closed is %v: %v", i, closed, err)
		}
	}
}

func TestParseAddress(t *testing.T) {
	for text, want := range map[string]string{
		"0": "127.0.0.1:0 true", ":8001": "127.0.0.1:8001 true", "8001": "127.0.0.1:8001 true", "127.0.0.2:1": "127.0.0.2:1 true", "[::1]:1": "[::1]:1 true",
		"0.0.0.0:8001": "0.0.0.0:8001 false", "[::]:8001": "[::]:8001 false", "192.0.2.1:1": "192.0.2.1:1 false",
	} {
		address, err := ParseAddress(text)
		if got := fmt.Sprint(address.text, " ", address.Loopback); err != nil || got != want {
			t.Errorf("%s: %s %v, want %s", text, got, err, want)
		}
	}
	for _, text := range []string{"x", "127.0.0.1", "::1", "70000", "-1", "127.0.0.1:1:2"} {
		if address, err := ParseAddress(text); err == nil {
			t.Errorf("%s is %s", text, address.text)
		}
	}
}
