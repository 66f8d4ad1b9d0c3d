// Package envoy keeps the requirements of this module: the API packages whose
// CRDs the harness of ../ generates.
package envoy

import (
	_ "github.com/envoyproxy/gateway/api/v1alpha1"
	_ "github.com/envoyproxy/gateway/api/v1alpha1/validation"
)
