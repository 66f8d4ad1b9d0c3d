// Package envoy records the requirements of this module: the API packages whose
// CRDs the harness in .. generates.
package envoy

import (
	_ "github.com/envoyproxy/gateway/api/v1alpha1"
	_ "github.com/envoyproxy/gateway/api/v1alpha1/validation"
)
