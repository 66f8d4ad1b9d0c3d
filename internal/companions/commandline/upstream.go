package commandline

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"golang.org/x/tools/go/packages"
	"sigs.k8s.io/controller-tools/pkg/genall"
	"sigs.k8s.io/controller-tools/pkg/loader"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/companions/applyconfiguration"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/source"
)

// runUpstream runs generators on packages that controller-tools loads, once for all of them
// (genall.Runtime.Run).
func (r *Result) runUpstream(ctx context.Context, options Options, selected map[string]Generator) error {
	if options.NoteSources {
		if err := options.Source.Loaded.ReadClosure(ctx); err != nil {
			options.Source.Inputs.Unsure(err.Error())
		}
	}
	names := slices.Sorted(maps.Keys(selected))
	var generators genall.Generators
	for _, name := range names {
		generators = append(generators, new(selected[name]))
	}
	runtime, err := generators.ForRootsWithConfig(&packages.Config{
		Context: ctx, Dir: options.Source.Dir, Overlay: options.Source.Inputs.Overlay(), BuildFlags: []string{"-tags=" + strings.Join(options.Source.Tags, ",")},
	}, options.Source.Patterns...)
	if err != nil {
		return fmt.Errorf("load packages for %s: %w", strings.Join(names, ", "), err)
	}
	for i, g := range generators {
		each := runtime.GenerationContext
		each.InputRule = headers{options.Source.Inputs}
		each.OutputRule = &rule{names[i], r}
		if _, checks := (*g).(genall.NeedsTypeChecking); !checks {
			each.Checker = nil
		}
		var err error
		if apply, ok := (*g).(applyconfiguration.Generator); ok {
			made, found, failed := applyconfiguration.GenerateLoaded(ctx, each.Roots, each.Collector,
				applyOptions(options, apply))
			r.add(names[i], made, found)
			err = failed
		} else {
			err = generateEach(*g, each)
		}
		if err != nil {
			r.Findings = append(r.Findings, toDiagnostics(names[i], err)...)
		}
	}
	r.Findings = append(r.Findings, packageErrors(options.Source.Inputs, runtime.Roots)...)
	return nil
}

// generateEach runs a generator for one root package after the other, so that a panic is an
// error that names the package. It is for object, which does the same; rbac and webhook, which
// merge the markers of all packages, are never unsure.
func generateEach(g Generator, all genall.GenerationContext) error {
	var errs []error
	for _, root := range all.Roots {
		one := all
		one.Roots = []*loader.Package{root}
		if err := recovered(func() error { return g.Generate(&one) }); err != nil {
			errs = append(errs, fmt.Errorf("package %s: %w", root.PkgPath, err))
		}
	}
	return loader.MaybeErrList(errs)
}

// recovered calls a function and returns its error, or its panic as one.
func recovered(call func() error) (err error) {
	defer func() {
		if reason := recover(); reason != nil {
			err = fmt.Errorf("controller-gen's generator panics: %v", reason)
		}
	}()
	return call()
}

// headers is the input rule of the generators.
type headers struct{ in *inputs.Reader }

// OpenForRead implements [genall.InputRule].
func (h headers) OpenForRead(name string) (io.ReadCloser, error) {
	data, err := h.in.ReadFile(name, nil)
	return io.NopCloser(bytes.NewReader(data)), err
}

// rule is the output rule of a generator: it collects what is written.
type rule struct {
	generator string
	result    *Result
}

// Open implements [genall.OutputRule].
func (r *rule) Open(pkg *loader.Package, name string) (io.WriteCloser, error) {
	f := &openFile{rule: r, file: source.Output{Name: name}}
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
	file source.Output
}

// Close implements [io.Closer].
func (f *openFile) Close() error {
	f.file.Data = f.Bytes()
	f.rule.result.add(f.rule.generator, []source.Output{f.file}, nil)
	return nil
}

// toDiagnostics converts the error of a generator to diagnostics, one for each error in a
// list.
func toDiagnostics(generator string, err error) diag.List {
	var list loader.ErrList
	if errors.As(err, &list) {
		var out diag.List
		for _, e := range list {
			out = append(out, toDiagnostics(generator, e)...)
		}
		return out
	}
	return diag.List{generatorError.At(diag.Position{}, "", "%s: %s", generator, firstLine(err.Error()))}
}

// packageErrors returns the errors of the packages. Errors of their imports, for which
// controller-gen fails, are ignored: if a generator depends on them, they cause an error in
// the package itself. As there, errors of a partial type check are ignored, too.
func packageErrors(reader *inputs.Reader, roots []*loader.Package) diag.List {
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
			d := generatorError.At(diag.ParsePosition(e.Pos), "", "%s", firstLine(e.Msg))
			if parsed, ok := parseArgumentError(e.Msg); ok {
				if parsed != malformed[e.Pos] {
					continue // later errors are consequences of the first one
				}
				d.Pos, d.Message = parsed.locate(reader, d.Pos)
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
	message, position, ok := strings.Cut(firstLine(text), " (at <input>:1:")
	if !ok {
		return argumentError{}, false
	}
	column, err := strconv.Atoi(strings.TrimSuffix(position, ")"))
	return argumentError{message, column}, err == nil
}

// locate returns the position of the error, and the message with the name of the marker
// whose comment is at pos.
func (e argumentError) locate(reader *inputs.Reader, pos diag.Position) (diag.Position, string) {
	source, err := reader.ReadFile(pos.File, nil)
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
	for _, name := range []string{"+" + markers.RBACName, "+" + markers.WebhookConfigurationName, "+" + markers.WebhookName} {
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
