package main

import (
	"strings"
	"testing"
)

// versionsCRD stores objects as v1 and serves v2; %V1% and %V2% are the schemas of spec.
const versionsCRD = `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: vers.obj.test}
spec:
  group: obj.test
  scope: Namespaced
  names: {plural: vers, singular: ver, kind: Ver, listKind: VerList}
  %CONVERSION%
  versions:
  - name: v1
    served: true
    storage: true
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, %V1%}
  - name: v2
    served: true
    storage: false
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec: {type: object, %V2%}
`

// TestTryVersions compares what a client reads back in the version of its request with cells
// derived by hand from the server's steps: decode in the version of the request, prune by the
// storage version, read with its defaults, prune by the version of the request. e2e compares
// random versions with a real server.
func TestTryVersions(t *testing.T) {
	const (
		issue1  = `properties: {a: {type: string}, one: {type: string, default: "1"}, c: {type: integer}}`
		issue2  = `properties: {a: {type: string, maxLength: 2}, two: {type: string, default: "2"}, c: {type: string}}`
		onlyA   = `properties: {a: {type: string}}`
		keeps   = `x-kubernetes-preserve-unknown-fields: true`
		because = ": the storage version v1 does not have it, and no webhook converts\n"
		webhook = `conversion: {strategy: Webhook, webhook: {conversionReviewVersions: [v1], clientConfig: {url: "https://example.com"}}}`
	)
	kustomized := map[string]string{
		"kustomization.yaml": "resources: [crd.yaml]\npatches: [{path: webhook.yaml}]\n",
		"webhook.yaml":       "kind: CustomResourceDefinition\nmetadata: {name: vers.obj.test}\nspec: {conversion: {strategy: Webhook}}\n",
	}
	for _, test := range []struct {
		name, v1, v2 string
		// version and spec are the request, stored is what it updates, with its version.
		version, spec, storedVersion, stored string
		conversion                           string
		files                                map[string]string
		// want is the spec that is read back.
		want, findings string
	}{
		{name: "a field of the request's version", v1: issue1, v2: issue2, version: "v2", spec: `{a: x, two: z, c: s}`,
			want: "  a: x\n  c: s\n", findings: "object.yaml:4:14: warning[SG702]: spec.two is dropped" + because},
		{name: "the storage version", v1: issue1, v2: issue2, version: "v1", spec: `{a: x, two: z}`,
			want: "  a: x\n  one: \"1\"\n", findings: "object.yaml:4:1: note[SG703]: spec.one gets its default \"1\"\nobject.yaml:4:14: warning[SG702]: spec.two is dropped: it is not in the schema\n"},
		{name: "a default of the request's version", v1: issue1, v2: issue2, version: "v2", spec: `{a: x}`,
			want: "  a: x\n", findings: "object.yaml:4:1: note[SG703]: spec.two gets its default \"2\", which is not stored" + because},
		{name: "a default of both, another", v1: `properties: {d: {type: string, default: "1"}}`, v2: `properties: {d: {type: string, default: "2"}}`, version: "v2", spec: `{}`,
			want: "  d: \"2\"\n", findings: "object.yaml:4:1: note[SG703]: spec.d gets its default \"2\"\n"},
		{name: "a default of the storage version", v1: `properties: {d: {type: string, default: "1"}}`, v2: `properties: {d: {type: string}}`, version: "v2", spec: `{}`,
			want: "  d: \"1\"\n", findings: "object.yaml:4:1: note[SG703]: spec.d gets its default \"1\" of the storage version v1\n"},
		{name: "the storage version keeps everything", v1: keeps, v2: issue2, version: "v2", spec: `{a: x, two: z}`,
			want: "  a: x\n  two: z\n"},
		{name: "the request's version keeps everything", v1: onlyA, v2: keeps, version: "v2", spec: `{a: x, b: w}`,
			want: "  a: x\n", findings: "object.yaml:4:14: warning[SG702]: spec.b is dropped" + because},
		{name: "null", v1: `properties: {nn: {type: string}}`, v2: `properties: {nn: {type: string, nullable: true}}`, version: "v2", spec: `{nn: null}`,
			want: "{}", findings: "object.yaml:4:8: warning[SG702]: spec.nn is dropped: it is null, but not nullable in the storage version v1\n"},
		{name: "another type", v1: issue1, v2: issue2, version: "v2", spec: `{c: text, two: z}`,
			want: "  c: text\n", findings: "object.yaml:4:17: warning[SG702]: spec.two is dropped" + because},
		{name: "an object in one, a string in the other", v1: `properties: {c: {type: string}}`, v2: `properties: {c: {type: object, properties: {x: {type: string}}}}`, version: "v2", spec: `{c: {x: w}}`,
			want: "  c: {}\n", findings: "object.yaml:4:12: warning[SG702]: spec.c.x is dropped" + because},
		{name: "elements", v1: `properties: {l: {type: array, items: {type: object, properties: {a: {type: string}}}}}`,
			v2: `properties: {l: {type: array, items: {type: object, properties: {a: {type: string}, b: {type: string}}}}}`, version: "v2", spec: `{l: [{a: x, b: w}, {b: z}]}`,
			want:     "  l:\n  - a: x\n  - {}\n",
			findings: "object.yaml:4:19: warning[SG702]: spec.l[0].b is dropped" + because + "object.yaml:4:27: warning[SG702]: spec.l[1].b is dropped" + because},
		{name: "a map in one, fields in the other", v1: `properties: {m: {type: object, properties: {a: {type: string}}}}`,
			v2: `properties: {m: {type: object, additionalProperties: {type: string}}}`, version: "v2", spec: `{m: {a: x, b: w}}`,
			want: "  m:\n    a: x\n", findings: "object.yaml:4:18: warning[SG702]: spec.m.b is dropped" + because},
		{name: "an update removes a field of the storage version", v1: issue1, v2: issue2, version: "v2", spec: `{a: w, two: z}`, storedVersion: "v1", stored: `{a: x, one: "9"}`,
			want: "  a: w\n", findings: "object.yaml:1:1: warning[SG702]: spec.one of the stored object is removed: version v2 does not have it, and no webhook converts\nobject.yaml:4:14: warning[SG702]: spec.two is dropped" + because},
		{name: "an update keeps a default of the storage version", v1: issue1, v2: issue2, version: "v2", spec: `{a: w, two: z}`, storedVersion: "v1", stored: `{a: x, one: "1"}`,
			want: "  a: w\n", findings: "object.yaml:4:14: warning[SG702]: spec.two is dropped" + because},
		{name: "an update of an object read in the request's version", v1: issue1, v2: issue2, version: "v2", spec: `{a: w, two: z}`, storedVersion: "v2", stored: `{a: x}`,
			want: "  a: w\n", findings: "object.yaml:4:14: warning[SG702]: spec.two is dropped" + because},
		{name: "an update in the storage version", v1: issue1, v2: issue2, version: "v1", spec: `{a: w, one: "3"}`, storedVersion: "v1", stored: `{a: x, one: "9"}`,
			want: "  a: w\n  one: \"3\"\n"},
		{name: "equal versions", v1: onlyA, v2: onlyA, version: "v2", spec: `{a: x}`, want: "  a: x\n"},
		{name: "strategy None", v1: issue1, v2: issue2, conversion: "conversion: {strategy: None}", version: "v2", spec: `{two: z}`,
			want: "{}", findings: "object.yaml:4:8: warning[SG702]: spec.two is dropped" + because},
		{name: "a webhook", v1: issue1, v2: issue2, conversion: webhook, version: "v2", spec: `{two: z}`, want: "  two: z\n"},
		{name: "a webhook of a kustomization", v1: issue1, v2: issue2, files: kustomized, version: "v2", spec: `{two: z}`, want: "  two: z\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			object := func(version, spec string) string {
				return "apiVersion: obj.test/" + version + "\nkind: Ver\nmetadata: {name: t, namespace: default}\nspec: " + spec + "\n"
			}
			files := map[string]string{
				"crds/crd.yaml": strings.NewReplacer("%V1%", test.v1, "%V2%", test.v2, "%CONVERSION%", test.conversion).Replace(versionsCRD),
				"object.yaml":   object(test.version, test.spec),
			}
			for name, text := range test.files {
				files["crds/"+name] = text
			}
			args := []string{"try", "-f", "object.yaml", "crds", "-o", "yaml", "--validate", "warn"}
			if test.stored != "" {
				files["old.yaml"] = object(test.storedVersion, test.stored)
				args = append(args, "--old", "old.yaml")
			}
			writeFiles(t, files)
			code, stdout, stderr := runInDirectory(t, args...)
			_, got, _ := strings.Cut(stdout, "spec:")
			if got = strings.TrimPrefix(got, "\n"); strings.HasPrefix(got, " {") {
				got = strings.TrimSpace(got)
			}
			if code != 0 || got != test.want || stderr != test.findings {
				t.Errorf("exit code %d, read back\n%swant\n%sfindings\n%swant\n%s", code, got, test.want, stderr, test.findings)
			}
		})
	}
}
