package web

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"
	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/validation/field"

	"github.com/schemagen/schemagen/internal/apiserver"
	"github.com/schemagen/schemagen/publish"
	"github.com/schemagen/schemagen/structural"
	"github.com/schemagen/schemagen/unions"
)

var (
	folder  = flag.String("crds", "", "compare over the definitions in this folder and those below it, too")
	pairs   = flag.Int("pairs", 500, "random definitions")
	objects = flag.Int("objects", 60, "objects of each definition")
)

// pair is a version of a definition as used by a server and as JSON Schemas.
type pair struct {
	name   string
	schema *structural.Schema
	// server has all rules. free has none, so that its errors are those that a JSON Schema
	// can express.
	server, free *apiserver.Kind
	compiled     map[string]*jsonschema.Schema
	// loose is set if the JSON Schema may accept more because of junctors.
	loose     bool
	documents map[string][]byte
}

// pairsOf returns the served versions of a definition.
func pairsOf(crd *apiextensionsv1.CustomResourceDefinition) ([]pair, error) {
	without := crd.DeepCopy()
	for i := range without.Spec.Versions {
		dropRules(without.Spec.Versions[i].Schema.OpenAPIV3Schema)
	}
	var out []pair
	for _, r := range resources(crd) {
		if r.Schema == nil {
			return nil, fmt.Errorf("%s %s has no schema: %v", r.Kind, r.Version, r.Rejected)
		}
		p := pair{name: r.Kind + "." + r.GroupVersion(), schema: r.Schema, compiled: map[string]*jsonschema.Schema{}, documents: map[string][]byte{}}
		var err error
		if p.server, err = apiserver.NewKind(crd, r.Version); err != nil {
			return nil, err
		}
		if p.free, err = apiserver.NewKind(without, r.Version); err != nil {
			return nil, err
		}
		for _, draft := range publish.Drafts() {
			files, err := publish.JSONSchemas([]*publish.Resource{r}, publish.JSONSchemaOptions{Draft: draft})
			if err != nil {
				return nil, err
			}
			p.documents[draft] = files[0].Data
			if p.compiled[draft], err = compile(files[0].Data); err != nil {
				return nil, fmt.Errorf("%s %s: %w", p.name, draft, err)
			}
		}
		out = append(out, p)
	}
	return out, nil
}

func compile(data []byte) (*jsonschema.Schema, error) {
	document, err := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	if err != nil {
		return nil, err
	}
	c := jsonschema.NewCompiler()
	if err := c.AddResource("schema.json", document); err != nil {
		return nil, err
	}
	return c.Compile("schema.json")
}

func dropRules(s *apiextensionsv1.JSONSchemaProps) {
	if s == nil {
		return
	}
	s.XValidations = nil
	for name, p := range s.Properties {
		dropRules(&p)
		s.Properties[name] = p
	}
	if s.Items != nil {
		dropRules(s.Items.Schema)
	}
	if s.AdditionalProperties != nil {
		dropRules(s.AdditionalProperties.Schema)
	}
	for _, list := range [][]apiextensionsv1.JSONSchemaProps{s.AllOf, s.AnyOf, s.OneOf} {
		for i := range list {
			dropRules(&list[i])
		}
	}
	dropRules(s.Not)
}

// tally counts the comparisons.
type tally struct{ accepted, rejected, excused, rules int }

// compare validates an object with both. It returns an error if they disagree.
func (p pair) compare(object map[string]any, counts *tally) error {
	if p.server.HasStatus() {
		delete(object, "status") // ignored by the server
	}
	ctx := context.Background()
	answer, err := p.server.Create(ctx, object)
	if err != nil {
		return err
	}
	free, err := p.free.Create(ctx, object)
	if err != nil {
		return err
	}
	plain := len(answer.Pruned)+len(answer.Nulls)+len(answer.Metadata) == 0 && !nullDefaulted(object, answer.Defaulted)
	mustReject := !plain || !p.loose && hasUnionError(p.schema, answer.Errors)
	excused := false
	for _, at := range mutableValues(object, p.schema) {
		// The server accepts a list for a string with a format (typeValidator of
		// kube-openapi), which is a bug.
		if _, isList := at.value.([]any); isList && at.schema != nil && at.schema.Type == "string" && at.schema.ValueValidation != nil && at.schema.Format != "" {
			counts.excused++
			return nil
		}
	}
	for _, e := range free.Errors {
		if isExcuse(e) || p.loose && isJunctor.MatchString(e.Detail) {
			excused = true
		} else {
			mustReject = true
		}
	}
	for _, draft := range publish.Drafts() {
		wrong := p.compiled[draft].Validate(decoded(object))
		switch {
		case len(answer.Errors) == 0 && plain && wrong != nil:
			return fmt.Errorf("%s %s rejects what the server accepts: %v\n%s\n%s", p.name, draft, wrong, text(object), p.shown(draft))
		case mustReject && wrong == nil:
			return fmt.Errorf("%s %s accepts what the server rejects or drops: errors %v, dropped %v %v %v\n%s\n%s", p.name, draft, answer.Errors, answer.Pruned, answer.Nulls, answer.Metadata, text(object), p.shown(draft))
		}
	}
	switch {
	case len(answer.Errors) == 0 && plain:
		counts.accepted++
	case mustReject:
		counts.rejected++
	case excused:
		counts.excused++
	default:
		counts.rules++
	}
	return nil
}

// shown returns the schema without the parts common to all, for messages.
func (p pair) shown(draft string) string {
	var out map[string]any
	_ = json.Unmarshal(p.documents[draft], &out)
	delete(out, "$defs")
	delete(out, "definitions")
	for _, name := range []string{"metadata", "apiVersion", "kind"} {
		delete(out["properties"].(map[string]any), name)
	}
	return text(out)
}

// nullDefaulted reports whether a default has replaced null.
func nullDefaulted(object map[string]any, defaults []structural.Defaulted) bool {
	for _, d := range defaults {
		var value any = object
		there := true
		for _, step := range d.Path.Steps() {
			switch v := value.(type) {
			case map[string]any:
				value, there = v[step.Field]
			case []any:
				value = v[step.Index]
			default:
				there = false
			}
			if !there {
				break
			}
		}
		if there && value == nil {
			return true
		}
	}
	return false
}

// hasUnionError reports whether a union's rule has failed.
func hasUnionError(s *structural.Schema, errs field.ErrorList) bool {
	messages := map[string]bool{}
	var visit func(s *structural.Schema)
	visit = func(s *structural.Schema) {
		if s == nil {
			return
		}
		for _, u := range unions.Of(s) {
			for _, m := range u.Members {
				messages[u.MustBeSet(m)], messages[u.MustNotBeSet(m)] = true, true
			}
			messages[u.MustHaveMember()] = u.Discriminator == ""
		}
		for _, p := range s.Properties {
			visit(p.Schema)
		}
		visit(s.Items)
		if s.AdditionalProperties != nil {
			visit(s.AdditionalProperties.Schema)
		}
	}
	visit(s)
	for _, e := range errs {
		if messages[e.Detail] {
			return true
		}
	}
	return false
}

// isExcuse reports whether an error is one that JSON Schemas cannot express, as documented in
// docs/editor.md: formats, keys of lists, values of metadata, scale.
func isExcuse(e *field.Error) bool {
	return e.Type == field.ErrorTypeDuplicate ||
		isFormat.MatchString(e.Detail) ||
		strings.Contains(e.Field, "metadata") || strings.Contains(e.Detail, "parsing time") ||
		strings.HasSuffix(e.Field, "apiVersion") || strings.HasSuffix(e.Field, "kind") ||
		strings.Contains(e.Detail, "should be a non-negative integer")
}

var isFormat = regexp.MustCompile(`must be of type (date-time|date|byte|ipv4|ipv6|cidr|uri|duration|uuid|email|hostname|mac|password):`)

var isJunctor = regexp.MustCompile(`\((oneOf|anyOf|not)\)|must not validate|must validate|should have at least \d+ properties`)

func decoded(object map[string]any) any {
	data, _ := json.Marshal(object) // it was JSON
	value, _ := jsonschema.UnmarshalJSON(bytes.NewReader(data))
	return value
}

func text(value any) string {
	data, _ := json.Marshal(value)
	return string(data)
}

// sample returns the minimal or the full object, as far as the schema alone determines it.
func (p pair) sample(full bool) map[string]any {
	object, ok := unions.Sample(p.schema, full).(map[string]any)
	if !ok {
		object = map[string]any{}
	}
	kind, groupVersion, _ := strings.Cut(p.name, ".")
	object["apiVersion"], object["kind"] = groupVersion, kind
	object["metadata"] = map[string]any{"name": "example"}
	return object
}

// sampleOf returns a sample that the server accepts.
func sampleOf(t *testing.T, d definition, version string, full bool) map[string]any {
	t.Helper()
	all, err := pairsOf(d.crd)
	if err != nil {
		t.Fatal(err)
	}
	at := slices.IndexFunc(all, func(p pair) bool { return strings.HasSuffix(p.name, "/"+version) })
	object := all[at].sample(full)
	answer, err := all[at].server.Create(context.Background(), object)
	if err != nil || len(answer.Errors) > 0 {
		t.Fatalf("%v %v", err, answer.Errors)
	}
	return object
}

// samples calls do with objects that start from the minimal and the full one, with random
// changes.
func (p pair) samples(c chance, count int, do func(map[string]any) error) error {
	for i := range count {
		object := p.sample(i%2 == 1)
		if i > 1 {
			for range 1 + c.Intn(3) {
				c.mutate(object, p.schema)
			}
		}
		if err := do(object); err != nil {
			return err
		}
	}
	return nil
}

// TestSchemasAgreeOnRealDefinitions compares validation for the definitions in bench/.
func TestSchemasAgreeOnRealDefinitions(t *testing.T) {
	dirs := []string{suite.canvas}
	for _, name := range benchCases {
		dirs = append(dirs, suite.bench[name])
	}
	if *folder != "" {
		more, err := filepath.Glob(filepath.Join(*folder, "*"))
		if err != nil {
			t.Fatal(err)
		}
		dirs = append(dirs, more...)
	}
	var counts tally
	for i, d := range definitions(t, dirs...) {
		all, err := pairsOf(d.crd)
		if err != nil {
			t.Errorf("%s: %v", d.file, err)
			continue
		}
		count := *objects
		if d.size > 100_000 {
			count = max(10, count*100_000/d.size)
		}
		for _, p := range all {
			err := p.samples(chance{Rand: rand.New(rand.NewSource(int64(i)))}, count, func(object map[string]any) error { return p.compare(object, &counts) })
			if err != nil {
				t.Errorf("%s: %v", d.file, cut(err))
			}
		}
	}
	t.Logf("%+v", counts)
	if counts.accepted < 50 || counts.rejected < 500 {
		t.Errorf("got too few: %+v", counts)
	}
}

// TestSchemasAgreeOnRandomDefinitions compares validation for random schemas.
func TestSchemasAgreeOnRandomDefinitions(t *testing.T) {
	var counts tally
	made := 0
	for seed := range *pairs {
		c := chance{rand.New(rand.NewSource(int64(seed))), seed%4 == 0}
		all, err := pairsOf(c.definition())
		if err != nil {
			if strings.Contains(err.Error(), "schema.json") {
				t.Fatalf("seed %d: %v", seed, err)
			}
			continue // the server would reject it, too
		}
		made++
		all[0].loose = c.loose
		err = all[0].samples(c, *objects/2, func(object map[string]any) error { return all[0].compare(object, &counts) })
		if err != nil {
			t.Fatalf("seed %d: %v", seed, cut(err))
		}
	}
	t.Logf("%d definitions: %+v", made, counts)
	if made < *pairs/2 || counts.accepted < 3*made || counts.rejected < 5*made {
		t.Errorf("got too few: %d definitions, %+v", made, counts)
	}
}

// cut truncates an error with a long schema for the log.
func cut(err error) string {
	const enough = 6000
	if text := err.Error(); len(text) > enough {
		return text[:enough] + "…"
	}
	return err.Error()
}

// TestSchemaOfCanvas validates objects that random changes seldom produce.
func TestSchemaOfCanvas(t *testing.T) {
	all, err := pairsOf(definitions(t, suite.canvas)[0].crd)
	if err != nil {
		t.Fatal(err)
	}
	fill := func(fill string) string { return `"spec": {"layers": [{"name": "sky", "fill": ` + fill + `}]}` }
	for _, c := range []struct {
		name, spec string
		accepted   bool
	}{
		{"selected", fill(`{"type": "Solid", "solid": {"color": "red"}}`), true},
		{"no member", fill(`{"type": "None"}`), true},
		{"missing member", fill(`{"type": "Solid"}`), false},
		{"other member", fill(`{"type": "Solid", "image": {"url": "a"}}`), false},
		{"two members", fill(`{"type": "Solid", "solid": {"color": "red"}, "image": {"url": "a"}}`), false},
		{"no discriminator", fill(`{"solid": {"color": "red"}}`), false},
		{"unknown value", fill(`{"type": "Fancy"}`), false},
		{"nested, by default", fill(`{"type": "Gradient", "gradient": {"linear": {"angle": 0}}}`), true},
		{"nested, other", fill(`{"type": "Gradient", "gradient": {"radial": {"radius": 0}}}`), false},
		{"nested, explicit", fill(`{"type": "Gradient", "gradient": {"shape": "Radial", "radial": {"radius": 0}}}`), true},
		{"exclusive maximum", fill(`{"type": "Gradient", "gradient": {"linear": {"angle": 360}}}`), false},
		{"unknown field", fill(`{"type": "None", "solidd": 1}`), false},
		{"one source", `"spec": {"layers": [{"name": "a", "fill": {"type": "None"}}], "source": {"git": {"url": "x"}}}`, true},
		{"no source", `"spec": {"layers": [{"name": "a", "fill": {"type": "None"}}], "source": {}}`, false},
		{"two sources", `"spec": {"layers": [{"name": "a", "fill": {"type": "None"}}], "source": {"git": {"url": "x"}, "archive": {"url": "x"}}}`, false},
		{"null title", `"spec": {"layers": [{"name": "a", "fill": {"type": "None"}}], "title": null}`, true},
		{"null margin", `"spec": {"layers": [{"name": "a", "fill": {"type": "None"}}], "margin": null}`, false},
		{"percentage", `"spec": {"layers": [{"name": "a", "fill": {"type": "None"}}], "margin": "5%"}`, true},
		{"boolean margin", `"spec": {"layers": [{"name": "a", "fill": {"type": "None"}}], "margin": true}`, false},
		{"wrong kind", `"kind": "Canvass", "spec": {"layers": [{"name": "a", "fill": {"type": "None"}}]}`, false},
	} {
		var object map[string]any
		if err := json.Unmarshal([]byte(`{"apiVersion": "shapes.example.com/v1", "kind": "Canvas", "metadata": {"name": "a"}, `+c.spec+`}`), &object); err != nil {
			t.Fatal(err)
		}
		for _, draft := range publish.Drafts() {
			if err := all[0].compiled[draft].Validate(decoded(object)); (err == nil) != c.accepted {
				t.Errorf("%s: %s: %v", c.name, draft, err)
			}
		}
		var counts tally
		if err := all[0].compare(runtime.DeepCopyJSON(withInts(object)), &counts); err != nil {
			t.Errorf("%s: %v", c.name, cut(err))
		}
	}
}

// withInts returns an object as decoded by the server.
func withInts(object map[string]any) map[string]any {
	data, _ := json.Marshal(object)
	out := map[string]any{}
	if err := (json.Unmarshal(data, &out)); err != nil {
		return nil
	}
	return out
}
