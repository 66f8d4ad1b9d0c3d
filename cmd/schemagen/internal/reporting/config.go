package reporting

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/reference"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/definitions"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/ground/snapshot"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/run/output"
	"github.com/schemagen/schemagen/internal/source/golist"
)

// AddConfigFlags adds the flags that select schemagen.yaml to all commands.
func AddConfigFlags(root *cobra.Command) {
	root.PersistentFlags().String("config", "", "read this project file (default: "+project.Name+" in the working directory or a parent, up to the module root)")
	root.PersistentFlags().Bool("no-config", false, "read no project file")
	root.PersistentFlags().Var(&project.Given{}, "set", "give a setting of "+project.Name+" instead of it: KEY=VALUE, as in crd.maxDescLen=80")
	root.MarkFlagsMutuallyExclusive("config", "no-config")
}

// ConfigArguments returns the flags of a command line that select settings, each after a space.
func ConfigArguments(cmd *cobra.Command) (out []string) {
	cmd.Flags().Visit(func(flag *pflag.Flag) {
		switch flag.Name {
		case "config":
			out = append(out, " --config '"+flag.Value.String()+"'")
		case "no-config":
			out = append(out, " --no-config")
		case "set":
			for _, text := range GivenOf(cmd).Texts {
				out = append(out, " --set '"+text+"'")
			}
		}
	})
	return out
}

// CheckConfigFlags returns an error if a flag selects settings of a command that reads none.
func CheckConfigFlags(cmd *cobra.Command) error {
	given := ConfigArguments(cmd)
	without := []string{"completion", "help", "init", "kubebuilder-plugin", "migrate", "version"}
	if len(given) == 0 || !slices.Contains(without, cmd.Name()) {
		return nil
	}
	return fmt.Errorf("%s would have no effect: %s reads no settings", strings.TrimSpace(given[0]), cmd.Name())
}

// GivenOf returns the settings that --set gives.
func GivenOf(cmd *cobra.Command) *project.Given { return cmd.Flag("set").Value.(*project.Given) }

// ReadConfig reads the project file, the one given by --config or else the nearest, with the settings
// of --set. The file is nil if there is none and no such setting, or if a finding is an error. The error
// is set if the file given by --config does not exist, or a setting is wrong.
func ReadConfig(cmd *cobra.Command, reader *inputs.Reader, wd string) (*project.File, diag.List, error) {
	file, findings, err := readFile(cmd, reader, wd)
	if err == nil && len(findings) == 0 {
		file, err = GivenOf(cmd).Over(file, reader)
	}
	return file, findings, err
}

func readFile(cmd *cobra.Command, reader *inputs.Reader, wd string) (*project.File, diag.List, error) {
	flags := cmd.Flags()
	if negated, _ := flags.GetBool("no-config"); negated {
		return nil, nil, nil
	}
	if named, _ := flags.GetString("config"); named != "" {
		name, err := filepath.Abs(named)
		if err != nil {
			return nil, nil, err
		}
		file, findings, err := project.Open(reader, name, reference.Codes())
		if err != nil {
			return nil, nil, fmt.Errorf("--config: %w", err)
		}
		return file, findings, nil
	}
	file, findings := project.Find(reader, wd, reference.Codes())
	return file, findings, nil
}

// Configure reads the project file and sets the flags that are not given on the
// command line. Mistakes in the file are reported, and returned as an error.
func (r *Reporter) Configure(cmd *cobra.Command, command string) error {
	var err error
	r.WorkDir, err = os.Getwd()
	if err != nil {
		return err
	}
	return r.ConfigureIn(cmd, nil, command, cmd.Flags())
}

func (r *Reporter) ConfigureIn(cmd *cobra.Command, reader *inputs.Reader, command string, sets ...*pflag.FlagSet) error {
	r.Console = ConsoleOf(cmd.Context())
	if r.Format != "text" {
		r.Console.Silence() // a program reads it
	}
	if r.Quotes() {
		reader = r.Quoted(cmp.Or(reader, inputs.New()))
	}
	file, findings, err := ReadConfig(cmd, reader, r.WorkDir)
	if err != nil {
		return err
	}
	if len(findings) > 0 {
		if err := r.CheckFormat(); err != nil {
			return err
		}
		return r.Report(cmd.ErrOrStderr(), findings)
	}
	r.Project = file
	r.Writer = output.Writer{Root: output.RootOf(r.WorkDir)}
	for _, set := range sets {
		set.Visit(func(flag *pflag.Flag) {
			if slices.Contains([]string{"output", "outputs.helm", "crd.headerFile"}, flag.Name) {
				r.Writer.Named = append(r.Writer.Named, flag.Value.String())
			}
		})
	}
	r.Writer.Named = append(r.Writer.Named, file.Given(r.WorkDir)...)
	for _, place := range file.Places(r.WorkDir) {
		r.Writer.Places = append(r.Writer.Places, output.Place(place))
	}
	return file.Fill(command, r.WorkDir, sets...)
}

// PackageArgs accepts names of packages.
func PackageArgs(cmd *cobra.Command, args []string) error {
	return definitions.CheckPackages(cmd.Name(), args)
}

// Packages returns the packages that a command names, or else those of the project.
func (r *Reporter) Packages(cmd *cobra.Command, reader *inputs.Reader, named []string) ([]string, error) {
	if len(named) > 0 {
		r.Writer.Named = append(r.Writer.Named, golist.Directories(named)...)
		return named, definitions.CheckPackages(cmd.Name(), named)
	}
	packages, err := r.Project.Packages(reader, r.WorkDir)
	if err != nil {
		return nil, cli.UsageError(cmd, "%v", err)
	}
	return packages, nil
}

// OutsideCache returns a warning if the directory of the cache is where no file may be written. Then
// there is no cache.
func (r *Reporter) OutsideCache(dir string) (findings diag.List) {
	if dir == "" {
		return nil
	}
	for _, d := range r.Writer.Outside(filepath.Join(dir, snapshot.Folder)) {
		findings = append(findings, d.As(diag.Warning))
	}
	return findings
}

// CheckChannel reports a channel that cannot be selected.
func (r *Reporter) CheckChannel(cmd *cobra.Command, channel string) error {
	if channel == "" {
		return nil
	}
	if _, findings := r.Project.Select(r.WorkDir, []string{channel}, cmd.Flags().Changed("gates")); len(findings) > 0 {
		return r.Report(cmd.ErrOrStderr(), findings)
	}
	return nil
}
