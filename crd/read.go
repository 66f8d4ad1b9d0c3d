package crd

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"github.com/schemagen/schemagen/structural/manifest"
)

// New returns the definition of a CustomResourceDefinition in memory, which is either of type
// [apiextensionsv1.CustomResourceDefinition] or has the same JSON, as an unstructured object has.
// Its parts have no positions. The object must not be changed while the definition is in use.
//
// The error is about objects that are not CRDs of apiextensions.k8s.io/v1, and about fields that
// such an object does not have. Whether an API server accepts the CRD is left to package verify.
func New(object runtime.Object) (*Definition, error) {
	if object, ok := object.(*apiextensionsv1.CustomResourceDefinition); ok {
		out, err := (&Definition{CRD: object, CheckSize: true}).Completed()
		if err != nil {
			return nil, errors.New("the CustomResourceDefinition is nil")
		}
		return out, nil
	}
	if object == nil {
		return nil, errors.New("the object is nil: want a CustomResourceDefinition")
	}
	data, err := json.Marshal(object)
	if err != nil {
		return nil, fmt.Errorf("a %T is not a CustomResourceDefinition: %w", object, err)
	}
	read, err := Parse("", data)
	if err != nil {
		return nil, fmt.Errorf("a %T is not a CustomResourceDefinition: %w", object, err)
	}
	read[0].Position = noPosition
	return read[0], nil
}

// Read reads the CustomResourceDefinitions of a YAML or JSON file, which may have several
// documents; see [Parse].
func Read(name string) ([]*Definition, error) {
	data, err := os.ReadFile(name)
	if err != nil {
		return nil, err
	}
	return Parse(name, data)
}

// Parse returns the CustomResourceDefinitions in the text of a YAML or JSON file, in their order.
// The name is used in positions. Documents of other kinds are skipped; a file without a CRD is an
// error.
//
// Everything that keeps an API server from reading the file is an error, with its line. Package
// verify has a Read that returns it as diagnostics instead, together with warnings.
func Parse(name string, data []byte) ([]*Definition, error) {
	manifests, problems, position := File{Name: name, Data: data}.Read()
	var errs []error
	for _, p := range problems {
		if p.Kind == manifest.DroppedField || p.Kind == manifest.ConvertedKey {
			continue // an API server reads the file nevertheless
		}
		if name == "" {
			errs = append(errs, errors.New(p.Message))
			continue
		}
		errs = append(errs, fmt.Errorf("%s: %s", position(p.Pos), p.Message))
	}
	if len(errs) > 0 {
		return nil, errors.Join(errs...)
	}
	var out []*Definition
	for _, m := range manifests {
		if d := FromManifest(m, position); d != nil {
			out = append(out, d)
		}
	}
	if len(out) == 0 {
		return nil, fmt.Errorf("%s has no CustomResourceDefinition of apiextensions.k8s.io/v1", cmp.Or(name, "the text"))
	}
	return out, nil
}
