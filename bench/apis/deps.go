// Package apis records the requirements of this module: the API packages whose
// CRDs the harness in .. generates.
package apis

import (
	_ "github.com/cert-manager/cert-manager/pkg/apis/acme/v1"
	_ "github.com/cert-manager/cert-manager/pkg/apis/certmanager/v1"
	_ "github.com/cert-manager/cert-manager/pkg/apis/config/cainjector/v1alpha1"
	_ "github.com/cert-manager/cert-manager/pkg/apis/config/controller/v1alpha1"
	_ "github.com/cert-manager/cert-manager/pkg/apis/config/webhook/v1alpha1"
	_ "github.com/cert-manager/cert-manager/pkg/apis/experimental/v1alpha1"
	_ "github.com/fluxcd/helm-controller/api/v2"
	_ "github.com/fluxcd/image-automation-controller/api/v1"
	_ "github.com/fluxcd/kustomize-controller/api/v1"
	_ "github.com/fluxcd/notification-controller/api/v1"
	_ "github.com/fluxcd/source-controller/api/v1"
	_ "github.com/kubernetes-csi/external-snapshotter/client/v8/apis/volumesnapshot/v1"
	_ "github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring/v1"
	_ "k8s.io/api/apps/v1"
	_ "sigs.k8s.io/cluster-api/api/addons/v1beta2"
	_ "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta1"
	_ "sigs.k8s.io/cluster-api/api/bootstrap/kubeadm/v1beta2"
	_ "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta1"
	_ "sigs.k8s.io/cluster-api/api/controlplane/kubeadm/v1beta2"
	_ "sigs.k8s.io/cluster-api/api/core/v1beta2"
	_ "sigs.k8s.io/cluster-api/api/ipam/v1beta2"
	_ "sigs.k8s.io/cluster-api/api/runtime/hooks/v1alpha1"
	_ "sigs.k8s.io/cluster-api/api/runtime/v1beta2"
	_ "sigs.k8s.io/cluster-api/version"
	_ "sigs.k8s.io/gateway-api/apis/v1"
)
