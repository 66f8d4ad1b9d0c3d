// Package controllertools runs external generators that schemagen does not implement
// itself: object, rbac and webhook of controller-tools, and applyconfiguration of
// code-generator, called as by controller-tools. Their files are returned for the caller to
// commit, and their errors become diagnostics.
//
// controller-tools' own applyconfiguration links a package (pkg/crd) that reads files in the
// working directory when a process starts. It uses that for schemas, which come from package
// generator here, as do those of schemapatch.
package controllertools

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/deepcopy"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"
	"sigs.k8s.io/controller-tools/pkg/rbac"
	"sigs.k8s.io/controller-tools/pkg/webhook"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/internal/inputs"
)

// Generator is one of the generators, whose fields are its options.
type Generator = genall.Generator

// Generators returns the generators by the name that controller-gen uses, with default
// options.
func Generators() map[string]Generator {
	return map[string]Generator{
		ApplyConfigurationName: ApplyConfiguration{}, "object": deepcopy.Generator{}, "rbac": rbac.Generator{}, "webhook": webhook.Generator{},
	}
}

// Options configure [Run].
type Options struct {
	// Source selects the packages: Dir, Patterns and Tags apply to all generators, and
	// Inputs reads other files, such as headers. The rest configures the schemas for
	// applyconfiguration.
	Source generator.Options
	// Generators run in the order of their names.
	Generators map[string]Generator
	// Year replaces YEAR in the header of applyconfiguration's files.
	Year int
	// Temporary writes data to a file outside the project, which remove deletes.
	Temporary func(data []byte) (name string, remove func(), err error)
}

// File is an output file of a generator.
type File struct {
	// Generator is the name of the generator.
	Generator string
	// PackageDir is the directory of the package that the file belongs to, or ""
	// for configuration.
	PackageDir string
	// Name is relative to the output directory. For applyconfiguration it contains
	// directories, and the file always belongs below PackageDir.
	Name string
	Data []byte
}

// Run runs the generators on one load of the packages (genall.Runtime.Run). The findings
// are errors of the generators and of the loader; if there is one, no file may be written.
// The error means that nothing could be loaded.
func Run(ctx context.Context, options Options) ([]File, diag.List, error) {
	names := make([]string, 0, len(options.Generators))
	for name := range options.Generators {
		names = append(names, name)
	}
	slices.Sort(names)
	var generators genall.Generators
	var findings diag.List
	for _, name := range names {
		g := options.Generators[name]
		if apply, ok := g.(ApplyConfiguration); ok {
			g = applyRun{apply, ctx, options, &findings}
		}
		generators = append(generators, &g)
	}
	runtime, err := generators.ForRootsWithConfig(&packages.Config{
		Context: ctx, Dir: options.Source.Dir, BuildFlags: []string{"-tags=" + strings.Join(options.Source.Tags, ",")},
	}, options.Source.Patterns...)
	if err != nil {
		return nil, nil, fmt.Errorf("load packages for %s: %w", strings.Join(names, ", "), err)
	}
	out := &kept{}
	for i, g := range generators {
		each := runtime.GenerationContext
		each.InputRule = headers{options.Source.Inputs}
		each.OutputRule = &rule{generator: names[i], kept: out}
		if _, checks := (*g).(genall.NeedsTypeChecking); !checks {
			each.Checker = nil
		}
		if err := (*g).Generate(&each); err != nil {
			findings = append(findings, complaints(names[i], err)...)
		}
	}
	findings = append(findings, packageErrors(options.Source.Inputs, runtime.Roots)...)
	return out.files, findings.Normalize(), ctx.Err()
}

// headers is the input rule of the generators.
type headers struct{ in *inputs.Reader }

// OpenForRead implements [genall.InputRule].
func (h headers) OpenForRead(name string) (io.ReadCloser, error) {
	data, err := h.in.ReadFile(name, nil)
	return io.NopCloser(bytes.NewReader(data)), err
}

// kept collects the files of a run.
type kept struct{ files []File }

// add adds a file. Packages that share a directory for apply configurations write some
// files several times, of which the last one counts.
func (k *kept) add(file File) {
	for i, other := range k.files {
		if other.Generator == file.Generator && other.PackageDir != "" && filepath.Join(other.PackageDir, other.Name) == filepath.Join(file.PackageDir, file.Name) {
			k.files[i] = file
			return
		}
	}
	k.files = append(k.files, file)
}

// rule is the output rule of a generator: it collects what is written.
type rule struct {
	generator string
	kept      *kept
}

// Open implements [genall.OutputRule].
func (r *rule) Open(pkg *loader.Package, name string) (io.WriteCloser, error) {
	f := &openFile{rule: r, file: File{Generator: r.generator, Name: name}}
	if pkg != nil {
		if len(pkg.CompiledGoFiles) == 0 {
			return nil, fmt.Errorf("package %s has no files, so there is no directory for %s", pkg.PkgPath, name)
		}
		f.file.PackageDir = filepath.Dir(pkg.CompiledGoFiles[0])
	}
	return f, nil
}

// openFile is a file being written.
type openFile struct {
	bytes.Buffer
	rule *rule
	file File
}

// Close implements [io.Closer].
func (f *openFile) Close() error {
	f.file.Data = f.Bytes()
	f.rule.kept.add(f.file)
	return nil
}

// complaints converts the error of a generator to diagnostics, one for each error in a
// list.
func complaints(generator string, err error) diag.List {
	var list loader.ErrList
	if errors.As(err, &list) {
		var out diag.List
		for _, e := range list {
			out = append(out, complaints(generator, e)...)
		}
		return out
	}
	return diag.List{generatorComplains.At(diag.Position{}, "", "%s: %s", generator, firstLine(err.Error()))}
}

// packageErrors returns the errors of the packages. Errors of their imports, for which
// controller-gen fails, are ignored: if a generator depends on them, they cause an error in
// the package itself. As there, errors of a partial type check are ignored, too.
func packageErrors(in *inputs.Reader, roots []*loader.Package) diag.List {
	var out diag.List
	for _, root := range roots {
		malformed := map[string]argumentError{} // the first error of each marker
		for _, e := range root.Errors {
			if parsed, ok := parseArgumentError(e.Msg); ok {
				if first, ok := malformed[e.Pos]; !ok || parsed.column < first.column {
					malformed[e.Pos] = parsed
				}
			}
		}
		broken := map[string]bool{}
		for _, e := range root.Errors {
			if file := diag.ParsePosition(e.Pos).File; e.Kind == packages.ParseError {
				if broken[file] {
					continue // later errors of a file are consequences of the first one
				}
				broken[file] = true
			}
			d := generatorComplains.At(diag.ParsePosition(e.Pos), "", "%s", firstLine(e.Msg))
			if parsed, ok := parseArgumentError(e.Msg); ok {
				if parsed != malformed[e.Pos] {
					continue // later errors are consequences of the first one
				}
				d.Pos, d.Message = parsed.locate(in, d.Pos)
			}
			if e.Kind != packages.TypeError {
				out = append(out, d)
			}
		}
	}
	return out
}

// argumentError is an error in the arguments of a marker.
type argumentError struct {
	message string
	// column is its column in the arguments, counted from 1.
	column int
}

// parseArgumentError parses a message of controller-tools' marker parser, which ends with a
// position.
func parseArgumentError(text string) (e argumentError, ok bool) {
	message, place, ok := strings.Cut(firstLine(text), " (at <input>:1:")
	if !ok {
		return argumentError{}, false
	}
	column, err := strconv.Atoi(strings.TrimSuffix(place, ")"))
	return argumentError{message, column}, err == nil
}

// locate returns the position of the error, and the message with the name of the marker
// whose comment is at pos.
func (e argumentError) locate(in *inputs.Reader, pos diag.Position) (diag.Position, string) {
	source, err := in.ReadFile(pos.File, nil)
	if err != nil {
		return pos, e.message
	}
	lines := strings.Split(string(source), "\n")
	if pos.Line < 1 || pos.Line > len(lines) {
		return pos, e.message
	}
	line := lines[pos.Line-1]
	plus := strings.IndexByte(line, '+')
	if plus < 0 {
		return pos, e.message
	}
	for _, name := range []string{"+kubebuilder:rbac", "+kubebuilder:webhookconfiguration", "+kubebuilder:webhook"} {
		if !strings.HasPrefix(line[plus:], name+":") {
			continue
		}
		pos.Column = plus + len(name) + 1 + e.column
		if unknown, ok := strings.CutPrefix(e.message, "unknown argument "); ok {
			pos.Column -= len(unknown) - len(`""`) // the parser reports the end of the argument
		}
		return pos, name + ": " + e.message
	}
	return pos, e.message
}

func firstLine(text string) string {
	line, _, _ := strings.Cut(strings.TrimSpace(text), "\n")
	return line
}
