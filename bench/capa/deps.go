// Package capa records the requirements of this module: the API packages whose
// CRDs the harness in .. generates.
package capa

import (
	_ "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta1"
	_ "sigs.k8s.io/cluster-api-provider-aws/v2/api/v1beta2"
	_ "sigs.k8s.io/cluster-api-provider-aws/v2/bootstrap/eks/api/v1beta1"
	_ "sigs.k8s.io/cluster-api-provider-aws/v2/bootstrap/eks/api/v1beta2"
	_ "sigs.k8s.io/cluster-api-provider-aws/v2/controlplane/eks/api/v1beta1"
	_ "sigs.k8s.io/cluster-api-provider-aws/v2/controlplane/eks/api/v1beta2"
	_ "sigs.k8s.io/cluster-api-provider-aws/v2/controlplane/rosa/api/v1beta2"
	_ "sigs.k8s.io/cluster-api-provider-aws/v2/exp/api/v1beta1"
	_ "sigs.k8s.io/cluster-api-provider-aws/v2/exp/api/v1beta2"
	_ "sigs.k8s.io/cluster-api-provider-aws/v2/iam/api/v1beta1"
)
