// This file answers requests about CRDs with the server's strategy: defaults, the status that a
// server sets, validation. Bench compiles it into the package of the server; see peerscrds.go.
package customresourcedefinition

import (
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
)

func TestPeersServer(t *testing.T) {
	scheme := runtime.NewScheme()
	install.Install(scheme)
	decoder := serializer.NewCodecFactory(scheme).UniversalDecoder(apiextensions.SchemeGroupVersion)
	server := NewStrategy(scheme)
	read := func(name string) *apiextensions.CustomResourceDefinition {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		obj, err := runtime.Decode(decoder, text)
		if err != nil {
			t.Fatal(err)
		}
		return obj.(*apiextensions.CustomResourceDefinition)
	}
	names, err := filepath.Glob(filepath.Join(os.Getenv("PEERS_DIR"), "*.new.json"))
	if err != nil {
		t.Fatal(err)
	}
	answers := map[string][]string{}
	for _, name := range names {
		call := strings.TrimSuffix(name, ".new.json")
		obj := read(name)
		ctx := context.Background()
		texts := []string{}
		if _, err := os.Stat(call + ".old.json"); err == nil {
			old := read(call + ".old.json")
			if len(old.Status.StoredVersions) == 0 {
				server.PrepareForCreate(ctx, old)
			}
			server.PrepareForUpdate(ctx, obj, old)
			for _, err := range server.ValidateUpdate(ctx, obj, old) {
				texts = append(texts, err.Error())
			}
		} else {
			server.PrepareForCreate(ctx, obj)
			for _, err := range server.Validate(ctx, obj) {
				texts = append(texts, err.Error())
			}
		}
		answers[filepath.Base(call)] = texts
	}
	text, err := json.Marshal(answers)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(os.Getenv("PEERS_DIR"), "server.json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
}
