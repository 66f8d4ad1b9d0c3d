package e2e

import (
	"encoding/json"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"

	"sigs.k8s.io/yaml"
)

const rollouts = "/apis/example.com/v1/namespaces/default/rollouts"

// A ratchetRow is an update of an object that was stored before the rules were added: it has
// type Canary and the members canary and blueGreen.
type ratchetRow struct {
	name, patch string
	// status is set if the patch is sent to the status subresource.
	status bool
	// rejected are the causes of the expected rejection; if empty, the update is accepted.
	rejected []string
	// warned is set if the update is accepted with the violated rule as a warning.
	warned bool
	// left are the type and the members stored afterwards.
	left string
}

const broken = "spec.strategy.blueGreen: Forbidden: may only be specified when `type` is \"BlueGreen\""

// ratchetRows returns the last rows of the table of cases, for a server: a violated rule is
// ignored only if the object with the union is unchanged.
func ratchetRows() []ratchetRow {
	return []ratchetRow{
		{name: "a label", patch: `{"metadata":{"labels":{"a":"b"}}}`, warned: true, left: "Canary canary blueGreen"},
		{name: "outside of the union", patch: `{"spec":{"replicas":2}}`, warned: true, left: "Canary canary blueGreen"},
		{name: "status", patch: `{"status":{"replicas":1}}`, status: true, warned: true, left: "Canary canary blueGreen"},
		{name: "nothing", patch: `{}`, warned: true, left: "Canary canary blueGreen"},
		{name: "inside of the union", patch: `{"spec":{"strategy":{"canary":{"percent":20}}}}`, rejected: []string{broken}, left: "Canary canary blueGreen"},
		{name: "outside and inside", patch: `{"metadata":{"labels":{"a":"b"}},"spec":{"strategy":{"blueGreen":{"service":"z"}}}}`, rejected: []string{broken}, left: "Canary canary blueGreen"},
		{name: "another way to be invalid", patch: `{"spec":{"strategy":{"type":"Recreate"}}}`, left: "Canary canary blueGreen", rejected: []string{
			broken, "spec.strategy.canary: Forbidden: may only be specified when `type` is \"Canary\""}},
		{name: "an unknown value", patch: `{"spec":{"strategy":{"type":"Nothing"}}}`, left: "Canary canary blueGreen", rejected: []string{
			`spec.strategy.type: Unsupported value: "Nothing": supported values: "BlueGreen", "Canary", "Recreate"`,
			"<nil>: Invalid value: null: some validation rules were not checked because the object was invalid; correct the existing errors to complete validation"}},
		{name: "corrected by a member less", patch: `{"spec":{"strategy":{"blueGreen":null}}}`, left: "Canary canary"},
		{name: "corrected by another value", patch: `{"spec":{"strategy":{"type":"BlueGreen","canary":null}}}`, left: "BlueGreen blueGreen"},
		{name: "corrected to the empty member", patch: `{"spec":{"strategy":{"type":"Recreate","canary":null,"blueGreen":null}}}`, left: "Recreate"},
	}
}

// TestRatcheting stores objects, tightens their definition, and updates the objects.
func TestRatcheting(t *testing.T) {
	part(t, "ratcheting")
	s := cluster(t)
	ctx := within(t)
	crd := caseCRD(t, "union-served")
	installed(t, s, withoutRules(t, crd))

	rows := ratchetRows()
	for i := range rows {
		body := rollout(fmt.Sprintf("row-%d", i), `{"type": "Canary", "canary": {"percent": 10}, "blueGreen": {"service": "a"}}`)
		if a, err := s.Do(ctx, http.MethodPost, rollouts+"?"+Strict, JSON, []byte(body)); err != nil || !a.OK() {
			t.Fatalf("%v %s", err, a)
		}
	}
	if err := s.ReplaceCRD(ctx, crd); err != nil {
		t.Fatal(err)
	}
	// Handlers read definitions from a cache; until it is updated, the old definition
	// applies.
	for poll := (poller{}); ; {
		a, err := s.Do(ctx, http.MethodPost, rollouts+"?dryRun=All&"+Strict, JSON, []byte(rollout("new", swapped)))
		if err != nil {
			t.Fatal(err)
		}
		if a.Code == http.StatusUnprocessableEntity {
			break
		}
		if err := poll.next(ctx); err != nil {
			t.Fatal(err, a)
		}
	}

	a, err := s.Do(ctx, http.MethodGet, rollouts, "", nil)
	var list struct{ Items []any }
	if err != nil || !a.OK() || json.Unmarshal(a.Body, &list) != nil || len(list.Items) != len(rows) {
		t.Fatalf("list: %v %s, %d items", err, a, len(list.Items))
	}
	for i, row := range rows {
		t.Run(row.name, func(t *testing.T) {
			path := fmt.Sprintf("%s/row-%d", rollouts, i)
			if got := storedUnion(t, s, path); got != "Canary canary blueGreen" {
				t.Fatalf("before: %s", got)
			}
			to := path
			if row.status {
				to += "/status"
			}
			a, err := s.Do(ctx, http.MethodPatch, to+"?"+Strict, MergePatch, []byte(row.patch))
			if err != nil {
				t.Fatal(err)
			}
			if got := a.Causes(); !slices.Equal(tidied(got), tidied(row.rejected)) || a.OK() != (row.rejected == nil) {
				t.Errorf("%s: got causes %q, want %q", a, got, row.rejected)
			}
			warned := strings.Contains(strings.Join(a.Warnings, "\n"), "may only be specified when `type` is \"BlueGreen\"")
			if warned != row.warned {
				t.Errorf("got warnings %q, want some: %t", a.Warnings, row.warned)
			}
			if got := storedUnion(t, s, path); got != row.left {
				t.Errorf("got stored object %s, want %s", got, row.left)
			}
		})
	}
	suite.report.Count("updates of objects that were stored before their rules", len(rows))
}

// storedUnion returns the type and the members that are stored.
func storedUnion(t *testing.T, s *Server, path string) string {
	t.Helper()
	a, err := s.Do(t.Context(), http.MethodGet, path, "", nil)
	if err != nil || !a.OK() {
		t.Fatalf("%v %s", err, a)
	}
	var object struct {
		Spec struct {
			Strategy struct {
				Type              string
				Canary, BlueGreen any
			}
		}
	}
	if err := json.Unmarshal(a.Body, &object); err != nil {
		t.Fatal(err)
	}
	u := object.Spec.Strategy
	text := u.Type
	if u.Canary != nil {
		text += " canary"
	}
	if u.BlueGreen != nil {
		text += " blueGreen"
	}
	return text
}

// withoutRules returns a definition without its rules.
func withoutRules(t *testing.T, crd CRD) CRD {
	t.Helper()
	var object map[string]any
	if err := yaml.Unmarshal(crd.Data, &object); err != nil {
		t.Fatal(err)
	}
	dropRules(object)
	data, err := json.Marshal(object)
	if err != nil {
		t.Fatal(err)
	}
	crd.From, crd.Data = crd.From+" without rules", data
	return crd
}

func dropRules(value any) {
	switch v := value.(type) {
	case map[string]any:
		delete(v, "x-kubernetes-validations")
		for _, inner := range v {
			dropRules(inner)
		}
	case []any:
		for _, inner := range v {
			dropRules(inner)
		}
	}
}
