package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/generation"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/fields"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/pages/explain"
)

// explainRun is one run of the explain command.
type explainRun struct {
	definitions generation.DefinitionFlags
	crds        []string
	apiVersion  string
	format      string
	recursive   bool
}

func newExplainCommand(stdout, stderr io.Writer) *cobra.Command {
	var r explainRun
	cmd := &cobra.Command{
		Use:   "explain KIND[.path]",
		Short: "Explain a field of a custom resource, without a cluster.",
		Long: `Explain a field of a custom resource, without a cluster.

KIND is a kind, plural, singular or short name; the path is the same as for kubectl
explain. CRDs are YAML or JSON files, directories with such files, - for standard
input, or Go packages; for packages, the position of the field in the source is
shown.`,
		Example: `  schemagen explain widget.spec.template --crd config/crd/bases
  schemagen explain widgets --recursive --crd ./api/...`,
		Args: cli.Args(1, 1, "KIND"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.definitions.Configure(cmd, &reporting.Reporter{Format: "text"}); err != nil {
				return err
			}
			return r.run(cmd.Context(), args[0], cmd.InOrStdin(), stdout, stderr)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVar(&r.crds, "crd", nil, generation.CRDFlagHelp)
	flags.StringVar(&r.apiVersion, "api-version", "", "explain this version or group/version (default: the one that kubectl prefers)")
	flags.StringVar(&r.format, "format", "plain", "output format: "+strings.Join(explain.Formats(), ", "))
	flags.BoolVar(&r.recursive, "recursive", false, "also show all nested fields")
	r.definitions.Add(cmd)
	return cmd
}

func (r *explainRun) run(ctx context.Context, what string, stdin io.Reader, stdout, stderr io.Writer) error {
	if !slices.Contains(explain.Formats(), r.format) {
		return fmt.Errorf("unknown format %q: use one of %s", r.format, strings.Join(explain.Formats(), ", "))
	}
	reader, err := r.definitions.Reader(stdin)
	if err != nil {
		return err
	}
	reader.Lenient = true
	published, findings, err := reader.Resources(ctx, r.crds, nil)
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
	if r.format != "plain" {
		stdout = screen.Documents(stdout)
	}
	return explanation.Write(stdout, r.format)
}
