package main

import (
	"slices"
	"strings"
)

// speedCases returns the cases that only speed is measured of: their modules import so much, or
// have so many packages, that CI has no time to compare their files. parity runs them by name.
func speedCases() []benchCase {
	const karmadaKinds = "crd paths=./pkg/apis/"
	return []benchCase{{
		name: "lws", pins: "repositories",
		checkout: repository("sigs.k8s.io/lws"),
		crd:      "crd:generateEmbeddedObjectMeta=true", paths: []string{"./api/...", "./pkg/..."},
		files: 1,
		manifests: line{commands: []string{
			"rbac:roleName=manager-role crd:generateEmbeddedObjectMeta=true webhook paths=./api/... paths=./pkg/...",
		}, files: 3},
		object: line{commands: []string{"object:headerFile=hack/boilerplate.go.txt paths=./api/..."}, files: 2},
	}, {
		name: "external-secrets", pins: "repositories",
		checkout: repository("github.com/external-secrets/external-secrets"),
		crd:      "crd", paths: []string{"./apis/..."},
		files:     22,
		manifests: line{commands: []string{"crd paths=./apis/..."}, files: 22},
		object:    line{commands: []string{"object:headerFile=hack/boilerplate.go.txt paths=./apis/..."}, files: 5},
	}, {
		// codegen-crds-all. The repository copies kinds with another generator.
		name: "kyverno", pins: "repositories",
		checkout: repository("github.com/kyverno/kyverno"),
		crd:      kyvernoCRDs, paths: kyvernoKinds(),
		files: 7,
		manifests: line{commands: []string{
			"paths=" + strings.Join(kyvernoKinds(), " paths=") + " " + kyvernoCRDs,
			"paths=./api/policyreport/... " + kyvernoCRDs,
			"paths=./api/reports/... " + kyvernoCRDs,
			"paths=github.com/kyverno/api/api/policies.kyverno.io/... " + kyvernoCRDs,
			"paths=./cmd/cli/kubectl-kyverno/apis/... " + kyvernoCRDs,
		}, files: 27},
	}, {
		// The Makefile writes the roles to directories, not to files, of their own.
		name: "kserve", pins: "repositories",
		checkout: repository("github.com/kserve/kserve"),
		crd:      "crd:maxDescLen=0", paths: []string{"./pkg/apis/serving/..."},
		files: 11,
		manifests: line{commands: []string{
			"crd:maxDescLen=0 paths=./pkg/apis/serving/...",
			"rbac:roleName=kserve-manager-role paths=./pkg/controller/v1alpha1/inferencegraph " +
				"paths=./pkg/controller/v1alpha1/trainedmodel paths=./pkg/controller/v1beta1/...",
			"rbac:roleName=kserve-llmisvc-manager-role,fileName=llmisvc.yaml paths=./pkg/controller/v1alpha2/llmisvc",
			"rbac:roleName=kserve-localmodel-manager-role,fileName=localmodel.yaml paths=./pkg/controller/v1alpha1/localmodel",
			"rbac:roleName=kserve-localmodelnode-agent-role,fileName=localmodelnode.yaml paths=./pkg/controller/v1alpha1/localmodelnode",
		}, files: 15},
		object: line{commands: []string{
			"object:headerFile=hack/boilerplate.go.txt paths=./pkg/apis/serving/v1alpha1",
			"object:headerFile=hack/boilerplate.go.txt paths=./pkg/apis/serving/v1alpha2",
			"object:headerFile=hack/boilerplate.go.txt paths=./pkg/apis/serving/v1beta1",
		}, files: 3},
	}, {
		// hack/update-crdgen.sh, which writes the last line's file to two directories.
		name: "karmada", pins: "repositories",
		checkout: repository("github.com/karmada-io/karmada"),
		crd:      "crd", paths: []string{"./pkg/apis/policy/..."},
		files: 6,
		manifests: line{commands: []string{
			karmadaKinds + "autoscaling/...", karmadaKinds + "config/...", karmadaKinds + "networking/...", karmadaKinds + "policy/...",
			karmadaKinds + "remedy/...", karmadaKinds + "work/...", karmadaKinds + "apps/...",
			"crd:generateEmbeddedObjectMeta=true paths=./examples/customresourceinterpreter/apis/...",
			"crd:generateEmbeddedObjectMeta=true paths=./operator/pkg/apis/operator/...",
		}, files: 19},
	}, {
		name: "monorepo", pins: "apis", generated: monorepo,
		crd: "crd", paths: []string{"./..."},
		files:     monorepoKinds,
		manifests: line{commands: []string{"rbac:roleName=manager-role crd paths=./..."}, files: monorepoKinds + 1},
	}}
}

// timedCases returns all cases whose speed is measured.
func timedCases() []benchCase { return slices.Concat(cases(), speedCases()) }

// kyvernoCRDs is the generator in the Makefile of kyverno.
const kyvernoCRDs = "crd:crdVersions=v1,ignoreUnexportedFields=true,generateEmbeddedObjectMeta=false"

func kyvernoKinds() []string {
	return []string{
		"./api/kyverno/v1/...", "./api/kyverno/v1beta1/...", "./api/kyverno/v2/...", "./api/kyverno/v2alpha1/...", "./api/kyverno/v2beta1/...",
	}
}
