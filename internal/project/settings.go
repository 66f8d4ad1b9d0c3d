package project

import (
	"fmt"
	"go/build/constraint"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/markers"
)

// Name is the name of the project file. Its settings replace flags that would have to be
// repeated on every command line.
const Name = "schemagen.yaml"

// Setting is a setting of schemagen.yaml that corresponds to a flag.
type Setting struct {
	// Key is the path of the setting in the file, for example "crd.maxDescLen".
	Key string
	// Flag is the corresponding flag, of every command that has it or, if Of is not empty, of
	// that command only. A setting without a flag is read by its key.
	Flag, Of string
	// Alias is the name of the flag in controller-gen's syntax, if it is different.
	Alias string
	Kind  Kind
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

// Commands that settings may be restricted to.
const (
	OfCRD    = "crd"
	OfUnions = "unions"
)

// Settings returns all settings that correspond to flags, in the order of docs/config.md and
// of schemagen config.
func Settings() []Setting {
	return []Setting{
		{Key: "paths", Kind: Patterns, Description: "package patterns for commands without arguments; file-system patterns are relative to this file"},
		{Key: "outputs.crd", Of: OfCRD, Flag: "output", Kind: Folder, Description: "directory of CRDs"},
		{Key: "outputs.helm", Of: OfCRD, Flag: "helm", Kind: Folder, Description: "Helm chart, or its directory crds or templates, to which the CRDs are also written"},
		{Key: "outputs.rbac", Kind: Folder, Description: "directory of roles, for controller-gen's generator rbac"},
		{Key: "outputs.webhook", Kind: Folder, Description: "directory of webhook configurations, for controller-gen's generator webhook"},
		{Key: "outputs.policies", Of: OfUnions, Flag: "policy", Kind: Folder, Description: "directory to which schemagen unions writes admission policies"},
		{Key: "tags", Flag: "tags", Alias: "load-build-tags", Kind: List, Description: "build tags to use when loading packages"},
		{Key: "lister", Flag: "lister", Values: []string{"auto", "go"}, Description: "how packages are found: go (by the go command) or auto (without it if the result is certain to be the same)"},
		{Key: "enable", Flag: "enable", Kind: List, Values: markers.Features(), Pattern: markers.PrefixedFeature, Description: "marker language features enabled for all packages"},
		{Key: "unions", Flag: "unions", Check: define.CheckUnions, Description: "default union validation: cel, oneOf, none, or cel;oneOf"},
		{Key: "allow", Flag: "allow", Kind: List, Description: "markers that are not reported as misspelt"},
		{Key: "kubeVersion", Flag: "kube-version", Check: checkKubeVersion, Description: "Kubernetes version whose API server must accept the output"},
		{Key: "strict", Flag: "strict", Kind: Boolean, Description: "make warnings errors"},
		{Key: "since", Flag: "since", Description: "commit (git:REF); of API conventions, only what it does not break already is reported"},
		{Key: "cacheDir", Flag: "cache-dir", Kind: Folder, Description: "directory in which schemagen-cache, the run cache, is created"},
		{Key: "crd.maxDescLen", Of: OfCRD, Flag: "max-desc-len", Kind: Number, Description: "truncate descriptions to this many bytes, at the end of a sentence; 0 removes them"},
		{Key: "crd.embeddedObjectMeta", Of: OfCRD, Flag: "embedded-object-meta", Kind: Boolean, Description: "describe the metadata of embedded objects so that it is not pruned (controller-gen's generateEmbeddedObjectMeta)"},
		{Key: "crd.allowDangerousTypes", Of: OfCRD, Flag: "allow-dangerous-types", Kind: Boolean, Description: "allow float32 and float64"},
		{Key: "crd.ignoreUnexportedFields", Of: OfCRD, Flag: "ignore-unexported-fields", Kind: Boolean, Description: "ignore unexported fields"},
		{Key: "crd.headerFile", Of: OfCRD, Flag: "header-file", Kind: Path, Description: "file with a header for every CRD"},
		{Key: "crd.year", Of: OfCRD, Flag: "year", Description: "replacement for \" YEAR\" in the header"},
		{Key: "crd.preserveUnknownFields", Of: OfCRD, Flag: "preserve-unknown-fields", Kind: Boolean, Description: "write spec.preserveUnknownFields"},
		{Key: "crd.omitToolVersion", Of: OfCRD, Flag: "omit-tool-version", Kind: Boolean, Description: "omit the version annotation"},
		{Key: "crd.skipVerify", Of: OfCRD, Flag: "skip-verify", Kind: Boolean, Description: "write CRDs that the API server may reject"},
		{Key: "crd.kustomize", Of: OfCRD, Flag: "kustomize", Kind: Boolean, Description: "write a kustomization.yaml that lists the CRDs of the output directory"},
		{Key: "crd.prune", Of: OfCRD, Flag: "prune", Kind: Boolean, Description: "remove files that schemagen wrote for kinds that no longer exist"},
		{Key: "functions.accessors", Of: OfUnions, Flag: "accessors", Kind: Boolean, Description: "add methods that set the discriminator, or a member together with it"},
		{Key: "functions.carryOverOnly", Of: OfUnions, Flag: "carry-over-only", Kind: Boolean, Description: "clear only members that are also set in the old object"},
		{Key: "functions.noRatcheting", Of: OfUnions, Flag: "no-ratcheting", Kind: Boolean, Description: "report a violation even if the old object has the same one"},
		{Key: "functions.buildTag", Of: OfUnions, Flag: "build-tag", Check: checkBuildTag, Description: "build constraint of the generated files; empty writes none"},
		{Key: "functions.headerFile", Of: OfUnions, Flag: "header-file", Kind: Path, Description: "file with a header, a Go comment, for every generated Go file"},
		{Key: "functions.year", Of: OfUnions, Flag: "year", Description: "replacement for \" YEAR\" in that header"},
		{Key: "functions.prune", Of: OfUnions, Flag: "prune", Kind: Boolean, Description: "remove files that schemagen wrote for packages without unions"},
	}
}

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
	return []string{"outputs", "crd", "functions"}, []string{"packages", "types", "descriptions", "gates", "channels", "contains", "join", "merge", "severities", "waivers"}
}

func checkKubeVersion(text string) error {
	_, err := apiserver.NewTarget(text)
	return err
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
