package publish

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/controller/openapi/builder"

	"github.com/schemagen/schemagen/internal/ground/plainjson"
)

var update = flag.Bool("update", false, "rewrite static.json and the expectations in testdata")

// upstream is the part of a document of the server's builder that is used.
type upstream struct {
	Definitions map[string]json.RawMessage
	Parameters  map[string]json.RawMessage
	Components  struct{ Schemas map[string]json.RawMessage }
	Paths       map[string]map[string]json.RawMessage
}

// TestStatic compares static.json with what the server's builder publishes about every
// resource.
//
// Left out of make generate: go generate runs it first, because the file is embedded.
func TestStatic(t *testing.T) {
	crd := &apiextensionsv1.CustomResourceDefinition{Spec: apiextensionsv1.CustomResourceDefinitionSpec{
		Group: "example.sample", Scope: apiextensionsv1.NamespaceScoped,
		Names: apiextensionsv1.CustomResourceDefinitionNames{Plural: "samples", Kind: "Sample", ListKind: "SampleList"},
		Versions: []apiextensionsv1.CustomResourceDefinitionVersion{{Name: "v1", Served: true, Subresources: &apiextensionsv1.CustomResourceSubresources{
			Status: &apiextensionsv1.CustomResourceSubresourceStatus{}, Scale: &apiextensionsv1.CustomResourceSubresourceScale{},
		}}},
	}}
	v2, err := builder.BuildOpenAPIV2(crd, "v1", builder.Options{V2: true})
	if err != nil {
		t.Fatal(err)
	}
	pruneDefaults(v2)
	v3, err := builder.BuildOpenAPIV3(crd, "v1", builder.Options{})
	if err != nil {
		t.Fatal(err)
	}
	want, err := json.MarshalIndent(static{V2: staticOf(t, v2), V3: staticOf(t, v3)}, "", "\t")
	if err != nil {
		t.Fatal(err)
	}
	want = append(plainjson.Plain(want), '\n')
	if *update {
		if err := os.WriteFile("static.json", want, 0o666); err != nil {
			t.Fatal(err)
		}
		return
	}
	if !bytes.Equal(want, staticText) {
		t.Error("static.json is out of date: run go generate ./publish")
	}
}

// TestKubeVersion checks that the release is that of the libraries.
func TestKubeVersion(t *testing.T) {
	text, err := os.ReadFile("../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if want := "k8s.io/apiextensions-apiserver v0." + strings.TrimPrefix(kubeVersion, "1.") + "."; !strings.Contains(string(text), want) {
		t.Errorf("go.mod has no %s", want)
	}
}

func staticOf(t *testing.T, document any) staticDialect {
	t.Helper()
	raw, err := json.Marshal(document)
	if err != nil {
		t.Fatal(err)
	}
	var doc upstream
	if err := json.Unmarshal(raw, &doc); err != nil {
		t.Fatal(err)
	}
	out := staticDialect{Definitions: map[string]json.RawMessage{}, Shared: doc.Parameters, Parameters: map[string][]parameter{}, Bodies: map[string]json.RawMessage{}}
	for _, from := range []map[string]json.RawMessage{doc.Definitions, doc.Components.Schemas} {
		for name, definition := range from {
			if !strings.HasPrefix(name, "sample.") {
				out.Definitions[name] = definition
			}
		}
	}
	for path, methods := range doc.Paths {
		if !strings.HasSuffix(path, "/namespaces/{namespace}/samples") && !strings.HasSuffix(path, "/samples/{name}") {
			continue
		}
		for method, text := range methods {
			if method == "parameters" {
				continue
			}
			var op struct {
				Parameters  []json.RawMessage
				RequestBody json.RawMessage
				Action      string `json:"x-kubernetes-action"`
			}
			var shared []json.RawMessage
			if err := json.Unmarshal(text, &op); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(methods["parameters"], &shared); err != nil {
				t.Fatal(err)
			}
			for _, value := range slices.Concat(op.Parameters, shared) {
				p := namedParameter(t, value, doc.Parameters)
				switch {
				case p.Name == "namespace":
					out.Namespace = p
				case p.Name == "name", p.Name == "body" && strings.Contains(string(value), "Sample"):
				default:
					out.Parameters[op.Action] = append(out.Parameters[op.Action], p)
				}
			}
			if op.RequestBody != nil && !strings.Contains(string(op.RequestBody), "Sample") {
				out.Bodies[op.Action] = op.RequestBody
			}
		}
	}
	for _, list := range out.Parameters {
		slices.SortFunc(list, func(a, b parameter) int { return strings.Compare(a.Name, b.Name) })
	}
	return out
}

func namedParameter(t *testing.T, value json.RawMessage, shared map[string]json.RawMessage) parameter {
	t.Helper()
	var p struct {
		Name string
		Ref  string `json:"$ref"`
	}
	if err := json.Unmarshal(value, &p); err != nil {
		t.Fatal(err)
	}
	if p.Ref != "" {
		if err := json.Unmarshal(shared[strings.TrimPrefix(p.Ref, "#/parameters/")], &p); err != nil {
			t.Fatal(err)
		}
	}
	return parameter{p.Name, value}
}
