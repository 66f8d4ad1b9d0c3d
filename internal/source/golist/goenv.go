package golist

import (
	"go/build"
	"path/filepath"
	"runtime"
	"strconv"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/inputs"
)

// goEnv is the environment of the go command, determined without running it.
type goEnv struct {
	in       *inputs.Reader
	root     string // GOROOT
	modCache string // GOMODCACHE
	version  string // toolchain version, for example "1.26.8"
	work     string // GOWORK as set: empty, off, or a file
	mod      string // -mod in GOFLAGS: empty, mod, readonly or vendor
	context  build.Context
}

// Toolchain is a Go installation, for files that are in memory and so have none.
type Toolchain struct {
	// Root is GOROOT, and ModCache GOMODCACHE.
	Root, ModCache string
	// Version is the version of Go, for example "1.26.8".
	Version string
}

// env returns the environment of the toolchain, without cgo, on linux/amd64. If there is no toolchain, it is read.
func (t *Toolchain) env(reader *inputs.Reader, tags []string) (env goEnv, reason string) {
	if t == nil {
		return readGoEnv(reader, tags)
	}
	get := func(name string) string {
		return map[string]string{"GOOS": "linux", "GOARCH": "amd64", "CGO_ENABLED": "0"}[name]
	}
	env = goEnv{in: reader, root: t.Root, modCache: t.ModCache, version: t.Version, work: "off", mod: "mod"}
	env.context = buildContext(reader, get, t.Root, minorVersion(t.Version), tags)
	return env, ""
}

// readGoEnv determines the environment of the go command: from the environment variables of
// the process, then from the file that "go env -w" writes, then from defaults. reason is why
// only the go command can determine it, and empty if env is complete.
func readGoEnv(reader *inputs.Reader, tags []string) (env goEnv, reason string) {
	get := envReader(reader)
	env.in = reader
	for _, name := range []string{"GOPACKAGESDRIVER", "GOEXPERIMENT", "GOFIPS140"} {
		if value := get(name); value != "" && value != "off" {
			return env, name + " is set"
		}
	}
	if value := get("GO111MODULE"); value == "off" || value == "auto" {
		return env, "GO111MODULE=" + value
	}
	// Listings have -tags on the command line, which overrides that in GOFLAGS.
	for flag := range strings.FieldsSeq(get("GOFLAGS")) {
		name, value, _ := strings.Cut(strings.TrimLeft(flag, "-"), "=")
		switch name {
		case "mod":
			env.mod = value
		case "modfile", "overlay", "compiler", "C", "race", "msan", "asan":
			return env, "GOFLAGS contains -" + name
		}
	}
	if _, err := reader.LookPath("gopackagesdriver"); err == nil {
		return env, "gopackagesdriver is in PATH"
	}

	env.root = get("GOROOT")
	if env.root == "" {
		command, err := reader.LookPath("go")
		if err != nil {
			return env, "the go command is not in PATH"
		}
		command, err = reader.EvalSymlinks(command)
		if err != nil {
			return env, err.Error()
		}
		env.root = filepath.Dir(filepath.Dir(command))
	}
	text, err := reader.ReadFile(filepath.Join(env.root, "VERSION"), nil)
	if err != nil {
		return env, "there is no VERSION file in GOROOT"
	}
	line, _, _ := strings.Cut(string(text), "\n")
	version, ok := strings.CutPrefix(strings.TrimSpace(line), "go")
	minor := minorVersion(version)
	if !ok || minor == 0 {
		return env, "the Go toolchain is not a release"
	}
	env.version = version

	env.modCache = get("GOMODCACHE")
	if env.modCache == "" {
		gopath := get("GOPATH")
		if gopath == "" {
			home, err := reader.UserHomeDir()
			if err != nil {
				return env, "the home directory is unknown"
			}
			gopath = filepath.Join(home, "go")
		}
		env.modCache = filepath.Join(filepath.SplitList(gopath)[0], "pkg", "mod")
	}
	env.work = get("GOWORK")
	env.context = buildContext(reader, get, env.root, minor, tags)
	return env, ""
}

// envReader returns a function that looks up a variable of the go command: in the process
// environment, then in the file that "go env -w" writes.
func envReader(reader *inputs.Reader) func(name string) string {
	file := reader.Getenv("GOENV")
	if file == "" {
		if dir, err := reader.UserConfigDir(); err == nil {
			file = filepath.Join(dir, "go", "env")
		}
	}
	saved := map[string]string{}
	if file != "off" {
		text, _ := reader.ReadFile(file, nil) // the file is optional
		for line := range strings.Lines(string(text)) {
			if key, value, ok := strings.Cut(strings.TrimRight(line, "\r\n"), "="); ok && !strings.HasPrefix(key, "#") {
				saved[key] = value
			}
		}
	}
	return func(name string) string {
		if value := reader.Getenv(name); value != "" {
			return value
		}
		return saved[name]
	}
}

// buildContext returns the build context that selects files. Its release tags come from the
// toolchain in use, which may differ from the one that built this program.
func buildContext(reader *inputs.Reader, get func(string) string, root string, minor int, tags []string) build.Context {
	context := build.Default
	context.GOROOT = root
	context.GOOS = runtime.GOOS
	context.GOARCH = runtime.GOARCH
	if value := get("GOOS"); value != "" {
		context.GOOS = value
	}
	if value := get("GOARCH"); value != "" {
		context.GOARCH = value
	}
	context.Compiler = "gc"
	context.BuildTags = tags
	context.ReleaseTags = nil
	for i := 1; i <= minor; i++ {
		context.ReleaseTags = append(context.ReleaseTags, "go1."+strconv.Itoa(i))
	}
	switch get("CGO_ENABLED") {
	case "0":
		context.CgoEnabled = false
	case "1":
		context.CgoEnabled = true
	default:
		context.CgoEnabled = context.GOOS == runtime.GOOS && context.GOARCH == runtime.GOARCH && hasCompiler(reader, get)
	}
	return context
}

// hasCompiler reports whether the go command would find a C compiler.
func hasCompiler(reader *inputs.Reader, get func(string) string) bool {
	compiler, _, _ := strings.Cut(strings.TrimSpace(get("CC")), " ")
	if compiler == "" {
		compiler = "gcc"
		switch runtime.GOOS {
		case "darwin", "freebsd", "openbsd":
			compiler = "clang"
		}
	}
	_, err := reader.LookPath(compiler)
	return err == nil
}

// minorVersion returns N for a Go version 1.N…, or 0 for any other text.
func minorVersion(version string) int {
	rest, ok := strings.CutPrefix(version, "1.")
	if !ok {
		return 0
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end >= 0 {
		rest = rest[:end]
	}
	n, err := strconv.Atoi(rest)
	if err != nil {
		return 0
	}
	return n
}
