package migrate

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/run/output"
)

// dryTimeLimit ends a dry run that waits or loops.
const dryTimeLimit = 2 * time.Minute

// allowed are the programs that run in a dry run. Every other name in PATH is a program that does
// nothing: a list of what is forbidden would leak.
func allowed() []string {
	return strings.Fields(`
		[ arch awk base64 basename bash cat chmod cksum cmp column comm cp csplit cut dash date dd df diff dirname du
		echo egrep env expand expr false fgrep file find fmt fold gawk getconf getopt gmake grep gsed gunzip gzip head
		hexdump hostname id install jq join ksh ln locale ls make mawk md5sum mkdir mkfifo mv nl nproc od paste
		patch perl pr printenv printf pwd python python3 readlink realpath rev rm rmdir sed seq sh sha1sum sha256sum
		sha512sum shasum shuf sleep sort split stat sum sw_vers sysctl tac tail tar tee test time timeout touch tput tr
		true truncate tsort tty uname unexpand uniq unzip wc which whoami xargs xxd yes yq zsh`)
}

// recording is what a dry run called.
type recording struct {
	// calls are the runs of the generators, each once.
	calls []controllerGenCall
	// installs are the installations of controller-gen and schemagen.
	installs []event
	// replaced are the commands that were replaced, and outside the calls outside of the project, each once.
	replaced, outside []string
	// output is what the commands printed.
	output string
}

// printed returns the output with paths of the copy relative to it.
func (found *recording) printed() string {
	return strings.NewReplacer(copyMark+string(filepath.Separator), "", worldMark+"/path/", "").Replace(found.output)
}

// pathTool is a tool in PATH of a dry run.
type pathTool struct{ tool, version string }

// dryRun is a dry run to make.
type dryRun struct {
	// command is run in dir, a directory of the project.
	command []string
	dir     string
	// changed are files of the project with other content, by their path in it.
	changed map[string][]byte
	// path are tools in PATH, and stubs the paths of more stubs for controller-gen.
	path  []pathTool
	stubs []string
}

// record runs a command in a copy of the project, with programs that do nothing except log in the place
// of all but the allowed ones.
func (r *migration) record(ctx context.Context, dry dryRun) (*recording, error) {
	copied, err := r.project.newGitCopy(ctx, r.out)
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(copied)
	dir := filepath.Join(r.project.temp, "dry")
	w := &dryWorld{Root: copied, Dir: dir, Environment: map[string]string{}}
	for name, data := range dry.changed {
		if err := os.WriteFile(filepath.Join(copied, filepath.FromSlash(name)), data, 0o777); err != nil {
			return nil, err
		}
	}
	if err := w.removeTools(copied); err != nil {
		return nil, err
	}
	env, err := w.build(ctx, dry)
	if err != nil {
		return nil, err
	}
	for _, name := range dry.stubs {
		name = strings.NewReplacer(copyMark, copied, worldMark, dir).Replace(name)
		if !filepath.IsAbs(name) {
			name = filepath.Join(replacePath(dry.dir, r.project.root, copied), name)
		}
		if !output.IsBelow(copied, output.Physical(name)) && !output.IsBelow(dir, output.Physical(name)) {
			continue
		}
		if err := w.write(name, "stub", peerName, ""); err != nil {
			return nil, err
		}
	}
	limited, cancel := context.WithTimeout(ctx, dryTimeLimit)
	defer cancel()
	program := dry.command[0]
	if !strings.ContainsRune(program, filepath.Separator) {
		program = filepath.Join(dir, "path", program)
	}
	cmd := exec.CommandContext(limited, program, dry.command[1:]...)
	cmd.Dir = replacePath(dry.dir, r.project.root, copied)
	cmd.Env = append(env, "PWD="+cmd.Dir)
	killGroup(cmd)
	var printed bytes.Buffer
	cmd.Stdout = &printed
	cmd.Stderr = &printed
	err = cmd.Run()
	switch exit, isExit := errors.AsType[*exec.ExitError](err); {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case limited.Err() != nil:
		return nil, fmt.Errorf("%s did not end within %v", strings.Join(dry.command, " "), dryTimeLimit)
	case err != nil && !isExit:
		return nil, err
	case isExit && exit.ExitCode() < 0:
		return nil, fmt.Errorf("%s: %w", strings.Join(dry.command, " "), err)
	}
	return w.read(printed.String(), r.project.root)
}

// Marks for the copy and for the directory of the dry run, whose names differ from run to run.
const (
	copyMark  = "<copy>"
	worldMark = "<dry run>"
)

// removeTools removes installed programs of controller-gen and schemagen from a copy: the dry run shows what
// a machine without them would install.
func (w *dryWorld) removeTools(copied string) error {
	return filepath.WalkDir(copied, func(name string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if d.IsDir() || !toolFile().MatchString(d.Name()) && !productFile().MatchString(d.Name()) {
			return nil
		}
		info, err := os.Stat(name)
		if err == nil && info.Mode().IsRegular() && (info.Mode().Perm()&0o100 == 0 || isScript(name)) {
			return nil
		}
		return os.Remove(name)
	})
}

// build prepares the directory of the dry run, which only keeps what an earlier one did not change, and returns
// the environment.
func (w *dryWorld) build(ctx context.Context, dry dryRun) ([]string, error) {
	for _, name := range []string{"home", "tmp", "gopath", "tools", "tool", "log"} {
		if err := os.RemoveAll(filepath.Join(w.Dir, name)); err != nil {
			return nil, err
		}
	}
	for _, name := range []string{"home", "tmp", "gopath/bin", "path", "tools", "goroot/bin"} {
		if err := os.MkdirAll(filepath.Join(w.Dir, name), 0o777); err != nil {
			return nil, err
		}
	}
	settings := map[string]string{}
	out, err := exec.CommandContext(ctx, "go", "env", "-json", "GOROOT", "GOMODCACHE", "GOCACHE").Output()
	if err == nil {
		err = json.Unmarshal(out, &settings)
	}
	if err != nil {
		return nil, fmt.Errorf("go env: %w", err)
	}
	w.GoRoot = settings["GOROOT"]
	w.Go = filepath.Join(w.GoRoot, "bin", "go")
	w.Git, _ = exec.LookPath("git") // without it, its name means nothing either
	w.Mktemp, _ = exec.LookPath("mktemp")
	settings["GOROOT"] = filepath.Join(w.Dir, "goroot")
	for _, tool := range dry.path {
		if err := w.write(filepath.Join(w.Dir, "tools", tool.tool), "stub", tool.tool, tool.version); err != nil {
			return nil, err
		}
	}
	if !exists(filepath.Join(w.Dir, "none")) {
		if err := w.fillPath(); err != nil {
			return nil, err
		}
	}
	for name, value := range map[string]string{
		"HOME": filepath.Join(w.Dir, "home"), "TMPDIR": filepath.Join(w.Dir, "tmp"), "GOPATH": filepath.Join(w.Dir, "gopath"),
		"GOPROXY": "off", "GOSUMDB": "off", "GOTOOLCHAIN": "local", "CGO_ENABLED": "0", "LC_ALL": "C", "GIT_TERMINAL_PROMPT": "0",
		"PATH": strings.Join([]string{filepath.Join(w.Dir, "path"), filepath.Join(w.Dir, "tools"), filepath.Join(w.Dir, "gopath", "bin")}, string(filepath.ListSeparator)),
	} {
		settings[name] = value
	}
	var env []string
	for _, variable := range os.Environ() {
		name, value, _ := strings.Cut(variable, "=")
		if slices.Contains(goVariables(), name) {
			w.Environment[name] = value
		}
		if _, set := settings[name]; !set && !droppedVariable().MatchString(name) {
			env = append(env, variable)
		}
	}
	for name, value := range settings {
		env = append(env, name+"="+value)
	}
	data, err := json.Marshal(w)
	if err != nil {
		return nil, err
	}
	return env, os.WriteFile(filepath.Join(w.Dir, "world.json"), data, 0o666)
}

// droppedVariable matches the names of variables that a dry run does not have: make's own, credentials,
// and places outside of the copy.
var droppedVariable = lazyregexp.New(`(?i)^(MAKE.*|MFLAGS|GOBIN|PWD|XDG_.*|AWS_.*|AZURE_.*|GOOGLE_.*|GIT_.*|SSH_AUTH_SOCK|KUBECONFIG|DOCKER_.*)$|TOKEN|SECRET|PASSWORD|CREDENTIAL`)

// fillPath fills the first directory of PATH, which all dry runs share: links to the allowed programs, and shims
// for all others that the user's PATH has. The directories of tools and of go install follow it in PATH.
func (w *dryWorld) fillPath() error {
	bin := filepath.Join(w.Dir, "path")
	none := filepath.Join(w.Dir, "none")
	if err := w.write(none, "none", "", ""); err != nil {
		return err
	}
	for name, kind := range map[string]string{"go": "go", "git": "git", "mktemp": "mktemp", "curl": "download", "wget": "download"} {
		if err := w.write(filepath.Join(bin, name), kind, "", ""); err != nil {
			return err
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		entries, err := os.ReadDir(dir)
		if err != nil || !filepath.IsAbs(dir) {
			continue
		}
		for _, entry := range entries {
			name := entry.Name()
			if toolFile().MatchString(name) || productFile().MatchString(name) {
				continue
			}
			program := none
			if slices.Contains(allowed(), name) {
				program = filepath.Join(dir, name)
			}
			if err := os.Symlink(program, filepath.Join(bin, name)); err != nil && !errors.Is(err, os.ErrExist) {
				return err
			}
		}
	}
	entries, err := os.ReadDir(w.GoRoot)
	if err != nil {
		return err
	}
	root := filepath.Join(w.Dir, "goroot")
	for _, entry := range entries {
		if entry.Name() == "bin" {
			continue
		}
		if err := os.Symlink(filepath.Join(w.GoRoot, entry.Name()), filepath.Join(root, entry.Name())); err != nil {
			return err
		}
	}
	return w.write(filepath.Join(root, "bin", "go"), "go", "", "")
}

// productFile matches the file name of schemagen, with a version or without.
var productFile = lazyregexp.New(`^` + productName + `(-(v?[0-9][0-9A-Za-z.+-]*|latest))?(\.exe)?$`)

// read reads the log of a dry run. Paths of the copy become those of the project.
func (w *dryWorld) read(printed, root string) (*recording, error) {
	here := func(text string) string { return replacePath(text, w.Root, root) }
	found := &recording{output: strings.ReplaceAll(strings.ReplaceAll(printed, w.Root, copyMark), w.Dir, worldMark)}
	data, err := os.ReadFile(filepath.Join(w.Dir, "log"))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	var temporaries []string // pairs for strings.NewReplacer: random names become those of the order in the log
	for line := range bytes.Lines(data) {
		var e event
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, err
		}
		switch {
		case e.Temporary != "":
			temporaries = append(temporaries, filepath.Base(e.Temporary), fmt.Sprintf("temporary%d", len(temporaries)/2+1))
		case e.Install:
			found.installs = append(found.installs, e)
		case !e.Call:
			if text := strings.Join(append([]string{e.Tool}, e.Args...), " "); !slices.Contains(found.replaced, text) {
				found.replaced = append(found.replaced, here(text))
			}
		case !output.IsBelow(w.Root, e.Dir) && !output.IsBelow(w.Dir, e.Dir):
			if text := e.Dir + ": " + strings.Join(e.Args, " "); !slices.Contains(found.outside, text) {
				found.outside = append(found.outside, text)
			}
		default:
			how := strings.ReplaceAll(here(e.How), w.Dir, worldMark)
			call := controllerGenCall{tool: e.Tool, version: e.Version, how: how, dir: here(e.Dir), world: w.Dir}
			for _, word := range e.Env {
				call.env = append(call.env, here(word))
			}
			for _, word := range e.Args {
				call.args = append(call.args, strings.NewReplacer(temporaries...).Replace(here(word)))
			}
			if !slices.ContainsFunc(found.calls, func(c controllerGenCall) bool {
				return c.id() == call.id() && c.tool == call.tool && c.version == call.version
			}) {
				call.order = len(found.calls)
				found.calls = append(found.calls, call)
			}
		}
	}
	slices.SortStableFunc(found.calls, func(a, b controllerGenCall) int { return cmp.Compare(a.id(), b.id()) })
	return found, nil
}

// missingTool matches a message about a program of controller-gen that does not exist.
var missingTool = lazyregexp.New(`([^\s:'"]*/)?` + peerName + `[^\s:/'"]*['"]?: (command not found|not found|No such file or directory|Command not found)`)

// baseline records the project as it is: on a machine without controller-gen and, where the commands
// do not install it, with one in PATH or in the place where they expect it.
func (r *migration) baseline(ctx context.Context, command []string) (*recording, error) {
	if runtime.GOOS == "windows" {
		return nil, errors.New("there are no dry runs on Windows: pass the arguments of controller-gen with schemagen migrate -- ARGUMENTS")
	}
	if _, err := exec.LookPath(command[0]); err != nil && !strings.ContainsRune(command[0], filepath.Separator) {
		return nil, fmt.Errorf("%s not found; the arguments of controller-gen need no other program: schemagen migrate -- ARGUMENTS", command[0])
	}
	r.dry = dryRun{command: command, dir: r.commandDir()}
	found, err := r.record(ctx, r.dry)
	if err != nil {
		return nil, err
	}
	if !missingTool().MatchString(found.output) && len(found.calls) > 0 {
		return found, nil
	}
	again := r.dry
	again.path = []pathTool{{peerName, ""}, {productName, ""}}
	for _, match := range missingTool().FindAllStringSubmatch(found.output, -1) {
		name, _, _ := strings.Cut(match[0], ":")
		if strings.ContainsRune(name, filepath.Separator) {
			again.stubs = append(again.stubs, name)
		}
	}
	second, err := r.record(ctx, again)
	if err != nil || len(second.calls) <= len(found.calls) {
		return found, err
	}
	r.dry.stubs = again.stubs
	r.inPath = true
	return second, nil
}

// commandDir is the directory in which the commands run.
func (r *migration) commandDir() string {
	if r.Makefile == "" {
		return output.Physical(r.Dir)
	}
	return r.makefileDir(r.Makefile)
}

// ruleTargets matches a rule of a Makefile with literal targets.
var ruleTargets = lazyregexp.New(`^([A-Za-z0-9_./-]+(?:[ \t]+[A-Za-z0-9_./-]+)*)[ \t]*::?(?:[^=]|$)`)

// toolText matches a text that concerns controller-gen.
var toolText = lazyregexp.New(`(?i)controller[-_]?gen\b|go generate`)

// goals returns the targets of a Makefile to run: the usual names, and the ones whose recipes, or the
// scripts that these name, concern controller-gen. They come from the text, so some may not exist.
func goals(dir, name string, scripts []string) (out []string) {
	files := []string{filepath.Join(dir, name)}
	if data, err := os.ReadFile(files[0]); err == nil && bytes.Contains(data, []byte("include ")) {
		for _, pattern := range []string{"*.mk", filepath.Join("*", "*.mk")} {
			included, _ := filepath.Glob(filepath.Join(dir, pattern))
			files = append(files, included...)
		}
	}
	var lines []string
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil {
			lines = append(lines, logicalLines(string(data))...)
		}
	}
	tools := toolVariables(lines)
	isTool := func(match []string) bool { return tools[match[1]] }
	concerns := func(text string) bool {
		return toolText().MatchString(text) ||
			slices.ContainsFunc(scripts, func(script string) bool { return strings.Contains(text, script) }) ||
			slices.ContainsFunc(anyVariable().FindAllStringSubmatch(text, -1), isTool) ||
			slices.ContainsFunc(calledFunction().FindAllStringSubmatch(text, -1), isTool)
	}
	var current []string
	for _, line := range lines {
		var found []string
		match := ruleTargets().FindStringSubmatch(line)
		if match != nil {
			current = strings.Fields(match[1])
			found = slices.DeleteFunc(slices.Clone(current), func(goal string) bool {
				return !usualGoal().MatchString(goal)
			})
		}
		_, recipe, inline := strings.Cut(line, ";")
		if strings.HasPrefix(line, "\t") && concerns(line) || match != nil && inline && concerns(recipe) {
			found = current
		}
		for _, goal := range found {
			if !slices.Contains(out, goal) && !strings.HasPrefix(goal, ".") && !toolFile().MatchString(filepath.Base(goal)) {
				out = append(out, goal)
			}
		}
	}
	return out
}

// calledFunction matches a call of a function that a Makefile defines.
var calledFunction = lazyregexp.New(`\$\(call[ \t]+([\w-]+)`)

// toolVariables returns the variables and functions of a Makefile whose values name controller-gen.
func toolVariables(lines []string) map[string]bool {
	values := map[string]string{}
	defined := ""
	for _, line := range lines {
		words := strings.Fields(line)
		switch match := assignment().FindStringSubmatch(line); {
		case len(words) > 1 && words[0] == "define":
			defined = words[1]
		case len(words) == 1 && words[0] == "endef":
			defined = ""
		case defined != "":
			values[defined] += line
		case match != nil && !strings.HasPrefix(line, "\t"):
			values[match[2]] += match[4]
		}
	}
	tools := map[string]bool{}
	for changed := true; changed; {
		changed = false
		for name, value := range values {
			names := toolText().MatchString(value) || slices.ContainsFunc(anyVariable().FindAllStringSubmatch(value, -1),
				func(match []string) bool { return tools[match[1]] })
			if names && !tools[name] {
				tools[name] = true
				changed = true
			}
		}
	}
	return tools
}

// usualGoal matches the usual names of targets that generate.
var usualGoal = lazyregexp.New(`^(` + strings.Join([]string{"manifests", "generate", "gen", "codegen", "crds?", "generate-.*", "update-codegen"}, "|") + `)$`)

// makeCommand returns the command that runs goals of a Makefile. No failing line hides later ones.
func makeCommand(path string, goals []string) []string {
	command := []string{"make", "-ki"}
	if !slices.Contains(makefileNames(), filepath.Base(path)) {
		command = append(command, "-f", filepath.Base(path))
	}
	return append(command, goals...)
}

// notRemade matches a message of make about a target that it cannot make.
var notRemade = lazyregexp.New("Target ['`]([^']*)' not remade because of errors")

// unreached returns the goals that make could not make.
func (found *recording) unreached(command []string) (out []string) {
	for _, match := range notRemade().FindAllStringSubmatch(found.output, -1) {
		if slices.Contains(command, match[1]) {
			out = append(out, match[1])
		}
	}
	return out
}
