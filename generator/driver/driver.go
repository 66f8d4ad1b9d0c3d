// Package driver runs parts of the generator for the commands of this module: it lists
// packages without reading them, checks only for misspelled markers, or writes schemas in
// other forms than CRDs. Programs should use package generator instead.
package driver

import (
	"context"
	"path/filepath"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/generator"
	"github.com/schemagen/schemagen/internal/companions/configgen"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/checks"
	"github.com/schemagen/schemagen/internal/define/edits"
	"github.com/schemagen/schemagen/internal/define/report"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/internal/source/golist"
	"github.com/schemagen/schemagen/internal/unions/gounions"
)

// File is a generated file, with its base name.
type File = define.File

// FileName returns the name of the file that the CRD of a resource is written to.
func FileName(group, plural string) string { return checks.FileName(group, plural) }

// IsFilePattern reports whether one of [generator.Source.Patterns] names directories, not
// import paths: it is absolute, or begins with a dot.
func IsFilePattern(pattern string) bool { return golist.IsFilePattern(pattern) }

// Directories returns the directories that patterns of packages name.
func Directories(patterns []string) (dirs []string) {
	for _, pattern := range patterns {
		if IsFilePattern(pattern) {
			dir, _, _ := strings.Cut(pattern, "...")
			dirs = append(dirs, filepath.FromSlash(dir))
		}
	}
	return dirs
}

// CheckUnions returns an error if the value of [generator.Language.Unions] is not valid.
func CheckUnions(text string) error { return define.CheckUnions(text) }

// CheckDescriptions returns an error if the value of a [generator.Override] for descriptions
// is not valid.
func CheckDescriptions(text string) error {
	_, err := edits.ParseDescriptionPolicy(text)
	return err
}

// Definitions reads the packages and returns the definitions of their kinds with their
// positions in the source, checked as [generator.Run] checks them. There are none if a
// diagnostic is an error.
func Definitions(ctx context.Context, options generator.Options) ([]*crd.Definition, diag.List, error) {
	return define.Definitions(ctx, options.Internal())
}

// Channel is a named set of gates, with what is different in its definitions.
type Channel = define.Channel

// MadeChannel has the definitions of a channel, and the kinds that it lacks.
type MadeChannel = define.MadeChannel

// Made is a definition with its file.
type Made = define.Made

// MakeChannels generates the definitions of several channels, as [generator.Run] does for one.
// Diagnostics that not all channels share end in the names of those that have them. Several may
// have the same name. If there is only one, unverified is called with the diagnostics that are
// known before its definitions are verified, unless it is nil.
func MakeChannels(ctx context.Context, options generator.Options, channels []Channel, unverified func(diag.List)) ([]MadeChannel, diag.List, error) {
	return define.MakeChannels(ctx, options.Internal(), channels, unverified)
}

// DefinitionsWithUnions is like [Definitions], but the schemas also have, as
// x-kubernetes-unions, the unions that packages do not enable.
func DefinitionsWithUnions(ctx context.Context, options generator.Options) ([]*crd.Definition, diag.List, error) {
	in := options.Internal()
	in.Passes = in.Passes.With(gounions.Pass{All: true})
	return define.Definitions(ctx, in)
}

// Misspelled reports misspelled markers of the generators in options, for runs that do not
// generate definitions.
func Misspelled(ctx context.Context, options generator.Options) (diag.List, error) {
	return define.Misspelled(ctx, options.Internal())
}

// UnreadableHeader returns the diagnostic for a header file that cannot be read.
func UnreadableHeader(name string, err error) diag.Diagnostic {
	return report.UnreadableHeader(name, err)
}

// InvalidChannels returns a diagnostic about channels.
func InvalidChannels(pos diag.Position, hint, format string, args ...any) diag.Diagnostic {
	return report.InvalidChannels.At(pos, hint, format, args...)
}

// UnusedGate returns the diagnostic for a gate that no condition names. used are those that
// conditions name.
func UnusedGate(pos diag.Position, name string, used []string) diag.Diagnostic {
	hint := diag.DidYouMean(name, used, "remove it, or correct the conditions that should name it")
	return report.UnusedGate.At(pos, hint, "nothing uses gate %s", name)
}

// NeedlessGate returns the diagnostic for a gate that is on in all channels, or in none. named are
// the gates that the project file names.
func NeedlessGate(pos diag.Position, name string, everywhere bool, named []string) diag.Diagnostic {
	if everywhere {
		return report.NeedlessCondition.At(pos, "remove its conditions from the source", "gate %s is on in every channel", name)
	}
	hint := "add it to the gates of a channel"
	if !slices.Contains(named, name) {
		hint = diag.DidYouMean(name, named, hint)
	}
	return report.NeedlessCondition.At(pos, hint, "gate %s is on in no channel", name)
}

// UnknownGate returns the diagnostic for a gate that is not among the known ones.
func UnknownGate(pos diag.Position, name string, known []string) diag.Diagnostic {
	return report.UnknownGate.At(pos, diag.DidYouMean(name, known, "gates are declared in schemagen.yaml"), "unknown gate %q", name)
}

// Loaded are the packages of a run, which its generators share.
type Loaded = define.Loaded

// ModuleDir is the directory of a module.
type ModuleDir = golist.ModuleDir

// RequiredModules returns the directories of the modules that the module or workspace of a directory
// requires directly.
func RequiredModules(in *inputs.Reader, dir string) []ModuleDir { return golist.Required(in, dir) }

// Kinds are what rules and webhooks are compared with, and DeclaredKind is a struct that may be one.
type (
	Kinds        = configgen.Kinds
	DeclaredKind = configgen.Declared
)

// ConfigurationCodes returns the kinds of diagnostics about markers of rbac and webhook.
func ConfigurationCodes() []*diag.Kind { return configgen.Codes() }

// Load lists the packages that the options name, for [generator.Source.Loaded].
func Load(ctx context.Context, options generator.Options) (*Loaded, error) {
	return define.Load(ctx, options.Internal())
}

// LoadAgain is like [Load] for one of several runs, which reuse what they know of files that are
// the same. before is what the last one was loaded as, or nil. That run must have ended.
func LoadAgain(ctx context.Context, options generator.Options, before *Loaded) (*Loaded, error) {
	return define.LoadAgain(ctx, options.Internal(), before)
}

// Listing is the result of finding the packages of a run.
type Listing = define.Listing

// List finds the packages without reading their files. Diagnostics are about patterns and
// packages that cannot be found.
func List(ctx context.Context, options generator.Options) (Listing, diag.List, error) {
	return define.List(ctx, options.Internal())
}

// Output is a file that a generator wants to write.
type Output = source.Output

// Unsure is the error of a generator that leaves its run to controller-gen's own code.
type Unsure = source.Unsure
