package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// TestHelpFits wants the help of every command to fit a screen, and limits flags where a setting of
// schemagen.yaml would do.
func TestHelpFits(t *testing.T) {
	const lines = 50
	most := map[string]int{"crd": 20, "unions": 12, "conversions": 12}
	var visit func(cmd *cobra.Command)
	visit = func(cmd *cobra.Command) {
		var stdout, stderr strings.Builder
		path := strings.Fields(cmd.CommandPath())[1:]
		run(t.Context(), append(path, "--help"), &stdout, &stderr)
		if n := strings.Count(stdout.String(), "\n"); n < 10 || n > lines {
			t.Errorf("%s --help has %d lines, want at most %d: %s", cmd.CommandPath(), n, lines, stderr.String())
		}
		flags := 1 // --help
		cmd.LocalNonPersistentFlags().VisitAll(func(f *pflag.Flag) {
			if !f.Hidden && f.Name != "help" {
				flags++
			}
		})
		if limit, ok := most[cmd.Name()]; ok && flags > limit {
			t.Errorf("%s has %d flags, want at most %d: what a project decides once is a key of schemagen.yaml", cmd.Name(), flags, limit)
		}
		for _, sub := range cmd.Commands() {
			visit(sub)
		}
	}
	visit(newRoot(io.Discard, io.Discard))
}

// TestHelp checks that every command of the user's is in a group and has an example, and that
// the groups of flags name flags of crd. The pages about security name every command with --yes.
func TestHelp(t *testing.T) {
	withoutExample := []string{"help", "version"}
	for _, cmd := range newRoot(io.Discard, io.Discard).Commands() {
		if cmd.Hidden {
			continue
		}
		if cmd.GroupID == "" {
			t.Errorf("%s is in no group", cmd.Name())
		}
		if !cmd.HasExample() && !slices.Contains(withoutExample, cmd.Name()) {
			t.Errorf("%s has no example", cmd.Name())
		}
	}
	pages := map[string]string{}
	for _, name := range []string{"SECURITY.md", "docs/limits.md"} {
		text, err := os.ReadFile(filepath.Join("../..", name))
		if err != nil {
			t.Fatal(err)
		}
		pages[name] = string(text)
	}
	var asking []string
	for _, cmd := range newRoot(io.Discard, io.Discard).Commands() {
		if cmd.Flags().Lookup("yes") == nil {
			continue
		}
		asking = append(asking, cmd.Name())
		for name, text := range pages {
			if !strings.Contains(text, "`schemagen "+cmd.Name()) {
				t.Errorf("%s does not name %s, which runs code of the project", name, cmd.Name())
			}
		}
	}
	if len(asking) != 4 {
		t.Errorf("commands with --yes: %v", asking)
	}
	flags := newCRDCommand(io.Discard, io.Discard).Flags()
	for _, group := range crdFlagGroups() {
		for _, name := range group.Flags {
			if flags.Lookup(name) == nil {
				t.Errorf("%s has --%s, which is not a flag of crd", group.Title, name)
			}
		}
	}
}
