package e2e

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"

	apiextensionsv1 "k8s.io/apiextensions-apiserver/pkg/apis/apiextensions/v1"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/verify"
)

type crdObject = apiextensionsv1.CustomResourceDefinition

// storedDefinitions returns definitions as clusters have them that are older than structural
// schemas: those of schemaCases, with unknown fields pruned and preserved, and those that need
// more than one schema.
func storedDefinitions(t *testing.T) []*crdObject {
	t.Helper()
	var out []*crdObject
	add := func(object *crdObject) {
		for _, preserve := range []bool{false, true} {
			stored := object.DeepCopy()
			stored.Spec.Group = fmt.Sprintf("condition%d.test", len(out))
			stored.Name = stored.Spec.Names.Plural + "." + stored.Spec.Group
			stored.Spec.PreserveUnknownFields = preserve
			stored.Annotations = map[string]string{"from": fmt.Sprintf("%s, preserving %t", object.Annotations["from"], preserve)}
			out = append(out, stored)
		}
	}
	parse := func(c CRD) *crdObject {
		t.Helper()
		object := &crdObject{}
		if yaml.UnmarshalStrict(c.Data, object) != nil {
			return nil // no server has stored it
		}
		object.Annotations = map[string]string{"from": c.From}
		return object
	}
	for _, c := range schemaCases(t) {
		if object := parse(c); object != nil {
			add(object)
		}
	}
	const good, bad, worse = "type: object", "type: object\nproperties:\n  a: {}", "type: object\nanyOf:\n- properties:\n    b: {type: string}"
	for i, schemas := range [][]string{
		{""}, {"", ""}, {"", bad}, {good, bad}, {bad, good}, {worse, bad}, {bad, bad}, {good, good + "\ntitle: another"},
		// What the server cannot convert to a structural schema.
		{"type: object\n$ref: '#/x'"}, {bad, "type: object\n$ref: '#/x'"}, {"type: array\nitems: [{}]"}, {"type: object\npatternProperties: {^a: {type: string}}"},
	} {
		var object *crdObject
		for j, schema := range schemas {
			next := parse(definition(t, fmt.Sprintf("schemas %d", i), "widgets", fmt.Sprintf("v%d", j+1), schema))
			if schema == "" {
				next.Spec.Versions[0].Schema = nil
			}
			if object == nil {
				object = next
				continue
			}
			next.Spec.Versions[0].Storage = false
			object.Spec.Versions = append(object.Spec.Versions, next.Spec.Versions...)
		}
		add(object)
	}
	converted := parse(definition(t, "a webhook", "widgets", "v1", bad))
	withWebhook(converted)
	add(converted)
	return out
}

// A conditionUpdate is a change to definitions.
type conditionUpdate struct {
	name string
	// feature is the name of the feature that the change begins to use, in the command's
	// output, or empty.
	feature string
	// change reports whether it applies.
	change func(*crdObject) bool
	// stored is set if the update is made after a dry run, and report is its row in the report.
	stored bool
	report string
}

// of returns the changed definitions.
func (u conditionUpdate) of(definitions []*crdObject) []*crdObject {
	var out []*crdObject
	for _, d := range definitions {
		changed := d.DeepCopy()
		changed.Spec.Names.ShortNames = []string{"short"}
		if u.change(changed) {
			out = append(out, changed)
		}
	}
	return out
}

// conditionUpdates returns the changes, of which the last ones are stored.
func conditionUpdates() []conditionUpdate {
	mistake := withProperty("mistake", apiextensionsv1.JSONSchemaProps{MinLength: new(int64)})
	return []conditionUpdate{
		{name: "the same schema", change: func(*crdObject) bool { return true }},
		{name: "unknown fields are preserved", change: func(o *crdObject) bool { o.Spec.PreserveUnknownFields = true; return true }},
		{name: "unknown fields are pruned", feature: "pruning", change: func(o *crdObject) bool { o.Spec.PreserveUnknownFields = false; return true }},
		{name: "a default", feature: "defaults", change: withProperty("default", apiextensionsv1.JSONSchemaProps{Type: "boolean", Default: &apiextensionsv1.JSON{Raw: []byte("true")}})},
		{name: "conversion by a webhook", feature: "webhook conversion", change: withWebhook},
		{name: "another mistake", change: mistake, stored: true,
			report: "stored definitions with another mistake, whose condition changes as verify --condition says"},
		{name: "corrected", change: corrected, stored: true,
			report: "corrected definitions, whose condition is removed as verify --condition says"},
	}
}

// corrected replaces the schemas.
func corrected(o *crdObject) bool {
	o.Spec.PreserveUnknownFields = false
	for i := range o.Spec.Versions {
		o.Spec.Versions[i].Schema = &apiextensionsv1.CustomResourceValidation{OpenAPIV3Schema: &apiextensionsv1.JSONSchemaProps{
			Type: "object", Properties: map[string]apiextensionsv1.JSONSchemaProps{"size": {Type: "integer"}}}}
	}
	return true
}

// withProperty adds a property to the first schema.
func withProperty(name string, p apiextensionsv1.JSONSchemaProps) func(*crdObject) bool {
	return func(o *crdObject) bool {
		for _, v := range o.Spec.Versions {
			if v.Schema != nil {
				schema := v.Schema.OpenAPIV3Schema
				if schema.Properties == nil {
					schema.Properties = map[string]apiextensionsv1.JSONSchemaProps{}
				}
				schema.Properties[name] = p
				return true
			}
		}
		return false
	}
}

func withWebhook(o *crdObject) bool {
	url := "https://localhost/convert"
	o.Spec.Conversion = &apiextensionsv1.CustomResourceConversion{Strategy: apiextensionsv1.WebhookConverter, Webhook: &apiextensionsv1.WebhookConversion{
		ClientConfig: &apiextensionsv1.WebhookClientConfig{URL: &url}, ConversionReviewVersions: []string{"v1"}}}
	return true
}

// TestConditions stores definitions that are not structural, as old clusters have, and compares
// the condition that the server sets and its responses to creating and updating them with the
// output of verify --condition.
func TestConditions(t *testing.T) {
	part(t, "definitions that are not structural")
	s, _, err := ownServer(t, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Stop()
	ctx := within(t)
	stored := storedDefinitions(t)
	old := crdsOf(t, stored)
	said := conditionsSaid(t, s, old, nil)
	exact := exactWords(s)
	verdicts := map[bool]int{}
	check := func(t *testing.T, said verify.Compatibility, a Answer) {
		t.Helper()
		checkVerdict(t, said, a, exact)
		verdicts[a.OK()]++
	}

	// A definition that exists cannot be created, so this comes first.
	for i, c := range old {
		t.Run("create/"+c.From, func(t *testing.T) {
			a, err := s.Do(ctx, http.MethodPost, crdsPath+"?dryRun=All&"+Strict, JSON, c.Data)
			if err != nil {
				t.Fatal(err)
			}
			check(t, said[c.Name], a)
		})
		if err := s.StoreCRD(ctx, stored[i]); err != nil {
			t.Fatal(err)
		}
	}
	suite.report.Count("definitions rejected as verify --condition says", verdicts[false])
	suite.report.Count("of the same definitions, accepted", verdicts[true])

	statuses := map[string]int{}
	for _, c := range each(t, old, func(c CRD) error { return s.waitForCondition(ctx, c.Name, said[c.Name].Condition) }) {
		if condition := said[c.Name].Condition; condition != nil {
			statuses[condition.Status]++
		} else {
			statuses["none"]++
		}
	}
	t.Logf("conditions: %v", statuses)
	if statuses["none"] < 20 || statuses["True"] < 100 || statuses["Unknown"] < 5 {
		t.Errorf("got only these conditions: %v", statuses)
	}
	suite.report.Count("conditions NonStructuralSchema of stored definitions, as verify --condition says", statuses["True"]+statuses["Unknown"])
	suite.report.Count("of the same definitions, without the condition", statuses["none"])
	clear(verdicts)
	features, refused := 0, 0
	var plain map[string]verify.Compatibility
	for _, update := range conditionUpdates() {
		changed := crdsOf(t, update.of(stored))
		said, proposed := conditionsSaid(t, s, changed, old), conditionsSaid(t, s, changed, old, "--proposal")
		if plain == nil {
			plain = said
		}
		for _, c := range changed {
			t.Run(update.name+"/"+c.From, func(t *testing.T) {
				a, err := s.updateCRD(ctx, c, true)
				if err != nil {
					t.Fatal(err)
				}
				check(t, said[c.Name], a)
				if p := proposed[c.Name]; !p.Accepted {
					refused++
					if a.OK() {
						t.Errorf("the server accepts what the KEP rejects: %v", p.Errors)
					}
				}
				for _, f := range plain[c.Name].Features {
					if f.Name == update.feature {
						features++
						if f.Refused == a.OK() {
							t.Errorf("%s: refused %t, but the server responded %s", f.Name, f.Refused, a)
						}
					}
				}
			})
		}
		if update.stored {
			accepted := slices.DeleteFunc(slices.Clone(changed), func(c CRD) bool { return !said[c.Name].Accepted })
			each(t, accepted, func(c CRD) error {
				a, err := s.updateCRD(ctx, c, false)
				if err == nil && !a.OK() {
					err = errors.New(a.String())
				}
				if err == nil {
					err = s.waitForCondition(ctx, c.Name, said[c.Name].Condition)
				}
				if err != nil {
					return fmt.Errorf("%s: %s: %w", update.name, c.From, err)
				}
				return nil
			})
			suite.report.Count(update.report, len(accepted))
		}
	}
	t.Logf("updates: %v, rejected by the KEP %d, features %d", verdicts, refused, features)
	if verdicts[true] < 100 || verdicts[false] < 100 || refused < 100 || features < 100 {
		t.Errorf("got only %v responses to updates, %d rejected by the KEP and %d about features", verdicts, refused, features)
	}
	suite.report.Count("updates of stored definitions, rejected as verify --condition --old says", verdicts[false])
	suite.report.Count("of the same updates, accepted", verdicts[true])
	suite.report.Count("of the rejected ones, rejected by the KEP, too, as verify --condition --proposal says", refused)
	suite.report.Count("of all of them, about a feature that the definition begins to use", features)
}

// crdsOf returns the manifests of definitions.
func crdsOf(t *testing.T, objects []*crdObject) []CRD {
	t.Helper()
	var out []CRD
	for _, o := range objects {
		data, err := json.Marshal(o)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, CRD{From: o.Annotations["from"], Name: o.Name, Group: o.Spec.Group, Data: data})
	}
	return out
}

// conditionsSaid returns the output of verify --condition for definitions, as updates of old
// ones if there are any, by name.
func conditionsSaid(t *testing.T, s *Server, crds, old []CRD, flags ...string) map[string]verify.Compatibility {
	t.Helper()
	args := append([]string{"verify", writeCRDs(t, crds), "--condition", "--format", "json", "--no-config", "--kube-version", s.Version}, flags...)
	if old != nil {
		args = append(args, "--old", writeCRDs(t, old))
	}
	// It fails if one of the definitions would be rejected.
	text, err := exec.CommandContext(t.Context(), schemagen(t), args...).Output()
	if exit := (*exec.ExitError)(nil); err != nil && (!errors.As(err, &exit) || exit.ExitCode() != 1) {
		t.Fatal(err)
	}
	out := map[string]verify.Compatibility{}
	for line := range bytes.Lines(text) {
		var c verify.Compatibility
		if err := json.Unmarshal(line, &c); err != nil {
			t.Fatalf("%v: %s", err, line)
		}
		out[c.Name] = c
	}
	if len(out) != len(crds) {
		t.Fatalf("got %d answers for %d definitions", len(out), len(crds))
	}
	return out
}

// checkVerdict compares a response with whether the request is accepted, and with its errors.
func checkVerdict(t *testing.T, said verify.Compatibility, a Answer, exact bool) {
	t.Helper()
	if a.OK() != said.Accepted || !a.OK() && a.Code != http.StatusUnprocessableEntity {
		t.Errorf("accepted %t, but the server responded %s", said.Accepted, a)
	}
	got, want := tidied(said.Errors), tidied(a.Causes())
	if !exact {
		got, want = fields(got), fields(want)
	}
	if !slices.Equal(got, want) {
		t.Errorf("got errors\n\t%s\nthe server's\n\t%s", strings.Join(got, "\n\t"), strings.Join(want, "\n\t"))
	}
}

// waitForCondition waits until a definition has the condition NonStructuralSchema that is
// wanted, or none.
func (s *Server) waitForCondition(ctx context.Context, name string, want *verify.Condition) error {
	wanted := "none"
	if want != nil {
		wanted = fmt.Sprint(want.Type, want.Status, want.Reason, violationsOf(want.Message))
	}
	for poll := (poller{}); ; {
		object, err := s.getCRD(ctx, name)
		if err != nil {
			return err
		}
		got := "none"
		for _, c := range object.Status.Conditions {
			if c.Type == apiextensionsv1.NonStructuralSchema {
				got = fmt.Sprint(c.Type, c.Status, c.Reason, violationsOf(c.Message))
			}
		}
		if got == wanted {
			return nil
		}
		if err := poll.next(ctx); err != nil {
			return fmt.Errorf("%s: got condition\n\t%s\nthe server's\n\t%s", name, wanted, got)
		}
	}
}

// violationsOf returns the parts of a message, sorted: the server ranges over maps.
func violationsOf(message string) []string {
	if list, is := strings.CutPrefix(message, "["); is {
		message = strings.TrimSuffix(list, "]")
	}
	parts := strings.Split(message, ", spec.")
	for i := range parts {
		parts[i] = strings.TrimPrefix(parts[i], "spec.")
	}
	slices.Sort(parts)
	return parts
}

// updateCRD replaces a definition, again if a controller has changed it in the meantime.
func (s *Server) updateCRD(ctx context.Context, crd CRD, dryRun bool) (Answer, error) {
	query := "?" + Strict
	if dryRun {
		query += "&dryRun=All"
	}
	for poll := (poller{}); ; {
		old, err := s.getCRD(ctx, crd.Name)
		if err != nil {
			return Answer{}, err
		}
		object := &crdObject{}
		if err := json.Unmarshal(crd.Data, object); err != nil {
			return Answer{}, err
		}
		object.ResourceVersion = old.ResourceVersion
		body, err := json.Marshal(object)
		if err != nil {
			return Answer{}, err
		}
		a, err := s.Do(ctx, http.MethodPut, crdsPath+"/"+crd.Name+query, JSON, body)
		if err != nil || a.Code != http.StatusConflict {
			return a, err
		}
		if err := poll.next(ctx); err != nil {
			return a, err
		}
	}
}
