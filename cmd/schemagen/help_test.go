package main

import (
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestHelp checks that every command of the user's is in a group and has an example, and that
// the groups of flags name flags of crd. The pages about security name every command with --yes.
func TestHelp(t *testing.T) {
	ungrouped := []string{"completion", "help", "version"}
	for _, cmd := range newRoot(io.Discard, io.Discard).Commands() {
		if cmd.Hidden || slices.Contains(ungrouped, cmd.Name()) {
			continue
		}
		if cmd.GroupID == "" {
			t.Errorf("%s is in no group", cmd.Name())
		}
		if !cmd.HasExample() {
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
	if len(asking) != 5 {
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
