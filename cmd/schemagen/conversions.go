package main

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/generation"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/conversions"
	"github.com/schemagen/schemagen/internal/conversions/convertprove"
	"github.com/schemagen/schemagen/internal/conversions/laws"
	"github.com/schemagen/schemagen/internal/conversions/rehub"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/generate"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/internal/terminal/consent"
)

// conversionsRun is one run of the conversions command.
type conversionsRun struct {
	*generation.Settings
	conversions generate.Conversions
	// explain prints the table of units and writes nothing.
	explain bool
	// prove converts valid objects, cases histories of them, and writes nothing.
	prove bool
	cases int
	// mutate runs the tests of generated conversions without each of their conditions instead.
	mutate  bool
	consent consent.Consent
	// rehub is the version that becomes the hub, in Go source; write writes it.
	rehub string
	write bool
}

func newConversionsCommand(stdout, stderr io.Writer) *cobra.Command {
	r := conversionsRun{consent: consent.Consent{In: os.Stdin, Out: stderr}}
	r.conversions.BuildTag = conversions.DefaultBuildTag
	inv := generation.Invocation{Of: project.OfConversions, Native: true}
	cmd := &cobra.Command{
		Use:   "conversions [packages]",
		Short: "Generate Go code that converts the versions of a kind.",
		Long: `Generate ` + conversions.FileName + ` in each Go package with a version of a kind
that has several, and ` + laws.FileName + `, which tests it. One
version, the hub, is the one that is stored, or the one marked +schemagen:convert:hub.
Its fields and those of the other versions are paired by name, or by markers; what
the other side cannot express is kept in an annotation. --strict also requires
+schemagen:convert:hubOnly for fields that only the hub has.

The tests run random histories of edits through both versions, and report what
conversions lose, revert or panic on. With --laws-only, generate only tests, in each
package with conversions that people wrote. --prove runs histories of objects that are
valid by the schemas and CEL rules of their versions, and also wants them to be valid
in the other version. It builds and runs the code of the packages, with your
consent: you are asked on a terminal, and pass --yes elsewhere. --rehub VERSION
makes another version the hub: it turns the markers round in Go source.

Packages are patterns as for schemagen crd, with the same default. The files import
nothing of schemagen. If there is an error, no file is written.`,
		Example: `  schemagen conversions ./api/...
  schemagen conversions ./api/... --explain
  schemagen conversions ./api/... --set conversions.style=functions --check
  schemagen conversions ./api/... --prove --cases 1000 --yes
  schemagen conversions --laws-only ./api/...
  schemagen conversions ./api/... --rehub v2 --write
  CONVERSION_HISTORIES=100000 go test ./api/... -run TestConversionLaws`,
		RunE: func(cmd *cobra.Command, args []string) error {
			inv.Command = cmd
			inv.Given = cmd.Flags()
			inv.Request.Patterns = args
			settings, err := inv.Settle()
			if err != nil {
				return err
			}
			r.Settings = settings
			if r.conversions.LawsOnly && r.Reporter.Project.Texts("tags", r.Dir) == nil {
				r.Tags = []string{} // the default leaves out generated conversions
			}
			r.conversions.GoFiles = r.GoFiles()
			r.conversions.KeepOnCreate = r.Conversions.KeepOnCreate
			r.conversions.Functions = r.Conversions.Functions
			r.conversions.Strict = r.Reporter.Strict
			r.conversions.Mutable = r.mutate
			if r.mutate && !r.prove {
				return cli.UsageError(cmd, "--mutate needs --prove")
			}
			if r.write && r.rehub == "" {
				return cli.UsageError(cmd, "--write needs --rehub")
			}
			return r.run(cmd.Context(), stdout, stderr)
		},
	}
	flags := cmd.Flags()
	flags.BoolVar(&r.explain, "explain", false, "print how each field is converted and what is lost, and write nothing")
	flags.BoolVar(&r.conversions.LawsOnly, "laws-only", false, "generate only tests, of hand-written conversions")
	flags.BoolVar(&r.prove, "prove", false, "convert valid objects there and back, from config/samples and the schemas, with random edits, and write nothing")
	flags.IntVar(&r.cases, "cases", 10000, "how many histories of edits --prove makes for each version")
	flags.BoolVar(&r.mutate, "mutate", false, "with --prove, remove each condition from the generated code in turn, and run its tests")
	flags.BoolVar(&r.consent.Given, "yes", false, "with --prove, "+consent.CodeFlag)
	flags.StringVar(&r.rehub, "rehub", "", "turn the markers round, so that this version is the hub, and print a diff of the Go source")
	flags.BoolVar(&r.write, "write", false, "with --rehub, write the Go source")
	inv.AddFlags(cmd)
	new(generation.Values).AddSettings(cmd, project.OfConversions)
	cli.HideFlags(cmd, "mutate", "cases")
	cmd.MarkFlagsMutuallyExclusive("explain", "laws-only", "prove", "rehub")
	cmd.MarkFlagsMutuallyExclusive("rehub", "check")
	return cmd
}

// run generates, reports and writes.
func (r *conversionsRun) run(ctx context.Context, stdout, stderr io.Writer) error {
	options := r.Options
	options.OutputDir = append(r.Reporter.Project.Definitions(nil, r.Dir, r.Reporter.Project.One(r.Dir, "")), "")[0]
	if r.explain {
		model, findings, err := conversions.Find(ctx, options, r.conversions.Options)
		if err == nil {
			err = r.Reporter.Report(stderr, definitions.WithoutIgnored(nil, findings))
		}
		if err != nil {
			return err
		}
		return model.Explain(stdout)
	}
	if r.rehub != "" {
		turned, findings, err := rehub.Turn(ctx, options, r.conversions.Options, r.rehub)
		if err != nil {
			return err
		}
		if len(turned) == 0 && !findings.HasErrors() {
			fmt.Fprintf(stderr, "%s is already the hub of every kind that has it: nothing to do\n", r.rehub)
		}
		var outputs []output.File
		for _, f := range turned {
			outputs = append(outputs, output.File{Path: screen.Relative(r.Dir, f.Name, 0), Data: f.Data, Before: f.Before})
		}
		return r.Reporter.Rewrite(ctx, outputs, definitions.WithoutIgnored(nil, findings), r.write, stdout, stderr)
	}
	if r.prove {
		return r.runProof(ctx, options, stdout, stderr)
	}
	r.Options = options
	out, err := r.Execute(ctx, r.conversions.Run)
	if err != nil {
		return err
	}
	out.FailUnconverted()
	_, err = r.Finish(ctx, out, stdout, stderr)
	return err
}

// runProof generates conversions, runs them with valid objects, and reports.
func (r *conversionsRun) runProof(ctx context.Context, options define.Options, stdout, stderr io.Writer) error {
	generated, findings, err := conversions.Generate(ctx, options, r.conversions.Options)
	if err != nil {
		return err
	}
	findings = append(findings, r.conversions.Unreadable...)
	if !findings.HasErrors() {
		findings, err = r.proved(ctx, options, generated, stdout)
	}
	if err != nil && len(findings) == 0 {
		return err
	}
	return cmp.Or(err, r.Reporter.Report(stderr, findings)) // of an interrupted run, too
}

// proved runs what was generated with valid objects.
func (r *conversionsRun) proved(ctx context.Context, options define.Options, generated conversions.Files,
	stdout io.Writer) (diag.List, error) {
	run := convertprove.Run{Generated: generated, Dir: r.Dir, Cases: r.cases, Consent: r.consent, Stdout: stdout}
	run.Tags = slices.DeleteFunc(slices.Clone(r.Tags), func(tag string) bool { return tag == "ignore_autogenerated" })
	if r.mutate {
		return nil, run.WriteMutants(ctx)
	}
	return run.ProveProject(ctx, options, project.Samples(nil, r.Dir))
}
