// This file makes a CRD and a custom resource of each recorded call, and handles requests for them
// with the server's code. Bench compiles it into the package of the server; see peerscel.go.
package customresource

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/install"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/objectmeta"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/validation"
	"k8s.io/apiextensions-apiserver/pkg/registry/customresourcedefinition"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	utiljson "k8s.io/apimachinery/pkg/util/json"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/apiserver/pkg/warning"
)

type peersCall struct {
	Schema            map[string]any
	Object, OldObject any
}

// peersAnswer is the answer to a CRD and to an object of it. Served is not set if no server can
// serve the CRD.
type peersAnswer struct {
	CRD, Object []string
	Served      bool
}

type peersWarnings struct{ texts []string }

func (w *peersWarnings) AddWarning(_, text string) { w.texts = append(w.texts, "warning: "+text) }

func TestPeersServer(t *testing.T) {
	names, err := filepath.Glob(filepath.Join(os.Getenv("PEERS_DIR"), "*.call.json"))
	if err != nil {
		t.Fatal(err)
	}
	scheme := runtime.NewScheme()
	install.Install(scheme)
	decoder := serializer.NewCodecFactory(scheme).UniversalDecoder(apiextensions.SchemeGroupVersion)
	strategy := customresourcedefinition.NewStrategy(scheme)
	answers := map[string]peersAnswer{}
	for _, path := range names {
		name := strings.TrimSuffix(filepath.Base(path), ".call.json")
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		var call peersCall
		if err := utiljson.Unmarshal(text, &call); err != nil {
			t.Fatal(err)
		}
		obj, err := runtime.Decode(decoder, write(t, "crds", name, peersCRD(name, call.Schema)))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		crd := obj.(*apiextensions.CustomResourceDefinition)
		ctx := context.Background()
		strategy.PrepareForCreate(ctx, crd)
		answer := peersAnswer{CRD: peersTexts(strategy.Validate(ctx, crd)), Object: []string{}}
		if call.Object != nil {
			object := write(t, kindOfCall(call), name, peersObject(name, call.Object))
			var old []byte
			if call.OldObject != nil {
				old = write(t, "old", name, peersObject(name, call.OldObject))
			}
			answer.Object, err = peersRequest(crd, object, old)
			answer.Served = err == nil
		}
		answers[name] = answer
	}
	write(t, "", "server", answers)
}

// kindOfCall returns the directory for the object of a call.
func kindOfCall(call peersCall) string {
	if call.OldObject != nil {
		return "update"
	}
	return "create"
}

// write writes JSON into a directory and returns it.
func write(t *testing.T, dir, name string, value any) []byte {
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	dir = filepath.Join(os.Getenv("PEERS_DIR"), dir)
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name+".json"), text, 0o644); err != nil {
		t.Fatal(err)
	}
	return text
}

func peersCRD(name string, s map[string]any) any {
	return map[string]any{
		"apiVersion": "apiextensions.k8s.io/v1",
		"kind":       "CustomResourceDefinition",
		"metadata":   map[string]any{"name": "k" + name + "s.peers.test"},
		"spec": map[string]any{
			"group": "peers.test",
			"scope": "Cluster",
			"names": map[string]any{
				"plural": "k" + name + "s", "singular": "k" + name, "kind": "K" + name, "listKind": "K" + name + "List",
			},
			"versions": []any{map[string]any{
				"name": "v1", "served": true, "storage": true,
				"schema": map[string]any{"openAPIV3Schema": map[string]any{
					"type": "object", "properties": map[string]any{"root": s},
				}},
			}},
		},
	}
}

func peersObject(name string, root any) any {
	return map[string]any{
		"apiVersion": "peers.test/v1", "kind": "K" + name, "metadata": map[string]any{"name": "a"}, "root": root,
	}
}

// peersRequest handles the creation of an object, or its update if there is an old one.
func peersRequest(crd *apiextensions.CustomResourceDefinition, object, old []byte) ([]string, error) {
	schemas, err := apiextensions.GetSchemaForVersion(crd, "v1")
	if err != nil {
		return nil, err
	}
	structural, err := structuralschema.NewStructural(schemas.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	if err := defaulting.PruneDefaults(structural); err != nil {
		return nil, err
	}
	validator, _, err := validation.NewSchemaValidator(schemas.OpenAPIV3Schema)
	if err != nil {
		return nil, err
	}
	decode := func(text []byte) (*unstructured.Unstructured, error) {
		out := &unstructured.Unstructured{}
		if err := utiljson.Unmarshal(text, &out.Object); err != nil {
			return nil, err
		}
		apiVersion, kind, metadata := out.GetAPIVersion(), out.GetKind(), out.Object["metadata"]
		defaulting.Default(out.Object, structural)
		pruning.PruneWithOptions(out.Object, structural, true, structuralschema.UnknownFieldPathOptions{})
		defaulting.PruneNonNullableNullsWithoutDefaults(out.Object, structural)
		wrong, _ := objectmeta.CoerceWithOptions(nil, out.Object, structural, false, objectmeta.CoerceOptions{})
		if wrong != nil {
			return nil, errors.New(wrong.Error())
		}
		out.SetAPIVersion(apiVersion)
		out.SetKind(kind)
		out.Object["metadata"] = metadata
		return out, nil
	}
	after, err := decode(object)
	if err != nil {
		return nil, err
	}
	kind := schema.GroupVersionKind{Group: crd.Spec.Group, Version: "v1", Kind: crd.Spec.Names.Kind}
	strategy := NewStrategy(runtime.NewScheme(), false, kind, validator, nil, structural, nil, nil, nil)
	recorder := &peersWarnings{}
	ctx := warning.WithWarningRecorder(context.Background(), recorder)
	if old == nil {
		strategy.PrepareForCreate(ctx, after)
		return append(peersTexts(strategy.Validate(ctx, after)), recorder.texts...), nil
	}
	before, err := decode(old)
	if err != nil {
		return nil, err
	}
	before.SetResourceVersion("1")
	after.SetResourceVersion("1")
	strategy.PrepareForUpdate(ctx, after, before)
	return append(peersTexts(strategy.ValidateUpdate(ctx, after, before)), recorder.texts...), nil
}

// typeNumber matches the names of types, which the server derives from the time.
var typeNumber = regexp.MustCompile(`selfType\d+`)

// peersTexts returns errors as schemagen prints them: without a field if they are about the object.
func peersTexts(errs field.ErrorList) []string {
	texts := []string{}
	for _, err := range errs {
		text := err.Error()
		if err.Field == "<nil>" || err.Field == "" {
			text = err.Detail
		}
		texts = append(texts, typeNumber.ReplaceAllString(text, "selfType"))
	}
	slices.Sort(texts)
	return texts
}
