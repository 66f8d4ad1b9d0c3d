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
	// With is the command to call instead of controller-gen, and Pin the version of schemagen to install;
	// if empty, it is the version of this program. Write changes the project's files.
	With, Pin string
	Write     bool
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
	// dry is the dry run of the project as it is, without tools in PATH.
	dry dryRun
	// inPath is set if the project expects controller-gen in PATH, or where somebody installed it.
	inPath bool
	// pin is the version of schemagen to install.
	pin string
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
	r.pin = r.Pin
	if version, released := ProductVersion(r.Version); r.pin == "" && released {
		r.pin = version
	}
	r.pin = cmp.Or(r.pin, unknownVersion)
	r.project, err = openProject(ctx, filepath.Join(r.Dir, filepath.Dir(r.Makefile)))
	if err != nil {
		return err
	}
	defer r.project.remove()
	if slices.ContainsFunc(args, isArgument) {
		call, err := callInArgs(args)
		if err != nil {
			return err
		}
		_, err = r.compareAll(ctx, []controllerGenCall{call}, nil)
		return err
	}
	command := args
	if len(command) == 0 {
		command, err = r.makeGoals(ctx)
		if err != nil {
			return err
		}
	}
	if !r.consents(command) {
		return nil
	}
	found, err := r.baseline(ctx, command)
	if err != nil {
		return err
	}
	r.reportUnreached(command, found)
	calls := slices.DeleteFunc(slices.Clone(found.calls), func(call controllerGenCall) bool {
		return call.tool == productName
	})
	switch {
	case len(found.calls) == 0:
		return r.noCall(ctx, command, found)
	case len(calls) == 0 && r.Tool == "":
		fmt.Fprintf(r.out, "%s already calls schemagen; there is nothing to compare or to change:\n", screen.Line(strings.Join(command, " ")))
		for _, call := range found.calls {
			fmt.Fprintf(r.out, "  %s\n", screen.Line(r.title(call)))
		}
		for _, install := range found.installs {
			if install.Tool == peerName {
				r.differs = true
				fmt.Fprintf(r.out, "It still installs controller-gen: %s %s\n", strings.Fields(install.How)[0], screen.Line(strings.Join(install.Args, " ")))
			}
		}
		return nil
	}
	if len(calls) == 0 {
		calls = found.calls
	}
	if compared, err := r.compareAll(ctx, calls, found); err != nil || !compared {
		return err
	}
	if calls[0].tool == productName {
		return nil
	}
	return r.change(ctx, found)
}

// reportUnreached reports the goals that make could not make, whose calls are unknown, and calls that are not compared.
func (r *migration) reportUnreached(command []string, found *recording) {
	for _, goal := range found.unreached(command) {
		fmt.Fprintf(r.out, "skipped: make cannot make %s\n", screen.Line(goal))
		for line := range strings.Lines(found.output) {
			if strings.Contains(line, "'"+goal+"'") && strings.Contains(line, "***") {
				fmt.Fprintf(r.out, "\t%s\n", screen.Line(strings.TrimSpace(line)))
			}
		}
		r.differs = true
	}
	for _, call := range found.outside {
		fmt.Fprintf(r.out, "skipped: a call outside of the project, in %s\n", screen.Line(call))
		r.differs = true
	}
	if r.differs {
		r.reason = "not all command lines were compared"
	}
}

// compareAll compares both tools for all calls. compared is false if there is no controller-gen.
func (r *migration) compareAll(ctx context.Context, calls []controllerGenCall,
	found *recording) (compared bool, err error) {
	if err := r.findPeer(ctx, calls, found); err != nil {
		return false, err
	}
	r.peer = r.named(r.peer)
	shown := progress.Start(ctx, "comparing", "command lines", len(calls))
	for _, call := range calls {
		if err := r.compare(ctx, call); err != nil {
			return false, err
		}
		shown.Add(1)
	}
	return true, nil
}

// makeGoals returns the command that makes what the project generates.
func (r *migration) makeGoals(ctx context.Context) ([]string, error) {
	var scripts []string
	for _, name := range r.project.tracked(ctx) {
		data, err := os.ReadFile(filepath.Join(r.project.root, filepath.FromSlash(name)))
		if err == nil && kindOf(name, data) == scriptFile && bytes.Contains(data, []byte(peerName)) {
			scripts = append(scripts, name)
		}
	}
	path := r.Makefile
	if path == "" {
		path = findMakefile(nil, r.Dir)
	}
	if path == "" {
		hint := "pass the command that generates, or the arguments of controller-gen, after --"
		for _, name := range scripts {
			hint += "\nschemagen migrate -- " + name
		}
		return nil, fmt.Errorf("no Makefile found: %s", hint)
	}
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	var names []string
	for _, name := range scripts {
		names = append(names, filepath.Base(name))
	}
	found := goals(r.makefileDir(path), filepath.Base(path), names)
	return makeCommand(path, found), nil
}

// consents asks whether a command may run dry, or says what would run.
func (r *migration) consents(command []string) bool {
	what := strings.Join(command, " ") + " in a copy of the project"
	if r.Consent.Allows("Run " + what + "; " + dryPrograms + ", and the controller-gen that the project installs") {
		r.Consent.Given = true // whatever the project names may run from now on
		return true
	}
	fmt.Fprintf(r.out, "migrate runs %s;\n%s.\nAllow it with --yes, or pass the arguments of controller-gen: schemagen migrate -- ARGUMENTS\n",
		screen.Line(what), dryPrograms)
	r.differs = true
	return false
}

// dryPrograms says which programs run in a dry run.
const dryPrograms = "docker, kubectl, curl, go install and others are replaced by programs that do nothing; shell commands, awk, python and $(shell …) run"

// maxOutput is the number of lines of a command's output that are shown.
const maxOutput = 10

// noCall says that a command called no controller-gen, and what it did.
func (r *migration) noCall(ctx context.Context, command []string, found *recording) error {
	r.differs = true
	fmt.Fprintf(r.out, "%s called no controller-gen.\n", screen.Line(strings.Join(command, " ")))
	for _, text := range found.replaced[:min(len(found.replaced), maxOutput)] {
		fmt.Fprintf(r.out, "It would have run: %s\n", screen.Line(text))
	}
	files, err := r.changeableFiles(ctx)
	if err != nil {
		return err
	}
	for _, place := range unchanged(files, nil) {
		fmt.Fprintf(r.out, "%s names controller-gen\n", screen.Line(place))
	}
	lines := strings.SplitAfter(strings.TrimRight(found.printed(), "\n"), "\n")
	if text := strings.Join(lines[max(0, len(lines)-maxOutput):], ""); text != "" {
		fmt.Fprintf(r.out, "The end of its output:\n%s", indented(text))
	}
	fmt.Fprintf(r.out, "Pass the command that generates, or the arguments of controller-gen: schemagen migrate -- COMMAND\n")
	return nil
}

// title describes a call.
func (r *migration) title(call controllerGenCall) string {
	text := strings.Join(slices.Concat(call.env, call.args), " ")
	if call.world != "" {
		text = strings.ReplaceAll(text, call.world+string(filepath.Separator), "")
	}
	dir := replacePath(call.dir, output.Physical(r.Dir), ".")
	if dir = strings.TrimPrefix(dir, "./"); dir != "." && dir != "" {
		return "in " + dir + ": " + text
	}
	return text
}

// callInArgs returns the call in the arguments of the command migrate.
func callInArgs(args []string) (call controllerGenCall, err error) {
	call, ok := callOf(args)
	if !ok {
		return call, fmt.Errorf("no generator in the arguments %q", args)
	}
	if !slices.ContainsFunc(call.args, func(arg string) bool { return strings.HasPrefix(arg, "paths=") }) {
		return call, fmt.Errorf("no packages in the arguments %q: schemagen migrate -- %s paths=./... compares those of the module", args, strings.Join(args, " "))
	}
	call.dir = "."
	return call, nil
}

// makefileDir returns the directory of a Makefile in the project, without symlinks.
func (r *migration) makefileDir(path string) string {
	if dir := filepath.Dir(path); filepath.IsAbs(dir) {
		return output.Physical(dir)
	}
	return output.Physical(filepath.Join(r.Dir, filepath.Dir(path)))
}

// compare runs both tools for one call and reports the differences.
func (r *migration) compare(ctx context.Context, call controllerGenCall) error {
	fmt.Fprintf(r.out, "%s\n", screen.Line(r.title(call)))
	self, err := os.Executable()
	if err != nil {
		return err
	}
	dir := call.dir
	if !filepath.IsAbs(dir) {
		dir = filepath.Join(r.Dir, dir)
	}
	// run replaces the path of the project with that of the copy.
	within := "--" + WithinFlag + "=" + r.project.root
	run := func(command []string, more ...string) (runResult, error) {
		if command[0] == self {
			more = append(more, within)
		}
		return r.project.run(ctx, dir, call.env, command, r.redirected(call), more)
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
			r.differs = r.differs || len(theirs.files) == 0
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

// redirected returns the arguments of a call with directories of the project in place of temporary ones.
func (r *migration) redirected(call controllerGenCall) (out []string) {
	for _, arg := range call.args {
		if call.world != "" {
			arg = replacePath(arg, filepath.Join(call.world, "tmp"), filepath.Join(r.project.root, ".migrate"))
		}
		out = append(out, arg)
	}
	return out
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
	if r.noBase != nil {
		return reason{text: other + ": compare with that version to see other differences"}, true, nil
	}
	base := r.run.project.file(*r.base, name)
	if (base == nil) == (ours == nil) && bytes.Equal(withoutVersion(base), withoutVersion(ours)) {
		text := fmt.Sprintf("the version of controller-gen alone: %s writes what schemagen writes", EqualVersion())
		if changes := peerversions.Since(r.run.peer.version); len(changes) > 0 {
			text += fmt.Sprintf("; docs/differences.md lists the %s since %s", count(len(changes), "change"), r.run.peer.version)
		}
		return reason{text, true}, true, nil
	}
	if bytes.Equal(withoutVersion(base), withoutVersion(theirs)) {
		return reason{}, false, nil
	}
	return reason{text: other + ", which is a part of it; run it with --controller-gen to see the rest"}, true, nil
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
	return reason{text: "unknown reason: please report it at https://github.com/schemagen/schemagen/issues"}, nil
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
