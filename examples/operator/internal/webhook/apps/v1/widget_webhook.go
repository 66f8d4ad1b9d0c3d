// Package v1 is the admission webhooks of the group apps, version v1.
package v1

import (
	"context"
	"errors"

	"k8s.io/apimachinery/pkg/util/intstr"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	appsv1 "github.com/schemagen/schemagen/examples/operator/api/apps/v1"
)

// SetupWidgetWebhookWithManager registers the webhook for Widget in the manager.
func SetupWidgetWebhookWithManager(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr, &appsv1.Widget{}).WithDefaulter(&WidgetCustomDefaulter{}).WithValidator(&WidgetCustomValidator{}).Complete()
}

// +kubebuilder:webhook:path=/mutate-apps-example-com-v1-widget,mutating=true,failurePolicy=fail,sideEffects=None,groups=apps.example.com,resources=widgets,verbs=create;update,versions=v1,name=mwidget-v1.kb.io,admissionReviewVersions=v1
// +kubebuilder:webhook:path=/validate-apps-example-com-v1-widget,mutating=false,failurePolicy=fail,sideEffects=None,groups=apps.example.com,resources=widgets,verbs=create;update,versions=v1,name=vwidget-v1.kb.io,admissionReviewVersions=v1

// WidgetCustomDefaulter sets defaults of the Widget resource.
type WidgetCustomDefaulter struct{}

// Default lets one part in four be new at a time.
func (d *WidgetCustomDefaulter) Default(_ context.Context, widget *appsv1.Widget) error {
	if widget.Spec.MaxSurge == nil {
		widget.Spec.MaxSurge = new(intstr.FromString("25%"))
	}
	return nil
}

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
