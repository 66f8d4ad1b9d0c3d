// Package manager has markers of roles and webhooks.
package manager

// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get
// +kubebuilder:webhook:path=/validate,mutating=false,failurePolicy=fail,sideEffects=None,groups=apps,resources=deployments,verbs=create,versions=v1,name=deployments.example.com,admissionReviewVersions=v1
