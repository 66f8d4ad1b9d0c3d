package install

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"text/template"

	"github.com/schemagen/schemagen/generator/driver"
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

// FuzzHelmTemplate wants the template of any document to render to the document.
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
			t.Errorf("%q renders to %q", document, got)
		}
		if back, ok := HelmDocument(made); !ok || string(back) != document {
			t.Errorf("%q was made of %q, and not of %q (%v)", made, document, back, ok)
		}
		if back, ok := HelmDocument([]byte(strings.Replace(string(made), "kind:", "{{ .Mine }}\nkind:", 1))); ok {
			t.Errorf("a template with %q was made by nobody", back)
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

// TestHelmTemplateKeepsKeep wants a definition that is to be kept anyway to stay as
// it is.
func TestHelmTemplateKeepsKeep(t *testing.T) {
	document := "---\nmetadata:\n  annotations:\n    a: b\n    helm.sh/resource-policy: keep\n  name: x\n"
	for _, keep := range []bool{true, false} {
		if got := renderHelm(t, HelmTemplate([]byte(document)), true, keep); got != document {
			t.Errorf("renders to %q", got)
		}
	}
}

// TestHelmReleaseSize wants what cannot be compressed to be counted as Helm packs it:
// in base64 within JSON, compressed, and in base64 again.
func TestHelmReleaseSize(t *testing.T) {
	random := rand.NewChaCha8([32]byte{})
	data := make([]byte, 300<<10)
	if _, err := random.Read(data); err != nil {
		t.Fatal(err)
	}
	hex := []byte(fmt.Sprintf("%x", data)) // 4 bits in each byte
	plain, err := HelmReleaseSize([]driver.File{{Name: "a", Data: hex}}, false)
	if err != nil {
		t.Fatal(err)
	}
	templates, err := HelmReleaseSize([]driver.File{{Name: "a", Data: hex}}, true)
	if err != nil {
		t.Fatal(err)
	}
	least := len(data) * 4 / 3
	if plain < least || plain > 2*least {
		t.Errorf("%d random bytes take %d", len(data), plain)
	}
	if templates < plain+least*9/10 {
		t.Errorf("they take %d in a file and %d in a template", plain, templates)
	}
	twice, err := HelmReleaseSize([]driver.File{{Name: "a", Data: bytes.Repeat([]byte("a"), 1<<20)}}, true)
	if err != nil || twice > 10<<10 {
		t.Errorf("a megabyte of one letter takes %d (%v)", twice, err)
	}
}

// TestKustomization holds the form of kustomization.yaml.
func TestKustomization(t *testing.T) {
	got, err := Kustomization([]string{"b.yaml", "a.yaml"})
	want := KustomizationMark + "apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization\nresources:\n- a.yaml\n- b.yaml\n"
	if err != nil || string(got) != want {
		t.Errorf("%s, %v", got, err)
	}
	if got, err := Kustomization(nil); err != nil || !strings.HasSuffix(string(got), "\nresources: []\n") {
		t.Errorf("%s, %v", got, err)
	}
}
