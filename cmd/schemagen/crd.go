package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/companions/controllertools"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/editor/symbols"
	"github.com/schemagen/schemagen/internal/generate"
	"github.com/schemagen/schemagen/internal/generate/install"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/snapshot"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/run/fixes"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/internal/run/runcache"
	"github.com/schemagen/schemagen/verify"
)

// crdRun is one run of the crd generator, in either command-line syntax: the request and
// how to execute it.
type crdRun struct {
	generate.Request
	reporting.Reporter
	// command and options have the flags. In controller-gen's syntax, those of the crd
	// generator are arguments, and options is a command of its own.
	command, options *cobra.Command
	// verifies and differs are --check and --diff, which determine the mode.
	verifies, differs bool
	mode              output.Mode
	// channels are the values of --channel.
	channels []string
	// ruleNames are the values of --rules.
	ruleNames []string
	// since is the value of --since, and earlier has the findings of commits.
	since   string
	earlier map[string]diag.List
	// headerFile is the file whose text precedes the content of each file, with " YEAR"
	// replaced by year.
	headerFile, year string
	// unreadable is the finding about a header file that cannot be read.
	unreadable diag.List
	// within is the only directory to write to, for migrate, or empty.
	within string
	// cacheDir is the directory of the run cache; noCache disables it.
	cacheDir string
	noCache  bool
	kept     *runcache.Cache
	// results keeps what the API server's code says between runs of one process, or is nil.
	results verify.ResultCache
	// session are the runs that return only findings, and recorder, if not nil, records what is
	// verified.
	session  *generate.Session
	recorder *symbols.Recorder
	// snapshot is where the next process with the same command line finds how this one
	// ended, or "".
	snapshot string
	// watch runs again whenever an input of the last run changes; in records the inputs.
	watch bool
	in    *inputs.Reader
	// fix applies fixes before the run; fixed are the files with them, or nil.
	fix   bool
	fixed *fixes.Session
}

func newCRDCommand(stdout, stderr io.Writer) *cobra.Command {
	var r crdRun
	cmd := &cobra.Command{
		Use:   "crd [packages]",
		Short: "Generate the CRDs of the kinds in Go packages.",
		Long: `Generate the CustomResourceDefinitions of the kinds declared in Go packages.

Packages are patterns as for the go command: ./..., a directory, or an import path.
A file-system pattern that ends in /... also matches packages in nested modules.
The default is paths in schemagen.yaml, the API packages of a Kubebuilder project, or
the package in the working directory. If there is an error, no file is written.`,
		Example: `  schemagen crd ./api/... -o config/crd/bases
  schemagen crd ./api/... -o config/crd/bases --check`,
		Args: reporting.PackageArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Patterns = args
			r.command, r.options = cmd, cmd
			return r.run(cmd.Context(), stdout, stderr)
		},
	}
	flags := cmd.Flags()
	cli.AddModeFlags(cmd, &r.verifies, &r.differs)
	r.AddFlags(cmd)
	r.addFixFlag(cmd)
	flags.BoolVar(&r.watch, "watch", false, "run again whenever an input changes, until interrupted")
	cmd.MarkFlagsMutuallyExclusive("fix", "watch")
	flags.StringSliceVar(&r.Kinds, "kinds", nil, "generate only these kinds: Kind or Kind.group")
	flags.StringSliceVar(&r.Groups, "groups", nil, "generate only the kinds in these groups")
	r.addLanguageFlags(cmd)
	r.addTagsFlag(cmd)
	r.addOptionFlags(cmd)
	cli.GroupFlags(cmd, crdFlagGroups()...)
	return cmd
}

// crdFlagGroups returns the groups of the flags in the help of crd and config. Flags that most
// projects use have none.
func crdFlagGroups() []cli.FlagGroup {
	return []cli.FlagGroup{
		{Title: "Packages and kinds", Flags: []string{"kinds", "groups", "tags"}},
		{Title: "Schemas", Flags: []string{"enable", "unions", "gates", "channel", "max-desc-len", "embedded-object-meta", "allow-dangerous-types", "header-file", "year"}},
		{Title: "Findings", Flags: []string{"kube-version", "format", "strict", "rules", "since", "allow", "skip-verify"}},
		{Title: "Installation", Flags: []string{"helm", "kustomize"}},
		{Title: "Advanced", Flags: []string{"lister", "cache-dir", "no-cache", "ignore-unexported-fields", "preserve-unknown-fields", "omit-tool-version"}},
	}
}

func (r *crdRun) addTagsFlag(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&r.Tags, "tags", []string{"ignore_autogenerated"}, "load packages with these build tags")
}

// addOptionFlags adds the flags that are generator options or output rules in
// controller-gen's syntax, and those without a counterpart there.
func (r *crdRun) addOptionFlags(cmd *cobra.Command) {
	flags := cmd.Flags()
	flags.StringVarP(&r.Destination, "output", "o", project.ControllerGenCRDs, "write to this directory, - for standard output; "+project.KubebuilderCRDs+" in a Kubebuilder project")
	flags.BoolVar(&r.Prune, "prune", false, "remove files that schemagen wrote for kinds that no longer exist")
	flags.BoolVar(&r.Kustomize, "kustomize", false, "write "+install.KustomizationName+" with the CRDs in the output directory")
	flags.StringVar(&r.Helm, "helm", "", "also write the CRDs into this Helm chart, or into its directory crds or templates")
	flags.Var(cli.Optional[int]{To: &r.MaxDescription, Parse: cli.WholeNumber, Name: "int"}, "max-desc-len", "truncate descriptions to this many bytes, at the end of a sentence; 0 removes them")
	flags.BoolVar(&r.EmbeddedObjectMeta, "embedded-object-meta", false, "generate a schema for the metadata of embedded objects instead of having it pruned")
	flags.BoolVar(&r.AllowDangerousTypes, "allow-dangerous-types", false, "allow float32 and float64")
	flags.BoolVar(&r.IgnoreUnexportedFields, "ignore-unexported-fields", false, "ignore unexported fields")
	flags.StringVar(&r.headerFile, "header-file", "", "prepend the text of this file to every generated file")
	flags.StringVar(&r.year, "year", "", "replace \" YEAR\" in the header with this text")
	flags.Var(cli.Optional[bool]{To: &r.PreserveUnknownFields, Parse: strconv.ParseBool, Name: "bool"}, "preserve-unknown-fields", "set spec.preserveUnknownFields")
	flags.Lookup("preserve-unknown-fields").NoOptDefVal = "true"
	flags.BoolVar(&r.OmitToolVersion, "omit-tool-version", false, "omit the version annotation")
}

// addLanguageFlags adds the flags that control the marker language and verification.
func (r *crdRun) addLanguageFlags(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&r.Enable, "enable", nil, "enable features for all packages: "+strings.Join(markers.Features(), ", "))
	cmd.Flags().StringVar(&r.Unions, "unions", "", "form of unions unless the source sets it: cel, oneOf, none")
	cmd.Flags().StringSliceVar(&r.Gates, "gates", nil, gatesHelp)
	cmd.Flags().StringSliceVar(&r.channels, "channel", nil, "generate only these channels of "+project.Name)
	cmd.Flags().StringSliceVar(&r.ruleNames, "rules", nil, "also check API conventions: "+project.Review+" for all, or codes")
	cmd.Flags().StringVar(&r.since, "since", "", "of API conventions, report only what this commit (git:REF) does not break already")
	cmd.Flags().StringVar(&r.KubeVersion, "kube-version", "", "verify against the API server of this Kubernetes version (default "+apiserver.DefaultVersion+")")
	cmd.Flags().BoolVar(&r.SkipVerify, "skip-verify", false, "write CRDs even if the API server would reject them")
	cmd.Flags().StringVar(&r.cacheDir, "cache-dir", "", "keep results in the folder schemagen-cache of this directory (default: the user's cache directory)")
	cmd.Flags().BoolVar(&r.noCache, "no-cache", false, "ignore results of earlier runs")
	cmd.Flags().StringSliceVar(&r.Allow, "allow", nil, "do not report these unknown markers")
	addListerFlag(cmd, &r.Options)
}

// run generates, reports and writes.
func (r *crdRun) run(ctx context.Context, stdout, stderr io.Writer) error {
	if args, ok := ctx.Value(argumentsKey{}).([]string); ok && !r.watch && !r.fix {
		r.snapshot = snapshot.Path(args)
	}
	if err := r.prepare(); err != nil {
		return err
	}
	if r.watch {
		return r.runAgain(ctx, stdout, stderr)
	}
	if r.fix {
		if err := r.fixSources(ctx, stdout, stderr); err != nil {
			return err
		}
	}
	_, err := r.once(ctx, stdout, stderr)
	return err
}

// prepare checks the options and sets those that do not change between runs.
func (r *crdRun) prepare() error {
	if err := r.CheckFormat(); err != nil {
		return err
	}
	if err := checkFeatures(r.Enable); err != nil {
		return err
	}
	if err := define.CheckUnions(r.Unions); err != nil {
		return fmt.Errorf("--unions: %w", err)
	}
	var err error
	if r.WorkDir, err = os.Getwd(); err != nil {
		return err
	}
	r.Dir = r.WorkDir
	r.ToolVersion, r.earlier = stampedVersion(), map[string]diag.List{}
	return nil
}

// configure sets the values of the project file that the command line does not give. in reads
// the files of the run.
func (r *crdRun) configure(in *inputs.Reader) error {
	r.in = in // --watch needs it even if the file has mistakes
	err := r.ConfigureIn(r.command, in, project.OfCRD, r.command.Flags(), r.options.Flags())
	if err != nil {
		return err
	}
	r.Writer = *r.Bounds(r.Writer, r.within)
	outside := r.OutsideCache(r.cacheDir)
	if !r.noCache && len(outside) == 0 {
		r.kept = runcache.Open(r.cacheDir, toolVersion())
	}
	if r.kept == nil && !r.watch && in.Overlay() == nil && !r.Quotes() {
		r.in = nil // the inputs are not needed
	}
	of := r.Project.Paths(r.Dir)
	if r.isNative() {
		if err := r.configureDefaults(in); err != nil {
			return err
		}
	} else if len(r.Patterns) == 0 {
		r.Patterns = of
	}
	given := r.command.Flags().Changed
	chosen := generate.Selection{Names: r.channels, Gates: given("gates"), Output: r.options.Flags().Changed("output")}
	r.AllPackages = len(r.Kinds) == 0 && len(r.Groups) == 0 && r.Project.Covers(in, r.Dir, r.Patterns)
	r.Project.AddTo(&r.Options, r.AllPackages && chosen.EveryChannel())
	if r.Rules, err = r.Project.Rules(r.ruleNames); err != nil {
		return err
	}
	if r.Since = ""; r.since != "" && len(r.Rules) > 0 {
		if r.Since, err = definitions.Commit(r.command.Context(), r.since); err != nil {
			return fmt.Errorf("--since: %w", err)
		}
		r.snapshot = "" // its facts are files, not commits
	}
	if r.AllPackages && !r.NoCRD {
		r.Unused = func(used map[*project.Waiver]bool) diag.List {
			return r.Project.Unused(r.in, used, r.Reported(), verify.Codes(), r.Destination)
		}
	}
	if found := r.SelectChannels(in, r.Project, chosen); len(found) > 0 {
		return r.Report(r.command.ErrOrStderr(), found)
	}
	r.ResolveHelm(in)
	if err := r.Request.Check(); err != nil {
		return err
	}
	r.mode = cli.ModeOf(r.Destination, r.verifies, r.differs)
	if len(r.Companions.Generators) > 0 || r.Patch != nil { // some of them write files
		r.mode = cli.ModeOf("", r.verifies, r.differs)
	}
	if len(r.Companions.Generators) > 0 {
		r.Companions = r.Companions.WithOutputs(r.Project, r.Dir)
		if r.Companions.Generators[controllertools.ApplyConfigurationName] != nil {
			r.CurrentYear = time.Now().UTC().Year()
		}
	}
	r.Header, r.unreadable = readHeader(r.in, r.Writer, r.headerFile, r.year)
	r.unreadable = slices.Concat(r.unreadable, outside, r.Writer.Outside(r.Companions.HeaderFiles()...))
	r.Request.Strict, r.ProjectFile, r.Environment = r.Reporter.Strict, r.Project.Identity(), snapshot.Variables()
	return err
}

// isNative reports whether the command line is in schemagen's own syntax.
func (r *crdRun) isNative() bool { return r.command == r.options }

// configureDefaults sets the packages and the output directory that neither the command line
// nor the project file gives. controller-gen's syntax has controller-gen's defaults.
func (r *crdRun) configureDefaults(in *inputs.Reader) (err error) {
	if r.Patterns, err = r.Packages(r.command, in, r.Patterns); err != nil {
		return err
	}
	if !r.options.Flags().Changed("output") {
		r.Destination = r.Project.Output(in, r.Dir)
	}
	return nil
}

// server returns the API server that verifies the output.
func (r *crdRun) server() (*verify.Verifier, error) {
	judging := verify.Options{Generating: true, Cache: r.results}
	if r.kept != nil {
		judging.Cache = r.kept
	}
	return newVerifier(r.KubeVersion, judging)
}

// once generates, or replays an earlier run. It returns the paths of the files that
// differed from the generated ones.
func (r *crdRun) once(ctx context.Context, stdout, stderr io.Writer) (changed []string, err error) {
	if err := r.configure(r.fixed.Inputs()); err != nil {
		return nil, err
	}
	var earlier *runcache.Run
	// Printed output is not cached, and a header that is missing is not part of the key.
	if (r.mode == output.Write || r.mode == output.Check) && r.fixed == nil && r.unreadable == nil {
		earlier = runcache.Find(r.kept, r.Request)
	}
	if !r.watch {
		if v, ok := earlier.Verdict(); ok {
			r.Console.Sources.Again = earlier.Again
			if !v.Failed {
				r.Console.Conclude("up to date")
			}
			return nil, r.end(earlier, v, r.Print(stderr, v))
		}
	}
	server, err := r.server()
	if err != nil {
		return nil, err
	}
	made, err := generate.Run(ctx, r.Request, server, r.in, earlier != nil)
	if err != nil {
		return nil, err
	}
	if made.Findings, err = r.added(ctx, made.Findings); err != nil {
		return nil, err
	}
	v := r.Judge(slices.Concat(made.Findings, r.unreadable, r.fixed.Left()).Normalize())
	if v.Failed {
		err := r.Print(stderr, v)
		// Only findings are the same the next time; printing may succeed then.
		if errors.Is(err, reporting.ErrFindings) && len(r.Companions.Generators) == 0 {
			earlier.Keep(r.in, v, nil)
		}
		return nil, r.end(earlier, v, err)
	}
	changed, err = r.Deliver(ctx, v, reporting.Delivery{Outputs: made.Outputs, Stale: made.Stale, Mode: r.mode}, stdout, stderr)
	if err != nil {
		return changed, err
	}
	if len(made.Printed) > 0 {
		_, err := r.Writer.Commit(ctx, made.Printed, output.Stdout, stdout)
		return changed, err
	}
	earlier.Keep(r.in, v, made.Outputs)
	return changed, r.end(earlier, v, nil)
}

// added returns the findings without those about API conventions that the commit of --since has
// as well.
func (r *crdRun) added(ctx context.Context, findings diag.List) (diag.List, error) {
	if r.Since == "" {
		return findings, nil
	}
	if _, ok := r.earlier[r.Since]; !ok {
		from := definitionFlags{enable: r.Enable, gates: r.Gates, unions: r.Unions, rules: r.Rules, dir: r.WorkDir, project: r.Project, cmd: r.command}
		in := definitions.Commits{Reader: definitions.Reader{Dir: r.WorkDir, Packages: from.generate}}
		defer in.Close()
		var all diag.List
		for _, channel := range append(r.Channels, generate.Channel{})[:max(1, len(r.Channels))] {
			from.channel = channel.Name
			_, found, err := in.ReadPackages(ctx, r.since, r.Patterns)
			if err := reporting.Unread(r.since, found, err, r.WorkDir, r.command.ErrOrStderr()); err != nil {
				return nil, err
			}
			all = append(all, found...)
		}
		r.earlier[r.Since] = all.Normalize()
	}
	return findings.Since(r.earlier[r.Since]), nil
}

// end lets the next process with the same command line end like this one, if that was kept
// and ended as its verdict says. It returns err. What is printed for people also depends on
// their terminal, and is not kept.
func (r *crdRun) end(run *runcache.Run, v runcache.Verdict, err error) error {
	if err != nil && !errors.Is(err, reporting.ErrFindings) || r.ForPeople() {
		return err
	}
	if code, text, failed := r.EndOf(v); failed == nil {
		run.KeepEnd(r.in, r.snapshot, code, text)
	}
	return err
}
