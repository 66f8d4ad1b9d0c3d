// Package conversions serves the conversions of an API with several versions, which schemagen
// conversions writes, in a webhook of controller-runtime.
package conversions

import (
	"net/http"

	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"

	backupsv1 "github.com/schemagen/schemagen/examples/conversions/api/v1"
	backupsv1alpha1 "github.com/schemagen/schemagen/examples/conversions/api/v1alpha1"
	backupsv1beta1 "github.com/schemagen/schemagen/examples/conversions/api/v1beta1"
)

// AddToScheme registers all versions.
func AddToScheme(s *runtime.Scheme) error {
	for _, add := range []func(*runtime.Scheme) error{backupsv1.AddToScheme, backupsv1beta1.AddToScheme, backupsv1alpha1.AddToScheme} {
		if err := add(s); err != nil {
			return err
		}
	}
	return nil
}

// Setup registers the webhook with a manager, whose scheme has all versions: one handler
// converts all kinds, at the path in the definitions. With a manager that has other webhooks,
// ctrl.NewWebhookManagedBy(mgr, &backupsv1.Backup{}).Complete() does the same.
func Setup(mgr ctrl.Manager) {
	mgr.GetWebhookServer().Register("/convert", conversion.NewWebhookHandler(mgr.GetScheme(), mgr.GetConverterRegistry()))
}

// Handler returns the handler without a manager.
func Handler() (http.Handler, error) {
	scheme := runtime.NewScheme()
	if err := AddToScheme(scheme); err != nil {
		return nil, err
	}
	return conversion.NewWebhookHandler(scheme, conversion.NewRegistry()), nil
}
