// Package batch reconciles the kinds of the group batch.
package batch

// +kubebuilder:rbac:groups=batch.example.com,resources=reports,verbs=get;list;watch
// +kubebuilder:rbac:urls=/metrics,verbs=get

// ReportReconciler reconciles a Report object.
type ReportReconciler struct{}
