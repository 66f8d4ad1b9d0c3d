package project

import (
	"cmp"
	"errors"
	"fmt"
	"go/build/constraint"
	"slices"
	"strings"
	"sync"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/companions/commandline"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/markers"
	"github.com/schemagen/schemagen/internal/pages/apidocs"
)

// Name is the name of the project file. Its settings replace flags that would have to be
// repeated on every command line.
const Name = "schemagen.yaml"

// Setting is a setting of a run: a key of schemagen.yaml, a flag, or both.
type Setting struct {
	// Key is the path of the setting in the file, for example "crd.maxDescLen". It is empty for
	// flags that control a single run.
	Key string
	// Of is the command that has the setting. If it is empty, crd, controller-gen's syntax and the
	// commands in Also have it, and every command with its flag.
	Of   string
	Also []string
	// Flag is the flag of these commands, if the setting may change from run to run. The others are
	// given by --set.
	Flag string
	// Alias is the name of the flag in controller-gen's syntax, if it is different, and Argument
	// that of the same option of its generator crd.
	Alias, Argument string
	// Short is the one-letter form of the flag, Usage its help, Group the title of its group in the
	// help of crd, and Default its default if that is not empty.
	Short, Usage, Group string
	Default             []string
	Kind                Kind
	// Values are the allowed values; if empty, any value is allowed. Pattern matches further
	// ones.
	Values  []string
	Pattern string
	// Check returns an error for an invalid value; nil accepts all values.
	Check func(text string) error
	// Description describes the setting.
	Description string
}

// Kind is the type of a setting's value.
type Kind int

const (
	Text     Kind = iota
	Boolean       // true or false
	Number        // an integer >= 0
	List          // of strings
	Patterns      // of packages, relative to the file
	Path          // a file that exists, relative to the file
	Folder        // a directory, relative to the file
)

// Commands that have settings.
const (
	OfCRD           = "crd"
	OfUnions        = "unions"
	OfConversions   = "conversions"
	OfGates         = "gates"
	OfGenerate      = "generate"
	OfDocs          = "docs"
	OfJSONSchema    = "jsonschema"
	OfOpenAPI       = "openapi"
	OfDefinitions   = "definitions"    // every command that reads CRDs or Go packages
	OfControllerGen = "controller-gen" // the flags of its syntax
)

// Titles of groups of flags in the help of crd. Flags that most projects use have none.
const (
	inPackages = "Packages and kinds"
	inSchemas  = "Schemas"
	inFindings = "Findings"
)

// Groups returns the titles of the groups of flags, in the order of the help.
func Groups() []string {
	return []string{inPackages, inSchemas, inFindings}
}

// Settings returns the settings that have a key in the file, in the order of docs/config.md and
// of schemagen config.
func Settings() []Setting {
	return slices.DeleteFunc(slices.Clone(rows()), func(s Setting) bool { return s.Key == "" })
}

// Keys returns the keys of settings.
func Keys() (out []string) {
	for _, s := range Settings() {
		out = append(out, s.Key)
	}
	return out
}

// SettingsOf returns the settings of a command, with the flags that it has.
func SettingsOf(command string) (out []Setting) {
	for _, s := range rows() {
		if command == OfControllerGen {
			s.Flag = cmp.Or(s.Alias, s.Flag)
		}
		if s.isOf(command) {
			out = append(out, s)
		}
	}
	return out
}

// FlagsOf returns the settings with flags that may be given to a command.
func FlagsOf(command string) []Setting {
	return slices.DeleteFunc(SettingsOf(command), func(s Setting) bool { return s.Flag == "" })
}

// Name returns the name of the setting in a set of flags.
func (s Setting) Name() string { return cmp.Or(s.Flag, s.Key) }

// isOf reports whether a command has a setting.
func (s Setting) isOf(command string) bool {
	everywhere := s.Of == "" && (command == OfCRD || command == OfControllerGen)
	return everywhere || s.Of == command || slices.Contains(s.Also, command)
}

// rows returns all settings, in a slice that all callers share.
var rows = sync.OnceValue(func() []Setting {
	return []Setting{
		{Key: "paths", Kind: Patterns, Description: "package patterns for commands without arguments; file-system patterns are relative to this file"},
		{
			Key: "outputs.crd", Of: OfCRD, Flag: "output", Kind: Folder, Short: "o", Default: []string{ControllerGenCRDs},
			Usage:       "write to this directory, - for standard output; " + KubebuilderCRDs + " in a Kubebuilder project",
			Description: "directory of CRDs",
		},
		{
			Key: "outputs.helm", Of: OfCRD, Kind: Folder, Argument: "helm",
			Description: "Helm chart, or its directory crds or templates, to which the CRDs are also written",
		},
		{Key: "outputs.rbac", Kind: Folder, Description: "directory of roles, for controller-gen's generator rbac"},
		{Key: "outputs.webhook", Kind: Folder, Description: "directory of webhook configurations, for controller-gen's generator webhook"},
		{
			Key: "outputs.policies", Of: OfUnions, Kind: Folder, Also: []string{OfConversions},
			Description: "directory to which schemagen unions and conversions write admission policies",
		},
		{Key: "outputs.docs", Of: OfDocs, Flag: "output", Kind: Folder, Description: "directory of the documentation of custom resources"},
		{Key: "outputs.jsonschema", Of: OfJSONSchema, Flag: "output", Kind: Folder, Description: "directory of JSON Schemas for editors and validators"},
		{Key: "outputs.openapi", Of: OfOpenAPI, Flag: "output", Kind: Folder, Description: "parent directory of the OpenAPI documents, which are in openapi/"},
		{
			Key: "generators", Kind: List, Check: checkGenerator,
			Description: "what schemagen generate makes: crd, unions, conversions, and controller-gen's other generators as in its arguments, such as rbac:roleName=manager-role",
		},
		{
			Key: "tags", Alias: "load-build-tags", Kind: List, Also: []string{OfUnions, OfConversions}, Default: []string{"ignore_autogenerated"},
			Description: "build tags to use when loading packages",
		},
		{
			Key: "lister", Values: []string{"auto", "go"}, Also: []string{OfUnions, OfConversions},
			Description: "how packages are found: go (by the go command) or auto (without it if the result is certain to be the same)",
		},
		{
			Key: "enable", Flag: "enable", Kind: List, Values: markers.Features(), Pattern: markers.PrefixedFeature, Group: inSchemas, Also: []string{OfUnions}, Argument: "enable",
			Usage:       "enable features for all packages: " + strings.Join(markers.Features(), ", "),
			Description: "marker language features enabled for all packages",
		},
		{
			Key: "unions", Flag: "unions", Check: define.CheckUnions, Group: inSchemas, Also: []string{OfDefinitions}, Argument: "unions",
			Usage:       "form of unions unless the source sets it: cel, oneOf, none",
			Description: "default union validation: cel, oneOf, none, or cel;oneOf",
		},
		{
			Key: "allow", Kind: List, Also: []string{OfUnions},
			Description: "markers that are not reported as misspelt",
		},
		{
			Flag: "gates", Kind: List, Group: inSchemas, Also: []string{OfDefinitions}, Argument: "gates",
			Usage: "turn on these gates of +schemagen:when: names, * for all, !NAME for all but one",
		},
		{
			Flag: "channel", Kind: List, Group: inSchemas, Argument: "channel",
			Usage: "generate only these channels of " + Name,
		},
		{
			Flag: "rules", Kind: List, Group: inFindings, Also: []string{OfGenerate},
			Usage: "also check API conventions: " + Review + " for all, or codes",
		},
		{
			Flag: "no-cache", Kind: Boolean, Also: []string{OfGenerate},
			Usage: "ignore results of earlier runs",
		},
		{
			Key: "kubeVersion", Flag: "kube-version", Check: checkKubeVersion, Group: inFindings,
			Usage:       "verify against the API server of this Kubernetes version (default " + apiserver.DefaultVersion + ")",
			Description: "Kubernetes version whose API server must accept the output",
		},
		{
			Key: "strict", Flag: "strict", Kind: Boolean, Group: inFindings, Also: []string{OfGenerate, OfUnions, OfConversions},
			Usage:       "treat warnings as errors",
			Description: "make warnings errors",
		},
		{
			Key: "since", Flag: "since", Group: inFindings, Also: []string{OfGenerate},
			Usage:       "of API conventions, report only what this commit (git:REF) does not break already",
			Description: "commit (git:REF); of API conventions, only what it does not break already is reported",
		},
		{
			Key: "cacheDir", Kind: Folder,
			Description: "directory in which schemagen-cache, the run cache, is created",
		},
		{
			Key: "crd.maxDescLen", Of: OfCRD, Kind: Number, Argument: "maxDescLen",
			Description: "truncate descriptions to this many bytes, at the end of a sentence; 0 removes them",
		},
		{
			Key: "crd.embeddedObjectMeta", Of: OfCRD, Kind: Boolean, Argument: "generateEmbeddedObjectMeta",
			Description: "describe the metadata of embedded objects so that it is not pruned (controller-gen's generateEmbeddedObjectMeta)",
		},
		{
			Key: "crd.allowDangerousTypes", Of: OfCRD, Kind: Boolean, Argument: "allowDangerousTypes",
			Description: "allow float32 and float64",
		},
		{
			Key: "crd.ignoreUnexportedFields", Of: OfCRD, Kind: Boolean, Argument: "ignoreUnexportedFields",
			Description: "ignore unexported fields",
		},
		{
			Key: "crd.headerFile", Of: OfCRD, Kind: Path, Argument: "headerFile",
			Description: "file with a header for every CRD",
		},
		{
			Key: "crd.year", Of: OfCRD, Argument: "year",
			Description: "replacement for \" YEAR\" in the header",
		},
		{
			Key: "crd.preserveUnknownFields", Of: OfCRD, Kind: Boolean, Argument: "deprecatedV1beta1CompatibilityPreserveUnknownFields",
			Description: "write spec.preserveUnknownFields",
		},
		{
			Key: "crd.omitToolVersion", Of: OfCRD, Kind: Boolean, Argument: "omitToolVersion",
			Description: "omit the version annotation",
		},
		{
			Key: "crd.skipVerify", Of: OfCRD, Flag: "skip-verify", Kind: Boolean, Group: inFindings, Also: []string{OfControllerGen},
			Usage:       "write CRDs even if the API server would reject them",
			Description: "write CRDs that the API server may reject",
		},
		{
			Key: "crd.kustomize", Of: OfCRD, Kind: Boolean, Argument: "kustomize",
			Description: "write a kustomization.yaml that lists the CRDs of the output directory",
		},
		{
			Key: "crd.prune", Of: OfCRD, Flag: "prune", Kind: Boolean,
			Usage:       "remove files that schemagen wrote for kinds that no longer exist",
			Description: "remove files that schemagen wrote for kinds that no longer exist",
		},
		{
			Key: "functions.accessors", Of: OfUnions, Kind: Boolean,
			Description: "add methods that set the discriminator, or a member together with it",
		},
		{
			Key: "functions.carryOverOnly", Of: OfUnions, Kind: Boolean,
			Description: "clear only members that are also set in the old object",
		},
		{
			Key: "functions.noRatcheting", Of: OfUnions, Kind: Boolean,
			Description: "report a violation even if the old object has the same one",
		},
		{
			Key: "functions.buildTag", Of: OfUnions, Check: checkBuildTag, Default: []string{"!ignore_autogenerated"},
			Description: "build constraint of the generated files; empty writes none",
		},
		{
			Key: "functions.headerFile", Of: OfUnions, Kind: Path, Also: []string{OfConversions},
			Description: "file with a header, a Go comment, for every generated Go file",
		},
		{
			Key: "functions.year", Of: OfUnions, Also: []string{OfConversions},
			Description: "replacement for \" YEAR\" in that header",
		},
		{
			Key: "functions.prune", Of: OfUnions, Flag: "prune", Kind: Boolean,
			Usage:       "remove files that schemagen wrote for packages that no longer have unions",
			Description: "remove files that schemagen wrote for packages without unions",
		},
		{Key: "docs.format", Of: OfDocs, Flag: "format", Values: apidocs.Formats(), Description: "format of the documentation"},
		{Key: "docs.title", Of: OfDocs, Flag: "title", Description: "title of the documentation"},
		{
			Key: "conversions.style", Of: OfConversions, Values: []string{"methods", "functions"},
			Description: "form of conversions: methods, or functions for conversion.NewSpokeConverter",
		},
		{
			Key: "conversions.policyCreate", Of: OfConversions, Values: []string{"clear", "keep"},
			Description: "what the policies of conversions do with the annotation of an object that is created: clear, or keep (to restore backups)",
		},
		{
			Of: OfConversions, Flag: "prune", Kind: Boolean,
			Usage: "remove files that schemagen wrote for packages, or policies for versions, that no longer have conversions",
		},
	}
})

// PackageSettings returns the settings of an element of packages, without its path.
func PackageSettings() []Setting {
	about := func(key string) Setting {
		all := Settings()
		s := all[slices.IndexFunc(all, func(s Setting) bool { return s.Key == key })]
		s.Key = strings.TrimPrefix(key, "crd.")
		return s
	}
	return []Setting{
		about("enable"), about("unions"), about("allow"), about("crd.maxDescLen"), about("crd.allowDangerousTypes"), about("crd.ignoreUnexportedFields"),
	}
}

// Sections returns the keys of the file that group settings, and the keys of the sections
// that are read separately.
func Sections() (groups, separate []string) {
	return []string{"outputs", "crd", "functions", "conversions", "docs"}, []string{"packages", "types", "descriptions", "gates", "channels", "contains", "join", "merge", "severities", "waivers"}
}

func checkKubeVersion(text string) error {
	_, err := apiserver.NewTarget(text)
	return err
}

func checkGenerator(text string) error {
	name, _, hasOptions := strings.Cut(text, ":")
	switch {
	case name == "crd" && hasOptions:
		return errors.New("write crd without options, which are settings below crd")
	case slices.Contains([]string{"crd", "unions", "conversions"}, text):
		return nil
	case name == "schemapatch":
		return errors.New("schemapatch has no place here: it writes what the command line says")
	}
	return commandline.CheckGenerator(text)
}

func checkBuildTag(text string) error {
	if text == "" {
		return nil
	}
	if _, err := constraint.Parse("//go:build " + text); err != nil {
		return fmt.Errorf("%q is not a build constraint: %w", text, err)
	}
	return nil
}
