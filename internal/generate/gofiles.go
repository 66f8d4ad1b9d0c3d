package generate

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/run/output"
)

// GoFiles is what the generators of Go files beside Go packages, [Functions] and [Conversions], have
// in common.
type GoFiles struct {
	// Header precedes each Go file.
	Header string
	// Policies is the directory of admission policies; none are written if it is empty.
	Policies string
	// Prune removes files that schemagen wrote and that are no longer needed.
	Prune bool
	// Partial has the meaning that it has in [Request].
	Partial bool
	// Unreadable are findings about the file whose text is the header of the options.
	Unreadable diag.List
}

// add adds files with absolute names.
func (r *Result) add(findings diag.List, dir string, files []define.File) {
	r.Findings = append(r.Findings, findings...)
	for _, f := range files {
		r.Outputs = append(r.Outputs, output.File{Path: screen.Relative(dir, f.Name, 0), Data: f.Data})
	}
}

// normalized sorts the findings, without the findings that comments suppress.
func (r *Result) normalized() *Result {
	r.Findings = definitions.WithoutIgnored(nil, r.Findings.Normalize())
	return r
}

// policyFiles are policies, a file for each kind, whose names end in suffix. A file that is not among
// them is stale for the reason.
type policyFiles struct {
	files          []define.File
	suffix, reason string
}

// addPolicies adds policies, and finds those in their directory that are no longer needed: it adds
// those to remove and reports the others. Only files marked as written by schemagen count.
func (g GoFiles) addPolicies(ctx context.Context, options define.Options, policies policyFiles, out *Result) error {
	if g.Policies == "" {
		return nil
	}
	for _, file := range policies.files {
		out.Outputs = append(out.Outputs, output.File{Path: filepath.Join(g.Policies, file.Name), Data: file.Data})
	}
	entries, err := options.Inputs.ReadDir(g.Policies)
	if err != nil && !inputs.IsAbsent(err) {
		return fmt.Errorf("find stale files: %w", err)
	}
	var candidates []string
	for _, entry := range entries {
		path := filepath.Join(g.Policies, entry.Name())
		name, isPolicy := strings.CutSuffix(entry.Name(), policies.suffix)
		produced := slices.ContainsFunc(out.Outputs, func(o output.File) bool { return o.Path == path })
		if produced || !isPolicy || !entry.Type().IsRegular() {
			continue
		}
		text, err := options.Inputs.ReadFile(path, nil)
		if err != nil {
			return fmt.Errorf("find stale files: %w", err)
		}
		if !isOurs(text) {
			continue
		}
		declared, err := declarationOfPolicy(ctx, options, name)
		if err != nil {
			return err
		}
		if declared != nil {
			out.Findings = append(out.Findings, StillDeclared(path, declared.kind, declared.pos))
			continue
		}
		candidates = append(candidates, path)
	}
	remove, found, err := staleAmong(options.Inputs, candidates, policies.reason, g)
	out.Stale = append(out.Stale, remove...)
	out.Findings = append(out.Findings, found...)
	return err
}
