package definitions

import (
	"context"
	"fmt"
	"go/token"
	"io"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define/kustomize"
	"github.com/schemagen/schemagen/internal/ground/parallel"
	"github.com/schemagen/schemagen/publish"
	"github.com/schemagen/schemagen/structural/manifest"
	"github.com/schemagen/schemagen/verify"
)

// Reader reads definitions from files, standard input and Go packages.
type Reader struct {
	// Dir is the working directory.
	Dir string
	// Default are the names that Resources reads if none are given; if it is empty, the working
	// directory.
	Default []string
	// Stdin is standard input.
	Stdin io.Reader
	// Packages generates the definitions of Go packages. The patterns are relative to dir.
	Packages func(ctx context.Context, dir string, patterns []string) ([]*crd.Definition, diag.List, error)
	// Lenient is set for definitions that a server already has, or that are published:
	// findings of strict decoding become warnings, because a server ignores such fields
	// unless strict validation is requested, and unions are accepted.
	Lenient bool
	// Skip reports whether a file that is found in a directory is not read, by paths relative to
	// Dir, also for those in a commit. If it is nil, all files are.
	Skip func(dir, file string) bool
	// Keep, if not nil, is called with what is read.
	Keep func(part crd.File)
	// PackageFlags are the flags of a command line that have an effect only on Go packages.
	// ChannelFlags also have one on directories with the files of a channel, for which HasChannel
	// returns true. If nothing of the kind is read, that is an error.
	PackageFlags, ChannelFlags []string
	HasChannel                 func(dir string) bool

	// packages and channels are set once something of the kind is read.
	packages, channels bool
}

// note records the kinds of what is read.
func (r *Reader) note(names, packages []string) {
	r.packages = r.packages || len(packages) > 0
	for _, name := range names {
		if isFolder(name) {
			r.noteFolder(name)
		}
	}
}

func (r *Reader) noteFolder(name string) {
	r.channels = r.channels || r.HasChannel != nil && r.HasChannel(name)
}

// checkFlags returns an error if a flag has no effect on what is read.
func (r *Reader) checkFlags(names ...string) error {
	read := strings.Join(names, " ")
	const noEffect = "--%s would have no effect: "
	if len(r.PackageFlags) > 0 && !r.packages {
		return fmt.Errorf(noEffect+"it is for Go packages, and there are none in %s", r.PackageFlags[0], read)
	}
	if len(r.ChannelFlags) > 0 && !r.packages && !r.channels {
		return fmt.Errorf(noEffect+"there are neither Go packages nor a directory of the channel in %s", r.ChannelFlags[0], read)
	}
	return nil
}

// defaults returns the names to read if none are given.
func (r *Reader) defaults() []string {
	if len(r.Default) == 0 {
		return []string{"."}
	}
	return r.Default
}

// Read reads the definitions of files, directories, standard input ("-") and packages.
func (r *Reader) Read(ctx context.Context, names []string) ([]*crd.Definition, diag.List, error) {
	sources, packages, err := findDefinitions(names, r.Skip)
	if err != nil {
		return nil, nil, err
	}
	r.note(names, packages)
	if err := r.checkFlags(names...); err != nil {
		return nil, nil, err
	}
	return r.read(ctx, sources, r.Dir, packages)
}

// read reads the definitions of files and of packages. The patterns of packages are relative
// to dir.
func (r *Reader) read(ctx context.Context, sources []Source, dir string,
	packages []string) ([]*crd.Definition, diag.List, error) {
	r.note(nil, packages)
	out, findings, err := r.Files(sources)
	if err != nil || len(packages) == 0 {
		return out, findings, err
	}
	made, found, err := r.Packages(ctx, dir, packages)
	return append(out, made...), append(findings, found...), err
}

// Files reads the definitions of files.
func (r *Reader) Files(sources []Source) ([]*crd.Definition, diag.List, error) {
	var out []*crd.Definition
	var findings diag.List
	for part, err := range r.parts(sources) {
		if err != nil {
			return nil, nil, err
		}
		subjects, found := r.decode(part)
		for _, d := range subjects {
			d.Converted = kustomized(r.Dir, part.Name, d)
		}
		out = append(out, subjects...)
		findings = append(findings, found...)
	}
	return out, findings, nil
}

// kustomized returns a function that reports whether a kustomization around the file of a
// definition adds a webhook that converts between its versions.
func kustomized(dir, file string, d *crd.Definition) func() bool {
	return func() bool { return kustomize.Converts(nil, dir, filepath.Dir(file), d.CRD.Name) }
}

// parts yields the parts of files that may contain definitions. The files may hold any number
// of other objects.
func (r *Reader) parts(sources []Source) iter.Seq2[crd.File, error] {
	return func(yield func(crd.File, error) bool) {
		for _, source := range sources {
			for part, err := range source.Chunks(r.Stdin) {
				if err == nil && part.Mixed && !mentionsDefinitions(part.Data) {
					continue
				}
				if err == nil && r.Keep != nil {
					r.Keep(part)
				}
				if !yield(part, err) {
					return
				}
			}
		}
	}
}

func (r *Reader) decode(part crd.File) (read []*crd.Definition, findings diag.List) {
	parallel.For(part.Name, func() {
		if r.Lenient {
			read, findings = lenient(part)
		} else {
			read, findings = verify.Read(part)
		}
	})
	return read, findings
}

// lenient is the variant of [verify.Read] for [Reader.Lenient].
func lenient(part crd.File) ([]*crd.Definition, diag.List) {
	manifests, problems, position := part.Read()
	var out []*crd.Definition
	var findings diag.List
	var unionsAt []token.Pos
	for _, m := range manifests {
		findings = append(findings, addUnions(m, position)...)
		for _, unknown := range m.Unknown {
			for _, k := range unknown {
				if k.Keyword == publish.UnionsKeyword {
					unionsAt = append(unionsAt, k.Pos)
				}
			}
		}
		if s := crd.FromManifest(m, position); s != nil {
			out = append(out, s)
		}
	}
	problems = slices.DeleteFunc(problems, func(p manifest.Problem) bool {
		return (p.Kind == manifest.UnknownField || p.Kind == manifest.DroppedField) && slices.Contains(unionsAt, p.Pos)
	})
	found := verify.Problems(problems, position)
	for i, p := range problems {
		if p.Kind == manifest.UnknownField || p.Kind == manifest.DuplicateField {
			found[i].Severity = diag.Warning
		}
	}
	return out, append(findings, found...)
}
