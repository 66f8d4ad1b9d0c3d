// Package keda keeps the requirements of this module: the API packages whose
// CRDs the harness of ../ generates.
package keda

import (
	_ "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
)
