package commandline

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/markers"

	"github.com/schemagen/schemagen/internal/ground/lazyregexp"
	"github.com/schemagen/schemagen/internal/ground/words"
)

// CommandLine is what controller-gen's arguments select.
type CommandLine struct {
	// CRD are the options of the generator crd, or nil if it does not run.
	CRD *CRDArguments
	// Patch has the arguments of schemapatch. CRDFirst is set if crd comes before it.
	Patch    *SchemaPatchArguments
	CRDFirst bool
	// Generators are the other generators, by name.
	Generators map[string]Generator
	// Order has the names of all generators in the order of the arguments.
	Order []string
	// Paths are the packages.
	Paths []string
	// Rules are the output rules by generator; the one for all generators has no name.
	Rules map[string]any
}

// markerPlace matches what controller-tools adds to a message about an argument, and
// unknownArgument a message about its name, which comes with one about its value.
var (
	markerPlace     = lazyregexp.New(` \(at <input>:\d+:\d+\)`)
	unknownArgument = lazyregexp.New(`unknown argument "([^"]*)"`)
)

// argumentProblem returns the message of controller-tools about an argument, for a command line.
func argumentProblem(definition *markers.Definition, err error) string {
	text := markerPlace().ReplaceAllString(err.Error(), "")
	match := unknownArgument().FindStringSubmatch(text)
	if match == nil {
		return strings.TrimSuffix(strings.TrimPrefix(text, "["), "]")
	}
	if nearest, ok := words.Nearest(match[1], slices.Sorted(maps.Keys(definition.Fields))); ok {
		return match[0] + "; did you mean " + nearest + "?"
	}
	return match[0]
}

// Parse parses controller-gen's arguments without its flags.
func Parse(args []string) (*CommandLine, error) {
	registry, err := Registry()
	if err != nil {
		return nil, err
	}
	out := &CommandLine{Generators: map[string]Generator{}, Rules: map[string]any{}}
	for _, arg := range args {
		definition, value, err := parseArgument(registry, arg)
		if err != nil {
			return nil, err
		}
		if out.Runs(definition.Name) {
			return nil, fmt.Errorf("generator %s is duplicated", definition.Name)
		}
		if slices.Contains(Names(), definition.Name) {
			out.Order = append(out.Order, definition.Name)
		}
		switch value := value.(type) {
		case CRDArguments:
			out.CRD = &value
		case SchemaPatchArguments:
			out.Patch = &value
			out.CRDFirst = out.CRD != nil
		case Generator:
			out.Generators[definition.Name] = value
		case InputPaths:
			out.Paths = append(out.Paths, value...)
		default:
			generator := ""
			if parts := strings.Split(definition.Name, ":"); len(parts) == 3 {
				generator = parts[1]
			}
			out.Rules[generator] = value
		}
	}
	return out, out.check()
}

// CheckGenerator returns an error if a text is not one of controller-gen's generators with its options, or an
// output rule of one.
func CheckGenerator(text string) error {
	registry, err := Registry()
	if err == nil {
		_, _, err = parseArgument(registry, text)
	}
	return err
}

func parseArgument(registry *markers.Registry, arg string) (*markers.Definition, any, error) {
	text := "+" + strings.TrimPrefix(arg, "+")
	definition := registry.Lookup(text, markers.DescribesPackage)
	if definition == nil {
		name, _, _ := strings.Cut(arg, ":")
		return nil, nil, fmt.Errorf("unknown argument %q: %s", arg, words.DidYouMean(name, Names(), "use generators, paths=… and output:…"))
	}
	value, err := definition.Parse(text)
	if err != nil {
		err = fmt.Errorf("argument %q: %s", arg, argumentProblem(definition, err))
	}
	return definition, value, err
}

// Runs reports whether a generator runs.
func (c *CommandLine) Runs(generator string) bool {
	return c.Generators[generator] != nil || generator == "crd" && c.CRD != nil || generator == "schemapatch" && c.Patch != nil
}

// check returns an error for arguments without effect.
func (c *CommandLine) check() error {
	if !slices.ContainsFunc(Names(), c.Runs) {
		return fmt.Errorf("no generator: use one or more of %s", strings.Join(Names(), ", "))
	}
	for _, generator := range slices.Sorted(maps.Keys(c.Rules)) {
		if generator != "" && !c.Runs(generator) {
			return fmt.Errorf("there is an output rule for %[1]s, but that generator is not run: add %[1]s, or remove output:%[1]s", generator)
		}
	}
	return nil
}
