package clients

import (
	"encoding/json"
	"reflect"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

// Known returns the types with methods of their own whose values go through these methods, by
// import path and name.
func Known() map[string]reflect.Type {
	return map[string]reflect.Type{
		"k8s.io/apimachinery/pkg/apis/meta/v1.Time":                     reflect.TypeFor[metav1.Time](),
		"k8s.io/apimachinery/pkg/apis/meta/v1.MicroTime":                reflect.TypeFor[metav1.MicroTime](),
		"k8s.io/apimachinery/pkg/apis/meta/v1.Duration":                 reflect.TypeFor[metav1.Duration](),
		"k8s.io/apimachinery/pkg/apis/meta/v1.FieldsV1":                 reflect.TypeFor[metav1.FieldsV1](),
		"k8s.io/apimachinery/pkg/api/resource.Quantity":                 reflect.TypeFor[resource.Quantity](),
		"k8s.io/apimachinery/pkg/util/intstr.IntOrString":               reflect.TypeFor[intstr.IntOrString](),
		"k8s.io/apimachinery/pkg/runtime.RawExtension":                  reflect.TypeFor[runtime.RawExtension](),
		"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1.JSON": reflect.TypeFor[apiextensionsv1.JSON](),
		"encoding/json.RawMessage":                                      reflect.TypeFor[json.RawMessage](),
		"encoding/json.Number":                                          reflect.TypeFor[json.Number](),
	}
}

func knownType(name string) reflect.Type { return Known()[name] }

// isZeroer is what encoding/json asks types about for omitzero.
type isZeroer interface{ IsZero() bool }
