package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/generation"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/dryrun"
	"github.com/schemagen/schemagen/internal/conversions/convertrun"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/terminal/consent"
	"github.com/schemagen/schemagen/internal/tryout"
	"github.com/schemagen/schemagen/verify"
)

// tryGCPercent is lower than in other commands: a run may be long, and most allocations
// for an object are short-lived.
const tryGCPercent = 100

// tryRun is one run of the try command.
type tryRun struct {
	reporting.Reporter
	// files contain the objects, crds their definitions, and old the stored objects.
	files, crds []string
	definitions generation.DefinitionFlags
	old         string
	// subresource is the subresource to write: empty, status, or scale.
	subresource string
	// output is how each object is printed: diff, yaml, or none.
	output string
	// policies are files and directories with admission policies.
	policies []string
	// pruning is server or proposal, validation a value of kubectl --validate.
	pruning, validation string
	// target is the version to convert to, empty for none.
	target convertrun.Target
	// sample is the kind to print samples of instead.
	sample string
}

// validations returns the values of --validate.
func validations() []string {
	return []string{string(dryrun.ValidateStrict), string(dryrun.ValidateWarn), string(dryrun.ValidateIgnore)}
}

func newTryCommand(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	r := tryRun{target: convertrun.Target{Consent: consent.Consent{In: os.Stdin, Out: stderr}}}
	cmd := &cobra.Command{
		Use:   "try [CRD...] [-f FILE]",
		Short: "Show what an API server would store for custom resources.",
		Long: `Show what an API server would store for custom resources: the fields that it drops,
defaults and rejects, and the union members that an admission policy clears, each
with its line. No server is needed.

Objects are files, directories, or - for standard input; the default is
config/samples. CRDs are files, directories, -, or Go packages; the default is the
project's, as for verify. CRDs among the objects are also used.

--to converts what is stored with the conversions in Go packages, generated or written
by hand: the methods ConvertTo and ConvertFrom, or functions such as
ConvertWidgetToHub. The packages are built, and their code is run, with your consent:
you are asked on a terminal, and pass --yes elsewhere.`,
		Example: `  schemagen try -f widget.yaml config/crd/bases
  schemagen try -f new.yaml --old stored.yaml ./api/...
  schemagen try -f widget.yaml --to v1 ./api/...
  kubectl get widgets -o yaml | schemagen try -f - --to v1beta1 --strip -o yaml --yes
  schemagen try --sample Widget config/crd/bases`,
		RunE: func(cmd *cobra.Command, args []string) error {
			r.crds = args
			if err := r.definitions.Configure(cmd, &r.Reporter); err != nil {
				return err
			}
			if samples := project.Samples(nil, r.WorkDir); len(r.files) == 0 && r.sample == "" && samples != "" {
				r.files = []string{samples}
			}
			if len(r.files) == 0 && r.sample == "" {
				return cli.UsageError(cmd,
					"try needs objects: -f FILE, or --sample KIND to print some; there is no config/samples")
			}
			return r.run(cmd.Context(), stdin, stdout, stderr)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVarP(&r.files, "filename", "f", nil, "read objects from files, directories, or - for standard input (default: config/samples)")
	flags.StringVar(&r.old, "old", "", "update these stored objects: a file, a directory, or - for standard input")
	flags.StringVar(&r.subresource, "subresource", "", "update a subresource of the --old objects: status, or scale with objects of kind Scale")
	flags.StringVarP(&r.output, "output", "o", "diff", "print each object as: diff, yaml, none")
	flags.StringVar(&r.validation, "validate", string(dryrun.ValidateStrict), "treat unknown fields as kubectl does: strict rejects the object, warn and ignore drop them")
	flags.StringVar(&r.pruning, "pruning", "server", "drop unknown fields by the rules of: server, proposal (the KEP for pruning, which also works for schemas that are not structural)")
	flags.StringVar(&r.sample, "sample", "", "print a minimal and a full object of a `kind`: Kind, Kind.group or Kind.group/version")
	flags.StringVar(&r.target.To, "to", "", "also convert what is stored to this version, with the conversions in Go packages: those named, or else the project's, which are then also its default")
	flags.BoolVar(&r.target.Strip, "strip", false, "with --to, leave out the annotation in which conversions keep what a version lacks")
	flags.BoolVar(&r.target.Consent.Given, "yes", false, "with --to, "+consent.CodeFlag)
	r.addPolicyFlag(cmd)
	r.AddFlags(cmd)
	r.definitions.Add(cmd)
	cli.HideFlags(cmd, "pruning")
	cmd.MarkFlagsMutuallyExclusive("filename", "sample")
	cmd.MarkFlagsMutuallyExclusive("to", "sample")
	return cmd
}

func (r *tryRun) addPolicyFlag(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&r.policies, "policy", nil,
		"clear union members as these admission policies do: files or directories (also those beside the CRDs and of the project, unless --unions is none)")
}

func (r *tryRun) run(ctx context.Context, stdin io.Reader, stdout, stderr io.Writer) error {
	if err := r.CheckFormat(); err != nil {
		return err
	}
	if !slices.Contains([]string{"diff", "yaml", "none"}, r.output) {
		return fmt.Errorf("unknown output %q: use one of diff, yaml, none", r.output)
	}
	if !slices.Contains([]string{"", "status", "scale"}, r.subresource) {
		return fmt.Errorf("unknown subresource %q: use one of status, scale", r.subresource)
	}
	if !slices.Contains([]string{"server", "proposal"}, r.pruning) {
		return fmt.Errorf("unknown pruning %q: use one of server, proposal", r.pruning)
	}
	if !slices.Contains(validations(), r.validation) {
		return fmt.Errorf("unknown --validate %q: use one of %s", r.validation, strings.Join(validations(), ", "))
	}
	if r.subresource != "" && r.old == "" {
		return errors.New("--subresource needs --old: it updates a stored object")
	}
	debug.SetGCPercent(tryGCPercent)
	if r.target.To != "" && len(r.crds) == 0 {
		// The packages that convert objects also define them.
		var err error
		r.crds, err = r.Packages(r.definitions.Command, nil, nil)
		if err != nil {
			return err
		}
	}
	trial, findings, err := r.trial(ctx, r.files, stdin)
	if err != nil {
		return err
	}
	trial.Subresource = r.subresource
	trial.FieldValidation = dryrun.FieldValidation(r.validation)
	if r.pruning == "proposal" {
		trial.PruneByProposal()
	}
	if r.old != "" {
		olds, found, err := definitions.ReadStored(r.old, stdin)
		if err != nil {
			return err
		}
		defer olds.Close()
		trial.Stored = olds.Get
		findings = append(findings, found...)
	}
	sources, err := definitions.FindObjects("-f", r.files)
	if err != nil {
		return err
	}
	var converted *convertrun.Trial
	if r.target.To != "" {
		trial.Converts = true
		found, err := r.conversions(ctx)
		if err != nil {
			return err
		}
		converted = &convertrun.Trial{Target: r.target, Server: trial}
		defer converted.Close()
		findings = append(findings, found...)
	}
	report, err := r.Stream(stderr)
	if err != nil {
		return err
	}
	if err := report.Add(findings); err != nil {
		return err
	}
	run := tryout.Run{Trial: trial, Stdin: stdin, Stdout: r.Text(stdout, stderr), Output: r.output, Converted: converted,
		Paint: screen.PaintOf(r.Console.Out.Terminal), Keep: r.definitions.Keep, Report: report.Add}
	switch {
	case findings.HasErrors(): // objects cannot be tried
	case r.sample != "":
		err = run.Samples(ctx, r.sample)
	default:
		err = run.All(ctx, sources)
	}
	return cmp.Or(err, report.Finish())
}

// conversions finds the conversions of the packages that are named, or else, if only files are,
// of the project. Only mistakes that keep them from being read are reported.
func (r *tryRun) conversions(ctx context.Context) (diag.List, error) {
	_, patterns, err := definitions.Find(r.crds)
	if err == nil {
		patterns, err = r.Packages(r.definitions.Command, nil, patterns)
	}
	if err != nil {
		return nil, err
	}
	options := define.Options{Passes: passes.All(),
		Source: define.Source{Dir: r.WorkDir, Patterns: patterns, Tags: []string{}, Inputs: r.Reader}}
	options.Server, err = generation.NewVerifier("", verify.Options{})
	if err != nil {
		return nil, err
	}
	r.Project.AddTo(&options)
	findings, err := r.target.Find(ctx, options)
	return slices.DeleteFunc(findings, func(d diag.Diagnostic) bool { return d.Severity != diag.Error }), err
}

// trial returns a trial with the definitions that are named, or else those of the project, and those
// among the files with objects. If several define a kind, the named ones come first and the project's
// last. Mistakes in the files are reported when the objects are read.
func (r *tryRun) trial(ctx context.Context, files []string, stdin io.Reader) (*dryrun.Trial, diag.List, error) {
	reader, err := r.definitions.Reader(stdin)
	if err != nil {
		return nil, nil, err
	}
	if r.definitions.Unions == "none" {
		if len(r.policies) > 0 {
			return nil, nil, errors.New("--policy and --unions none exclude each other")
		}
		reader.PackageFlags = slices.DeleteFunc(reader.PackageFlags, func(name string) bool { return name == "unions" }) // policies are not in packages
	}
	crds := r.crds
	if len(crds) == 0 {
		crds = reader.Default
	}
	named, findings, err := reader.Read(ctx, crds)
	if err != nil {
		return nil, nil, err
	}
	files = slices.DeleteFunc(slices.Clone(files), func(name string) bool { return name == "-" })
	among, _, err := definitions.FindWithout(files, reader.Skip)
	if err != nil {
		return nil, nil, err
	}
	for i := range among {
		among[i].Found = true
	}
	more, _, err := reader.Files(among)
	if len(named)+len(more) == 0 && !findings.HasErrors() {
		none := definitions.NoCRDIn(crds, len(r.crds) > 0)
		if len(r.crds) > 0 {
			none.Hint += "; name objects with -f"
		}
		if r.sample != "" {
			none = none.As(diag.Error)
		}
		findings = append(findings, none)
	}
	if len(r.crds) == 0 { // those of the project are only the default
		named, more = more, named
	}
	all := append(named, more...)
	trial := dryrun.New(all...)
	trial.Hints = dryrun.Hints{CRD: "as an argument", Status: "try --subresource status with --old"}
	if err != nil || r.definitions.Unions == "none" {
		return trial, findings, err
	}
	policies := tryout.Policies{Named: r.policies, Configured: r.Project.Texts("outputs.policies", r.WorkDir), Keep: r.definitions.Keep, Stdin: stdin}
	follow, found, err := policies.Read(all)
	trial.FollowPolicies(follow...)
	return trial, append(findings, found...), err
}
