package e2e

import (
	"context"
	"path/filepath"
)

// kubectls returns the versions of kubectl to test in addition to the module's own: of the
// two preceding minor releases, built from modules as well.
func kubectls() []string { return []string{"v1.36.3", "v1.35.4"} }

// Kubectl returns the path of kubectl in a version such as "v1.35.4", and builds it if it is
// not in the cache. The version "" is that of the module in own.
func Kubectl(ctx context.Context, own, cache, version string, say func(format string, args ...any)) (string, error) {
	m, err := ModuleOf(ctx, own, cache, version)
	if err != nil {
		return "", err
	}
	if version != "" { // the module's own programs are built together
		m.Programs = []Program{{"kubectl", "k8s.io/kubernetes/cmd/kubectl"}}
	}
	dir, err := Build(ctx, cache, m, say)
	return filepath.Join(dir, "kubectl"), err
}
