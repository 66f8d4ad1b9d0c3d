// Package crdfields writes CustomResourceDefinitions in which one field is absent, null or
// empty, for tests of everything that reads definitions. The fields of the API type are found by
// reflection, so a field that Kubernetes adds is tested without a change here.
package crdfields

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// Case is a definition with a field in a certain form.
type Case struct {
	// Field is the path of the field, for example "spec.versions[0].schema", and Form what it is
	// replaced by: "absent", "null", "empty", "null element" or "empty element".
	Field, Form string
	JSON        []byte
}

// Name is the name of the case, which is also a valid file name.
func (c Case) Name() string {
	return strings.NewReplacer("[", "_", "]", "", ".", "_", " ", "_").Replace(c.Field + " " + c.Form)
}

// Base is the definition that the cases change. An API server accepts it, and it has a value of
// each struct type.
const Base = `{"apiVersion":"apiextensions.k8s.io/v1","kind":"CustomResourceDefinition",
"metadata":{"name":"widgets.example.com","labels":{"a":"b"},"annotations":{"a":"b"},"finalizers":["example.com/a"],
 "ownerReferences":[{"apiVersion":"v1","kind":"ConfigMap","name":"a","uid":"b"}],
 "managedFields":[{"manager":"a","operation":"Apply","apiVersion":"v1","fieldsType":"FieldsV1","fieldsV1":{}}]},
"spec":{"group":"example.com","scope":"Namespaced",
 "names":{"plural":"widgets","singular":"widget","kind":"Widget","listKind":"WidgetList","shortNames":["wd"],"categories":["all"]},
 "conversion":{"strategy":"Webhook","webhook":{"conversionReviewVersions":["v1"],"clientConfig":{"service":{"namespace":"a","name":"b"}}}},
 "versions":[{"name":"v1","served":true,"storage":true,
  "subresources":{"status":{},"scale":{"specReplicasPath":".spec.replicas","statusReplicasPath":".status.replicas"}},
  "additionalPrinterColumns":[{"name":"Text","type":"string","jsonPath":".spec.text"}],
  "selectableFields":[{"jsonPath":".spec.text"}],
  "schema":{"openAPIV3Schema":{"type":"object","properties":{
   "spec":{"type":"object","externalDocs":{"url":"https://example.com"},"x-kubernetes-validations":[{"rule":"true"}],"properties":{
    "text":{"type":"string"},"replicas":{"type":"integer"}}},
   "status":{"type":"object","properties":{"replicas":{"type":"integer"}}}}}}}]},
"status":{"storedVersions":["v1"],"acceptedNames":{"plural":"widgets","kind":"Widget"},
 "conditions":[{"type":"Established","status":"True"}]}}`

// Cases returns the cases, in the order of the fields.
func Cases() ([]Case, error) {
	w := &walker{seen: map[string]bool{}}
	w.fields(reflect.TypeFor[apiextensionsv1.CustomResourceDefinition](), nil)
	return w.cases, w.err
}

// walker collects the cases of a type.
type walker struct {
	cases []Case
	seen  map[string]bool
	err   error
}

// step leads from a value to a part of it: to a field or key if it is a string, to an element if
// it is an int.
type step any

// forms returns the values that replace one of a type.
func forms(t reflect.Type) (names, values []string) {
	names = []string{"null", "empty"}
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	empty := "{}"
	switch t {
	case reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime]():
		return names, []string{"null", `""`}
	}
	switch t.Kind() {
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return names, []string{"null", `""`}
		}
		element := `""`
		if k := t.Elem().Kind(); k == reflect.Struct || k == reflect.Pointer {
			element = "{}"
		}
		return append(names, "null element", "empty element"), []string{"null", "[]", "[null]", "[" + element + "]"}
	case reflect.Map:
		element := `""`
		if t.Elem().Kind() == reflect.Struct {
			element = "{}"
		}
		return append(names, "null element", "empty element"), []string{"null", "{}", `{"k":null}`, `{"k":` + element + "}"}
	case reflect.String:
		empty = `""`
	case reflect.Bool:
		empty = "false"
	case reflect.Int32, reflect.Int64, reflect.Float64:
		empty = "0"
	}
	return names, []string{"null", empty}
}

// fields adds the cases of the fields of a struct at a path.
func (w *walker) fields(t reflect.Type, path []step) {
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-":
			continue
		case name == "":
			w.fields(f.Type, path)
			continue
		}
		place := append(path[:len(path):len(path)], name)
		w.add(place, "absent", "")
		names, values := forms(f.Type)
		for i, form := range names {
			w.add(place, form, values[i])
		}
		w.below(f.Type, place)
	}
}

// below adds the cases of what a field contains. Of a schema in a schema, only the property spec
// of the root is looked into.
func (w *walker) below(t reflect.Type, path []step) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	switch t {
	case reflect.TypeFor[metav1.Time](), reflect.TypeFor[metav1.MicroTime](), reflect.TypeFor[metav1.FieldsV1](),
		reflect.TypeFor[apiextensionsv1.JSON](),
		reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrArray](), reflect.TypeFor[apiextensionsv1.JSONSchemaPropsOrBool]():
		return
	case reflect.TypeFor[apiextensionsv1.JSONSchemaProps]():
		if path[len(path)-1] != "openAPIV3Schema" {
			return
		}
	}
	switch t.Kind() {
	case reflect.Struct:
		w.fields(t, path)
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Struct {
			w.below(t.Elem(), append(path[:len(path):len(path)], 0))
		}
	case reflect.Map:
		if root := len(path) > 1 && path[len(path)-2] == "openAPIV3Schema"; root && path[len(path)-1] == "properties" {
			w.fields(t.Elem(), append(path[:len(path):len(path)], "spec"))
		}
	}
}

// add adds a case: the base with a JSON text at a path, or without the path if the text is empty.
func (w *walker) add(path []step, form, text string) {
	var root map[string]any
	decoder := json.NewDecoder(strings.NewReader(Base))
	decoder.UseNumber()
	if err := decoder.Decode(&root); err != nil {
		w.err = err
		return
	}
	var value any
	if text != "" {
		value = json.RawMessage(text)
	}
	changed := with(root, path, value)
	data, err := json.MarshalIndent(changed, "", " ")
	if err != nil {
		w.err = err
		return
	}
	field := written(path)
	if key := string(data); !w.seen[key] {
		w.seen[key] = true
		w.cases = append(w.cases, Case{field, form, append(bytes.TrimSpace(data), '\n')})
	}
}

// with returns a container with a value at a path; nil removes what is there.
func with(container any, path []step, value any) any {
	switch s := path[0].(type) {
	case string:
		object, _ := container.(map[string]any)
		if object == nil {
			object = map[string]any{}
		}
		switch {
		case len(path) > 1:
			object[s] = with(object[s], path[1:], value)
		case value == nil:
			delete(object, s)
		default:
			object[s] = value
		}
		return object
	default:
		list, _ := container.([]any)
		if len(list) == 0 {
			list = []any{nil}
		}
		list[0] = with(list[0], path[1:], value)
		return list
	}
}

// written returns a path as API servers write it.
func written(path []step) string {
	var out strings.Builder
	for i, s := range path {
		switch s := s.(type) {
		case int:
			fmt.Fprintf(&out, "[%d]", s)
		case string:
			if i > 0 {
				out.WriteByte('.')
			}
			out.WriteString(s)
		}
	}
	return out.String()
}
