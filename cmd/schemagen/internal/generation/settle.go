package generation

import (
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/companions/commandline"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/generate"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/snapshot"
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
	// Native is set for schemagen's own syntax.
	Native bool
	// Request has what arguments select: packages and generators.
	Request generate.Request
	// Dir is the working directory.
	Dir string
	// Format is that of findings.
	Format string
	// Check and Diff are those flags, which determine the mode.
	Check, Diff bool
	// Watch runs again whenever an input of the last run changes, Fix applies fixes before the run.
	Watch, Fix bool
	// Within is the only directory to write to, for migrate, or empty.
	Within string
}

// AddFlags adds the flags that are no settings, and are the same in both syntaxes.
func (inv *Invocation) AddFlags(cmd *cobra.Command) {
	cli.AddModeFlags(cmd, &inv.Check, &inv.Diff)
	cmd.Flags().StringVar(&inv.Format, "format", "text", reporting.FormatHelp())
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

// settings are those of one run: an Invocation, completed by schemagen.yaml and by the layout of
// the project.
type settings struct {
	line     *Invocation
	shared   *Session
	request  generate.Request
	reporter reporting.Reporter
	mode     output.Mode
	// in reads the files of the run, or is nil if what was read is not needed later.
	in *inputs.Reader
	// kept is the run cache, or nil.
	kept *runcache.Cache
	// unreadable are findings about files that the settings name.
	unreadable diag.List
	// snapshot is where the next process with the same command line finds how this one
	// ended, or "".
	snapshot string
	// since is the value of --since if the request has its commit.
	since string
}

// settle returns the settings of a run that reads files with in. Mistakes in the project file are
// reported.
func (inv *Invocation) settle(in *inputs.Reader, shared *Session) (*settings, error) {
	v := Values{Request: inv.Request}
	flags := v.Flags()
	if err := cli.CopyFlags(flags, inv.Given); err != nil {
		return nil, err
	}
	s := &settings{line: inv, shared: shared, in: in, reporter: reporting.Reporter{Format: inv.Format, Strict: v.strict, WorkDir: inv.Dir}}
	if err := s.reporter.ConfigureIn(inv.Command, in, project.OfCRD, flags); err != nil {
		return nil, err
	}
	s.reporter.Strict = v.strict
	v.Dir, v.ToolVersion, v.Request.Strict = inv.Dir, cli.StampedVersion(), v.strict
	v.ProjectFile, v.Environment = s.reporter.Project.Identity(), snapshot.Variables()
	s.reporter.Writer = *v.Bounds(s.reporter.Writer, inv.Within)
	s.unreadable = s.reporter.OutsideCache(v.cacheDir)
	if !v.noCache && len(s.unreadable) == 0 {
		s.kept = runcache.Open(v.cacheDir, cli.ToolVersion())
	}
	if s.kept == nil && !inv.Watch && in.Overlay() == nil && !s.reporter.Quotes() {
		s.in = nil // the inputs are not needed
	}
	if err := inv.locate(s, &v, in); err != nil {
		return nil, err
	}
	if err := inv.conventions(s, &v); err != nil {
		return nil, err
	}
	if found := v.SelectChannels(in, s.reporter.Project, inv.selection(&v)); len(found) > 0 {
		return nil, s.reporter.Report(inv.Command.ErrOrStderr(), found)
	}
	v.ResolveHelm(in)
	if err := v.Request.Check(); err != nil {
		return nil, err
	}
	s.mode = cli.ModeOf(v.Destination, inv.Check, inv.Diff)
	if len(v.Companions.Generators) > 0 || v.Patch != nil { // some of them write files
		s.mode = cli.ModeOf("", inv.Check, inv.Diff)
	}
	if len(v.Companions.Generators) > 0 {
		v.Companions = v.Companions.WithOutputs(s.reporter.Project, v.Dir)
		if v.Companions.Generators[commandline.ApplyConfigurationName] != nil {
			v.CurrentYear = time.Now().UTC().Year()
		}
	}
	header, unreadable := ReadHeader(s.in, s.reporter.Writer, v.headerFile, v.year)
	v.Header = header
	s.unreadable = slices.Concat(unreadable, s.unreadable, s.reporter.Writer.Outside(v.Companions.HeaderFiles()...))
	s.request = v.Request
	return s, nil
}

// selection returns what the command line says about channels.
func (inv *Invocation) selection(v *Values) generate.Selection {
	return generate.Selection{Names: v.channels, Gates: inv.Given.Changed("gates"), Output: inv.Given.Changed("output")}
}

// locate sets the packages and the output directory that neither the command line nor the
// project file gives, and what follows from the packages. controller-gen's syntax has
// controller-gen's defaults.
func (inv *Invocation) locate(s *settings, v *Values, in *inputs.Reader) (err error) {
	file := s.reporter.Project
	switch {
	case inv.Native:
		if v.Patterns, err = s.reporter.Packages(inv.Command, in, v.Patterns); err != nil {
			return err
		}
		if !inv.Given.Changed("output") {
			v.Destination = file.Output(in, v.Dir)
		}
	case len(v.Patterns) == 0:
		v.Patterns = file.Paths(v.Dir)
	}
	v.AllPackages = len(v.Kinds) == 0 && len(v.Groups) == 0 && file.Covers(in, v.Dir, v.Patterns)
	file.AddTo(&v.Options, v.AllPackages && inv.selection(v).EveryChannel())
	return nil
}

// conventions sets the rules to check, and which findings are reported: none that the commit of
// --since has, and those about waivers if the run could find all.
func (inv *Invocation) conventions(s *settings, v *Values) (err error) {
	if v.Rules, err = s.reporter.Project.Rules(v.ruleNames); err != nil {
		return err
	}
	if args, ok := reporting.ArgumentsOf(inv.Command.Context()); ok && !inv.Watch && !inv.Fix {
		s.snapshot = snapshot.Path(args)
	}
	if v.since != "" && len(v.Rules) > 0 {
		if v.Since, err = definitions.Commit(inv.Command.Context(), v.since); err != nil {
			return fmt.Errorf("--since: %w", err)
		}
		s.snapshot = "" // its facts are files, not commits
		s.since = v.since
	}
	if v.AllPackages && !v.NoCRD {
		s.reporter.Unused = func(used map[*project.Waiver]bool) diag.List {
			return s.reporter.Project.Unused(s.in, used, s.request.Reported(), verify.Codes(), s.request.Destination)
		}
	}
	return nil
}

// verifier returns the API server that verifies the output.
func (s *settings) verifier() (*verify.Verifier, error) {
	cache := s.shared.Results
	if s.kept != nil {
		cache = s.kept
	}
	return NewVerifier(s.request.KubeVersion, verify.Options{Generating: true, Cache: cache})
}
