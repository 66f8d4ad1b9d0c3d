package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reporting"
	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/conversions/losses"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/generate"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/passes"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/internal/unions/gounions"
	"github.com/schemagen/schemagen/verify"
)

// generatorOptions returns the generator options in a project file, for commands that
// read packages but have no flags for most of these options.
func generatorOptions(c *project.File, options define.Options) (define.Options, error) {
	r, cmd := crdRun{Request: generate.Request{Options: options}}, &cobra.Command{}
	if c != nil {
		r.addLanguageFlags(cmd)
		r.addOptionFlags(cmd)
		r.addTagsFlag(cmd)
		if err := c.Fill(project.OfCRD, options.Dir, cmd.Flags()); err != nil {
			return options, err
		}
		c.AddTo(&r.Options, false)
	}
	r.ToolVersion, r.Passes = stampedVersion(), passes.All()
	if r.Server == nil {
		server, err := newVerifier(r.KubeVersion, verify.Options{})
		if err != nil {
			return options, err
		}
		r.Server = server
	}
	return r.Options, nil
}

// definitionFlags are the flags that control how definitions are generated from Go
// packages, for commands that read both definitions and packages.
type definitionFlags struct {
	enable, gates   []string
	unions, channel string
	// rules are the codes of the API conventions to check.
	rules []diag.Code
	// allUnions adds the unions that packages do not enable.
	allUnions bool
	// conversions adds what conversions between versions lose.
	conversions bool
	// dir is the working directory, project its schemagen.yaml, or nil.
	dir     string
	project *project.File
	cmd     *cobra.Command
	// stored is set for definitions that a server has, so that it need not accept them again.
	stored bool
	// server is asked about packages for its version; nil if each are asked about by themselves.
	server *verify.Verifier
	// keep and inputs are for excerpts, or nil.
	keep   func(crd.File)
	inputs *inputs.Reader
}

func (f *definitionFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.enable, "enable", nil, forPackages+"enable features: "+strings.Join(markers.Features(), ", "))
	cmd.Flags().StringSliceVar(&f.gates, "gates", nil, forPackages+gatesHelp)
	cmd.Flags().StringVar(&f.unions, "unions", "", forPackages+"form of unions unless the source sets it: cel, oneOf, none")
	f.addChannel(cmd)
}

// addChannel adds only the flag that selects a channel.
func (f *definitionFlags) addChannel(cmd *cobra.Command) {
	f.cmd = cmd
	cmd.Flags().StringVar(&f.channel, "channel", "", "read this channel of "+project.Name+" (default: its first channel)")
}

// forPackages begins the description of a flag that has an effect only on Go packages. It is
// refused where none are read.
const forPackages = "for Go packages: "

// gatesHelp describes the flag --gates.
const gatesHelp = "turn on these gates of +schemagen:when: names, * for all, !NAME for all but one"

// crdFlagHelp describes the flag --crd.
const crdFlagHelp = "read CRDs from files, directories, - for standard input, or Go packages (default: the project's CRDs, as for verify)"

// configure reads the project file for a command with the flags of f and r.
func (f *definitionFlags) configure(cmd *cobra.Command, r *reporting.Reporter) error {
	err := r.Configure(cmd, "")
	f.dir, f.project, f.keep, f.inputs = r.WorkDir, r.Project, r.Keep(), r.Reader
	if err != nil {
		return err
	}
	return r.CheckChannel(cmd, f.channel)
}

// reader checks the flags and returns a reader of definitions that uses them.
func (f *definitionFlags) reader(stdin io.Reader) (*definitions.Reader, error) {
	if err := checkFeatures(f.enable); err != nil {
		return nil, err
	}
	if err := define.CheckUnions(f.unions); err != nil {
		return nil, fmt.Errorf("--unions: %w", err)
	}
	channel := f.project.One(f.dir, f.channel)
	reader := &definitions.Reader{
		Dir: f.dir, Default: f.project.Definitions(nil, f.dir, channel), Skip: f.project.Others(nil, f.dir, channel),
		Stdin: stdin, Packages: f.generate, Keep: f.keep,
		HasChannel: func(dir string) bool { return f.project.HasChannel(nil, f.dir, channel, dir) },
	}
	f.cmd.Flags().Visit(func(flag *pflag.Flag) {
		switch {
		case strings.HasPrefix(flag.Usage, forPackages):
			reader.PackageFlags = append(reader.PackageFlags, flag.Name)
		case flag.Name == "channel":
			reader.ChannelFlags = append(reader.ChannelFlags, flag.Name)
		}
	})
	return reader, nil
}

// generate generates the definitions of packages. If dir is not the working directory but a
// commit, the commit's own project file applies; if that lacks the channel, its first one.
func (f *definitionFlags) generate(ctx context.Context, dir string, patterns []string) ([]*crd.Definition, diag.List, error) {
	file := f.project
	if dir != f.dir {
		var findings diag.List
		var err error
		if file, findings, err = reporting.ReadConfig(f.cmd, nil, dir); err != nil || len(findings) > 0 {
			return nil, findings, err
		}
	}
	options := define.Options{Source: define.Source{Dir: dir, Patterns: patterns, Inputs: f.inputs}, Final: true}
	if f.cmd.Flags().Changed("kube-version") && f.server != nil {
		options.Server = f.server
	}
	options, err := generatorOptions(file, options)
	if err != nil {
		return nil, nil, err
	}
	options.SkipVerify = options.SkipVerify || f.stored
	if f.cmd.Flags().Changed("enable") {
		options.Enable = f.enable
	}
	if server, ok := options.Server.(*verify.Verifier); ok {
		options.Server = server.Sharing(f.server)
	}
	options.Gates, options.Rules = f.gates, f.rules
	channel := project.Channel{}
	if !f.cmd.Flags().Changed("gates") {
		channel = file.One(dir, f.channel)
		channel.AddTo(&options)
	}
	if f.cmd.Flags().Changed("unions") {
		options.Unions = f.unions
	}
	if f.allUnions {
		options.Passes = options.Passes.With(gounions.Pass{All: true})
	}
	made, findings, err := define.Definitions(ctx, options)
	if err == nil && f.conversions {
		err = losses.Add(ctx, options, made)
	}
	return channel.Select(made), findings, err
}

// resources reads the served versions of definitions for a command that publishes them.
// Without arguments, it reads those of the project. Conflicts between them are findings.
func (f *definitionFlags) resources(ctx context.Context, args []string, stdin io.Reader, cache *definitions.Cache) ([]*definitions.Resource, diag.List, error) {
	in, err := f.reader(stdin)
	if err != nil {
		return nil, nil, err
	}
	in.Lenient = true
	resources, findings, err := in.Resources(ctx, args, cache)
	return resources, append(findings, definitions.Conflicts(resources)...), err
}

// addListerFlag adds the flag that selects how packages are found.
func addListerFlag(cmd *cobra.Command, options *define.Options) {
	cmd.Flags().Var(cli.Choice{To: &options.GoCommand, Values: [2]string{"auto", "go"}}, "lister", "find packages with: auto (without the go command where possible), go")
}

// checkFeatures returns an error if a feature does not exist.
func checkFeatures(features []string) error {
	for _, feature := range features {
		if !markers.IsFeature(feature) {
			return fmt.Errorf("unknown feature %q: use one of %s", feature, strings.Join(markers.Features(), ", "))
		}
	}
	return nil
}

// newVerifier returns a verifier for the API server of a Kubernetes version.
func newVerifier(version string, options verify.Options) (*verify.Verifier, error) {
	target, err := apiserver.NewTarget(version)
	if err != nil {
		return nil, err
	}
	return verify.New(target, options), nil
}

// readHeader returns the text of a header file with " YEAR" replaced, or the empty
// string if the name is empty. If the file is where none may be, or cannot be read, that is a finding.
func readHeader(in *inputs.Reader, where output.Writer, name, year string) (text string, findings diag.List) {
	if name == "" {
		return "", nil
	}
	if findings := where.Outside(name); len(findings) > 0 {
		return "", findings
	}
	read := func() ([]byte, error) { return in.ReadFile(name, nil) }
	if info, err := in.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		in.Unsure(name + " is not a file") // <(command) in a shell, or /dev/null
		read = func() ([]byte, error) { return os.ReadFile(name) }
	}
	header, err := read()
	if err != nil {
		return "", diag.List{report.UnreadableHeader(name, err)}
	}
	return strings.ReplaceAll(string(header), " YEAR", " "+year), nil
}
