package apiserver

import (
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// NewValueCheck returns a function that reports whether a schema accepts a value, without rules,
// as the server validates custom resources.
func NewValueCheck(schema *apiextensionsv1.JSONSchemaProps) (func(value any) bool, error) {
	var props apiextensions.JSONSchemaProps
	if err := apiextensionsv1.Convert_v1_JSONSchemaProps_To_apiextensions_JSONSchemaProps(schema, &props, nil); err != nil {
		return nil, err
	}
	validator, _, err := apiservervalidation.NewSchemaValidator(&props)
	if err != nil {
		return nil, err
	}
	return func(value any) bool {
		accepted := false
		err := guard(func() error {
			accepted = len(apiservervalidation.ValidateCustomResource(nil, value, validator)) == 0
			return nil
		})
		return accepted && err == nil
	}, nil
}

// IgnoresFormat reports whether the target does not validate a format of values of a type, because
// it does not know it. The type is empty in logical junctors and for int-or-string.
func (t *Target) IgnoresFormat(kind, format string) bool {
	s := &spec.Schema{SchemaProps: spec.SchemaProps{Format: format}}
	if kind != "" {
		s.Type = []string{kind}
	}
	strip := apiservervalidation.StripUnsupportedFormatsPostProcessorForVersion(t.compatibility)
	return strip(s) != nil || s.Format == ""
}
