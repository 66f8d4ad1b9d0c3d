package main

import (
	"reflect"
	"sync"

	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/validation"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/cel"
	celconfig "k8s.io/apiserver/pkg/apis/cel"
	"k8s.io/apiserver/pkg/cel/environment"
)

// environments are those of a server for new CRDs.
var environments = sync.OnceValue(func() *environment.EnvSet {
	// From 1.30 to 1.34 there is a second parameter, strictCost, which is true for CRDs.
	function := reflect.ValueOf(environment.MustBaseEnvSet)
	args := []reflect.Value{reflect.ValueOf(environment.DefaultCompatibilityVersion())}
	if function.Type().NumIn() > 1 {
		args = append(args, reflect.ValueOf(true))
	}
	return function.Call(args)[0].Interface().(*environment.EnvSet)
})

// compile compiles the rules of a schema as for a new CRD.
func compile(info *validation.CELTypeInfo) ([]cel.CompilationResult, error) {
	return cel.Compile(info.Schema, info.DeclType, celconfig.PerCallLimit, environments(), cel.NewExpressionsEnvLoader())
}
