package main

import (
	"io"
	"slices"
	"testing"
)

// TestHelp checks that every command of the user's is in a group and has an example, and that
// the groups of flags name flags of crd.
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
	flags := newCRDCommand(io.Discard, io.Discard).Flags()
	for _, group := range crdFlagGroups() {
		for _, name := range group.Flags {
			if flags.Lookup(name) == nil {
				t.Errorf("%s has --%s, which is not a flag of crd", group.Title, name)
			}
		}
	}
}
