package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/generator"
)

// migrateCommand is the command that takes controller-gen's arguments behind --.
const migrateCommand = "migrate"

// migrateRun is one run of the migrate command.
type migrateRun struct {
	makefile string
	// tool is the controller-gen to compare with; empty looks for it.
	tool string
	// with is what the Makefile is to call instead, and write changes it.
	with  string
	write bool

	dir string
	// peer is the command line of controller-gen; empty if there is none.
	peer []string
	// peerVersion is what it says of itself: "v0.23.0".
	peerVersion string
	// project is what both run on copies of.
	project *copiedProject
	// differs: something is not as before, or could not be compared.
	differs bool
	out     io.Writer
}

func newMigrateCommand(stdout, stderr io.Writer) *cobra.Command {
	r := migrateRun{out: stdout}
	cmd := &cobra.Command{
		Use:   migrateCommand + " [-- controller-gen arguments]",
		Short: "Say what changes if schemagen takes the place of controller-gen.",
		Long: `Run controller-gen and schemagen on a project, each on a copy of its own, and say which files are equal, what differs and why, what mistakes schemagen finds,
and which line of the Makefile to change.

The calls of controller-gen are those of the Makefile's recipes, or the one behind
--. Nothing of the project is touched, but the line of the Makefile with --write.`,
		Example: `  schemagen migrate
  schemagen migrate --write --with 'go tool -modfile=go.tool.mod schemagen'
  schemagen migrate -- rbac:roleName=manager-role crd webhook paths=./...`,
		RunE: func(cmd *cobra.Command, args []string) error {
			wd, err := os.Getwd()
			if err != nil {
				return err
			}
			r.dir = wd
			return r.run(cmd.Context(), args)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&r.makefile, "makefile", "", "Makefile to read (default: GNUmakefile, makefile or Makefile)")
	flags.StringVar(&r.tool, "controller-gen", "", "controller-gen to compare with (default: the Makefile's, bin/controller-gen, that in PATH, go tool controller-gen)")
	flags.StringVar(&r.with, "with", "", "what the Makefile is to call (default: schemagen, installed by the Makefile if it installs controller-gen)")
	flags.BoolVar(&r.write, "write", false, "change the line of the Makefile, if nothing differs")
	return cmd
}

func (r *migrateRun) run(ctx context.Context, args []string) error {
	m, err := r.calls(args)
	if err != nil {
		return err
	}
	for _, problem := range m.problems {
		fmt.Fprintf(r.out, "not read: %s\n\tgive the command as: schemagen migrate -- ARGUMENTS\n", problem)
		r.differs = true
	}
	if len(m.calls) == 0 {
		return fmt.Errorf("%s has no call of controller-gen that could be read: give one as schemagen migrate -- ARGUMENTS", m.path)
	}
	if err := r.findPeer(ctx, m); err != nil {
		return err
	}
	if r.project, err = openProject(filepath.Join(r.dir, filepath.Dir(m.path))); err != nil {
		return err
	}
	defer r.project.remove()
	r.namePeer()
	for _, call := range m.calls {
		if err := r.compare(ctx, m, call); err != nil {
			return err
		}
	}
	if err := r.change(ctx, m); err != nil {
		return err
	}
	if r.differs {
		return errFindings
	}
	return nil
}

// calls are those of the Makefile, or the one that was given.
func (r *migrateRun) calls(args []string) (*makefile, error) {
	names := []string{"GNUmakefile", "makefile", "Makefile"}
	if r.makefile != "" {
		names = []string{r.makefile}
	}
	m := &makefile{path: "the command line"}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) && r.makefile == "" {
			continue
		}
		if err != nil {
			return nil, err
		}
		m = readMakefile(name, data)
		break
	}
	if len(args) == 0 {
		if m.lines == nil {
			return nil, errors.New("there is no Makefile: name one with --makefile, or give the command as schemagen migrate -- ARGUMENTS")
		}
		return m, nil
	}
	call, ok := callOf(args)
	if !ok {
		call, ok = callOf(append([]string{calledTool}, args...))
	}
	if !ok {
		return nil, fmt.Errorf("no generator among the arguments %q", args)
	}
	call.dir = "."
	m.calls, m.problems = []controllerGenCall{call}, nil
	return m, nil
}

// findPeer looks for controller-gen.
func (r *migrateRun) findPeer(ctx context.Context, m *makefile) error {
	if r.tool != "" {
		words := strings.Fields(r.tool)
		if len(words) == 0 || !r.isPeer(ctx, words) {
			return fmt.Errorf("--controller-gen %s: it cannot be run", r.tool)
		}
		return nil
	}
	root := filepath.Dir(m.path)
	var candidates [][]string
	for _, variable := range []string{"$(" + toolVariable + ")", "$(LOCALBIN)/controller-gen"} {
		if value, err := m.expand(variable, 1); err == nil {
			if words := strings.Fields(strings.Trim(value, `"'`)); len(words) > 0 && filepath.Base(words[0]) != "schemagen" && !strings.HasSuffix(value, " schemagen") {
				if strings.ContainsRune(words[0], filepath.Separator) && !filepath.IsAbs(words[0]) {
					words[0] = filepath.Join(r.dir, root, words[0])
				}
				candidates = append(candidates, words)
			}
		}
	}
	candidates = append(candidates, []string{filepath.Join(r.dir, root, "bin", "controller-gen")}, []string{"controller-gen"}, []string{"go", "tool", "controller-gen"})
	for _, words := range candidates {
		if r.isPeer(ctx, words) {
			return nil
		}
	}
	fmt.Fprintf(r.out, "controller-gen is not found, so that nothing is compared. Install it, or name it with --controller-gen:\n\tgo install sigs.k8s.io/controller-tools/cmd/controller-gen@%s\n\n", equalVersion())
	r.differs = true
	return nil
}

// isPeer reports whether a command is controller-gen, and takes it.
func (r *migrateRun) isPeer(ctx context.Context, words []string) bool {
	file, err := exec.LookPath(words[0])
	if err != nil {
		return false
	}
	if file, err = filepath.Abs(file); err != nil { // calls may run in other directories
		return false
	}
	words = append([]string{file}, words[1:]...)
	out, err := exec.CommandContext(ctx, words[0], append(slices.Clone(words[1:]), "--version")...).Output()
	version, ok := strings.CutPrefix(strings.TrimSpace(string(out)), "Version: ")
	if err != nil || !ok || strings.HasPrefix(version, "schemagen") {
		return false
	}
	r.peer, r.peerVersion = words, version
	return true
}

// namePeer has controller-gen called by that name, which files of applyconfiguration
// have in their first line, where its file is called otherwise, as
// controller-gen-v0.20.0.
func (r *migrateRun) namePeer() {
	const name = "controller-gen"
	if len(r.peer) != 1 || filepath.Base(r.peer[0]) == name {
		return
	}
	link := filepath.Join(r.project.temp, name)
	if err := os.Symlink(r.peer[0], link); err == nil {
		r.peer[0] = link
	}
}

// productVersion is the version of schemagen to install.
func productVersion() string {
	if v := strings.TrimPrefix(toolVersion(), "schemagen-"); v != "devel" && !strings.Contains(v, "+") {
		return v
	}
	return "latest"
}

// equalVersion is the version of controller-tools whose output schemagen's equals.
func equalVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "sigs.k8s.io/controller-tools" {
				return module.Version
			}
		}
	}
	return "latest"
}

// compare runs both for one call and reports.
func (r *migrateRun) compare(ctx context.Context, m *makefile, call controllerGenCall) error {
	where := ""
	if call.line > 0 {
		where = fmt.Sprintf("%s:%d: ", m.path, call.line)
	}
	fmt.Fprintf(r.out, "%s%s\n", where, strings.Join(call.args, " "))
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir := filepath.Join(r.dir, filepath.Dir(m.path), call.dir)
	if filepath.IsAbs(call.dir) {
		dir = call.dir
	}
	run := func(command []string, more ...string) (made, error) {
		return r.project.run(ctx, dir, call.env, slices.Concat(command, call.args, more))
	}
	ours, err := run([]string{self}, "--no-cache")
	if err != nil {
		return err
	}
	mistakes := ours
	if ours.failed {
		if ours, err = run([]string{self}, "--no-cache", "--skip-verify"); err != nil {
			return err
		}
	}
	var theirs made
	if len(r.peer) > 0 {
		if theirs, err = run(r.peer); err != nil {
			return err
		}
		reasons := reasonsFor{run: r, dir: dir, theirs: theirs, refused: mistakes.failed, self: self, again: run}
		if err := r.reportFiles(ctx, theirs, ours, &reasons); err != nil {
			return err
		}
		if theirs.failed {
			fmt.Fprintf(r.out, "  controller-gen itself fails:\n%s", inset(theirs.said))
			r.differs = true
		}
	} else {
		for _, name := range slices.Sorted(maps.Keys(ours.files)) {
			fmt.Fprintf(r.out, "  %s: made, and compared with nothing\n", name)
		}
	}
	if mistakes.said != "" {
		fmt.Fprintf(r.out, "  schemagen says:\n%s", inset(mistakes.said))
	}
	r.differs = r.differs || mistakes.failed
	return nil
}

// inset is what a tool said, below the line that says which.
func inset(text string) string { return indented(strings.TrimRight(text, "\n")+"\n", "    ") }

// versionLine is the annotation that tells which tool wrote a file.
var versionLine = regexp.MustCompile(`(?m)^    ` + regexp.QuoteMeta(generator.VersionAnnotation) + `: .*\n`)

func withoutVersion(data []byte) []byte { return versionLine.ReplaceAll(data, nil) }

// reportFiles says how many files are equal, and of each of the others why it is not.
func (r *migrateRun) reportFiles(ctx context.Context, theirs, ours made, reasons *reasonsFor) error {
	names := slices.Sorted(maps.Keys(theirs.files))
	for _, name := range slices.Sorted(maps.Keys(ours.files)) {
		if _, known := theirs.files[name]; !known {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var others []string
	for _, name := range names {
		their, our := r.project.file(theirs, name), r.project.file(ours, name)
		if their == nil || our == nil || !bytes.Equal(withoutVersion(their), withoutVersion(our)) {
			others = append(others, name)
		}
	}
	fmt.Fprintf(r.out, "  %d of %s equal\n", len(names)-len(others), count(len(names), "file"))
	for _, name := range others {
		r.differs = true
		their, our := r.project.file(theirs, name), r.project.file(ours, name)
		reason, err := reasons.of(name, our != nil)
		if err != nil {
			return err
		}
		switch {
		case our == nil:
			fmt.Fprintf(r.out, "  %s: only controller-gen writes it: %s\n", name, reason)
		case their == nil:
			fmt.Fprintf(r.out, "  %s: only schemagen writes it: %s\n", name, reason)
		default:
			fmt.Fprintf(r.out, "  %s differs: %s\n", name, reason)
			if err := r.printDiff(ctx, name, withoutVersion(their), withoutVersion(our)); err != nil {
				return err
			}
		}
	}
	return nil
}

// printDiff prints what schemagen makes different.
func (r *migrateRun) printDiff(ctx context.Context, name string, their, our []byte) error {
	var b bytes.Buffer
	if err := printCommitDiffs(ctx, &b, []*commitTarget{{output: output{name, our}, old: their, exists: true}}); err != nil {
		return err
	}
	const most = 40
	lines := strings.SplitAfter(b.String(), "\n")
	if len(lines) > most {
		lines = append(lines[:most], fmt.Sprintf("… %d more lines\n", len(lines)-most))
	}
	_, err := io.WriteString(r.out, inset(strings.Join(lines, "")))
	return err
}

// reasonsFor finds reasons for differences, from docs/differences.md, by trying: each
// that costs a run is tried once.
type reasonsFor struct {
	run     *migrateRun
	dir     string
	theirs  made
	refused bool
	self    string
	again   func(command []string, more ...string) (made, error)

	theirSecond, ourPlain *made
}

// of is the reason for one file that differs.
func (r *reasonsFor) of(name string, weHave bool) (string, error) {
	if r.theirSecond == nil {
		second, err := r.again(r.run.peer)
		if err != nil {
			return "", err
		}
		plain, err := r.again([]string{r.self}, "--no-cache", "--skip-verify", "--no-config")
		if err != nil {
			return "", err
		}
		r.theirSecond, r.ourPlain = &second, &plain
	}
	project := r.run.project
	first, plain := project.file(r.theirs, name), project.file(*r.ourPlain, name)
	switch {
	case !bytes.Equal(first, project.file(*r.theirSecond, name)):
		return "controller-gen's own output changes from run to run; schemagen gives one of its results, always the same", nil
	case plain != nil && bytes.Equal(withoutVersion(first), withoutVersion(plain)):
		return configName + " says so: with --no-config the file is equal", nil
	case !weHave && r.refused:
		return "schemagen refuses the source, as said below; controller-gen writes what an API server would refuse, or what it has read in part", nil
	case r.theirs.failed:
		return "controller-gen fails, and writes what it has", nil
	case r.run.peerVersion != equalVersion():
		return fmt.Sprintf("this controller-gen is %s, and schemagen writes what %s does: compare with that version to see what is left", r.run.peerVersion, equalVersion()), nil
	}
	for _, name := range []string{"inflections.json", "acronyms.json"} {
		if _, err := os.Stat(filepath.Join(r.dir, name)); err == nil {
			return "controller-gen takes plurals from " + name + " in the working directory, schemagen does not", nil
		}
	}
	if usesOwnMarkers(r.dir) {
		return "the source uses markers that schemagen adds, which controller-gen does not know", nil
	}
	return "no reason is known: please report it", nil
}

// usesOwnMarkers reports whether Go files below a directory have markers of ours.
func usesOwnMarkers(dir string) bool {
	return slices.ContainsFunc(filesBelow(dir), func(name string) bool {
		if !strings.HasSuffix(name, ".go") {
			return false
		}
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		return err == nil && bytes.Contains(data, []byte("+schemagen:"))
	})
}

// change shows the line of the Makefile to change, or changes it.
func (r *migrateRun) change(ctx context.Context, m *makefile) error {
	var direct []string
	for _, call := range m.calls {
		if call.direct && call.line > 0 {
			direct = append(direct, fmt.Sprintf("%s:%d", m.path, call.line))
		}
	}
	installs := r.with == "" && m.installs()
	if r.with == "" {
		r.with = "schemagen"
	}
	if len(direct) > 0 {
		fmt.Fprintf(r.out, "\nThese lines call controller-gen by its name; let them call %s: %s\n", r.with, strings.Join(direct, ", "))
	}
	if m.lines == nil || len(m.calls) == len(direct) {
		return nil
	}
	text, ok := m.withTool(r.with)
	if installs {
		text = m.withInstalled(productVersion())
	}
	if !ok {
		fmt.Fprintf(r.out, "\n%s has no variable %s to change: say make %s=%s\n", m.path, toolVariable, toolVariable, r.with)
		return nil
	}
	if strings.Contains(r.with, " ") && regexp.MustCompile(`"\$[({]`+toolVariable+`[)}]"`).MatchString(text) {
		fmt.Fprintf(r.out, "\nRecipes have %s in quotes, so that it must be one word: take the quotes away for %q\n", toolVariable, r.with)
		r.differs = true
	}
	outputs := []output{{path: m.path, data: []byte(text)}}
	fmt.Fprintln(r.out)
	changed, err := commit(ctx, outputs, commitDiff, r.out)
	switch {
	case err != nil:
		return err
	case len(changed) == 0:
		fmt.Fprintf(r.out, "%s calls %s already.\n", m.path, r.with)
	case r.differs && r.write:
		fmt.Fprintln(r.out, "The Makefile is not changed, because not all is equal.")
	case r.differs:
		fmt.Fprintln(r.out, "schemagen migrate --write changes that once all is equal.")
	case !r.write:
		fmt.Fprintln(r.out, "schemagen migrate --write changes that.")
	default:
		_, err = commit(ctx, outputs, commitWrite, r.out)
	}
	return err
}
