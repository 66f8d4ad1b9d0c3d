package apiserver

import (
	"context"
	"maps"
	"reflect"
	"slices"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/listtype"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
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
func FilledDefaults(ctx context.Context, schema *apiextensionsv1.JSONSchemaProps) ([]FilledDefault, error) {
	if !nestsDefaults(schema, false) {
		return nil, ctx.Err()
	}
	structural, err := structuralOf(schema)
	if err != nil {
		return nil, err
	}
	var out []FilledDefault
	fillDefaults(ctx, structural, nil, &out)
	return out, ctx.Err()
}

// nestsDefaults reports whether there is a default below another one, or any default if below
// is set. No other schema has defaults that [FilledDefaults] returns, and few schemas have
// them, so that most need not be converted.
func nestsDefaults(s *apiextensionsv1.JSONSchemaProps, below bool) bool {
	if s.Default != nil {
		if below {
			return true
		}
		below = true
	}
	for _, property := range s.Properties {
		if nestsDefaults(&property, below) {
			return true
		}
	}
	return s.Items != nil && s.Items.Schema != nil && nestsDefaults(s.Items.Schema, below) ||
		s.AdditionalProperties != nil && s.AdditionalProperties.Schema != nil && nestsDefaults(s.AdditionalProperties.Schema, below)
}

func fillDefaults(ctx context.Context, s *structuralschema.Structural, path *field.Path, out *[]FilledDefault) {
	if s.Default.Object != nil {
		filled := runtime.DeepCopyJSONValue(s.Default.Object)
		defaulting.Default(filled, s)
		if !reflect.DeepEqual(filled, s.Default.Object) {
			at := path.Child("default")
			errs := apiservervalidation.ValidateCustomResource(at, filled, apiservervalidation.NewSchemaValidatorFromOpenAPI(s.ToKubeOpenAPI()))
			errs = append(errs, listtype.ValidateListSetsAndMaps(at, s, asObject(filled))...)
			if validator := cel.NewValidator(s, false, celconfig.PerCallLimit); validator != nil && len(errs) == 0 {
				errs, _ = validator.Validate(ctx, at, s, filled, nil, celconfig.RuntimeCELCostBudget)
			}
			if len(errs) > 0 {
				*out = append(*out, FilledDefault{Path: at.String(), Value: filled, Errors: errs})
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
