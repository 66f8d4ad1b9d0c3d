package generation

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

// Options returns the generator options in a project file, for commands that
// read packages but have no flags for most of these options.
func Options(c *project.File, options define.Options) (define.Options, error) {
	v := Values{Request: generate.Request{Options: options}}
	if c != nil {
		if err := c.Fill(project.OfCRD, options.Dir, v.Flags(project.OfCRD)); err != nil {
			return options, err
		}
		c.AddTo(&v.Options)
	}
	v.ToolVersion = cli.StampedVersion()
	v.Passes = passes.All()
	if v.Server == nil {
		server, err := NewVerifier(v.KubeVersion, verify.Options{Rules: v.Rules})
		if err != nil {
			return options, err
		}
		v.Server = server
	}
	return v.Options, nil
}

// PackageFlags are the values of the flags that have an effect only on Go packages, and of --channel.
type PackageFlags struct {
	Enable, Gates   []string
	Unions, Channel string
}

// DefinitionFlags are the flags that control how definitions are generated from Go
// packages, for commands that read both definitions and packages.
type DefinitionFlags struct {
	PackageFlags
	// Rules are the codes of the API conventions to check.
	Rules []diag.Code
	// AllUnions adds the unions that packages do not enable.
	AllUnions bool
	// Conversions adds what conversions between versions lose.
	Conversions bool
	// Dir is the working directory, Project its schemagen.yaml, or nil.
	Dir     string
	Project *project.File
	Command *cobra.Command
	// Given are the flags, of which those on the command line have changed.
	Given *pflag.FlagSet
	// Stored is set for definitions that a server has, so that it need not accept them again.
	Stored bool
	// Server is asked about packages for its version; nil if each are asked about by themselves.
	Server *verify.Verifier
	// Keep and Inputs are for excerpts, or nil.
	Keep   func(crd.File)
	Inputs *inputs.Reader
}

func (f *DefinitionFlags) Add(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.Enable, "enable", nil, ForPackages+"enable features: "+strings.Join(markers.Features(), ", "))
	for _, s := range project.FlagsOf(project.OfDefinitions) {
		s.Usage = ForPackages + s.Usage
		addFlag(cmd.Flags(), s, map[string]any{"gates": &f.Gates, "unions": &f.Unions}[s.Flag])
	}
	f.AddChannel(cmd)
}

// AddChannel adds only the flag that selects a channel.
func (f *DefinitionFlags) AddChannel(cmd *cobra.Command) {
	f.Command = cmd
	f.Given = cmd.Flags()
	cmd.Flags().StringVar(&f.Channel, "channel", "", "read this channel of "+project.Name+" (default: its first channel)")
}

// ForPackages begins the description of a flag that has an effect only on Go packages. It is
// refused where none are read.
const ForPackages = "for Go packages: "

// Configure reads the project file for a command with the flags of f and r.
func (f *DefinitionFlags) Configure(cmd *cobra.Command, r *reporting.Reporter) error {
	err := r.Configure(cmd, cmd.Name())
	f.Dir = r.WorkDir
	f.Project = r.Project
	f.Keep = r.Keep()
	f.Inputs = r.Reader
	if err != nil {
		return err
	}
	return r.CheckChannel(cmd, f.Channel)
}

// Reader checks the flags and returns a reader of definitions that uses them.
func (f *DefinitionFlags) Reader(stdin io.Reader) (*definitions.Reader, error) {
	if err := CheckFeatures(f.Enable); err != nil {
		return nil, err
	}
	if err := define.CheckUnions(f.Unions); err != nil {
		return nil, fmt.Errorf("--unions: %w", err)
	}
	channel := f.Project.One(f.Dir, f.Channel)
	reader := &definitions.Reader{
		Dir: f.Dir, Default: f.Project.Definitions(nil, f.Dir, channel), Skip: f.Project.Others(nil, f.Dir, channel),
		Stdin: stdin, Packages: f.Generate, Keep: f.Keep,
		HasChannel: func(dir string) bool { return f.Project.HasChannel(nil, f.Dir, channel, dir) },
	}
	f.Given.Visit(func(flag *pflag.Flag) {
		switch {
		case strings.HasPrefix(flag.Usage, ForPackages):
			reader.PackageFlags = append(reader.PackageFlags, flag.Name)
		case flag.Name == "channel":
			reader.ChannelFlags = append(reader.ChannelFlags, flag.Name)
		}
	})
	return reader, nil
}

// Generate generates the definitions of packages. If dir is not the working directory but a
// commit, the commit's own project file applies; if that lacks the channel, its first one.
func (f *DefinitionFlags) Generate(ctx context.Context, dir string, patterns []string) ([]*crd.Definition, diag.List, error) {
	file := f.Project
	if dir != f.Dir {
		var findings diag.List
		var err error
		file, findings, err = reporting.ReadConfig(f.Command, nil, dir)
		if err != nil || len(findings) > 0 {
			return nil, findings, err
		}
	}
	options := define.Options{Source: define.Source{Dir: dir, Patterns: patterns, Inputs: f.Inputs}, Language: define.Language{Rules: f.Rules}, Final: true}
	if f.Given.Changed("kube-version") && f.Server != nil {
		options.Server = f.Server
	}
	options, err := Options(file, options)
	if err != nil {
		return nil, nil, err
	}
	options.SkipVerify = options.SkipVerify || f.Stored
	if f.Given.Changed("enable") {
		options.Enable = f.Enable
	}
	if server, ok := options.Server.(*verify.Verifier); ok {
		options.Server = server.Sharing(f.Server)
	}
	options.Gates = f.Gates
	channel := project.Channel{}
	if !f.Given.Changed("gates") {
		channel = file.One(dir, f.Channel)
		channel.AddTo(&options)
	}
	if f.Given.Changed("unions") {
		options.Unions = f.Unions
	}
	if f.AllUnions {
		options.Passes = options.Passes.With(gounions.Pass{All: true})
	}
	made, findings, err := define.Definitions(ctx, options)
	if err == nil && f.Conversions {
		err = losses.Add(ctx, options, made)
	}
	return channel.Select(made), findings, err
}

// Resources reads the served versions of definitions for a command that publishes them.
// Without arguments, it reads those of the project. Conflicts between them are findings.
func (f *DefinitionFlags) Resources(ctx context.Context, args []string, stdin io.Reader,
	cache *definitions.Cache) ([]*definitions.Resource, diag.List, error) {
	reader, err := f.Reader(stdin)
	if err != nil {
		return nil, nil, err
	}
	reader.Lenient = true
	resources, findings, err := reader.Resources(ctx, args, cache)
	return resources, append(findings, definitions.Conflicts(resources)...), err
}

// CheckFeatures returns an error if a feature does not exist.
func CheckFeatures(features []string) error {
	for _, feature := range features {
		if !markers.IsFeature(feature) {
			return fmt.Errorf("unknown feature %q: use one of %s", feature, strings.Join(markers.Features(), ", "))
		}
	}
	return nil
}

// NewVerifier returns a verifier for the API server of a Kubernetes version.
func NewVerifier(version string, options verify.Options) (*verify.Verifier, error) {
	target, err := apiserver.NewTarget(version)
	if err != nil {
		return nil, err
	}
	return verify.New(target, options), nil
}

// ReadHeader returns the text of a header file with " YEAR" replaced, or the empty
// string if the name is empty. If the file is where none may be, or cannot be read, that is a finding.
func ReadHeader(reader *inputs.Reader, where output.Writer, name, year string) (text string, findings diag.List) {
	if name == "" {
		return "", nil
	}
	if findings := where.Outside(name); len(findings) > 0 {
		return "", findings
	}
	read := func(name string) ([]byte, error) { return reader.ReadFile(name, nil) }
	if info, err := reader.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		reader.Unsure(name + " is not a file") // <(command) in a shell, or /dev/null
		read = os.ReadFile
	}
	return report.Header(read, name, year)
}
