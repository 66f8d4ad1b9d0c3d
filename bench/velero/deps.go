// Package velero records the requirements of this module: the API packages whose
// CRDs the harness in .. generates.
package velero

import (
	_ "github.com/vmware-tanzu/velero/pkg/apis/velero/v1"
)
