// Package configurations compares what schemagen says about webhooks with the validation of
// kube-apiserver.
package configurations

import (
	"os"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kubernetes/pkg/apis/admissionregistration"
	"k8s.io/kubernetes/pkg/apis/admissionregistration/install"
	"k8s.io/kubernetes/pkg/apis/admissionregistration/validation"
)

// TestPatches checks that kube-apiserver refuses those configurations of testdata/config/patches.txt
// about which schemagen reports an error, and no others, for the same fields.
func TestPatches(t *testing.T) {
	text, err := os.ReadFile("../../testdata/config/patches.txt")
	if err != nil {
		t.Fatal(err)
	}
	scheme := runtime.NewScheme()
	install.Install(scheme)
	decoder := serializer.NewCodecFactory(scheme).UniversalDecoder()
	refused, accepted := 0, 0
	for block := range strings.SplitSeq(strings.TrimSpace(string(text)), "\n\n") {
		lines := strings.Split(block, "\n")
		if len(lines) < 2 || lines[1] == "no object" {
			continue
		}
		object, _, err := decoder.Decode([]byte(lines[1]), nil, nil)
		if err != nil {
			t.Errorf("%s: %v", lines[0], err)
			continue
		}
		errs := validate(object)
		findings := strings.Join(lines[2:], "\n")
		if len(errs) == 0 {
			accepted++
		} else {
			refused++
		}
		if (len(errs) > 0) != strings.Contains(findings, "error[") {
			t.Errorf("%s: kube-apiserver: %v\nschemagen: %s", lines[0], errs, findings)
		}
		for _, e := range errs {
			path := strings.TrimPrefix(e.Field, "webhooks[0].")
			if selective := strings.Contains(path, "elector") || strings.Contains(path, "matchConditions"); selective && !strings.Contains(findings, path+":") {
				t.Errorf("%s: kube-apiserver: %v\nschemagen does not name %s: %s", lines[0], e, path, findings)
			}
		}
	}
	if refused == 0 || accepted == 0 {
		t.Errorf("%d configurations are refused, %d accepted", refused, accepted)
	}
	t.Logf("%d refused, %d accepted", refused, accepted)
}

func validate(object runtime.Object) field.ErrorList {
	switch object := object.(type) {
	case *admissionregistration.MutatingWebhookConfiguration:
		return validation.ValidateMutatingWebhookConfiguration(object)
	case *admissionregistration.ValidatingWebhookConfiguration:
		return validation.ValidateValidatingWebhookConfiguration(object)
	}
	return nil
}
