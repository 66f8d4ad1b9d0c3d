package generation

import (
	"cmp"
	"strconv"
	"strings"

	"github.com/spf13/pflag"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/cli"
	"github.com/schemagen/schemagen/internal/conversions"
	"github.com/schemagen/schemagen/internal/generate"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/unions/uniongen"
)

// Values are the values of the settings of a command, which are flags and, except for a few, keys of
// schemagen.yaml. Those that the generators of CRDs need are in the request.
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

// Flags returns the flags of all settings of a command. They set the fields of v, and first their
// defaults.
func (v *Values) Flags(command string) *pflag.FlagSet {
	flags := pflag.NewFlagSet("settings", pflag.ContinueOnError)
	targets := v.targets()
	for _, s := range project.FlagsOf(command) {
		target := targets[s.Flag]
		if command == project.OfControllerGen {
			s.Flag = cmp.Or(s.Alias, s.Flag)
		}
		addFlag(flags, s, target)
	}
	return flags
}

// targets returns where the values of flags go. The first value of a choice is false.
func (v *Values) targets() map[string]any {
	return map[string]any{
		"allow":                    &v.Allow,
		"accessors":                &v.Functions.Accessors,
		"allow-dangerous-types":    &v.AllowDangerousTypes,
		"build-tag":                &v.Functions.BuildTag,
		"cache-dir":                &v.cacheDir,
		"carry-over-only":          &v.Functions.CarryOverOnly,
		"channel":                  &v.channels,
		"embedded-object-meta":     &v.EmbeddedObjectMeta,
		"enable":                   &v.Enable,
		"gates":                    &v.Gates,
		"header-file":              &v.headerFile,
		"helm":                     &v.Helm,
		"ignore-unexported-fields": &v.IgnoreUnexportedFields,
		"kube-version":             &v.KubeVersion,
		"kustomize":                &v.Kustomize,
		"lister":                   &v.GoCommand,
		"max-desc-len":             &v.MaxDescription,
		"no-cache":                 &v.noCache,
		"no-ratcheting":            &v.Functions.NoRatcheting,
		"omit-tool-version":        &v.OmitToolVersion,
		"output":                   &v.Destination,
		"policy":                   &v.policies,
		"preserve-unknown-fields":  &v.PreserveUnknownFields,
		"policy-create":            &v.Conversions.KeepOnCreate,
		"prune":                    &v.Prune,
		"rules":                    &v.ruleNames,
		"since":                    &v.since,
		"skip-verify":              &v.SkipVerify,
		"strict":                   &v.strict,
		"style":                    &v.Conversions.Functions,
		"tags":                     &v.Tags,
		"unions":                   &v.Unions,
		"year":                     &v.year,
	}
}

// addFlag adds the flag of a setting, whose type is that of its target.
func addFlag(flags *pflag.FlagSet, s project.Setting, target any) {
	switch target := target.(type) {
	case *string:
		flags.StringVarP(target, s.Flag, s.Short, strings.Join(s.Default, ""), s.Usage)
	case *[]string:
		flags.StringSliceVarP(target, s.Flag, s.Short, s.Default, s.Usage)
	case **int:
		flags.Var(cli.Optional[int]{To: target, Parse: cli.WholeNumber, Name: "int"}, s.Flag, s.Usage)
	case **bool:
		flags.Var(cli.Optional[bool]{To: target, Parse: strconv.ParseBool, Name: "bool"}, s.Flag, s.Usage)
		flags.Lookup(s.Flag).NoOptDefVal = "true"
	case *bool:
		if len(s.Values) == 2 {
			flags.Var(cli.Choice{To: target, Values: [2]string(s.Values)}, s.Flag, s.Usage)
			return
		}
		flags.BoolVarP(target, s.Flag, s.Short, false, s.Usage)
	}
}
