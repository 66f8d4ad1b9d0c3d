package generator

import (
	"context"
	"reflect"
	"testing"

	admissionregistrationv1 "k8s.io/api/admissionregistration/v1"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/ground/inputs"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

// TestInternal sets each field of Options, including nested ones, to a unique value, and
// checks that exactly the field of the same name of the internal options has it.
func TestInternal(t *testing.T) {
	var options Options
	n := 0
	fill(t, reflect.ValueOf(&options).Elem(), &n)
	options.Server = server{}
	same(t, "Options", reflect.ValueOf(options), reflect.ValueOf(options.internal()))
	if n < 35 {
		t.Errorf("got %d values", n)
	}
	same(t, "Options", reflect.ValueOf(Options{}), reflect.ValueOf(Options{}.internal()))
}

// fill sets a value, and everything that it contains, to something that is not zero and, as
// far as possible, differs from all other values of its type.
func fill(t *testing.T, v reflect.Value, n *int) {
	*n++
	switch v.Kind() {
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Int:
		v.SetInt(int64(*n))
	case reflect.Uint8:
		v.SetUint(uint64(*n % 256))
	case reflect.String:
		v.SetString("value " + string(rune('A'+*n)))
	case reflect.Struct:
		for i := range v.NumField() {
			fill(t, v.Field(i), n)
		}
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		fill(t, v.Index(0), n)
		fill(t, v.Index(1), n)
	case reflect.Map:
		key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
		fill(t, key, n)
		fill(t, value, n)
		v.Set(reflect.MakeMap(v.Type()))
		v.SetMapIndex(key, value)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		switch v.Interface().(type) {
		case *inputs.Reader, *define.Loaded: // they are passed on as they are
		default:
			fill(t, v.Elem(), n)
		}
	case reflect.Func:
		v.Set(reflect.ValueOf(func(string) ([]byte, error) { return nil, nil }))
	case reflect.Interface:
		if v.Type() != reflect.TypeFor[Server]() {
			t.Fatalf("no value for a %s", v.Type())
		}
	default:
		t.Fatalf("no value for a %s", v.Type())
	}
}

// same checks that two values are equal, regardless of the names of their types.
func same(t *testing.T, path string, public, internal reflect.Value) {
	t.Helper()
	switch public.Kind() {
	case reflect.Struct:
		if public.Type() == internal.Type() {
			break
		}
		for i := range public.NumField() {
			name := public.Type().Field(i).Name
			field := internal.FieldByName(name)
			if !field.IsValid() {
				t.Errorf("%s.%s is not copied", path, name)
				continue
			}
			same(t, path+"."+name, public.Field(i), field)
		}
		return
	case reflect.Slice:
		if public.Len() != internal.Len() || public.IsNil() != internal.IsNil() {
			t.Errorf("%s: got %v, want %v", path, internal, public)
			return
		}
		for i := range public.Len() {
			same(t, path+"[]", public.Index(i), internal.Index(i))
		}
		return
	case reflect.Pointer:
		if !public.IsNil() && !internal.IsNil() && public.Pointer() != internal.Pointer() {
			same(t, path, public.Elem(), internal.Elem())
			return
		}
	case reflect.Func:
		if public.Pointer() != internal.Pointer() {
			t.Errorf("%s: got a different function", path)
		}
		return
	}
	if public.IsZero() && internal.IsZero() {
		return
	}
	if !reflect.DeepEqual(public.Interface(), internal.Interface()) {
		t.Errorf("%s: got %v, want %v", path, internal, public)
	}
}

type server struct{}

func (server) Check(context.Context, []*crd.Definition) (diag.List, error) { return nil, nil }

func (server) Costs(context.Context, *apiextensionsv1.CustomResourceDefinition) ([]unions.RuleCost, error) {
	return nil, nil
}

func (server) JudgeUnion(*unions.Union, *structural.Schema) *unions.Judgement { return nil }

func (server) Handler() crd.Handler { return nil }

func (server) CheckWebhook(*admissionregistrationv1.ValidatingWebhook) field.ErrorList { return nil }

func (server) Before(uint) bool { return false }
