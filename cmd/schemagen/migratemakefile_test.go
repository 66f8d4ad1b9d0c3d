package main

import (
	"strings"
	"testing"
)

// FuzzMakefile wants an end, and no panic, for any Makefile.
func FuzzMakefile(f *testing.F) {
	f.Add("CONTROLLER_GEN ?= $(LOCALBIN)/controller-gen\nLOCALBIN := bin\na:\n\t\"$(CONTROLLER_GEN)\" crd \\\n  paths=./... 'x y' && cd d; controller-gen rbac\n")
	f.Add("A=$(B)$(B)\nB=$(A)\na:\n\t$(CONTROLLER_GEN) $(A)\n")
	f.Add("a:\n\t@FOO=1 ${CONTROLLER_GEN} crd $$HOME | tee\\\n")
	f.Fuzz(func(t *testing.T, text string) {
		m := readMakefile("Makefile", text)
		for _, c := range m.commands {
			if len(c.args) == 0 || strings.Contains(strings.Join(c.args, ""), "\x00controller-gen\x00") && !strings.Contains(text, "\x00") {
				t.Errorf("%q", c)
			}
		}
		m.edited()
	})
}

// TestExpandEnds: each variable stands twice in the one before.
func TestExpandEnds(t *testing.T) {
	var text strings.Builder
	for c := 'A'; c < 'Z'; c++ {
		text.WriteString(string(c) + "=$(" + string(c+1) + ")$(" + string(c+1) + ")\n")
	}
	m := readMakefile("Makefile", text.String()+"a:\n\t$(CONTROLLER_GEN) crd $(A)\n")
	if len(m.commands) > 0 || len(m.problems) != 1 {
		t.Errorf("%q, %q", m.commands, m.problems)
	}
}
