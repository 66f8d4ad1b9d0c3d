package structural

// ObjectMeta returns the schema of the metadata of every object, as the server
// publishes it (io.k8s.apimachinery.pkg.apis.meta.v1.ObjectMeta), without
// descriptions, defaults and what the model has no place for. The result is the
// caller's.
func ObjectMeta() *Schema {
	leaf := func(typ string) *Schema { return &Schema{Generic: Generic{Type: typ}} }
	formatted := func(typ, format string) *Schema {
		return &Schema{Generic: Generic{Type: typ}, ValueValidation: &ValueValidation{Format: format}}
	}
	object := func(properties ...Property) *Schema {
		return &Schema{Generic: Generic{Type: "object"}, Properties: properties}
	}
	list := func(items *Schema, x Extensions) *Schema {
		return &Schema{Generic: Generic{Type: "array"}, Extensions: x, Items: items}
	}
	texts := func() *Schema {
		return &Schema{Generic: Generic{Type: "object"}, AdditionalProperties: &SchemaOrBool{Schema: leaf("string")}}
	}

	owner := object(
		Property{"apiVersion", leaf("string")},
		Property{"blockOwnerDeletion", leaf("boolean")},
		Property{"controller", leaf("boolean")},
		Property{"kind", leaf("string")},
		Property{"name", leaf("string")},
		Property{"uid", leaf("string")},
	)
	owner.XMapType = "atomic"
	owner.ValueValidation = &ValueValidation{Required: []string{"apiVersion", "kind", "name", "uid"}}
	manager := object(
		Property{"apiVersion", leaf("string")},
		Property{"fieldsType", leaf("string")},
		Property{"fieldsV1", leaf("object")},
		Property{"manager", leaf("string")},
		Property{"operation", leaf("string")},
		Property{"subresource", leaf("string")},
		Property{"time", formatted("string", "date-time")},
	)
	return object(
		Property{"annotations", texts()},
		Property{"creationTimestamp", formatted("string", "date-time")},
		Property{"deletionGracePeriodSeconds", formatted("integer", "int64")},
		Property{"deletionTimestamp", formatted("string", "date-time")},
		Property{"finalizers", list(leaf("string"), Extensions{XListType: "set"})},
		Property{"generateName", leaf("string")},
		Property{"generation", formatted("integer", "int64")},
		Property{"labels", texts()},
		Property{"managedFields", list(manager, Extensions{XListType: "atomic"})},
		Property{"name", leaf("string")},
		Property{"namespace", leaf("string")},
		Property{"ownerReferences", list(owner, Extensions{XListType: "map", XListMapKeys: []string{"uid"}})},
		Property{"resourceVersion", leaf("string")},
		Property{"selfLink", leaf("string")},
		Property{"uid", leaf("string")},
	)
}
