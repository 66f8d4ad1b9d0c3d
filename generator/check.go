package generator

import (
	"fmt"
	"slices"
	"strings"

	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/define/edits"
	"github.com/schemagen/schemagen/internal/markers"
)

// check returns an error about the first option with a value that is not valid. Values that
// depend on the packages, such as kinds, are not checked here.
func (o Options) check() error {
	if err := o.internal().Source.Check(); err != nil {
		return err
	}
	if err := checkLanguage(o.Enable, o.Unions, o.MaxDescription); err != nil {
		return err
	}
	if o.OmitToolVersion && o.ToolVersion != "" {
		return fmt.Errorf("options OmitToolVersion and ToolVersion (%q) exclude each other", o.ToolVersion)
	}
	for i, p := range o.Packages {
		if p.Pattern == "" {
			return fmt.Errorf("option Packages[%d] has no Pattern", i)
		}
		if err := checkLanguage(p.Enable, p.Unions, p.MaxDescription); err != nil {
			return fmt.Errorf("option Packages[%d], for %s: %w", i, p.Pattern, err)
		}
	}
	for _, code := range o.Rules {
		if !slices.ContainsFunc(Rules(), func(k *diag.Kind) bool { return k.Code == code }) {
			return fmt.Errorf("option Rules: unknown rule %q: Rules returns the known ones", code)
		}
	}
	for _, name := range o.Generators {
		known := []string{"applyconfiguration", "crd", "object", "rbac", "schemapatch", "webhook"}
		if !slices.Contains(known, name) {
			return fmt.Errorf("option Generators: unknown generator %q: use %s", name, strings.Join(known, ", "))
		}
	}
	return o.Overrides.check()
}

// checkLanguage checks the options that a run and its packages have.
func checkLanguage(features []string, unions string, maxDescription *int) error {
	for _, feature := range features {
		if !markers.IsFeature(feature) {
			return fmt.Errorf("option Enable: unknown feature %q: use %s", feature, strings.Join(markers.Features(), ", "))
		}
	}
	if err := define.CheckUnions(unions); err != nil {
		return fmt.Errorf("option Unions: %w", err)
	}
	if maxDescription != nil && *maxDescription < 0 {
		return fmt.Errorf("option MaxDescription: %d is negative", *maxDescription)
	}
	return nil
}

// check is [Options.check] for overrides, which may be nil.
func (f *OverrideFile) check() error {
	if f == nil {
		return nil
	}
	for i, o := range f.Overrides {
		var err error
		switch o.Marker {
		case markers.TypeName:
		case markers.DescriptionsName:
			_, err = edits.ParseDescriptionPolicy(o.Value)
		default:
			err = fmt.Errorf("unknown marker %q: use %s or %s", o.Marker, markers.TypeName, markers.DescriptionsName)
		}
		for _, offset := range []int{o.ArgumentOffset, o.ValueOffset} {
			if offset < 0 || offset > len(f.Data) {
				err = fmt.Errorf("offset %d is not in the file", offset)
			}
		}
		switch {
		case err != nil:
			return fmt.Errorf("option Overrides[%d]: %w", i, err)
		case o.Argument == "":
			return fmt.Errorf("option Overrides[%d] has no Argument", i)
		}
	}
	return nil
}
