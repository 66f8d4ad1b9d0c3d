package generate

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/conversions"
	"github.com/schemagen/schemagen/internal/conversions/laws"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/ground/screen"
)

// conversionOutputs are the outputs of schemagen conversions next to Go packages.
type conversionOutputs struct {
	// Generated has no model if only tests are generated.
	Generated conversions.Files
	Tests     laws.Files
	GoFiles
}

// staleConversions finds files of schemagen conversions, and of their tests, that are no longer
// needed. It returns those to remove and reports the others. Files of a kind that has versions
// in other packages of the project, which the run did not cover, are kept. Only files marked as
// written by schemagen count.
func staleConversions(ctx context.Context, options define.Options,
	outputs conversionOutputs) (remove []string, findings diag.List, err error) {
	var kept []string // directories
	add := func(name, reason string) error {
		path := screen.Relative(options.Dir, name, 0)
		stale, found, err := staleAmong(options.Inputs, []string{path}, reason, outputs.GoFiles)
		if err != nil || len(stale)+len(found) == 0 {
			return err
		}
		note, isNeeded, err := versionElsewhere(ctx, options, outputs.Generated.Model, name)
		if err != nil {
			return err
		}
		if isNeeded {
			kept = append(kept, filepath.Dir(name))
			stale = nil
			found = diag.List{note}
		}
		remove = append(remove, stale...)
		findings = append(findings, found...)
		return nil
	}
	for _, dir := range outputs.Generated.Without {
		if err := add(filepath.Join(dir, conversions.FileName), unwritten(outputs.Generated.Model, dir)); err != nil {
			return nil, nil, err
		}
	}
	untested := "the package of this file has no conversions"
	if outputs.Generated.Model != nil {
		untested = "the package of this file has no generated conversions"
	}
	for _, dir := range outputs.Tests.Without {
		if err := add(filepath.Join(dir, laws.FileName), untested); err != nil {
			return nil, nil, err
		}
	}
	for _, name := range outputs.Tests.Unneeded {
		module := filepath.Dir(filepath.Dir(filepath.Dir(name))) + string(filepath.Separator)
		if slices.ContainsFunc(kept, func(dir string) bool { return strings.HasPrefix(dir, module) }) {
			continue
		}
		if err := add(name, "no test imports the package of this file any more"); err != nil {
			return nil, nil, err
		}
	}
	return remove, findings, nil
}

// unwritten returns why no conversions are generated for the package in a directory.
func unwritten(m *conversions.Model, dir string) string {
	for _, kind := range m.Kinds {
		for _, v := range slices.Concat(kind.Spokes, []*conversions.Version{kind.Hub}) {
			switch {
			case filepath.Dir(v.Type.Decl.Pkg.Files[0]) != dir:
			case kind.Equal:
				return "all versions of " + kind.Name + " have the same fields, so nothing converts them"
			case v.ByHand():
				return "the conversions of " + kind.Name + " " + v.Name + " are written by hand"
			case m.Options.Functions:
				return "with conversions.style: functions, the package of the hub, " + kind.Hub.Name + ", has no such file"
			}
		}
	}
	return "the package of this file has no kind with several versions"
}

// versionElsewhere looks in packages outside the run for another version of a kind of which the
// run has only that in the directory of a file, and returns the note about it.
func versionElsewhere(ctx context.Context, options define.Options, model *conversions.Model,
	name string) (note diag.Diagnostic, found bool, err error) {
	if model == nil {
		return note, false, nil
	}
	for _, kind := range model.Unpaired {
		if kind.Dir != filepath.Dir(name) {
			continue
		}
		listing, _, err := define.List(ctx, options)
		if err != nil {
			return note, false, err
		}
		position, found := Declaration(options.Inputs, options.Dir, kind.Group, func(file, name string, _ []byte) bool {
			return name == kind.Name && !slices.Contains(listing.Dirs, filepath.Dir(file))
		})
		if found {
			other := filepath.ToSlash(screen.Relative(options.Dir, filepath.Dir(position.File), 0))
			if !strings.HasPrefix(other, ".") && !filepath.IsAbs(other) {
				other = "./" + other
			}
			path := filepath.ToSlash(screen.Relative(options.Dir, name, 0))
			return StaleOutput.At(diag.Position{File: path}, "name "+other+", too",
				"this run did not write this file: %s has another version in a package that the run does not cover", kind.Name).As(diag.Note).With(diag.Related{Pos: position, Message: "the declaration"}), true, nil
		}
	}
	return note, false, nil
}
