// This file wraps the function that validates a value: it writes what each call of a test gets.
// Bench compiles it into the package testscheme of validation-gen; see peersvalidation.go.
package testscheme

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"

	"k8s.io/apimachinery/pkg/util/validation/field"
)

// recordedCall is a value with the errors of its validation.
type recordedCall struct {
	Package, Test, Type string
	Update              bool
	Value, OldValue     any
	Options             map[string]bool
	Subresources        []string
	Errors              []recordedError
}

type recordedError struct{ Field, Type, Detail, Level string }

var calls atomic.Int64

func (v *ValidationTester) validate() field.ErrorList {
	errs := v.recordedValidate()
	t := reflect.TypeOf(v.value)
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	call := recordedCall{
		Package: t.PkgPath(), Test: v.T.Name(), Type: t.Name(), Update: v.isUpdate,
		Value: v.value, OldValue: v.oldValue, Options: v.options, Subresources: v.subresources,
	}
	for _, err := range errs {
		call.Errors = append(call.Errors, recordedError{
			Field: err.Field, Type: string(err.Type), Detail: err.Detail, Level: err.ValidationStabilityLevel.String(),
		})
	}
	text, err := json.Marshal(call)
	if err != nil {
		panic(err)
	}
	name := fmt.Sprintf("%s-%04d.call.json", strings.ReplaceAll(t.PkgPath(), "/", "_"), calls.Add(1))
	if err := os.WriteFile(filepath.Join(os.Getenv("PEERS_DIR"), name), text, 0o644); err != nil {
		panic(err)
	}
	return errs
}
