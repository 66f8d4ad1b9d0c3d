package main

import (
	"fmt"
	"go/build/constraint"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/apiserver"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/markers"
)

// configName is the name of the file in which a project says what command lines
// would have to say each time.
const configName = "schemagen.yaml"

// setting is a value of schemagen.yaml that stands for a flag.
type setting struct {
	// key is where it stands in the file: "crd.maxDescLen".
	key string
	// flag is the flag whose value it is, of each command that has the flag, or, if
	// of is not empty, of that one alone. A setting without a flag is read by its key.
	flag, of string
	// also is the name of the flag in controller-gen's syntax, where it is another.
	also string
	kind settingKind
	// values are the only ones, if there are any.
	values []string
	// check says what is wrong with a value; nil takes all.
	check func(text string) error
	// about says what it is.
	about string
}

// settingKind is what a value may be.
type settingKind int

const (
	settingText     settingKind = iota
	settingBoolean              // true or false
	settingNumber               // not negative
	settingList                 // of texts
	settingPatterns             // of packages, relative to the file
	settingFile                 // a file that exists, relative to the file
	settingFolder               // a directory, relative to the file
)

// The commands that settings may be of.
const (
	ofCRD    = "crd"
	ofUnions = "unions"
)

// settings are all values of schemagen.yaml that stand for flags, in the order of
// the page and of schemagen config.
func settings() []setting {
	return []setting{
		{key: "paths", kind: settingPatterns, about: "packages of commands that are not told any: patterns of the go command; file-system patterns are relative to this file"},
		{key: "outputs.crd", of: ofCRD, flag: "output", kind: settingFolder, about: "directory of CRDs"},
		{key: "outputs.helm", of: ofCRD, flag: "helm", kind: settingFolder, about: "directory of a Helm chart's crds or templates, which CRDs are written to as well"},
		{key: "outputs.rbac", kind: settingFolder, about: "directory of roles, for controller-gen's generator rbac"},
		{key: "outputs.webhook", kind: settingFolder, about: "directory of webhook configurations, for controller-gen's generator webhook"},
		{key: "outputs.policies", of: ofUnions, flag: "policy", kind: settingFolder, about: "directory of admission policies, which schemagen unions writes then"},
		{key: "tags", flag: "tags", also: "load-build-tags", kind: settingList, about: "build tags to use when loading packages"},
		{key: "lister", flag: "lister", values: []string{"auto", "go"}, about: "how packages are found: auto (without the go command where that is certain), go"},
		{key: "enable", flag: "enable", kind: settingList, values: markers.Features(), about: "features of the marker language that are on for all packages"},
		{key: "unions", flag: "unions", check: generator.CheckUnions, about: "how unions are written where the source does not say: cel, oneOf, none, or cel;oneOf"},
		{key: "allow", flag: "allow", kind: settingList, about: "markers to leave alone although they look like mistakes"},
		{key: "kubeVersion", flag: "kube-version", check: checkKubeVersion, about: "Kubernetes version whose API server has to accept the output"},
		{key: "strict", flag: "strict", kind: settingBoolean, about: "make warnings errors"},
		{key: "cacheDir", flag: "cache-dir", kind: settingFolder, about: "directory that keeps results between runs"},
		{key: "crd.maxDescLen", of: ofCRD, flag: "max-desc-len", kind: settingNumber, about: "limit descriptions to this many bytes, back to the end of a sentence; 0 removes them"},
		{key: "crd.embeddedObjectMeta", of: ofCRD, flag: "embedded-object-meta", kind: settingBoolean, about: "describe the metadata of embedded objects instead of leaving it to be pruned (controller-gen's generateEmbeddedObjectMeta)"},
		{key: "crd.allowDangerousTypes", of: ofCRD, flag: "allow-dangerous-types", kind: settingBoolean, about: "allow float32 and float64"},
		{key: "crd.ignoreUnexportedFields", of: ofCRD, flag: "ignore-unexported-fields", kind: settingBoolean, about: "leave unexported fields out"},
		{key: "crd.headerFile", of: ofCRD, flag: "header-file", kind: settingFile, about: "file whose text stands in front of every CRD"},
		{key: "crd.year", of: ofCRD, flag: "year", about: "text to put for \" YEAR\" in the header"},
		{key: "crd.preserveUnknownFields", of: ofCRD, flag: "preserve-unknown-fields", kind: settingBoolean, about: "write spec.preserveUnknownFields"},
		{key: "crd.omitToolVersion", of: ofCRD, flag: "omit-tool-version", kind: settingBoolean, about: "leave the version annotation out"},
		{key: "crd.skipVerify", of: ofCRD, flag: "skip-verify", kind: settingBoolean, about: "write what the API server may refuse"},
		{key: "crd.kustomize", of: ofCRD, flag: "kustomize", kind: settingBoolean, about: "write a kustomization that names the CRDs of the output directory"},
		{key: "crd.prune", of: ofCRD, flag: "prune", kind: settingBoolean, about: "remove files that schemagen wrote for kinds that are no more"},
		{key: "functions.accessors", of: ofUnions, flag: "accessors", kind: settingBoolean, about: "add methods that set a discriminator, or a member with it"},
		{key: "functions.carryOverOnly", of: ofUnions, flag: "carry-over-only", kind: settingBoolean, about: "clear only members that are set in the old object, too"},
		{key: "functions.noRatcheting", of: ofUnions, flag: "no-ratcheting", kind: settingBoolean, about: "report a violation even if the old object has the same"},
		{key: "functions.buildTag", of: ofUnions, flag: "build-tag", check: checkBuildTag, about: "build constraint of the files; empty writes none"},
		{key: "functions.headerFile", of: ofUnions, flag: "header-file", kind: settingFile, about: "file whose text, a Go comment, stands in front of every generated Go file"},
		{key: "functions.year", of: ofUnions, flag: "year", about: "text to put for \" YEAR\" in that header"},
		{key: "functions.prune", of: ofUnions, flag: "prune", kind: settingBoolean, about: "remove files that schemagen wrote for packages without unions"},
	}
}

// packageSettings are the values of an element of packages, without its path.
func packageSettings() []setting {
	about := func(key string) setting {
		all := settings()
		s := all[slices.IndexFunc(all, func(s setting) bool { return s.key == key })]
		s.key = strings.TrimPrefix(key, "crd.")
		return s
	}
	return []setting{
		about("enable"), about("unions"), about("allow"), about("crd.maxDescLen"), about("crd.allowDangerousTypes"), about("crd.ignoreUnexportedFields"),
	}
}

// sections are the keys of the file at whose values settings stand, and those that
// are read by themselves.
func sections() (groups, others []string) {
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
