package apps

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"

	appsv1 "github.com/schemagen/schemagen/examples/operator/api/apps/v1"
)

// k8sClient talks to the API server of the suite; nil if there is none.
var k8sClient client.Client

func TestMain(m *testing.M) {
	code, err := run(m)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// run runs the tests with an API server that has the project's definitions.
func run(m *testing.M) (code int, err error) {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		return m.Run(), nil
	}
	scheme := runtime.NewScheme()
	if err := appsv1.AddToScheme(scheme); err != nil {
		return 0, err
	}
	testEnv := &envtest.Environment{
		CRDDirectoryPaths:     []string{filepath.Join("..", "..", "..", "config", "crd", "bases")},
		ErrorIfCRDPathMissing: true,
	}
	config, err := testEnv.Start()
	if err != nil {
		return 0, err
	}
	defer func() {
		if stopped := testEnv.Stop(); err == nil {
			err = stopped
		}
	}()
	if k8sClient, err = client.New(config, client.Options{Scheme: scheme}); err != nil {
		return 0, err
	}
	return m.Run(), nil
}
