package generator

import (
	"github.com/schemagen/schemagen/generator/internal/build"
	"github.com/schemagen/schemagen/generator/internal/edits"
	"github.com/schemagen/schemagen/generator/internal/golist"
)

// Options say what to generate. The zero value generates with controller-gen's defaults from
// the package in the working directory, and checks nothing.
type Options = build.Options

// What [Options] consist of.
type (
	// Source says what is read.
	Source = build.Source
	// Language says what the source may say.
	Language = build.Language
	// Output says what is written of definitions.
	Output = build.Output
	// PackageOptions are what differs for some of the user's packages from the options of
	// the run.
	PackageOptions = build.PackageOptions
	// OverrideFile sets markers of types elsewhere, from a file that is not Go.
	OverrideFile = build.OverrideFile
	// Override is one marker of an [OverrideFile].
	Override = build.Override
)

// Server is the API server of one version of Kubernetes, which has to accept what is
// generated. Type Verifier of package verify implements it with the server's own code.
type Server = build.Server

// Lister finds the packages of a run.
type Lister = build.Lister

// Package is what a [Lister] knows of a package.
type Package = build.Package

// IsFilePattern reports whether one of [Source.Patterns] names directories, not import
// paths: it is absolute, or begins with a dot.
func IsFilePattern(pattern string) bool { return golist.IsFilePattern(pattern) }

// CheckUnions says what is wrong with [Options.Unions].
func CheckUnions(text string) error { return build.CheckUnions(text) }

// CheckDescriptions says what is wrong with the value of an [Override] about
// descriptions.
func CheckDescriptions(text string) error {
	_, err := edits.ParseDescriptionPolicy(text)
	return err
}
