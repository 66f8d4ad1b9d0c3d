package generation

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/companions/commandline"
	"github.com/schemagen/schemagen/internal/conversions"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/generate"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/screen"
	"github.com/schemagen/schemagen/internal/ground/snapshot"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/internal/run/runcache"
	"github.com/schemagen/schemagen/verify"
)

// Invocation is a command line of the generators, in either syntax.
type Invocation struct {
	// Command has the context, and the flags that are no settings.
	Command *cobra.Command
	// Given are the flags of settings; those of the command line have changed.
	Given *pflag.FlagSet
	// Of is the command whose settings are used: [project.OfCRD] and others.
	Of string
	// Native is set for schemagen's own syntax.
	Native bool
	// Request has what arguments select: packages and generators.
	Request generate.Request
	// Dir is the working directory.
	Dir string
	// Format is the output format of findings, such as json.
	Format string
	// Check and Diff are those flags, which determine the mode.
	Check, Diff bool
	// Watch runs again whenever an input of the last run changes, Fix applies fixes before the run.
	Watch, Fix bool
	// Within is the only directory to write to, for migrate, or empty.
	Within string
}

// AddFlags adds the flags that are no settings, and are the same for all generators.
func (inv *Invocation) AddFlags(cmd *cobra.Command) {
	cli.AddModeFlags(cmd, &inv.Check, &inv.Diff)
	cmd.Flags().StringVar(&inv.Format, "format", "text", reporting.FormatHelp())
}

// AddFixFlag adds the flag that applies fixes.
func (inv *Invocation) AddFixFlag(cmd *cobra.Command) {
	cmd.Flags().BoolVar(&inv.Fix, "fix", false, "correct mistakes in Go files and schemagen.yaml, then run; with --diff, only show how")
	cmd.MarkFlagsMutuallyExclusive("fix", "check")
}

// checked returns an error for a value of a flag that no run can have, and sets the working directory.
func (inv *Invocation) checked() (err error) {
	if err := (&reporting.Reporter{Format: inv.Format}).CheckFormat(); err != nil {
		return err
	}
	enable, _ := inv.Given.GetStringSlice("enable")
	if err := CheckFeatures(enable); err != nil {
		return err
	}
	unions, _ := inv.Given.GetString("unions")
	if err := define.CheckUnions(unions); err != nil {
		return fmt.Errorf("--unions: %w", err)
	}
	inv.Dir, err = os.Getwd()
	return err
}

// Settings configure one run: an Invocation, completed by schemagen.yaml and by the layout of the
// project.
type Settings struct {
	Values
	Reporter reporting.Reporter
	Mode     output.Mode
	line     *Invocation
	shared   *Session
	// in reads the files of the run, or is nil if what was read is not needed later.
	in *inputs.Reader
	// kept is the run cache, or nil.
	kept *runcache.Cache
	// unreadable are findings about settings and the files that they name.
	unreadable diag.List
	// snapshot is where the next process with the same command line finds how this one
	// ended, or "".
	snapshot string
}

// settle returns the settings of a run that reads files with reader. Mistakes in the project file are
// reported.
func (inv *Invocation) settle(reader *inputs.Reader, shared *Session) (*Settings, error) {
	v := Values{Request: inv.Request}
	of := inv.Of
	if of == project.OfGenerate {
		of = project.OfCRD // and those of other generators, see wholeProject
	}
	flags := v.Flags(of)
	if err := cli.CopyFlags(flags, inv.Given); err != nil {
		return nil, err
	}
	s := &Settings{line: inv, shared: shared, in: reader,
		Reporter: reporting.Reporter{Format: inv.Format, Strict: v.strict, WorkDir: inv.Dir}}
	if err := s.Reporter.ConfigureIn(inv.Command, reader, of, flags); err != nil {
		return nil, err
	}
	s.Reporter.Strict = v.strict
	v.Dir = inv.Dir
	v.ToolVersion = cli.StampedVersion()
	v.Request.Strict = v.strict
	s.Reporter.Writer = *v.Bounds(s.Reporter.Writer, inv.Within)
	complete := inv.goFiles
	if of == project.OfCRD {
		complete = inv.definitions
	}
	if err := complete(s, &v); err != nil {
		return nil, err
	}
	ways, err := inv.compareWays(s, &v, flags, reader)
	if err != nil {
		return nil, err
	}
	header, unreadable := ReadHeader(s.in, s.Reporter.Writer, v.headerFile, v.year)
	v.Header = header
	s.unreadable = slices.Concat(unreadable, ways, s.unreadable, s.Reporter.Writer.Outside(v.Companions.HeaderFiles()...))
	s.Values = v
	return s, nil
}

// definitions completes the settings of a run that generates CRDs.
func (inv *Invocation) definitions(s *Settings, v *Values) error {
	reader := s.in
	v.ProjectFile = s.Reporter.Project.Identity()
	v.Environment = snapshot.Variables()
	s.unreadable = s.Reporter.OutsideCache(v.cacheDir)
	if !v.noCache && len(s.unreadable) == 0 {
		s.kept = runcache.Open(v.cacheDir, cli.ToolVersion())
	}
	if s.kept == nil && !inv.Watch && reader.Overlay() == nil && !s.Reporter.Quotes() {
		s.in = nil // the inputs are not needed
	}
	if inv.Of == project.OfGenerate {
		if err := inv.wholeProject(s, v, reader); err != nil {
			return err
		}
	}
	if err := inv.locate(s, v, reader); err != nil {
		return err
	}
	if err := inv.conventions(s, v); err != nil {
		return err
	}
	if inv.Of == project.OfGenerate && !s.Reporter.Project.Exists() && s.Reporter.Format == "text" {
		inv.sayAssumed(s, v, reader)
	}
	if found := v.SelectChannels(reader, s.Reporter.Project, inv.selection(v)); len(found) > 0 {
		return s.Reporter.Report(inv.Command.ErrOrStderr(), found)
	}
	v.ResolveHelm(reader)
	if err := v.Request.Check(); err != nil {
		return err
	}
	s.Mode = cli.ModeOf(v.Destination, inv.Check, inv.Diff)
	if len(v.Companions.Generators) > 0 || v.Patch != nil { // some of them write files
		s.Mode = cli.ModeOf("", inv.Check, inv.Diff)
	}
	if len(v.Companions.Generators) > 0 {
		v.Companions = v.Companions.WithOutputs(s.Reporter.Project, v.Dir)
		if v.Companions.Generators[commandline.ApplyConfigurationName] != nil {
			v.CurrentYear = time.Now().UTC().Year()
		}
	}
	return nil
}

// wholeProject sets what the project makes, with the options of its generators of Go files.
func (inv *Invocation) wholeProject(s *Settings, v *Values, reader *inputs.Reader) error {
	only, err := inv.Command.Flags().GetStringSlice("only")
	if err != nil {
		return err
	}
	made, err := generate.ReadProject(reader, s.Reporter.Project, v.Dir, time.Now().UTC().Year(), only)
	if err != nil {
		return err
	}
	v.Prune = v.Prune || len(only) == 0
	v.Partial = len(only) > 0
	v.Request.Make(made)
	if v.WithoutCRDs {
		v.Destination = ""
		v.Helm = ""
		v.Kustomize = false
	}
	var ofGoFiles Values
	for _, of := range []string{project.OfUnions, project.OfConversions} {
		if err := s.Reporter.Project.Fill(of, v.Dir, ofGoFiles.Flags(of)); err != nil {
			return err
		}
	}
	header, unreadable := ReadHeader(s.in, s.Reporter.Writer, ofGoFiles.headerFile, ofGoFiles.year)
	files := generate.GoFiles{Header: header, Policies: ofGoFiles.policies, Prune: v.Prune, Partial: v.Partial, Unreadable: unreadable}
	if v.Request.Functions != nil {
		*v.Request.Functions = generate.Functions{FunctionOptions: ofGoFiles.Functions, GoFiles: files}
	}
	if v.Request.Conversions != nil {
		*v.Request.Conversions = generate.Conversions{Options: ofGoFiles.Conversions, GoFiles: files}
		v.Request.Conversions.BuildTag = conversions.DefaultBuildTag
		v.Request.Conversions.Strict = v.strict
	}
	return nil
}

// sayAssumed prints what a run without a project file generates, unless a Kubebuilder project shows it.
func (inv *Invocation) sayAssumed(s *Settings, v *Values, reader *inputs.Reader) {
	if _, isKubebuilder := project.ReadKubebuilder(reader, v.Dir); isKubebuilder {
		return
	}
	fmt.Fprintf(inv.Command.ErrOrStderr(), "schemagen: no %s: CRDs of %s go to %s; schemagen init writes the settings\n",
		project.Name, screen.Line(strings.Join(v.Patterns, " ")), screen.Line(v.Destination))
	s.snapshot = "" // the next run says it again
}

// selection returns what the command line says about channels.
func (inv *Invocation) selection(v *Values) generate.Selection {
	return generate.Selection{Names: v.channels, Gates: inv.Given.Changed("gates"), Output: inv.Given.Changed("output")}
}

// locate sets the packages and the output directory that neither the command line nor the
// project file gives, and what follows from the packages. controller-gen's syntax has
// controller-gen's defaults.
func (inv *Invocation) locate(s *Settings, v *Values, reader *inputs.Reader) (err error) {
	file := s.Reporter.Project
	switch {
	case inv.Native:
		v.Patterns, err = s.Reporter.Packages(inv.Command, reader, v.Patterns)
		if err != nil {
			return err
		}
		if !inv.Given.Changed("output") && !v.WithoutCRDs {
			v.Destination = file.Output(reader, v.Dir)
		}
	case len(v.Patterns) == 0:
		v.Patterns = file.Paths(v.Dir)
	}
	v.AllPackages = len(v.Kinds) == 0 && len(v.Groups) == 0 && file.Covers(reader, v.Dir, v.Patterns)
	file.AddTo(&v.Options)
	if overrides := v.Options.Overrides; overrides != nil {
		overrides.ReportUnused = v.AllPackages && inv.selection(v).EveryChannel()
	}
	return nil
}

// conventions sets the rules to check, and which findings are reported: none that the commit of
// --since has, and those about waivers if the run could find all.
func (inv *Invocation) conventions(s *Settings, v *Values) (err error) {
	v.Rules, err = s.Reporter.Project.Rules(slices.Concat(passes.Rules(), verify.Rules()), v.ruleNames)
	if err != nil {
		return err
	}
	args, ok := reporting.ArgumentsOf(inv.Command.Context())
	// Paths of --set may be relative to another directory than the one that the snapshot is for.
	if set := reporting.GivenOf(inv.Command); ok && !inv.Watch && !inv.Fix && (set.Dir == "" || set.Dir == inv.Dir) {
		s.snapshot = snapshot.Path(args)
	}
	if v.since != "" && len(v.Rules) > 0 {
		v.Since, err = definitions.Commit(inv.Command.Context(), v.since)
		if err != nil {
			return fmt.Errorf("--since: %w", err)
		}
		s.snapshot = "" // its facts are files, not commits
	}
	if v.AllPackages && !v.NoCRD {
		s.Reporter.Unused = func(used map[*project.Waiver]bool) diag.List {
			return s.Reporter.Project.Unused(s.in, used, s.Request.Reported(), verify.Codes(), s.Request.Destination)
		}
	}
	return nil
}

// verifier returns the API server that verifies the output.
func (s *Settings) verifier() (*verify.Verifier, error) {
	cache := s.shared.Results
	if s.kept != nil {
		cache = s.kept
	}
	return NewVerifier(s.Request.KubeVersion, verify.Options{Generating: true, Cache: cache, Rules: s.Request.Options.Rules})
}
