// Command manager runs the controllers.
package main

import (
	"os"

	"k8s.io/apimachinery/pkg/runtime"
	ctrl "sigs.k8s.io/controller-runtime"

	appsv1 "github.com/schemagen/schemagen/examples/operator/api/apps/v1"
	batchv1alpha1 "github.com/schemagen/schemagen/examples/operator/api/batch/v1alpha1"
	"github.com/schemagen/schemagen/examples/operator/internal/controller/apps"
	webhookv1 "github.com/schemagen/schemagen/examples/operator/internal/webhook/apps/v1"
)

func main() {
	if err := run(); err != nil {
		ctrl.Log.Error(err, "unable to run")
		os.Exit(1)
	}
}

func run() error {
	scheme := runtime.NewScheme()
	for _, add := range []func(*runtime.Scheme) error{appsv1.AddToScheme, batchv1alpha1.AddToScheme} {
		if err := add(scheme); err != nil {
			return err
		}
	}
	mgr, err := ctrl.NewManager(ctrl.GetConfigOrDie(), ctrl.Options{Scheme: scheme})
	if err != nil {
		return err
	}
	if err := (&apps.WidgetReconciler{Client: mgr.GetClient(), Scheme: scheme}).SetupWithManager(mgr); err != nil {
		return err
	}
	if err := webhookv1.SetupWidgetWebhookWithManager(mgr); err != nil {
		return err
	}
	return mgr.Start(ctrl.SetupSignalHandler())
}
