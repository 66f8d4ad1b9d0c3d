// This file replaces the client of Gateway API's tests: it asks schemagen instead of a server.
// Bench compiles it into their package; see peersgateway.go.
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/gateway-api/apis/v1"
	"sigs.k8s.io/gateway-api/apis/v1alpha2"
	"sigs.k8s.io/gateway-api/apis/v1alpha3"
	"sigs.k8s.io/gateway-api/apis/v1beta1"
	apisxv1alpha1 "sigs.k8s.io/gateway-api/apisx/v1alpha1"
)

var k8sClient = &requests{dir: os.Getenv("PEERS_DIR"), stored: map[string]bool{}}

// requests are numbered, because names of objects change from run to run. In a first run, all
// are written to dir, and succeed. In a second one, answers.json has the errors.
type requests struct {
	dir     string
	count   int
	answers map[string]string
	stored  map[string]bool
}

type statusRequests struct{ *requests }

func (r *requests) Create(_ context.Context, obj runtime.Object) error {
	number, err := r.next("create", obj)
	if err != nil {
		return err
	}
	name := objectName(obj)
	if text, failed := r.answers[number]; failed {
		return errors.New(text)
	}
	r.stored[name] = true
	return r.write("stored/"+name, obj)
}

func (r *requests) Update(_ context.Context, obj runtime.Object) error {
	return r.update("update", obj)
}

func (r *requests) Status() statusRequests { return statusRequests{r} }

func (r statusRequests) Update(_ context.Context, obj runtime.Object) error {
	return r.update("status", obj)
}

func (r *requests) update(verb string, obj runtime.Object) error {
	number, err := r.next(verb, obj)
	if err != nil {
		return err
	}
	name := objectName(obj)
	if !r.stored[name] {
		return fmt.Errorf("%q not found", name)
	}
	if text, failed := r.answers[number]; failed {
		return errors.New(text)
	}
	if r.answers != nil {
		return nil
	}
	old, err := os.ReadFile(filepath.Join(r.dir, "stored", name+".json"))
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.dir, verb+"-old", number+".json"), old, 0o644)
}

// next returns the number of a request. In the first run, it writes the object.
func (r *requests) next(verb string, obj runtime.Object) (string, error) {
	if r.count == 0 {
		text, err := os.ReadFile(filepath.Join(r.dir, "answers.json"))
		if err == nil {
			err = json.Unmarshal(text, &r.answers)
		}
		if err != nil && !errors.Is(err, os.ErrNotExist) {
			return "", err
		}
	}
	r.count++
	number := fmt.Sprintf("%04d", r.count)
	if r.answers != nil {
		return number, nil
	}
	return number, r.write(verb+"/"+number, obj)
}

func (r *requests) write(name string, obj runtime.Object) error {
	scheme := runtime.NewScheme()
	install := []func(*runtime.Scheme) error{
		v1.Install, v1beta1.Install, v1alpha3.Install, v1alpha2.Install, apisxv1alpha1.Install,
	}
	for _, f := range install {
		if err := f(scheme); err != nil {
			return err
		}
	}
	kinds, _, err := scheme.ObjectKinds(obj)
	if err != nil {
		return err
	}
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(obj)
	if err != nil {
		return err
	}
	content["apiVersion"] = kinds[0].GroupVersion().String()
	content["kind"] = kinds[0].Kind
	text, err := json.Marshal(content)
	if err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(r.dir, name+".json"), text, 0o644)
}

func objectName(obj runtime.Object) string {
	return obj.(interface{ GetName() string }).GetName()
}
