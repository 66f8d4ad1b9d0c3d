package main

import (
	"context"
	"errors"
	"io"
	"os"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/generation"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/internal/conversions/convertrun"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/terminal/consent"
	"github.com/schemagen/schemagen/verify"
)

// convertRun is one run of the convert command.
type convertRun struct {
	reporting.Reporter
	generation.Values
	objects convertrun.Objects
	files   []string
}

func newConvertCommand(stdin io.Reader, stdout, stderr io.Writer) *cobra.Command {
	r := convertRun{objects: convertrun.Objects{Stdin: stdin,
		Target: convertrun.Target{Consent: consent.Consent{In: os.Stdin, Out: stderr}}}}
	cmd := &cobra.Command{
		Use:   "convert -f FILE --to VERSION [packages]",
		Short: "Convert objects between versions, without a cluster.",
		Long: `Convert objects between versions with the conversions in Go packages, generated or
written by hand: the methods ConvertTo and ConvertFrom, or functions such as
ConvertWidgetToHub. The packages are built, and their code is run, with your consent:
you are asked on a terminal, and pass --yes elsewhere.

Objects are files, directories, or - for standard input, and are printed as YAML.
Packages are patterns as for schemagen crd, with the same default.`,
		Example: `  schemagen convert -f widget.yaml --to v1 ./api/...
  kubectl get widgets -o yaml | schemagen convert -f - --to v1beta1 --strip --yes`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(r.files) == 0 || r.objects.To == "" {
				return errors.New("needs objects and a version: schemagen convert -f widget.yaml --to v1")
			}
			if err := r.Configure(cmd, ""); err != nil {
				return err
			}
			var err error
			r.Patterns, err = r.Packages(cmd, nil, args)
			if err != nil {
				return err
			}
			r.objects.Stdout = screen.Documents(stdout)
			return r.run(cmd.Context(), stderr)
		},
	}
	flags := cmd.Flags()
	flags.StringSliceVarP(&r.files, "filename", "f", nil, "read objects from files, directories, or - for standard input")
	flags.StringVar(&r.objects.To, "to", "", "convert to this version, such as v1")
	flags.BoolVar(&r.objects.Strip, "strip", false, "leave out the annotation in which conversions keep what a version lacks")
	flags.BoolVar(&r.objects.Consent.Given, "yes", false, consent.CodeFlag)
	r.AddFlags(cmd)
	cmd.Flags().AddFlagSet(r.Flags(project.OfConvert))
	// Without the tag of other commands, which leaves out generated conversions.
	flags.StringSliceVar(&r.Tags, "tags", []string{}, "load and build packages with these build tags")
	return cmd
}

func (r *convertRun) run(ctx context.Context, stderr io.Writer) error {
	if err := r.CheckFormat(); err != nil {
		return err
	}
	sources, err := definitions.FindObjects("-f", r.files)
	if err != nil {
		return err
	}
	server, err := generation.NewVerifier("", verify.Options{})
	if err != nil {
		return err
	}
	r.Dir = r.WorkDir
	r.Server = server
	r.Passes = passes.All()
	r.Inputs = r.Reader
	r.Project.AddTo(&r.Options)
	findings, err := r.objects.Find(ctx, r.Options)
	if err != nil {
		return err
	}
	if !findings.HasErrors() { // warnings are about what is generated
		findings, err = r.objects.Convert(ctx, sources)
		if err != nil {
			return err
		}
	}
	return r.Report(stderr, findings)
}
