// Package externaldns records the requirements of this module: the API packages whose
// CRDs the harness in .. generates.
package externaldns

import (
	_ "sigs.k8s.io/external-dns/apis/v1alpha1"
)
