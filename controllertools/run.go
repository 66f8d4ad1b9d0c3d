// Package controllertools runs generators of controller-tools itself: object, rbac
// and webhook, of which schemagen has none of its own. What they write is kept for
// the caller to commit, and what they complain of becomes diagnostics.
//
// The generators schemapatch and applyconfiguration are not here: they link a
// package that reads files in the working directory at the start of every process.
package controllertools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/rbac"
	"sigs.k8s.io/controller-tools/pkg/webhook"

	"github.com/schemagen/schemagen/diag"
)

// codeGenerator is a complaint of one of the generators.
const codeGenerator diag.Code = "SG901"

// Codes documents the codes of this package.
func Codes() []diag.CodeInfo {
	return []diag.CodeInfo{{
		Code: codeGenerator, Severity: diag.Error, Title: "a complaint of a generator of controller-tools",
		Explanation: "object, rbac and webhook are controller-tools' own generators, and so are their messages. Nothing is written by any generator of the run.",
	}}
}

// Generator is one of the generators, with its options as its fields.
type Generator = genall.Generator

// Generators are the generators by the name that controller-gen gives them, with
// no options set.
func Generators() map[string]Generator {
	return map[string]Generator{"object": deepcopy.Generator{}, "rbac": rbac.Generator{}, "webhook": webhook.Generator{}}
}

// Options say what to run.
type Options struct {
	// Dir is the directory that patterns are relative to.
	Dir string
	// Patterns name the packages, as for controller-gen's paths.
	Patterns []string
	// Tags are the build tags.
	Tags []string
	// Read reads what is not source: the text of headers.
	Read func(name string) ([]byte, error)
	// Generators are run in the order of their names.
	Generators map[string]Generator
}

// File is a file that a generator wants.
type File struct {
	// Generator is the name of the generator.
	Generator string
	// PackageDir is the directory of the package that the file is a part of;
	// empty for configuration.
	PackageDir string
	// Name is relative to wherever the file belongs.
	Name string
	Data []byte
}

// Run runs the generators over one load of the packages (genall.Runtime.Run). The
// findings are what they and the loader complain of; no file is to be written if
// there are any. An error is a failure to load anything.
func Run(ctx context.Context, options Options) ([]File, diag.List, error) {
	names := make([]string, 0, len(options.Generators))
	for name := range options.Generators {
		names = append(names, name)
	}
	slices.Sort(names)
	var generators genall.Generators
	for _, name := range names {
		g := options.Generators[name]
		generators = append(generators, &g)
	}
	runtime, err := generators.ForRootsWithConfig(&packages.Config{
		Context: ctx, Dir: options.Dir, BuildFlags: []string{"-tags=" + strings.Join(options.Tags, ",")},
	}, options.Patterns...)
	if err != nil {
		return nil, nil, fmt.Errorf("load packages for %s: %w", strings.Join(names, ", "), err)
	}
	out := &kept{}
	var findings diag.List
	for i, g := range generators {
		each := runtime.GenerationContext
		each.InputRule = headers{options.Read}
		each.OutputRule = &rule{generator: names[i], kept: out}
		if _, checks := (*g).(genall.NeedsTypeChecking); !checks {
			each.Checker = nil
		}
		if err := (*g).Generate(&each); err != nil {
			findings = append(findings, complaints(names[i], err)...)
		}
	}
	findings = append(findings, packageErrors(runtime.Roots)...)
	return out.files, findings.Normalize(), ctx.Err()
}

// headers is the input rule of the generators.
type headers struct {
	read func(name string) ([]byte, error)
}

// OpenForRead implements [genall.InputRule].
func (h headers) OpenForRead(name string) (io.ReadCloser, error) {
	data, err := h.read(name)
	return io.NopCloser(bytes.NewReader(data)), err
}

// kept are the files of a run.
type kept struct{ files []File }

// rule is the output rule of a generator: it keeps what is written.
type rule struct {
	generator string
	kept      *kept
}

// Open implements [genall.OutputRule].
func (r *rule) Open(pkg *loader.Package, name string) (io.WriteCloser, error) {
	f := &openFile{rule: r, file: File{Generator: r.generator, Name: name}}
	if pkg != nil {
		if len(pkg.CompiledGoFiles) == 0 {
			return nil, fmt.Errorf("package %s has no files to write %s beside", pkg.PkgPath, name)
		}
		f.file.PackageDir = filepath.Dir(pkg.CompiledGoFiles[0])
	}
	return f, nil
}

// openFile is a file that is being written.
type openFile struct {
	bytes.Buffer
	rule *rule
	file File
}

// Close implements [io.Closer].
func (f *openFile) Close() error {
	f.file.Data = f.Bytes()
	f.rule.kept.files = append(f.rule.kept.files, f.file)
	return nil
}

// complaints turns what a generator returns into diagnostics, one for each error
// in a list.
func complaints(generator string, err error) diag.List {
	var list loader.ErrList
	if errors.As(err, &list) {
		var out diag.List
		for _, e := range list {
			out = append(out, complaints(generator, e)...)
		}
		return out
	}
	return diag.List{{Code: codeGenerator, Severity: diag.Error, Message: generator + ": " + firstLine(err.Error())}}
}

// packageErrors are the errors of the packages. What is wrong with those that they
// import is left out, for which controller-gen fails: what a generator cannot do
// without is an error of the package itself. So is, as there, what a partial check
// of types complains of.
func packageErrors(roots []*loader.Package) diag.List {
	var out diag.List
	for _, root := range roots {
		for _, e := range root.Errors {
			if e.Kind != packages.TypeError {
				out = append(out, diag.Diagnostic{Code: codeGenerator, Severity: diag.Error, Pos: diag.ParsePosition(e.Pos), Message: firstLine(e.Msg)})
			}
		}
	}
	return out
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
