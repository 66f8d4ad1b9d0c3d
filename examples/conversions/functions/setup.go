// Package functions registers conversions that were generated with conversions.style: functions.
package functions

import (
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/webhook/conversion"

	shopv1 "github.com/schemagen/schemagen/examples/conversions/functions/v1"
	shopv1beta1 "github.com/schemagen/schemagen/examples/conversions/functions/v1beta1"
)

var converter = conversion.NewHubSpokeConverter(&shopv1.Order{},
	conversion.NewSpokeConverter(&shopv1beta1.Order{}, shopv1beta1.ConvertOrderFromHub, shopv1beta1.ConvertOrderToHub))

// Setup registers the webhook with a manager, whose scheme has all versions.
func Setup(mgr ctrl.Manager) error {
	return ctrl.NewWebhookManagedBy(mgr, &shopv1.Order{}).WithConverter(converter).Complete()
}
