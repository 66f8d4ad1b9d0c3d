package main

import (
	"context"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/internal/crdrun"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/inputs"
	"github.com/schemagen/schemagen/internal/output"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/markers"
	"github.com/schemagen/schemagen/verify"
)

// addConfigFlags adds the flags that say which schemagen.yaml is read, to all commands.
func addConfigFlags(root *cobra.Command) {
	root.PersistentFlags().String("config", "", "project file (default: "+project.Name+" in the working directory or above it, up to the module's)")
	root.PersistentFlags().Bool("no-config", false, "read no project file")
	root.MarkFlagsMutuallyExclusive("config", "no-config")
}

// readConfig reads the project file that a command line is to be read with: the one
// that it names, or the nearest. It is nil if there is none. There is no file where a
// finding is an error. The error is for a named file that is not there.
func readConfig(cmd *cobra.Command, in *inputs.Reader, wd string) (*project.File, diag.List, error) {
	flags := cmd.Flags()
	if off, _ := flags.GetBool("no-config"); off {
		return nil, nil, nil
	}
	if named, _ := flags.GetString("config"); named != "" {
		name, err := filepath.Abs(named)
		if err != nil {
			return nil, nil, err
		}
		file, findings, err := project.Open(in, name, codes())
		if err != nil {
			return nil, nil, fmt.Errorf("--config: %w", err)
		}
		return file, findings, nil
	}
	file, findings := project.Find(in, wd, codes())
	return file, findings, nil
}

// generatorOptions are the options of a project file for packages of commands that have
// no flags for most of them.
func generatorOptions(c *project.File, options generator.Options) (generator.Options, error) {
	r, cmd := crdRun{Request: crdrun.Request{Options: options}}, &cobra.Command{}
	if c != nil {
		r.addLanguageFlags(cmd)
		r.addOptionFlags(cmd)
		r.addTagsFlag(cmd)
		if err := c.Fill(project.OfCRD, options.Dir, cmd.Flags()); err != nil {
			return options, err
		}
		c.AddTo(&r.Options, false)
	}
	if r.Server == nil {
		server, err := newVerifier(r.KubeVersion, verify.Options{})
		if err != nil {
			return options, err
		}
		r.Server = server
	}
	return r.Options, nil
}

// configure reads the project file for a command that has nothing else to do with
// it, and fills in the flags that are not given. What is wrong with the file is
// reported, and is an error then.
func (r *reporting) configure(cmd *cobra.Command, of string) error {
	var err error
	if r.dir, err = os.Getwd(); err != nil {
		return err
	}
	return r.configureIn(cmd, nil, of, cmd.Flags())
}

func (r *reporting) configureIn(cmd *cobra.Command, in *inputs.Reader, of string, sets ...*pflag.FlagSet) error {
	file, findings, err := readConfig(cmd, in, r.dir)
	if err != nil {
		return err
	}
	if len(findings) > 0 {
		if err := r.check(); err != nil {
			return err
		}
		return r.report(cmd.ErrOrStderr(), findings)
	}
	r.project = file
	return file.Fill(of, r.dir, sets...)
}

// definitionFlags say how definitions are made of Go packages, for commands that
// take both.
type definitionFlags struct {
	enable []string
	unions string
	// dir is the working directory, project its schemagen.yaml; nil if there is none.
	dir     string
	project *project.File
}

func (f *definitionFlags) add(cmd *cobra.Command) {
	cmd.Flags().StringSliceVar(&f.enable, "enable", nil, "for Go packages: switch features on: "+strings.Join(markers.Features(), ", "))
	cmd.Flags().StringVar(&f.unions, "unions", "", "for Go packages: how unions are written where the source does not say: cel, oneOf, none")
}

// configure reads the project file for a command with these flags and those of r.
func (f *definitionFlags) configure(cmd *cobra.Command, r *reporting) error {
	err := r.configure(cmd, "")
	f.dir, f.project = r.dir, r.project
	return err
}

// reader returns what reads definitions with these flags, if they make sense.
func (f *definitionFlags) reader(stdin io.Reader) (*definitions.Reader, error) {
	if err := checkFeatures(f.enable); err != nil {
		return nil, err
	}
	if err := generator.CheckUnions(f.unions); err != nil {
		return nil, fmt.Errorf("--unions: %w", err)
	}
	return &definitions.Reader{Dir: f.dir, Stdin: stdin, Packages: f.generate}, nil
}

// generate makes the definitions of packages.
func (f *definitionFlags) generate(ctx context.Context, dir string, patterns []string) ([]*crd.Definition, diag.List, error) {
	options, err := generatorOptions(f.project, generator.Options{Source: generator.Source{Dir: dir, Patterns: patterns}, Final: true})
	if err != nil {
		return nil, nil, err
	}
	options.Enable, options.Unions = f.enable, f.unions
	return generator.Definitions(ctx, options)
}

// resources reads the served versions of definitions for a command that publishes them.
// If there are no arguments, it reads the working directory. It has findings where
// there are none, or where they conflict.
func (f *definitionFlags) resources(ctx context.Context, args []string, stdin io.Reader, cache *definitions.Cache) ([]*definitions.Resource, diag.List, error) {
	if len(args) == 0 {
		args = []string{"."}
	}
	in, err := f.reader(stdin)
	if err != nil {
		return nil, nil, err
	}
	in.Lenient = true
	resources, findings, err := in.Resources(ctx, args, cache)
	if err != nil {
		return nil, nil, err
	}
	if len(resources) == 0 && !findings.HasErrors() {
		findings = append(findings, noCRD.At(diag.Position{}, "", "no CRD found in %s", strings.Join(args, ", ")))
	}
	return resources, append(findings, definitions.Conflicts(resources)...), nil
}

func addModeFlags(cmd *cobra.Command, check, diff *bool) {
	cmd.Flags().BoolVar(check, "check", false, "write nothing; print a diff and exit with 1 if a file would change")
	cmd.Flags().BoolVar(diff, "diff", false, "write nothing; print a diff of what would change")
	cmd.MarkFlagsMutuallyExclusive("check", "diff")
}

// modeOf is what the flags want done with the files for a directory, which is "-" for
// standard output.
func modeOf(dir string, check, diff bool) output.Mode {
	switch {
	case dir == "-":
		return output.Stdout
	case check:
		return output.Check
	case diff:
		return output.Diff
	}
	return output.Write
}

// addListerFlag adds the flag that says how packages are found.
func addListerFlag(cmd *cobra.Command, options *generator.Options) {
	cmd.Flags().Var(listerFlag{options}, "lister", "how packages are found: auto (without the go command where that is certain), go")
}

// listerFlag is auto or go.
type listerFlag struct{ options *generator.Options }

// String implements pflag.Value.
func (f listerFlag) String() string {
	if f.options != nil && f.options.GoCommand {
		return "go"
	}
	return "auto"
}

// Set implements pflag.Value.
func (f listerFlag) Set(text string) error {
	switch text {
	case "auto", "go":
		f.options.GoCommand = text == "go"
		return nil
	}
	return fmt.Errorf("use auto or go")
}

// Type implements pflag.Value.
func (listerFlag) Type() string { return "auto|go" }

// optional is a flag whose value is nil unless it is given.
type optional[T any] struct {
	to    **T
	parse func(string) (T, error)
	name  string
}

// wholeNumber reads a number as flags do, in any base.
func wholeNumber(text string) (int, error) {
	n, err := strconv.ParseInt(text, 0, strconv.IntSize)
	return int(n), err
}

// String implements pflag.Value.
func (o optional[T]) String() string {
	if o.to == nil || *o.to == nil {
		return ""
	}
	return fmt.Sprint(**o.to)
}

// Set implements pflag.Value.
func (o optional[T]) Set(text string) error {
	value, err := o.parse(text)
	if err == nil {
		*o.to = &value
	}
	return err
}

// Type implements pflag.Value.
func (o optional[T]) Type() string { return o.name }

// checkFeatures fails for a feature that there is not.
func checkFeatures(features []string) error {
	for _, feature := range features {
		if !slices.Contains(markers.Features(), feature) {
			return fmt.Errorf("unknown feature %q: there are %s", feature, strings.Join(markers.Features(), ", "))
		}
	}
	return nil
}

// newVerifier returns the API server of a Kubernetes version, which is to accept definitions.
func newVerifier(version string, options verify.Options) (*verify.Verifier, error) {
	target, err := apiserver.NewTarget(version)
	if err != nil {
		return nil, err
	}
	return verify.New(target, options), nil
}

// readHeader returns the text of a header file, with " YEAR" replaced; none if
// the name is empty.
func readHeader(in *inputs.Reader, name, year string) (string, error) {
	if name == "" {
		return "", nil
	}
	read := func() ([]byte, error) { return in.ReadFile(name, nil) }
	if info, err := in.Stat(name); err == nil && !info.Mode().IsRegular() && !info.IsDir() {
		in.Unsure(name + " is not a file") // but <(command) of a shell, or /dev/null
		read = func() ([]byte, error) { return os.ReadFile(name) }
	}
	header, err := read()
	if err != nil {
		return "", fmt.Errorf("header file: %w", err)
	}
	return strings.ReplaceAll(string(header), " YEAR", " "+year), nil
}
