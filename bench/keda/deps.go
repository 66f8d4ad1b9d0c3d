// Package keda records the requirements of this module: the API packages whose
// CRDs the harness in .. generates.
package keda

import (
	_ "github.com/kedacore/keda/v2/apis/keda/v1alpha1"
)
