package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"fmt"
	"go/token"
	"io"
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
	// kept are the files of the last reading, for a command that reads again; nil
	// keeps none.
	kept map[fileKey]readFile
}

// fileKey is a file with its content.
type fileKey struct {
	manifestSource
	sum [sha256.Size]byte
}

// readFile is what a file has.
type readFile struct {
	resources []*publishedResource
	findings  diag.List
}

func (f *definitionFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.enable, "enable", nil, "for Go packages: switch features on: "+strings.Join(markers.Features(), ", "))
	cmd.Flags().StringVar(&f.unions, "unions", "", "for Go packages: how unions are written where the source does not say: cel, oneOf, none")
}

// publishedResource is a resource with the places of what its definition says.
type publishedResource struct {
	*publish.Resource
	// placeOf is the position of a path in the definition.
	placeOf func(path string) diag.Position
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
	if err := checkFeatures(f.enable); err != nil {
		return nil, nil, err
	}
	if err := generator.CheckUnions(f.unions); err != nil {
		return nil, nil, fmt.Errorf("--unions: %w", err)
	}
	sources, packages, err := findSources(args)
	if err != nil {
		return nil, nil, err
	}
	var out []*publishedResource
	var findings diag.List
	last := f.kept
	if last != nil {
		f.kept = map[fileKey]readFile{}
	}
	for _, source := range sources {
		data, err := readSource(source, stdin)
		if err != nil {
			return nil, nil, err
		}
		if source.met && !bytes.Contains(data, []byte("CustomResourceDefinition")) {
			continue
		}
		key := fileKey{source, sha256.Sum256(data)}
		file, known := last[key]
		if !known {
			file = readDefinitionFile(source, data)
		}
		if last != nil {
			f.kept[key] = file
		}
		out, findings = append(out, file.resources...), append(findings, file.findings...)
	}
	if len(packages) > 0 {
		subjects, found, err := generator.Subjects(ctx, generator.Options{Dir: dir, Patterns: packages, Enable: f.enable, Unions: f.unions, Final: true})
		if err != nil {
			return nil, nil, err
		}
		findings = append(findings, found...)
		for _, s := range subjects {
			resources, found := published(s)
			out, findings = append(out, resources...), append(findings, found...)
		}
	}
	return out, findings, nil
}

// readDefinitionFile reads the served versions that a file has.
func readDefinitionFile(source manifestSource, data []byte) readFile {
	subjects, findings := readDefinitions(source, data)
	out := readFile{findings: findings}
	for _, s := range subjects {
		resources, found := published(s)
		out.resources, out.findings = append(out.resources, resources...), append(out.findings, found...)
	}
	return out
}

// readDefinitions decodes a file. What only strict decoding refuses is a warning,
// because a server that is not asked for it publishes the rest; unions are taken.
func readDefinitions(source manifestSource, data []byte) ([]*verify.Subject, diag.List) {
	fset := token.NewFileSet()
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
		out = append(out, &publishedResource{Resource: r, placeOf: placeOf})
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
