package main

import (
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"golang.org/x/mod/modfile"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/reference"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/terminal"
)

// TestStableCommands compares commands, flags and exit codes with the list of what may change
// only as docs/support.md says; -update rewrites it.
func TestStableCommands(t *testing.T) {
	var b strings.Builder
	fmt.Fprintf(&b, "exit code %d: findings\nexit code %d: failure\n", reporting.ExitFindings, reporting.ExitFailure)
	root := newRoot(io.Discard, io.Discard)
	var list func(*cobra.Command)
	list = func(cmd *cobra.Command) {
		if cmd.Hidden {
			return
		}
		fmt.Fprintf(&b, "%s\n", strings.Join(append([]string{cmd.CommandPath() + strings.TrimPrefix(cmd.Use, cmd.Name())}, cmd.Aliases...), ", "))
		cmd.NonInheritedFlags().VisitAll(func(f *pflag.Flag) {
			if f.Hidden || f.Name == "help" {
				return
			}
			line := "\t--" + f.Name + " " + f.Value.Type()
			if f.Shorthand != "" {
				line += ", -" + f.Shorthand
			}
			if f.DefValue != "" && f.DefValue != "[]" && f.DefValue != "false" {
				line += " = " + f.DefValue
			}
			values := completions(cmd.Name())[f.Name]
			if f.Name == "color" {
				values = terminal.Modes()
			}
			if len(values) > 0 {
				line += " (" + strings.Join(slices.Sorted(slices.Values(values)), ", ") + ")"
			}
			fmt.Fprintln(&b, line)
		})
		for _, sub := range cmd.Commands() {
			list(sub)
		}
	}
	list(root)
	checkPage(t, "../../testdata/stable/commands.txt", b.String())
}

// TestStableCodes compares the codes of diagnostics with the list of what may change only as
// docs/support.md says; -update rewrites it.
func TestStableCodes(t *testing.T) {
	var b strings.Builder
	for _, kind := range reference.Codes() {
		off := ""
		if kind.Off {
			off = ", off by default"
		}
		fmt.Fprintf(&b, "%s %s%s\n", kind.Code, kind.Severity, off)
	}
	checkPage(t, "../../testdata/stable/codes.txt", b.String())
}

// TestSupportPage compares the versions in docs/support.md with those that are linked and
// required.
func TestSupportPage(t *testing.T) {
	page, err := os.ReadFile("../../docs/support.md")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	module, err := modfile.Parse("go.mod", data, nil)
	if err != nil {
		t.Fatal(err)
	}
	versions := apiserver.Versions()
	rows := []string{
		"| Go, to build schemagen | " + strings.TrimSuffix(module.Go.Version, ".0"),
		"| Kubernetes | " + versions[len(versions)-1] + " to " + versions[0],
	}
	required := slices.IndexFunc(module.Require, func(r *modfile.Require) bool { return r.Mod.Path == "sigs.k8s.io/controller-tools" })
	if required < 0 {
		t.Fatal("go.mod does not require controller-tools")
	}
	rows = append(rows, "| controller-gen | "+module.Require[required].Mod.Version+" |")
	rows = append(rows, fmt.Sprintf("| exit codes | 0, %d, %d:", reporting.ExitFindings, reporting.ExitFailure))
	for _, row := range rows {
		if !strings.Contains(string(page), "\n"+row) {
			t.Errorf("docs/support.md has no row that begins with %q", row)
		}
	}
}
