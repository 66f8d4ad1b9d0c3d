// Package webhooks has more webhooks.
package webhooks

// +kubebuilder:webhook:path=/mutate-0,mutating=true,failurePolicy=ignore,sideEffects=None,groups=apps,resources=deployments,verbs=create,versions=v1,name=0.example.com,admissionReviewVersions=v1
// +kubebuilder:webhook:path=/validate-0,mutating=false,failurePolicy=ignore,sideEffects=None,groups=core,resources=pods,verbs=create,versions=v1,name=v0.example.com,admissionReviewVersions=v1,timeoutSeconds=5
