// Package rollouts records the requirements of this module: the API packages whose
// CRDs the harness in .. generates.
package rollouts

import (
	_ "github.com/argoproj/argo-rollouts/pkg/apis/rollouts/v1alpha1"
)
