package manifest

import (
	"bytes"
	"fmt"
	"go/token"
	"math/rand"
	"runtime"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"sigs.k8s.io/yaml"
)

// largeCRD returns a random CRD of about 900 kB in the style of controller-gen.
func largeCRD(tb testing.TB, seed int64) []byte {
	tb.Helper()
	r := rand.New(rand.NewSource(seed))
	words := strings.Fields("the pod a container's volume that field if it is set to null: must not be more than 5 of `these` names, e.g. \"kube\" More info: https://example.com/a#b or its")
	prose := func() string {
		var b strings.Builder
		for range 5 + r.Intn(40) {
			b.WriteString(words[r.Intn(len(words))])
			b.WriteByte(" \n"[min(1, r.Intn(12)/11)])
		}
		return strings.TrimSpace(b.String())
	}
	var node func(depth int) apiextensionsv1.JSONSchemaProps
	node = func(depth int) apiextensionsv1.JSONSchemaProps {
		p := apiextensionsv1.JSONSchemaProps{Description: prose(), Type: []string{"string", "string", "integer", "boolean"}[r.Intn(4)]}
		switch {
		case p.Type == "integer":
			p.Format = "int32"
		case p.Type == "string" && r.Intn(8) == 0:
			p.Enum = []apiextensionsv1.JSON{{Raw: []byte(`"A"`)}, {Raw: []byte(`"B"`)}}
		case p.Type == "string" && r.Intn(8) == 0:
			p.Default = &apiextensionsv1.JSON{Raw: []byte(`""`)}
			p.Pattern = "^[a-z]+$"
		}
		if depth == 0 {
			return p
		}
		if r.Intn(3) > 0 {
			p.Type, p.Format, p.Enum, p.Default, p.Pattern = "object", "", nil, nil, ""
			p.Properties = map[string]apiextensionsv1.JSONSchemaProps{}
			for i := range 2 + r.Intn(5) {
				p.Properties[fmt.Sprintf("field%d%s", i, words[i][:1])] = node(depth - 1)
			}
			p.Required = []string{"field0t"}
			if r.Intn(5) == 0 {
				p.XValidations = apiextensionsv1.ValidationRules{{Rule: "has(self.field0t) || self.field1p < 5", Message: "one of them must be set"}}
			}
			return p
		}
		items := node(depth - 1)
		p.Type, p.Format, p.Enum, p.Default, p.Pattern = "array", "", nil, nil, ""
		p.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &items}
		p.XListType = new("atomic")
		return p
	}
	crd := &apiextensionsv1.CustomResourceDefinition{TypeMeta: metav1.TypeMeta{APIVersion: "apiextensions.k8s.io/v1", Kind: "CustomResourceDefinition"}}
	crd.Name = "foos.example.com"
	root := apiextensionsv1.JSONSchemaProps{Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{}}
	crd.Spec.Versions = []apiextensionsv1.CustomResourceDefinitionVersion{
		{Name: "v1", Served: true, Storage: true, Schema: &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &root}},
	}
	var text []byte
	for i := 0; len(text) < 850_000; i++ {
		for j := range 2 {
			root.Properties[fmt.Sprintf("part%d%d", i, j)] = node(5)
		}
		var err error
		if text, err = yaml.Marshal(crd); err != nil {
			tb.Fatal(err)
		}
	}
	return text
}

// BenchmarkRead reads 25 CRDs of about 900 kB each.
func BenchmarkRead(b *testing.B) {
	var files [][]byte
	size := 0
	for seed := range 25 {
		files = append(files, largeCRD(b, int64(seed)))
		size += len(files[seed])
	}
	schemas := 0
	b.SetBytes(int64(size))
	b.ReportAllocs()
	for b.Loop() {
		schemas = 0
		for _, text := range files {
			manifests, problems := Read(token.NewFileSet(), "x", text)
			if len(manifests) != 1 || len(problems) > 0 {
				b.Fatal(problems)
			}
			schemas += bytes.Count(text, []byte("type: "))
		}
	}
	b.ReportMetric(float64(schemas), "schemas")
}

// TestLargeCRDs checks that large CRDs are read like by the server, by the fast reader, with
// memory of a small multiple of their size.
func TestLargeCRDs(t *testing.T) {
	text := largeCRD(t, 1)
	checkYAML(t, string(text))
	checkManifest(t, string(text))
	if block, _, _ := readBoth(string(text)); block == nil {
		t.Error("a CRD of the usual style is not read as plain blocks")
	}
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	manifests, _ := Read(token.NewFileSet(), "x", text)
	runtime.GC()
	runtime.ReadMemStats(&after)
	times := float64(after.HeapAlloc-before.HeapAlloc) / float64(len(text))
	t.Logf("%d bytes take %.1f times their size", len(text), times)
	if times > 12 {
		t.Error("that is too much")
	}
	runtime.KeepAlive(manifests)
}
