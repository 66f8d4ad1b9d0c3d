package verify

import (
	"context"
	"flag"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"sort"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	"k8s.io/apiextensions-apiserver/pkg/apis/apiextensions"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	structuralschema "k8s.io/apiextensions-apiserver/pkg/apiserver/schema"
	"k8s.io/apimachinery/pkg/util/validation/field"
	"k8s.io/utils/ptr"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/apiserver"
)

var (
	conditionDir  = flag.String("conditions", "", "also compare conditions of the CRDs below this directory")
	conditionSeed = flag.Uint64("conditions-seed", 1, "seed of the changes that make schemas not structural")
)

// serverCondition is the message of the condition, from the server's functions
// (calculateCondition of its controller), with the errors of each version sorted: the server
// ranges over maps.
func serverCondition(t *testing.T, object *apiextensionsv1.CustomResourceDefinition) string {
	t.Helper()
	all := field.ErrorList{}
	if object.Spec.PreserveUnknownFields {
		all = append(all, field.Invalid(field.NewPath("spec", "preserveUnknownFields"), true, "must be false"))
	}
	for i, v := range object.Spec.Versions {
		if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
			continue
		}
		in := &apiextensions.CustomResourceValidation{}
		if err := apiextensionsv1.Convert_v1_CustomResourceValidation_To_apiextensions_CustomResourceValidation(v.Schema, in, nil); err != nil {
			t.Fatal(err)
		}
		s, err := structuralschema.NewStructural(in.OpenAPIV3Schema)
		if err != nil {
			return fmt.Sprintf("Unknown StructuralError failed to check validation schema for version %s: %v", v.Name, err)
		}
		errs := structuralschema.ValidateStructural(field.NewPath("spec", "versions").Index(i).Child("schema", "openAPIV3Schema"), s)
		sort.SliceStable(errs, func(i, j int) bool { return errs[i].Error() < errs[j].Error() })
		all = append(all, errs...)
	}
	if len(all) == 0 {
		return ""
	}
	return "True Violations " + all.ToAggregate().Error()
}

// disturb makes a schema not structural, in one of the ways that real schemas are not.
func disturb(r *rand.Rand, s *apiextensionsv1.JSONSchemaProps) {
	if len(s.Properties) > 0 && r.IntN(4) > 0 {
		var names []string
		for name := range s.Properties {
			names = append(names, name)
		}
		slices.Sort(names)
		name := names[r.IntN(len(names))]
		child := s.Properties[name]
		disturb(r, &child)
		s.Properties[name] = child
		return
	}
	junctor := apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{"disturbed": {Type: "string"}}}
	switch r.IntN(11) {
	case 0:
		s.Type = ""
	case 1:
		s.AnyOf = append(s.AnyOf, junctor)
	case 2:
		s.AllOf = append(s.AllOf, apiextensionsv1.JSONSchemaProps{Description: "text", Nullable: true, XIntOrString: true})
	case 3:
		s.Not = &apiextensionsv1.JSONSchemaProps{AdditionalProperties: &apiextensionsv1.JSONSchemaPropsOrBool{Allows: true}}
	case 4:
		s.XEmbeddedResource = true
	case 5:
		s.XIntOrString, s.XPreserveUnknownFields = true, ptr.To(true)
	case 6:
		s.Type = "map"
	case 7:
		s.Items = &apiextensionsv1.JSONSchemaPropsOrArray{Schema: &apiextensionsv1.JSONSchemaProps{}}
	case 8:
		s.OneOf = append(s.OneOf, apiextensionsv1.JSONSchemaProps{Properties: map[string]apiextensionsv1.JSONSchemaProps{"metadata": {}}})
	case 9:
		s.PatternProperties = map[string]apiextensionsv1.JSONSchemaProps{"^a": {Type: "string"}}
	case 10:
		s.XPreserveUnknownFields = ptr.To(false)
	}
}

// definitionsBelow calls f for the definitions in YAML files and archives below a directory.
func definitionsBelow(t *testing.T, dir string, f func(*crd.Definition)) {
	t.Helper()
	err := filepath.WalkDir(dir, func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		var files []txtar.File
		switch filepath.Ext(name) {
		case ".yaml", ".yml":
			data, err := os.ReadFile(name)
			if err != nil {
				return err
			}
			files = []txtar.File{{Name: name, Data: data}}
		case ".txtar":
			archive, err := txtar.ParseFile(name)
			if err != nil {
				return err
			}
			files = archive.Files
		}
		for _, file := range files {
			if !strings.HasSuffix(file.Name, "yaml") && !strings.HasSuffix(file.Name, "yml") || !strings.Contains(string(file.Data), "CustomResourceDefinition") || strings.Contains(string(file.Data), "{{") {
				continue
			}
			definitions, _ := Read(crd.File{Name: file.Name, Data: file.Data, Mixed: true})
			for _, d := range definitions {
				f(d)
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestConditionsMatchServer compares the condition with the server's own functions for the
// CRDs of testdata, or of -conditions, as they are and disturbed at random.
func TestConditionsMatchServer(t *testing.T) {
	r := rand.New(rand.NewPCG(*conditionSeed, 0))
	count, structural, violations, unknown := 0, 0, 0, 0
	compare := func(d *crd.Definition) {
		got := ""
		if c := conditionOf(d.CRD, d, ServerWording); c != nil {
			got = c.Status + " " + c.Reason + " " + c.Message
		}
		want := serverCondition(t, d.CRD)
		for range 100 {
			if got == want || !strings.HasPrefix(want, "Unknown") {
				break
			}
			want = serverCondition(t, d.CRD) // of several mistakes, the first in the order of a map
		}
		if got != want {
			t.Errorf("%s: condition\n%s\nwant\n%s", d.CRD.Name, got, want)
		}
		count++
		switch {
		case want == "":
			structural++
		case strings.HasPrefix(want, "True"):
			violations++
		default:
			unknown++
		}
	}
	dirs := []string{"../testdata", "../examples"}
	if *conditionDir != "" {
		dirs = append(dirs, *conditionDir)
	}
	for _, dir := range dirs {
		definitionsBelow(t, dir, func(d *crd.Definition) {
			compare(d)
			for range 3 {
				disturbed := fromProps(t, d.CRD.DeepCopy(), func(s *apiextensionsv1.JSONSchemaProps) {
					for range 1 + r.IntN(3) {
						disturb(r, s)
					}
				})
				compare(disturbed)
			}
		})
	}
	t.Logf("%d conditions: none %d, violations %d, unknown %d", count, structural, violations, unknown)
	if structural == 0 || violations == 0 || unknown == 0 {
		t.Error("not every kind of condition was compared")
	}
}

// fromProps returns the definition of an object after its schemas have been changed.
func fromProps(t *testing.T, object *apiextensionsv1.CustomResourceDefinition, change func(*apiextensionsv1.JSONSchemaProps)) *crd.Definition {
	t.Helper()
	for _, v := range object.Spec.Versions {
		if v.Schema != nil && v.Schema.OpenAPIV3Schema != nil {
			change(v.Schema.OpenAPIV3Schema)
		}
	}
	out, err := (&crd.Definition{CRD: object}).Completed()
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// TestCompatibility holds the verdicts on updates and features against the server and the
// KEP's plan.
func TestCompatibility(t *testing.T) {
	target, err := apiserver.NewTarget("")
	if err != nil {
		t.Fatal(err)
	}
	v := New(target, Options{})
	read := func(schema string, preserve bool) *crd.Definition {
		definitions, problems := Read(crd.File{Name: "crd.yaml", Data: []byte(manifestOf(schema))})
		if len(definitions) != 1 {
			t.Fatal(problems)
		}
		definitions[0].CRD.Spec.PreserveUnknownFields = preserve
		return definitions[0]
	}
	const bad, worse = "type: object\nproperties:\n  size: {minimum: 1}", "type: object\nproperties:\n  size: {minimum: 2}"
	const good = "type: object\nproperties:\n  size: {type: integer}"
	withWebhook := func(d *crd.Definition) *crd.Definition { use(d.CRD, webhookConversion); return d }
	for _, c := range []struct {
		name               string
		old, new           *crd.Definition
		server, proposal   string // request, accepted, condition
		refused, byPropose string // features
	}{
		{"a structural definition", nil, read(good, false), "create true false", "create true false", "", ""},
		{"a new definition", nil, read(bad, true), "create false true", "create false true",
			"pruning defaults webhook conversion unions", "pruning defaults webhook conversion unions"},
		{"not structural before", read(bad, true), read(worse, true), "update true true", "update true true",
			"pruning defaults webhook conversion unions", "pruning defaults webhook conversion unions"},
		{"structural before", read(good, true), read(worse, true), "update false true", "update false true",
			"pruning defaults webhook conversion unions", "pruning defaults webhook conversion unions"},
		{"mended", read(bad, true), read(good, false), "update true false", "update true false", "", ""},
		// The schema is structural, but unknown fields are preserved.
		{"only preserved", read(good, true), read(good, true), "update true true", "update true true", "defaults webhook conversion unions", ""},
		// The plan keeps a webhook that was there before; the server does not.
		{"with a webhook", withWebhook(read(bad, true)), withWebhook(read(worse, true)), "update false true", "update true true",
			"pruning defaults webhook conversion unions", "pruning defaults unions"},
	} {
		for wording, want := range map[Wording][2]string{ServerWording: {c.server, c.refused}, ProposalWording: {c.proposal, c.byPropose}} {
			c.new.Old = nil
			if c.old != nil {
				c.new.Old = c.old.CRD
			}
			got, err := v.Compatibility(context.Background(), c.new, wording)
			if err != nil {
				t.Fatal(err)
			}
			var refused []string
			for _, f := range got.Features {
				if f.Refused {
					refused = append(refused, f.Name)
				}
			}
			if text := fmt.Sprintf("%s %t %t", got.Request, got.Accepted, got.Condition != nil); text != want[0] || strings.Join(refused, " ") != want[1] {
				t.Errorf("%s, wording %d: %s, refused %v, want %v; errors %v", c.name, wording, text, refused, want, got.Errors)
			}
		}
	}
}
