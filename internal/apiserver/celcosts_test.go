package apiserver

import (
	"os"
	"strconv"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"
)

// TestCostsOfVersions compares the cost of rules, and whether they compile, with the
// libraries of each version, as recorded in testdata/celcosts.tsv by `make cel-costs`.
func TestCostsOfVersions(t *testing.T) {
	text, err := os.ReadFile("testdata/celcosts.tsv")
	if err != nil {
		t.Fatal(err)
	}
	var rows [][]string
	for line := range strings.Lines(string(text)) {
		rows = append(rows, strings.Split(strings.TrimSuffix(line, "\n"), "\t"))
	}
	versions := rows[0][:len(rows[0])-1]
	rows = rows[1:]
	var rules apiextensionsv1.ValidationRules
	for _, row := range rows {
		rules = append(rules, apiextensionsv1.ValidationRule{Rule: row[len(row)-1]})
	}
	text, err = os.ReadFile("testdata/celcosts/schema.yaml")
	if err != nil {
		t.Fatal(err)
	}
	schema := &apiextensionsv1.JSONSchemaProps{}
	if err := yaml.UnmarshalStrict(text, schema); err != nil {
		t.Fatal(err)
	}
	schema.XValidations = rules
	if versions[len(versions)-1] != newest() || len(rows) < 2000 {
		t.Errorf("the table has %q and %d rules; see `make cel-costs`", versions, len(rows))
	}
	for at, version := range versions {
		t.Run(version, func(t *testing.T) {
			t.Parallel()
			crd := widget(t, "type: object")
			crd.Spec.Versions[0].Schema.OpenAPIV3Schema = schema
			differ, panics := 0, 0
			for i, rule := range rulesOf(t, version, crd) {
				got, want := strconv.FormatUint(rule.CallCost, 10), rows[i][at]
				if rule.Error != "" {
					got = "-"
				}
				if want == "!" {
					panics++
				} else if got != want && !(astronomic(got) && astronomic(want)) {
					if differ++; differ <= 20 {
						t.Errorf("%s: got %s, want %s %s", rule.Text, got, want, rule.Error)
					}
				}
			}
			if panics > 0 {
				t.Logf("for %d rules the compiler of this version panics", panics)
			}
			if differ > 0 {
				t.Errorf("%d rules differ", differ)
			}
		})
	}
}

// astronomic reports whether a cost exceeds any limit by far: the value to which a sum of
// unknown sizes overflows is not compared.
func astronomic(cost string) bool {
	number, err := strconv.ParseUint(cost, 10, 64)
	return err == nil && number > 1<<62
}
