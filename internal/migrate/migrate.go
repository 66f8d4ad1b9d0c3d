// Package migrate compares the output of schemagen for a project with that of
// controller-gen: it finds the calls of controller-gen in a Makefile (makefile.go), runs both
// programs on copies of the project (copies.go), which neither may leave (confine.go), and
// reports the differences with their reasons. It knows files and processes, but nothing about
// the content of schemagen's files.
package migrate

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/internal/lazyregexp"
	"github.com/schemagen/schemagen/internal/output"
	"github.com/schemagen/schemagen/internal/progress"
	"github.com/schemagen/schemagen/internal/project"
)

// Options configure [Run].
type Options struct {
	// Dir is the working directory.
	Dir string
	// Makefile is the path of the Makefile; if empty, it is searched for.
	Makefile string
	// Tool is the controller-gen to compare with; if empty, it is searched for.
	Tool string
	// With is the command for the Makefile to call instead; Write changes the Makefile.
	With  string
	Write bool
	// Version is the version of schemagen, prefixed with its name.
	Version string
	// Consent decides whether programs of the repository may run.
	Consent Consent
}

// migration is one run of the command migrate.
type migration struct {
	Options
	// peer is the command line of controller-gen, or empty if there is none.
	peer []string
	// peerVersion is the version that it prints, for example "v0.23.0".
	peerVersion string
	// project is the project, on copies of which both run.
	project *copiedProject
	// differs is set if something differs or could not be compared.
	differs bool
	out     io.Writer
}

// Run runs controller-gen and schemagen, which is this program, on copies of a project, for
// the calls in its Makefile or the one in args, and prints the differences. differs reports
// whether something differs or could not be compared.
func Run(ctx context.Context, out io.Writer, options Options, args []string) (differs bool, err error) {
	r := migration{Options: options, out: out}
	err = r.run(ctx, args)
	return r.differs, err
}

func (r *migration) run(ctx context.Context, args []string) error {
	m, err := r.calls(args)
	if err != nil {
		return err
	}
	for _, problem := range m.problems {
		fmt.Fprintf(r.out, "skipped: %s\n\tpass its arguments with: schemagen migrate -- ARGUMENTS\n", diag.Line(problem))
		r.differs = true
	}
	if len(m.calls) == 0 {
		return fmt.Errorf("%s: no controller-gen command line found: pass its arguments with schemagen migrate -- ARGUMENTS", m.path)
	}
	if r.project, err = openProject(filepath.Join(r.Dir, filepath.Dir(m.path))); err != nil {
		return err
	}
	defer r.project.remove()
	if err := r.findPeer(ctx, m); err != nil {
		return err
	}
	r.namePeer()
	compared := progress.Start(ctx, "comparing", "command lines", len(m.calls))
	for _, call := range m.calls {
		if err := r.compare(ctx, m, call); err != nil {
			return err
		}
		compared.Add(1)
	}
	return r.change(ctx, m)
}

// calls returns the calls in the Makefile, or the one in args.
func (r *migration) calls(args []string) (*makefile, error) {
	names := makefileNames()
	if r.Makefile != "" {
		if _, err := os.Stat(r.Makefile); err != nil {
			return nil, err
		}
		names = []string{r.Makefile}
	}
	m, err := firstMakefile(names...)
	if err != nil {
		return nil, err
	}
	if m == nil {
		m = &makefile{path: "the command line"}
	}
	if len(args) == 0 {
		if m.lines == nil {
			return nil, errors.New("no Makefile found: pass one with --makefile, or the arguments of controller-gen with schemagen migrate -- ARGUMENTS")
		}
		return m, nil
	}
	call, ok := callOf(args)
	if !ok {
		call, ok = callOf(append([]string{calledTool}, args...))
	}
	if !ok {
		return nil, fmt.Errorf("no generator in the arguments %q", args)
	}
	call.dir = "."
	m.calls, m.problems = []controllerGenCall{call}, nil
	return m, nil
}

// findPeer searches for controller-gen.
func (r *migration) findPeer(ctx context.Context, m *makefile) error {
	if r.Tool != "" {
		words := strings.Fields(r.Tool)
		if len(words) == 0 || !r.isPeer(ctx, words) {
			return fmt.Errorf("--controller-gen %s: cannot be run", r.Tool)
		}
		return nil
	}
	root := filepath.Join(r.Dir, filepath.Dir(m.path))
	var candidates [][]string
	named := 0 // number of candidates named by the Makefile
	for _, variable := range []string{"$(" + toolVariable + ")", "$(LOCALBIN)/controller-gen"} {
		if value, err := m.expand(variable, 1); err == nil {
			if words := strings.Fields(strings.Trim(value, `"'`)); len(words) > 0 && filepath.Base(words[0]) != "schemagen" && !strings.HasSuffix(value, " schemagen") {
				if strings.ContainsRune(words[0], filepath.Separator) && !filepath.IsAbs(words[0]) {
					words[0] = filepath.Join(root, words[0])
				}
				candidates = append(candidates, words)
				named++
			}
		}
	}
	candidates = append(candidates, []string{filepath.Join(root, "bin", "controller-gen")}, []string{"controller-gen"})
	if data, err := os.ReadFile(filepath.Join(findUp("go.mod", root), "go.mod")); err == nil && bytes.Contains(data, []byte(toolPackage)) {
		candidates = append(candidates, []string{"go", "tool", "controller-gen"})
	}
	declined := map[string]bool{}
	for i, words := range candidates {
		what := r.repositoryProgram(m, words, i < named)
		if declined[what] {
			continue
		}
		if what != "" && !r.Consent.allows("Run "+what) {
			declined[what] = true
			fmt.Fprintf(r.out, "did not run %s: allow it with --yes, or pass your own controller-gen with --controller-gen\n", diag.Line(what))
			continue
		}
		if r.isPeer(ctx, words) {
			return nil
		}
	}
	fmt.Fprintf(r.out, "controller-gen not found: nothing was compared. Install it, or pass its path with --controller-gen:\n\tgo install sigs.k8s.io/controller-tools/cmd/controller-gen@%s\n\n", EqualVersion())
	r.differs = true
	return nil
}

// repositoryProgram describes a command that belongs to the repository: a program in it, or
// one that its Makefile or go.mod names. It returns "" for a program of the user's, and for
// one that does not exist.
func (r *migration) repositoryProgram(m *makefile, words []string, named bool) string {
	file, err := exec.LookPath(words[0])
	if errors.Is(err, exec.ErrDot) {
		err = nil
	}
	if err != nil {
		return ""
	}
	if file, err = filepath.Abs(file); err != nil {
		return ""
	}
	if len(words) == 1 {
		for _, root := range []string{r.Dir, r.project.unresolved, r.project.root} {
			if output.IsBelow(root, file) || output.IsBelow(root, output.Physical(file)) {
				if rel, err := filepath.Rel(r.Dir, file); err == nil {
					file = rel
				}
				return file + ", which is in the repository"
			}
		}
	}
	switch {
	case slices.Equal(words, []string{"controller-gen"}):
		return ""
	case named:
		return strings.Join(words, " ") + ", which " + m.path + " names"
	}
	return strings.Join(words, " ") + ", which go.mod names"
}

// isPeer reports whether a command is controller-gen, and if so uses it.
func (r *migration) isPeer(ctx context.Context, words []string) bool {
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

// namePeer makes sure that controller-gen is called by that name, which applyconfiguration
// writes to the first line of its files, if its file has another name such as
// controller-gen-v0.20.0.
func (r *migration) namePeer() {
	const name = "controller-gen"
	if len(r.peer) != 1 || filepath.Base(r.peer[0]) == name {
		return
	}
	link := filepath.Join(r.project.temp, name)
	if err := os.Symlink(r.peer[0], link); err == nil {
		r.peer[0] = link
	}
}

// productVersion returns the version of schemagen to install.
func (r *migration) productVersion() string {
	if v := strings.TrimPrefix(r.Version, "schemagen-"); v != "devel" && !strings.Contains(v, "+") {
		return v
	}
	return "latest"
}

// EqualVersion returns the version of controller-tools whose output schemagen reproduces.
func EqualVersion() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, module := range info.Deps {
			if module.Path == "sigs.k8s.io/controller-tools" {
				return module.Version
			}
		}
	}
	return "latest"
}

// compare runs both tools for one call and reports the differences.
func (r *migration) compare(ctx context.Context, m *makefile, call controllerGenCall) error {
	where := ""
	if call.line > 0 {
		where = fmt.Sprintf("%s:%d: ", m.path, call.line)
	}
	fmt.Fprintf(r.out, "%s\n", diag.Line(where+strings.Join(call.args, " ")))
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir := filepath.Join(r.Dir, filepath.Dir(m.path), call.dir)
	if filepath.IsAbs(call.dir) {
		dir = call.dir
	}
	// run replaces the path of the project with that of the copy.
	within := "--" + WithinFlag + "=" + r.project.root
	run := func(command []string, more ...string) (runResult, error) {
		if command[0] == self {
			more = append(more, within)
		}
		return r.project.run(ctx, dir, call.env, command, call.args, more)
	}
	for _, set := range call.env {
		if !harmless().MatchString(set) && !r.Consent.allows("Set "+set+", as the Makefile does, which may run programs from the repository") {
			r.differs = true
			fmt.Fprintf(r.out, "  not compared: the Makefile sets %s, which may run programs from the repository: allow it with --yes\n", diag.Line(set))
			return nil
		}
	}
	ours, err := run([]string{self}, "--no-cache")
	if escape, ok := errors.AsType[escapeError](err); ok {
		r.differs = true
		fmt.Fprintf(r.out, "  not compared: %v the project %s, and migrate writes only to copies of it\n", escape, diag.Line(r.project.unresolved))
		return nil
	}
	if err != nil {
		return err
	}
	verified := ours
	if ours.failed {
		if ours, err = run([]string{self}, "--no-cache", "--skip-verify"); err != nil {
			return err
		}
	}
	var theirs runResult
	if len(r.peer) > 0 {
		if theirs, err = run(r.peer); err != nil {
			return err
		}
		reasons := reasonsFor{run: r, dir: dir, theirs: theirs, rejected: verified.failed, self: self, rerun: run}
		if err := r.reportFiles(ctx, theirs, ours, &reasons); err != nil {
			return err
		}
		if theirs.failed {
			fmt.Fprintf(r.out, "  controller-gen failed:\n%s", indented(theirs.stderr))
			r.differs = true
		}
	} else {
		for _, name := range slices.Sorted(maps.Keys(ours.files)) {
			fmt.Fprintf(r.out, "  %s: generated, but not compared\n", diag.Line(name))
		}
	}
	if verified.stderr != "" {
		fmt.Fprintf(r.out, "  schemagen reports:\n%s", indented(verified.stderr))
	}
	r.differs = r.differs || verified.failed
	return nil
}

// indented indents the output of a tool below the line that names the tool.
func indented(text string) string {
	return lineStart().ReplaceAllString(strings.TrimRight(text, "\n")+"\n", "    $0")
}

// lineStart matches the first character of a line that is not empty.
var lineStart = lazyregexp.New(`(?m)^.`)

// versionLine matches the annotation with the version of the tool that wrote a file.
var versionLine = lazyregexp.New(`(?m)^    ` + regexp.QuoteMeta(generator.VersionAnnotation) + `: .*\n`)

func withoutVersion(data []byte) []byte { return versionLine().ReplaceAll(data, nil) }

// reportFiles prints the number of equal files, and for every other file the reason.
func (r *migration) reportFiles(ctx context.Context, theirs, ours runResult, reasons *reasonsFor) error {
	names := slices.Sorted(maps.Keys(theirs.files))
	for _, name := range slices.Sorted(maps.Keys(ours.files)) {
		if _, known := theirs.files[name]; !known {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var differing []string
	for _, name := range names {
		their, our := r.project.file(theirs, name), r.project.file(ours, name)
		if their == nil || our == nil || !bytes.Equal(withoutVersion(their), withoutVersion(our)) {
			differing = append(differing, name)
		}
	}
	files := "files"
	if len(names) == 1 {
		files = "file"
	}
	fmt.Fprintf(r.out, "  %d of %d %s equal\n", len(names)-len(differing), len(names), files)
	for _, name := range differing {
		r.differs = true
		their, our := r.project.file(theirs, name), r.project.file(ours, name)
		reason, err := reasons.of(name, our != nil)
		if err != nil {
			return err
		}
		switch {
		case our == nil:
			fmt.Fprintf(r.out, "  %s: only controller-gen writes it: %s\n", diag.Line(name), reason)
		case their == nil:
			fmt.Fprintf(r.out, "  %s: only schemagen writes it: %s\n", diag.Line(name), reason)
		default:
			fmt.Fprintf(r.out, "  %s differs: %s\n", diag.Line(name), reason)
			if err := r.printDiff(name, withoutVersion(their), withoutVersion(our)); err != nil {
				return err
			}
		}
	}
	return nil
}

// printDiff prints what differs in schemagen's file.
func (r *migration) printDiff(name string, their, our []byte) error {
	var b bytes.Buffer
	if err := output.PrintDiff(&b, diag.PaintOf(r.out), name, their, our); err != nil {
		return err
	}
	const maxLines = 40
	lines := strings.SplitAfter(b.String(), "\n")
	if len(lines) > maxLines {
		lines = append(lines[:maxLines], fmt.Sprintf("… %d more lines\n", len(lines)-maxLines))
	}
	_, err := io.WriteString(r.out, indented(strings.Join(lines, "")))
	return err
}

// reasonsFor finds reasons for differences, from docs/differences.md, by trial runs, each of
// which is made at most once.
type reasonsFor struct {
	run      *migration
	dir      string
	theirs   runResult
	rejected bool
	self     string
	rerun    func(command []string, more ...string) (runResult, error)

	theirSecond, ourPlain *runResult
}

// of returns the reason for which one file differs.
func (r *reasonsFor) of(name string, generated bool) (string, error) {
	if r.theirSecond == nil {
		second, err := r.rerun(r.run.peer)
		if err != nil {
			return "", err
		}
		plain, err := r.rerun([]string{r.self}, "--no-cache", "--skip-verify", "--no-config")
		if err != nil {
			return "", err
		}
		r.theirSecond, r.ourPlain = &second, &plain
	}
	copies := r.run.project
	first, plain := copies.file(r.theirs, name), copies.file(*r.ourPlain, name)
	switch {
	case !bytes.Equal(first, copies.file(*r.theirSecond, name)):
		return "controller-gen's own output changes from run to run; schemagen gives one of its results, always the same", nil
	case plain != nil && bytes.Equal(withoutVersion(first), withoutVersion(plain)):
		return project.Name + " is the cause: with --no-config the file is equal", nil
	case !generated && r.rejected:
		return "schemagen rejects the source (see below); controller-gen writes output that an API server would reject, or incomplete output", nil
	case r.theirs.failed:
		return "controller-gen failed, and its output may be incomplete", nil
	case r.run.peerVersion != EqualVersion():
		return fmt.Sprintf("this controller-gen is %s, and schemagen reproduces %s: compare with that version to see other differences", r.run.peerVersion, EqualVersion()), nil
	}
	for _, name := range []string{"inflections.json", "acronyms.json"} {
		if _, err := os.Stat(filepath.Join(r.dir, name)); err == nil {
			return "controller-gen takes plurals from " + name + " in the working directory, schemagen does not", nil
		}
	}
	if usesOwnMarkers(r.dir) {
		return "the source uses schemagen's own markers, which controller-gen does not know", nil
	}
	return "unknown reason: please report it", nil
}

// usesOwnMarkers reports whether Go files below a directory have markers of schemagen.
func usesOwnMarkers(dir string) bool {
	return slices.ContainsFunc(project.FilesBelow(nil, dir), func(name string) bool {
		if !strings.HasSuffix(name, ".go") {
			return false
		}
		data, err := os.ReadFile(filepath.Join(dir, filepath.FromSlash(name)))
		return err == nil && bytes.Contains(data, []byte("+schemagen:"))
	})
}

// change prints the line of the Makefile to change, or changes it.
func (r *migration) change(ctx context.Context, m *makefile) error {
	var direct []string
	for _, call := range m.calls {
		if call.direct && call.line > 0 {
			direct = append(direct, fmt.Sprintf("%s:%d", m.path, call.line))
		}
	}
	installs := r.With == "" && m.installs()
	if r.With == "" {
		r.With = "schemagen"
	}
	if len(direct) > 0 {
		fmt.Fprintf(r.out, "\nThese lines call controller-gen directly; change them to call %s: %s\n", r.With, strings.Join(direct, ", "))
	}
	if m.lines == nil || len(m.calls) == len(direct) {
		return nil
	}
	text, ok := m.withTool(r.With)
	if installs {
		text = m.withInstalled(r.productVersion())
	}
	if !ok {
		fmt.Fprintf(r.out, "\n%s does not set %s: run make %s=%s\n", m.path, toolVariable, toolVariable, r.With)
		return nil
	}
	if strings.Contains(r.With, " ") && regexp.MustCompile(`"\$[({]`+toolVariable+`[)}]"`).MatchString(text) {
		fmt.Fprintf(r.out, "\nRecipes quote %s, so its value must be a single word: remove the quotes to use %q\n", toolVariable, r.With)
		r.differs = true
	}
	outputs := []output.File{{Path: m.path, Data: []byte(text)}}
	fmt.Fprintln(r.out)
	changed, err := output.Commit(ctx, outputs, output.Diff, r.out)
	switch {
	case err != nil:
		return err
	case len(changed) == 0:
		fmt.Fprintf(r.out, "%s already calls %s.\n", m.path, r.With)
	case r.differs && r.Write:
		fmt.Fprintln(r.out, "The Makefile was not changed: not all files are equal.")
	case r.differs:
		fmt.Fprintln(r.out, "schemagen migrate --write makes this change once all files are equal.")
	case !r.Write:
		fmt.Fprintln(r.out, "schemagen migrate --write makes this change.")
	default:
		_, err = output.Commit(ctx, outputs, output.Write, r.out)
	}
	return err
}
