// Package cilium keeps the requirements of this module: the API packages whose
// CRDs the harness of ../ generates.
package cilium

import (
	_ "github.com/cilium/cilium/pkg/k8s/apis/cilium.io/v2"
)
