// The repositories whose command lines run in a checkout. No package is imported: this file and go.sum only
// determine the versions and their checksums.
module github.com/schemagen/schemagen/bench/repositories

go 1.26.0

require (
	github.com/cert-manager/trust-manager v0.25.0
	github.com/cloudnative-pg/cloudnative-pg v1.28.0
	github.com/external-secrets/external-secrets v0.19.2
	github.com/ironcore-dev/metal-operator v0.1.0
	github.com/k8snetworkplumbingwg/sriov-network-operator v1.6.0
	github.com/karmada-io/karmada v1.16.0
	github.com/kserve/kserve v0.17.0
	github.com/kyverno/kyverno v1.19.1
	sigs.k8s.io/cluster-api-provider-azure v1.21.0
	sigs.k8s.io/jobset v0.10.1
	sigs.k8s.io/lws v0.7.0
)
