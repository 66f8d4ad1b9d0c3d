package golist

import (
	"strings"
	"testing"
)

// A machine without Go gets one sentence that says so, without the words of go/packages.
func TestWithoutGoCommand(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	_, err := GoCommand{}.List(t.Context(), t.TempDir(), []string{"./..."})
	if err == nil {
		t.Fatal("packages were listed without a go command")
	}
	if got := err.Error(); !strings.HasSuffix(got, ": the go command is not in PATH: install Go, or add its directory bin to PATH") {
		t.Errorf("unclear message: %s", got)
	}
}
