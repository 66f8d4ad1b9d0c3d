package generate

import (
	"reflect"
	"slices"
	"testing"
	"unsafe"

	"github.com/schemagen/schemagen/internal/companions/commandline"
	"github.com/schemagen/schemagen/internal/define"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/internal/run/runcache"
)

// TestEveryOptionIsInTheKey changes every field of a request, recursively, and checks that
// the key changes each time. Only the fields that a runner sets are left out.
func TestEveryOptionIsInTheKey(t *testing.T) {
	ofRunner := []string{".Options.Source.Lister", ".Options.Server", ".Options.Passes", ".Options.Source.Overlay", ".Options.Source.ReadFile", ".Options.Source.Inputs", ".Options.Source.Loaded"}
	var asked Request
	n := 0
	// change changes a value, recursively, and calls changed for each change.
	var change func(name string, v reflect.Value)
	changed := func(name string, v, to reflect.Value) {
		t.Helper()
		n++
		before := mustKey(t, asked)
		v.Set(to)
		if mustKey(t, asked) == before {
			t.Errorf("%s is not in the key", name)
		}
	}
	change = func(name string, v reflect.Value) {
		v = reflect.NewAt(v.Type(), unsafe.Pointer(v.UnsafeAddr())).Elem() // unexported fields too
		switch v.Kind() {
		case reflect.Struct:
			for i := range v.NumField() {
				if field := name + "." + v.Type().Field(i).Name; !slices.Contains(ofRunner, field) {
					change(field, v.Field(i))
				}
			}
			return
		case reflect.Bool:
			changed(name, v, reflect.ValueOf(true).Convert(v.Type()))
		case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint8, reflect.Uint16, reflect.Uint32, reflect.Uint64:
			changed(name, v, reflect.ValueOf(1).Convert(v.Type()))
		case reflect.String:
			changed(name, v, reflect.ValueOf("x").Convert(v.Type()))
		case reflect.Slice:
			changed(name, v, reflect.MakeSlice(v.Type(), 1, 1))
			change(name+"[]", v.Index(0))
		case reflect.Map:
			changed(name, v, reflect.MakeMap(v.Type()))
			v.SetMapIndex(reflect.Zero(v.Type().Key()), reflect.Zero(v.Type().Elem()))
			changed(name+"[x]", v, reflect.MakeMap(v.Type()))
		case reflect.Pointer:
			changed(name, v, reflect.New(v.Type().Elem()))
			change(name, v.Elem())
		case reflect.Interface:
			changed(name, v, reflect.ValueOf(commandline.OutputDir("x")))
		default:
			t.Fatalf("%s is a %s: add its kind to this test", name, v.Type())
		}
		v.SetZero()
	}
	change("", reflect.ValueOf(&asked).Elem())
	if n < 60 {
		t.Errorf("got %d fields, want at least 60", n)
	}
}

func mustKey(t *testing.T, asked Request) string {
	t.Helper()
	key, err := runcache.Key(asked)
	if err != nil {
		t.Fatal(err)
	}
	return key
}

// TestKeysDiffer checks that each of these runs has a different key.
func TestKeysDiffer(t *testing.T) {
	runs := []Request{
		{}, {Options: define.Options{Source: define.Source{Dir: "x\xe9"}}}, {Options: define.Options{Source: define.Source{Dir: "x\xe8"}}}, {Options: define.Options{Source: define.Source{Dir: "x\ufffd"}}}, {Options: define.Options{Source: define.Source{Dir: `x\xe9`}}},
		{Options: define.Options{Source: define.Source{Patterns: []string{"a,b"}}}}, {Options: define.Options{Source: define.Source{Patterns: []string{"a", "b"}}}}, {Options: define.Options{Source: define.Source{Patterns: []string{`a","b`}}}},
		{Options: define.Options{Output: define.Output{MaxDescription: new(0)}}}, {Options: define.Options{Output: define.Output{MaxDescription: new(1)}}},
		{Options: define.Options{Output: define.Output{PreserveUnknownFields: new(false)}}}, {Options: define.Options{Output: define.Output{PreserveUnknownFields: new(true)}}},
		{Options: define.Options{Output: define.Output{Kinds: []string{"a"}}}}, {Options: define.Options{Output: define.Output{Groups: []string{"a"}}}},
		{Patch: &Patch{}}, {Patch: &Patch{Rule: commandline.OutputDir("a")}}, {Patch: &Patch{Rule: commandline.OutputArtifacts{Config: "a"}}}, {Patch: &Patch{Rule: commandline.OutputArtifacts{Code: "a"}}},
		{Companions: Companions{Rules: map[string]any{"a": commandline.OutputNone{}}}}, {Companions: Companions{Rules: map[string]any{"a": commandline.OutputStdout{}}}}, {Companions: Companions{Rules: map[string]any{"b": commandline.OutputStdout{}}}},
		{ProjectFile: (&project.File{Name: "a\xe9"}).Identity()}, {ProjectFile: (&project.File{Name: "a\xe8"}).Identity()},
		{ProjectFile: "a", Environment: []string{"b"}}, {ProjectFile: "a", Environment: []string{"b", ""}}, {Environment: []string{"a", "b"}},
	}
	seen := map[string]int{}
	for i, r := range runs {
		key := mustKey(t, r)
		if other, ok := seen[key]; ok {
			t.Errorf("runs %d and %d have the same key %s", other, i, key)
		}
		seen[key] = i
	}
	if _, err := runcache.Key(func() {}); err == nil {
		t.Error("Key(func() {}) succeeded, want an error")
	}
}
