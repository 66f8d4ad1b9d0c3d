package apps

import (
	"strings"
	"testing"

	metav1 "k8s.io/client-go/applyconfigurations/meta/v1"
	ctrl "sigs.k8s.io/controller-runtime"
	"sigs.k8s.io/controller-runtime/pkg/client"

	appsv1 "github.com/schemagen/schemagen/examples/operator/api/apps/v1"
	apply "github.com/schemagen/schemagen/examples/operator/api/apps/v1/applyconfiguration/apps/v1"
)

// TestReconcile applies a widget with its apply configuration, and wants its
// replicas to be counted.
func TestReconcile(t *testing.T) {
	if k8sClient == nil {
		t.Skip("KUBEBUILDER_ASSETS names no folder with etcd and kube-apiserver")
	}
	widget := apply.Widget("counted", "default").WithSpec(apply.WidgetSpec().
		WithReplicas(3).
		WithSelector(metav1.LabelSelector().WithMatchLabels(map[string]string{"app": "counted"})))
	if err := k8sClient.Apply(t.Context(), widget, client.FieldOwner("test")); err != nil {
		t.Fatal(err)
	}
	key := client.ObjectKey{Namespace: "default", Name: "counted"}
	reconciler := &WidgetReconciler{Client: k8sClient, Scheme: k8sClient.Scheme()}
	if _, err := reconciler.Reconcile(t.Context(), ctrl.Request{NamespacedName: key}); err != nil {
		t.Fatal(err)
	}
	var got appsv1.Widget
	if err := k8sClient.Get(t.Context(), key, &got); err != nil {
		t.Fatal(err)
	}
	if got.Status.Replicas != 3 {
		t.Errorf("%d replicas", got.Status.Replicas)
	}
}

// TestImmutable wants the rule of the selector's marker to be enforced.
func TestImmutable(t *testing.T) {
	if k8sClient == nil {
		t.Skip("KUBEBUILDER_ASSETS names no folder with etcd and kube-apiserver")
	}
	widget := &appsv1.Widget{}
	widget.Namespace, widget.Name = "default", "immutable"
	if err := k8sClient.Create(t.Context(), widget); err != nil {
		t.Fatal(err)
	}
	if widget.Spec.Replicas == nil || *widget.Spec.Replicas != 1 {
		t.Error("the default of replicas is not set")
	}
	widget.Spec.Selector.MatchLabels = map[string]string{"app": "other"}
	if err := k8sClient.Update(t.Context(), widget); err == nil || !strings.Contains(err.Error(), "selector is immutable") {
		t.Errorf("an update of the selector: %v", err)
	}
}
