package dryrun

import (
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/test/uniontable"
	"github.com/schemagen/schemagen/unions"
	"github.com/schemagen/schemagen/verify"
)

// TestUnionWrites tries writes of objects with a union, in both forms, with and without a policy,
// and compares the results with the answers of a real server in testdata/unions/writes.txt.
func TestUnionWrites(t *testing.T) {
	kinds, err := uniontable.Kinds()
	if err != nil {
		t.Fatal(err)
	}
	want, err := os.ReadFile("../testdata/unions/writes.txt")
	if err != nil {
		t.Fatal(err)
	}
	record := &uniontable.Record{}
	clears := 0
	for i := range kinds {
		k := &kinds[i]
		record.Kind(k)
		trial := unionTrial(t, k)
		for _, w := range k.Writes() {
			result := tryWrite(t, trial, k, w)
			spec, _ := result.Stored["spec"].(map[string]any)
			var errs, warnings []string
			for _, d := range result.Findings {
				switch {
				case d.Code == objectRejected.Code && d.Path == "":
					value := `""`
					if strings.HasPrefix(d.Message, "some validation rules were not checked") {
						value = "null"
					}
					errs = append(errs, "<nil>: Invalid value: "+value+": "+d.Message)
				case d.Code == objectRejected.Code:
					errs = append(errs, d.Path+": "+d.Cause)
				case d.Code == objectWarning.Code:
					warnings = append(warnings, d.Message)
				case d.Code == cleared.Code:
					clears++
				}
			}
			record.Add(w, spec, errs, warnings)
		}
	}
	if got := record.String(); got != string(want) {
		t.Errorf("got\n%s", otherLines(got, string(want)))
	}
	if clears < 300 {
		t.Errorf("policies clear a member in only %d writes", clears)
	}
}

// unionTrial returns a trial with the definition of a kind and its policy.
func unionTrial(t *testing.T, k *uniontable.Kind) *Trial {
	t.Helper()
	definitions, findings := verify.Read(jsonFile(t, "crd.json", k.CRD))
	trial := New(definitions...)
	if k.Policy != nil {
		text, err := unions.PolicyYAML(k.Policy, k.Binding)
		if err != nil {
			t.Fatal(err)
		}
		policies, found := ReadPolicies(crd.File{Name: "policy.yaml", Data: text})
		findings = append(findings, found...)
		trial.FollowPolicies(policies...)
	}
	if len(definitions) != 1 || findings.HasErrors() {
		t.Fatalf("%s: %v", k.Name, findings)
	}
	return trial
}

// tryWrite tries one write.
func tryWrite(t *testing.T, trial *Trial, k *uniontable.Kind, w uniontable.Write) *Result {
	t.Helper()
	trial.Stored = nil
	if w.Old != nil {
		trial.Stored = func(Key) (map[string]any, error) { return k.Object("a", w.Old), nil }
	}
	objects, findings := ReadObjects(jsonFile(t, "object.json", k.Object("a", w.New)))
	if len(objects) != 1 || findings.HasErrors() {
		t.Fatalf("%s: %s: %v", k.Name, w.Text(), findings)
	}
	result, err := trial.Try(t.Context(), objects[0])
	if err != nil {
		t.Fatalf("%s: %s: %v", k.Name, w.Text(), err)
	}
	return result
}

func jsonFile(t *testing.T, name string, object any) crd.File {
	t.Helper()
	text, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	return crd.File{Name: name, Data: text}
}

// otherLines returns the lines of got that want does not have at the same place.
func otherLines(got, want string) string {
	var out strings.Builder
	wanted := strings.Split(want, "\n")
	for i, line := range strings.Split(got, "\n") {
		if i >= len(wanted) || line != wanted[i] {
			out.WriteString(line + "\n")
		}
	}
	return out.String()
}
