package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// migration compares what controller-gen and schemagen make of a project, on two
// copies of it.
type migration struct {
	makefile      string
	controllerGen string
	write         bool
	// commands are command lines of controller-gen's.
	commands []generatorCommand
	// program is the Makefile's controller-gen, if there is one.
	program string
	// edits change the Makefile.
	edits []output
}

// generatorCommand is one command line.
type generatorCommand struct {
	place string // where it stands
	dir   string // where it runs, relative to the Makefile
	args  []string
}

func newMigrateCommand(stdout, stderr io.Writer) *cobra.Command {
	var m migration
	cmd := &cobra.Command{
		Use:   "migrate [-- controller-gen's arguments]",
		Short: "Compare with controller-gen on a project.",
		Long: `Run controller-gen and schemagen on copies of a project, with the command lines of its Makefile or
with one that is given, and report which files are equal, what differs, and what to change in the Makefile.
The project itself is not touched, unless --write changes its Makefile.`,
		Example: `  schemagen migrate
  schemagen migrate -- crd paths=./... output:dir=config/crd/bases`,
		RunE: func(cmd *cobra.Command, args []string) error {
			return m.run(cmd.Context(), args, stdout, stderr)
		},
	}
	cmd.Flags().StringVarP(&m.makefile, "makefile", "f", "Makefile", "Makefile to read")
	cmd.Flags().StringVar(&m.controllerGen, "controller-gen", "", "program to compare with (default: the Makefile's, then the one in PATH)")
	cmd.Flags().BoolVar(&m.write, "write", false, "change the Makefile if all files are equal")
	return cmd
}

func (m *migration) run(ctx context.Context, args []string, stdout, stderr io.Writer) error {
	if err := m.readCommands(args, stderr); err != nil {
		return err
	}
	peer, err := m.findControllerGen()
	if err != nil {
		return err
	}
	product, err := os.Executable()
	if err != nil {
		return err
	}
	project, err := openProject(filepath.Dir(m.makefile))
	if err != nil {
		return err
	}
	defer project.remove()
	equal := true
	for _, c := range m.commands {
		fmt.Fprintf(stdout, "%s: controller-gen %s\n", c.place, strings.Join(c.args, " "))
		theirs, err := project.run(ctx, "controller-gen", peer, c, nil)
		if err != nil {
			return err
		}
		ours, err := project.run(ctx, "schemagen", product, c, []string{"--no-cache"})
		if err != nil {
			return err
		}
		same, err := project.compare(ctx, stdout, theirs, ours)
		if err != nil {
			return err
		}
		equal = equal && same
	}
	if err := m.proposeEdits(ctx, equal, stdout); err != nil {
		return err
	}
	if !equal {
		return errFindings
	}
	return nil
}

// readCommands takes the command line that was given, or those of the Makefile.
func (m *migration) readCommands(args []string, stderr io.Writer) error {
	text, err := os.ReadFile(m.makefile)
	if err != nil && len(args) == 0 {
		return fmt.Errorf("%w; without a Makefile, give controller-gen's arguments behind --", err)
	}
	file := readMakefile(m.makefile, string(text))
	m.program = file.program
	if edited := file.edited(); edited != string(text) {
		m.edits = []output{{path: m.makefile, data: []byte(edited)}}
	}
	if len(args) > 0 {
		m.commands = []generatorCommand{{place: "command line", args: args}}
		return nil
	}
	for _, problem := range file.problems {
		fmt.Fprintf(stderr, "%s\n", problem)
	}
	if m.commands = file.commands; len(m.commands) == 0 {
		return fmt.Errorf("%s: no command line of controller-gen was found; give its arguments behind --", m.makefile)
	}
	return nil
}

// findControllerGen returns the program to compare with: the one that was named, or
// the Makefile's, or the one in PATH.
func (m *migration) findControllerGen() (string, error) {
	candidates := []string{m.controllerGen}
	if m.controllerGen == "" {
		candidates = []string{m.program, "controller-gen"}
	}
	for _, name := range candidates {
		if strings.ContainsRune(name, filepath.Separator) && !filepath.IsAbs(name) {
			name = filepath.Join(filepath.Dir(m.makefile), name)
		}
		if path, err := exec.LookPath(name); err == nil {
			return filepath.Abs(path)
		}
	}
	return "", errors.New("there is no controller-gen to compare with: install it (make controller-gen in a Kubebuilder project), or name it with --controller-gen")
}

// proposeEdits shows the changes of the Makefile, or makes them.
func (m *migration) proposeEdits(ctx context.Context, equal bool, stdout io.Writer) error {
	switch {
	case len(m.edits) == 0:
		return nil
	case m.write && !equal:
		fmt.Fprintf(stdout, "%s was not changed: not all files are equal\n", m.makefile)
		return nil
	case m.write:
		_, err := commit(ctx, m.edits, commitWrite, stdout)
		if err == nil {
			fmt.Fprintf(stdout, "%s was changed\n", m.makefile)
		}
		return err
	}
	fmt.Fprintln(stdout, "To change:")
	_, err := commit(ctx, m.edits, commitDiff, stdout)
	return err
}

// versionLine begins the line of a definition that names the tool, which differs.
const versionLine = "    controller-gen.kubebuilder.io/version: "

// withoutToolVersion leaves out the version of the tool.
func withoutToolVersion(data []byte) []byte {
	var out []byte
	for line := range bytes.Lines(data) {
		if !bytes.HasPrefix(line, []byte(versionLine)) {
			out = append(out, line...)
		}
	}
	return out
}

// compare says how the files of two runs differ, and what the runs said. It reports
// whether nothing does.
func (p *copiedProject) compare(ctx context.Context, stdout io.Writer, theirs, ours *generatorRun) (bool, error) {
	var names []string
	for _, run := range []*generatorRun{theirs, ours} {
		for name := range run.files {
			if !slices.Contains(names, name) {
				names = append(names, name)
			}
		}
	}
	slices.Sort(names)
	equal := 0
	var different []*commitTarget
	for _, name := range names {
		a, b := p.file(theirs, name), p.file(ours, name)
		switch {
		case b == nil:
			fmt.Fprintf(stdout, "  %s: only controller-gen writes it\n", name)
		case a == nil:
			fmt.Fprintf(stdout, "  %s: only schemagen writes it\n", name)
		case bytes.Equal(withoutToolVersion(a), withoutToolVersion(b)):
			equal++
		default:
			fmt.Fprintf(stdout, "  %s: different\n", name)
			different = append(different, &commitTarget{output: output{path: name, data: withoutToolVersion(b)}, exists: true, old: withoutToolVersion(a)})
		}
	}
	if failed := theirs.failed != nil || ours.failed != nil; len(names) == 0 && !failed {
		fmt.Fprintln(stdout, "  nothing changes: the files of the project are as both write them")
	} else if len(names) > 0 {
		fmt.Fprintf(stdout, "  %d of %d changed files are equal, but for the version of the tool\n", equal, len(names))
	}
	if err := printCommitDiffs(ctx, stdout, different); err != nil {
		return false, err
	}
	for _, run := range []*generatorRun{theirs, ours} {
		if run.failed != nil {
			fmt.Fprintf(stdout, "  %s: %v\n", run.tool, run.failed)
		}
		for line := range strings.Lines(run.said) {
			fmt.Fprintf(stdout, "  %s: %s\n", run.tool, strings.TrimRight(line, "\n"))
		}
	}
	if ours.failed != nil && theirs.failed == nil {
		fmt.Fprintln(stdout, "  what schemagen refuses and controller-gen writes, and why, is in docs/differences.md; schemagen explain-code CODE tells more")
	}
	return equal == len(names) && ours.failed == nil && theirs.failed == nil, nil
}
