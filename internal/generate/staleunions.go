package generate

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/plurals"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/internal/unions/uniongen"
)

// unionOutputs are the outputs of schemagen unions.
type unionOutputs struct {
	Outputs []output.File
	// Without are the directories of packages without functions, and Policy is that of
	// policies, or empty.
	Without []string
	Policy  string
	// Prune removes stale files.
	Prune bool
}

// staleUnions finds files of schemagen unions that are no longer needed: in packages without
// functions, and for kinds without policies. It returns those to remove and reports the others.
// Only files marked as written by schemagen count.
func staleUnions(ctx context.Context, options define.Options, of unionOutputs) (remove []string, findings diag.List, err error) {
	var candidates []string
	for _, dir := range of.Without {
		candidates = append(candidates, screen.Relative(options.Dir, filepath.Join(dir, uniongen.FileName), 0))
	}
	remove, findings, err = staleAmong(candidates, "the package of this file has no unions", of.Prune)
	if err != nil || of.Policy == "" {
		return remove, findings, err
	}
	files, more, err := stalePolicies(ctx, options, policies{
		Outputs: of.Outputs, Dir: of.Policy, Suffix: uniongen.PolicySuffix, Reason: "the package of this file has no unions", Prune: of.Prune,
	})
	return append(remove, files...), append(findings, more...), err
}

// policies are the policies that a command writes to a directory, a file for each kind.
type policies struct {
	// Outputs are the files of the run, policies and others.
	Outputs     []output.File
	Dir, Suffix string
	// Reason is why there is a file that the run does not write.
	Reason string
	// Prune removes stale files.
	Prune bool
}

// stalePolicies finds policies in a directory that are no longer needed. It returns those to
// remove and reports the others. Only files marked as written by schemagen count.
func stalePolicies(ctx context.Context, options define.Options, of policies) (remove []string, findings diag.List, err error) {
	var disk *inputs.Reader // nothing is recorded
	entries, err := disk.ReadDir(of.Dir)
	if err != nil && !inputs.IsAbsent(err) {
		return nil, nil, fmt.Errorf("find stale files: %w", err)
	}
	var candidates []string
	for _, entry := range entries {
		path := filepath.Join(of.Dir, entry.Name())
		name, isPolicy := strings.CutSuffix(entry.Name(), of.Suffix)
		produced := slices.ContainsFunc(of.Outputs, func(o output.File) bool { return o.Path == path })
		if produced || !isPolicy || !entry.Type().IsRegular() {
			continue
		}
		text, err := disk.ReadFile(path, nil)
		if err != nil {
			return nil, nil, fmt.Errorf("find stale files: %w", err)
		}
		if !isOurs(text) {
			continue
		}
		at, kind, found, err := declarationOfPolicy(ctx, options, name)
		if err != nil {
			return nil, nil, err
		}
		if found {
			findings = append(findings, StillDeclared(path, kind, at))
			continue
		}
		candidates = append(candidates, path)
	}
	remove, more, err := staleAmong(candidates, of.Reason, of.Prune)
	return remove, append(findings, more...), err
}

// staleAmong returns the files that exist and are marked as written by schemagen, or reports
// them instead unless prune is set.
func staleAmong(paths []string, reason string, prune bool) (remove []string, findings diag.List, err error) {
	var disk *inputs.Reader // nothing is recorded
	for _, path := range paths {
		text, err := disk.ReadFile(path, nil)
		switch {
		case inputs.IsAbsent(err) || err == nil && !isOurs(text):
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

// declarationOfPolicy looks in packages outside the run for the kind of a policy, whose name
// begins with GROUP_PLURAL and may have a version.
func declarationOfPolicy(ctx context.Context, options define.Options, name string) (at diag.Position, kind string, found bool, err error) {
	group, plural, ok := strings.Cut(name, "_")
	if !ok {
		return at, "", false, nil
	}
	plural, _, _ = strings.Cut(plural, "_")
	listing, _, err := define.List(ctx, options)
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
	if bytes.HasPrefix(text, []byte("# Generated by schemagen")) {
		return onlyPolicies(text)
	}
	return slices.ContainsFunc(bytes.Split(text, []byte("\n")), func(line []byte) bool {
		return bytes.HasPrefix(line, []byte("// Code generated by schemagen"))
	})
}
