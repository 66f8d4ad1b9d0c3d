package main

import (
	"context"
	"errors"
	"io"
	"maps"
	"runtime/debug"
	"slices"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/generation"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reference"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/terminal"
	"github.com/schemagen/schemagen/verify"
)

// verifyRun is one run of the verify command.
type verifyRun struct {
	reporting.Reporter
	definitions generation.DefinitionFlags
	kubeVersion string
	// old is as in [definitions.VerifyOptions].
	old           string
	costs, unions bool
	// condition prints conditions, proposal in the wording of the KEP.
	condition, proposal bool
}

// verifyGCPercent is lower than in other commands: most allocations of verification are
// short-lived.
const verifyGCPercent = 75

func newVerifyCommand(stdout, stderr io.Writer) *cobra.Command {
	var r verifyRun
	cmd := &cobra.Command{
		Use:   "verify [files, directories, packages or -]",
		Short: "Check that the API server accepts your CRDs.",
		Long: `Check that the API server accepts your CustomResourceDefinitions, using its own code.

Arguments are YAML or JSON files, directories with such files, - for standard
input, or Go packages (./api/..., an import path), whose CRDs are generated in
memory. The default is the project's CRDs: outputs in schemagen.yaml,
config/crd/bases, config/crd, or else the working directory.

The default of --kube-version is 1.35, although the libraries of 1.37 are linked: a
definition should be accepted by the clusters that people have, and these are seldom
the newest.

"# schemagen:ignore CODE reason" suppresses a diagnostic on its own and the next
line; "# schemagen:ignore-file CODE reason" suppresses it in the whole file.`,
		Example: `  schemagen verify config/crd/bases
  schemagen verify crd.yaml --old git:main --kube-version 1.32
  kustomize build config/crd | schemagen verify -`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := r.definitions.Configure(cmd, &r.Reporter); err != nil {
				return err
			}
			return r.run(cmd.Context(), args, cmd.InOrStdin(), stdout, stderr)
		},
	}
	r.AddFlags(cmd)
	r.definitions.AddChannel(cmd)
	cmd.Flags().StringVar(&r.kubeVersion, "kube-version", "", "verify against the API server of this Kubernetes version (default "+apiserver.DefaultVersion+")")
	cmd.Flags().StringVar(&r.old, "old", "", "check the CRDs as an update of these: files, packages or -, or a commit: git:REF or git:REF:PATH")
	cmd.Flags().BoolVar(&r.costs, "costs", false, "print the estimated cost of each CEL rule")
	cmd.Flags().BoolVar(&r.unions, "unions", false, "also report the unions that rules enforce, and where they accept more")
	cmd.Flags().BoolVar(&r.condition, "condition", false, "print the condition NonStructuralSchema as a server sets it, and the features that the server refuses then")
	cmd.Flags().BoolVar(&r.proposal, "proposal", false, "with --condition: use the rules and the wording of the structural-schema KEP")
	cli.HideFlags(cmd, "condition", "proposal")
	return cmd
}

func (r *verifyRun) run(ctx context.Context, args []string, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := r.CheckFormat(); err != nil {
		return err
	}
	debug.SetGCPercent(verifyGCPercent)
	target, err := apiserver.NewTarget(r.kubeVersion)
	if err != nil {
		return err
	}
	codes, err := r.Project.Rules(verify.Rules(), nil)
	if err != nil {
		return err
	}
	verifier := verify.New(target, verify.Options{Rules: codes, Unions: r.unions})
	if r.proposal && !r.condition {
		return errors.New("--proposal is the wording of --condition: give both")
	}
	r.definitions.Server = verifier
	r.definitions.Stored = true // it generates only what is replaced
	reader, err := r.definitions.Reader(stdin)
	if err != nil {
		return err
	}
	given := len(args) > 0
	if !given && r.definitions.Channel != "" {
		args = append(reader.Default, ".")[:max(1, len(reader.Default))]
	} else if !given {
		args = r.Project.AllDefinitions(nil, r.WorkDir)
	}
	if r.definitions.Channel == "" {
		reader.Skip = nil // those of all channels are verified
	}
	channel := r.Project.One(r.WorkDir, r.definitions.Channel)
	options := definitions.VerifyOptions{Reader: *reader, Server: verifier, Old: r.old}
	options.Output = channel.Within(r.Project.Output(nil, r.WorkDir))
	options.Generate = func(ctx context.Context, packages []string, server define.Server) (diag.List, error) {
		options, err := generation.Options(r.Project, define.Options{Source: define.Source{Dir: r.WorkDir,
			Patterns: packages, Inputs: r.Reader}, Final: true, Server: server})
		if err != nil {
			return nil, err
		}
		channel.AddTo(&options)
		_, found, err := define.Make(ctx, options)
		return found, err
	}
	if r.costs {
		options.Costs = r.Text(stdout, stderr)
	}
	if r.condition {
		options.Conditions = definitions.ConditionOptions{Writer: screen.Documents(stdout), JSON: r.Format == "json"}
		r.Format = "text" // the conditions are the document, so that findings beside them are text
	}
	if r.proposal {
		options.Conditions.Wording = verify.ProposalWording
	}
	verified, err := definitions.Verify(ctx, args, options)
	if err != nil {
		return err
	}
	if err := reporting.Unread(r.old, verified.Old, nil, r.WorkDir, stderr); err != nil {
		return err
	}
	findings := verified.Findings
	if verified.Definitions == 0 && len(findings) == 0 {
		findings = append(findings, definitions.NoCRDIn(args, given))
	}
	r.Unused = func(used map[*project.Waiver]bool) diag.List {
		return r.Project.UnusedIn(r.Reader, slices.Collect(maps.Keys(verified.Ignores)), used,
			append(verify.Codes(), definitions.UnpublishedUnions))
	}
	findings = append(verified.Ignores.Without(nil, findings), verified.Ignores.Invalid(reference.IsCode)...)
	verdict := r.Judge(findings)
	if !verdict.Failed && verified.Definitions > 0 {
		r.Console.Conclude("%s accepted (Kubernetes %s)", terminal.Count(verified.Definitions, "CRD"), target.Version())
	}
	return r.Print(stderr, verdict)
}
