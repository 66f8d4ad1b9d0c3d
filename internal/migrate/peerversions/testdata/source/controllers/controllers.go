// Package controllers has markers of roles.
package controllers

// +kubebuilder:rbac:groups=apps,resources=deployments,verbs=get;list;watch
// +kubebuilder:rbac:groups=apps,resources=statefulsets,verbs=get;list;watch
// +kubebuilder:rbac:groups=core,resources=pods,verbs=get
// +kubebuilder:rbac:groups="",resources=services;pods,verbs=list
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get
// +kubebuilder:rbac:groups=extensions,resources=jobs,verbs=get
// +kubebuilder:rbac:groups=batch,resources=jobs,verbs=get;*
// +kubebuilder:rbac:groups=z.example.com;a.example.com,resources=b;a,verbs=update;get
// +kubebuilder:rbac:groups=a.example.com,resources=c,resourceNames=x;y,verbs=get
// +kubebuilder:rbac:urls=/metrics,verbs=get
// +kubebuilder:rbac:urls=/healthz,verbs=get
// +kubebuilder:rbac:groups=apps,namespace=system,resources=deployments,verbs=update
// +kubebuilder:rbac:groups=apps,namespace=system,resources=daemonsets,verbs=update

// +kubebuilder:webhook:path=/mutate-b,mutating=true,failurePolicy=fail,sideEffects=None,groups=apps,resources=deployments,verbs=create,versions=v1,name=b.example.com,admissionReviewVersions=v1
// +kubebuilder:webhook:path=/mutate-a,mutating=true,failurePolicy=fail,sideEffects=None,groups=apps,resources=deployments,verbs=create,versions=v1,name=a.example.com,admissionReviewVersions=v1
// +kubebuilder:webhook:path=/validate-b,mutating=false,failurePolicy=fail,sideEffects=None,groups=apps,resources=deployments,verbs=create;update,versions=v1,name=vb.example.com,admissionReviewVersions=v1
