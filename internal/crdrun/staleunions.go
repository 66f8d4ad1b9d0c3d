package crdrun

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/generator/driver"
	"github.com/schemagen/schemagen/generator/uniongen"
	"github.com/schemagen/schemagen/internal/inputs"
	"github.com/schemagen/schemagen/internal/output"
	"github.com/schemagen/schemagen/internal/plurals"
)

// UnionOutputs are the outputs of schemagen unions.
type UnionOutputs struct {
	Outputs []output.File
	// Without are the directories of packages without functions, and Policy is that of
	// policies, or empty.
	Without []string
	Policy  string
	// Prune removes stale files.
	Prune bool
}

// StaleUnions finds files of schemagen unions that are no longer needed: in packages without
// functions, and for kinds without policies. It returns those to remove and reports the others.
// Only files marked as written by schemagen count.
func StaleUnions(ctx context.Context, options generator.Options, of UnionOutputs) (remove []string, findings diag.List, err error) {
	var disk *inputs.Reader // nothing is recorded
	var candidates []string
	for _, dir := range of.Without {
		candidates = append(candidates, diag.Relative(options.Dir, filepath.Join(dir, uniongen.FileName), 0))
	}
	if of.Policy != "" {
		entries, err := disk.ReadDir(of.Policy)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, nil, fmt.Errorf("find stale files: %w", err)
		}
		for _, entry := range entries {
			path := filepath.Join(of.Policy, entry.Name())
			produced := slices.ContainsFunc(of.Outputs, func(o output.File) bool { return o.Path == path })
			if !produced && entry.Type().IsRegular() && strings.HasSuffix(path, uniongen.PolicySuffix) {
				candidates = append(candidates, path)
			}
		}
	}
	for _, path := range candidates {
		text, err := disk.ReadFile(path, nil)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("find stale files: %w", err)
		}
		if !isOurs(text) {
			continue
		}
		at, kind, found, err := declarationOfPolicy(ctx, options, path)
		if err != nil {
			return nil, nil, err
		}
		if found {
			findings = append(findings, StillDeclared(path, kind, at))
			continue
		}
		if of.Prune {
			remove = append(remove, path)
			continue
		}
		findings = append(findings, StaleOutput.At(diag.Position{File: filepath.ToSlash(path)},
			"remove the file, or run with --prune", "the package of this file has no unions"))
	}
	return remove, findings, nil
}

// StaleGo finds generated files with a name in directories without anything to generate. It
// returns those to remove, and reports them instead unless prune is set. Only files marked as
// written by schemagen count.
func StaleGo(base string, dirs []string, name, reason string, prune bool) (remove []string, findings diag.List, err error) {
	var disk *inputs.Reader // nothing is recorded
	for _, dir := range dirs {
		path := diag.Relative(base, filepath.Join(dir, name), 0)
		text, err := disk.ReadFile(path, nil)
		switch {
		case errors.Is(err, fs.ErrNotExist) || err == nil && !isOurs(text):
		case err != nil:
			return nil, nil, fmt.Errorf("find stale files: %w", err)
		case prune:
			remove = append(remove, path)
		default:
			findings = append(findings, StaleOutput.At(diag.Position{File: filepath.ToSlash(path)}, "remove the file, or run with --prune", "%s", reason))
		}
	}
	return remove, findings, nil
}

// declarationOfPolicy looks for the kind of a policy file in packages outside the run.
func declarationOfPolicy(ctx context.Context, options generator.Options, file string) (at diag.Position, kind string, found bool, err error) {
	resource, isPolicy := strings.CutSuffix(filepath.Base(file), uniongen.PolicySuffix)
	group, plural, ok := strings.Cut(resource, "_")
	if !isPolicy || !ok {
		return at, "", false, nil
	}
	listing, _, err := driver.List(ctx, options)
	if err != nil {
		return at, "", false, err
	}
	path := []byte("path=" + plural)
	at, found = Declaration(nil, options.Dir, group, func(file, name string, text []byte) bool {
		kind = name
		isKind := plurals.Of(name) == plural || bytes.Contains(text, path)
		return isKind && !slices.Contains(listing.Dirs, filepath.Dir(file))
	})
	return at, kind, found, nil
}

// onlyPolicies reports whether a file contains only policies and their bindings.
func onlyPolicies(text []byte) bool {
	documents := yaml.NewDecoder(bytes.NewReader(text))
	for {
		var document struct {
			Kind string `yaml:"kind"`
		}
		err := documents.Decode(&document)
		if err == io.EOF {
			return true
		}
		if err != nil || !strings.HasPrefix(document.Kind, "MutatingAdmissionPolicy") {
			return false
		}
	}
}

// isOurs reports whether a file is marked as written by schemagen and contains nothing
// else.
func isOurs(text []byte) bool {
	if policies, ok := bytes.CutPrefix(text, []byte(uniongen.PolicyHeader)); ok {
		return onlyPolicies(policies)
	}
	return slices.ContainsFunc(bytes.Split(text, []byte("\n")), func(line []byte) bool {
		return bytes.HasPrefix(line, []byte("// Code generated by schemagen"))
	})
}
