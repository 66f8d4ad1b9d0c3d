// Package typedmodule sets up testdata/typed for tests: a separate module with the
// requirements of this one, in which generated functions are compiled and run. It knows files
// and the go command, but nothing about schemas, so the tests of every package can use it.
package typedmodule

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
)

const (
	// Path is the path of the module. The packages of testdata/typed are below
	// <Path>/typed.
	Path = "cases.test"
	// FunctionsFile is the name of the generated file of a package.
	FunctionsFile = "zz_generated.unions.go"
)

// Variant is a package of the module: the types of a folder of testdata/typed with functions
// generated with certain options.
type Variant struct {
	// Name is the name of the options.
	Name string
	// Types is the folder of the types.
	Types string
	// Package is the name of the package and of its folder.
	Package string
	// CarryOverOnly, NoRatcheting and Accessors are the generator's options.
	CarryOverOnly, NoRatcheting, Accessors bool
	// CheckedIn is true if the functions are checked in, in testdata/typed/<Package>.
	CheckedIn bool
}

// Variants returns all packages with functions.
func Variants() []Variant {
	return []Variant{
		{Name: "default", Types: "api", Package: "api", Accessors: true, CheckedIn: true},
		{Name: "carry-over-only", Types: "api", Package: "carryover", CarryOverOnly: true, Accessors: true},
		{Name: "no-ratcheting", Types: "api", Package: "strict", NoRatcheting: true, Accessors: true},
		{Name: "default", Types: "rows", Package: "rows", CheckedIn: true},
		{Name: "carry-over-only", Types: "rows", Package: "rowscarryover", CarryOverOnly: true, CheckedIn: true},
		{Name: "no-ratcheting", Types: "rows", Package: "rowsstrict", NoRatcheting: true, CheckedIn: true},
	}
}

// Files returns the path of testdata/typed, relative to the package under test.
func Files() string { return filepath.Join(root(), "testdata", "typed") }

// root returns the root of this module, relative to the package under test.
func root() string {
	dir := ".."
	for depth := 1; depth < 8; depth++ {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			break
		}
		dir = filepath.Join(dir, "..")
	}
	return dir
}

// Requirements writes go.mod and go.sum of the module. It must be called from a test of a
// package below the root.
func Requirements(dir string) error {
	mod, err := os.ReadFile(filepath.Join(root(), "go.mod"))
	if err != nil {
		return err
	}
	sum, err := os.ReadFile(filepath.Join(root(), "go.sum"))
	if err != nil {
		return err
	}
	mod = regexp.MustCompile(`(?m)^module .*`).ReplaceAll(mod, []byte("module "+Path))
	if err := os.WriteFile(filepath.Join(dir, "go.mod"), mod, 0o666); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(dir, "go.sum"), sum, 0o666)
}

// CopyProgram copies a command of testdata/typed to the module in dir.
func CopyProgram(dir, name string) error {
	return copyFiles(filepath.Join(Files(), name), filepath.Join(dir, "typed", name))
}

// CopyTypes copies the types of a package to the module in dir, under its own name, and
// returns their folder.
func (v Variant) CopyTypes(dir string) (target string, err error) {
	target = filepath.Join(dir, "typed", v.Package)
	return target, copyFiles(filepath.Join(Files(), v.Types), target)
}

// copyFiles copies the Go files of a folder except for generated functions. If the folder of the
// target has another name, the package gets that name, and tests are not copied.
func copyFiles(source, target string) error {
	pkg := filepath.Base(target)
	isRenamed := pkg != filepath.Base(source)
	if err := os.MkdirAll(target, 0o777); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(source, "*.go"))
	if err == nil && len(files) == 0 {
		err = fmt.Errorf("%s has no Go files", source)
	}
	if err != nil {
		return err
	}
	for _, file := range files {
		name := filepath.Base(file)
		if name == FunctionsFile || isRenamed && strings.HasSuffix(name, "_test.go") {
			continue
		}
		data, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		if isRenamed {
			data = regexp.MustCompile(`(?m)^package .*`).ReplaceAll(data, []byte("package "+pkg))
		}
		if err := os.WriteFile(filepath.Join(target, name), data, 0o666); err != nil {
			return err
		}
	}
	return nil
}

// Go runs the go command in the module, without network.
func Go(dir string, args ...string) ([]byte, error) {
	cmd := exec.Command("go", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GOFLAGS=-mod=mod", "GOPROXY=off", "GOWORK=off")
	out, err := cmd.CombinedOutput()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, out)
	}
	return out, nil
}
