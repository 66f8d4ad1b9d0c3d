package project

import (
	"fmt"
	"go/build/constraint"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/generator/driver"
	"github.com/schemagen/schemagen/markers"
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
	// Also is the name of the flag in controller-gen's syntax, if it is different.
	Also string
	Kind Kind
	// Values are the allowed values; if empty, any value is allowed.
	Values []string
	// Check returns an error for an invalid value; nil accepts all values.
	Check func(text string) error
	// About describes the setting.
	About string
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
		{Key: "paths", Kind: Patterns, About: "packages of commands that are not told any: patterns of the go command; file-system patterns are relative to this file"},
		{Key: "outputs.crd", Of: OfCRD, Flag: "output", Kind: Folder, About: "directory of CRDs"},
		{Key: "outputs.helm", Of: OfCRD, Flag: "helm", Kind: Folder, About: "directory of a Helm chart's crds or templates, which CRDs are written to as well"},
		{Key: "outputs.rbac", Kind: Folder, About: "directory of roles, for controller-gen's generator rbac"},
		{Key: "outputs.webhook", Kind: Folder, About: "directory of webhook configurations, for controller-gen's generator webhook"},
		{Key: "outputs.policies", Of: OfUnions, Flag: "policy", Kind: Folder, About: "directory of admission policies, which schemagen unions writes then"},
		{Key: "tags", Flag: "tags", Also: "load-build-tags", Kind: List, About: "build tags to use when loading packages"},
		{Key: "lister", Flag: "lister", Values: []string{"auto", "go"}, About: "how packages are found: auto (without the go command where that is certain), go"},
		{Key: "enable", Flag: "enable", Kind: List, Values: markers.Features(), About: "features of the marker language that are on for all packages"},
		{Key: "unions", Flag: "unions", Check: driver.CheckUnions, About: "how unions are written where the source does not say: cel, oneOf, none, or cel;oneOf"},
		{Key: "allow", Flag: "allow", Kind: List, About: "markers to leave alone although they look like mistakes"},
		{Key: "kubeVersion", Flag: "kube-version", Check: checkKubeVersion, About: "Kubernetes version whose API server has to accept the output"},
		{Key: "strict", Flag: "strict", Kind: Boolean, About: "make warnings errors"},
		{Key: "cacheDir", Flag: "cache-dir", Kind: Folder, About: "directory whose folder schemagen-cache keeps results between runs"},
		{Key: "crd.maxDescLen", Of: OfCRD, Flag: "max-desc-len", Kind: Number, About: "limit descriptions to this many bytes, back to the end of a sentence; 0 removes them"},
		{Key: "crd.embeddedObjectMeta", Of: OfCRD, Flag: "embedded-object-meta", Kind: Boolean, About: "describe the metadata of embedded objects instead of leaving it to be pruned (controller-gen's generateEmbeddedObjectMeta)"},
		{Key: "crd.allowDangerousTypes", Of: OfCRD, Flag: "allow-dangerous-types", Kind: Boolean, About: "allow float32 and float64"},
		{Key: "crd.ignoreUnexportedFields", Of: OfCRD, Flag: "ignore-unexported-fields", Kind: Boolean, About: "leave unexported fields out"},
		{Key: "crd.headerFile", Of: OfCRD, Flag: "header-file", Kind: Path, About: "file whose text stands in front of every CRD"},
		{Key: "crd.year", Of: OfCRD, Flag: "year", About: "text to put for \" YEAR\" in the header"},
		{Key: "crd.preserveUnknownFields", Of: OfCRD, Flag: "preserve-unknown-fields", Kind: Boolean, About: "write spec.preserveUnknownFields"},
		{Key: "crd.omitToolVersion", Of: OfCRD, Flag: "omit-tool-version", Kind: Boolean, About: "leave the version annotation out"},
		{Key: "crd.skipVerify", Of: OfCRD, Flag: "skip-verify", Kind: Boolean, About: "write what the API server may refuse"},
		{Key: "crd.kustomize", Of: OfCRD, Flag: "kustomize", Kind: Boolean, About: "write a kustomization that names the CRDs of the output directory"},
		{Key: "crd.prune", Of: OfCRD, Flag: "prune", Kind: Boolean, About: "remove files that schemagen wrote for kinds that are no more"},
		{Key: "functions.accessors", Of: OfUnions, Flag: "accessors", Kind: Boolean, About: "add methods that set a discriminator, or a member with it"},
		{Key: "functions.carryOverOnly", Of: OfUnions, Flag: "carry-over-only", Kind: Boolean, About: "clear only members that are set in the old object, too"},
		{Key: "functions.noRatcheting", Of: OfUnions, Flag: "no-ratcheting", Kind: Boolean, About: "report a violation even if the old object has the same"},
		{Key: "functions.buildTag", Of: OfUnions, Flag: "build-tag", Check: checkBuildTag, About: "build constraint of the files; empty writes none"},
		{Key: "functions.headerFile", Of: OfUnions, Flag: "header-file", Kind: Path, About: "file whose text, a Go comment, stands in front of every generated Go file"},
		{Key: "functions.year", Of: OfUnions, Flag: "year", About: "text to put for \" YEAR\" in that header"},
		{Key: "functions.prune", Of: OfUnions, Flag: "prune", Kind: Boolean, About: "remove files that schemagen wrote for packages without unions"},
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
func Sections() (groups, others []string) {
	return []string{"outputs", "crd", "functions"}, []string{"packages", "types", "descriptions", "severities", "waivers"}
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
		return fmt.Errorf("%q is no build constraint: %w", text, err)
	}
	return nil
}
