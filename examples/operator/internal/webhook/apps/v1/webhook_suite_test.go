package v1

import (
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"strconv"
	"testing"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"
	"sigs.k8s.io/controller-runtime/pkg/envtest"
	metricsserver "sigs.k8s.io/controller-runtime/pkg/metrics/server"
	"sigs.k8s.io/controller-runtime/pkg/webhook"

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

// run runs the tests with an API server that has the project's definitions and
// webhooks, and with a manager that serves them.
func run(m *testing.M) (code int, err error) {
	if os.Getenv("KUBEBUILDER_ASSETS") == "" {
		return m.Run(), nil
	}
	ctx, cancel := context.WithCancel(context.Background())
	scheme := runtime.NewScheme()
	if err := appsv1.AddToScheme(scheme); err != nil {
		cancel()
		return 0, err
	}
	root := filepath.Join("..", "..", "..", "..")
	testEnv := &envtest.Environment{
		CRDDirectoryPaths:     []string{filepath.Join(root, "config", "crd", "bases")},
		ErrorIfCRDPathMissing: true,
		WebhookInstallOptions: envtest.WebhookInstallOptions{Paths: []string{filepath.Join(root, "config", "webhook")}},
	}
	config, err := testEnv.Start()
	if err != nil {
		cancel()
		return 0, err
	}
	defer func() {
		cancel()
		if stopped := testEnv.Stop(); err == nil {
			err = stopped
		}
	}()
	if k8sClient, err = client.New(config, client.Options{Scheme: scheme}); err != nil {
		return 0, err
	}
	options := testEnv.WebhookInstallOptions
	mgr, err := ctrl.NewManager(config, ctrl.Options{
		Scheme:        scheme,
		Metrics:       metricsserver.Options{BindAddress: "0"},
		WebhookServer: webhook.NewServer(webhook.Options{Host: options.LocalServingHost, Port: options.LocalServingPort, CertDir: options.LocalServingCertDir}),
	})
	if err != nil {
		return 0, err
	}
	if err := SetupWidgetWebhookWithManager(mgr); err != nil {
		return 0, err
	}
	ended := make(chan error, 1)
	go func() { ended <- mgr.Start(ctx) }()
	if err := serves(net.JoinHostPort(options.LocalServingHost, strconv.Itoa(options.LocalServingPort)), ended); err != nil {
		return 0, err
	}
	return m.Run(), nil
}

// serves waits for the webhook server.
func serves(address string, ended chan error) error {
	for deadline := time.Now().Add(30 * time.Second); ; {
		conn, err := tls.DialWithDialer(&net.Dialer{Timeout: time.Second}, "tcp", address, &tls.Config{InsecureSkipVerify: true})
		if err == nil {
			return conn.Close()
		}
		if time.Now().After(deadline) {
			return fmt.Errorf("the webhook server does not answer: %w", err)
		}
		select {
		case err := <-ended:
			return fmt.Errorf("the manager has ended: %v", err)
		case <-time.After(50 * time.Millisecond):
		}
	}
}
