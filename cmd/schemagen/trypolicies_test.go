package main

import (
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// pickCRD has a union of k, a and b; %RULES% and %UNION% are how it is written.
const pickCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: picks.hand.test}
spec:
  group: hand.test
  scope: Namespaced
  names: {plural: picks, singular: pick, kind: Pick, listKind: PickList}
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties:
              k: {type: string, enum: [A, B]%UNION%}
              a: {type: object, properties: {x: {type: string}}}
              b: {type: object, properties: {x: {type: string}}}
%RULES%`

const (
	handWritten = `            x-kubernetes-validations:
            - {rule: "!has(self.a) || (has(self.k) && self.k == 'A')", message: a only with A}
            - {rule: "!has(self.b) || (has(self.k) && self.k == 'B')", message: b only with B}
`
	generatedRules = `            x-kubernetes-validations:
            - {rule: "!(has(self.k) && self.k == 'A') || has(self.a)", message: a with A, fieldPath: .a, reason: FieldValueRequired}
            - {rule: "!has(self.a) || (has(self.k) && self.k == 'A')", message: a only with A, fieldPath: .a, reason: FieldValueForbidden}
            - {rule: "!(has(self.k) && self.k == 'B') || has(self.b)", message: b with B, fieldPath: .b, reason: FieldValueRequired}
            - {rule: "!has(self.b) || (has(self.k) && self.k == 'B')", message: b only with B, fieldPath: .b, reason: FieldValueForbidden}
`
	unionExtension = `, x-kubernetes-unions: {fieldMembers: {A: {name: a}, B: {name: b}}}`
	// pickPolicy is what schemagen unions writes for the union, shortened.
	pickPolicy = `---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicy
metadata: {name: unions.v1.picks.hand.test}
spec:
  failurePolicy: Ignore
  matchConstraints:
    matchPolicy: Exact
    resourceRules:
    - {apiGroups: [hand.test], apiVersions: [v1], operations: [UPDATE], resources: [picks]}
  mutations:
  - patchType: JSONPatch
    jsonPatch:
      expression: |-
        has(object.spec.a) && object.spec.k != oldObject.spec.k && object.spec.k != 'A' ?
        [JSONPatch{op: "remove", path: "/spec/a"}] : []
  reinvocationPolicy: IfNeeded
---
apiVersion: admissionregistration.k8s.io/v1
kind: MutatingAdmissionPolicyBinding
metadata: {name: unions.v1.picks.hand.test}
spec: {policyName: unions.v1.picks.hand.test}
`
)

// TestTryPolicies tries an update that changes the discriminator and keeps the old member, for
// every way to write a union and every way to install a policy, and none.
func TestTryPolicies(t *testing.T) {
	const (
		kept     = "# Pick p: updated\n  apiVersion: hand.test/v1\n  kind: Pick\n  metadata:\n    name: p\n    namespace: default\n  spec:\n    k: B\n    a:\n      x: \"1\"\n    b: {}\n"
		cleared  = "# Pick p: updated\n  apiVersion: hand.test/v1\n  kind: Pick\n  metadata:\n    name: p\n    namespace: default\n  spec:\n    k: B\n-   a:\n-     x: \"1\"\n    b: {}\n"
		rejected = "# Pick p: rejected\n" + "  apiVersion: hand.test/v1\n  kind: Pick\n  metadata:\n    name: p\n    namespace: default\n  spec:\n    k: B\n    a:\n      x: \"1\"\n    b: {}\n"
		byRule   = "new.yaml:4:1: error[SG701]: spec: Invalid value: a only with A\n\tcrds/crd.yaml:23:15: rejected here\n"
		byUnion  = "new.yaml:4:14: error[SG701]: spec.a: Forbidden: a only with A\n\tcrds/crd.yaml:24:15: rejected here\n"
		unknown  = "crds/crd.yaml:19:47: error[SG611]: unknown field \"spec.versions[0].schema.openAPIV3Schema.properties.spec.properties.k.x-kubernetes-unions\"\n"
		settings = "outputs: {policies: config/policy}\n"
	)
	sources := []struct{ name, rules, union, refused string }{
		{"hand-written rules", handWritten, "", byRule},
		{"rules of markers", generatedRules, "", byUnion},
		{"x-kubernetes-unions", "", unionExtension, ""},
	}
	for _, column := range []struct {
		name string
		// place is the file with the policy, empty for none.
		place, settings string
		args            []string
		// clears is set if the policy takes effect.
		clears bool
	}{
		{name: "no policy"},
		{name: "a policy elsewhere", place: "other/hand.test_picks_unions.yaml"},
		{name: "--policy with a file", place: "other/any.yaml", args: []string{"--policy", "other/any.yaml"}, clears: true},
		{name: "--policy with a directory", place: "other/any.yaml", args: []string{"--policy", "other"}, clears: true},
		{name: "beside the CRD", place: "crds/hand.test_picks_unions.yaml", clears: true},
		{name: "in the file of the CRD", place: "crds/crd.yaml", clears: true},
		{name: "settings", place: "config/policy/hand.test_picks_unions.yaml", settings: settings, clears: true},
		{name: "settings with another kind", place: "config/policy/hand.test_others_unions.yaml", settings: settings},
		{name: "--unions none, no policy", args: []string{"--unions", "none"}},
		{name: "--unions none, beside the CRD", place: "crds/hand.test_picks_unions.yaml", args: []string{"--unions", "none"}},
		{name: "--unions none, in the file of the CRD", place: "crds/crd.yaml", args: []string{"--unions", "none"}},
		{name: "--unions none, settings", place: "config/policy/hand.test_picks_unions.yaml", settings: settings, args: []string{"--unions", "none"}},
	} {
		for _, source := range sources {
			t.Run(source.name+"/"+column.name, func(t *testing.T) {
				files := map[string]string{
					"crds/crd.yaml":  strings.NewReplacer("%RULES%", source.rules, "%UNION%", source.union).Replace(pickCRD),
					"old.yaml":       "apiVersion: hand.test/v1\nkind: Pick\nmetadata: {name: p, namespace: default}\nspec: {k: A, a: {x: \"1\"}}\n",
					"new.yaml":       "apiVersion: hand.test/v1\nkind: Pick\nmetadata: {name: p, namespace: default}\nspec: {k: B, a: {x: \"1\"}, b: {}}\n",
					"schemagen.yaml": column.settings,
				}
				if column.place != "" {
					files[column.place] += pickPolicy
				}
				writeFiles(t, files)
				args := append([]string{"try", "-f", "new.yaml", "--old", "old.yaml", "crds/crd.yaml"}, column.args...)
				code, stdout, stderr := runInDirectory(t, args...)
				wantCode, wantOut, wantErr := 0, kept, ""
				switch {
				case source.union != "": // no server accepts such a CRD
					wantCode, wantOut, wantErr = 1, "", unknown
				case column.clears:
					line := 2 // of the policy
					if column.place == "crds/crd.yaml" {
						line += strings.Count(files["crds/crd.yaml"], "\n") - strings.Count(pickPolicy, "\n")
					}
					wantOut = cleared
					wantErr = "new.yaml:4:14: note[SG704]: spec.a is cleared by the policy unions.v1.picks.hand.test: the discriminator selects another member\n" +
						"\t" + column.place + ":" + strconv.Itoa(line) + ":1: the policy\n"
				case source.refused != "":
					wantCode, wantOut, wantErr = 1, rejected, source.refused
				}
				if code != wantCode || stdout != wantOut || stderr != wantErr {
					t.Errorf("exit code %d, want %d; got\n%s%swant\n%s%s", code, wantCode, stdout, stderr, wantOut, wantErr)
				}
			})
		}
	}
}

// TestTryPolicyErrors checks what is reported about policies that cannot be tried.
func TestTryPolicyErrors(t *testing.T) {
	for _, test := range []struct {
		name, policy string
		args         []string
		code         int
		want         string
	}{
		{"no policy", "kind: ConfigMap\napiVersion: v1\n", nil, 2, "other: no admission policy that schemagen unions writes"},
		{"no directory", "", []string{"--policy", "nowhere"}, 2, "nowhere: no such file or directory"},
		{"--unions none", pickPolicy, []string{"--unions", "none"}, 2, "--policy and --unions none exclude each other"},
		{"a compilation error", strings.Replace(pickPolicy, "has(object.spec.a)", "has(object", 1), nil, 1, "other/p.yaml:2:1: error[SG704]: the API server rejects the policy unions.v1.picks.hand.test: "},
		{"failurePolicy", strings.Replace(pickPolicy, "Ignore", "Fail", 1), nil, 1, "other/p.yaml:2:1: error[SG704]: the policy unions.v1.picks.hand.test has failurePolicy: Fail, which schemagen unions does not write"},
		{"an unknown field", strings.Replace(pickPolicy, "failurePolicy", "failPolicy", 1), nil, 1, `other/p.yaml:2:1: error[SG704]: the policy unions.v1.picks.hand.test cannot be read: `},
	} {
		t.Run(test.name, func(t *testing.T) {
			files := map[string]string{
				"crds/crd.yaml": strings.NewReplacer("%RULES%", handWritten, "%UNION%", "").Replace(pickCRD),
				"new.yaml":      "apiVersion: hand.test/v1\nkind: Pick\nmetadata: {name: p, namespace: default}\nspec: {k: B, b: {}}\n",
			}
			if test.policy != "" {
				files["other/p.yaml"] = test.policy
			}
			writeFiles(t, files)
			args := append([]string{"try", "-f", "new.yaml", "crds/crd.yaml", "--policy", "other"}, test.args...)
			if test.policy == "" {
				args = append(args[:4], test.args...)
			}
			code, _, stderr := runInDirectory(t, args...)
			if code != test.code || !strings.Contains(stderr, test.want) {
				t.Errorf("exit code %d, want %d with %q; stderr:\n%s", code, test.code, test.want, stderr)
			}
		})
	}
}

// writeFiles writes files to a new directory, and changes to it.
func writeFiles(t *testing.T, files map[string]string) {
	t.Helper()
	t.Chdir(t.TempDir())
	for name, text := range files {
		if err := os.MkdirAll(filepath.Dir(name), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// runInDirectory runs the command in the working directory.
func runInDirectory(t *testing.T, args ...string) (code int, stdout, stderr string) {
	t.Helper()
	var out, errs strings.Builder
	code = run(t.Context(), args, &out, &errs)
	return code, out.String(), errs.String()
}
