package crdinstall

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"text/template"

	"github.com/schemagen/schemagen/internal/define"
)

// renderHelm renders a template as Helm does, with what its values say of CRDs.
func renderHelm(t testing.TB, text []byte, install, keep bool) string {
	t.Helper()
	parsed, err := template.New("crd.yaml").Option("missingkey=zero").Parse(string(text))
	if err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	var out strings.Builder
	values := map[string]any{"Values": map[string]any{"crds": map[string]any{"install": install, "keep": keep}}}
	if err := parsed.Execute(&out, values); err != nil {
		t.Fatalf("%v in\n%s", err, text)
	}
	return out.String()
}

// FuzzHelmTemplate checks that the template of any document renders to the document.
func FuzzHelmTemplate(f *testing.F) {
	for _, text := range []string{
		"", "{{", "{{{", "{{{{ }}", "}} {{- x -}} {{/* y */}}", "a {{ .Values.b | quote }}\n", "`{{`", "\"{{\"", "{", " {{", "\t{{\n", "{{ \"{{\" }}",
	} {
		f.Add("a: "+text+"\n", true)
		f.Add("a: "+text+"\n", false)
		f.Add(text, true)
	}
	f.Fuzz(func(t *testing.T, text string, annotated bool) {
		document := "---\nkind: CustomResourceDefinition\nmetadata:\n"
		if annotated {
			document += "  annotations:\n    a: \"1\"\n"
		}
		document += "  name: x\nspec: " + text + "\n"
		made := HelmTemplate([]byte(document))
		if got := renderHelm(t, made, true, false); got != document {
			t.Errorf("%q renders to %q, want it unchanged", document, got)
		}
		if back, ok := HelmDocument(made); !ok || string(back) != document {
			t.Errorf("HelmDocument of %q, made of %q, is %q (%v)", made, document, back, ok)
		}
		if back, ok := HelmDocument([]byte(strings.Replace(string(made), "kind:", "{{ .Mine }}\nkind:", 1))); ok {
			t.Errorf("HelmDocument accepts a modified template: %q", back)
		}
		if strings.Contains(document, "helm.sh/resource-policy") {
			return
		}
		kept := strings.Replace(document, "metadata:\n", "metadata:\n  annotations:\n"+keepLine, 1)
		if annotated {
			kept = strings.Replace(document, "  annotations:\n", "  annotations:\n"+keepLine, 1)
		}
		if got := renderHelm(t, made, true, true); got != kept {
			t.Errorf("kept, %q renders to %q", document, got)
		}
		if got := renderHelm(t, made, false, true); strings.TrimSpace(got) != "" {
			t.Errorf("not installed, %q renders to %q", document, got)
		}
	})
}

// TestHelmTemplateKeepsKeep checks that a definition with the annotation keep is
// rendered unchanged.
func TestHelmTemplateKeepsKeep(t *testing.T) {
	document := "---\nmetadata:\n  annotations:\n    a: b\n    helm.sh/resource-policy: keep\n  name: x\n"
	for _, keep := range []bool{true, false} {
		if got := renderHelm(t, HelmTemplate([]byte(document)), true, keep); got != document {
			t.Errorf("got %q, want it unchanged", got)
		}
	}
}

// TestHelmReleaseSize checks the size of incompressible data as Helm packs it: in base64
// within JSON, compressed, and in base64 again.
func TestHelmReleaseSize(t *testing.T) {
	random := rand.NewChaCha8([32]byte{})
	data := make([]byte, 300<<10)
	if _, err := random.Read(data); err != nil {
		t.Fatal(err)
	}
	hex := []byte(fmt.Sprintf("%x", data)) // 4 bits in each byte
	plain, err := HelmReleaseSize([]define.File{{Name: "a", Data: hex}}, false)
	if err != nil {
		t.Fatal(err)
	}
	templates, err := HelmReleaseSize([]define.File{{Name: "a", Data: hex}}, true)
	if err != nil {
		t.Fatal(err)
	}
	least := len(data) * 4 / 3
	if plain < least || plain > 2*least {
		t.Errorf("got size %[2]d for %[1]d random bytes", len(data), plain)
	}
	if templates < plain+least*9/10 {
		t.Errorf("got size %d as a file and %d as a template", plain, templates)
	}
	twice, err := HelmReleaseSize([]define.File{{Name: "a", Data: bytes.Repeat([]byte("a"), 1<<20)}}, true)
	if err != nil || twice > 10<<10 {
		t.Errorf("got size %d for a megabyte of one letter, error %v", twice, err)
	}
}

// TestKustomization checks the content of kustomization.yaml.
func TestKustomization(t *testing.T) {
	got, err := Kustomization([]string{"b.yaml", "a.yaml"})
	want := KustomizationMark + "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- a.yaml\n- b.yaml\n"
	if err != nil || string(got) != want {
		t.Errorf("got %s, error %v", got, err)
	}
	if got, err := Kustomization(nil); err != nil || !strings.HasSuffix(string(got), "\nresources: []\n") {
		t.Errorf("got %s, error %v", got, err)
	}
}
