package structural

import (
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/defaulting"
	"k8s.io/apiextensions-apiserver/pkg/apiserver/schema/pruning"
	openapiv2 "k8s.io/apiextensions-apiserver/pkg/controller/openapi/v2"
	"k8s.io/apimachinery/pkg/runtime"
	"sigs.k8s.io/yaml"
)

// TestObjectCases runs the txtar files in testdata/objects, and the additional sections of
// the cases of TestSchemaCases. For a schema NAME.yaml, these are
//
//	NAME.skeleton   its skeleton
//	NAME.v2         the schema that the server publishes as OpenAPI v2, extensions unfolded
//	NAME.objects    objects, one per line
//
// and, with a line for each object,
//
//	NAME.kept       the result of PruneSkeleton, and the paths that it reports
//	NAME.pruned     the result of Prune for a value, and the paths that it reports
//	NAME.stored     the object as stored in a resource: defaulted, pruned, without nulls
//	NAME.judged     whether the skeleton and the schema accept it
//
// Results are compared with the server's functions, if there are any. -update-cases rewrites
// the existing sections except for schemas and objects.
func TestObjectCases(t *testing.T) {
	var files []string
	for _, pattern := range []string{"testdata/objects/*.txtar", "testdata/*.txtar"} {
		found, err := filepath.Glob(pattern)
		if err != nil || len(found) == 0 {
			t.Fatalf("no cases in %s: %v", pattern, err)
		}
		files = append(files, found...)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c := &schemaCase{file: file, archive: archive}
			changed := false
			for i, f := range archive.Files {
				name, kind := strings.TrimSuffix(f.Name, filepath.Ext(f.Name)), filepath.Ext(f.Name)
				run, known := objectSections()[kind]
				if !known {
					continue
				}
				schemaText, ok := c.section(name + ".yaml")
				if !ok {
					t.Fatalf("%s has no schema", f.Name)
				}
				lines, _ := c.section(name + ".objects")
				objects := strings.FieldsFunc(lines, func(r rune) bool { return r == '\n' })
				want := run(t, decodeProps(t, name, schemaText), objects)
				if want == string(f.Data) {
					continue
				}
				changed = true
				archive.Files[i].Data = []byte(want)
				if !*updateCases {
					t.Errorf("%s is\n%swant\n%s", f.Name, want, f.Data)
				}
			}
			if changed && *updateCases {
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
			}
		})
	}
}

// decodeProps decodes a schema without positions, because the model cannot represent all of
// these schemas. Unions are read, too.
func decodeProps(t testing.TB, name, text string) *caseSchema {
	t.Helper()
	if strings.Contains(text, "x-kubernetes-unions") {
		return decodeCase(t, name, text)
	}
	s := &caseSchema{name: name, props: &props{}}
	if err := yaml.Unmarshal([]byte(text), s.props); err != nil {
		t.Fatal(err)
	}
	s.schema, s.unheld = FromProps(s.props)
	return s
}

// objectSections returns the functions that compute the sections, by suffix.
func objectSections() map[string]func(t testing.TB, s *caseSchema, objects []string) string {
	return map[string]func(t testing.TB, s *caseSchema, objects []string) string{
		".skeleton": func(t testing.TB, s *caseSchema, _ []string) string { return skeletonOf(t, s).String() + "\n" },
		".v2":       func(t testing.TB, s *caseSchema, _ []string) string { return publishedV2(t, s.schema) },
		".kept": eachObject(func(t testing.TB, s *caseSchema, object map[string]any) string {
			return telling("drops", texts(PruneSkeleton(skeletonOf(t, s), object)))
		}),
		".pruned": eachObject(func(t testing.TB, s *caseSchema, object map[string]any) string {
			want := runtime.DeepCopyJSON(object)
			paths := texts(Prune(s.schema, object, false))
			told := pruning.PruneWithOptions(want, upstream(t, s.schema), false, schema.UnknownFieldPathOptions{TrackUnknownFieldPaths: true})
			sameAsServer(t, object, want)
			sameAsServer(t, paths, told)
			return telling("drops", paths)
		}),
		".stored": eachObject(func(t testing.TB, s *caseSchema, object map[string]any) string {
			want, server := runtime.DeepCopyJSON(object), upstream(t, s.schema)
			if err := defaulting.PruneDefaults(server); err != nil {
				t.Fatal(err)
			}
			defaulting.Default(want, server)
			pruning.Prune(want, server, true)
			defaulting.PruneNonNullableNullsWithoutDefaults(want, server)
			defaults, err := PruneDefaults(s.schema)
			if err != nil {
				t.Fatal(err)
			}
			var filled []string
			for _, d := range Default(defaults, object) {
				filled = append(filled, d.Path.String()+"="+string(d.Schema.Default.Raw))
			}
			out := telling("defaults", filled) + telling("drops", texts(Prune(defaults, object, true)))
			out += telling("drops null", texts(PruneNonNullableNullsWithoutDefaults(defaults, object)))
			sameAsServer(t, object, want)
			return out
		}),
		".judged": eachObject(func(t testing.TB, s *caseSchema, object map[string]any) string {
			judge := func(p *props) string {
				if len(validator(t, p)(object)) > 0 {
					return "rejects"
				}
				return "accepts"
			}
			return fmt.Sprintf("; the skeleton %s it, the schema %s it", judge(fromText(t, skeletonOf(t, s).String())), judge(s.props))
		}),
	}
}

func eachObject(f func(t testing.TB, s *caseSchema, object map[string]any) string) func(testing.TB, *caseSchema, []string) string {
	return func(t testing.TB, s *caseSchema, objects []string) string {
		var b strings.Builder
		for _, text := range objects {
			object := fromJSON(t, text).(map[string]any)
			told := f(t, s, object)
			b.WriteString(mustJSON(t, object) + told + "\n")
		}
		return b.String()
	}
}

func telling(what string, list []string) string {
	if len(list) == 0 {
		return ""
	}
	return "; " + what + " " + strings.Join(list, ", ")
}

func sameAsServer(t testing.TB, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, the server has %v", got, want)
	}
}

func skeletonOf(t testing.TB, s *caseSchema) *Skeleton {
	t.Helper()
	skeleton, err := Skel(s.props)
	if err != nil {
		t.Fatal(err)
	}
	return skeleton
}

// publishedV2 returns the schema that the server publishes as OpenAPI v2. Unlike the server,
// it also unfolds unions.
func publishedV2(t testing.TB, s *Schema) string {
	t.Helper()
	unfolded := (&unfolder{intOrString: true, unions: true}).schema(s)
	out, err := yaml.Marshal(openapiv2.ToStructuralOpenAPIV2(upstream(t, unfolded)).ToKubeOpenAPI())
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}
