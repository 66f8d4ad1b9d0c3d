package migrate

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
)

// ShimCommand is the hidden first argument of the processes that take the place of other programs
// in a dry run.
const ShimCommand = "__shim"

// Names of the two tools.
const (
	peerName    = "controller-gen"
	productName = "schemagen"
)

// dryWorld is the part of a dry run that its shims read.
type dryWorld struct {
	// Root is the copy of the project.
	Root string
	// Dir has the shims, the log and all temporary directories.
	Dir string
	// Go, Git and Mktemp are the real programs, and GoRoot the real directory of Go.
	Go, Git, Mktemp, GoRoot string
	// Environment are the variables for Go that the dry run started with.
	Environment map[string]string
}

// event is a line of the log.
type event struct {
	// Call is set for a run of a generator, and Install if one is installed. Otherwise a
	// program was replaced by one that does nothing.
	Call, Install bool
	Tool, Version string
	// Temporary is a file or directory that mktemp made, and Own the directory of the project's own
	// controller-gen.
	Temporary, Own string
	// How is how the tool was reached, for example "go run".
	How  string
	Dir  string
	Args []string
	Env  []string
}

// shim is one process in the place of a program.
type shim struct {
	dryWorld
	dir string
	out io.Writer
}

// Shim takes the place of a program in a dry run and prints to out and returns the exit code. The arguments are the
// directory of the dry run, the kind of the shim, the name and version of the tool for a stub, the path
// of the program, and its arguments.
func Shim(out io.Writer, args []string) int {
	if len(args) < 5 {
		return 2
	}
	data, err := os.ReadFile(filepath.Join(args[0], "world.json"))
	s := shim{out: out}
	if err == nil {
		err = json.Unmarshal(data, &s.dryWorld)
	}
	if err == nil {
		s.dir, err = os.Getwd()
	}
	code := 0
	if err == nil {
		code, err = s.run(args[1], args[2], args[3], args[4], args[5:])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	return code
}

func (s *shim) run(kind, tool, version, program string, args []string) (int, error) {
	switch kind {
	case "go":
		return s.goCommand(args)
	case "git":
		return s.git(args)
	case "mktemp":
		return s.mktemp(args)
	case "download":
		return 0, s.download(filepath.Base(program), args)
	case "stub":
		return 0, s.stub(event{Tool: tool, Version: version, How: s.relative(program), Dir: s.dir, Args: args})
	}
	return 0, s.log(event{Tool: filepath.Base(program), Dir: s.dir, Args: args})
}

// log appends an event to the log.
func (s *shim) log(e event) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	file, err := os.OpenFile(filepath.Join(s.Dir, "log"), os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(append(line, '\n'))
	return errors.Join(err, file.Close())
}

// relative returns a path in the copy relative to it.
func (s *shim) relative(name string) string {
	if rel, err := filepath.Rel(s.Root, name); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return name
}

// stub logs a call of a tool. A question for the version is answered instead.
func (s *shim) stub(e event) error {
	if slices.Contains(e.Args, "--version") {
		if e.Tool == productName {
			e.Version = productName + "-" + e.Version
		}
		_, err := fmt.Fprintln(s.out, "Version: "+e.Version)
		return err
	}
	e.Call = true
	for _, name := range goVariables() {
		value, set := os.LookupEnv(name)
		if host := map[string]string{"GOOS": runtime.GOOS, "GOARCH": runtime.GOARCH}[name]; host != "" && value == host {
			continue // go generate sets them
		}
		if set && value != s.Environment[name] {
			e.Env = append(e.Env, name+"="+value)
		}
	}
	for i, arg := range e.Args {
		e.Args[i] = namedFile().ReplaceAllStringFunc(arg, func(found string) string {
			return found[:1] + s.saved(found[1:], e.Dir)
		})
	}
	return s.log(e)
}

// goVariables are the variables that a call is recorded with.
func goVariables() []string {
	return []string{"GOFLAGS", "GOOS", "GOARCH", "GO111MODULE", "GOWORK", "GOEXPERIMENT"}
}

// namedFile matches a value in an argument of controller-gen that may be the name of a file.
var namedFile = lazyregexp.New(`=[^=,:"]+`)

// maxSaved is the size up to which a file that an argument names is saved.
const maxSaved = 1 << 20

// saved saves a file that was made during the dry run, and returns the name of the copy. Another name
// is returned unchanged.
func (s *shim) saved(name, dir string) string {
	file := name
	if !filepath.IsAbs(file) {
		file = filepath.Join(dir, file)
	}
	info, err := os.Stat(file)
	if err != nil || !info.Mode().IsRegular() || info.Size() > maxSaved || info.ModTime().Equal(copyTime()) {
		return name
	}
	data, err := os.ReadFile(file)
	if err != nil {
		return name
	}
	target := filepath.Join(s.Dir, "saved", fmt.Sprintf("%x", sha256.Sum256(data)))
	if os.MkdirAll(filepath.Dir(target), 0o777) != nil || os.WriteFile(target, data, 0o666) != nil {
		return name
	}
	return target
}

// real runs the real program and returns its exit code.
func (s *shim) real(program string, args []string) (int, error) {
	cmd := exec.Command(program, args...)
	cmd.Stdin = os.Stdin
	cmd.Stdout = s.out
	cmd.Stderr = os.Stderr
	err := cmd.Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		return max(exit.ExitCode(), 1), nil
	}
	return 0, err
}

// git runs git, except for commands that use the network.
func (s *shim) git(args []string) (int, error) {
	for _, arg := range args {
		if slices.Contains([]string{"push", "fetch", "pull", "clone", "ls-remote", "submodule", "lfs", "send-email"}, arg) {
			return 0, s.log(event{Tool: "git", Dir: s.dir, Args: args})
		}
	}
	return s.real(s.Git, args)
}

// mktemp runs mktemp and logs the name that it chose.
func (s *shim) mktemp(args []string) (int, error) {
	var printed bytes.Buffer
	out := s.out
	s.out = io.MultiWriter(out, &printed)
	code, err := s.real(s.Mktemp, args)
	s.out = out
	if name := strings.TrimSpace(printed.String()); name != "" && err == nil {
		err = s.log(event{Tool: "mktemp", Dir: s.dir, Args: args, Temporary: name})
	}
	return code, err
}

// download stands for curl and wget: a release of controller-tools becomes a stub, and every other file
// is empty.
func (s *shim) download(program string, args []string) error {
	target := ""
	address := ""
	remoteName := false
	for i, arg := range args {
		isFlag := strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "--")
		switch {
		case strings.Contains(arg, "://"):
			address = arg
		case i+1 < len(args) && (arg == "--output" || isFlag && program == "curl" && strings.HasSuffix(arg, "o") ||
			isFlag && program == "wget" && strings.HasSuffix(arg, "O")):
			target = args[i+1]
		case arg == "--remote-name" || isFlag && program == "curl" && strings.Contains(arg, "O"):
			remoteName = true
		}
	}
	if target == "" && (remoteName || program == "wget") {
		target = path.Base(address)
	}
	content := ""
	if strings.Contains(address, "/controller-tools/") {
		version := releaseVersion().FindString(address)
		content = s.script("stub", peerName, version)
		install := event{Install: true, Tool: peerName, Version: version, How: program, Dir: s.dir, Args: args}
		if err := s.log(install); err != nil {
			return err
		}
	} else if err := s.log(event{Tool: program, Dir: s.dir, Args: args}); err != nil {
		return err
	}
	if target == "" || target == "-" {
		_, err := fmt.Fprint(s.out, content)
		return err
	}
	return os.WriteFile(filepath.Join(s.dir, rebased(target, s.dir)), []byte(content), 0o777)
}

// rebased returns a path relative to a directory.
func rebased(name, dir string) string {
	if rel, err := filepath.Rel(dir, name); filepath.IsAbs(name) && err == nil {
		return rel
	}
	return name
}

// releaseVersion matches the version of a tool.
var releaseVersion = lazyregexp.New(`v?\d+\.\d+\.\d+(-[0-9A-Za-z][0-9A-Za-z.-]*)?`)

// script returns the shell script of a shim.
func (w *dryWorld) script(kind, tool, version string) string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	words := []string{self, ShimCommand, w.Dir, kind, tool, version}
	for i, word := range words {
		words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
	}
	return "#!/bin/sh\nexec " + strings.Join(words, " ") + ` "$0" "$@"` + "\n"
}

// write writes the script of a shim.
func (w *dryWorld) write(name, kind, tool, version string) error {
	if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
		return err
	}
	if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	return os.WriteFile(name, []byte(w.script(kind, tool, version)), 0o777)
}

// goArguments are parsed arguments of the go command.
type goArguments struct {
	dir, command, output, modfile string
	printOnly                     bool
	// words are the packages or, for run and tool, the package and its arguments.
	words []string
}

// goArgumentsOf parses arguments of the go command.
func goArgumentsOf(args []string, dir string) goArguments {
	g := goArguments{dir: dir}
	valued := []string{"C", "o", "tags", "mod", "modfile", "ldflags", "gcflags", "asmflags", "p", "exec", "overlay",
		"pkgdir", "toolexec", "installsuffix", "buildmode", "compiler", "pgo", "coverpkg", "covermode"}
	for len(args) > 0 {
		arg := args[0]
		args = args[1:]
		if !strings.HasPrefix(arg, "-") {
			if g.command == "" {
				g.command = arg
				continue
			}
			g.words = append([]string{arg}, args...)
			return g
		}
		name, value, inline := strings.Cut(strings.TrimLeft(arg, "-"), "=")
		if !inline && slices.Contains(valued, name) && len(args) > 0 {
			value = args[0]
			args = args[1:]
		}
		switch name {
		case "C":
			g.dir = filepath.Join(g.dir, rebased(value, g.dir))
		case "o":
			g.output = value
		case "modfile":
			g.modfile = value
		case "n":
			g.printOnly = true
		}
	}
	return g
}

// goCommand stands for the go command.
func (s *shim) goCommand(args []string) (int, error) {
	g := goArgumentsOf(args, s.dir)
	switch g.command {
	case "env", "list", "version", "generate", "help":
		return s.real(s.Go, args)
	case "mod":
		if len(g.words) > 0 && slices.Contains([]string{"init", "edit"}, g.words[0]) {
			return s.real(s.Go, args)
		}
	case "install", "build", "get":
		return 0, s.goInstall(g, args)
	case "run", "tool":
		if len(g.words) == 0 {
			break
		}
		name, version, _ := strings.Cut(g.words[0], "@")
		tool := toolOf(name, g.command)
		switch {
		case tool != "" && g.printOnly:
			stub := filepath.Join(s.Dir, "tool", tool)
			if err := s.write(stub, "stub", tool, s.version(g, tool, version)); err != nil {
				return 1, err
			}
			_, err := fmt.Fprintln(s.out, stub)
			return 0, err
		case tool != "":
			return 0, s.stub(event{Tool: tool, Version: s.version(g, tool, version), How: "go " + g.command, Dir: g.dir, Args: g.words[1:]})
		case g.command == "run" && s.isLocal(g, name):
			return s.real(s.Go, args)
		}
	}
	return 0, s.log(event{Tool: "go", Dir: s.dir, Args: args})
}

// toolOf returns the tool of a package or, for go tool, of a name; "" is another program.
func toolOf(name, command string) string {
	for tool, pkg := range map[string]string{peerName: toolPackage, productName: productPackage} {
		if strings.HasSuffix(name, pkg) || command == "tool" && name == tool {
			return tool
		}
	}
	return ""
}

// version returns the version of a tool: the one after @, or the one that go.mod requires.
func (s *shim) version(g goArguments, tool, version string) string {
	if version != "" {
		return version
	}
	name := filepath.Join(findUp("go.mod", g.dir), "go.mod")
	if g.modfile != "" {
		name = filepath.Join(g.dir, rebased(g.modfile, g.dir))
	}
	data, err := os.ReadFile(name)
	if err != nil {
		return ""
	}
	mod, err := modfile.ParseLax(name, data, nil)
	if err != nil {
		return ""
	}
	for _, require := range mod.Require {
		if tool == peerName && require.Mod.Path == toolModule || tool == productName && strings.HasPrefix(productPackage, require.Mod.Path+"/") {
			return require.Mod.Version
		}
	}
	return ""
}

// isLocal reports whether a package belongs to the project.
func (s *shim) isLocal(g goArguments, name string) bool {
	if strings.HasPrefix(name, ".") || strings.HasSuffix(name, ".go") || filepath.IsAbs(name) {
		return true
	}
	data, err := os.ReadFile(filepath.Join(findUp("go.mod", g.dir), "go.mod"))
	return err == nil && strings.HasPrefix(name, modfile.ModulePath(data)+"/")
}

// majorVersion matches the last element of a package path that is a major version.
var majorVersion = lazyregexp.New(`^v\d+$`)

// goInstall puts stubs where the go command would install or build programs.
func (s *shim) goInstall(g goArguments, args []string) error {
	if len(g.words) == 0 {
		g.words = []string{"."}
	}
	for _, word := range g.words {
		name, version, _ := strings.Cut(word, "@")
		tool := toolOf(name, g.command)
		if g.command == "get" && tool != peerName {
			break // only releases of Go that are older than schemagen install programs
		}
		own := ""
		if tool == "" && (strings.HasPrefix(name, ".") || filepath.IsAbs(name)) {
			name = filepath.Join(g.dir, rebased(name, g.dir))
			if toolFile().MatchString(filepath.Base(name)) {
				own = s.relative(name)
				tool = peerName
			}
		}
		base := path.Base(name)
		if majorVersion().MatchString(base) {
			base = path.Base(path.Dir(name))
		}
		target := filepath.Join(s.goBin(), base)
		if g.command == "build" {
			target = filepath.Join(g.dir, rebased(g.output, g.dir))
			if info, err := os.Stat(target); err == nil && info.IsDir() || strings.HasSuffix(g.output, "/") {
				target = filepath.Join(target, base)
			}
		}
		if tool != "" {
			version = s.version(g, tool, version)
			e := event{Install: true, Tool: tool, Version: version, How: "go " + g.command, Dir: s.dir, Args: args, Own: own}
			if err := errors.Join(s.write(target, "stub", tool, version), s.log(e)); err != nil {
				return err
			}
			continue
		}
		if info, err := os.Stat(target); g.command == "build" && (g.output == "" || err == nil && info.IsDir()) {
			continue
		}
		if err := s.write(target, "none", "", ""); err != nil {
			return err
		}
	}
	return s.log(event{Tool: "go", Dir: s.dir, Args: args})
}

// goBin is the directory in which go install puts programs.
func (s *shim) goBin() string {
	if dir := os.Getenv("GOBIN"); dir != "" {
		return dir
	}
	first, _, _ := strings.Cut(os.Getenv("GOPATH"), string(filepath.ListSeparator))
	if first == "" {
		first = filepath.Join(s.Dir, "gopath")
	}
	return filepath.Join(first, "bin")
}

// isScript reports whether a file is a script, not a binary program.
func isScript(name string) bool {
	data, err := os.ReadFile(name)
	return err == nil && bytes.HasPrefix(data, []byte("#!"))
}

// toolFile matches the file name of controller-gen, with a version or without.
var toolFile = lazyregexp.New(`^` + regexp.QuoteMeta(peerName) + `(-v?[0-9][0-9A-Za-z.+-]*)?(\.exe)?$`)
