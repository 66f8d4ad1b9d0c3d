package apiserver

import (
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsvalidation "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	apiservervalidation "k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// warnings returns the server's warnings. For an update it only warns about what was added.
// The server returns each text once; here there is one finding per node.
func (t *Target) warnings(r *request) []Finding {
	var out []Finding
	old := t.oldWarnings(r.old)
	add := func(version int, at nodePath, text string) {
		if slices.Contains(old, text) {
			return
		}
		path := at.fieldPath(r.schemaPath(version))
		out = append(out, Finding{Source: Validation, Warning: true, Path: path, Paths: r.objectPaths(path), Detail: text})
	}
	for i, s := range r.surveys {
		for _, f := range s.formats {
			add(i, f.at, formatWarning(f.format))
		}
		if t.Before(setWarningMinor) {
			continue
		}
		for _, set := range s.sets {
			add(i, set.at, setWarning(set.kind))
		}
	}
	return out
}

// schemaPath returns the server's path of the schema of a version.
func (r *request) schemaPath(version int) string {
	if r.crd.Spec.Validation != nil {
		return "spec.validation.openAPIV3Schema"
	}
	return fmt.Sprintf("spec.versions[%d].schema.openAPIV3Schema", version)
}

func formatWarning(format string) string { return fmt.Sprintf("unrecognized format %q", format) }

func setWarning(kind string) string {
	return fmt.Sprintf("x-kubernetes-list-type: set for items of type %q is not supported by server-side apply or CEL validation rules", kind)
}

// oldWarnings returns the texts of warnings about the old object.
func (t *Target) oldWarnings(old *apiextensions.CustomResourceDefinition) []string {
	var out []string
	if old == nil {
		return nil
	}
	apiextensionsvalidation.HasSchemaWith(&old.Spec, func(s *apiextensions.JSONSchemaProps) bool {
		return apiextensionsvalidation.SchemaHas(s, func(s *apiextensions.JSONSchemaProps) bool {
			if s.Format != "" && !t.knowsFormat(s.Type, s.Format) {
				out = append(out, formatWarning(s.Format))
			}
			if s.XListType != nil && *s.XListType == "set" && s.Items != nil && s.Items.Schema != nil {
				out = append(out, setWarning(s.Items.Schema.Type))
			}
			return false
		})
	})
	slices.Sort(out)
	return slices.Compact(out)
}

// knowsFormat reports whether the target does not warn about a format on values of a type.
func (t *Target) knowsFormat(kind, format string) bool {
	switch {
	case t.Before(formatWarningMinor):
		return true
	case t.Before(typedFormatWarningMinor) && kind != "string":
		return true
	}
	schema := &spec.Schema{SchemaProps: spec.SchemaProps{Format: format, Type: []string{kind}}}
	return len(apiservervalidation.GetUnrecognizedFormats(schema, t.compatibility)) == 0
}
