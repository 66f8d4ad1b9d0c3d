// Package velero keeps the requirements of this module: the API packages whose
// CRDs the harness of ../ generates.
package velero

import (
	_ "github.com/vmware-tanzu/velero/pkg/apis/velero/v1"
)
