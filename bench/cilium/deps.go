// Package cilium records the requirements of this module: the API packages whose
// CRDs the harness in .. generates.
package cilium

import (
	_ "github.com/cilium/cilium/pkg/k8s/apis/cilium.io/v2"
)
