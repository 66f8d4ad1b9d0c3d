package cli

import (
	"errors"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/internal/ground/parallel"
)

// TestExecute executes commands that panic: on their goroutine, on others, and with the name of an
// input. The error names the input, the bug, the place in the code, and where to report it.
func TestExecute(t *testing.T) {
	var list []int
	for name, test := range map[string]struct {
		run   func() error
		input string
	}{
		"directly": {func() error { return errors.New(string(rune(list[7]))) }, ""},
		"a loop":   {func() error { return parallel.Do(3, func(i int) error { return errors.New(string(rune(list[7]))) }) }, ""},
		"a loop in a loop": {func() error {
			return parallel.Do(3, func(int) error { return parallel.Do(3, func(int) error { list[7]++; return nil }) })
		}, ""},
		"workers": {func() error {
			parallel.Workers(3, func() func(int) { return func(int) { list[7]++ } })
			return nil
		}, ""},
		"ahead": {func() error {
			for range parallel.Ahead(3, func(i int) int { return list[7] }) {
				return nil
			}
			return nil
		}, ""},
		"an input": {func() error {
			parallel.For("crd.yaml", func() { list[7]++ })
			return nil
		}, "crd.yaml"},
		"an input in a loop": {func() error {
			return parallel.Do(2, func(int) error {
				parallel.For("dir", func() { parallel.For("dir/crd.yaml", func() { list[7]++ }) })
				return nil
			})
		}, "dir/crd.yaml"},
	} {
		t.Run(name, func(t *testing.T) {
			root := &cobra.Command{Use: "schemagen", SilenceUsage: true, SilenceErrors: true}
			root.AddCommand(&cobra.Command{Use: "break", RunE: func(*cobra.Command, []string) error { return test.run() }})
			root.SetArgs([]string{"break"})
			command, err := Execute(t.Context(), root, []string{"break", "crd.yaml"}, "schemagen-v1")
			if err == nil || command != root {
				t.Fatalf("got %v, %v", command, err)
			}
			first := "bug in schemagen: runtime error: index out of range"
			if test.input != "" {
				first = "bug in schemagen while it read " + test.input + ": runtime error: index out of range"
			}
			if !strings.HasPrefix(err.Error(), first) {
				t.Errorf("got %v", err)
			}
			for _, part := range []string{"Nothing was written.", reportTo, "schemagen-v1, go1", "\nschemagen break crd.yaml\n", "execute_test.go:"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q is missing in: %v", part, err)
				}
			}
		})
	}
	root := &cobra.Command{Use: "schemagen", RunE: func(*cobra.Command, []string) error { return errors.New("fails") }, SilenceUsage: true, SilenceErrors: true}
	root.SetArgs(nil)
	if _, err := Execute(t.Context(), root, nil, ""); err == nil || err.Error() != "fails" {
		t.Errorf("got %v", err)
	}
}
