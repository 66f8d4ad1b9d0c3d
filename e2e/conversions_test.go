package e2e

import (
	"bytes"
	"cmp"
	"context"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	jsonpatch "gopkg.in/evanphx/json-patch.v4"
	"sigs.k8s.io/yaml"

	"github.com/schemagen/schemagen/internal/conversions/policy"
)

// A conversionStep is a request for a Backup of examples/conversions, in one of its versions.
type conversionStep struct {
	// what is the kind of request:
	//
	//	create   of an object with the spec body
	//	edit     as kubectl edit does: the object is read, a merge patch applied, and written
	//	replace  of the object by one with only the spec body
	//	patch    a merge patch of the object by the server
	//	json patch  the same with a JSON patch
	//	apply    by the server, of an object with the spec body, even if fields have other owners
	//	contend  the same by another client, which gives way to other owners
	//	forge    sets the annotation to body
	//	restore  creates an object that has the annotation of a backup
	//	status   a merge patch of the status subresource
	//	delete   of the object
	what, version, body string
	// fails is a part of the error.
	fails string
	// want is the object's spec in each of these versions, kept the annotation that it has
	// there, as JSON; empty if it has none. A version that is missing is not looked at.
	want, kept map[string]string
}

// in makes a map of versions and texts.
func in(texts ...string) map[string]string {
	out := map[string]string{}
	for i := 0; i < len(texts); i += 2 {
		out[texts[i]] = texts[i+1]
	}
	return out
}

const (
	hub, beta, alpha = "v1", "v1beta1", "v1alpha1"
	conversionGroup  = "backups.example.com"
	labelPatch       = `{"metadata": {"labels": {"a": "b"}}}`
	// restoredKept is the annotation of an object that is restored.
	restoredKept = `{"v1": {"spec": {"notes": "n", "keep": 3}}}`
)

// The parts of the table of requests. Three are histories with other policies: none, those of
// outputs.policies, and those of policyCreate: keep.
const (
	withoutPolicies  = "Without policies"
	withPolicies     = "With policies"
	withPoliciesKept = "With the policies of policyCreate: keep"
	listsAndWatches  = "Lists and watches"
	storageMigration = "Storage migration"
	webhookDown      = "While the webhook is down"
	kubectlOf        = "kubectl "
)

// conversionHistories returns requests for one object each. Expectations follow the
// specification of conversions: sections 6, 7 and 10.
func conversionHistories(policies string) map[string][]conversionStep {
	// withPolicy is what is expected if the policies protect the annotation.
	withPolicy := func(without, with string) string {
		if policies != withoutPolicies {
			return with
		}
		return without
	}
	full := `{"cronSchedule": "1", "deletion": {"drainSeconds": 7}, "policy": "TryNext", "paused": false, "volumes": [{"name": "web", "path": "a", "compression": "Zstd"}, {"name": "db", "compression": "None"}],` +
		` "networks": [{"cidr": "10", "note": "x"}, {"cidr": "10"}, {"cidr": "11", "note": "y"}], "notes": "n", "keep": 3}`
	fullBeta := `{"schedule": "1", "drain": "7s", "policy": "TryNext", "volumes": [{"name": "web", "path": "a"}, {"name": "db"}], "networks": [{"cidr": "10"}, {"cidr": "10"}, {"cidr": "11"}]}`
	fullKept := `{"v1": {"spec": {"paused": false, "volumes": {"web": {"compression": "Zstd"}, "db": {"compression": "None"}},` +
		` "networks": [{"i": 0, "n": 2, "v": {"cidr": "10", "note": "x"}}, {"i": 0, "v": {"cidr": "11", "note": "y"}}], "notes": "n", "keep": 3}}}`
	large := strings.Repeat("x", 300_000)
	restored := `{"cronSchedule": "1", "notes": "n", "keep": 3}`
	if policies == withPolicies {
		restored = `{"cronSchedule": "1"}`
	}
	over := fmt.Sprintf(`{"v1": {"#over": %d}}`, len(`{"spec":{"notes":""}}`)+len(large))
	histories := map[string][]conversionStep{
		"equal": {
			{what: "create", version: beta, body: `{"schedule": "1"}`, want: in(hub, `{"cronSchedule": "1"}`, beta, `{"schedule": "1"}`, alpha, `{"schedule": "1"}`), kept: in(hub, "", beta, "", alpha, "")},
			{what: "edit", version: alpha, body: `{"spec": {"schedule": "2"}}`, want: in(hub, `{"cronSchedule": "2"}`, beta, `{"schedule": "2"}`), kept: in(hub, "", beta, "", alpha, "")},
			{what: "patch", version: beta, body: `{"spec": {"paused": true}}`, want: in(hub, `{"cronSchedule": "2", "paused": true}`), kept: in(hub, "", beta, "")},
		},
		"duration": {
			{what: "create", version: beta, body: `{"schedule": "1", "drain": "1.5s"}`, want: in(hub, `{"cronSchedule": "1", "deletion": {"drainSeconds": 1}}`, beta, `{"schedule": "1", "drain": "1.5s"}`),
				kept: in(hub, `{"v1beta1": {"spec": {"drain": "1.5s"}}}`, beta, "")},
			{what: "edit", version: hub, body: labelPatch, want: in(beta, `{"schedule": "1", "drain": "1.5s"}`)},
			{what: "edit", version: alpha, body: `{"spec": {"schedule": "2"}}`, want: in(beta, `{"schedule": "2", "drain": "1.5s"}`)},
			{what: "edit", version: hub, body: `{"spec": {"deletion": {"drainSeconds": 2}}}`, want: in(beta, `{"schedule": "2", "drain": "2s"}`)},
			{what: "edit", version: hub, body: `{"spec": {"deletion": null}}`, want: in(hub, `{"cronSchedule": "2"}`, beta, `{"schedule": "2"}`)},
		},
		"values": {
			{what: "create", version: beta, body: `{"schedule": "1", "policy": "Borrow"}`, want: in(hub, `{"cronSchedule": "1", "policy": "MayStop"}`, beta, `{"schedule": "1", "policy": "Borrow"}`),
				kept: in(hub, `{"v1beta1": {"spec": {"policy": "Borrow"}}}`, beta, "")},
			{what: "patch", version: hub, body: `{"spec": {"policy": "TryNext"}}`, want: in(beta, `{"schedule": "1", "policy": "TryNext"}`)},
			{what: "patch", version: hub, body: `{"spec": {"policy": "MayStop"}}`, want: in(beta, `{"schedule": "1", "policy": "Borrow"}`)},
			{what: "patch", version: beta, body: `{"spec": {"policy": "Preempt"}}`, want: in(hub, `{"cronSchedule": "1", "policy": "MayStop"}`, beta, `{"schedule": "1", "policy": "Preempt"}`), kept: in(hub, "")},
			{what: "patch", version: beta, body: `{"spec": {"policy": "MayStop"}}`, fails: "Unsupported value"},
		},
		"pointer": {
			{what: "create", version: hub, body: `{"cronSchedule": "1", "paused": false}`, want: in(hub, `{"cronSchedule": "1", "paused": false}`, beta, `{"schedule": "1"}`),
				kept: in(hub, "", beta, `{"v1": {"spec": {"paused": false}}}`)},
			{what: "edit", version: beta, body: labelPatch, want: in(hub, `{"cronSchedule": "1", "paused": false}`)},
			{what: "edit", version: beta, body: `{"spec": {"paused": true}}`, want: in(hub, `{"cronSchedule": "1", "paused": true}`), kept: in(beta, "")},
		},
		"everything": {
			{what: "create", version: hub, body: full, want: in(hub, full, beta, fullBeta, alpha, `{"schedule": "1"}`), kept: in(hub, "", beta, fullKept)},
			{what: "edit", version: beta, body: labelPatch, want: in(hub, full), kept: in(hub, "", beta, fullKept)},
			{what: "edit", version: alpha, body: `{"metadata": {"labels": {"c": "d"}}}`, want: in(hub, full), kept: in(hub, "", beta, fullKept)},
			{what: "patch", version: beta, body: labelPatch, want: in(hub, full)},
			{what: "patch", version: alpha, body: `{"spec": {"schedule": "2"}}`, want: in(beta, strings.Replace(fullBeta, `"schedule": "1"`, `"schedule": "2"`, 1))},
			{what: "patch", version: alpha, body: `{"spec": {"retries": 2}}`, want: in(alpha, `{"schedule": "2"}`)},
		},
		"keyed": {
			{what: "create", version: hub, body: `{"cronSchedule": "1", "volumes": [{"name": "web", "path": "i", "compression": "Zstd"}, {"name": "db", "compression": "None"}]}`},
			{what: "edit", version: beta, body: `{"spec": {"volumes": [{"name": "web", "path": "j"}]}}`, want: in(hub, `{"cronSchedule": "1", "volumes": [{"name": "web", "path": "j", "compression": "Zstd"}]}`)},
			{what: "edit", version: beta, body: `{"spec": {"volumes": [{"name": "new"}, {"name": "web", "path": "j"}]}}`, want: in(hub, `{"cronSchedule": "1", "volumes": [{"name": "new"}, {"name": "web", "path": "j", "compression": "Zstd"}]}`)},
			{what: "edit", version: beta, body: `{"spec": {"volumes": [{"name": "other", "path": "j"}]}}`, want: in(hub, `{"cronSchedule": "1", "volumes": [{"name": "other", "path": "j"}]}`), kept: in(beta, "")},
		},
		"unkeyed": {
			{what: "create", version: hub, body: `{"cronSchedule": "1", "networks": [{"cidr": "10", "note": "x"}, {"cidr": "10"}, {"cidr": "11", "note": "y"}]}`},
			{what: "edit", version: beta, body: `{"spec": {"networks": [{"cidr": "11"}, {"cidr": "10"}, {"cidr": "10"}]}}`, want: in(hub, `{"cronSchedule": "1", "networks": [{"cidr": "11", "note": "y"}, {"cidr": "10", "note": "x"}, {"cidr": "10"}]}`)},
			{what: "edit", version: beta, body: `{"spec": {"networks": [{"cidr": "11"}, {"cidr": "10"}]}}`, want: in(hub, `{"cronSchedule": "1", "networks": [{"cidr": "11", "note": "y"}, {"cidr": "10"}]}`)},
			{what: "edit", version: beta, body: `{"spec": {"networks": [{"cidr": "12"}, {"cidr": "10"}]}}`, want: in(hub, `{"cronSchedule": "1", "networks": [{"cidr": "12"}, {"cidr": "10"}]}`), kept: in(beta, "")},
		},
		"removed": {
			{what: "create", version: beta, body: `{"schedule": "1", "legacy": "x"}`, want: in(hub, `{"cronSchedule": "1"}`, beta, `{"schedule": "1", "legacy": "x"}`, alpha, `{"schedule": "1"}`), kept: in(hub, `{"v1beta1": {"spec": {"legacy": "x"}}}`, beta, "")},
			{what: "edit", version: hub, body: `{"spec": {"cronSchedule": "2"}}`, want: in(beta, `{"schedule": "2", "legacy": "x"}`)},
			{what: "edit", version: alpha, body: `{"spec": {"schedule": "3"}}`, want: in(beta, `{"schedule": "3", "legacy": "x"}`)},
			{what: "edit", version: beta, body: `{"spec": {"legacy": null}}`, want: in(beta, `{"schedule": "3"}`), kept: in(hub, "")},
		},
		"replaced": {
			{what: "create", version: hub, body: `{"cronSchedule": "1", "notes": "n", "keep": 3}`},
			{what: "replace", version: beta, body: `{"schedule": "2"}`, want: in(hub, withPolicy(`{"cronSchedule": "2"}`, `{"cronSchedule": "2", "notes": "n", "keep": 3}`))},
			{what: "replace", version: hub, body: `{"cronSchedule": "3", "keep": 2}`, want: in(hub, `{"cronSchedule": "3", "keep": 2}`, beta, `{"schedule": "3"}`), kept: in(beta, `{"v1": {"spec": {"keep": 2}}}`)},
			{what: "replace", version: alpha, body: `{"schedule": "4"}`, want: in(hub, withPolicy(`{"cronSchedule": "4"}`, `{"cronSchedule": "4", "keep": 2}`))},
		},
		"applied": {
			{what: "create", version: hub, body: `{"cronSchedule": "1", "notes": "n"}`},
			{what: "apply", version: beta, body: `{"schedule": "2"}`, want: in(hub, `{"cronSchedule": "2", "notes": "n"}`)},
			{what: "apply", version: hub, body: `{"cronSchedule": "3", "keep": 2}`, want: in(hub, `{"cronSchedule": "3", "notes": "n", "keep": 2}`, beta, `{"schedule": "3"}`)},
			{what: "apply", version: beta, body: `{"schedule": "4", "drain": "1.5s"}`, want: in(beta, `{"schedule": "4", "drain": "1.5s"}`)},
			{what: "apply", version: alpha, body: `{"schedule": "5"}`, want: in(alpha, `{"schedule": "5"}`)},
		},
		"too much": {
			{what: "create", version: hub, body: `{"cronSchedule": "1", "notes": "` + large + `"}`, want: in(beta, `{"schedule": "1"}`, alpha, `{"schedule": "1"}`), kept: in(hub, "", beta, over, alpha, over)},
			{what: "edit", version: beta, body: `{"spec": {"schedule": "2"}}`, fails: "cannot be written as v1beta1"},
			{what: "apply", version: beta, body: `{"schedule": "2"}`, fails: "cannot be written as v1beta1"},
			{what: "patch", version: alpha, body: `{"spec": {"schedule": "2"}}`, fails: "cannot be written as v1alpha1"},
			{what: "edit", version: hub, body: `{"spec": {"cronSchedule": "3"}}`, want: in(beta, `{"schedule": "3"}`)},
			{what: "edit", version: hub, body: `{"spec": {"notes": "short"}}`, want: in(beta, `{"schedule": "3"}`), kept: in(beta, `{"v1": {"spec": {"notes": "short"}}}`)},
			{what: "edit", version: beta, body: `{"spec": {"schedule": "4"}}`, want: in(hub, `{"cronSchedule": "4", "notes": "short"}`)},
		},
		"too much of a spoke": {
			{what: "create", version: beta, body: `{"schedule": "1", "legacy": "` + large + `"}`, fails: "do not fit into an annotation; use v1"},
			{what: "create", version: beta, body: `{"schedule": "1"}`, want: in(hub, `{"cronSchedule": "1"}`)},
			{what: "patch", version: beta, body: `{"spec": {"legacy": "` + large + `"}}`, fails: "do not fit into an annotation; use v1"},
			{what: "patch", version: beta, body: `{"spec": {"legacy": "l"}}`, want: in(beta, `{"schedule": "1", "legacy": "l"}`), kept: in(hub, `{"v1beta1": {"spec": {"legacy": "l"}}}`)},
		},
		"contended": {
			{what: "apply", version: beta, body: `{"schedule": "1", "drain": "7s"}`, want: in(hub, `{"cronSchedule": "1", "deletion": {"drainSeconds": 7}}`)},
			{what: "contend", version: hub, body: `{"cronSchedule": "2"}`, fails: "conflict"},
			{what: "contend", version: hub, body: `{"cronSchedule": "1", "keep": 3}`, want: in(hub, `{"cronSchedule": "1", "deletion": {"drainSeconds": 7}, "keep": 3}`), kept: in(beta, `{"v1": {"spec": {"keep": 3}}}`)},
			{what: "contend", version: alpha, body: `{"schedule": "2"}`, fails: "conflict"},
			{what: "apply", version: beta, body: `{"schedule": "1"}`, want: in(hub, `{"cronSchedule": "1", "keep": 3}`)},
		},
		"json patches": {
			{what: "create", version: hub, body: `{"cronSchedule": "1", "notes": "n", "volumes": [{"name": "web", "path": "i", "compression": "Zstd"}]}`},
			{what: "json patch", version: beta, body: `[{"op": "replace", "path": "/spec/schedule", "value": "2"}, {"op": "add", "path": "/spec/volumes/0", "value": {"name": "new"}}]`,
				want: in(hub, `{"cronSchedule": "2", "notes": "n", "volumes": [{"name": "new"}, {"name": "web", "path": "i", "compression": "Zstd"}]}`)},
			{what: "json patch", version: alpha, body: `[{"op": "replace", "path": "/spec/schedule", "value": "3"}]`,
				want: in(hub, `{"cronSchedule": "3", "notes": "n", "volumes": [{"name": "new"}, {"name": "web", "path": "i", "compression": "Zstd"}]}`)},
			{what: "json patch", version: beta, body: `[{"op": "test", "path": "/spec/drain", "value": "1s"}, {"op": "remove", "path": "/spec/volumes"}]`, fails: "422"},
			{what: "json patch", version: hub, body: `[{"op": "remove", "path": "/spec/volumes"}]`, want: in(beta, `{"schedule": "3"}`), kept: in(beta, `{"v1": {"spec": {"notes": "n"}}}`)},
			{what: "json patch", version: beta, body: `[{"op": "remove", "path": "/metadata/annotations"}]`, want: in(hub, withPolicy(`{"cronSchedule": "3"}`, `{"cronSchedule": "3", "notes": "n"}`))},
		},
		"two spokes": {
			{what: "create", version: alpha, body: `{"schedule": "1", "retries": 2}`, want: in(hub, `{"cronSchedule": "1"}`, beta, `{"schedule": "1"}`, alpha, `{"schedule": "1"}`), kept: in(hub, "", beta, "", alpha, "")},
			{what: "edit", version: beta, body: `{"spec": {"drain": "1.5s"}}`, want: in(hub, `{"cronSchedule": "1", "deletion": {"drainSeconds": 1}}`, beta, `{"schedule": "1", "drain": "1.5s"}`, alpha, `{"schedule": "1"}`),
				kept: in(hub, `{"v1beta1": {"spec": {"drain": "1.5s"}}}`, beta, "", alpha, `{"v1": {"spec": {"deletion": {"drainSeconds": 1}}}, "v1beta1": {"spec": {"drain": "1.5s"}}}`)},
			{what: "patch", version: alpha, body: `{"spec": {"schedule": "2"}}`, want: in(beta, `{"schedule": "2", "drain": "1.5s"}`)},
			{what: "apply", version: alpha, body: `{"schedule": "3"}`, want: in(beta, `{"schedule": "3", "drain": "1.5s"}`)},
			{what: "apply", version: beta, body: `{"schedule": "4", "legacy": "l"}`, want: in(alpha, `{"schedule": "4"}`, beta, `{"schedule": "4", "drain": "1.5s", "legacy": "l"}`)},
			{what: "json patch", version: alpha, body: `[{"op": "replace", "path": "/spec/schedule", "value": "5"}]`, want: in(beta, `{"schedule": "5", "drain": "1.5s", "legacy": "l"}`)},
			{what: "replace", version: alpha, body: `{"schedule": "6"}`, want: in(beta, withPolicy(`{"schedule": "6"}`, `{"schedule": "6", "drain": "1.5s", "legacy": "l"}`))},
		},
		"restored": {
			{what: "restore", version: beta, body: `{"schedule": "1"}`, want: in(hub, restored)},
			{what: "delete", version: beta},
			{what: "restore", version: alpha, body: `{"schedule": "1"}`, want: in(hub, restored)},
			{what: "delete", version: alpha},
			// The hub has nothing that it lacks itself.
			{what: "restore", version: hub, body: `{"cronSchedule": "1"}`, want: in(hub, `{"cronSchedule": "1"}`, beta, `{"schedule": "1"}`), kept: in(beta, "")},
		},
		"deleted": {
			{what: "create", version: hub, body: `{"cronSchedule": "1", "notes": "n"}`},
			{what: "delete", version: alpha},
			{what: "create", version: beta, body: `{"schedule": "2"}`, want: in(hub, `{"cronSchedule": "2"}`), kept: in(beta, "")},
		},
		"forged": {
			{what: "create", version: hub, body: `{"cronSchedule": "1", "keep": 3}`},
			// What the hub's schema refuses is not taken.
			{what: "forge", version: beta, body: `{"v1": {"spec": {"keep": 0}}}`, want: in(hub, withPolicy(`{"cronSchedule": "1"}`, `{"cronSchedule": "1", "keep": 3}`))},
			{what: "forge", version: beta, body: `{"v1": {"spec": {"keep": "many"}}}`, want: in(hub, withPolicy(`{"cronSchedule": "1"}`, `{"cronSchedule": "1", "keep": 3}`))},
			{what: "forge", version: beta, body: `{"v1": {"spec": [`, want: in(hub, withPolicy(`{"cronSchedule": "1"}`, `{"cronSchedule": "1", "keep": 3}`))},
			{what: "forge", version: beta, body: `{"v1": {"spec": {"nothing": {}, "#over": 3}}, "v7": {}}`, want: in(hub, withPolicy(`{"cronSchedule": "1"}`, `{"cronSchedule": "1", "keep": 3}`))},
			{what: "forge", version: beta, body: `{"v1": {"spec": {"keep": 9}}}`, want: in(hub, withPolicy(`{"cronSchedule": "1", "keep": 9}`, `{"cronSchedule": "1", "keep": 3}`))},
			{what: "patch", version: beta, body: `{"metadata": {"annotations": null}}`, want: in(hub, withPolicy(`{"cronSchedule": "1"}`, `{"cronSchedule": "1", "keep": 3}`))},
		},
		"forged by the oldest": {
			{what: "create", version: hub, body: `{"cronSchedule": "1", "keep": 3}`},
			{what: "forge", version: alpha, body: `{"v1": {"#over": 3}}`, fails: withPolicy("cannot be written as v1alpha1", ""), want: in(hub, `{"cronSchedule": "1", "keep": 3}`)},
			{what: "forge", version: alpha, body: `{"v1": {"spec": {"keep": 0}}}`, want: in(hub, withPolicy(`{"cronSchedule": "1"}`, `{"cronSchedule": "1", "keep": 3}`))},
			{what: "forge", version: alpha, body: `{"v1": [{"spec": 1}], "v1beta1": null, "v1": {"spec": "text"}}`, want: in(hub, withPolicy(`{"cronSchedule": "1"}`, `{"cronSchedule": "1", "keep": 3}`))},
			{what: "forge", version: alpha, body: `["v1"]`, want: in(hub, withPolicy(`{"cronSchedule": "1"}`, `{"cronSchedule": "1", "keep": 3}`))},
			{what: "forge", version: alpha, body: `{"v1": {"spec": {"notes": "` + large[:200_000] + `"}}}`, want: in(hub, withPolicy(`{"cronSchedule": "1", "notes": "`+large[:200_000]+`"}`, `{"cronSchedule": "1", "keep": 3}`))},
			{what: "forge", version: beta, body: `{"v1": {"spec": {"volumes": {"gone": {"compression": "Zstd"}}, "policy": "Nothing"}}}`, want: in(hub, withPolicy(`{"cronSchedule": "1"}`, `{"cronSchedule": "1", "keep": 3}`))},
		},
		"status": {
			{what: "create", version: hub, body: `{"cronSchedule": "1", "notes": "n"}`},
			{what: "status", version: hub, body: `{"status": {"finished": 1, "phase": "Done"}}`, want: in(hub, `{"cronSchedule": "1", "notes": "n"}`)},
			{what: "status", version: beta, body: `{"status": {"finished": 2}}`, want: in(hub, `{"cronSchedule": "1", "notes": "n"}`)},
		},
	}
	if policies != withoutPolicies {
		// Without the policies, the server refuses it only if the object is in its watch cache,
		// which it encodes to compare it with what is stored.
		histories["too much, replaced"] = []conversionStep{
			{what: "create", version: hub, body: `{"cronSchedule": "1", "notes": "` + large + `"}`},
			{what: "replace", version: beta, body: `{"schedule": "2"}`, fails: "cannot be written as v1beta1", want: in(beta, `{"schedule": "1"}`)},
		}
	}
	return histories
}

// TestConversions serves the conversions that schemagen generates for examples/conversions, and
// makes requests of old and new clients: without policies, and with policies.
func TestConversions(t *testing.T) {
	part(t, "conversions")
	s, ctx := cluster(t), within(t)
	address, certificate, stop := startWebhook(t)
	crds := readCRDs(t, filepath.Join(root, "examples", "conversions", "config", "crd"), "conversions")
	installed(t, s, withConversion(t, crds[0], fmt.Sprintf(`{"url": "https://%s/convert", "caBundle": %q}`, address, base64.StdEncoding.EncodeToString(certificate))))
	probe := backup{name: "probe"}
	for poll := (poller{}); ; {
		a, err := probe.do(s, http.MethodPost, beta, "?dryRun=All", JSON, backupOf("probe", beta, `{"schedule": "1"}`))
		if err == nil && a.OK() {
			break
		}
		if late := poll.next(ctx); late != nil {
			t.Fatalf("the webhook was not called: %v %s", err, a)
		}
	}
	rows := &conversionTable{}
	requests := 0
	for _, policies := range []string{withoutPolicies, withPolicies, withPoliciesKept} {
		t.Run(policies, func(t *testing.T) {
			if policies != withoutPolicies {
				installConversionPolicies(t, s, policies == withPoliciesKept)
			}
			rows.begin(policies)
			histories := conversionHistories(policies)
			for _, name := range slices.Sorted(maps.Keys(histories)) {
				t.Run(name, func(t *testing.T) {
					b := backupFor(name, policies)
					for i, step := range histories[name] {
						b.step(t, s, i, step)
						rows.add(step.cells(name))
						requests++
					}
				})
			}
			if policies == withPolicies {
				runConversionKubectl(t, s, rows)
			}
		})
	}
	suite.report.Count("requests of old and new clients for objects that generated conversions convert", requests)

	listBackups(t, s, rows)
	migrateStorage(t, s, crds[0].Name, rows)
	stop()
	withoutWebhook(t, s, rows)
	rows.compare(t)
}

// withoutWebhook makes requests while the webhook is down: the stored version can be read and
// written, and no other.
func withoutWebhook(t *testing.T, s *Server, rows *conversionTable) {
	rows.begin(webhookDown)
	b := backupFor("equal", withoutPolicies)
	for _, version := range []string{hub, beta, alpha} {
		spec := `{"schedule": "1"}`
		if version == hub {
			spec = `{"cronSchedule": "1"}`
		}
		var stored struct {
			Metadata struct{ ResourceVersion string }
		}
		if err := json.Unmarshal(b.read(t, s, hub), &stored); err != nil {
			t.Fatal(err)
		}
		created := string(backupOf("new", version, spec))
		replaced := strings.Replace(string(backupOf(b.name, version, spec)), `"metadata": {`, fmt.Sprintf(`"metadata": {"resourceVersion": %q, `, stored.Metadata.ResourceVersion), 1)
		for _, row := range []struct{ request, method, name, query, contentType, body string }{
			{"get", http.MethodGet, b.name, "", "", ""},
			{"list", http.MethodGet, "", "", "", ""},
			{"replace", http.MethodPut, b.name, "?dryRun=All", JSON, replaced},
			{"patch", http.MethodPatch, b.name, "", MergePatch, labelPatch},
			{"json patch", http.MethodPatch, b.name, "", JSONPatch, `[{"op": "add", "path": "/metadata/labels", "value": {"c": "d"}}]`},
			{"create", http.MethodPost, "", "?dryRun=All", JSON, created},
			{"apply", http.MethodPatch, "new", "?fieldManager=applier&dryRun=All", Apply, created},
			{"delete", http.MethodDelete, b.name, "?dryRun=All", "", ""},
		} {
			a, err := s.Do(t.Context(), row.method, backupsPath(version, row.name)+row.query, row.contentType, []byte(row.body))
			answer := "accepted"
			if version != hub {
				answer = "refused: conversion webhook for " + conversionGroup
			}
			if err != nil || a.OK() != (version == hub) || !a.OK() && !strings.Contains(a.String(), strings.TrimPrefix(answer, "refused: ")) {
				t.Errorf("%s of %s without the webhook: %v %.300s", row.request, version, err, a)
			}
			rows.add(conversionCells{row.name, row.request, version, row.body, answer, ""})
		}
	}
}

// cells returns the row of the table for a step of the history of an object.
func (c conversionStep) cells(name string) conversionCells {
	answer := "accepted"
	if c.fails != "" {
		answer = "refused: " + c.fails
	}
	var compared []string
	for _, version := range []string{hub, beta, alpha} {
		if _, ok := c.want[version]; ok {
			compared = append(compared, "spec of "+version)
		}
		if _, ok := c.kept[version]; ok {
			compared = append(compared, "annotation of "+version)
		}
	}
	return conversionCells{name, c.what, c.version, c.body, answer, strings.Join(compared, ", ")}
}

// listBackups lists and watches all objects, also those that cannot be written in a spoke, in each
// version.
func listBackups(t *testing.T, s *Server, rows *conversionTable) {
	rows.begin(listsAndWatches)
	names := map[string][]string{}
	for _, version := range []string{hub, beta, alpha} {
		a, err := s.Do(t.Context(), http.MethodGet, backupsPath(version, ""), "", nil)
		var list struct {
			Items []struct {
				APIVersion string
				Metadata   struct{ Name string }
			}
		}
		if err = cmp.Or(err, json.Unmarshal(a.Body, &list)); err != nil || !a.OK() {
			t.Fatalf("list of %s: %v %.300s", version, err, a)
		}
		for _, item := range list.Items {
			if item.APIVersion != conversionGroup+"/"+version {
				t.Errorf("the list of %s has an object of %s", version, item.APIVersion)
			}
			names[version] = append(names[version], item.Metadata.Name)
		}
		rows.add(conversionCells{"all", "list", version, "", "accepted", "names and version of the objects"})
		if a, err = s.Do(t.Context(), http.MethodGet, backupsPath(version, "")+"?watch=1&timeoutSeconds=1", "", nil); err != nil || !a.OK() {
			t.Fatalf("watch of %s: %v %.300s", version, err, a)
		}
		for _, name := range names[version] {
			if !strings.Contains(string(a.Body), fmt.Sprintf("%q", name)) {
				t.Errorf("the watch of %s has no event for %s", version, name)
			}
		}
		rows.add(conversionCells{"all", "watch", version, "", "accepted", "an event for each object"})
	}
	if len(names[hub]) < 20 || !slices.Contains(names[hub], backupFor("too much", withoutPolicies).name) || !slices.Equal(names[hub], names[beta]) || !slices.Equal(names[hub], names[alpha]) {
		t.Errorf("lists have different objects: %q", names)
	}
}

// backupsPath returns the path of an object in a version, or of all objects.
func backupsPath(version, name string) string {
	path := "/apis/" + conversionGroup + "/" + version + "/namespaces/default/backups"
	if name != "" {
		path += "/" + name
	}
	return path
}

// backup is an object of examples/conversions.
type backup struct{ name string }

// backupFor returns the object of a history.
func backupFor(history, policies string) backup {
	suffix := map[string]string{withoutPolicies: "-none", withPolicies: "-policy", withPoliciesKept: "-keep"}[policies]
	return backup{strings.NewReplacer(" ", "-", ",", "").Replace(history) + suffix}
}

// do makes a request for the object in a version; a POST creates one.
func (b backup) do(s *Server, method, version, query, contentType string, body []byte) (Answer, error) {
	name := b.name
	if method == http.MethodPost {
		name = ""
	}
	return s.Do(context.Background(), method, backupsPath(version, name)+query, contentType, body)
}

// backupOf returns an object with a spec.
func backupOf(name, version, spec string) []byte {
	return fmt.Appendf(nil, `{"apiVersion": "%s/%s", "kind": "Backup", "metadata": {"name": %q, "namespace": "default"}, "spec": %s}`, conversionGroup, version, name, spec)
}

// read returns the object in a version.
func (b backup) read(t *testing.T, s *Server, version string) []byte {
	t.Helper()
	a, err := b.do(s, http.MethodGet, version, "", "", nil)
	if err != nil || !a.OK() {
		t.Fatalf("%s: %v %s", version, err, a)
	}
	return a.Body
}

// request makes the request of a step.
func (b backup) request(t *testing.T, s *Server, step conversionStep) (Answer, error) {
	t.Helper()
	merged := func(object []byte, patch string) []byte {
		out, err := jsonpatch.MergePatch(object, []byte(patch))
		if err != nil {
			t.Fatal(err)
		}
		return out
	}
	switch step.what {
	case "create":
		return b.do(s, http.MethodPost, step.version, "", JSON, backupOf(b.name, step.version, step.body))
	case "edit":
		return b.do(s, http.MethodPut, step.version, "", JSON, merged(b.read(t, s, step.version), step.body))
	case "replace":
		var before struct {
			Metadata struct{ ResourceVersion string }
		}
		if err := json.Unmarshal(b.read(t, s, step.version), &before); err != nil {
			t.Fatal(err)
		}
		version := fmt.Sprintf(`{"metadata": {"resourceVersion": %q}}`, before.Metadata.ResourceVersion)
		return b.do(s, http.MethodPut, step.version, "", JSON, merged(backupOf(b.name, step.version, step.body), version))
	case "patch":
		return b.do(s, http.MethodPatch, step.version, "", MergePatch, []byte(step.body))
	case "json patch":
		return b.do(s, http.MethodPatch, step.version, "", JSONPatch, []byte(step.body))
	case "restore":
		annotated := fmt.Sprintf(`{"metadata": {"annotations": {"%s/conversion": %q}}}`, conversionGroup, restoredKept)
		return b.do(s, http.MethodPost, step.version, "", JSON, merged(backupOf(b.name, step.version, step.body), annotated))
	case "apply":
		return b.do(s, http.MethodPatch, step.version, "?fieldManager=applier&force=true", Apply, backupOf(b.name, step.version, step.body))
	case "contend":
		return b.do(s, http.MethodPatch, step.version, "?fieldManager=other", Apply, backupOf(b.name, step.version, step.body))
	case "delete":
		return b.do(s, http.MethodDelete, step.version, "", "", nil)
	case "forge":
		patch := fmt.Sprintf(`{"metadata": {"annotations": {"%s/conversion": %q}}}`, conversionGroup, step.body)
		return b.do(s, http.MethodPatch, step.version, "", MergePatch, []byte(patch))
	case "status":
		path := "/apis/" + conversionGroup + "/" + step.version + "/namespaces/default/backups/" + b.name + "/status"
		return s.Do(t.Context(), http.MethodPatch, path, MergePatch, []byte(step.body))
	}
	t.Fatalf("unknown request %q", step.what)
	return Answer{}, nil
}

// step makes the request of a step, and looks at the object afterwards.
func (b backup) step(t *testing.T, s *Server, i int, step conversionStep) {
	t.Helper()
	at := fmt.Sprintf("step %d, %s of %s", i+1, step.what, step.version)
	a, err := b.request(t, s, step)
	// The server encodes the object that its watch cache has before it looks whether that is
	// the newest one. Right after an object became small enough, that may be refused.
	for poll := (poller{}); err == nil && step.fails == "" && strings.Contains(a.String(), "cannot be written as"); a, err = b.request(t, s, step) {
		if late := poll.next(within(t)); late != nil {
			t.Fatalf("%s: %v %.500s", at, late, a)
		}
	}
	switch {
	case err != nil:
		t.Fatalf("%s: %v", at, err)
	case step.fails != "":
		if a.OK() || !strings.Contains(a.String(), step.fails) {
			t.Errorf("%s: got %.300s, want an error with %q", at, a, step.fails)
		}
	case !a.OK():
		t.Fatalf("%s: %.500s", at, a)
	}
	for version, want := range step.want {
		if got := specOf(b.read(t, s, version)); !reflect.DeepEqual(got, decoded([]byte(want))) {
			text, _ := json.Marshal(got)
			t.Errorf("%s: %s has the spec\n\t%.600s\nwant\n\t%.600s", at, version, text, want)
		}
	}
	for version, want := range step.kept {
		var object struct {
			Metadata struct{ Annotations map[string]string }
		}
		if err := json.Unmarshal(b.read(t, s, version), &object); err != nil {
			t.Fatal(err)
		}
		kept, ok := object.Metadata.Annotations[conversionGroup+"/conversion"]
		if ok != (want != "") || ok && !reflect.DeepEqual(decoded([]byte(kept)), decoded([]byte(want))) {
			t.Errorf("%s: %s keeps\n\t%.600s\nwant\n\t%.600s", at, version, kept, want)
		}
	}
}

// migrateStorage stores objects in the version of a spoke, and moves them to the hub as the
// chapter says: each is written without a change, and then the spoke is removed from
// storedVersions.
func migrateStorage(t *testing.T, s *Server, name string, rows *conversionTable) {
	rows.begin(storageMigration)
	ctx := within(t)
	const definitions = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions/"
	request := func(method, path, contentType, body string) Answer {
		t.Helper()
		a, err := s.Do(ctx, method, definitions+name+path, contentType, []byte(body))
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	var definition struct {
		Spec struct {
			Versions []struct {
				Name    string
				Storage bool
			}
		}
		Status struct{ StoredVersions []string }
	}
	// patchVersions makes a JSON patch of the versions of the definition, and reads it again.
	patchVersions := func(query string, op func(i int, version string) string) Answer {
		t.Helper()
		if err := json.Unmarshal(request(http.MethodGet, "", "", "").Body, &definition); err != nil {
			t.Fatal(err)
		}
		var ops []string
		for i, v := range definition.Spec.Versions {
			if text := op(i, v.Name); text != "" {
				ops = append(ops, text)
			}
		}
		a := request(http.MethodPatch, query, JSONPatch, "["+strings.Join(ops, ",")+"]")
		if err := json.Unmarshal(request(http.MethodGet, "", "", "").Body, &definition); err != nil {
			t.Fatal(err)
		}
		return a
	}
	// rewritten writes an object without a change, and reports whether it is stored in another
	// form since. The object patched is written by the patch that the controller of
	// StorageVersionMigrations makes.
	const patched = "migrated-beta"
	rewritten := func(b backup) bool {
		t.Helper()
		var before, after struct {
			Metadata struct{ ResourceVersion string }
		}
		object := b.read(t, s, hub)
		if err := json.Unmarshal(object, &before); err != nil {
			t.Fatal(err)
		}
		method, contentType := http.MethodPut, JSON
		if b.name == patched {
			method, contentType = http.MethodPatch, MergePatch
			object = fmt.Appendf(nil, `{"apiVersion": "%s/%s", "kind": "Backup", "metadata": {"resourceVersion": %q}}`, conversionGroup, hub, before.Metadata.ResourceVersion)
		}
		a, err := b.do(s, method, hub, "", contentType, object)
		if err == nil {
			err = json.Unmarshal(a.Body, &after)
		}
		if err != nil || !a.OK() {
			t.Fatalf("%s is not migrated: %v %.500s", b.name, err, a)
		}
		return before.Metadata.ResourceVersion != after.Metadata.ResourceVersion
	}
	first := backup{name: "migrated-first"}
	// storeAs changes the storage version, and waits until the server uses it.
	storeAs := func(version string) {
		t.Helper()
		a := patchVersions("", func(i int, name string) string {
			return fmt.Sprintf(`{"op": "replace", "path": "/spec/versions/%d/storage", "value": %t}`, i, name == version)
		})
		if !a.OK() {
			t.Fatal(a)
		}
		for poll := (poller{}); !rewritten(first); {
			if late := poll.next(ctx); late != nil {
				t.Fatalf("objects are not stored as %s", version)
			}
		}
		rows.add(conversionCells{"the definition", "store as " + version, "", "", "accepted", ""})
	}
	create := func(b backup, version, spec string) {
		t.Helper()
		if a, err := b.do(s, http.MethodPost, version, "", JSON, backupOf(b.name, version, spec)); err != nil || !a.OK() {
			t.Fatal(err, a)
		}
		rows.add(conversionCells{b.name, "create", version, spec, "accepted", ""})
	}

	create(first, hub, `{"cronSchedule": "1", "notes": "n"}`)
	storeAs(beta)
	all := []backup{first, {name: "migrated-hub"}, {name: patched}}
	create(all[1], hub, `{"cronSchedule": "2", "notes": "n"}`)
	create(all[2], beta, `{"schedule": "3"}`)
	specs := func() (out []any) {
		for _, b := range all {
			for _, version := range []string{hub, beta, alpha} {
				out = append(out, specOf(b.read(t, s, version)))
			}
		}
		return out
	}
	before := specs()
	storeAs(hub)
	if want := []string{hub, beta}; !reflect.DeepEqual(definition.Status.StoredVersions, want) {
		t.Errorf("storedVersions are %q, want %q", definition.Status.StoredVersions, want)
	}
	migrated := func(b backup, compared string) {
		what := "replace"
		if b.name == patched {
			what = "patch"
		}
		rows.add(conversionCells{b.name, what, hub, "no change", "accepted", compared})
	}
	for _, b := range all[1:] {
		if !rewritten(b) {
			t.Errorf("%s was stored as %s before it was migrated", b.name, hub)
		}
		migrated(b, "it is stored in another form")
	}
	for _, b := range all {
		if rewritten(b) {
			t.Errorf("%s changes when it is migrated again", b.name)
		}
		migrated(b, "nothing changes; spec of all versions")
	}
	if after := specs(); !reflect.DeepEqual(after, before) {
		t.Errorf("the migration changed objects:\n\t%v\nwere\n\t%v", after, before)
	}

	// The spoke can be removed once it is not among the stored versions any more.
	withoutBeta := func() Answer {
		return patchVersions("?dryRun=All", func(i int, name string) string {
			if name != beta {
				return ""
			}
			return fmt.Sprintf(`{"op": "remove", "path": "/spec/versions/%d"}`, i)
		})
	}
	if a := withoutBeta(); a.OK() || !strings.Contains(a.String(), "storedVersions") {
		t.Errorf("a stored version was removed: %.300s", a)
	}
	rows.add(conversionCells{"the definition", "remove " + beta, "", "", "refused: storedVersions", ""})
	if a := request(http.MethodPatch, "/status", MergePatch, fmt.Sprintf(`{"status": {"storedVersions": [%q]}}`, hub)); !a.OK() {
		t.Fatal(a)
	}
	rows.add(conversionCells{"the definition", "patch of storedVersions", "", fmt.Sprintf("[%q]", hub), "accepted", ""})
	if a := withoutBeta(); !a.OK() {
		t.Errorf("the version cannot be removed after the migration: %s", a)
	}
	rows.add(conversionCells{"the definition", "remove " + beta, "", "", "accepted", ""})

	// The server knows what the chapter tells to apply; the controller does not run here.
	if os.Getenv(versionVariable) != "" {
		return
	}
	chapter, err := os.ReadFile(filepath.Join(root, "docs", "versions.md"))
	if err != nil {
		t.Fatal(err)
	}
	const head = "apiVersion: storagemigration.k8s.io/v1\n"
	_, migration, _ := strings.Cut(string(chapter), head)
	migration, _, _ = strings.Cut(migration, "EOF\n")
	if a, err := s.Do(ctx, http.MethodPost, "/apis/storagemigration.k8s.io/v1/storageversionmigrations?dryRun=All&"+Strict, YAML, []byte(head+migration)); err != nil || !a.OK() {
		t.Errorf("the chapter's StorageVersionMigration: %v %s", err, a)
	}
	rows.add(conversionCells{"", "create a StorageVersionMigration", "", "that of the chapter, as a dry run", "accepted", ""})
}

// withConversion returns a definition whose conversion webhook has another client configuration.
func withConversion(t *testing.T, crd CRD, clientConfig string) CRD {
	t.Helper()
	patched, err := yaml.YAMLToJSON(crd.Data)
	if err == nil {
		patched, err = jsonpatch.MergePatch(patched, []byte(`{"spec": {"conversion": {"webhook": {"clientConfig": null}}}}`))
	}
	if err == nil {
		patched, err = jsonpatch.MergePatch(patched, []byte(`{"spec": {"conversion": {"webhook": {"clientConfig": `+clientConfig+`}}}}`))
	}
	if err != nil {
		t.Fatal(err)
	}
	crd.Data = patched
	return crd
}

// installConversionPolicies installs the policies of both spokes for the duration of a test, and
// waits until they are evaluated.
func installConversionPolicies(t *testing.T, s *Server, keepOnCreate bool) {
	t.Helper()
	ctx := within(t)
	if a, err := s.Do(ctx, http.MethodGet, policies+"mutatingadmissionpolicies", "", nil); err != nil || !a.OK() {
		if os.Getenv(versionVariable) == "" {
			t.Fatal(err, a)
		}
		t.Skip("the server has no mutating admission policies")
	}
	probe := backup{name: fmt.Sprintf("probe-%t", keepOnCreate)}
	probe.step(t, s, 0, conversionStep{what: "create", version: hub, body: `{"cronSchedule": "1", "keep": 3}`})
	for _, version := range []string{beta, alpha} {
		written := policy.Policy{Group: conversionGroup, Version: version, Plural: "backups", KeepOnCreate: keepOnCreate}
		text := written.YAML()
		if !keepOnCreate {
			file, err := os.ReadFile(filepath.Join(root, "examples", "conversions", "config", "policy", written.FileName()))
			if err != nil || !bytes.Equal(file, text) {
				t.Fatal("the policy of the example is another one:", err)
			}
		}
		installPolicy(t, s, string(text))
	}
	// Policies of the test before may be evaluated for a while after they were deleted.
	for _, version := range []string{beta, alpha} {
		forged := strings.Replace(string(backupOf("forged", version, `{"schedule": "1"}`)), `"metadata": {`, fmt.Sprintf(`"metadata": {"annotations": {"%s/conversion": %q}, `, conversionGroup, restoredKept), 1)
		for poll := (poller{}); ; {
			patched, err := probe.do(s, http.MethodPatch, version, "?dryRun=All", MergePatch, []byte(`{"metadata": {"annotations": null}}`))
			if err == nil && patched.OK() && annotated(patched) {
				created, err := probe.do(s, http.MethodPost, version, "?dryRun=All", JSON, []byte(forged))
				if err == nil && created.OK() && annotated(created) == keepOnCreate {
					break
				}
			}
			if late := poll.next(ctx); late != nil {
				t.Fatalf("the policy was not evaluated: %v %s", err, patched)
			}
		}
	}
}

// annotated reports whether the object of an answer has the annotation.
func annotated(a Answer) bool {
	return strings.Contains(string(a.Body), "\""+conversionGroup+"/conversion\"")
}

// conversionKubectlSteps are commands for one object, whose name is NAME, while the policies
// are installed. want is the complete output.
func conversionKubectlSteps() []kubectlStep {
	object := func(version, spec string) string { return string(backupOf("NAME", version, spec)) }
	get := func(version, path, want string) kubectlStep {
		return kubectlStep{name: "get " + path + " as " + version, args: "get backups." + version + ".backups.example.com NAME -o jsonpath={" + path + "}", want: []string{want}}
	}
	return []kubectlStep{
		{name: "apply as v1beta1", args: "apply -f -", stdin: object(beta, `{"schedule": "1", "drain": "1.5s"}`), want: []string{"backup.backups.example.com/NAME created"}},
		get(hub, ".spec.deletion.drainSeconds", "1"),
		get(beta, ".spec.drain", "1.5s"),
		{name: "patch as v1", args: `patch backups.v1.backups.example.com NAME --type=merge -p {"spec":{"keep":3}}`, want: []string{"patched"}},
		{name: "apply again as v1beta1", args: "apply -f -", stdin: object(beta, `{"schedule": "2", "drain": "1.5s"}`), want: []string{"configured"}},
		get(hub, ".spec.keep", "3"),
		{name: "label as v1alpha1", args: "label backups.v1alpha1.backups.example.com NAME a=b", want: []string{"labeled"}},
		get(hub, ".spec.keep", "3"),
		{name: "replace as v1beta1", args: "replace -f -", stdin: object(beta, `{"schedule": "3"}`), want: []string{"replaced"}},
		get(hub, ".spec.keep", "3"),
		{name: "edit as v1alpha1", args: "edit backups.v1alpha1.backups.example.com NAME", want: []string{"edited"}},
		get(hub, ".spec.cronSchedule", "4"),
		get(hub, ".spec.keep", "3"),
		{name: "apply at the server as v1beta1", args: "apply --server-side --force-conflicts -f -", stdin: object(beta, `{"schedule": "5", "policy": "Borrow"}`), want: []string{"serverside-applied"}},
		get(hub, ".spec.policy", "MayStop"),
		get(beta, ".spec.policy", "Borrow"),
		{name: "scale down as v1", args: `patch backups.v1.backups.example.com NAME --type=json -p [{"op":"remove","path":"/spec/keep"}]`, want: []string{"patched"}},
		get(beta, `.metadata.annotations.backups\.example\.com/conversion`, ""),
	}
}

// runConversionKubectl runs the steps with each version of kubectl.
func runConversionKubectl(t *testing.T, s *Server, rows *conversionTable) {
	t.Helper()
	cache, err := cacheFolder()
	if err != nil {
		t.Fatal(err)
	}
	editor := filepath.Join(t.TempDir(), "editor")
	if err := os.WriteFile(editor, []byte("#!/bin/sh\nsed -i 's/schedule: .*/schedule: \"4\"/' \"$1\"\n"), 0o700); err != nil {
		t.Fatal(err)
	}
	steps := conversionKubectlSteps()
	for i, version := range append([]string{""}, kubectls()...) {
		t.Run("kubectl "+cmp.Or(version, "newest"), func(t *testing.T) {
			if version != "" && os.Getenv(kubectlsVariable) == "" {
				t.Skip("make e2e KUBECTLS=all builds older versions of kubectl, which takes some minutes")
			}
			kubectl, err := Kubectl(t.Context(), ".", cache, version, t.Logf)
			if err != nil {
				t.Fatal(err)
			}
			module, err := ModuleOf(t.Context(), ".", cache, version)
			if err != nil {
				t.Fatal(err)
			}
			rows.begin(kubectlOf + module.Version + ", with policies")
			for _, step := range steps {
				name := fmt.Sprintf("kubectl-%d", i)
				cmd := exec.CommandContext(t.Context(), kubectl, append([]string{"--kubeconfig", s.kubeconfig()}, strings.Fields(strings.ReplaceAll(step.args, "NAME", name))...)...)
				cmd.Env = []string{"HOME=" + t.TempDir(), "PATH=" + os.Getenv("PATH"), "KUBE_EDITOR=" + editor}
				cmd.Stdin = strings.NewReader(strings.ReplaceAll(step.stdin, "NAME", name))
				isolate(cmd)
				out, err := cmd.CombinedOutput()
				want := strings.ReplaceAll(step.want[0], "NAME", name)
				isGet := strings.HasPrefix(step.args, "get ")
				if err != nil || isGet && string(out) != want || !strings.Contains(string(out), want) {
					t.Fatalf("%s: %v: got %q, want %q", step.name, err, out, want)
				}
				verb, rest, _ := strings.Cut(step.args, " ")
				if flag, _, _ := strings.Cut(rest, " "); strings.HasPrefix(flag, "-") {
					verb += " " + flag
				}
				_, as, _ := strings.Cut(step.name, " as ")
				rows.add(conversionCells{"NAME", verb, as, cmp.Or(step.stdin, rest), "accepted", "output: " + step.want[0]})
			}
			suite.report.Count("kubectl commands on a kind with generated conversions", len(steps))
		})
	}
}
