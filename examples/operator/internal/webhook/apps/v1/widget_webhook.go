// Package v1 is the admission webhooks of the group apps, version v1.
package v1

import (
	"context"
	"errors"

	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	appsv1 "github.com/schemagen/schemagen/examples/operator/api/apps/v1"
)

// SetupWidgetWebhookWithManager registers the webhook for Widget in the manager.
func SetupWidgetWebhookWithManager(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr, &appsv1.Widget{}).WithValidator(&WidgetCustomValidator{}).Complete()
}

// +kubebuilder:webhook:path=/mutate-apps-example-com-v1-widget,mutating=true,failurePolicy=fail,sideEffects=None,groups=apps.example.com,resources=widgets,verbs=create;update,versions=v1,name=mwidget-v1.kb.io,admissionReviewVersions=v1
// +kubebuilder:webhook:path=/validate-apps-example-com-v1-widget,mutating=false,failurePolicy=fail,sideEffects=None,groups=apps.example.com,resources=widgets,verbs=create;update,versions=v1,name=vwidget-v1.kb.io,admissionReviewVersions=v1

// WidgetCustomValidator validates the Widget resource.
type WidgetCustomValidator struct{}

// ValidateCreate refuses widgets without a selector.
func (v *WidgetCustomValidator) ValidateCreate(_ context.Context, widget *appsv1.Widget) (admission.Warnings, error) {
	if len(widget.Spec.Selector.MatchLabels)+len(widget.Spec.Selector.MatchExpressions) == 0 {
		return nil, errors.New("spec.selector selects everything")
	}
	return nil, nil
}

// ValidateUpdate does the same.
func (v *WidgetCustomValidator) ValidateUpdate(ctx context.Context, _, widget *appsv1.Widget) (admission.Warnings, error) {
	return v.ValidateCreate(ctx, widget)
}

// ValidateDelete has nothing to say.
func (v *WidgetCustomValidator) ValidateDelete(context.Context, *appsv1.Widget) (admission.Warnings, error) {
	return nil, nil
}
