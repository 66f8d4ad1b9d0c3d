// Package kueue records the requirements of this module: the API packages whose
// CRDs the harness in .. generates.
package kueue

import (
	_ "sigs.k8s.io/kueue/apis/config/v1beta1"
	_ "sigs.k8s.io/kueue/apis/config/v1beta2"
	_ "sigs.k8s.io/kueue/apis/kueue/v1alpha1"
	_ "sigs.k8s.io/kueue/apis/kueue/v1beta1"
	_ "sigs.k8s.io/kueue/apis/kueue/v1beta2"
	_ "sigs.k8s.io/kueue/apis/visibility/openapi"
	_ "sigs.k8s.io/kueue/apis/visibility/v1beta1"
	_ "sigs.k8s.io/kueue/apis/visibility/v1beta2"
)
