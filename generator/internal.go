package generator

import (
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/passes"
)

// internal returns the options of a run with all passes.
func (o Options) internal() define.Options {
	return define.Options{
		Source: define.Source{
			Dir: o.Dir, Patterns: o.Patterns, Tags: o.Tags, GoCommand: o.GoCommand,
			Overlay: o.Overlay, ReadFile: o.ReadFile,
		},
		Language: define.Language{
			Enable: o.Enable, Unions: o.Unions, Allow: o.Allow,
			AllowDangerousTypes: o.AllowDangerousTypes, IgnoreUnexportedFields: o.IgnoreUnexportedFields,
			Packages:  converted(o.Packages, func(p PackageOptions) define.PackageOptions { return define.PackageOptions(p) }),
			Overrides: o.Overrides.internal(), Generators: o.Generators, Gates: o.Gates, KnownGates: o.KnownGates, MergeOverlay: o.MergeOverlay, Rules: o.Rules,
		},
		Output: define.Output(o.Output),
		Passes: passes.All(), Server: o.Server, SkipVerify: o.SkipVerify, Final: o.Final,
	}
}

func (f *OverrideFile) internal() *define.OverrideFile {
	if f == nil {
		return nil
	}
	overrides := converted(f.Overrides, func(o Override) define.Override { return define.Override(o) })
	return &define.OverrideFile{Name: f.Name, Data: f.Data, Overrides: overrides, ReportUnused: f.ReportUnused}
}

// converted returns the results of convert for each element; nil if there are none.
func converted[A, B any](list []A, convert func(A) B) (out []B) {
	for _, element := range list {
		out = append(out, convert(element))
	}
	return out
}
