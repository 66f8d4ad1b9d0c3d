package migrate

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/run/output"
)

// unknownVersion stands for the version to install until one is given.
const unknownVersion = "vX.Y.Z"

// change prints the changes that make the project call schemagen, or makes them.
func (r *migration) change(ctx context.Context, before *recording) error {
	if name := r.managed(ctx); name != "" {
		return r.notWritten(fmt.Sprintf("%s installs controller-gen with another tool; change it there", name))
	}
	for _, install := range before.installs {
		if install.Own != "" {
			return r.notWritten(install.Own + " is the project's own controller-gen, and schemagen may not do the same")
		}
	}
	files, err := r.changeableFiles(ctx)
	if err != nil {
		return err
	}
	found, err := r.propose(ctx, before, files)
	if err != nil {
		return err
	}
	if len(found.files) == 0 {
		return r.notWritten("no Makefile or script names controller-gen")
	}
	outputs := r.outputs(files, found.files)
	fmt.Fprintln(r.out)
	if _, err := r.writer().Commit(ctx, outputs, output.Diff, r.out); err != nil {
		return r.unwritten(err)
	}
	if found.problem != "" {
		r.differs = true
		return r.notWritten(found.problem)
	}
	for _, place := range unchanged(files, found.files) {
		fmt.Fprintf(r.out, "not run by this command: %s\n", screen.Line(place))
	}
	if needsVersion := slices.ContainsFunc(outputs, func(file output.File) bool {
		return bytes.Contains(file.Data, []byte(unknownVersion)) && !bytes.Contains(file.Before, []byte(unknownVersion))
	}); needsVersion {
		return r.notWritten("this schemagen is a development build: pass the version to install with --pin")
	}
	return r.writeChange(ctx, outputs)
}

// proposal is a change of files.
type proposal struct {
	files map[string][]byte
	// problem speaks against it, unless it is "".
	problem string
}

// propose returns a change that is proved, or the first one with the problem that the proof found.
func (r *migration) propose(ctx context.Context, before *recording,
	files map[string][]byte) (first proposal, err error) {
	known := []string{pinnedVersion(before.calls, before)}
	for _, install := range before.installs {
		known = append(known, install.Version)
	}
	known = slices.DeleteFunc(known, func(version string) bool { return version == "" })
	for attempt, e := range []edits{{}, {drop: true}, {run: true}} {
		e.version = r.pin
		e.with = r.With
		e.known = known
		next := proposal{files: e.apply(files)}
		if attempt > 0 && maps.EqualFunc(next.files, first.files, bytes.Equal) {
			continue
		}
		if len(next.files) == 0 {
			break
		}
		next.problem, err = r.prove(ctx, before, next.files)
		if err != nil {
			return first, err
		}
		if next.problem == "" {
			next.files, err = r.minimize(ctx, before, next.files)
			return next, err
		}
		if attempt == 0 {
			first = next
		}
	}
	return first, nil
}

// outputs returns the changed files relative to the working directory, if they are below it.
func (r *migration) outputs(files, changed map[string][]byte) (out []output.File) {
	for _, name := range slices.Sorted(maps.Keys(changed)) {
		file := filepath.Join(r.project.root, filepath.FromSlash(name))
		if rel, err := filepath.Rel(output.Physical(r.Dir), file); err == nil && filepath.IsLocal(rel) {
			file = rel
		}
		out = append(out, output.File{Path: file, Data: changed[name], Before: files[name]})
	}
	return out
}

// writeChange writes the changed files, unless something speaks against it, which it prints.
func (r *migration) writeChange(ctx context.Context, outputs []output.File) error {
	unless := "not all files are equal"
	once := "all files are equal"
	if r.rejects {
		unless = "schemagen reports errors in the source"
		once = "the errors that schemagen reports are fixed"
	}
	switch {
	case r.differs && r.Write:
		fmt.Fprintf(r.out, "Nothing was changed: %s.\n", cmp.Or(r.reason, unless))
	case r.differs:
		fmt.Fprintf(r.out, "schemagen migrate --write makes this change once %s.\n", once)
	case !r.Write:
		fmt.Fprintln(r.out, "schemagen migrate --write makes this change.")
	default:
		if reason := r.protected(outputs); reason != "" {
			return r.notWritten(reason)
		}
		if _, err := r.writer().Commit(ctx, outputs, output.Write, r.out); err != nil {
			return r.unwritten(err)
		}
		for _, file := range outputs {
			fmt.Fprintf(r.out, "wrote %s\n", file.Path)
		}
	}
	return nil
}

// writer returns where files may be written: in the project.
func (r *migration) writer() *output.Writer { return &output.Writer{Root: r.project.root} }

// unwritten prints why a file must not be written. It returns other errors.
func (r *migration) unwritten(err error) error {
	if refused, ok := errors.AsType[*output.Refused](err); ok {
		return r.notWritten(refused.Error())
	}
	return err
}

// protected returns why one of the files must not be replaced, or "".
func (r *migration) protected(files []output.File) string {
	for _, file := range files {
		path := file.Path
		if !filepath.IsAbs(path) {
			path = filepath.Join(output.Physical(r.Dir), path)
		}
		info, err := os.Lstat(path)
		switch {
		case err != nil:
			return err.Error()
		case info.Mode().Perm()&0o200 == 0:
			return file.Path + " is read-only"
		}
	}
	return ""
}

// notWritten prints why nothing is written.
func (r *migration) notWritten(reason string) error {
	r.differs = r.differs || r.Write
	fmt.Fprintf(r.out, "Nothing was changed: %s.\n", strings.TrimSuffix(screen.Line(reason), "."))
	return nil
}
