package e2e

import (
	"context"
	"path/filepath"
)

// kubectls are the versions of kubectl that are tried on our own server beside the
// module's: of both minor releases before it, and built from modules as well.
func kubectls() []string { return []string{"v1.36.3", "v1.35.4"} }

// Kubectl returns the path of a kubectl of a version such as "v1.35.4", which it
// builds if it is not in the cache; "" is the version of the module in own.
func Kubectl(ctx context.Context, own, cache, version string, say func(format string, args ...any)) (string, error) {
	m, err := ModuleOf(ctx, own, cache, version)
	if err != nil {
		return "", err
	}
	if version != "" { // those of the module itself are built together
		m.Programs = []Program{{"kubectl", "k8s.io/kubernetes/cmd/kubectl"}}
	}
	dir, err := Build(ctx, cache, m, say)
	return filepath.Join(dir, "kubectl"), err
}
