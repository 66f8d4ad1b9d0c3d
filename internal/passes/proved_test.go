package passes_test

import (
	"path/filepath"
	"strings"
	"testing"

	"golang.org/x/tools/txtar"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/internal/rules"
	"github.com/schemagen/schemagen/structural"
)

// TestOwnRulesAreProved wants the rules that schemagen writes, those in the definitions of the cases
// that no source of the case has, to read no field that an object need not have.
func TestOwnRulesAreProved(t *testing.T) {
	files, err := filepath.Glob("../../testdata/crd/*.txtar")
	if err != nil {
		t.Fatal(err)
	}
	own := map[string]bool{}
	for _, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if strings.Contains(string(archive.Comment), "\nverify: no") { // the server does not compile them
			continue
		}
		var sources strings.Builder
		for _, f := range archive.Files {
			if strings.HasSuffix(f.Name, ".go") {
				sources.Write(f.Data)
			}
		}
		for _, f := range archive.Files {
			var crd apiextensionsv1.CustomResourceDefinition
			if !strings.HasSuffix(f.Name, ".yaml") || yaml.Unmarshal(f.Data, &crd) != nil {
				continue
			}
			for _, v := range crd.Spec.Versions {
				if v.Schema == nil || v.Schema.OpenAPIV3Schema == nil {
					continue
				}
				var visit func(s *structural.Schema)
				visit = func(s *structural.Schema) {
					for _, rule := range s.XValidations {
						if strings.Contains(sources.String(), rule.Rule) || strings.Contains(sources.String(), strings.ReplaceAll(rule.Rule, `"`, `\"`)) {
							continue
						}
						own[rule.Rule] = true
						if a := rules.Reads(rule, s, rules.Inside); a == nil || len(a.Failing) > 0 {
							t.Errorf("%s: %s may fail: %+v", filepath.Base(file), rule.Rule, a)
						}
					}
					for _, child := range s.Children() {
						visit(child)
					}
				}
				root, _ := structural.FromProps(v.Schema.OpenAPIV3Schema)
				visit(root)
			}
		}
	}
	t.Logf("%d rules", len(own))
	if len(own) < 100 {
		t.Errorf("only %d rules of schemagen's own are in the cases", len(own))
	}
}
