package apiserver

import (
	"cmp"
	"context"
	"maps"
	"reflect"
	"slices"

	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"

	"github.com/schemagen/schemagen/structural"
)

// FilledDefault is a default that is valid as written but invalid once nested defaults are
// applied.
type FilledDefault struct {
	// Path is the path of the default in the schema, for example "properties[a].default".
	Path string
	// Value is the default with nested defaults applied.
	Value any
	// Errors are the server's errors about Value.
	Errors field.ErrorList
}

// FilledDefaults returns the defaults of a schema that the server accepts but that become
// invalid when nested defaults are applied. The server validates a default before it
// applies those nested in it (defaulting.ValidateDefaults), and an object after
// (defaulting.Default), so every object that omits the field is rejected.
func FilledDefaults(ctx context.Context, schema *structural.Schema) ([]FilledDefault, error) {
	var out []FilledDefault
	err := findFilled(ctx, schema, nil, &out)
	return out, cmp.Or(err, ctx.Err())
}

// findFilled converts only schemas with defaults that nested ones may change: there are few of
// them.
func findFilled(ctx context.Context, s *structural.Schema, path *field.Path, out *[]FilledDefault) error {
	if s.Default != nil && nestsDefaults(s) {
		server, err := structuralOf(s.Props())
		if err == nil {
			fillDefaults(ctx, server, path, out)
		}
		return err
	}
	if s.Items != nil {
		if err := findFilled(ctx, s.Items, path.Child("items"), out); err != nil {
			return err
		}
	}
	for _, p := range s.Properties {
		if err := findFilled(ctx, p.Schema, path.Child("properties").Key(p.Name), out); err != nil {
			return err
		}
	}
	return nil
}

// nestsDefaults reports whether there is a default below the node.
func nestsDefaults(s *structural.Schema) bool {
	child := func(s *structural.Schema) bool { return s != nil && (s.Default != nil || nestsDefaults(s)) }
	return child(s.Items) || s.AdditionalProperties != nil && child(s.AdditionalProperties.Schema) ||
		slices.ContainsFunc(s.Properties, func(p structural.Property) bool { return child(p.Schema) })
}

func fillDefaults(ctx context.Context, s *structuralschema.Structural, path *field.Path, out *[]FilledDefault) {
	if s.Default.Object != nil {
		filled := runtime.DeepCopyJSONValue(s.Default.Object)
		defaulting.Default(filled, s)
		if !reflect.DeepEqual(filled, s.Default.Object) {
			location := path.Child("default")
			errs := apiservervalidation.ValidateCustomResource(location, filled,
				apiservervalidation.NewSchemaValidatorFromOpenAPI(s.ToKubeOpenAPI()))
			errs = append(errs, listtype.ValidateListSetsAndMaps(location, s, asObject(filled))...)
			if validator := cel.NewValidator(s, false, celconfig.PerCallLimit); validator != nil && len(errs) == 0 {
				errs, _ = validator.Validate(ctx, location, s, filled, nil, celconfig.RuntimeCELCostBudget)
			}
			if len(errs) > 0 {
				*out = append(*out, FilledDefault{Path: location.String(), Value: filled, Errors: errs})
			}
		}
	}
	if s.Items != nil {
		fillDefaults(ctx, s.Items, path.Child("items"), out)
	}
	for _, name := range slices.Sorted(maps.Keys(s.Properties)) {
		property := s.Properties[name]
		fillDefaults(ctx, &property, path.Child("properties").Key(name), out)
	}
}

func asObject(value any) map[string]any {
	object, _ := value.(map[string]any)
	return object
}
