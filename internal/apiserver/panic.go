package apiserver

import (
	"context"
	"errors"
	"fmt"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

// panicError is a panic of the server's code.
type panicError struct{ value any }

func (e panicError) Error() string { return fmt.Sprintf("the API server's code panicked: %v", e.value) }

// guard turns a panic of the server's code into an error.
func guard(f func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicError{p}
		}
	}()
	return f()
}

// answerWithoutPanics is like answer, but removes from the CRD what makes the server's code
// panic, with a finding each: paths of rules and of selectable fields that lead through
// additionalProperties without a schema or into a schema that cannot be converted, and
// rules below a node whose type has no children.
func (t *Target) answerWithoutPanics(ctx context.Context, r *request) (answer, []Finding, error) {
	out, err := t.answer(ctx, r)
	var panicked panicError
	if !errors.As(err, &panicked) {
		return out, nil, err
	}
	found := append(r.removePanicking(), r.removeUntyped(err)...)
	if len(found) == 0 {
		return out, nil, err
	}
	out, err = t.answer(ctx, r)
	return out, found, err
}

// removePanicking removes the paths on which the server's code panics.
func (r *request) removePanicking() []Finding {
	var found []Finding
	panics := func(location *field.Path, schema *apiextensions.JSONSchemaProps, jsonPath string,
		options ...cel.ValidFieldPathOption) bool {
		err := guard(func() error {
			// A schema that cannot be converted is nil here, as it is in the server.
			structural, _ := structuralschema.NewStructural(schema)
			_, _, _ = cel.ValidFieldPath(jsonPath, structural, options...)
			return nil
		})
		if err != nil {
			path := location.String()
			found = append(found, Finding{Source: Panic, Path: path, Paths: r.objectPaths(path), BadValue: jsonPath,
				Detail: fmt.Sprintf("the path %q makes the API server's code panic (%v): the request fails with an internal error", jsonPath, err.(panicError).value)})
		}
		return err != nil
	}
	selects := func(path *field.Path, fields []apiextensions.SelectableField,
		v *apiextensions.CustomResourceValidation) []apiextensions.SelectableField {
		for i, f := range fields {
			if v != nil && f.JSONPath != "" && panics(path.Index(i).Child("jsonPath"), v.OpenAPIV3Schema, f.JSONPath, cel.WithFieldPathAllowArrayNotation(false)) {
				fields = nil
			}
		}
		return fields
	}
	spec := field.NewPath("spec")
	r.crd.Spec.SelectableFields = selects(spec.Child("selectableFields"), r.crd.Spec.SelectableFields, r.crd.Spec.Validation)
	for i := range r.crd.Spec.Versions {
		v := &r.crd.Spec.Versions[i]
		v.SelectableFields = selects(spec.Child("versions").Index(i).Child("selectableFields"), v.SelectableFields, v.Schema)
	}
	bad := map[string]bool{}
	for _, s := range r.schemas {
		for _, n := range s.ruled {
			for i, rule := range n.schema.XValidations {
				if rule.FieldPath != "" && panics(n.rulesPath().Index(i).Child("fieldPath"), n.schema, rule.FieldPath) {
					bad[rule.FieldPath] = true
				}
			}
		}
	}
	if len(bad) > 0 {
		r.editAllRules(func(rule *apiextensions.ValidationRule) {
			if bad[rule.FieldPath] {
				rule.FieldPath = ""
			}
		})
		r.findRules()
	}
	return found
}

// removeUntyped removes, if the error is a panic, the rules of nodes for which computing
// the type panics.
func (r *request) removeUntyped(err error) []Finding {
	if panicked := (panicError{}); !errors.As(err, &panicked) {
		return nil
	}
	var found []Finding
	for _, s := range r.schemas {
		for _, n := range s.ruled {
			_, err := n.kind()
			if err == nil {
				continue
			}
			path := n.rulesPath().String()
			found = append(found, Finding{Source: Panic, Path: path, Paths: r.objectPaths(path), Detail: fmt.Sprintf(
				"rules below a node whose type has no children make the API server's code panic (%v): the request fails with an internal error", err.(panicError).value)})
			schema := *n.schema
			schema.XValidations = nil
			n.schema = &schema
		}
	}
	if len(found) > 0 {
		r.crd = r.with(func(n *node) apiextensions.ValidationRules { return n.schema.XValidations })
		r.findRules()
	}
	return found
}
