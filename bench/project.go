package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
)

// A project is a repository whose own command lines both tools run, with all generators and
// output rules.
type project struct {
	name string
	// pins and checkout are as in benchCase.
	pins     string
	checkout []mount
	// lines are the command lines as in the repository's Makefile.
	lines []string
	// generated matches the paths of generated files in the repository. They are removed
	// before a run.
	generated *regexp.Regexp
	// files is the expected number of files that the command lines write.
	files int
}

// projects returns the table of projects. The lines are those of the Makefile in the version
// that pins determines, with variables replaced.
func projects() []project {
	return []project{{
		// generate-manifests-core (without the lines for test types),
		// generate-manifests-kubeadm-bootstrap and -control-plane, and
		// generate-go-deepcopy-core.
		name: "cluster-api Makefile", pins: "apis",
		checkout: []mount{{"sigs.k8s.io/cluster-api", "."}, {"sigs.k8s.io/cluster-api/api", "api"}},
		lines: []string{
			`paths=./api/addons/... paths=./api/core/... paths=./api/ipam/... paths=./api/runtime/...
				paths=./core paths=./core/reconcilers/... paths=./core/webhooks/...
				crd:crdVersions=v1 rbac:roleName=manager-role output:crd:dir=./core/config/crd/bases
				output:rbac:dir=./core/config/rbac output:webhook:dir=./core/config/webhook webhook`,
			`paths=./api/bootstrap/kubeadm/... paths=./bootstrap/kubeadm
				paths=./bootstrap/kubeadm/reconcilers/... paths=./bootstrap/kubeadm/webhooks/...
				crd:crdVersions=v1 rbac:roleName=manager-role output:crd:dir=./bootstrap/kubeadm/config/crd/bases
				output:rbac:dir=./bootstrap/kubeadm/config/rbac output:webhook:dir=./bootstrap/kubeadm/config/webhook webhook`,
			`paths=./api/controlplane/kubeadm/... paths=./controlplane/kubeadm
				paths=./controlplane/kubeadm/reconcilers/... paths=./controlplane/kubeadm/webhooks/...
				crd:crdVersions=v1 rbac:roleName=manager-role output:crd:dir=./controlplane/kubeadm/config/crd/bases
				output:rbac:dir=./controlplane/kubeadm/config/rbac output:webhook:dir=./controlplane/kubeadm/config/webhook webhook`,
			`object:headerFile=./hack/scripts/verify/boilerplate/boilerplate.generatego.txt
				paths=./api/addons/... paths=./api/core/... paths=./api/ipam/... paths=./api/runtime/...
				paths=./api/runtime/hooks/... paths=./cmd/clusterctl/... paths=./controllers/crdmigrator/test/...
				paths=./internal/runtime/test/... paths=./internal/topology/upgrade/test/...
				paths=./util/test/builder/... paths=./util/deprecated/v1beta1/test/builder/...`,
		},
		generated: regexp.MustCompile(`^((core|bootstrap/kubeadm|controlplane/kubeadm)/config/(crd/bases/.*|rbac/role\.yaml|webhook/manifests\.yaml)` +
			`|(api/(addons|core|ipam|runtime)|cmd/clusterctl|controllers/crdmigrator/test|internal|util)/.*zz_generated\.deepcopy\.go)$`),
		files: 51,
	}, {
		// manifests, including the definitions that schemapatch completes.
		name: "mcs-api Makefile", pins: "mcs",
		checkout: repository("sigs.k8s.io/mcs-api"),
		lines: []string{
			`object:headerFile=./hack/boilerplate.go.txt paths=./...`,
			`crd:crdVersions=v1 rbac:roleName=mcs-derived-service-manager output:rbac:dir=./config/rbac webhook
				schemapatch:manifests=./config/crd-base paths=./... output:crd:none output:schemapatch:dir=./config/crd`,
		},
		generated: regexp.MustCompile(`^(config/crd/.*\.yaml|.*zz_generated\.deepcopy\.go)$`),
		files:     4,
	}}
}

// compareProject runs the command lines of a project with each tool, in copies without the
// generated files, and compares all files of the copies.
func compareProject(ctx context.Context, w workspace, p project, peer, product string) comparison {
	problem := func(format string, args ...any) comparison {
		return comparison{problems: []string{fmt.Sprintf(format, args...)}}
	}
	root, err := w.checkOut(ctx, benchCase{pins: p.pins, checkout: p.checkout})
	if err != nil {
		return problem("harness: %v", err)
	}
	temp, err := os.MkdirTemp("", "schemagen-project-")
	if err != nil {
		return problem("harness: %v", err)
	}
	defer os.RemoveAll(temp)
	before := 0
	for name, tool := range map[string]string{"controller-gen": peer, "schemagen": product} {
		dir := filepath.Join(temp, name)
		if err := os.CopyFS(dir, os.DirFS(root)); err != nil {
			return problem("harness: %v", err)
		}
		if err := (outputs{dir: dir, only: p.generated}).remove(); err != nil {
			return problem("harness: %v", err)
		}
		left, err := readTree(dir, nil)
		if err != nil {
			return problem("harness: %v", err)
		}
		before = len(left)
		for _, line := range p.lines {
			if _, messages, err := execute(ctx, dir, tool, strings.Fields(line)); err != nil {
				return problem("%s with %s: %v\n%s", line, name, err, head(messages, 20))
			}
		}
	}
	r, err := compareTrees(filepath.Join(temp, "controller-gen"), filepath.Join(temp, "schemagen"), nil)
	if err != nil {
		return problem("harness: %v", err)
	}
	if written := r.peerFiles - before; written != p.files {
		r.problems = append(r.problems, fmt.Sprintf("harness: %d files are written, but the table states %d", written, p.files))
	}
	return r
}
