package main

import (
	"context"
	"errors"
	"io"
	"os"
	"slices"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/generation"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/generate"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/internal/unions/suggest"
	"github.com/schemagen/schemagen/internal/unions/uniongen"
)

func newUnionsCommand(stdout, stderr io.Writer) *cobra.Command {
	inv := generation.Invocation{Of: project.OfUnions, Native: true}
	var onlyPolicies, suggests, writes, tightens bool
	cmd := &cobra.Command{
		Use:   "unions [packages]",
		Short: "Generate Go functions that normalize and validate unions.",
		Long: `Generate a file ` + uniongen.FileName + ` in each Go package with types that
contain a union. Its functions clear the members that a changed discriminator does
not select, and report violations.

If schemagen.yaml has outputs.policies, also write an admission policy for each kind to
that directory, which clears members on the API server (Kubernetes 1.36 and later).
With --suggest, write nothing and list
structs that look like unions, with the markers to add, and hand-written rules that
mean the same as markers, with the proof. With --suggest --write, replace those rules;
--tighten also replaces rules that are almost a union, and accept more.

Packages are patterns as for schemagen crd, with the same default. Unions are enabled unless the source has +schemagen:unions=none.
If there is an error, no file is written.`,
		Example: `  schemagen unions ./api/...
  schemagen unions ./api/... --check
  schemagen unions ./api/... --set outputs.policies=config/policy --no-functions
  schemagen unions ./api/... --suggest
  schemagen unions ./api/... --suggest --write`,
		RunE: func(cmd *cobra.Command, args []string) error {
			inv.Command = cmd
			inv.Given = cmd.Flags()
			inv.Request.Patterns = args
			s, err := inv.Settle()
			if err != nil {
				return err
			}
			switch {
			case (writes || tightens) && !suggests:
				return errors.New("--write and --tighten need --suggest")
			case tightens:
				return replaceRules(cmd.Context(), s, suggest.Suggestion.IsReplacement, stdout, stderr)
			case writes:
				isProved := func(found suggest.Suggestion) bool { return found.Proved }
				return replaceRules(cmd.Context(), s, isProved, stdout, stderr)
			case suggests:
				return suggestUnions(cmd.Context(), s, stdout, stderr)
			}
			if err := s.CheckFunctions(); err != nil {
				return err
			}
			functions := generate.Functions{FunctionOptions: s.Functions, GoFiles: s.GoFiles(), OnlyPolicies: onlyPolicies}
			out, err := s.Execute(cmd.Context(), functions.Run)
			if err != nil {
				return err
			}
			_, err = s.Finish(cmd.Context(), out, stdout, stderr)
			return err
		},
	}
	inv.AddFlags(cmd)
	new(generation.Values).AddSettings(cmd, project.OfUnions)
	cmd.Flags().BoolVar(&onlyPolicies, "no-functions", false, "write only policies, no functions")
	cmd.Flags().BoolVar(&suggests, "suggest", false, "list structs that look like unions without markers")
	cmd.Flags().BoolVar(&writes, "write", false, "with --suggest, replace hand-written rules by markers that accept the same objects")
	cmd.Flags().BoolVar(&tightens, "tighten", false, "with --suggest, also replace rules by markers that accept less, as shown")
	cmd.MarkFlagsMutuallyExclusive("suggest", "check")
	return cmd
}

// suggestUnions lists structs that look like unions.
func suggestUnions(ctx context.Context, s *generation.Settings, stdout, stderr io.Writer) error {
	suggestions, findings, err := suggest.Unions(ctx, s.Options)
	if err != nil {
		return err
	}
	if err := s.Reporter.Report(stderr, definitions.WithoutIgnored(nil, findings)); err != nil {
		return err
	}
	if s.Mode != output.Diff {
		return suggest.Write(stdout, suggestions, s.Dir)
	}
	isTighter := func(found suggest.Suggestion) bool { return !found.Proved && found.IsReplacement() }
	outputs, err := edited(s, slices.DeleteFunc(suggestions, isTighter))
	if err != nil {
		return err
	}
	_, err = s.Reporter.Writer.Commit(ctx, outputs, output.Diff, stdout)
	return err
}

// replaceRules replaces hand-written rules by markers, as wanted suggestions say.
func replaceRules(ctx context.Context, s *generation.Settings, isWanted func(suggest.Suggestion) bool, stdout, stderr io.Writer) error {
	suggestions, findings, err := suggest.Unions(ctx, s.Options)
	if err != nil {
		return err
	}
	isOther := func(found suggest.Suggestion) bool { return !isWanted(found) || len(found.OptIn) > 0 }
	outputs, err := edited(s, slices.DeleteFunc(suggestions, isOther))
	if err != nil {
		return err
	}
	return s.Reporter.Rewrite(ctx, outputs, definitions.WithoutIgnored(nil, findings), s.Mode != output.Diff, stdout, stderr)
}

// edited returns the files with suggestions applied.
func edited(s *generation.Settings, suggestions []suggest.Suggestion) ([]output.File, error) {
	files, err := suggest.Apply(suggestions, true, os.ReadFile)
	if err != nil {
		return nil, err
	}
	var outputs []output.File
	for _, file := range files {
		outputs = append(outputs, output.File{Path: screen.Relative(s.Dir, file.Name, 0), Data: []byte(file.New)})
	}
	return outputs, nil
}
