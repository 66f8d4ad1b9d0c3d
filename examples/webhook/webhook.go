// Package webhook normalizes and validates the unions of an API in an admission
// webhook, with the functions that schemagen unions writes. On Kubernetes 1.36 and
// later the policy that it writes does the same without a webhook.
package webhook

import (
	"context"
	"encoding/json"
	"fmt"

	admissionv1 "k8s.io/api/admission/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/util/validation/field"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/admission"

	canvasv1 "github.com/schemagen/schemagen/examples/webhook/api/v1"
)

// Setup registers the webhooks of Canvas with a manager.
func Setup(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr, &canvasv1.Canvas{}).
		WithDefaulter(Canvas{}).
		WithValidator(Canvas{}).
		Complete()
}

// Canvas is the webhooks of the kind.
type Canvas struct{}

// Default clears the members of unions whose discriminator has changed. The old
// object is not among the arguments of a defaulter: it is in the request.
func (Canvas) Default(ctx context.Context, canvas *canvasv1.Canvas) error {
	request, err := admission.RequestFromContext(ctx)
	if err != nil {
		return err
	}
	if request.Operation != admissionv1.Update {
		return nil // on create nothing is cleared: validation says what does not fit
	}
	var old canvasv1.Canvas
	if err := json.Unmarshal(request.OldObject.Raw, &old); err != nil {
		return fmt.Errorf("the old object: %w", err)
	}
	canvasv1.NormalizeCanvasUnions(&old, canvas)
	return nil
}

// ValidateCreate refuses members that are not selected or missing.
func (Canvas) ValidateCreate(_ context.Context, canvas *canvasv1.Canvas) (admission.Warnings, error) {
	return nil, invalid(canvas, canvasv1.ValidateCanvasUnions(nil, canvas, nil))
}

// ValidateUpdate does the same, and lets be what was wrong before.
func (Canvas) ValidateUpdate(_ context.Context, old, canvas *canvasv1.Canvas) (admission.Warnings, error) {
	return nil, invalid(canvas, canvasv1.ValidateCanvasUnions(old, canvas, nil))
}

// ValidateDelete has nothing to say.
func (Canvas) ValidateDelete(context.Context, *canvasv1.Canvas) (admission.Warnings, error) {
	return nil, nil
}

// invalid is the answer that an API server gives, with the path of each error.
func invalid(canvas *canvasv1.Canvas, errs field.ErrorList) error {
	if len(errs) == 0 {
		return nil
	}
	return apierrors.NewInvalid(canvasv1.GroupVersion.WithKind("Canvas").GroupKind(), canvas.Name, errs)
}
