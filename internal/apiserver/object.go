package apiserver

import (
	"errors"
	"fmt"
	"slices"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/client-go/util/jsonpath"
)

// request is a CRD in the process of being validated.
type request struct {
	target *Target
	given  *apiextensionsv1.CustomResourceDefinition
	// crd and old have the internal version, are defaulted and prepared as the registry
	// does before validation. old is nil for a create.
	crd, old *apiextensions.CustomResourceDefinition
	surveys  []survey
	// keepsOptional is set if the old object uses optionalOldSelf, which is then kept.
	keepsOptional bool
	// schemas are the schemas with rules.
	schemas []*ruleSchema
}

// newRequest returns the request to create a CRD, or to update the old one. If the server
// could not decode the CRD, it returns the only finding.
func (t *Target) newRequest(given, old *apiextensionsv1.CustomResourceDefinition) (*request, *Finding, error) {
	if given == nil {
		return nil, nil, errors.New("no CustomResourceDefinition")
	}
	surveys, rejection := surveyCRD(given, t.knowsFormat)
	if rejection != nil {
		return nil, rejection, nil
	}
	r := &request{target: t, given: given, surveys: surveys}
	var err error
	r.crd, err = internal(given)
	if err != nil {
		return nil, nil, err
	}
	if old == nil {
		t.prepareCreate(r)
	} else {
		oldSurveys, rejection := surveyCRD(old, t.knowsFormat)
		if rejection != nil {
			return nil, nil, fmt.Errorf("the old CustomResourceDefinition: %s", rejection)
		}
		r.old, err = internal(old)
		if err != nil {
			return nil, nil, fmt.Errorf("the old CustomResourceDefinition: %w", err)
		}
		t.prepareUpdate(r, oldSurveys)
	}
	r.findRules()
	return r, nil, nil
}

// internal defaults a CRD and converts it to the internal version. The result shares memory
// with the given CRD that is not written to.
func internal(given *apiextensionsv1.CustomResourceDefinition) (*apiextensions.CustomResourceDefinition, error) {
	defaulted := *given
	defaulted.ObjectMeta = *given.ObjectMeta.DeepCopy()
	defaulted.Status = *given.Status.DeepCopy()
	defaulted.Spec.Conversion = given.Spec.Conversion.DeepCopy()
	out := &apiextensions.CustomResourceDefinition{}
	err := guard(func() error {
		apiextensionsv1.SetObjectDefaults_CustomResourceDefinition(&defaulted)
		return apiextensionsv1.Convert_v1_CustomResourceDefinition_To_apiextensions_CustomResourceDefinition(&defaulted, out, nil)
	})
	return out, err
}

// prepareCreate does what the server does with a new object of a cluster-scoped kind, and
// what the registry of CRDs adds.
func (t *Target) prepareCreate(r *request) {
	meta := &r.crd.ObjectMeta
	meta.Namespace = ""
	meta.DeletionTimestamp = nil
	meta.DeletionGracePeriodSeconds = nil
	meta.ManagedFields = nil
	meta.Generation = 1
	r.crd.Status = apiextensions.CustomResourceDefinitionStatus{}
	addStoredVersion(r.crd)
	t.dropFields(r, nil)
}

// prepareUpdate does the same for an update. As with kubectl apply, fields that only the
// server writes are taken from the old object. An old object without conditions comes from
// a file and counts as established.
func (t *Target) prepareUpdate(r *request, oldSurveys []survey) {
	old := &r.old.ObjectMeta
	meta := &r.crd.ObjectMeta
	if len(r.old.Status.Conditions) == 0 {
		r.old.Status.AcceptedNames = r.old.Spec.Names
		r.old.Status.Conditions = []apiextensions.CustomResourceDefinitionCondition{
			{Type: apiextensions.NamesAccepted, Status: apiextensions.ConditionTrue},
			{Type: apiextensions.Established, Status: apiextensions.ConditionTrue},
		}
	}
	if old.ResourceVersion == "" {
		old.ResourceVersion = "1"
	}
	if meta.ResourceVersion == "" {
		meta.ResourceVersion = old.ResourceVersion
	}
	if meta.UID == "" {
		meta.UID = old.UID
	}
	old.Namespace = ""
	meta.Namespace = ""
	old.ManagedFields = nil
	meta.ManagedFields = nil
	meta.CreationTimestamp = old.CreationTimestamp
	meta.DeletionTimestamp = old.DeletionTimestamp
	meta.DeletionGracePeriodSeconds = old.DeletionGracePeriodSeconds
	// The server increments the generation only if the spec differs; validation requires at
	// least that.
	meta.Generation = old.Generation + 1
	r.crd.Status = *r.old.Status.DeepCopy()
	addStoredVersion(r.crd)
	t.dropFields(r, oldSurveys)
}

// addStoredVersion adds the storage version to status.storedVersions.
func addStoredVersion(crd *apiextensions.CustomResourceDefinition) {
	for _, v := range crd.Spec.Versions {
		if v.Storage {
			if !apiextensions.IsStoredVersion(crd, v.Name) {
				crd.Status.StoredVersions = append(crd.Status.StoredVersions, v.Name)
			}
			return
		}
	}
}

// dropFields drops fields that the target does not know or has not enabled, unless they are
// in use already.
func (t *Target) dropFields(r *request, old []survey) {
	r.keepsOptional = slices.ContainsFunc(old, func(s survey) bool { return s.optionalOldSelf })
	edit := func(rule *apiextensions.ValidationRule) {
		if t.Before(messageExpressionMinor) {
			rule.MessageExpression = ""
		}
		if t.Before(reasonMinor) {
			rule.Reason = nil
			rule.FieldPath = ""
		}
		if t.Before(optionalOldSelfMinor) && !r.keepsOptional {
			rule.OptionalOldSelf = nil
		}
	}
	if t.Before(optionalOldSelfMinor) {
		r.editAllRules(edit)
	}
	if t.Before(selectableFieldsMinor) && !selects(r.old) {
		r.crd.Spec.SelectableFields = nil
		for i := range r.crd.Spec.Versions {
			r.crd.Spec.Versions[i].SelectableFields = nil
		}
	}
}

func selects(crd *apiextensions.CustomResourceDefinition) bool {
	return crd != nil && (crd.Spec.SelectableFields != nil ||
		slices.ContainsFunc(crd.Spec.Versions, func(v apiextensions.CustomResourceDefinitionVersion) bool {
			return v.SelectableFields != nil
		}))
}

// editAllRules edits all rules of the new CRD.
func (r *request) editAllRules(edit func(*apiextensions.ValidationRule)) {
	if v := r.crd.Spec.Validation; v != nil {
		editRules(v.OpenAPIV3Schema, edit)
	}
	for _, v := range r.crd.Spec.Versions {
		if v.Schema != nil {
			editRules(v.Schema.OpenAPIV3Schema, edit)
		}
	}
}

// editRules edits all rules that the server compiles. The lists of rules are shared with
// the given object, so each is copied.
func editRules(s *apiextensions.JSONSchemaProps, edit func(*apiextensions.ValidationRule)) {
	if s == nil {
		return
	}
	s.XValidations = slices.Clone(s.XValidations)
	for i := range s.XValidations {
		edit(&s.XValidations[i])
	}
	for name, child := range s.Properties {
		editRules(&child, edit)
		s.Properties[name] = child
	}
	if s.Items != nil {
		editRules(s.Items.Schema, edit)
		for i := range s.Items.JSONSchemas {
			editRules(&s.Items.JSONSchemas[i], edit)
		}
	}
	if s.AdditionalProperties != nil {
		editRules(s.AdditionalProperties.Schema, edit)
	}
}

// findRules builds the trees of the schemas with rules. In the internal version, a schema
// shared by all versions is at the top level.
func (r *request) findRules() {
	r.schemas = nil
	spec := field.NewPath("spec")
	if v := r.crd.Spec.Validation; v != nil {
		if v.OpenAPIV3Schema != nil && len(r.surveys) > 0 && len(r.surveys[0].rules) > 0 {
			s := newRuleSchema(v.OpenAPIV3Schema, spec.Child("validation", "openAPIV3Schema"), r.surveys[0].rules, r.target)
			s.version = r.crd.Spec.Version
			for i := range r.crd.Spec.Versions {
				s.versions = append(s.versions, i)
			}
			r.schemas = append(r.schemas, s)
		}
		return
	}
	for i, v := range r.crd.Spec.Versions {
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil || len(r.surveys[i].rules) == 0 {
			continue
		}
		s := newRuleSchema(v.Schema.OpenAPIV3Schema, spec.Child("versions").Index(i).Child("schema", "openAPIV3Schema"), r.surveys[i].rules, r.target)
		s.version = v.Name
		s.versions = []int{i}
		r.schemas = append(r.schemas, s)
	}
}

// with returns the CRD with different rules.
func (r *request) with(rules func(*node) apiextensions.ValidationRules) *apiextensions.CustomResourceDefinition {
	if len(r.schemas) == 0 {
		return r.crd
	}
	out := *r.crd
	out.Spec.Versions = slices.Clone(out.Spec.Versions)
	for _, s := range r.schemas {
		schema := &apiextensions.CustomResourceValidation{OpenAPIV3Schema: s.root.with(rules)}
		if out.Spec.Validation != nil {
			out.Spec.Validation = schema
			continue
		}
		out.Spec.Versions[s.versions[0]].Schema = schema
	}
	return &out
}

// maxColumnPath is the maximum length of a column's JSONPath that is parsed: the parser
// recurses for each step.
const maxColumnPath = 1 << 16

// ColumnError parses the JSONPath of a printer column as the server does when it starts to
// serve the resource, which no earlier validation does. It returns nil if the server
// accepts the path.
func ColumnError(path string) error {
	if len(path) > maxColumnPath {
		return nil
	}
	return jsonpath.New("column").Parse("{" + path + "}")
}
