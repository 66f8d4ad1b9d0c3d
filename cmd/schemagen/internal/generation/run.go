package generation

import (
	"cmp"
	"context"
	"errors"
	"io"
	"os"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/conversions"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/editor/symbols"
	"github.com/schemagen/schemagen/internal/generate"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/run/fixes"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/internal/run/runcache"
	"github.com/schemagen/schemagen/verify"
)

// Session is what the runs of a process share. Its zero value is the beginning of one.
type Session struct {
	// Results keeps what the API server's code says, or is nil.
	Results verify.ResultCache
	// Recorder, if not nil, records what is verified.
	Recorder *symbols.Recorder
	// packages has the packages of the last run that returned only findings.
	packages generate.Session
	// earlier has the findings of commits.
	earlier map[string]diag.List
	// fixed are the files with fixes, or nil.
	fixed *fixes.Session
}

// Run generates, reports and writes.
func (inv *Invocation) Run(ctx context.Context, stdout, stderr io.Writer) error {
	if err := inv.checked(); err != nil {
		return err
	}
	if inv.Watch {
		return inv.runAgain(ctx, stdout, stderr)
	}
	shared := &Session{}
	if inv.Fix {
		if err := inv.fixSources(ctx, shared, stdout, stderr); err != nil {
			return err
		}
	}
	s, err := inv.settle(shared.fixed.Inputs(), shared)
	if err != nil {
		return err
	}
	earlier := s.find()
	if v, ok := earlier.Verdict(); ok {
		return s.repeat(earlier, v, stderr)
	}
	_, err = s.generate(ctx, earlier, stdout, stderr)
	return err
}

// RunProject is [Invocation.Run] in the root of the project that has the working directory.
func (inv *Invocation) RunProject(ctx context.Context, stdout, stderr io.Writer) (err error) {
	wd, err := os.Getwd()
	if err != nil {
		return err
	}
	if root := project.Root(nil, wd); root != wd && !inv.Command.Flags().Changed("config") {
		if err := os.Chdir(root); err != nil {
			return err
		}
		defer func() { err = cmp.Or(err, os.Chdir(wd)) }()
	}
	return inv.Run(ctx, stdout, stderr)
}

// generate executes the run and finishes it. It returns the paths of the files that differed.
func (s *Settings) generate(ctx context.Context, kept *runcache.Run, stdout, stderr io.Writer) (changed []string, err error) {
	made, err := s.execute(ctx, kept)
	if err != nil {
		return nil, err
	}
	return s.Finish(ctx, made, stdout, stderr)
}

// find returns what is kept of a run with the same request, or nil if nothing may be kept: printed
// output is not, and a header that is missing is not part of the key.
func (s *Settings) find() *runcache.Run {
	if s.Mode != output.Write && s.Mode != output.Check || s.shared.fixed != nil || s.unreadable != nil {
		return nil
	}
	return runcache.Find(s.kept, s.Request)
}

// repeat ends like an earlier run with the same inputs.
func (s *Settings) repeat(earlier *runcache.Run, v runcache.Verdict, stderr io.Writer) error {
	s.Reporter.Console.Sources.Again = earlier.Again
	if !v.Failed {
		s.Reporter.Console.Conclude("up to date")
	}
	return s.end(earlier, v, s.Reporter.Print(stderr, v))
}

// Outcome is what a run found and made, judged.
type Outcome struct {
	generate.Result
	Verdict runcache.Verdict
	// kept is where the run is kept, or nil.
	kept *runcache.Run
}

// execute generates, and writes nothing. kept is where the run will be kept, or nil.
func (s *Settings) execute(ctx context.Context, kept *runcache.Run) (*Outcome, error) {
	server, err := s.verifier()
	if err != nil {
		return nil, err
	}
	kept.Resume(s.in)
	made, err := generate.Run(ctx, s.Request, server, s.in, kept != nil)
	if err != nil {
		return nil, err
	}
	made.Findings, err = s.added(ctx, made.Findings)
	if err != nil {
		return nil, err
	}
	all := slices.Concat(made.Findings, s.unreadable, s.shared.fixed.Unfixed()).Normalize()
	out := &Outcome{Result: *made, Verdict: s.Reporter.Judge(all), kept: kept}
	if s.Request.Conversions != nil {
		out.FailUnconverted()
	}
	return out, nil
}

// FailUnconverted makes findings about fields that are not converted errors: there are no files then.
func (made *Outcome) FailUnconverted() {
	for i := range made.Verdict.Findings {
		if d := &made.Verdict.Findings[i]; d.Code == conversions.Unconverted() && d.Severity == diag.Warning {
			d.Severity = diag.Error
			made.Verdict.Failed = true
		}
	}
}

// Finish reports the findings, and writes, compares or prints the files. It returns the paths of
// the files that differed.
func (s *Settings) Finish(ctx context.Context, made *Outcome, stdout, stderr io.Writer) (changed []string, err error) {
	if made.Verdict.Failed {
		err := s.Reporter.Print(stderr, made.Verdict)
		// Only findings are the same the next time; printing may succeed then.
		if errors.Is(err, reporting.ErrFindings) && len(s.Request.Companions.Generators) == 0 {
			made.kept.Keep(s.in, made.Verdict, nil)
		}
		return nil, s.end(made.kept, made.Verdict, err)
	}
	delivery := reporting.Delivery{Outputs: made.Outputs, Stale: made.Stale, Mode: s.Mode}
	if s.line.Of == project.OfGenerate {
		settings := strings.Join(reporting.ConfigArguments(s.line.Command), "")
		delivery.Command = "schemagen generate" + settings + " --only"
	}
	changed, err = s.Reporter.Deliver(ctx, made.Verdict, delivery, stdout, stderr)
	if err != nil {
		return changed, err
	}
	if len(made.Printed) > 0 {
		_, err := s.Reporter.Writer.Commit(ctx, made.Printed, output.Stdout, s.Reporter.Text(stdout, stderr))
		return changed, err
	}
	made.kept.Keep(s.in, made.Verdict, made.Outputs)
	return changed, s.end(made.kept, made.Verdict, nil)
}

// added returns the findings without those about API conventions that the commit of --since has
// as well.
func (s *Settings) added(ctx context.Context, findings diag.List) (diag.List, error) {
	commit := s.Request.Since
	if commit == "" {
		return findings, nil
	}
	if _, ok := s.shared.earlier[commit]; !ok {
		source := DefinitionFlags{
			PackageFlags: PackageFlags{Enable: s.Enable, Gates: s.Gates, Unions: s.Unions}, Rules: s.Rules,
			Dir: s.line.Dir, Project: s.Reporter.Project, Command: s.line.Command, Given: s.line.Given,
		}
		commits := definitions.Commits{Reader: definitions.Reader{Dir: s.line.Dir, Packages: source.Generate}}
		defer commits.Close()
		var all diag.List
		for _, channel := range append(s.Request.Channels, generate.Channel{})[:max(1, len(s.Request.Channels))] {
			source.Channel = channel.Name
			_, found, err := commits.ReadPackages(ctx, s.since, s.Request.Patterns)
			if err := reporting.Unread(s.since, found, err, s.line.Dir, s.line.Command.ErrOrStderr()); err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
		if s.shared.earlier == nil {
			s.shared.earlier = map[string]diag.List{}
		}
		s.shared.earlier[commit] = all.Normalize()
	}
	return findings.Since(s.shared.earlier[commit]), nil
}

// end lets the next process with the same command line end like this one, if that was kept
// and ended as its verdict says. It returns err. What is printed for people also depends on
// their terminal, and is not kept.
func (s *Settings) end(run *runcache.Run, v runcache.Verdict, err error) error {
	if err != nil && !errors.Is(err, reporting.ErrFindings) || s.Reporter.ForPeople() {
		return err
	}
	if end, failed := s.Reporter.EndOf(v); failed == nil {
		run.KeepEnd(s.in, s.snapshot, end)
	}
	return err
}
