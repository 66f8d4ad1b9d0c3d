package apiserver

import (
	"errors"
	"strings"

	"github.com/google/cel-go/cel"
	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	metav1validation "k8s.io/apimachinery/pkg/apis/meta/v1/validation"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/apimachinery/pkg/util/validation"
	"k8s.io/apimachinery/pkg/util/validation/field"
	plugincel "k8s.io/apiserver/pkg/admission/plugin/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// maxMatchConditions is the maximum number of match conditions of a webhook.
const maxMatchConditions = 64

// CheckWebhook returns the server's errors about the selectors and match conditions of a webhook,
// with paths in the webhook.
func (t *Target) CheckWebhook(hook *admissionregistrationv1.ValidatingWebhook) field.ErrorList {
	if hook == nil {
		return nil
	}
	errs := checkSelector(hook.NamespaceSelector, field.NewPath("namespaceSelector"))
	errs = append(errs, checkSelector(hook.ObjectSelector, field.NewPath("objectSelector"))...)
	return append(errs, t.checkMatchConditions(hook.MatchConditions, field.NewPath("matchConditions"))...)
}

func checkSelector(selector *metav1.LabelSelector, path *field.Path) field.ErrorList {
	if selector == nil {
		return nil
	}
	return metav1validation.ValidateLabelSelector(selector, metav1validation.LabelSelectorValidationOptions{}, path)
}

// checkMatchConditions does what validateMatchConditions of kube-apiserver does, which is not in a
// library (pkg/apis/admissionregistration/validation).
func (t *Target) checkMatchConditions(conditions []admissionregistrationv1.MatchCondition,
	path *field.Path) (errs field.ErrorList) {
	if len(conditions) > maxMatchConditions {
		errs = append(errs, field.TooMany(path, len(conditions), maxMatchConditions))
	}
	names := sets.New[string]()
	for i, c := range conditions {
		location := path.Index(i)
		if strings.TrimSpace(c.Expression) == "" {
			errs = append(errs, field.Required(location.Child("expression"), ""))
		} else if err := t.compileMatchCondition(c.Expression); err != nil {
			errs = append(errs, field.Invalid(location.Child("expression"), c.Expression, err.Error()))
		}
		if c.Name == "" {
			errs = append(errs, field.Required(location.Child("name"), ""))
			continue
		}
		for _, problem := range validation.IsQualifiedName(c.Name) {
			errs = append(errs, field.Invalid(location.Child("name"), c.Name, problem))
		}
		if names.Has(c.Name) {
			errs = append(errs, field.Duplicate(location.Child("name"), c.Name))
		}
		names.Insert(c.Name)
	}
	return errs
}

// compileMatchCondition returns the error of the server's compiler.
func (t *Target) compileMatchCondition(expression string) error {
	return guard(func() error {
		result := t.conditions().CompileCELExpression(matchCondition(expression),
			plugincel.OptionalVariableDeclarations{HasAuthorizer: true}, environment.NewExpressions)
		if result.Error == nil {
			return nil
		}
		return errors.New(result.Error.Detail)
	})
}

// matchCondition is the expression of a match condition. The server's type for it is in a package
// whose initialization takes a fiftieth of the start of the command.
type matchCondition string

func (c matchCondition) GetExpression() string { return string(c) }

func (matchCondition) ReturnTypes() []*cel.Type { return []*cel.Type{cel.BoolType} }
