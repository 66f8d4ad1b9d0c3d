package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"k8s.io/kube-openapi/pkg/validation/spec"
	"k8s.io/kube-openapi/pkg/validation/strfmt"
	"k8s.io/kube-openapi/pkg/validation/validate"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/cmd/schemagen/internal/reference"
	"github.com/schemagen/schemagen/diag"
	"github.com/schemagen/schemagen/internal/project"
	"github.com/schemagen/schemagen/markers"
)

// object is a JSON object.
type object = map[string]any

// configSchema returns docs/schemagen.schema.json, the JSON Schema of schemagen.yaml, from
// the table of settings.
func configSchema() []byte {
	closed := func(properties object, required ...string) object {
		out := object{"type": "object", "additionalProperties": false, "properties": properties}
		if len(required) > 0 {
			out["required"] = required
		}
		return out
	}
	text := func(description string) object { return object{"type": "string", "description": description} }
	properties := object{}
	groups, _ := project.Sections()
	for _, group := range groups {
		in := object{}
		for _, s := range project.Settings() {
			if key, ok := strings.CutPrefix(s.Key, group+"."); ok {
				in[key] = schemaOf(s)
			}
		}
		properties[group] = closed(in)
	}
	for _, s := range project.Settings() {
		if !strings.Contains(s.Key, ".") {
			properties[s.Key] = schemaOf(s)
		}
	}
	one := object{"path": text("packages that the settings apply to: a pattern as in paths")}
	for _, s := range project.PackageSettings() {
		one[s.Key] = schemaOf(s)
	}
	properties["packages"] = object{"type": "array", "items": closed(one, "path"), "description": "settings for some of the packages; if several elements match, later ones override earlier ones"}
	properties["types"] = object{"type": "object", "description": "markers for types of other modules, by import path and name, as in +schemagen:type",
		"additionalProperties": object{"type": "array", "items": object{"type": "string", "pattern": `^\+`}}}
	properties["descriptions"] = object{"type": "object", "description": "how descriptions from other packages are shortened, by import path or pattern, as in +schemagen:descriptions",
		"additionalProperties": object{"anyOf": []any{object{"enum": []string{"drop", "firstSentence"}}, object{"type": "integer", "minimum": 0}}}}
	properties["gates"] = object{"type": "object", "description": "the gates that conditions may name, each with its stage and the version since which it has it",
		"additionalProperties": closed(object{"stage": text("such as alpha or beta"), "since": text("version")})}
	gates := object{"type": "array", "items": object{"type": "string"}, "description": "gates that are on, in order: names, * for all, !NAME for all but one, @CHANNEL for those of another channel"}
	texts := func(description string) object {
		return object{"type": "object", "additionalProperties": object{"type": "string"}, "description": description}
	}
	properties["channels"] = object{"type": "object", "description": "named sets of gates, each with a place for its CRDs; commands that take one channel take the first",
		"additionalProperties": object{"anyOf": []any{gates, closed(object{
			"gates": gates, "crd": text("directory of its CRDs, instead of one with its name in outputs.crd"),
			"suffix":      text("end of the names of its files, before .yaml, instead of a directory"),
			"helm":        text("Helm chart, or its directory crds or templates, to which its CRDs are also written"),
			"annotations": texts("annotations of its CRDs"), "labels": texts("labels of its CRDs"),
			"kinds": object{"type": "array", "items": object{"type": "string"}, "description": "its kinds, as for --kinds, or * for all"},
		})}}}
	properties["contains"] = object{"type": "array", "description": "pairs of channels: what a server with the CRDs of narrow accepts and stores, one with those of wide accepts and stores equally",
		"items": closed(object{"narrow": text("name of a channel"), "wide": text("name of a channel")}, "narrow", "wide")}
	properties["join"] = object{"type": "boolean", "description": "write definitions that are the same in all channels once, to outputs.crd, without the annotations and labels of channels"}
	properties["merge"] = object{"enum": []string{"once", "overlay"}, "description": "how OpenShift's markers of several gates are combined: once, or overlay, as OpenShift's generator does"}
	severities, waived := object{}, []any{}
	for _, info := range reference.Codes() {
		names := project.Severities()
		if info.Severity == diag.Error {
			names = names[:1]
		} else {
			waived = append(waived, object{"const": info.Code, "description": info.Title})
		}
		severities[string(info.Code)] = object{"enum": names, "description": info.Title}
	}
	properties["severities"] = closed(severities)
	properties["waivers"] = object{"type": "array", "description": "findings to suppress", "items": closed(object{
		"code":   object{"anyOf": waived},
		"path":   text("files, relative to this one; ** matches any number of directories"),
		"reason": object{"type": "string", "minLength": 1, "description": "reason for the waiver"},
	}, "code", "path", "reason")}
	top := closed(properties)
	top["$schema"] = "http://json-schema.org/draft-07/schema#"
	top["title"] = project.Name
	var b bytes.Buffer
	encoder := json.NewEncoder(&b)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(top); err != nil {
		panic(err)
	}
	return b.Bytes()
}

func schemaOf(s project.Setting) object {
	var out object
	one := object{"type": "string"}
	if s.Values != nil {
		one["enum"] = s.Values
		if s.Pattern != "" {
			one = object{"anyOf": []object{one, {"type": "string", "pattern": s.Pattern}}}
		}
	}
	switch s.Kind {
	case project.Boolean:
		out = object{"type": "boolean"}
	case project.Number:
		out = object{"type": "integer", "minimum": 0}
	case project.List, project.Patterns:
		out = object{"type": "array", "items": one}
	case project.Text:
		out = one
		if s.Values == nil {
			out["type"] = []string{"string", "number"}
		}
	default:
		out = one
	}
	out["description"] = s.Description
	return out
}

// TestConfigSchema checks that docs/schemagen.schema.json is up to date; -update rewrites
// it.
func TestConfigSchema(t *testing.T) {
	const page = "../../docs/schemagen.schema.json"
	want := configSchema()
	if *update {
		if err := os.WriteFile(page, want, 0o666); err != nil {
			t.Fatal(err)
		}
	}
	got, err := os.ReadFile(page)
	if err != nil || !bytes.Equal(got, want) {
		t.Errorf("%s is out of date (%v): run make generate", page, err)
	}
}

// TestSchemaAgrees checks that the schema has exactly the keys that are read.
func TestSchemaAgrees(t *testing.T) {
	var schema struct {
		Properties map[string]struct {
			Properties map[string]any
			Items      struct{ Properties map[string]any }
		}
	}
	if err := json.Unmarshal(configSchema(), &schema); err != nil {
		t.Fatal(err)
	}
	// The message about an unknown key lists the known ones.
	got := map[string][]string{}
	var findings diag.List
	for _, text := range []string{"packages: [3]\nwaivers: [3]\ncrd: 3\noutputs: 3\nfunctions: 3\n", "3\n"} {
		name := filepath.Join(t.TempDir(), project.Name)
		if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
		_, found, err := project.Open(nil, name, reference.Codes())
		if err != nil {
			t.Fatal(err)
		}
		findings = append(findings, found...)
	}
	for _, d := range findings {
		what, keys, _ := strings.Cut(d.Message, " must be a mapping with keys among ")
		got[what] = slices.Sorted(slices.Values(strings.Split(keys, ", ")))
	}
	want := map[string][]string{
		project.Name:             slices.Sorted(maps.Keys(schema.Properties)),
		"an element of packages": slices.Sorted(maps.Keys(schema.Properties["packages"].Items.Properties)),
		"a waiver":               slices.Sorted(maps.Keys(schema.Properties["waivers"].Items.Properties)),
		"crd":                    slices.Sorted(maps.Keys(schema.Properties["crd"].Properties)),
		"outputs":                slices.Sorted(maps.Keys(schema.Properties["outputs"].Properties)),
		"functions":              slices.Sorted(maps.Keys(schema.Properties["functions"].Properties)),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("keys of the file:\n%v\nkeys of the schema:\n%v", got, want)
	}
}

// TestSchemaRejects checks that the schema and the parser accept and reject the same,
// except for what depends on files and versions.
func TestSchemaRejects(t *testing.T) {
	var schema spec.Schema
	if err := json.Unmarshal(configSchema(), &schema); err != nil {
		t.Fatal(err)
	}
	validator := validate.NewSchemaValidator(&schema, nil, "", strfmt.Default)
	for text, valid := range map[string]bool{
		"strict: true": true, "strict: yes please": false, "stric: true": false,
		"lister: go": true, "lister: gopls": false, "enable: [enum]": true, "enable: [enums]": false, "enable: enum": false,
		"crd: {maxDescLen: 0, year: 2026}": true, "crd: {maxDescLen: -1}": false, "crd: {maxDescLen: x}": false, "crd: {depth: 1}": false, "crd: []": false,
		"packages: [{path: a.b/c, unions: none}]": true, "packages: [{unions: none}]": false, "packages: [{path: a.b/c, prune: true}]": false, "packages: {}": false,
		"types: {a.b/c.D: [+optional]}": true, "types: {a.b/c.D: [optional]}": false, "types: {a.b/c.D: +optional}": false,
		"descriptions: {a.b/c: drop, a.b/d: 3}": true, "descriptions: {a.b/c: short}": false, "descriptions: {a.b/c: [drop]}": false,
		"severities: {SG304: off}": true, "severities: {SG304: eror}": false, "severities: {SG999: off}": false, "severities: {SG301: off}": false,
		"waivers: [{code: SG304, path: a, reason: r}]": true, "waivers: [{code: SG304, path: a}]": false, "waivers: [{code: SG304, path: a, reason: '', line: 3}]": false,
	} {
		name := filepath.Join(t.TempDir(), project.Name)
		if err := os.WriteFile(name, []byte(text+"\n"), 0o644); err != nil {
			t.Fatal(err)
		}
		_, findings, err := project.Open(nil, name, reference.Codes())
		if err != nil {
			t.Fatal(err)
		}
		if accepted := len(findings) == 0; accepted != valid {
			t.Errorf("%s: got findings %v from the parser", text, findings)
		}
		var value any
		if err := yaml.Unmarshal([]byte(strings.Replace(text, ": off", ": 'off'", 1)), &value); err != nil { // a boolean in YAML 1.1
			t.Fatal(err)
		}
		if result := validator.Validate(value); result.IsValid() != valid {
			t.Errorf("%s: got errors %v from the schema", text, result.Errors)
		}
	}
}

// TestSettings checks that each setting is described in docs/config.md, and that the flag
// of each exists on its command.
func TestSettings(t *testing.T) {
	page, err := os.ReadFile("../../docs/config.md")
	if err != nil {
		t.Fatal(err)
	}
	commands := map[string]func(name string) bool{}
	for _, c := range newRoot(nil, nil).Commands() {
		commands[c.Name()] = func(name string) bool { return c.Flags().Lookup(name) != nil }
	}
	for _, s := range project.Settings() {
		if !bytes.Contains(page, []byte("`"+s.Key+"`")) {
			t.Errorf("docs/config.md does not describe %s", s.Key)
		}
		if s.Description == "" {
			t.Errorf("%s has no description", s.Key)
		}
		of := s.Of
		if of == "" {
			of = project.OfCRD
		}
		if s.Flag != "" && !commands[of](s.Flag) {
			t.Errorf("%s is --%s of schemagen %s, which does not exist", s.Key, s.Flag, of)
		}
		if s.Alias != "" && !commands[controllerGenCommand](s.Alias) {
			t.Errorf("%s is --%s in controller-gen's syntax, which does not exist", s.Key, s.Alias)
		}
	}
}

// TestSettingsTable holds the table of settings in docs/config.md; -update rewrites it.
func TestSettingsTable(t *testing.T) {
	const page, begin, end = "../../docs/config.md", "<!-- settings -->\n", "<!-- end of settings -->"
	text, err := os.ReadFile(page)
	if err != nil {
		t.Fatal(err)
	}
	before, rest, hasBegin := strings.Cut(string(text), begin)
	_, after, hasEnd := strings.Cut(rest, end)
	if !hasBegin || !hasEnd {
		t.Fatalf("%s has no place for the settings", page)
	}
	want := before + begin + settingsTable(t) + end + after
	if *update {
		if err := os.WriteFile(page, []byte(want), 0o666); err != nil {
			t.Fatal(err)
		}
	} else if want != string(text) {
		t.Errorf("the settings in %s are out of date: run go test ./cmd/schemagen -run TestSettingsTable -update", page)
	}
}

// settingsTable returns a row for each setting: its key, its flag with the commands that have it, its argument in
// controller-gen's syntax, the marker of its name, and what it is.
func settingsTable(t *testing.T) string {
	reference, err := markers.New()
	if err != nil {
		t.Fatal(err)
	}
	var b strings.Builder
	b.WriteString("\n| key | flag | controller-gen's argument | marker | |\n|---|---|---|---|---|\n")
	quoted := func(format, text string) string {
		if text == "" {
			return ""
		}
		return "`" + fmt.Sprintf(format, text) + "`"
	}
	for _, s := range project.Settings() {
		commands := s.Also
		if s.Of != "" {
			commands = append([]string{s.Of}, commands...)
		} else if s.Flag != "" {
			commands = append([]string{project.OfCRD}, commands...)
		}
		flag := quoted("--%s", s.Flag)
		if flag != "" {
			names := strings.Join(slices.Compact(commands), ", ")
			flag += " of " + strings.Replace(names, project.OfDefinitions, "commands that read CRDs", 1)
		}
		argument := quoted("crd:%s=", s.Argument)
		if s.Alias != "" {
			argument = quoted("--%s", s.Alias)
		}
		marker := ""
		if slices.Contains(reference.Names(), "schemagen:"+s.Key) {
			marker = quoted("+schemagen:%s=", s.Key)
		}
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", s.Key, flag, argument, marker, s.Description)
	}
	return b.String() + "\n"
}
