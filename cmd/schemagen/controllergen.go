package main

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/schemagen/schemagen/controllertools"
)

// controllerGenCommand is the hidden command that takes controller-gen's arguments.
const controllerGenCommand = "controller-gen"

// controllerGenerators are controller-gen's generators.
func controllerGenerators() []string {
	return []string{"applyconfiguration", "crd", "object", "rbac", "schemapatch", "webhook"}
}

// which is controller-gen's flag for the markers of generators.
var which = regexp.MustCompile(`^(-w+|--which-markers)$`)

// isControllerGenSyntax reports whether the arguments are controller-gen's:
// some argument is a path option, an output rule, or a generator with options,
// or two are generators.
func isControllerGenSyntax(args []string) bool {
	if len(args) > 0 && (args[0] == migrateCommand || strings.HasPrefix(args[0], cobra.ShellCompRequestCmd)) {
		return false // they are a command to look at, or to go on with
	}
	generators := 0
	for _, arg := range args {
		if arg == "--" {
			break // what follows is for the command in front of it
		}
		if which.MatchString(arg) {
			return true
		}
		if strings.HasPrefix(arg, "-") {
			continue
		}
		arg = strings.TrimPrefix(arg, "+")
		name, _, hasOptions := strings.Cut(arg, ":")
		isGenerator := slices.Contains(controllerGenerators(), name)
		if strings.HasPrefix(arg, "paths=") || strings.HasPrefix(arg, "output:") || isGenerator && hasOptions {
			return true
		}
		if isGenerator {
			generators++
		}
	}
	return generators > 1
}

// crdArguments are the options of controller-gen's crd generator, in the form
// that its own parser of markers reads.
type crdArguments struct {
	IgnoreUnexportedFields                              *bool    `marker:",optional"`
	AllowDangerousTypes                                 *bool    `marker:",optional"`
	MaxDescLen                                          *int     `marker:",optional"`
	CRDVersions                                         []string `marker:"crdVersions,optional"`
	GenerateEmbeddedObjectMeta                          *bool    `marker:",optional"`
	HeaderFile                                          string   `marker:",optional"`
	Year                                                string   `marker:",optional"`
	DeprecatedV1beta1CompatibilityPreserveUnknownFields *bool    `marker:",optional"`
	OmitToolVersion                                     *bool    `marker:",optional"`
	// Enable is this project's: see markers.Features.
	Enable []string `marker:",optional"`
	Unions []string `marker:",optional"`
	// Kustomize and Helm are, too: see shipping.
	Kustomize *bool  `marker:",optional"`
	Helm      string `marker:",optional"`
}

// The output rules.
type (
	outputDir       string
	outputStdout    struct{}
	outputNone      struct{}
	outputArtifacts struct {
		Config outputDir
		Code   outputDir `marker:",optional"`
	}
	inputPaths []string
)

// directory is the place that the rule sends CRDs to, as in crdRun.output.
func directory(rule any) string {
	switch rule := rule.(type) {
	case outputDir:
		if rule == "" {
			return "."
		}
		return string(rule)
	case outputArtifacts:
		return directory(rule.Config)
	case outputStdout:
		return "-"
	}
	return ""
}

// controllerGenRegistry defines the arguments as controller-gen does: as markers.
func controllerGenRegistry() (*markers.Registry, error) {
	registry := &markers.Registry{}
	rules := map[string]any{
		"dir": outputDir(""), "stdout": outputStdout{}, "none": outputNone{}, "artifacts": outputArtifacts{},
	}
	for name, rule := range rules {
		if err := registry.Define("output:"+name, markers.DescribesPackage, rule); err != nil {
			return nil, err
		}
		for _, generator := range controllerGenerators() {
			if err := registry.Define("output:"+generator+":"+name, markers.DescribesPackage, rule); err != nil {
				return nil, err
			}
		}
	}
	if err := registry.Define("crd", markers.DescribesPackage, crdArguments{}); err != nil {
		return nil, err
	}
	if err := registry.Define("schemapatch", markers.DescribesPackage, schemaPatchArguments{}); err != nil {
		return nil, err
	}
	for name, generator := range controllertools.Generators() {
		if err := registry.Define(name, markers.DescribesPackage, generator); err != nil {
			return nil, err
		}
	}
	return registry, registry.Define("paths", markers.DescribesPackage, inputPaths(nil))
}

func newControllerGenCommand(stdout, stderr io.Writer) *cobra.Command {
	r := crdRun{options: &cobra.Command{}}
	var level int
	cmd := &cobra.Command{
		Use:    controllerGenCommand + " [generators] [paths=...] [output...]",
		Hidden: true,
		RunE: func(cmd *cobra.Command, args []string) error {
			r.command = cmd
			if err := r.parse(args); err != nil {
				return err
			}
			if level > 0 {
				return controllertools.WriteMarkers(stdout, r.others.all(), !r.noCRD || r.patch != nil, level)
			}
			return r.run(cmd.Context(), stdout, stderr)
		},
	}
	cmd.Flags().StringSliceVar(&r.Tags, "load-build-tags", []string{"ignore_autogenerated"}, "build tags to use when loading packages")
	cmd.Flags().CountVarP(&level, "which-markers", "w", "print the markers of the generators; up to -www for more, -wwww for JSON")
	addModeFlags(cmd, &r.verifies, &r.differs)
	r.addFlags(cmd)
	r.addLanguageFlags(cmd)
	r.addOptionFlags(r.options)
	return cmd
}

// parse fills the run from controller-gen's arguments.
func (r *crdRun) parse(args []string) error {
	registry, err := controllerGenRegistry()
	if err != nil {
		return err
	}
	rules := map[string]any{} // by generator; the default has no name
	others := map[string]controllertools.Generator{}
	seen := false
	for _, arg := range args {
		text := "+" + strings.TrimPrefix(arg, "+")
		definition := registry.Lookup(text, markers.DescribesPackage)
		if definition == nil {
			return fmt.Errorf("unknown argument %q: generators, paths=… and output:… are known", arg)
		}
		value, err := definition.Parse(text)
		if err != nil {
			return fmt.Errorf("argument %q: %w", arg, err)
		}
		switch value := value.(type) {
		case crdArguments:
			if seen {
				return fmt.Errorf("generator crd stands twice")
			}
			seen = true
			if err := r.set(value); err != nil {
				return err
			}
		case schemaPatchArguments:
			if r.patch != nil {
				return fmt.Errorf("generator schemapatch stands twice")
			}
			r.patch = &patchRun{schemaPatchArguments: value, crdFirst: seen}
		case controllertools.Generator:
			if others[definition.Name] != nil {
				return fmt.Errorf("generator %s stands twice", definition.Name)
			}
			others[definition.Name] = value
		case inputPaths:
			r.Patterns = append(r.Patterns, value...)
		default:
			generator := ""
			if parts := strings.Split(definition.Name, ":"); len(parts) == 3 {
				generator = parts[1]
			}
			rules[generator] = value
		}
	}
	r.noCRD = !seen
	if r.noCRD && r.patch == nil && len(others) == 0 {
		return fmt.Errorf("no generator: say one or more of %s", strings.Join(controllerGenerators(), ", "))
	}
	for generator := range rules {
		runs := others[generator] != nil || generator == "crd" && !r.noCRD || generator == "schemapatch" && r.patch != nil
		if generator != "" && !runs {
			return fmt.Errorf("an output rule is for %s, which is not run", generator)
		}
	}
	if rule, said := ruleFor("crd", rules); said {
		if err := r.options.Flags().Set("output", directory(rule)); err != nil {
			return err
		}
	}
	if r.patch != nil {
		r.patch.rule, _ = ruleFor("schemapatch", rules)
	}
	if len(others) > 0 {
		r.others = &otherRun{generators: others, rules: map[string]any{}}
		for _, name := range slices.Sorted(maps.Keys(others)) {
			rule, said := ruleFor(name, rules)
			r.others.rules[name] = rule
			if !said {
				r.others.unsaid = append(r.others.unsaid, name)
			}
		}
	}
	return nil
}

// ruleFor is the output rule of a generator: its own, the default, or, if no argument
// says one, controller-gen's (genall.DirectoryPerGenerator).
func ruleFor(generator string, rules map[string]any) (rule any, said bool) {
	for _, name := range []string{generator, ""} {
		if rule, ok := rules[name]; ok {
			return rule, true
		}
	}
	return outputArtifacts{Config: outputDir(filepath.Join("config", generator))}, false
}

// set takes the options of the generator, as if they were flags.
func (r *crdRun) set(a crdArguments) error {
	for _, version := range a.CRDVersions {
		if version != "v1" {
			return fmt.Errorf("crdVersions: %q is not supported, only v1 is", version)
		}
	}
	var errs []error
	set := func(flag string, said bool, value any) {
		if said {
			errs = append(errs, r.options.Flags().Set(flag, fmt.Sprint(value)))
		}
	}
	is := func(flag string, b *bool) { set(flag, b != nil, b != nil && *b) }
	is("ignore-unexported-fields", a.IgnoreUnexportedFields)
	is("allow-dangerous-types", a.AllowDangerousTypes)
	is("embedded-object-meta", a.GenerateEmbeddedObjectMeta)
	is("preserve-unknown-fields", a.DeprecatedV1beta1CompatibilityPreserveUnknownFields)
	is("omit-tool-version", a.OmitToolVersion)
	is("kustomize", a.Kustomize)
	set("helm", a.Helm != "", a.Helm)
	if a.MaxDescLen != nil {
		set("max-desc-len", true, *a.MaxDescLen)
	}
	set("header-file", a.HeaderFile != "", a.HeaderFile)
	set("year", a.Year != "", a.Year)
	language := r.command.Flags()
	if len(a.Enable) > 0 {
		r.Enable = append(r.Enable, a.Enable...)
		language.Lookup("enable").Changed = true
	}
	if len(a.Unions) > 0 {
		errs = append(errs, language.Set("unions", strings.Join(a.Unions, ";")))
	}
	return errors.Join(errs...)
}
