package generation

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/internal/conversions"
	"github.com/schemagen/schemagen/internal/generate"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/unions/uniongen"
)

// Values are the values of the settings of a command, which are flags, keys of schemagen.yaml, or both. Those that the generators of CRDs need are in the request.
type Values struct {
	generate.Request
	// Functions are the options of unions, and policies is the directory of admission policies.
	Functions uniongen.FunctionOptions
	policies  string
	// Conversions are the options of conversions.
	Conversions conversions.Options
	// channels, ruleNames and since are the values of --channel, --rules and --since.
	channels, ruleNames []string
	since               string
	// headerFile is the file whose text precedes the content of each file, with " YEAR"
	// replaced by year.
	headerFile, year string
	// cacheDir is the directory of the run cache; noCache disables it.
	cacheDir string
	noCache  bool
	strict   bool
}

// Flags returns a flag for each setting of a command, whether or not its command line has it. They set
// the fields of v, and first their defaults.
func (v *Values) Flags(command string) *pflag.FlagSet {
	flags := pflag.NewFlagSet("settings", pflag.ContinueOnError)
	targets := v.targets()
	for _, s := range project.SettingsOf(command) {
		addFlag(flags, s, targets[cmp.Or(s.Key, s.Flag)])
	}
	return flags
}

// AddSettings adds the flags of a command's settings to its command line. It returns those of all its settings.
func (v *Values) AddSettings(cmd *cobra.Command, command string) *pflag.FlagSet {
	settings := v.Flags(command)
	for _, s := range project.FlagsOf(command) {
		cmd.Flags().AddFlag(settings.Lookup(s.Flag))
	}
	return settings
}

// targets returns where the values of settings go. The first value of a choice is false.
func (v *Values) targets() map[string]any {
	return map[string]any{
		"allow":                      &v.Allow,
		"cacheDir":                   &v.cacheDir,
		"channel":                    &v.channels,
		"conversions.policyCreate":   &v.Conversions.KeepOnCreate,
		"conversions.style":          &v.Conversions.Functions,
		"crd.allowDangerousTypes":    &v.AllowDangerousTypes,
		"crd.embeddedObjectMeta":     &v.EmbeddedObjectMeta,
		"crd.headerFile":             &v.headerFile,
		"crd.ignoreUnexportedFields": &v.IgnoreUnexportedFields,
		"crd.kustomize":              &v.Kustomize,
		"crd.maxDescLen":             &v.MaxDescription,
		"crd.omitToolVersion":        &v.OmitToolVersion,
		"crd.preserveUnknownFields":  &v.PreserveUnknownFields,
		"crd.prune":                  &v.Prune,
		"crd.skipVerify":             &v.SkipVerify,
		"crd.year":                   &v.year,
		"enable":                     &v.Enable,
		"functions.accessors":        &v.Functions.Accessors,
		"functions.buildTag":         &v.Functions.BuildTag,
		"functions.carryOverOnly":    &v.Functions.CarryOverOnly,
		"functions.headerFile":       &v.headerFile,
		"functions.noRatcheting":     &v.Functions.NoRatcheting,
		"functions.prune":            &v.Prune,
		"functions.year":             &v.year,
		"gates":                      &v.Gates,
		"kubeVersion":                &v.KubeVersion,
		"lister":                     &v.GoCommand,
		"no-cache":                   &v.noCache,
		"outputs.crd":                &v.Destination,
		"outputs.helm":               &v.Helm,
		"outputs.policies":           &v.policies,
		"prune":                      &v.Prune,
		"rules":                      &v.ruleNames,
		"since":                      &v.since,
		"strict":                     &v.strict,
		"tags":                       &v.Tags,
		"unions":                     &v.Unions,
	}
}

// addFlag adds the flag of a setting, with the type of its target.
func addFlag(flags *pflag.FlagSet, s project.Setting, target any) {
	switch target := target.(type) {
	case *string:
		flags.StringVarP(target, s.Name(), s.Short, strings.Join(s.Default, ""), s.Usage)
	case *[]string:
		flags.StringSliceVarP(target, s.Name(), s.Short, s.Default, s.Usage)
	case **int:
		flags.Var(cli.Optional[int]{To: target, Parse: cli.WholeNumber, Name: "int"}, s.Name(), s.Usage)
	case **bool:
		flags.Var(cli.Optional[bool]{To: target, Parse: strconv.ParseBool, Name: "bool"}, s.Name(), s.Usage)
		flags.Lookup(s.Name()).NoOptDefVal = "true"
	case *bool:
		if len(s.Values) == 2 {
			flags.Var(cli.Choice{To: target, Values: [2]string(s.Values)}, s.Name(), s.Usage)
			return
		}
		flags.BoolVarP(target, s.Name(), s.Short, false, s.Usage)
	}
}
