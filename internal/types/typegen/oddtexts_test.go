package typegen_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/crd"
	"github.com/schemagen/schemagen/internal/types/typegen"
	"github.com/schemagen/schemagen/structural/manifest"
)

// fullDefinition has a text wherever a definition may have one.
const fullDefinition = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: widgets.example.com, labels: {label: value}, annotations: {annotation: value}}
spec:
  group: example.com
  names: {kind: Widget, plural: widgets, listKind: WidgetList, singular: widget, shortNames: [wd], categories: [all]}
  scope: Namespaced
  conversion:
    strategy: Webhook
    webhook: {conversionReviewVersions: [v1], clientConfig: {service: {namespace: system, name: webhook, path: /convert}}}
  versions:
  - name: v1
    served: true
    storage: true
    deprecated: true
    deprecationWarning: warning
    additionalPrinterColumns: [{name: Size, type: string, format: password, description: column, jsonPath: .spec.size}]
    selectableFields: [{jsonPath: .spec.size}]
    subresources: {status: {}, scale: {specReplicasPath: .spec.replicas, statusReplicasPath: .status.replicas, labelSelectorPath: .status.selector}}
    schema:
      openAPIV3Schema:
        type: object
        description: kind
        properties:
          apiVersion: {type: string, description: version}
          kind: {type: string}
          metadata: {type: object, properties: {name: {type: string, pattern: name, description: metadata}}}
          spec:
            type: object
            title: title
            externalDocs: {url: url, description: docs}
            required: [size]
            properties:
              size: {type: string, format: date, pattern: size, description: size, default: small, example: medium}
              mode: {type: string, enum: [on, off], default: on}
              replicas: {type: integer, format: int32}
              names: {type: array, x-kubernetes-list-type: set, items: {type: string, description: element, default: first, pattern: element}}
              ports:
                type: array
                x-kubernetes-list-type: map
                x-kubernetes-list-map-keys: [port]
                items: {type: object, required: [port], properties: {port: {type: string, default: http}}}
              labels: {type: object, x-kubernetes-map-type: atomic, additionalProperties: {type: string, enum: [one]}}
              either: {type: string, anyOf: [{pattern: a}, {enum: [b]}], not: {pattern: c}}
            x-kubernetes-validations:
            - {rule: "true", message: message, reason: FieldValueInvalid, fieldPath: .size}
            - {rule: "true", messageExpression: "'text'"}
          status: {type: object, x-kubernetes-map-type: atomic, properties: {replicas: {type: integer}, selector: {type: string}}}
`

// TestOddTexts replaces each text and each key of a definition by others. Every outcome is
// either Go that compiles and gives the schemas back, or a refusal with positions.
func TestOddTexts(t *testing.T) {
	data, err := yaml.YAMLToJSON([]byte(fullDefinition))
	if err != nil {
		t.Fatal(err)
	}
	var document any
	if err := json.Unmarshal(data, &document); err != nil {
		t.Fatal(err)
	}
	dir, module := openModule(t)
	compile := newCompiler(t, dir)
	count := map[string]int{}
	run := func(name string) {
		text, err := json.Marshal(document)
		if err != nil {
			t.Fatal(err)
		}
		definitions := readable(text)
		if definitions == nil {
			count["unreadable"]++
			return
		}
		result := outcome(t, module, definitions, typegen.Options{Dir: dir, Output: fmt.Sprintf("c%d", count["accepted"])}, name)
		if result.made == nil {
			count["refused"]++
			return
		}
		compile.check(t, result.made, name)
		count["accepted"]++
	}
	run("as it is")
	if count["accepted"] != 1 {
		t.Fatal("the definition is not accepted as it is")
	}
	odd := []string{"", "x\n//go:generate rm x\ntype Evil struct{}\n", "a`b\"\\", "a,b;c=d é\u0301\r\x00"}
	replaceTexts(document, odd, "", func(text string) {
		if !t.Failed() {
			run(text)
		}
	})
	t.Log(count)
	for _, want := range []string{"accepted", "refused"} {
		if count[want] < 60 {
			t.Errorf("%v: hardly any %s", count, want)
		}
	}
}

// readable returns the definitions of a file, or nil if it has a value of a wrong type.
func readable(data []byte) []*crd.Definition {
	manifests, problems, position := crd.File{Name: "crds.yaml", Data: data}.Read()
	if slices.ContainsFunc(problems, func(p manifest.Problem) bool { return p.Kind == manifest.Malformed || p.Kind == manifest.WrongType }) {
		return nil
	}
	var out []*crd.Definition
	for _, m := range manifests {
		if d := crd.FromManifest(m, position); d != nil {
			out = append(out, d)
		}
	}
	return out
}

// replaceTexts calls run for each replacement of each text below a value, and of each key of
// properties, labels and annotations.
func replaceTexts(value any, texts []string, at string, run func(name string)) {
	switch value := value.(type) {
	case []any:
		for i, element := range value {
			if _, ok := element.(string); ok {
				for _, text := range texts {
					value[i] = text
					run(fmt.Sprintf("%s[%d] = %q", at, i, text))
				}
				value[i] = element
			}
			replaceTexts(element, texts, fmt.Sprintf("%s[%d]", at, i), run)
		}
	case map[string]any:
		parent := at[strings.LastIndexByte(at, '.')+1:]
		for _, key := range slices.Sorted(maps.Keys(value)) {
			element := value[key]
			at := at + "." + key
			if _, ok := element.(string); ok {
				for _, text := range texts {
					value[key] = text
					run(fmt.Sprintf("%s = %q", at, text))
				}
				value[key] = element
			}
			replaceTexts(element, texts, at, run)
			if parent != "properties" && parent != "labels" && parent != "annotations" {
				continue
			}
			for _, text := range texts {
				delete(value, key)
				value[text] = element
				run(fmt.Sprintf("%s is the key %q", at, text))
				delete(value, text)
				value[key] = element
			}
		}
	}
}
