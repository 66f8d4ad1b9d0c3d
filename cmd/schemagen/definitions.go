package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"go/token"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/markers"
	"github.com/schemagen/schemagen/publish"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/verify"
)

// definitionFlags say how definitions are made of Go packages, for commands that
// take both.
type definitionFlags struct {
	enable []string
	unions string
	// project is schemagen.yaml; nil if there is none.
	project *configFile
	// kept is what the last reading read, for a command that reads again; nil
	// keeps nothing.
	kept map[partKey]readPart
}

// partKey is a part of a file with its content.
type partKey struct {
	source manifestSource
	line   int
	sum    [sha256.Size]byte
}

// readPart is what a part of a file has.
type readPart struct {
	resources []*publishedResource
	findings  diag.List
}

func (f *definitionFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.enable, "enable", nil, "for Go packages: switch features on: "+strings.Join(markers.Features(), ", "))
	cmd.Flags().StringVar(&f.unions, "unions", "", "for Go packages: how unions are written where the source does not say: cel, oneOf, none")
}

// configure reads the project file for a command with these flags and those of r.
func (f *definitionFlags) configure(cmd *cobra.Command, r *reporting) error {
	err := r.configure(cmd, "")
	f.project = r.project
	return err
}

// publishedResource is a resource with the places of what its definition says.
type publishedResource struct {
	*publish.Resource
	// placeOf is the position of a path in the definition.
	placeOf func(path string) diag.Position
	// subject is the definition.
	subject *verify.Subject
}

// forgetPlaces drops the definition that the places are from, but for those that
// conflicts with other definitions name.
func (p *publishedResource) forgetPlaces() {
	places := map[string]diag.Position{}
	for _, field := range []string{"kind", "listKind", "plural"} {
		places["spec.names."+field] = p.placeOf("spec.names." + field)
	}
	p.placeOf = func(path string) diag.Position { return places[path] }
}

// read reads the served versions of definitions, wherever they are.
func (f *definitionFlags) read(ctx context.Context, dir string, args []string, stdin io.Reader) ([]*publishedResource, diag.List, error) {
	files, packages, err := f.find(args)
	if err != nil {
		return nil, nil, err
	}
	var out []*publishedResource
	var findings diag.List
	last := f.kept
	if last != nil {
		f.kept = map[partKey]readPart{}
	}
	for part, err := range definitionParts(files, stdin) {
		if err != nil {
			return nil, nil, err
		}
		key := partKey{part.source, part.line, sha256.Sum256(part.data)}
		read, known := last[key]
		if !known {
			read = publishedAll(part.subjects(lenientSubjects))
		}
		if last != nil {
			f.kept[key] = read
		}
		out, findings = append(out, read.resources...), append(findings, read.findings...)
	}
	subjects, found, err := f.fromPackages(ctx, dir, packages)
	made := publishedAll(subjects, found)
	return append(out, made.resources...), append(findings, made.findings...), err
}

// publishedAll are the served versions of definitions.
func publishedAll(subjects []*verify.Subject, findings diag.List) readPart {
	out := readPart{findings: findings}
	for _, s := range subjects {
		resources, found := published(s)
		out.resources, out.findings = append(out.resources, resources...), append(out.findings, found...)
	}
	return out
}

// subjects reads definitions of files, directories, standard input and packages.
func (f *definitionFlags) subjects(ctx context.Context, dir string, names []string, stdin io.Reader, decode decoder) ([]*verify.Subject, diag.List, error) {
	files, packages, err := f.find(names)
	if err != nil {
		return nil, nil, err
	}
	out, findings, err := subjectsIn(files, stdin, decode)
	if err != nil {
		return nil, nil, err
	}
	made, found, err := f.fromPackages(ctx, dir, packages)
	return append(out, made...), append(findings, found...), err
}

// find is findCRDs with flags that make sense.
func (f *definitionFlags) find(names []string) (files []manifestSource, packages []string, err error) {
	if err := checkFeatures(f.enable); err != nil {
		return nil, nil, err
	}
	if err := generator.CheckUnions(f.unions); err != nil {
		return nil, nil, fmt.Errorf("--unions: %w", err)
	}
	return findCRDs(names)
}

// fromPackages makes the definitions of packages, if there are any.
func (f *definitionFlags) fromPackages(ctx context.Context, dir string, packages []string) ([]*verify.Subject, diag.List, error) {
	if len(packages) == 0 {
		return nil, nil, nil
	}
	options, err := f.project.generatorOptions(generator.Options{Dir: dir, Patterns: packages, Final: true})
	if err != nil {
		return nil, nil, err
	}
	options.Enable, options.Unions = f.enable, f.unions
	return generator.Subjects(ctx, options)
}

// decoder decodes the definitions of a part of a file: [subjectsOf] or
// [lenientSubjects].
type decoder func(source manifestSource, data []byte, fset *token.FileSet) ([]*verify.Subject, diag.List)

// definitionPart is a part of a file that speaks of definitions.
type definitionPart struct {
	chunk
	source manifestSource
}

// definitionParts are the parts of files, which may hold any number of other
// objects, that may have definitions.
func definitionParts(files []manifestSource, stdin io.Reader) iter.Seq2[definitionPart, error] {
	return func(yield func(definitionPart, error) bool) {
		for _, source := range files {
			for c, err := range chunks(source, stdin) {
				if err == nil && source.met && !bytes.Contains(c.data, []byte("CustomResourceDefinition")) {
					continue
				}
				if !yield(definitionPart{c, source}, err) {
					return
				}
			}
		}
	}
}

// subjects decodes the definitions, with places in the file.
func (p definitionPart) subjects(decode decoder) ([]*verify.Subject, diag.List) {
	subjects, findings := decode(p.source, p.data, token.NewFileSet())
	line := chunk{line: p.line} // the places outlive the text
	for _, s := range subjects {
		place := s.Place
		s.Place = func(path string) (diag.Position, []diag.Related) {
			pos, related := place(path)
			return line.inFile(pos), related
		}
	}
	return subjects, line.allInFile(findings)
}

// subjectsIn reads the definitions of files.
func subjectsIn(files []manifestSource, stdin io.Reader, decode decoder) ([]*verify.Subject, diag.List, error) {
	var out []*verify.Subject
	var findings diag.List
	for part, err := range definitionParts(files, stdin) {
		if err != nil {
			return nil, nil, err
		}
		subjects, found := part.subjects(decode)
		out, findings = append(out, subjects...), append(findings, found...)
	}
	return out, findings, nil
}

// findCRDs are the files and the packages with definitions that names stand for. A
// folder of Go files is a package even if there are YAML files in it, as test suites
// are, unless they speak of CRDs.
func findCRDs(names []string) (sources []manifestSource, packages []string, err error) {
	for _, name := range names {
		found, missing, err := findSources([]string{name})
		if err != nil {
			return nil, nil, err
		}
		isPackage, err := isPackageFolder(name, found)
		switch {
		case err != nil:
			return nil, nil, err
		case isPackage:
			packages = append(packages, "./"+filepath.ToSlash(filepath.Clean(name)))
		default:
			sources, packages = append(sources, found...), append(packages, missing...)
		}
	}
	return sources, packages, nil
}

// isPackageFolder reports whether a name is of a folder with Go files, and none of
// the files that were found in it speaks of CRDs.
func isPackageFolder(name string, found []manifestSource) (bool, error) {
	info, err := os.Stat(name)
	if err != nil || !info.IsDir() || len(found) == 0 {
		return false, nil // what is not there is an import path
	}
	if _, hasGo, err := findInFolder(name); err != nil || !hasGo {
		return false, err
	}
	for _, source := range found {
		data, err := os.ReadFile(source.name)
		if err != nil {
			return false, err
		}
		if bytes.Contains(data, []byte("CustomResourceDefinition")) {
			return false, nil
		}
	}
	return true, nil
}

// lenientSubjects decodes a part of a file. What only strict decoding refuses is a
// warning, because a server that is not asked for it publishes the rest; unions are
// taken.
func lenientSubjects(source manifestSource, data []byte, fset *token.FileSet) ([]*verify.Subject, diag.List) {
	manifests, problems := structural.ReadManifests(fset, source.name, data)
	var out []*verify.Subject
	var findings diag.List
	var unionsAt []token.Pos
	for _, m := range manifests {
		for _, unknown := range m.Unknown {
			for _, k := range publish.AddUnions(unknown) {
				findings = append(findings, diag.Diagnostic{Code: publish.CodeUnions, Severity: diag.Warning, Pos: verify.Position(fset, k.Pos),
					Message: fmt.Sprintf("%s is in neither of its forms, and is not published", k.Keyword)})
			}
			for _, k := range unknown {
				if k.Keyword == publish.UnionsKeyword {
					unionsAt = append(unionsAt, k.Pos)
				}
			}
		}
		if s := verify.Manifest(m, fset); s != nil {
			out = append(out, s)
		}
	}
	problems = slices.DeleteFunc(problems, func(p structural.Problem) bool {
		unknown := p.Kind == structural.UnknownField || p.Kind == structural.DroppedField
		return source.met && p.Kind == structural.NoObject || unknown && slices.Contains(unionsAt, p.Pos)
	})
	found := verify.Problems(problems, fset)
	for i, p := range problems {
		if p.Kind == structural.UnknownField || p.Kind == structural.DuplicateField {
			found[i].Severity = diag.Warning
		}
	}
	return out, append(findings, found...)
}

// published are the served versions of a definition, and what keeps one of them
// from being published as it is.
func published(s *verify.Subject) ([]*publishedResource, diag.List) {
	placeOf := func(path string) diag.Position {
		pos, _ := s.Place(path)
		return pos
	}
	var out []*publishedResource
	var findings diag.List
	for _, r := range publish.Resources(s.CRD, s.Schemas, s.Unheld) {
		out = append(out, &publishedResource{Resource: r, placeOf: placeOf, subject: s})
		for _, place := range publish.BadNames(r) {
			findings = append(findings, diag.Diagnostic{Code: publish.CodeName, Severity: diag.Error, Pos: placeOf(place),
				Message: fmt.Sprintf("%s of %s is missing or is no DNS name", place, s.CRD.Name)})
		}
		if r.Refused != nil {
			findings = append(findings, diag.Diagnostic{Code: publish.CodeNotPublished, Severity: diag.Warning, Pos: placeOf(r.Path + r.Refused.Path),
				Message: fmt.Sprintf("the schema of %s %s is not published: %s", r.Kind, r.GroupVersion(), r.Refused.Reason)})
		}
	}
	return out, findings
}
