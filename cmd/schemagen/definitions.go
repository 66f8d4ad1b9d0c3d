package main

import (
	"context"
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
	for _, source := range sources {
		data, err := readSource(source, stdin)
		if err != nil {
			return nil, nil, err
		}
		if source.met && !strings.Contains(string(data), "CustomResourceDefinition") {
			continue
		}
		subjects, found := readDefinitions(source, data)
		findings = append(findings, found...)
		for _, s := range subjects {
			resources, found := published(s)
			out, findings = append(out, resources...), append(findings, found...)
		}
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
