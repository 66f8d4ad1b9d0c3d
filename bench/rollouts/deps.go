// Package rollouts keeps the requirements of this module: the API packages whose
// CRDs the harness of ../ generates.
package rollouts

import (
	_ "github.com/argoproj/argo-rollouts/pkg/apis/rollouts/v1alpha1"
)
