package define

import (
	"strings"

	"github.com/schemagen/schemagen/internal/source"
	"github.com/schemagen/schemagen/structural"
)

// Import paths of packages with types that the generator knows by name.
const (
	metav1Path       = source.MetaV1Path
	quantityPath     = "k8s.io/apimachinery/pkg/api/resource"
	runtimePath      = "k8s.io/apimachinery/pkg/runtime"
	unstructuredPath = "k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	intstrPath       = "k8s.io/apimachinery/pkg/util/intstr"
	crdV1beta1Path   = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1beta1"
	crdV1Path        = "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
)

// quantityPattern is the pattern that controller-tools generates for resource.Quantity.
const quantityPattern = `^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`

// KnownType returns the schema of a type whose JSON encoding does not follow from its Go
// declaration, or nil. The types come from controller-tools (pkg/crd/known_types.go).
func KnownType(path, name string) *draft {
	if !strings.HasPrefix(path, "k8s.io/api") {
		return nil // all known types are in apimachinery or apiextensions-apiserver
	}
	switch path + "." + name {
	case metav1Path + ".ObjectMeta":
		return typed("object", "")
	case metav1Path + ".Time", metav1Path + ".MicroTime":
		return typed("string", "date-time")
	case metav1Path + ".Duration":
		return typed("string", "")
	case metav1Path + ".Fields":
		d := typed("object", "")
		d.open = true
		return d
	case quantityPath + ".Quantity":
		d := intOrString()
		d.values.Pattern = quantityPattern
		return d
	case intstrPath + ".IntOrString":
		return intOrString()
	case runtimePath + ".RawExtension":
		d := typed("object", "")
		d.XPreserveUnknownFields = new(true)
		return d
	case unstructuredPath + ".Unstructured":
		return typed("object", "")
	case crdV1beta1Path + ".JSON", crdV1Path + ".JSON":
		d := &draft{}
		d.XPreserveUnknownFields = new(true)
		return d
	}
	return nil
}

// onlyKnownTypes reports whether a package has no usable types except for known ones.
func onlyKnownTypes(path string) bool { return path == quantityPath || path == intstrPath }

func typed(typ, format string) *draft {
	d := &draft{Generic: structural.Generic{Type: typ}}
	if format != "" {
		d.validation().Format = format
	}
	return d
}

func intOrString() *draft {
	d := &draft{}
	d.XIntOrString = true
	d.validation().AnyOf = []structural.NestedValueValidation{
		{ForbiddenGenerics: structural.Generic{Type: "integer"}},
		{ForbiddenGenerics: structural.Generic{Type: "string"}},
	}
	return d
}

// objectMeta returns the schema of those fields of ObjectMeta that are meaningful inside
// another object.
func objectMeta() *draft {
	stringMap := func() *draft {
		d := typed("object", "")
		d.additional = typed("string", "")
		return d
	}
	finalizers := typed("array", "")
	finalizers.items = typed("string", "")
	d := typed("object", "")
	d.object = true
	d.properties = []draftProperty{
		{"annotations", stringMap()},
		{"finalizers", finalizers},
		{"labels", stringMap()},
		{"name", typed("string", "")},
		{"namespace", typed("string", "")},
	}
	return d
}
