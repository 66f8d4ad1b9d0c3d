// This file wraps the functions that validate CRDs: it writes what each call gets, as a client
// would send it. Bench compiles it into the package of the server; see peerscrds.go.
package validation

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"sync/atomic"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"
)

var calls atomic.Int64

func ValidateCustomResourceDefinition(ctx context.Context, obj *apiextensions.CustomResourceDefinition) field.ErrorList {
	record := recorded(obj, nil)
	errs := recordedValidateCustomResourceDefinition(ctx, obj)
	record(errs)
	return errs
}

func ValidateCustomResourceDefinitionUpdate(ctx context.Context, obj, oldObj *apiextensions.CustomResourceDefinition) field.ErrorList {
	record := recorded(obj, oldObj)
	errs := recordedValidateCustomResourceDefinitionUpdate(ctx, obj, oldObj)
	record(errs)
	return errs
}

// recorded writes a call, whose name is printed, so that it belongs to the test that runs, and
// returns a function that writes its result.
func recorded(obj, oldObj *apiextensions.CustomResourceDefinition) func(field.ErrorList) {
	name := filepath.Join(os.Getenv("PEERS_DIR"), fmt.Sprintf("%04d", calls.Add(1)))
	fmt.Printf("PEERS-CALL %s\n", filepath.Base(name))
	write(name+".new.json", obj)
	if oldObj != nil {
		write(name+".old.json", oldObj)
	}
	return func(errs field.ErrorList) {
		texts := []string{}
		for _, err := range errs {
			texts = append(texts, err.Error())
		}
		text, err := json.Marshal(texts)
		if err != nil {
			panic(err)
		}
		if err := os.WriteFile(name+".errors.json", text, 0o644); err != nil {
			panic(err)
		}
	}
}

// write writes nothing if v1 cannot express the object.
func write(name string, obj *apiextensions.CustomResourceDefinition) {
	out := &apiextensionsv1.CustomResourceDefinition{}
	err := apiextensionsv1.Convert_apiextensions_CustomResourceDefinition_To_v1_CustomResourceDefinition(obj.DeepCopy(), out, nil)
	if err != nil {
		return
	}
	out.APIVersion = "apiextensions.k8s.io/v1"
	out.Kind = "CustomResourceDefinition"
	text, err := json.Marshal(out)
	if err != nil {
		return
	}
	if err := os.WriteFile(name, text, 0o644); err != nil {
		panic(err)
	}
}
