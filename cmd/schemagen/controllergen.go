package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/cmd/schemagen/internal/generation"
	"github.com/schemagen/schemagen/internal/companions/commandline"
	"github.com/schemagen/schemagen/internal/generate"
	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/words"
	"github.com/schemagen/schemagen/internal/migrate"
	"github.com/schemagen/schemagen/internal/project"
)

// controllerGenCommand is the hidden command for controller-gen's syntax.
const controllerGenCommand = "controller-gen"

// which matches controller-gen's flag that prints the markers of generators.
var which = lazyregexp.New(`^(-w+|--which-markers)$`)

// isControllerGenSyntax reports whether the arguments are controller-gen's: some argument is
// a path option, an output rule, or a generator with options, or two are generators. The
// arguments of another command than crd, and the values of flags, are not.
func isControllerGenSyntax(root *cobra.Command, args []string) bool {
	positional := cli.Positional(root, args)
	if len(positional) > 0 && isCommand(root, positional[0]) && positional[0] != "crd" {
		return false
	}
	generators := 0
	for _, arg := range positional {
		name, hasOptions := generatorOf(arg)
		if strings.HasPrefix(arg, "paths=") || strings.HasPrefix(arg, "output:") || name != "" && hasOptions {
			return true
		}
		if name != "" {
			generators++
		}
	}
	return generators > 1 || slices.ContainsFunc(args, which().MatchString)
}

// isCommand reports whether name is a command, or cobra's request for completions.
func isCommand(root *cobra.Command, name string) bool {
	return strings.HasPrefix(name, cobra.ShellCompRequestCmd) ||
		slices.ContainsFunc(root.Commands(), func(cmd *cobra.Command) bool { return cmd.Name() == name })
}

// generatorOf returns the name of controller-gen's generator that an argument selects, or "".
func generatorOf(arg string) (name string, hasOptions bool) {
	name, _, hasOptions = strings.Cut(strings.TrimPrefix(arg, "+"), ":")
	if !slices.Contains(commandline.Names(), name) {
		return "", false
	}
	return name, hasOptions
}

// guessedCommands returns what to use for names of commands that people try, because other tools have them.
func guessedCommands() map[string]string {
	return map[string]string{
		"lint":         "schemagen verify for CRDs, or schemagen generate --check --rules review for Go packages",
		"validate":     "schemagen try -f FILE for objects, or schemagen verify for CRDs",
		"check":        "schemagen generate --check",
		"build":        "schemagen generate",
		"manifests":    "schemagen generate",
		"deepcopy":     "schemagen generate --only object",
		"breaking":     "schemagen diff",
		"review":       "schemagen diff --format html",
		"convert":      "schemagen try --to VERSION",
		"markers":      "schemagen explain +MARKER; + alone lists all markers",
		"explain-code": "schemagen explain CODE",
		"env":          "schemagen config",
	}
}

// unknownCommand returns the error for a first argument that is not a command. A generator
// alone could be a misunderstanding of either syntax, so it is not run.
func unknownCommand(root *cobra.Command, name string) error {
	if generator, _ := generatorOf(name); generator != "" {
		options := map[string]string{"rbac": ":roleName=manager-role", "schemapatch": ":manifests=config/crd/bases"}
		return fmt.Errorf("%s is a generator of controller-gen, not a command: add the packages, as for controller-gen\nexample: schemagen %[1]s%s paths=\"./...\"", generator, options[generator])
	}
	if answer, ok := guessedCommands()[name]; ok {
		return fmt.Errorf("%s is not a command: use %s", name, answer)
	}
	var names []string
	for _, cmd := range root.Commands() {
		if cmd.IsAvailableCommand() {
			names = append(names, cmd.Name())
		}
	}
	return fmt.Errorf("unknown command %q\n%s", name, words.DidYouMean(name, names, "schemagen --help lists the commands"))
}

func newControllerGenCommand(stdout, stderr io.Writer) *cobra.Command {
	inv := generation.Invocation{Of: project.OfCRD, Given: new(generation.Values).Flags(project.OfCRD)}
	var level int
	cmd := &cobra.Command{
		Use:    controllerGenCommand + " [generators] [paths=...] [output...]",
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			inv.Command = cmd
			if err := parseControllerGen(&inv, cmd.Flags(), args); err != nil {
				return err
			}
			if level > 0 {
				return commandline.WriteMarkers(stdout, inv.Request.Companions.Generators,
					!inv.Request.NoCRD || inv.Request.Patch != nil, level)
			}
			return inv.Run(cmd.Context(), stdout, stderr)
		},
	}
	cmd.Flags().CountVarP(&level, "which-markers", "w", "print the markers of the generators; more with up to -www, JSON with -wwww")
	cmd.Flags().StringVar(&inv.Within, migrate.WithinFlag, "", "write nothing outside this directory (for migrate)")
	cmd.Flags().Lookup(migrate.WithinFlag).Hidden = true
	cmd.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return cli.FlagError(cmd, err, "controller-gen's syntax has arguments instead: crd:maxDescLen=0, paths=./..., output:dir=config/crd")
	})
	inv.AddFlags(cmd)
	inv.AddFixFlag(cmd)
	new(generation.Values).AddSettings(cmd, project.OfControllerGen)
	return cmd
}

// buildTags is controller-gen's flag for build tags.
const buildTags = "load-build-tags"

// parseControllerGen sets the run from controller-gen's flags and arguments.
func parseControllerGen(inv *generation.Invocation, flags *pflag.FlagSet, args []string) error {
	line, err := commandline.Parse(args)
	if err != nil {
		return err
	}
	if err := cli.CopyFlags(inv.Given, flags); err != nil {
		return err
	}
	if tags, _ := flags.GetStringSlice(buildTags); flags.Changed(buildTags) {
		if err := cli.SetList(inv.Given, "tags", tags); err != nil {
			return err
		}
	}
	request := &inv.Request
	request.Patterns = line.Paths
	request.NoCRD = line.CRD == nil
	if line.CRD != nil {
		if err := setOptions(inv.Given, *line.CRD); err != nil {
			return err
		}
	}
	if line.Patch != nil {
		rule, _ := commandline.RuleFor("schemapatch", line.Rules)
		request.Patch = &generate.Patch{SchemaPatchArguments: *line.Patch, CRDFirst: line.CRDFirst, Rule: rule}
	}
	if rule, explicit := commandline.RuleFor("crd", line.Rules); explicit {
		if err := inv.Given.Set("output", commandline.Directory(rule)); err != nil {
			return err
		}
	}
	request.Generators = slices.Sorted(maps.Keys(line.Generators))
	// they read the same markers
	if !request.NoCRD || request.Patch != nil || line.Generators[commandline.ApplyConfigurationName] != nil {
		request.Generators = append(request.Generators, "crd")
	}
	request.Companions = generate.CompanionsOf(line)
	return nil
}

// setOptions sets the generator's options as flags.
func setOptions(flags *pflag.FlagSet, a commandline.CRDArguments) error {
	for _, version := range a.CRDVersions {
		if version != "v1" {
			return fmt.Errorf("crdVersions: %q is not supported, only v1 is", version)
		}
	}
	var errs []error
	for _, s := range project.SettingsOf(project.OfCRD) {
		values := a.Values(s.Argument)
		switch {
		case len(values) == 0:
		case s.Flag == "gates": // instead of those of the flag
			errs = append(errs, cli.SetList(flags, s.Name(), values))
		case s.Kind == project.List:
			errs = append(errs, cli.AddToList(flags, s.Name(), values))
		default:
			errs = append(errs, flags.Set(s.Name(), strings.Join(values, ";")))
		}
	}
	return errors.Join(errs...)
}
