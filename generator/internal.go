package generator

import "github.com/schemagen/schemagen/generator/internal/build"

// Internal returns the options in the form used by the packages below generator.
func (o Options) Internal() build.Options {
	return build.Options{
		Source: build.Source{
			Dir: o.Dir, Patterns: o.Patterns, Tags: o.Tags, GoCommand: o.GoCommand,
			Overlay: o.Overlay, ReadFile: o.ReadFile, Inputs: o.Inputs, Loaded: o.Loaded,
		},
		Language: build.Language{
			Enable: o.Enable, Unions: o.Unions, Allow: o.Allow,
			AllowDangerousTypes: o.AllowDangerousTypes, IgnoreUnexportedFields: o.IgnoreUnexportedFields,
			Packages:  converted(o.Packages, func(p PackageOptions) build.PackageOptions { return build.PackageOptions(p) }),
			Overrides: o.Overrides.internal(), Generators: o.Generators, Gates: o.Gates, KnownGates: o.KnownGates, MergeOverlay: o.MergeOverlay, Rules: o.Rules,
		},
		Output: build.Output(o.Output),
		Server: o.Server, SkipVerify: o.SkipVerify, Final: o.Final,
	}
}

func (f *OverrideFile) internal() *build.OverrideFile {
	if f == nil {
		return nil
	}
	overrides := converted(f.Overrides, func(o Override) build.Override { return build.Override(o) })
	return &build.OverrideFile{Name: f.Name, Data: f.Data, Overrides: overrides, ReportUnused: f.ReportUnused}
}

// converted returns the results of convert for each element; nil if there are none.
func converted[A, B any](list []A, convert func(A) B) (out []B) {
	for _, element := range list {
		out = append(out, convert(element))
	}
	return out
}
