package commandline

import (
	"fmt"
	"path/filepath"
	"reflect"
	"strings"

	"sigs.k8s.io/controller-tools/pkg/markers"
)

// Names returns the names of controller-gen's generators.
func Names() []string {
	return []string{"applyconfiguration", "crd", "object", "rbac", "schemapatch", "webhook"}
}

// CRDArguments are the options of controller-gen's crd generator, in the form that its own
// marker parser fills.
type CRDArguments struct {
	IgnoreUnexportedFields                              *bool    `marker:",optional"`
	AllowDangerousTypes                                 *bool    `marker:",optional"`
	MaxDescLen                                          *int     `marker:",optional"`
	CRDVersions                                         []string `marker:"crdVersions,optional"`
	GenerateEmbeddedObjectMeta                          *bool    `marker:",optional"`
	HeaderFile                                          string   `marker:",optional"`
	Year                                                string   `marker:",optional"`
	DeprecatedV1beta1CompatibilityPreserveUnknownFields *bool    `marker:",optional"`
	OmitToolVersion                                     *bool    `marker:",optional"`
	// Enable is an addition of schemagen: see markers.Features.
	Enable []string `marker:",optional"`
	Unions []string `marker:",optional"`
	Gates  []string `marker:",optional"`
	// Channel are channels of schemagen.yaml.
	Channel []string `marker:",optional"`
	// Kustomize and Helm are additions as well.
	Kustomize *bool  `marker:",optional"`
	Helm      string `marker:",optional"`
}

// Values returns the values of the option with a name, as text, or none if it is not given.
func (a CRDArguments) Values(name string) []string {
	if name == "" {
		return nil
	}
	field := reflect.ValueOf(a).FieldByName(strings.ToUpper(name[:1]) + name[1:])
	switch {
	case !field.IsValid() || field.IsZero():
		return nil
	case field.Kind() == reflect.Slice:
		return field.Interface().([]string)
	}
	return []string{fmt.Sprint(reflect.Indirect(field))}
}

// Output rules and input paths.
type (
	// OutputDir writes all files to a directory.
	OutputDir string
	// OutputStdout prints all files to standard output.
	OutputStdout struct{}
	// OutputNone discards all files.
	OutputNone struct{}
	// OutputArtifacts has directories for configuration and for code. Without a code
	// directory, code is written next to its package.
	OutputArtifacts struct {
		Config OutputDir
		Code   OutputDir `marker:",optional"`
	}
	// InputPaths are package patterns.
	InputPaths []string
)

// Directory returns the directory to which a rule writes configuration: "-" is standard
// output, and "" means nowhere.
func Directory(rule any) string {
	switch rule := rule.(type) {
	case OutputDir:
		if rule == "" {
			return "."
		}
		return string(rule)
	case OutputArtifacts:
		return Directory(rule.Config)
	case OutputStdout:
		return "-"
	}
	return ""
}

// Registry defines the arguments as markers, like controller-gen.
func Registry() (*markers.Registry, error) {
	registry := &markers.Registry{}
	rules := map[string]any{
		"dir": OutputDir(""), "stdout": OutputStdout{}, "none": OutputNone{}, "artifacts": OutputArtifacts{},
	}
	for name, rule := range rules {
		if err := registry.Define("output:"+name, markers.DescribesPackage, rule); err != nil {
			return nil, err
		}
		for _, generator := range Names() {
			if err := registry.Define("output:"+generator+":"+name, markers.DescribesPackage, rule); err != nil {
				return nil, err
			}
		}
	}
	if err := registry.Define("crd", markers.DescribesPackage, CRDArguments{}); err != nil {
		return nil, err
	}
	if err := registry.Define("schemapatch", markers.DescribesPackage, SchemaPatchArguments{}); err != nil {
		return nil, err
	}
	for name, generator := range Generators() {
		if err := registry.Define(name, markers.DescribesPackage, generator); err != nil {
			return nil, err
		}
	}
	return registry, registry.Define("paths", markers.DescribesPackage, InputPaths(nil))
}

// SchemaPatchArguments are the options of controller-gen's schemapatch generator, in the
// form that its own marker parser fills.
type SchemaPatchArguments struct {
	ManifestsPath              string `marker:"manifests"`
	MaxDescLen                 *int   `marker:",optional"`
	GenerateEmbeddedObjectMeta *bool  `marker:",optional"`
}

// RuleFor returns the output rule of a generator: its own, the default, or, if no argument
// gives one, controller-gen's (genall.DirectoryPerGenerator).
func RuleFor(generator string, rules map[string]any) (rule any, explicit bool) {
	for _, name := range []string{generator, ""} {
		if rule, ok := rules[name]; ok {
			return rule, true
		}
	}
	return OutputArtifacts{Config: OutputDir(filepath.Join("config", generator))}, false
}

// Directories returns the directories that an output rule names.
func Directories(rule any) []string {
	switch rule := rule.(type) {
	case OutputDir:
		return []string{string(rule)}
	case OutputArtifacts:
		return []string{string(rule.Config), string(rule.Code)}
	}
	return nil
}

// OutputPath returns where an output rule sends a file: path if it is written, or prints
// if it goes to standard output; with neither, it is discarded. packageDir is the directory of the package that the file belongs to,
// or "" for configuration.
func OutputPath(rule any, packageDir, name string) (path string, prints bool) {
	switch rule := rule.(type) {
	case OutputDir:
		return filepath.Join(string(rule), name), false
	case OutputArtifacts:
		dir := string(rule.Config)
		if packageDir != "" {
			dir = packageDir
			if rule.Code != "" {
				dir = string(rule.Code)
			}
		}
		return filepath.Join(dir, name), false
	case OutputStdout:
		return "", true
	}
	return "", false
}
