// Package mcs records the requirements of this module: the API packages whose
// command lines the harness in .. runs.
package mcs

import (
	_ "sigs.k8s.io/mcs-api/pkg/apis/v1alpha1"
	_ "sigs.k8s.io/mcs-api/pkg/apis/v1beta1"
)
