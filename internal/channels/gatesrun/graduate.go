package gatesrun

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/token"
	"path/filepath"
	"slices"

	"golang.org/x/tools/go/packages"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/gates/gatedsource"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/progress"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/run/fixes"
	"github.com/schemagen/schemagen/internal/run/output"
)

// Assume returns the Go files that change if a gate is taken for on (graduated) or off
// (retired). They must not be written if a finding is an error.
func (r *Request) Assume(ctx context.Context, gate string, enabled bool) (out []output.File, findings diag.List, err error) {
	roots, files, findings, err := r.gated(ctx)
	if err != nil || findings.HasErrors() {
		return nil, findings, err
	}
	findings = r.checkGate(gate, files)
	if findings != nil {
		return nil, findings, nil
	}
	removed := map[string][]gatedsource.Lines{}
	for _, f := range files {
		for _, u := range f.Uses {
			if u.Kind == gatedsource.Tag && slices.Contains(u.Condition.Names(), gate) {
				findings = append(findings, cannotMove.At(position(u.Pos), "replace it by a marker with +schemagen:when", "the tag %s depends on gate %s", u.Text, gate))
			}
		}
		result, err := f.With(gate, enabled)
		var reason *gatedsource.Error
		if errors.As(err, &reason) {
			findings = append(findings, cannotMove.At(position(reason.Pos), reason.Hint, "%s", reason.Msg))
			continue
		}
		if string(result.Text) == string(f.Data) {
			continue
		}
		text, err := fixes.WithoutIdleImports(f.Data, result.Text)
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", f.Name, err)
		}
		out = append(out, output.File{Path: screen.Relative(r.Dir, f.Name, screen.Nearby), Data: text, Before: f.Data})
		if len(result.Removed) > 0 {
			removed[f.Name] = result.Removed
		}
	}
	if len(findings) == 0 && len(out) > 0 {
		findings, err = r.broken(ctx, gate, out)
		if err != nil {
			return nil, nil, err
		}
	}
	if len(removed) > 0 {
		var generated []string
		for _, root := range roots {
			used, outdated, err := usesOf(ctx, root, removed, gate)
			if err != nil {
				return nil, nil, err
			}
			findings = append(findings, used...)
			generated = append(generated, outdated...)
		}
		slices.Sort(generated)
		for _, name := range slices.Compact(generated) {
			findings = append(findings, cannotMove.At(diag.Position{File: name}, "generate it again, for example with schemagen object",
				"this generated file uses declarations that are removed with gate %s", gate).As(diag.Note))
		}
	}
	return out, findings.Normalize(), nil
}

// broken returns the errors that the packages have with the files and do not have without: for
// example, a marker that leads to a field that is removed.
func (r *Request) broken(ctx context.Context, gate string, changed []output.File) (findings diag.List, err error) {
	overlay := map[string][]byte{}
	for _, f := range changed {
		overlay[r.absolute(f.Path)] = f.Data
	}
	var found [2]diag.List
	for i, reader := range []*inputs.Reader{r.Inputs, inputs.Overlaid(overlay, nil)} {
		newRequest := *r
		newRequest.Inputs = reader
		found[i], err = newRequest.defined(ctx, nil, func(*crd.Definition) {})
		if err != nil {
			return nil, err
		}
	}
	for _, d := range found[1] {
		if !slices.ContainsFunc(found[0],
			func(oldDiagnostic diag.Diagnostic) bool { return oldDiagnostic.Message == d.Message }) {
			findings = append(findings, cannotMove.At(diag.Position{File: d.Pos.File}, "", "there would be an error without gate %s: %s", gate, d.Message))
		}
	}
	return findings, nil
}

// absolute returns the absolute name of a file of the result.
func (r *Request) absolute(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(r.Dir, name)
}

// usesOf returns the places in a module that use a declaration in lines that are removed, and
// are not in such lines themselves. Those in generated files do not matter, because the next
// run of the generator replaces them: it returns the files.
func usesOf(ctx context.Context, root string, removed map[string][]gatedsource.Lines,
	gate string) (findings diag.List, generated []string, err error) {
	// It compiles what the module imports, which takes minutes if that was not built before.
	progress.Start(ctx, "finding", "uses of what would be removed", 0)
	config := &packages.Config{
		Context: ctx, Dir: root, Tests: true,
		Mode: packages.NeedName | packages.NeedFiles | packages.NeedImports | packages.NeedTypes | packages.NeedSyntax | packages.NeedTypesInfo,
	}
	loaded, err := packages.Load(config, "./...")
	if err != nil {
		return nil, nil, fmt.Errorf("find the uses of what would be removed with gate %s: %w", gate, err)
	}
	inRemoved := func(p token.Position) bool {
		return slices.ContainsFunc(removed[p.Filename],
			func(l gatedsource.Lines) bool { return l.First <= p.Line && p.Line <= l.Last })
	}
	for _, p := range loaded {
		if p.TypesInfo == nil {
			continue // it cannot be built without the gate either
		}
		for ident, object := range p.TypesInfo.Uses {
			pos := p.Fset.Position(ident.Pos())
			declared := p.Fset.Position(object.Pos())
			if !inRemoved(declared) || inRemoved(pos) {
				continue
			}
			if isGenerated(p, ident.Pos()) {
				generated = append(generated, pos.Filename)
				continue
			}
			findings = append(findings, cannotMove.At(position(pos), "", "%s is used, and would be removed with gate %s", ident.Name, gate).
				With(diag.Related{Pos: position(declared), Message: "it is declared here"}))
		}
	}
	return findings, generated, nil
}

// isGenerated reports whether the file at a position is generated.
func isGenerated(p *packages.Package, pos token.Pos) bool {
	i := slices.IndexFunc(p.Syntax, func(f *ast.File) bool { return f.FileStart <= pos && pos < f.FileEnd })
	return i >= 0 && ast.IsGenerated(p.Syntax[i])
}

func position(p token.Position) diag.Position {
	return diag.Position{File: p.Filename, Line: p.Line, Column: p.Column}
}
