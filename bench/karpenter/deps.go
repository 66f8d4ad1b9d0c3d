// Package karpenter records the requirements of this module: the API packages whose
// CRDs the harness in .. generates.
package karpenter

import (
	_ "sigs.k8s.io/karpenter/pkg/apis/v1"
)
