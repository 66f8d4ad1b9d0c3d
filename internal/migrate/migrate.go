package migrate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/progress"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/migrate/peerversions"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/internal/terminal/consent"
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
	Consent consent.Consent
}

// migration is one run of the command migrate.
type migration struct {
	Options
	// peer is the project's controller-gen, and base the one whose output schemagen
	// reproduces, if it is another one.
	peer, base peer
	// project is the project, on copies of which both run.
	project *copiedProject
	// makeCopy is the copy in which make was asked.
	makeCopy string
	// differs is set if something differs or could not be compared; reason says what, unless
	// it is a file.
	differs bool
	reason  string
	// rejects is set if schemagen reports errors in the source.
	rejects bool
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

func (r *migration) run(ctx context.Context, args []string) (err error) {
	r.project, err = openProject(ctx, filepath.Join(r.Dir, filepath.Dir(r.Makefile)))
	if err != nil {
		return err
	}
	defer r.project.remove()
	var m *makefile
	if len(args) > 0 {
		m, err = callInArgs(args)
	} else {
		m, err = r.askForCalls(ctx)
	}
	if err != nil || m == nil {
		return err
	}
	r.reportUnread(m)
	if r.Tool == "" && (len(m.calls) > 0 || len(m.own) > 0 && r.With == "") && r.callsProduct(m) {
		r.reportMigrated(m)
		return nil
	}
	if len(m.calls) == 0 {
		return fmt.Errorf("%s: no controller-gen command line found: pass its arguments with schemagen migrate -- ARGUMENTS", m.path)
	}
	if err := r.findPeer(ctx, m); err != nil {
		return err
	}
	r.peer = r.named(r.peer)
	compared := progress.Start(ctx, "comparing", "command lines", len(m.calls))
	for _, call := range m.calls {
		if err := r.compare(ctx, m, call); err != nil {
			return err
		}
		compared.Add(1)
	}
	return r.change(ctx, m)
}

// reportUnread reports the lines whose calls are not compared, and the scripts with calls.
func (r *migration) reportUnread(m *makefile) {
	for _, problem := range m.problems {
		fmt.Fprintf(r.out, "skipped: %s\n\tpass its arguments with: schemagen migrate -- ARGUMENTS\n", screen.Line(problem))
		r.differs = true
		r.reason = "not all command lines were compared"
	}
	if len(m.databases) == 0 {
		return
	}
	for _, place := range m.scripts(r.makefileDir(m.path)) {
		fmt.Fprintf(r.out, "skipped: %s: calls controller-gen, and migrate does not run it\n\tpass its arguments with: schemagen migrate -- ARGUMENTS; then change it there\n", screen.Line(place))
	}
}

// reportMigrated says that the project uses schemagen, and where.
func (r *migration) reportMigrated(m *makefile) {
	fmt.Fprintf(r.out, "%s already calls %s; there is nothing to compare or to change:\n", m.path, cmp.Or(r.With, "schemagen"))
	for _, call := range slices.Concat(m.calls, m.own) {
		fmt.Fprintf(r.out, "  %s\n", screen.Line(call.where()+strings.Join(call.args, " ")))
	}
}

// callInArgs returns the call in the arguments of the command migrate.
func callInArgs(args []string) (*makefile, error) {
	call, ok := callOf(args)
	if !ok {
		call, ok = callOf(append([]string{"controller-gen"}, args...))
	}
	if !ok {
		return nil, fmt.Errorf("no generator in the arguments %q", args)
	}
	if !slices.ContainsFunc(call.args, func(arg string) bool { return strings.HasPrefix(arg, "paths=") }) {
		return nil, fmt.Errorf("no packages in the arguments %q: schemagen migrate -- %s paths=./... compares those of the module", args, strings.Join(args, " "))
	}
	call.dir = "."
	return &makefile{path: "the command line", foundCalls: foundCalls{calls: []controllerGenCall{call}}}, nil
}

// askForCalls asks make for the calls, which needs consent. Without, it returns nil and says what
// it would run.
func (r *migration) askForCalls(ctx context.Context) (*makefile, error) {
	path := r.Makefile
	if path == "" {
		path = findMakefile(nil, "")
		if path == "" {
			return nil, errors.New("no Makefile found: pass one with --makefile, or the arguments of controller-gen with schemagen migrate -- ARGUMENTS")
		}
	}
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	const programs = ", which runs the programs in its functions such as $(shell …), and the controller-gen that it installs"
	if !r.Consent.Allows("Run " + makeIn(path) + programs) {
		fmt.Fprintf(r.out, `migrate would run %s, to read the command lines of controller-gen.
make runs the programs in functions such as $(shell …): allow it with --yes,
or pass the arguments of controller-gen: schemagen migrate -- ARGUMENTS
`, screen.Line(makeIn(path)))
		r.differs = true
		return nil, nil
	}
	r.Consent.Given = true // whatever the Makefile names may run from now on
	return r.readInCopy(ctx, path)
}

// makeIn describes how make is asked about a Makefile.
func makeIn(path string) string {
	return fmt.Sprintf("make -n -p -f %s, in a copy of the project", path)
}

// readInCopy asks make for the calls in a copy of the project.
func (r *migration) readInCopy(ctx context.Context, path string) (m *makefile, err error) {
	r.makeCopy, err = r.project.newGitCopy(ctx, r.out)
	if err != nil {
		return nil, err
	}
	return r.readMakefile(ctx, r.makeCopy, replacePath(r.makefileDir(path), r.project.root, r.makeCopy), path)
}

// makefileDir returns the directory of a Makefile in the project, without symlinks.
func (r *migration) makefileDir(path string) string {
	if dir := filepath.Dir(path); filepath.IsAbs(dir) {
		return output.Physical(dir)
	}
	return output.Physical(filepath.Join(r.Dir, filepath.Dir(path)))
}

// compare runs both tools for one call and reports the differences.
func (r *migration) compare(ctx context.Context, m *makefile, call controllerGenCall) error {
	fmt.Fprintf(r.out, "%s\n", screen.Line(call.where()+strings.Join(call.args, " ")))
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir := call.dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.makefileDir(m.path), dir)
	}
	// run replaces the path of the project with that of the copy.
	within := "--" + WithinFlag + "=" + r.project.root
	run := func(command []string, more ...string) (runResult, error) {
		if command[0] == self {
			more = append(more, within)
		}
		return r.project.run(ctx, dir, call.env, command, call.args, more)
	}
	ours, err := run([]string{self}, "--no-cache")
	if escape, ok := errors.AsType[escapeError](err); ok {
		r.differs = true
		fmt.Fprintf(r.out, "  not compared: %v the project %s, and migrate writes only to copies of it\n", escape, screen.Line(r.project.unresolved))
		return nil
	}
	if err != nil {
		return err
	}
	verified := ours
	if ours.failed {
		ours, err = run([]string{self}, "--no-cache", "--skip-verify")
		if err != nil {
			return err
		}
	}
	var theirs runResult
	if len(r.peer.command) > 0 {
		theirs, err = run(r.peer.command)
		if err != nil {
			return err
		}
		reasons := reasonsFor{ctx: ctx, run: r, dir: dir, theirs: theirs, rejected: verified.failed, self: self, rerun: run}
		if err := r.reportFiles(theirs, ours, &reasons); err != nil {
			return err
		}
		if theirs.failed {
			fmt.Fprintf(r.out, "  controller-gen failed:\n%s", indented(theirs.stderr))
			r.differs = true
		}
	} else {
		for _, name := range slices.Sorted(maps.Keys(ours.files)) {
			fmt.Fprintf(r.out, "  %s: generated, but not compared\n", screen.Line(name))
		}
	}
	if verified.stderr != "" {
		fmt.Fprintf(r.out, "  schemagen reports:\n%s", indented(verified.stderr))
	}
	r.differs = r.differs || verified.failed
	r.rejects = r.rejects || verified.failed
	return nil
}

// indented indents the output of a tool below the line that names the tool.
func indented(text string) string {
	return lineStart().ReplaceAllString(strings.TrimRight(text, "\n")+"\n", "    $0")
}

// lineStart matches the first character of a line that is not empty.
var lineStart = lazyregexp.New(`(?m)^.`)

// versionLine matches the annotation with the version of the tool that wrote a file.
var versionLine = lazyregexp.New(`(?m)^    ` + regexp.QuoteMeta(define.VersionAnnotation) + `: .*\n`)

func withoutVersion(data []byte) []byte { return versionLine().ReplaceAll(data, nil) }

// reportFiles prints the number of equal files, and for every other file the reason.
func (r *migration) reportFiles(theirs, ours runResult, reasons *reasonsFor) error {
	names := slices.Sorted(maps.Keys(theirs.files))
	for _, name := range slices.Sorted(maps.Keys(ours.files)) {
		if _, known := theirs.files[name]; !known {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	var differing []string
	for _, name := range names {
		their := r.project.file(theirs, name)
		our := r.project.file(ours, name)
		if their == nil || our == nil || !bytes.Equal(withoutVersion(their), withoutVersion(our)) {
			differing = append(differing, name)
		}
	}
	why := map[string]reason{}
	ofVersion := 0
	for _, name := range differing {
		found, err := reasons.of(name, r.project.file(ours, name))
		if err != nil {
			return err
		}
		why[name] = found
		if found.isVersion {
			ofVersion++
		} else {
			r.differs = true
		}
	}
	fmt.Fprintf(r.out, "  %d of %s equal", len(names)-len(differing), count(len(names), "file"))
	if ofVersion > 0 {
		fmt.Fprintf(r.out, ", %d differing by the version of controller-gen alone (%s, not %s)", ofVersion, screen.Line(r.peer.version), EqualVersion())
	}
	fmt.Fprintln(r.out)
	for _, name := range differing {
		their := r.project.file(theirs, name)
		our := r.project.file(ours, name)
		switch {
		case our == nil:
			fmt.Fprintf(r.out, "  %s: only controller-gen writes it: %s\n", screen.Line(name), why[name].text)
		case their == nil:
			fmt.Fprintf(r.out, "  %s: only schemagen writes it: %s\n", screen.Line(name), why[name].text)
		default:
			fmt.Fprintf(r.out, "  %s differs: %s\n", screen.Line(name), why[name].text)
			if err := r.printDiff(name, withoutVersion(their), withoutVersion(our)); err != nil {
				return err
			}
		}
	}
	return nil
}

// count returns a number of things.
func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return fmt.Sprintf("%d %ss", n, thing)
}

// printDiff prints what differs in schemagen's file.
func (r *migration) printDiff(name string, their, our []byte) error {
	var b bytes.Buffer
	if err := output.PrintDiff(&b, screen.PaintOf(r.out), name, their, our); err != nil {
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
	ctx      context.Context
	run      *migration
	dir      string
	theirs   runResult
	rejected bool
	self     string
	rerun    func(command []string, more ...string) (runResult, error)

	theirSecond, ourPlain, base *runResult
	// noBase is why there is no base.
	noBase error
}

// reason is why a file differs. It is the version's if a controller-gen of the version that
// schemagen reproduces writes the same file as schemagen.
type reason struct {
	text      string
	isVersion bool
}

// ofVersion returns the reason for a file of another version of controller-gen, or false if
// the version explains nothing.
func (r *reasonsFor) ofVersion(name string, ours []byte) (reason, bool, error) {
	other := fmt.Sprintf("this controller-gen is %s, and schemagen reproduces %s", r.run.peer.version, EqualVersion())
	if r.base == nil && r.noBase == nil {
		if len(r.run.base.command) == 0 {
			r.run.base, r.noBase = r.run.basePeer(r.ctx)
		}
		if r.noBase == nil {
			base, err := r.rerun(r.run.base.command)
			if err != nil {
				return reason{}, false, err
			}
			r.base = &base
		}
	}
	theirs := r.run.project.file(r.theirs, name)
	changes, explained := knownChanges(name, r.run.peer.version, theirs, ours)
	if r.noBase != nil && explained {
		return reason{"the version of controller-gen alone" + changes, true}, true, nil
	}
	if r.noBase != nil {
		return reason{text: other + ": compare with that version to see other differences"}, true, nil
	}
	base := r.run.project.file(*r.base, name)
	if (base == nil) == (ours == nil) && bytes.Equal(withoutVersion(base), withoutVersion(ours)) {
		return reason{fmt.Sprintf("the version of controller-gen alone: %s writes what schemagen writes", EqualVersion()) + changes, true}, true, nil
	}
	if bytes.Equal(withoutVersion(base), withoutVersion(theirs)) {
		return reason{}, false, nil
	}
	return reason{text: other + ", which is a part of it; run it with --controller-gen to see the rest"}, true, nil
}

// knownChanges describes the changes between releases of controller-gen that explain how a file
// differs, each on its line, and reports whether they explain everything. It returns "" for a
// release that is not in the table.
func knownChanges(name, version string, theirs, ours []byte) (text string, complete bool) {
	explanation, err := peerversions.Explain(name, version, theirs, ours)
	if err != nil {
		return "", false
	}
	for _, change := range explanation.Changes {
		text += fmt.Sprintf("\n    since %s, %s", change.Since, change.Summary)
	}
	return text, explanation.Complete() && text != ""
}

// of returns the reason for which one file differs.
func (r *reasonsFor) of(name string, ours []byte) (reason, error) {
	if r.theirSecond == nil {
		second, err := r.rerun(r.run.peer.command)
		if err != nil {
			return reason{}, err
		}
		plain, err := r.rerun([]string{r.self}, "--no-cache", "--skip-verify", "--no-config")
		if err != nil {
			return reason{}, err
		}
		r.theirSecond = &second
		r.ourPlain = &plain
	}
	copies := r.run.project
	first := copies.file(r.theirs, name)
	plain := copies.file(*r.ourPlain, name)
	switch {
	case !bytes.Equal(first, copies.file(*r.theirSecond, name)):
		return reason{text: "controller-gen's own output changes from run to run; schemagen gives one of its results, always the same"}, nil
	case plain != nil && bytes.Equal(withoutVersion(first), withoutVersion(plain)):
		return reason{text: project.Name + " is the cause: with --no-config the file is equal"}, nil
	case ours == nil && r.rejected:
		return reason{text: "schemagen rejects the source (see below); controller-gen writes output that an API server would reject, or incomplete output"}, nil
	case r.theirs.failed:
		return reason{text: "controller-gen failed, and its output may be incomplete"}, nil
	}
	if r.run.peer.version != EqualVersion() {
		if found, ok, err := r.ofVersion(name, ours); ok || err != nil {
			return found, err
		}
	}
	for _, name := range []string{"inflections.json", "acronyms.json"} {
		if _, err := os.Stat(filepath.Join(r.dir, name)); err == nil {
			return reason{text: "controller-gen takes plurals from " + name + " in the working directory, schemagen does not"}, nil
		}
	}
	if usesOwnMarkers(r.dir) {
		return reason{text: "the source uses schemagen's own markers, which controller-gen does not know"}, nil
	}
	return reason{text: "unknown reason: please report it"}, nil
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
