package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// A benchCase is a command line that both tools run.
type benchCase struct {
	name string
	// pins names the nested module whose go.mod determines the versions, unless the case is in
	// this repository. A case without a checkout runs in that module and names packages by import path.
	pins string
	// checkout lists the modules that are copied from the module cache, in the layout of
	// their repository, so that the command line can name directories as the repository's own
	// Makefile does.
	checkout []mount
	// local is the directory of a case in this repository, relative to its root.
	local string
	// groups are API groups to add to packages of the checkout that do not name theirs.
	groups []groupName
	// generated, if not nil, returns the files of a module to generate, which is then the
	// working directory instead of a checkout.
	generated func() ([]sourceFile, error)
	// dir is the working directory, relative to the root of the checkout.
	dir string
	// crd is the generator argument with its options.
	crd string
	// paths are the values of the paths= arguments. A value may be several patterns separated
	// by semicolons.
	paths []string
	// listings are the go list calls that cover the same packages. They are set only if a
	// single call in dir does not suffice because paths reach into a nested module.
	listings []listing
	// builtIn is set for types of Kubernetes itself, which were never meant to be CRDs. The
	// API server rejects some of them (list-map keys that are neither required nor
	// defaulted), so schemagen runs with --skip-verify.
	builtIn bool
	// kustomizations are the directories of the checkout whose kustomizations patch the files
	// written by the repository's Makefile.
	kustomizations []string
	// files is the expected number of CRD files. It is stated so that a case cannot become
	// empty unnoticed.
	files int
	// manifests, object and apply are the other command lines of the project: with the
	// arguments of its own Makefile, but for object without commands, which is run on paths. project
	// has all of them, beside which schemagen generate is measured.
	manifests, object, apply, project line

	// The following fields are those of one line of the case (see lines).
	line     string
	commands []string
	inTree   *regexp.Regexp // matches the files that it writes next to the packages, if any
	imported bool           // as in line
	slow     bool           // as in line
}

// A mount is a module in the module cache and its directory in the checkout.
type mount struct{ module, at string }

// A listing is a call of go list: its directory, relative to the root of the checkout, and
// its package patterns.
type listing struct {
	dir      string
	patterns []string
}

// A groupName is a package of a checkout and its API group, which the package does not name.
type groupName struct{ dir, group string }

func repository(module string) []mount { return []mount{{module, "."}} }

// cases returns the table of cases. Arguments are those in the module's own Makefile or
// go:generate line, without generators other than crd and output rules.
func cases() []benchCase {
	clusterAPI := []mount{
		{"sigs.k8s.io/cluster-api", "."},
		{"sigs.k8s.io/cluster-api/api", "api"},
	}
	clusterAPICore := []listing{
		{"api", []string{"./addons/...", "./core/...", "./ipam/...", "./runtime/..."}},
		{".", []string{"./core", "./core/reconcilers/...", "./core/webhooks/..."}},
	}
	clusterAPIKubeadm := []listing{
		{"api", []string{"./controlplane/kubeadm/..."}},
		{".", []string{
			"./controlplane/kubeadm", "./controlplane/kubeadm/reconcilers/...",
			"./controlplane/kubeadm/webhooks/...",
		}},
	}
	clusterAPIKustomizations := []string{"core/config/crd", "bootstrap/kubeadm/config/crd", "controlplane/kubeadm/config/crd"}
	return []benchCase{{
		// Kubebuilder's layout and command lines, with two groups.
		name: "operator", local: "examples/operator",
		crd: "crd", paths: []string{"./..."},
		files:     2,
		manifests: line{commands: []string{"rbac:roleName=manager-role crd webhook paths=./..."}, files: 4},
		object:    line{commands: []string{"object:headerFile=hack/boilerplate.go.txt,year=2026 paths=./..."}, files: 2},
		apply:     line{commands: []string{"applyconfiguration paths=./..."}, files: 5},
		project: line{commands: []string{
			"rbac:roleName=manager-role crd webhook paths=./... output:crd:artifacts:config=config/crd/bases",
			"object:headerFile=hack/boilerplate.go.txt,year=2026 applyconfiguration paths=./...",
		}, files: 11},
	}, {
		name: "gateway-api", pins: "apis",
		checkout: repository("sigs.k8s.io/gateway-api"),
		crd:      "crd", paths: []string{"./apis/...", "./apisx/..."},
		files:  13,
		object: line{commands: []string{"object:headerFile=hack/boilerplate/boilerplate.generatego.txt paths=./apis/... paths=./apisx/..."}, files: 5},
	}, {
		name: "cert-manager", pins: "apis",
		checkout: repository("github.com/cert-manager/cert-manager"),
		crd:      "crd", paths: []string{"./pkg/apis/..."},
		files: 6,
	}, {
		name: "cluster-api", pins: "apis",
		checkout: clusterAPI,
		crd:      "crd:crdVersions=v1",
		paths: []string{
			"./api/addons/...", "./api/core/...", "./api/ipam/...", "./api/runtime/...",
			"./core", "./core/reconcilers/...", "./core/webhooks/...",
		},
		listings:       clusterAPICore,
		kustomizations: clusterAPIKustomizations,
		files:          13,
		manifests: line{commands: []string{
			"crd:crdVersions=v1 rbac:roleName=manager-role webhook paths=./api/addons/... paths=./api/core/... paths=./api/ipam/... " +
				"paths=./api/runtime/... paths=./core paths=./core/reconcilers/... paths=./core/webhooks/...",
		}, listings: clusterAPICore, files: 15},
	}, {
		name: "cluster-api-types", pins: "apis",
		checkout: clusterAPI, dir: "api",
		crd: "crd:crdVersions=v1", paths: []string{"./..."},
		kustomizations: clusterAPIKustomizations,
		files:          17,
		object:         line{commands: []string{"object:headerFile=../hack/scripts/verify/boilerplate/boilerplate.generatego.txt paths=./..."}, files: 14},
	}, {
		name: "cluster-api-kubeadm", pins: "apis",
		checkout: clusterAPI,
		crd:      "crd:crdVersions=v1",
		paths: []string{
			"./api/controlplane/kubeadm/...", "./controlplane/kubeadm",
			"./controlplane/kubeadm/reconcilers/...", "./controlplane/kubeadm/webhooks/...",
		},
		listings:       clusterAPIKubeadm,
		kustomizations: clusterAPIKustomizations,
		files:          2,
		manifests: line{commands: []string{
			"crd:crdVersions=v1 rbac:roleName=manager-role webhook paths=./api/controlplane/kubeadm/... paths=./controlplane/kubeadm " +
				"paths=./controlplane/kubeadm/reconcilers/... paths=./controlplane/kubeadm/webhooks/...",
		}, listings: clusterAPIKubeadm, files: 4},
	}, {
		name: "cluster-api-builder", pins: "apis",
		checkout: clusterAPI,
		crd:      "crd:crdVersions=v1", paths: []string{"./util/test/builder/..."},
		files:  4,
		object: line{files: 1},
	}, {
		name: "prometheus-operator", pins: "apis",
		checkout: repository("github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring"),
		crd:      "crd:crdVersions=v1", paths: []string{"./v1/.", "./v1alpha1/."},
		files:  10,
		object: line{files: 2},
	}, {
		name: "prometheus-operator-full", pins: "apis",
		checkout: repository("github.com/prometheus-operator/prometheus-operator/pkg/apis/monitoring"),
		crd:      "crd:crdVersions=v1", paths: []string{"./..."},
		files:  10,
		object: line{files: 3},
	}, {
		name: "source-controller", pins: "apis",
		checkout: repository("github.com/fluxcd/source-controller/api"),
		crd:      "crd:crdVersions=v1", paths: []string{"./..."},
		files:  6,
		object: line{files: 3},
	}, {
		name: "helm-controller", pins: "apis",
		checkout: repository("github.com/fluxcd/helm-controller/api"),
		crd:      "crd:crdVersions=v1", paths: []string{"./..."},
		files:  1,
		object: line{files: 3},
	}, {
		name: "kustomize-controller", pins: "apis",
		checkout: repository("github.com/fluxcd/kustomize-controller/api"),
		crd:      "crd:crdVersions=v1", paths: []string{"./..."},
		files:  1,
		object: line{files: 3},
	}, {
		name: "notification-controller", pins: "apis",
		checkout: repository("github.com/fluxcd/notification-controller/api"),
		crd:      "crd:crdVersions=v1", paths: []string{"./..."},
		files:  3,
		object: line{files: 4},
	}, {
		name: "image-automation-controller", pins: "apis",
		checkout: repository("github.com/fluxcd/image-automation-controller/api"),
		crd:      "crd:crdVersions=v1", paths: []string{"./..."},
		files:  1,
		object: line{files: 3},
	}, {
		name: "external-snapshotter", pins: "apis",
		checkout: repository("github.com/kubernetes-csi/external-snapshotter/client/v8"),
		// The repository's script uses ./apis/..., in which both v1 and v1beta2 are marked as
		// storage version. The API server rejects that.
		crd: "crd", paths: []string{"./apis/volumegroupsnapshot/v1", "./apis/volumesnapshot/..."},
		files:  6,
		object: line{files: 2},
	}, {
		name: "envoy-gateway", pins: "envoy",
		checkout: repository("github.com/envoyproxy/gateway"),
		crd:      "crd:allowDangerousTypes=true", paths: []string{"./api/..."},
		files:  8,
		object: line{files: 1},
	}, {
		name: "karpenter", pins: "karpenter",
		checkout: repository("sigs.k8s.io/karpenter"), dir: "pkg/apis",
		crd: "crd", paths: []string{"./..."},
		files:  3,
		object: line{commands: []string{"object:headerFile=../../hack/boilerplate.go.txt paths=./..."}, files: 2},
	}, {
		name: "karpenter-kwok", pins: "karpenter",
		checkout: repository("sigs.k8s.io/karpenter"), dir: "kwok/apis",
		crd: "crd", paths: []string{"./..."},
		files:  1,
		object: line{files: 1},
	}, {
		name: "kueue", pins: "kueue",
		checkout: repository("sigs.k8s.io/kueue"),
		crd:      "crd:generateEmbeddedObjectMeta=true", paths: []string{"./apis/..."},
		kustomizations: []string{"config/components/crd"},
		files:          11,
		manifests: line{commands: []string{
			"crd:generateEmbeddedObjectMeta=true paths=./apis/...",
			"rbac:roleName=manager-role webhook paths=./pkg/controller/...;./pkg/webhooks/...;./pkg/util/cert/...;./pkg/visibility/...",
		}, files: 13},
		object: line{commands: []string{"object:headerFile=hack/boilerplate.go.txt paths=./apis/..."}, files: 6},
	}, {
		name: "argo-rollouts", pins: "rollouts",
		checkout: repository("github.com/argoproj/argo-rollouts"),
		crd:      "crd:crdVersions=v1,maxDescLen=0", paths: []string{"./pkg/apis/rollouts/..."},
		files: 5,
	}, {
		// The same types with descriptions, which maxDescLen=0 in the Makefile removes.
		name: "argo-rollouts-described", pins: "rollouts",
		checkout: repository("github.com/argoproj/argo-rollouts"),
		crd:      "crd:crdVersions=v1", paths: []string{"./pkg/apis/rollouts/v1alpha1"},
		files: 5,
	}, {
		// keda's Makefile adds ./controllers/... and ./pkg/..., which have no kinds but need
		// the SDKs of all cloud providers.
		name: "keda", pins: "keda",
		checkout: repository("github.com/kedacore/keda/v2"),
		crd:      "crd:crdVersions=v1,generateEmbeddedObjectMeta=true", paths: []string{"./apis/..."},
		files: 7,
		manifests: line{commands: []string{
			"crd:crdVersions=v1,generateEmbeddedObjectMeta=true rbac:roleName=keda-operator paths=./apis/... paths=./controllers/... paths=./pkg/...",
		}, files: 8},
		object: line{commands: []string{"object:headerFile=hack/boilerplate.go.txt paths=./apis/... paths=./controllers/... paths=./pkg/..."}, files: 2},
	}, {
		name: "cluster-api-aws", pins: "capa",
		checkout: repository("sigs.k8s.io/cluster-api-provider-aws/v2"),
		crd:      "crd:crdVersions=v1",
		paths: []string{
			"./", "./api/...", "./exp/api/...", "./bootstrap/eks/api/...",
			"./controlplane/eks/api/...", "./controlplane/rosa/api/...", "./iam/api/...",
			"./controllers/...", "./exp/controllers/...", "./bootstrap/eks/controllers/...",
			"./controlplane/eks/controllers/...", "./controlplane/rosa/controllers/...",
		},
		files: 24,
		// The Makefile has both in one command.
		manifests: line{commands: []string{"crd:crdVersions=v1 rbac:roleName=manager-role webhook " + clusterAPIAWS}, files: 25},
		object:    line{commands: []string{"object:headerFile=./hack/boilerplate/boilerplate.generatego.txt " + clusterAPIAWS}, files: 10, slow: true},
	}, {
		name: "velero", pins: "velero",
		checkout: repository("github.com/vmware-tanzu/velero"),
		crd:      "crd:crdVersions=v1", paths: []string{"./pkg/apis/velero/v1/...", "./pkg/controller/..."},
		files: 11,
		manifests: line{commands: []string{
			"crd:crdVersions=v1 paths=./pkg/apis/velero/v1/... paths=./pkg/controller/...",
			"rbac:roleName=velero-perms paths=./pkg/apis/velero/v1/... paths=./pkg/controller/...",
		}, files: 12},
		object: line{files: 1},
	}, {
		name: "velero-v2alpha1", pins: "velero",
		checkout: repository("github.com/vmware-tanzu/velero"),
		crd:      "crd:crdVersions=v1", paths: []string{"./pkg/apis/velero/v2alpha1/...", "./pkg/controller/..."},
		files:  2,
		object: line{files: 1},
	}, {
		name: "cloudnative-pg", pins: "repositories",
		checkout: repository("github.com/cloudnative-pg/cloudnative-pg"),
		crd:      "crd", paths: []string{"./..."},
		files:     10,
		manifests: line{commands: []string{"crd rbac:roleName=manager webhook paths=./..."}, files: 12},
		object:    line{commands: []string{"object:headerFile=hack/boilerplate.go.txt paths=./..."}, files: 1},
	}, {
		name: "sriov-network-operator", pins: "repositories",
		checkout: repository("github.com/k8snetworkplumbingwg/sriov-network-operator"),
		crd:      "crd:crdVersions={v1}", paths: []string{"./..."},
		files:     7,
		manifests: line{commands: []string{"crd:crdVersions={v1} webhook paths=./..."}, files: 7},
		object:    line{commands: []string{"object:headerFile=hack/boilerplate.go.txt paths=./..."}, files: 1},
	}, {
		name: "metal-operator", pins: "repositories",
		checkout: repository("github.com/ironcore-dev/metal-operator"),
		crd:      "crd", paths: []string{"./..."},
		files:     14,
		manifests: line{commands: []string{"rbac:roleName=manager-role crd webhook paths=./..."}, files: 16},
		object:    line{commands: []string{"object:headerFile=hack/boilerplate.go.txt paths=./..."}, files: 1},
	}, {
		name: "cluster-api-azure", pins: "repositories",
		checkout: repository("sigs.k8s.io/cluster-api-provider-azure"),
		crd:      "crd:crdVersions=v1", paths: []string{"./api/...", "./exp/api/..."},
		files: 19,
		manifests: line{commands: []string{
			"paths=./api/... paths=./exp/api/... crd:crdVersions=v1 rbac:roleName=base-manager-role webhook",
			"paths=./ paths=./controllers/... paths=./exp/controllers/... rbac:roleName=base-manager-role",
		}, files: 21},
		object: line{commands: []string{"paths=./api/... paths=./exp/api/... object:headerFile=./hack/boilerplate/boilerplate.generatego.txt"}, files: 3},
	}, {
		name: "jobset", pins: "repositories",
		checkout: repository("sigs.k8s.io/jobset"),
		crd:      "crd:generateEmbeddedObjectMeta=true", paths: []string{"./api/..."},
		files: 1,
		manifests: line{commands: []string{
			"rbac:roleName=manager-role crd:generateEmbeddedObjectMeta=true paths=./api/...",
			"rbac:roleName=manager-role webhook paths=./pkg/...",
		}, files: 3},
		object: line{commands: []string{"object:headerFile=hack/boilerplate.go.txt paths=./api/..."}, files: 2},
	}, {
		name: "trust-manager", pins: "repositories",
		checkout: repository("github.com/cert-manager/trust-manager"),
		crd:      "crd", paths: []string{"./cmd/...", "./deploy/...", "./design/...", "./docs/...", "./pkg/...", "./test/...", "./trust-packages/..."},
		files:  2,
		object: line{commands: []string{"object:headerFile=make/_shared/boilerplate/template/boilerplate.go.txt " + trustManager}, files: 2},
		apply:  line{commands: []string{"applyconfiguration:headerFile=make/_shared/boilerplate/template/boilerplate.go.txt " + trustManager}, files: 25, imported: true},
	}, {
		// By import path: with its own go.mod, the repository requires a module that the
		// proxy does not serve.
		name: "cilium", pins: "cilium",
		crd: "crd:crdVersions=v1",
		paths: []string{
			"github.com/cilium/cilium/pkg/k8s/apis/cilium.io/v2;" +
				"github.com/cilium/cilium/pkg/k8s/apis/cilium.io/v2alpha1",
		},
		files: 22,
	}, {
		// By import path, for the same reason as cilium.
		name: "external-dns", pins: "externaldns",
		crd: "crd:crdVersions=v1", paths: []string{"sigs.k8s.io/external-dns/apis/..."},
		files: 2,
	}, {
		name: "gateway-api-import", pins: "apis",
		crd: "crd", paths: []string{
			"sigs.k8s.io/gateway-api/apis/...", "sigs.k8s.io/gateway-api/apisx/...",
		},
		files: 13,
	}, {
		// Independent modules in one command line.
		name: "flux-import", pins: "apis",
		crd: "crd:crdVersions=v1",
		paths: []string{
			"github.com/fluxcd/helm-controller/api/...",
			"github.com/fluxcd/image-automation-controller/api/...",
			"github.com/fluxcd/kustomize-controller/api/...",
			"github.com/fluxcd/notification-controller/api/...",
			"github.com/fluxcd/source-controller/api/...",
		},
		files: 12,
	}, {
		// The packages of k8s.io/api that controller-gen accepts, each group once per command
		// line: with several versions, none would be the storage version. Packages that the
		// API server would reject and schemagen therefore reports are left out:
		// scheduling/v1alpha3 and v1beta1 have a recursive type.
		name: "k8s-api-stable", pins: "apis", builtIn: true,
		crd: "crd", paths: kubernetes("admissionregistration/v1", "apidiscovery/v2",
			"authentication/v1", "authorization/v1", "certificates/v1", "coordination/v1",
			"core/v1", "discovery/v1", "events/v1", "flowcontrol/v1", "networking/v1", "node/v1",
			"rbac/v1", "resource/v1", "scheduling/v1", "storage/v1", "storagemigration/v1"),
		files: 63,
	}, {
		name: "k8s-api-core", pins: "apis", builtIn: true,
		crd: "crd", paths: kubernetes("core/v1"),
		files: 18,
	}, {
		name: "k8s-api-beta", pins: "apis", builtIn: true,
		crd: "crd", paths: kubernetes("apidiscovery/v2beta1", "certificates/v1beta1",
			"coordination/v1beta1", "discovery/v1beta1", "events/v1beta1", "flowcontrol/v1beta3",
			"networking/v1beta1", "node/v1beta1", "rbac/v1beta1", "resource/v1beta2",
			"storage/v1beta1", "storagemigration/v1beta1"),
		files: 31,
	}, {
		name: "k8s-api-old", pins: "apis", builtIn: true,
		crd: "crd", paths: kubernetes("flowcontrol/v1beta1", "resource/v1beta1"),
		files: 6,
	}, {
		name: "k8s-api-alpha", pins: "apis", builtIn: true,
		crd: "crd:maxDescLen=80", paths: kubernetes("apiserverinternal/v1alpha1", "authentication/v1alpha1",
			"certificates/v1alpha1", "coordination/v1alpha2", "flowcontrol/v1beta2", "imagepolicy/v1alpha1",
			"lifecycle/v1alpha1", "node/v1alpha1", "rbac/v1alpha1", "storage/v1alpha1"),
		files: 17,
	}, {
		// These packages do not name their group, so the checkout adds it.
		name: "k8s-api-workloads", pins: "apis", builtIn: true,
		checkout: repository("k8s.io/api"),
		groups: []groupName{
			{"apps/v1", "apps"}, {"autoscaling/v2", "autoscaling"}, {"batch/v1", "batch"},
			{"policy/v1", "policy"},
		},
		crd: "crd", paths: []string{"./apps/v1", "./autoscaling/v2", "./batch/v1", "./policy/v1"},
		files: 10,
	}, {
		name: "k8s-api-workloads-old", pins: "apis", builtIn: true,
		checkout: repository("k8s.io/api"),
		groups: []groupName{
			{"apps/v1beta2", "apps"}, {"autoscaling/v1", "autoscaling"}, {"batch/v1beta1", "batch"},
			{"extensions/v1beta1", "extensions"}, {"policy/v1beta1", "policy"},
		},
		crd: "crd:generateEmbeddedObjectMeta=true",
		paths: []string{
			"./apps/v1beta2", "./autoscaling/v1", "./batch/v1beta1", "./extensions/v1beta1",
			"./policy/v1beta1",
		},
		files: 17,
	}, {
		name: "synthetic-25", pins: "apis", generated: podTemplates,
		crd: "crd", paths: []string{"./..."},
		files:  25,
		object: line{files: 5},
	}}
}

// clusterAPIAWS are the packages in the Makefile of cluster-api-provider-aws.
const clusterAPIAWS = "paths=./ paths=./api/... paths=./exp/api/... paths=./bootstrap/eks/api/... paths=./controlplane/eks/api/... " +
	"paths=./controlplane/rosa/api/... paths=./iam/api/... paths=./controllers/... paths=./exp/controllers/... " +
	"paths=./bootstrap/eks/controllers/... paths=./controlplane/eks/controllers/... paths=./controlplane/rosa/controllers/..."

// trustManager are the packages in the Makefile of trust-manager: those of all directories except make.
const trustManager = "paths=./cmd/... paths=./deploy/... paths=./design/... paths=./docs/... paths=./pkg/... paths=./test/... paths=./trust-packages/..."

// kubernetes converts group/version names to import paths of k8s.io/api.
func kubernetes(versions ...string) []string {
	var paths []string
	for _, v := range versions {
		paths = append(paths, "k8s.io/api/"+v)
	}
	return paths
}

// selectCases returns the cases in a comma-separated list, in the order of the table.
func selectCases(names string) ([]benchCase, error) {
	wanted := map[string]bool{}
	for name := range strings.SplitSeq(names, ",") {
		wanted[name] = true
	}
	var selected []benchCase
	for _, c := range timedCases() {
		if wanted[c.name] {
			selected = append(selected, c)
			delete(wanted, c.name)
		}
	}
	for name := range strings.SplitSeq(names, ",") {
		if wanted[name] {
			return nil, fmt.Errorf("no case %q; go run . list names them", name)
		}
	}
	return selected, nil
}

// kustomize writes a kustomization to a directory that contains output directories. It
// applies the same patches as those of the checkout. dir is the working directory of the
// case.
func (c benchCase) kustomize(dir, into string) error {
	if len(c.kustomizations) == 0 {
		return nil
	}
	text := "components:\n"
	for _, folder := range c.kustomizations {
		at, err := filepath.Rel(into, filepath.Join(strings.TrimSuffix(dir, filepath.FromSlash(c.dir)), filepath.FromSlash(folder)))
		if err != nil {
			return err
		}
		text += "- " + at + "\n"
	}
	return os.WriteFile(filepath.Join(into, "kustomization.yaml"), []byte(text), 0o644)
}

// productArguments returns the arguments for schemagen.
func (c benchCase) productArguments(out string) [][]string {
	if c.line == projectLine {
		return [][]string{{"generate"}}
	}
	all := c.arguments(out)
	for i := range all {
		if c.builtIn {
			all[i] = append(all[i], "--skip-verify")
		}
	}
	return all
}

// goLists returns the go list calls for the packages of the case.
func (c benchCase) goLists() []listing {
	if c.listings != nil {
		return c.listings
	}
	return []listing{{c.dir, c.patterns()}}
}

// commandLine returns the command line in readable form.
func (c benchCase) commandLine() string {
	var commands []string
	for _, args := range c.arguments("") {
		args = slices.DeleteFunc(args, func(arg string) bool { return strings.HasPrefix(arg, "output:") })
		commands = append(commands, strings.Join(args, " "))
	}
	line := strings.Join(commands, " && ")
	if c.dir != "" {
		line = "cd " + c.dir + " && " + line
	}
	return line
}
