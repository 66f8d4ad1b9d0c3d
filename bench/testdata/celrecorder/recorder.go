// This file wraps the functions that evaluate rules and read their field paths: it writes what
// each call of a test gets. Bench compiles it into the package of the server; see peerscel.go.
package cel

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"

	apiextensions "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/kube-openapi/pkg/validation/spec"
)

// recordedCall is a schema with an object, which is nil for tests that only read a field path.
type recordedCall struct {
	Schema            *spec.Schema
	Object, OldObject any
	Errors            []string
}

var calls atomic.Int64

func (s *Validator) Validate(
	ctx context.Context, fldPath *field.Path, sts *schema.Structural,
	obj, oldObj interface{}, costBudget int64, opts ...Option,
) (field.ErrorList, int64) {
	call := recordedCall{Object: obj, OldObject: oldObj, Errors: []string{}}
	errs, remaining := s.recordedValidate(ctx, fldPath, sts, obj, oldObj, costBudget, opts...)
	for _, err := range errs {
		call.Errors = append(call.Errors, err.Error())
	}
	described := sts.ToKubeOpenAPI()
	if object, ok := obj.(map[string]interface{}); ok && s.isResourceRoot && object["metadata"] != nil {
		described.AddExtension("x-kubernetes-embedded-resource", true)
	}
	call.write(described)
	return errs, remaining
}

func ValidFieldPath(
	path string, s *schema.Structural, options ...ValidFieldPathOption,
) (*field.Path, *schema.Structural, error) {
	valid, found, err := recordedValidFieldPath(path, s, options...)
	if _, file, _, _ := runtime.Caller(1); strings.HasSuffix(file, "_test.go") {
		call := recordedCall{Errors: []string{}}
		if err != nil {
			call.Errors = append(call.Errors, err.Error())
		}
		described := *s
		described.XValidations = apiextensions.ValidationRules{{Rule: "true", FieldPath: path}}
		call.write(described.ToKubeOpenAPI())
	}
	return valid, found, err
}

// write writes a call, whose name is printed, so that it belongs to the test that runs. It writes
// nothing if JSON cannot express the object.
func (c recordedCall) write(described *spec.Schema) {
	c.Schema = described
	name := fmt.Sprintf("%04d", calls.Add(1))
	fmt.Printf("PEERS-CALL %s\n", name)
	text, err := json.Marshal(c)
	if err != nil {
		return
	}
	if err := os.WriteFile(filepath.Join(os.Getenv("PEERS_DIR"), name+".call.json"), text, 0o644); err != nil {
		panic(err)
	}
}
