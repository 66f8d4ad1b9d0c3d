package gatesrun

import (
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/mod/modfile"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/gates/gatedsource"
	"github.com/schemagen/schemagen/internal/ground/gates"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/project"
)

// Request is what all questions are about.
type Request struct {
	// Options select the packages. Their gates are not used.
	define.Options
	// Project is the project file, or nil.
	Project *project.File
}

// gated returns the Go files with conditions in the modules of the packages, without tests, in
// the order of their names, and the directories of the modules.
func (r *Request) gated(ctx context.Context) (roots []string, files []*gatedsource.File, findings diag.List, err error) {
	listing, findings, err := define.List(ctx, r.Options)
	if err != nil || findings.HasErrors() {
		return nil, nil, findings, err
	}
	table, err := markers.NewTable()
	if err != nil {
		return nil, nil, nil, err
	}
	listed := map[string][]string{} // by the root of the module
	for _, dir := range listing.Dirs {
		root := moduleRoot(r.Inputs, dir)
		if listed[root] == nil {
			roots = append(roots, root)
		}
		listed[root] = append(listed[root], dir)
	}
	slices.Sort(roots)
	for _, root := range roots {
		texts := map[string][]byte{}
		names := goFiles(r.Inputs, root)
		for _, dir := range listed[root] {
			names = append(names, goFilesIn(r.Inputs, dir)...) // that a symlink leads to
		}
		slices.Sort(names)
		names = slices.Compact(names)
		features := map[string][]string{} // by directory
		for _, name := range names {
			data, err := r.Inputs.ReadFile(name, nil)
			if err != nil {
				return nil, nil, nil, err
			}
			texts[name] = data
			dir := filepath.Dir(name)
			if features[dir] == nil {
				features[dir] = r.features(root, dir)
			}
			features[dir] = append(features[dir], gatedsource.Features(table, data)...)
		}
		for _, name := range names {
			file, err := gatedsource.Parse(table, name, texts[name], features[filepath.Dir(name)])
			if err != nil {
				findings = append(findings, cannotMove.At(diag.Position{File: name}, "", "it is not Go: %v", err))
			} else if file != nil {
				files = append(files, file)
			}
		}
	}
	return roots, files, findings, nil
}

// moduleRoot returns the directory of the module that contains dir, or dir.
func moduleRoot(reader *inputs.Reader, dir string) string {
	for location := dir; ; location = filepath.Dir(location) {
		if _, err := reader.Stat(filepath.Join(location, "go.mod")); err == nil {
			return location
		}
		if location == filepath.Dir(location) {
			return dir
		}
	}
}

// features returns the features that the options enable for the package in a directory of a
// module.
func (r *Request) features(root, dir string) []string {
	out := slices.Clone(r.Enable)
	module, _ := r.Inputs.ReadFile(filepath.Join(root, "go.mod"), nil)
	child, _ := filepath.Rel(root, dir)
	for _, p := range r.Packages {
		if p.Selects(path.Join(modfile.ModulePath(module), filepath.ToSlash(child)), dir) {
			out = append(out, p.Enable...)
		}
	}
	return out
}

// goFiles returns the Go files of a module other than tests. Like the go command, it follows no
// symlinks of directories.
func goFiles(reader *inputs.Reader, dir string) []string {
	out := goFilesIn(reader, dir)
	entries, _ := reader.ReadDir(dir) // goFilesIn ignores the error, too
	for _, entry := range entries {
		name := entry.Name()
		child := filepath.Join(dir, name)
		if !entry.IsDir() || isIgnored(name) || name == "vendor" || name == "testdata" {
			continue
		}
		if _, err := reader.Stat(filepath.Join(child, "go.mod")); err != nil {
			out = append(out, goFiles(reader, child)...)
		}
	}
	return out
}

// goFilesIn returns the Go files of a directory other than tests. One that cannot be read has none, as
// for the go command.
func goFilesIn(reader *inputs.Reader, dir string) (out []string) {
	entries, _ := reader.ReadDir(dir)
	for _, entry := range entries {
		name := entry.Name()
		if !entry.IsDir() && !isIgnored(name) && strings.HasSuffix(name, ".go") && !strings.HasSuffix(name, "_test.go") {
			out = append(out, filepath.Join(dir, name))
		}
	}
	return out
}

// isIgnored reports whether the go command ignores files and directories with a name.
func isIgnored(name string) bool { return strings.HasPrefix(name, ".") || strings.HasPrefix(name, "_") }

// checkGate reports a gate that neither the project file nor a condition knows.
func (r *Request) checkGate(gate string, files []*gatedsource.File) diag.List {
	known := r.names(files)
	if gate != gates.Never && slices.Contains(known, gate) {
		return nil
	}
	out := report.UnknownGateAt(diag.Position{}, gate, known)
	if strings.ContainsAny(gate, ",;*!@") {
		out.Hint = "name one gate; the gates are " + strings.Join(known, ", ")
	}
	return diag.List{out}
}

// names returns the gates of the project file, and then gates that only conditions name.
func (r *Request) names(files []*gatedsource.File) (out []string) {
	for _, g := range r.Project.Gates() {
		out = append(out, g.Name)
	}
	declared := len(out)
	for _, f := range files {
		for _, u := range f.Uses {
			for _, name := range u.Condition.Names() {
				if name != gates.Never && !slices.Contains(out, name) {
					out = append(out, name)
				}
			}
		}
	}
	slices.Sort(out[declared:])
	return out
}
