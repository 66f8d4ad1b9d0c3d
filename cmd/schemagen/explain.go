package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/generation"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reference"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/fields"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/pages/explain"
	"github.com/schemagen/schemagen/markers"
)

// explainRun is one run of the explain command.
type explainRun struct {
	definitions generation.DefinitionFlags
	apiVersion  string
	format      string
	recursive   bool
}

func newExplainCommand(stdout, stderr io.Writer) *cobra.Command {
	var r explainRun
	cmd := &cobra.Command{
		Use:   "explain FIELD [CRD...] | CODE | +MARKER",
		Short: "Explain a field of a custom resource, a diagnostic, or a marker.",
		Long: `Explain a field of a custom resource, a diagnostic, or a marker. No cluster is needed.

A field is KIND or KIND.path: a kind, plural, singular or short name, and a path as for
kubectl explain. Its CRDs are files, directories, - for standard input, or Go packages,
with which the position of the field in the source is shown; the default is the
project's, as for verify. SG without a number lists the codes of all diagnostics. A marker is the
beginning of its name, or of a part of it after a colon; + alone lists all markers.`,
		Example: `  schemagen explain widget.spec.template config/crd/bases
  schemagen explain SG303
  schemagen explain +kubebuilder:validation:Minimum`,
		Args:              cli.Args(1, math.MaxInt, "KIND, a code or a marker"),
		ValidArgsFunction: completeExplained,
		RunE: func(cmd *cobra.Command, args []string) error {
			if !slices.Contains(explain.Formats(), r.format) {
				return fmt.Errorf("unknown format %q: use one of %s", r.format, strings.Join(explain.Formats(), ", "))
			}
			if strings.HasPrefix(args[0], "+") || explainedCode().MatchString(args[0]) {
				return r.reference(args[0], stdout)
			}
			if err := r.definitions.Configure(cmd, &reporting.Reporter{Format: "text"}); err != nil {
				return err
			}
			return r.run(cmd.Context(), args[0], args[1:], cmd.InOrStdin(), stdout, stderr)
		},
	}
	flags := cmd.Flags()
	flags.StringVar(&r.apiVersion, "api-version", "", "explain this version or group/version (default: the one that kubectl prefers)")
	flags.StringVar(&r.format, "format", "text", "output format: "+strings.Join(explain.Formats(), ", "))
	flags.BoolVar(&r.recursive, "recursive", false, "also show all nested fields")
	r.definitions.Add(cmd)
	return cmd
}

// explainedCode matches the code of a diagnostic, or SG, which stands for all of them.
var explainedCode = lazyregexp.New(`^(?i:SG[0-9]*)$`)

// completeExplained completes codes and markers.
func completeExplained(_ *cobra.Command, args []string, typed string) (out []string, _ cobra.ShellCompDirective) {
	switch {
	case len(args) > 0:
		return nil, cobra.ShellCompDirectiveDefault
	case strings.HasPrefix(typed, "+"):
		table, _ := markers.New()
		for _, name := range table.Names() {
			// A shell matches the beginning; +Minimum is short for +kubebuilder:validation:Minimum.
			for _, candidate := range []string{"+" + name, "+" + name[strings.LastIndex(name, ":")+1:]} {
				if strings.HasPrefix(candidate, typed) && !slices.Contains(out, candidate) {
					out = append(out, candidate)
				}
			}
		}
	case strings.HasPrefix(strings.ToUpper(typed), "SG"):
		for _, info := range reference.Codes() {
			if !strings.HasPrefix(string(info.Code), strings.ToUpper(typed)) {
				continue
			}
			out = append(out, string(info.Code)+"\t"+info.Title)
		}
	}
	return out, cobra.ShellCompDirectiveNoFileComp
}

// reference explains a code or a marker.
func (r *explainRun) reference(text string, stdout io.Writer) error {
	prefix, isMarker := strings.CutPrefix(text, "+")
	if !isMarker {
		return reference.WriteCode(stdout, text)
	}
	return reference.WriteMarkers(stdout, prefix, r.format)
}

func (r *explainRun) run(
	ctx context.Context, what string, crds []string, stdin io.Reader, stdout, stderr io.Writer,
) error {
	reader, err := r.definitions.Reader(stdin)
	if err != nil {
		return err
	}
	reader.Lenient = true
	published, findings, err := reader.Resources(ctx, crds, nil)
	if err != nil {
		return err
	}
	// Most warnings are about other kinds. Those about unions explain why one is missing.
	findings = slices.DeleteFunc(findings, func(d diag.Diagnostic) bool {
		return d.Severity != diag.Error && d.Code != definitions.UnpublishedUnions.Code
	})
	err = findings.Normalize().RelativeTo(r.definitions.Dir).WriteText(stderr)
	if err != nil || findings.HasErrors() {
		return cmp.Or(err, reporting.ErrFindings)
	}
	name, path, _ := strings.Cut(what, ".")
	resource, err := explain.Find(definitions.Published(published), name, r.apiVersion)
	if err != nil {
		return err
	}
	index := slices.IndexFunc(published, func(p *definitions.Resource) bool { return p.Resource == resource })
	if resource.Schema == nil {
		refused := diag.List{published[index].Unpublished("%s %s cannot be explained: %s").As(diag.Error)}
		return cmp.Or(refused.RelativeTo(r.definitions.Dir).WriteText(stderr), reporting.ErrFindings)
	}
	levels := fields.OneLevel
	if r.recursive {
		levels = fields.AllLevels
	}
	explanation, err := explain.Explain(resource, path, levels)
	if err != nil {
		return err
	}
	published[index].SetPositions(explanation.Field, r.definitions.Dir)
	if r.format != "text" {
		stdout = screen.Documents(stdout)
	}
	return explanation.Write(stdout, r.format)
}
