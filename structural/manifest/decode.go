package manifest

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"

	"github.com/schemagen/schemagen/structural"
)

// maxStructs bounds the number of schemas and other API objects in a file; a schema
// takes a kilobyte or more.
const maxStructs = 300_000

// crd decodes a CRD. It reports whether to continue with the file.
func (r *reader) crd(manifest *Manifest) bool {
	d := &objectDecoder{reader: r, tree: manifest.tree, fields: map[reflect.Type]map[string][]int{}}
	crd := &apiextensionsv1.CustomResourceDefinition{}
	d.value(manifest.root, reflect.ValueOf(crd).Elem(), nil)
	if r.structsLeft < 0 {
		r.problem(int(manifest.tree.nodes[manifest.root].at), TooLarge, fmt.Sprintf("the file has more than %d schemas", maxStructs))
		return false
	}
	if d.failed {
		return true
	}
	crd.APIVersion = manifest.APIVersion
	crd.Kind = manifest.Kind
	manifest.CRD = crd
	manifest.Schemas = make([]*structural.Schema, len(crd.Spec.Versions))
	manifest.Unsupported = make([][]structural.Unsupported, len(crd.Spec.Versions))
	manifest.Unknown = make([][]structural.UnknownKeyword, len(crd.Spec.Versions))
	sourceSource := &source{manifest.tree, manifest.base}
	versions := sourceSource.Entries(structural.Node(manifest.tree.below(manifest.root, "spec", "versions")))
	for i, version := range crd.Spec.Versions {
		if version.Schema == nil {
			continue
		}
		var entry structural.Entry
		if i < len(versions) {
			entry = sourceSource.entry(manifest.tree.find(manifest.tree.below(int32(versions[i].Value), "schema"), "openAPIV3Schema"))
		}
		manifest.Schemas[i], manifest.Unsupported[i], manifest.Unknown[i] = structural.Decode(version.Schema.OpenAPIV3Schema, sourceSource, entry)
	}
	return true
}

// objectDecoder decodes a tree into API types like strict decoding by
// sigs.k8s.io/json, and reports all errors with the wording of the API server.
type objectDecoder struct {
	reader *reader
	tree   *tree
	fields map[reflect.Type]map[string][]int
	// failed is set if a value does not have the type of its field.
	failed bool
	// lenient is set below a type with its own UnmarshalJSON, which is not strict.
	lenient bool
}

// fieldsOf returns the indices of a struct's fields by their JSON names.
func (d *objectDecoder) fieldsOf(t reflect.Type) map[string][]int {
	if known, ok := d.fields[t]; ok {
		return known
	}
	out := map[string][]int{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case name == "-" || !f.IsExported() && !f.Anonymous:
		case name == "" && f.Anonymous:
			for name, inner := range d.fieldsOf(f.Type) {
				out[name] = append([]int{i}, inner...)
			}
		case name == "":
			out[f.Name] = []int{i}
		default:
			out[name] = []int{i}
		}
	}
	d.fields[t] = out
	return out
}

// value decodes a node into v, which must be settable.
func (d *objectDecoder) value(n int32, v reflect.Value, at *frame) {
	if d.reader.structsLeft < 0 {
		return
	}
	kind := d.tree.nodes[n].kind
	if v.Kind() == reflect.Pointer {
		if kind == nullNode {
			v.SetZero()
			return
		}
		if v.IsNil() {
			v.Set(reflect.New(v.Type().Elem()))
		}
		v = v.Elem()
	}
	switch v.Kind() {
	case reflect.Struct:
		if !d.self(n, v, at) {
			d.object(n, v, at)
		}
	case reflect.Map:
		d.object(n, v, at)
	case reflect.Slice:
		d.slice(n, v, at)
	default:
		d.scalar(n, v, at)
	}
}

// self decodes a node into v if v is a struct with its own UnmarshalJSON, and
// reports whether it is.
func (d *objectDecoder) self(n int32, v reflect.Value, at *frame) bool {
	kind := d.tree.nodes[n].kind
	switch p := v.Addr().Interface().(type) {
	case *apiextensionsv1.JSON:
		if kind != nullNode {
			p.Raw = d.tree.json(n)
		}
	case *apiextensionsv1.JSONSchemaPropsOrBool:
		*p = apiextensionsv1.JSONSchemaPropsOrBool{}
		switch kind {
		case mappingNode:
			p.Allows = true
			d.leniently(n, &p.Schema, at)
		case boolNode:
			p.Allows = d.tree.text(n) == "true"
		default:
			d.fail(n, "boolean or JSON schema expected")
		}
	case *apiextensionsv1.JSONSchemaPropsOrArray:
		*p = apiextensionsv1.JSONSchemaPropsOrArray{}
		switch kind {
		case mappingNode:
			d.leniently(n, &p.Schema, at)
		case sequenceNode:
			d.leniently(n, &p.JSONSchemas, at)
		default:
			d.dropped(n, "schema or list of schemas expected")
		}
	case *apiextensionsv1.JSONSchemaPropsOrStringArray:
		*p = apiextensionsv1.JSONSchemaPropsOrStringArray{}
		switch kind {
		case mappingNode:
			d.leniently(n, &p.Schema, at)
		case sequenceNode:
			d.leniently(n, &p.Property, at)
		default:
			d.dropped(n, "schema or list of names expected")
		}
	case json.Unmarshaler:
		switch err := p.UnmarshalJSON(d.tree.json(n)).(type) {
		case nil:
		case *json.UnmarshalTypeError:
			d.fail(n, typeError(err.Value, at, err.Type))
		default:
			d.fail(n, err.Error())
		}
	default:
		return false
	}
	return true
}

// leniently decodes a node into the value that into points to, inside a value with
// its own UnmarshalJSON.
func (d *objectDecoder) leniently(n int32, target any, at *frame) {
	previous := d.lenient
	d.lenient = true
	inner := *at
	inner.decodesItself = true
	d.value(n, reflect.ValueOf(target).Elem(), &inner)
	d.lenient = previous
}

// object decodes a node into a struct or a map with string keys.
func (d *objectDecoder) object(n int32, v reflect.Value, at *frame) {
	switch d.tree.nodes[n].kind {
	case nullNode:
		if v.Kind() == reflect.Map {
			v.SetZero()
		}
		return
	case mappingNode:
	default:
		d.mismatch(n, v, at)
		return
	}
	t := v.Type()
	var seen map[string]bool
	if d.tree.verbatim {
		seen = map[string]bool{}
	}
	unique := func(key int32, name string) {
		if seen[name] {
			d.strict(key, DuplicateField, "duplicate field ", at)
		} else if seen != nil {
			seen[name] = true
		}
	}
	if v.Kind() == reflect.Map {
		if v.IsNil() {
			v.Set(reflect.MakeMap(t))
		}
		element := reflect.New(t.Elem()).Elem()
		d.tree.eachEntry(n, func(key int32) {
			name := d.tree.text(key)
			unique(key, name)
			element.SetZero()
			d.value(key+1, element, &frame{parent: at, key: name, index: -1})
			v.SetMapIndex(reflect.ValueOf(name).Convert(t.Key()), element)
		})
		return
	}
	d.reader.structsLeft--
	fields := d.fieldsOf(t)
	d.tree.eachEntry(n, func(key int32) {
		name := d.tree.text(key)
		index, ok := fields[name]
		if !ok {
			d.strict(key, UnknownField, "unknown field ", at)
			return
		}
		unique(key, name)
		d.value(key+1, v.FieldByIndex(index), &frame{parent: at, key: name, index: -1, owner: t.Name()})
	})
}

func (d *objectDecoder) slice(n int32, v reflect.Value, at *frame) {
	switch d.tree.nodes[n].kind {
	case nullNode:
		v.SetZero()
		return
	case stringNode:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			if err := json.Unmarshal(d.tree.json(n), v.Addr().Interface()); err != nil {
				d.fail(n, err.Error())
			}
			return
		}
	case sequenceNode:
		i := 0
		d.tree.eachElement(n, func(int32) { i++ })
		if v.Type().Elem().Kind() == reflect.Struct && i > d.reader.structsLeft {
			d.reader.structsLeft = -1
			return
		}
		v.Grow(max(0, i-v.Len()))
		i = 0
		d.tree.eachElement(n, func(element int32) {
			if i >= v.Len() {
				v.SetLen(i + 1)
			}
			d.value(element, v.Index(i), &frame{parent: at, index: i})
			i++
		})
		v.SetLen(i)
		if i == 0 {
			v.Set(reflect.MakeSlice(v.Type(), 0, 0))
		}
		return
	}
	d.mismatch(n, v, at)
}

func (d *objectDecoder) scalar(n int32, v reflect.Value, at *frame) {
	kind := d.tree.nodes[n].kind
	var err error
	switch {
	case kind == nullNode:
	case kind == stringNode && v.Kind() == reflect.String:
		v.SetString(d.tree.text(n))
	case kind == boolNode && v.Kind() == reflect.Bool:
		v.SetBool(d.tree.text(n) == "true")
	case kind == numberNode && v.CanInt():
		var i int64
		i, err = strconv.ParseInt(d.tree.text(n), 10, v.Type().Bits())
		if err == nil {
			v.SetInt(i)
		}
	case kind == numberNode && v.CanUint():
		var u uint64
		u, err = strconv.ParseUint(d.tree.text(n), 10, v.Type().Bits())
		if err == nil {
			v.SetUint(u)
		}
	case kind == numberNode && v.CanFloat():
		var f float64
		f, err = strconv.ParseFloat(d.tree.text(n), v.Type().Bits())
		if err == nil {
			v.SetFloat(f)
		}
	default:
		d.mismatch(n, v, at)
	}
	if err != nil {
		d.mismatch(n, v, at)
	}
}

// mismatch reports a value that does not have the type of v.
func (d *objectDecoder) mismatch(n int32, v reflect.Value, at *frame) {
	if d.failed && d.reader.isFull() {
		return
	}
	what := d.tree.goKind(n)
	if what == "number" && (v.CanInt() || v.CanUint() || v.CanFloat()) {
		what += " " + d.tree.text(n)
	}
	d.fail(n, typeError(what, at, v.Type()))
}

// fail reports a value that cannot be decoded.
func (d *objectDecoder) fail(n int32, message string) {
	d.failed = true
	d.reader.problem(int(d.tree.nodes[n].at), WrongType, message)
}

// dropped reports a value that the API server ignores.
func (d *objectDecoder) dropped(n int32, expected string) {
	d.reader.problem(int(d.tree.nodes[n].at), DroppedField, expected+"; the API server silently drops this value")
}

// strict reports an error of strict decoding for a key.
func (d *objectDecoder) strict(key int32, kind ProblemKind, words string, at *frame) {
	if d.reader.isFull() {
		return
	}
	path := (&frame{parent: at, key: d.tree.text(key), index: -1}).String()
	message := words + strconv.Quote(path)
	if d.lenient {
		if kind == UnknownField {
			message += ", which the API server silently drops"
		} else {
			message += ", of which the API server silently uses the last"
		}
		kind = DroppedField
	}
	d.reader.problem(int(d.tree.nodes[key].at), kind, message)
}
