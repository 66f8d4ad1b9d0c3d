package v1

import (
	"strings"
	"testing"

	appsv1 "github.com/schemagen/schemagen/examples/operator/api/apps/v1"
)

// TestWebhooks wants the API server to call both webhooks.
func TestWebhooks(t *testing.T) {
	if k8sClient == nil {
		t.Skip("KUBEBUILDER_ASSETS names no folder with etcd and kube-apiserver")
	}
	widget := &appsv1.Widget{}
	widget.Namespace, widget.Name = "default", "refused"
	if err := k8sClient.Create(t.Context(), widget); err == nil || !strings.Contains(err.Error(), "spec.selector selects everything") {
		t.Errorf("a widget without a selector: %v", err)
	}
	widget.Name = "defaulted"
	widget.Spec.Selector.MatchLabels = map[string]string{"app": "defaulted"}
	if err := k8sClient.Create(t.Context(), widget); err != nil {
		t.Fatal(err)
	}
	if got := widget.Spec.MaxSurge; got == nil || got.StrVal != "25%" {
		t.Errorf("maxSurge is %v", got)
	}
}
