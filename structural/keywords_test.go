package structural

import (
	"slices"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

func TestKeywords(t *testing.T) {
	p := &apiextensionsv1.JSONSchemaProps{Type: "string", Pattern: "a"}
	if got := SetKeywords(p); !slices.Equal(got, []string{"type", "pattern"}) {
		t.Errorf("set are %q", got)
	}
	if !ClearKeyword(p, "pattern") || ClearKeyword(p, "pattern") || ClearKeyword(p, "nonsense") || p.Pattern != "" {
		t.Error("a keyword was not cleared once")
	}
	CopyKeywords(p, &apiextensionsv1.JSONSchemaProps{Format: "uuid"})
	if p.Type != "string" || p.Format != "uuid" {
		t.Errorf("%+v", p)
	}
	for _, keyword := range []string{"$ref", "x-kubernetes-validations", "not", "nullable"} {
		if !slices.Contains(Keywords(), keyword) {
			t.Errorf("%s is no keyword", keyword)
		}
	}
}
